//! What is called how inside one generated file.
//!
//! A file's own words all begin with an underscore (`_struct`, `_Parts_X`), so that a contract may be called
//! `IntEnum` or `WireError`. A builtin that a contract or a field hides is reached through `_builtins`.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::emit::EmitInput;
use crate::model::{Body, Catalog, ContractId, MessageField};
use crate::names::python as names;

/// One generated file, as its code sees the world.
pub(super) struct Scope<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) form: Form,
    /// The classes that this file defines or reaches.
    classes: BTreeMap<ContractId, Class>,
    /// The names of those that it defines.
    defined: BTreeSet<String>,
    known: &'a Names,
    uses_builtins: Cell<bool>,
}

/// What is known of all contracts before any file is written.
pub(super) struct Names {
    /// The family of each contract.
    families: BTreeMap<ContractId, usize>,
    /// The classes of each family.
    classes: Vec<BTreeSet<String>>,
}

impl Names {
    pub(super) fn new(input: &EmitInput<'_>) -> Self {
        let mut known = Names { families: BTreeMap::new(), classes: Vec::new() };
        for (index, family) in input.families.iter().enumerate() {
            known.families.extend(family.contracts.iter().map(|&id| (id, index)));
            let classes = family.contracts.iter().flat_map(|&id| {
                let contract = input.catalog.get(id);
                let class = names::class(&contract.name);
                let variants = variants(&contract.body, &class);
                variants.into_iter().chain([class])
            });
            known.classes.push(classes.collect());
        }
        known
    }

    /// The family of a contract, as an index into [`EmitInput::families`].
    pub(super) fn family(&self, id: ContractId) -> usize {
        self.families[&id]
    }
}

/// Whether the helpers stand in `_wire.py` or in the file itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Package,
    Standalone,
}

/// A contract's class, seen from one file.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The module's alias, for a class of another file.
    pub(super) module: Option<String>,
    pub(super) name: String,
}

/// Names the fixed part of a file defines, in either form.
pub(super) const ALIASES: [&str; 26] = [
    "_abc",
    "_array",
    "_binascii",
    "_builtins",
    "_call",
    "_contextlib",
    "_ctypes",
    "_dataclasses",
    "_encoder",
    "_enum",
    "_functools",
    "_importlib",
    "_itertools",
    "_json",
    "_library",
    "_math",
    "_message",
    "_model",
    "_operator",
    "_os",
    "_re",
    "_struct",
    "_sys",
    "_typing",
    "_warnings",
    "_wire",
];

impl<'a> Scope<'a> {
    pub(super) fn new(
        input: &'a EmitInput<'_>,
        known: &'a Names,
        form: Form,
        classes: BTreeMap<ContractId, Class>,
    ) -> Self {
        let own = classes.iter().filter(|(_, class)| class.module.is_none());
        let defined = own
            .flat_map(|(&id, class)| {
                let variants = variants(&input.catalog.get(id).body, &class.name);
                variants.into_iter().chain([class.name.clone()])
            })
            .collect();
        Scope { catalog: input.catalog, form, classes, defined, known, uses_builtins: Cell::new(false) }
    }

    /// The class, as this file reaches it.
    pub(super) fn class(&self, id: ContractId) -> String {
        self.reach(id, &self.classes[&id].name)
    }

    /// The class of a variant of a union or of several messages.
    pub(super) fn variant(&self, id: ContractId, index: usize) -> String {
        let name = variants(&self.catalog.get(id).body, &self.classes[&id].name).swap_remove(index);
        self.reach(id, &name)
    }

    /// A private companion of a class: `_Parts_X`.
    pub(super) fn private(&self, role: &str, id: ContractId) -> String {
        self.reach(id, &format!("_{role}_{}", self.classes[&id].name))
    }

    /// A helper of `_wire`.
    pub(super) fn wire(&self, name: &str) -> String {
        match self.form {
            Form::Package => format!("_wire.{name}"),
            Form::Standalone => format!("_{name}"),
        }
    }

    /// A name of `_wire` that a standalone file shows too.
    pub(super) fn public(&self, name: &str) -> String {
        match self.form {
            Form::Package => format!("_wire.{name}"),
            Form::Standalone => name.to_owned(),
        }
    }

    /// A builtin, for code of a class with these attributes (none for code outside of a class).
    pub(super) fn builtin(&self, name: &str, attributes: &BTreeSet<String>) -> String {
        if attributes.contains(name) || self.defines(name) {
            self.uses_builtins.set(true);
            format!("_builtins.{name}")
        } else {
            name.to_owned()
        }
    }

    /// Whether some text asked for the module of builtins.
    pub(super) fn uses_builtins(&self) -> bool {
        self.uses_builtins.get()
    }

    /// Whether the name is a class of this very file.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// The attribute that holds a field of a contract: not the name of a class beside it, whose annotations it would
    /// hide. The same in both forms.
    pub(super) fn attribute(&self, id: ContractId, field: &str) -> String {
        let name = match self.catalog.get(id).body {
            Body::Message(_) => names::message_field(field),
            _ => names::field(field),
        };
        self.unhidden(id, name)
    }

    /// The same for a field of a C struct.
    pub(super) fn abi_attribute(&self, id: ContractId, field: &str) -> String {
        self.unhidden(id, names::abi_field(field))
    }

    fn unhidden(&self, id: ContractId, mut name: String) -> String {
        let siblings = &self.known.classes[self.known.family(id)];
        while siblings.contains(&name) || ALIASES.contains(&name.as_str()) {
            name.push('_');
        }
        name
    }

    /// All attributes of a descriptor or of a recipe.
    pub(super) fn attributes(&self, id: ContractId) -> BTreeSet<String> {
        let names: Vec<&str> = match &self.catalog.get(id).body {
            Body::Descriptor(descriptor) => descriptor.fields.iter().map(|it| it.name.as_str()).collect(),
            Body::Recipe(recipe) => recipe.keys.iter().map(|it| it.name.as_str()).collect(),
            Body::Message(message) => message.fields().map(MessageField::name).collect(),
            _ => Vec::new(),
        };
        names.into_iter().map(|name| self.attribute(id, name)).collect()
    }

    fn reach(&self, id: ContractId, name: &str) -> String {
        match &self.classes[&id].module {
            Some(module) => format!("{module}.{name}"),
            None => name.to_owned(),
        }
    }
}

/// The classes of the variants of a union or of several messages, given its own.
fn variants(body: &Body, class: &str) -> Vec<String> {
    match body {
        Body::Union(union) => union.variants.iter().map(|it| names::variant(class, &it.name)).collect(),
        Body::Messages(it) => it.variants.iter().map(|it| names::variant(class, &it.member.name)).collect(),
        _ => Vec::new(),
    }
}

/// Local variables of one function: no two alike, and none that hides what the function uses.
pub(super) struct Locals<'s> {
    scope: &'s Scope<'s>,
    taken: BTreeSet<String>,
}

/// Builtins that the body of some generated function uses.
const BUILTINS: [&str; 16] = [
    "ArithmeticError",
    "LookupError",
    "bool",
    "bytes",
    "dict",
    "float",
    "int",
    "len",
    "list",
    "map",
    "memoryview",
    "object",
    "range",
    "str",
    "tuple",
    "type",
];

impl<'s> Locals<'s> {
    /// `used` are names the function uses besides those of its file.
    pub(super) fn new(scope: &'s Scope<'_>, used: &[&str]) -> Self {
        Locals { scope, taken: used.iter().map(|&name| name.to_owned()).collect() }
    }

    /// A variable called `name`, or `context` and `name`, or either with underscores behind.
    pub(super) fn add(&mut self, context: &str, name: &str) -> String {
        let mut candidate = name.to_owned();
        if self.is_taken(&candidate) && !context.is_empty() {
            candidate = format!("{context}_{name}");
        }
        while self.is_taken(&candidate) {
            candidate.push('_');
        }
        self.taken.insert(candidate.clone());
        candidate
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
            || self.scope.defines(name)
            || BUILTINS.contains(&name)
            || ALIASES.contains(&name)
            || names::is_keyword(name)
    }
}
