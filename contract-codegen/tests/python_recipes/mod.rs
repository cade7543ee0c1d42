//! Recipes, unions and rules for the Python emitter's tests: the fixture of every form, and what only Python makes hard.

#[path = "../support/beside.rs"]
mod beside;
mod odd;
mod verdicts;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::Catalog;

pub(crate) use verdicts::verdicts;

/// The catalog: the families `texture` (every form) and `odd`.
pub(crate) fn catalog() -> Catalog {
    let mut catalog = fixtures::recipes();
    odd::add(&mut catalog);
    beside::add(&mut catalog);
    catalog
}

/// Both families, in a package of their own: `recipe_contracts`.
pub(crate) fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        family.package.package = "recipes".into();
        family.package.python_package = "recipe_contracts".into();
    }
    input
}
