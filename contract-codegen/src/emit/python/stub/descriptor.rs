//! The class of a descriptor.

use super::super::construct::{self, is_kept};
use super::super::descriptor::{class_docs, field_docs};
use super::super::scope::Scope;
use super::super::text::{bytes, statement};
use super::super::types::kept;
use super::class::{Class, Method, Methods};
use super::{constant, constants, match_args};
use crate::counted;
use crate::model::{ContractId, Role};

pub(super) fn class(scope: &Scope<'_>, id: ContractId) -> Class {
    let contract = scope.catalog.get(id);
    let descriptor = contract.descriptor();
    let inside = scope.attributes(id);
    let methods = Methods { scope, class: scope.class(id), inside: inside.clone() };
    let names: Vec<String> = descriptor
        .fields
        .iter()
        .filter(|field| is_kept(field))
        .map(|field| scope.attribute(id, &field.name))
        .collect();

    let mut written = vec![constant("WIRE_SIZE", &descriptor.size.to_string())];
    if descriptor.growth.is_some() {
        let (tuple, int) = (methods.builtin("tuple"), methods.builtin("int"));
        let line = format!("WIRE_SIZES: _typing.ClassVar[{tuple}[{int}, ...]]");
        written.push(statement(4, &line));
    }
    written.extend(constants(scope, id, &inside));
    written.push(match_args(&names));
    let mut members = Vec::new();
    for field in &descriptor.fields {
        let name = scope.attribute(id, &field.name);
        match &field.role {
            Role::Magic(value) => {
                written.push(constant(&name, &bytes(value)));
                written.push(field_docs(scope, id, field, 4, "always this, "));
            }
            Role::LengthOf(targets) => {
                let target = scope.attribute(id, &descriptor.fields[targets[0]].name);
                let docs = field_docs(scope, id, field, 8, &format!("the length of `{target}`, "));
                members.push(methods.property(&name, &methods.builtin("int"), docs));
            }
            _ if is_kept(field) => {
                let docs = field_docs(scope, id, field, 8, "");
                members.push(methods.property(&name, &kept(scope, field, &inside), docs));
            }
            _ => {}
        }
    }
    let arguments = construct::arguments(scope, id);
    members.insert(0, methods.constructor(&arguments, construct::DOCS));
    members.extend(readers(&methods, descriptor.growth.is_some(), descriptor.version_field().is_some()));
    members.extend(writers(&methods, descriptor.size, descriptor.growth.is_some()));
    members.extend(methods.value(&arguments));
    Class {
        head: format!("{}(_Bytes)", scope.class(id)),
        is_final: true,
        docstring: class_docs(contract),
        constants: written,
        methods: members,
    }
}

fn readers(methods: &Methods<'_, '_>, grows: bool, has_version: bool) -> Vec<Method> {
    let data = [format!("data: {}", methods.scope.wire("Buffer"))];
    let read = |name: &str, docs: &str| methods.function(name, &data, &methods.class, docs);
    let pair = format!("{}[{}, {}]", methods.builtin("tuple"), methods.class, methods.builtin("memoryview"));
    let prefix = |docs: &str| methods.function("read_prefix", &data, &pair, docs);
    if !grows {
        return vec![
            read("from_bytes", "The value that exactly these bytes hold; `WireError` where they do not."),
            prefix(
                "The value at the start of the bytes, and a view of what is behind it;\n`WireError` where there is none.",
            ),
        ];
    }
    let mut readers = vec![
        read(
            "from_bytes",
            "The value that exactly these bytes hold, which are of any version so far;\n`WireError` where they hold none.",
        ),
        read("from_bytes_or_newer", "As `from_bytes`, and of a newer version as much as is known of it."),
    ];
    if has_version {
        readers.push(prefix(
            "The value at the start of the bytes, as long as its version is, and a view\nof what is behind it; `WireError` where there is none.",
        ));
    }
    readers.push(methods.function(
        "version_of",
        &data,
        &methods.builtin("int"),
        "The version that bytes are of; nothing but length, magic and version is\nlooked at. `WireError` where these say none.",
    ));
    readers
}

fn writers(methods: &Methods<'_, '_>, size: u32, grows: bool) -> Vec<Method> {
    let size = counted::bytes(size);
    let bytes = methods.builtin("bytes");
    let write = if grows {
        let version = format!("version: {} | None = None", methods.builtin("int"));
        let docs = format!(
            "The value's {size}, or those that an older version has: `WireError`\nwhere a field that it has not is other than its default."
        );
        Methods::method("to_bytes", &[version], &bytes, &docs)
    } else {
        Methods::method("to_bytes", &[], &bytes, &format!("The value's {size}."))
    };
    vec![
        write,
        Methods::method(
            "validate_import",
            &[],
            "None",
            "Check what an importer has to hold; `WireError` where it does not.",
        ),
    ]
}
