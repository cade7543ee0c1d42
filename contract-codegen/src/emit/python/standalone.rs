//! The file that holds all of a package, to vendor.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Environment, context};

use super::module::{all, class_texts, classes_of, import, module_imports, reachable};
use super::scope::{Class, Form, Names, Scope};
use super::text::docstring;
use super::wire::{Half, Needs};
use super::{message, render, wire};
use crate::emit::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::model::{Body, Contract, ContractId};
use crate::names::python as names;

/// Builtins that the text of `_wire.py` or of a class uses.
const BUILTINS: [&str; 54] = [
    "ArithmeticError",
    "AssertionError",
    "BufferError",
    "Exception",
    "ImportError",
    "LookupError",
    "NotImplemented",
    "NotImplementedError",
    "OverflowError",
    "RecursionError",
    "TypeError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "ValueError",
    "ZeroDivisionError",
    "abs",
    "all",
    "any",
    "bool",
    "bytearray",
    "bytes",
    "chr",
    "dict",
    "enumerate",
    "float",
    "frozenset",
    "getattr",
    "hash",
    "hex",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "ord",
    "property",
    "range",
    "repr",
    "reversed",
    "set",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
];

/// The file that holds all families of a package, what they nest, and `_wire`.
pub(super) fn standalone(
    environment: &Environment<'_>,
    input: &EmitInput<'_>,
    known: &Names,
    package: &str,
    families: &[&Family],
    has_library: bool,
) -> Result<Artifact, Vec<EmitError>> {
    let catalog = input.catalog;
    let own: Vec<ContractId> = families.iter().flat_map(|family| family.contracts.iter().copied()).collect();
    let contracts = reachable(catalog, &own);
    let bodies = || contracts.iter().map(|&id| catalog.get(id));
    let has_messages = bodies().any(|contract| message::is_message(&contract.body));
    let half = if bodies().any(Contract::is_document) {
        Half::Json
    } else if has_messages
        || bodies().any(|contract| !contract.rules().is_empty() || !contract.conditions().is_empty())
    {
        Half::Rules
    } else {
        Half::Bytes
    };
    let has_abi = bodies().any(|contract| matches!(contract.body, Body::Abi(_)));
    let has_growth = bodies().any(
        |contract| matches!(&contract.body, Body::Descriptor(descriptor) if descriptor.growth.is_some()),
    );
    let wire_text = wire::text(environment, Needs { half, has_abi, has_growth, has_messages });
    let helpers = helpers(&wire_text);
    // A class `magic` would have a check that is called like the one of `_wire`.
    let companions = helpers.iter().filter_map(|helper| helper.split_once('_')).map(|(_role, name)| name);
    let mut uses: BTreeMap<String, usize> =
        wire::PUBLIC.into_iter().chain(BUILTINS).chain(companions).map(|name| (name.to_owned(), 1)).collect();
    for &id in &contracts {
        *uses.entry(names::class(&catalog.get(id).name)).or_default() += 1;
    }
    let classes = contracts
        .iter()
        .map(|&id| {
            let name = names::class(&catalog.get(id).name);
            // Two families may use one word, and a family one that `_wire` needs.
            let name = if uses[&name] > 1 {
                format!("{}{name}", camel(&input.families[known.family(id)].name))
            } else {
                name
            };
            (id, Class { module: None, name })
        })
        .collect();
    let scope = Scope::new(input, known, Form::Standalone, classes);
    let mut items = vec![private(&wire_text, &helpers)];
    items.extend(class_texts(environment, &scope, &contracts)?);
    let mut imports: Vec<String> = wire::imports(half);
    if has_messages {
        imports.extend(message::IMPORTS.into_iter().map(import));
    }
    imports.extend(module_imports(&scope, &contracts, &items));
    imports.sort();
    imports.dedup();
    let shown = wire::public(half).map(str::to_owned).chain(classes_of(&scope, &contracts));
    let docs = [
        format!("The wire contracts of {package}, in one file that needs only the standard library."),
        format!(
            "Copy it into your project as it is.{}",
            if has_library {
                " The functions of its library are not in it: they are in `library.py`."
            } else {
                ""
            }
        ),
    ];
    let body = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &[&docs[0], &docs[1]]),
            imports,
            all => all(shown),
            ids => [""; 0],
            items,
        },
    );
    let word: String = package.chars().map(|it| if it.is_alphanumeric() { it } else { '_' }).collect();
    Ok(Artifact {
        path: format!("python/standalone/{}.py", names::module(&word)),
        body,
        contracts,
        syntax: Syntax::Hash,
    })
}

/// The names of `_wire.py` that only generated code uses.
fn helpers(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(defined).filter(|name| !wire::PUBLIC.contains(name)).collect()
}

/// The text of `_wire.py` with an underscore before every helper.
fn private(text: &str, helpers: &BTreeSet<&str>) -> String {
    let mut result = String::with_capacity(text.len() + 512);
    let mut rest = text;
    // An attribute is another module's name.
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let word = &rest[..rest.find(|character| !is_word(character)).unwrap_or(rest.len())];
        if word.is_empty() {
            result.push(first);
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if helpers.contains(word) && before != '.' {
            result.push('_');
        }
        result.push_str(word);
        before = 'w';
        rest = &rest[word.len()..];
    }
    result
}

/// The public name that a line at the outermost level defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class ")).unwrap_or(line);
    let end = rest.find(|character: char| !(character.is_alphanumeric() || character == '_'))?;
    let defines = rest.len() < line.len() || rest[end..].starts_with(": ") || rest[end..].starts_with(" = ");
    (end > 0 && defines && !rest.starts_with('_')).then(|| &rest[..end])
}

/// `cuda_ipc` as `CudaIpc`.
fn camel(family: &str) -> String {
    family
        .split('_')
        .filter_map(|word| {
            let mut characters = word.chars();
            characters.next().map(|first| first.to_uppercase().chain(characters).collect::<String>())
        })
        .collect()
}
