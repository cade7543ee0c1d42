//! What is called how: in Python as the pure modules have it, in Rust so that nothing else has the name.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::EmitInput;
use crate::model::{Body, Contract, ContractId};
use crate::names::python;

/// Names that the pure modules have for themselves, and that no attribute of theirs is called by.
const ALIASES: [&str; 26] = [
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

/// What is known of all contracts before any file is written.
pub(super) struct Names {
    /// The classes of the pure module that has a contract.
    siblings: BTreeMap<ContractId, usize>,
    classes: Vec<BTreeSet<String>>,
}

impl Names {
    pub(super) fn new(input: &EmitInput<'_>) -> Self {
        let mut names = Names { siblings: BTreeMap::new(), classes: Vec::new() };
        for (index, family) in input.families.iter().enumerate() {
            names.siblings.extend(family.contracts.iter().map(|&id| (id, index)));
            let classes = family.contracts.iter().flat_map(|&id| classes(input.catalog.get(id)));
            names.classes.push(classes.collect());
        }
        names
    }

    /// The attribute that holds a field: not the name of a class of the same module.
    pub(super) fn attribute(&self, id: ContractId, field: &str) -> String {
        let siblings = &self.classes[self.siblings[&id]];
        let mut name = python::field(field);
        while siblings.contains(&name) || ALIASES.contains(&name.as_str()) {
            name.push('_');
        }
        name
    }
}

/// The classes of a contract and of its variants.
fn classes(contract: &Contract) -> Vec<String> {
    let class = python::class(&contract.name);
    let variants: Vec<&String> = match &contract.body {
        Body::Union(union) => union.variants.iter().map(|it| &it.name).collect(),
        Body::Messages(messages) => messages.variants.iter().map(|it| &it.member.name).collect(),
        _ => Vec::new(),
    };
    let variants = variants.into_iter().map(|name| python::variant(&class, name)).collect::<Vec<_>>();
    variants.into_iter().chain([class]).collect()
}

/// The struct that is a contract's class, in the module of its family.
pub(super) fn class(input: &EmitInput<'_>, id: ContractId) -> String {
    identifier(&input.catalog.get(id).name)
}

/// The module that has a contract's class, as that of another contract reaches it; empty of the same.
pub(super) fn module(input: &EmitInput<'_>, from: ContractId, id: ContractId) -> String {
    let [from, to] = [from, id].map(|id| {
        let family = input.family_of(id);
        (&family.package.package, &family.name)
    });
    if from == to { String::new() } else { format!("super::{}::", identifier(to.1)) }
}

/// The static that says what stands where in a descriptor.
pub(super) fn layout(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("LAYOUT_{}", input.catalog.get(id).name)
}

/// The static with the members of an enumeration or of flags; each file has its own.
pub(super) fn values(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("VALUES_{}_{}", input.family_of(id).name, input.catalog.get(id).name)
}

/// The path of the declared type.
pub(super) fn path(contract: &Contract) -> String {
    let words = contract.module.split("::").chain([contract.name.as_str()]);
    let words: Vec<String> = words.map(identifier).collect();
    format!("::{}", words.join("::"))
}

/// A name as it is written in Rust.
pub(in crate::emit) fn identifier(name: &str) -> String {
    const KEYWORDS: &str = " as break const continue else enum extern false fn for if impl in let loop match mod move \
                            mut pub ref return static struct trait true type unsafe use where while async await dyn \
                            abstract become box do final macro override priv typeof unsized virtual yield try gen ";
    if KEYWORDS.contains(&format!(" {name} ")) { format!("r#{name}") } else { name.to_owned() }
}
