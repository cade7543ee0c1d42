//! The C++ driver: a source file for each family, on the C++ structs and their accessors.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::{EmitInput, Family};
use wirecontract_codegen::interpret::has_prefix;
use wirecontract_codegen::model::{Body, ContractId, Descriptor, Element, Field, Role, Scalar};
use wirecontract_codegen::names::cpp as names;

use super::c::{is_shown, main_source, other_versions, with_nested};
use super::messages;
use super::probe::{Change, probes};

/// Names and texts of the files; `driver.h` is among them.
pub(super) fn sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    let mut files = vec![("driver.h".to_owned(), include_str!("driver.h").to_owned())];
    let families: Vec<&Family> = input.selected_families().collect();
    for (index, family) in families.iter().enumerate() {
        files.push((format!("family_{index}.cpp"), family_source(input, family, index)));
    }
    files.push(("main.cpp".to_owned(), main_source(families.len())));
    files
}

fn family_source(input: &EmitInput<'_>, family: &Family, index: usize) -> String {
    let mut text = format!("#include <{}>\n#include \"driver.h\"\n\n{HEAD}", names::header(family));
    let mut table = String::new();
    for id in with_nested(input, family) {
        text += &print_function(input, id);
    }
    for &id in &family.contracts {
        let contract = input.catalog.get(id);
        if matches!(contract.body, Body::Descriptor(_)) {
            text += &handler(input, id);
            table += &format!("    {{\"{}\", handle_{}}},\n", contract.name, id.0);
        }
    }
    let (messages, lines) = messages::cpp::handlers(input, family);
    if !lines.is_empty() {
        text += messages::cpp::HEAD;
        text += &messages;
        table += &lines;
    }
    format!(
        "{text}}} // namespace\n\nextern const driver_entry family_{index}[];\nconst driver_entry \
         family_{index}[] = {{\n{table}    {{nullptr, nullptr}},\n}};\n"
    )
}

/// The name of its C++ type, from the outermost namespace.
pub(super) fn path(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("::{}::{}", names::namespace(input.family_of(id)), names::type_name(input.catalog.get(id)))
}

fn print_function(input: &EmitInput<'_>, id: ContractId) -> String {
    let descriptor = input.catalog.get(id).descriptor();
    let ty = path(input, id);
    let mut text =
        format!("[[maybe_unused]] void print_{}(const {ty} &v) {{\n    (void)v;\n    put(\"{{\");\n", id.0);
    let shown = descriptor.fields.iter().enumerate().filter(|(_, field)| is_shown(field));
    for (position, (index, field)) in shown.enumerate() {
        let comma = if position > 0 { "," } else { "" };
        text += &format!("    put(\"{comma}\\\"{}\\\":\");\n", field.name);
        text += &print_field(input, descriptor, index);
    }
    text + "    put(\"}\");\n}\n\n"
}

fn print_field(input: &EmitInput<'_>, descriptor: &Descriptor, index: usize) -> String {
    let field = &descriptor.fields[index];
    let member = names::member(field);
    if field.role == Role::Text {
        return format!("    put_text(v.{member}().data(), v.{member}().size());\n");
    }
    // A counted array is asked for its valid elements, as a user would.
    let counted = descriptor.count_of(index).is_some();
    let place = if counted { format!("v.{member}()") } else { format!("v.{member}") };
    if field.ty.element == Element::Scalar(Scalar::U8) && field.ty.dims.len() == 1 {
        return format!("    put_bytes({place}.data(), {place}.size());\n");
    }
    print_array(input, field.ty.element, field.ty.dims.len(), &place)
}

fn print_array(input: &EmitInput<'_>, element: Element, rank: usize, place: &str) -> String {
    if rank == 0 {
        return print_element(input, element, place);
    }
    let item = format!("item{rank}");
    let inner = print_array(input, element, rank - 1, &item);
    format!(
        "    {{\n    const char *comma{rank} = \"\";\n    put(\"[\");\n    for (const auto &{item} : {place}) {{\n    \
         put(comma{rank});\n    comma{rank} = \",\";\n{inner}    }}\n    put(\"]\");\n    }}\n"
    )
}

fn print_element(input: &EmitInput<'_>, element: Element, place: &str) -> String {
    let (scalar, number) = match element {
        Element::Descriptor(nested) => return format!("    print_{}({place});\n", nested.0),
        Element::Scalar(scalar) => (scalar, place.to_owned()),
        Element::Enumeration { contract, .. } => (input.catalog.get(contract).repr(), place.to_owned()),
        Element::Flags { contract } => (input.catalog.get(contract).repr(), format!("{place}.bits()")),
    };
    match scalar {
        Scalar::Bool => format!("    put({number} ? \"true\" : \"false\");\n"),
        Scalar::F32 => format!("    put_f32(&{number});\n"),
        Scalar::F64 => format!("    put_f64(&{number});\n"),
        _ if scalar.is_signed() => format!("    put_signed(static_cast<long long>({number}));\n"),
        _ => format!("    put_unsigned(static_cast<unsigned long long>({number}));\n"),
    }
}

fn handler(input: &EmitInput<'_>, id: ContractId) -> String {
    let descriptor = input.catalog.get(id).descriptor();
    let grows = descriptor.growth.is_some();
    let (functions, newer) = if grows { (VERSIONS, FROM_BYTES_OR_NEWER) } else { ("", "") };
    let versions = if grows { "versions_@ID@(operation, {bytes, length});" } else { "puts(\"-\");" };
    let size = match descriptor.version_field() {
        Some(version) if grows => format!("T::wire_sizes[read->value.{} - 1]", names::member(version)),
        _ => "T::wire_size".to_owned(),
    };
    let prefix = if has_prefix(descriptor) { READ_PREFIX } else { "        puts(\"-\");\n        return;\n" };
    (functions.to_owned() + HANDLER)
        .replace("@OTHER@", other_versions(descriptor))
        .replace("@VERSIONS@", versions)
        .replace("@NEWER@", newer)
        .replace("@PREFIX@", prefix)
        .replace("@END@", &size)
        .replace("@ID@", &id.0.to_string())
        .replace("@TYPE@", &path(input, id))
        .replace("@PROBES@", &probe_cases(input, id))
}

fn probe_cases(input: &EmitInput<'_>, id: ContractId) -> String {
    let mut cases = String::new();
    for (number, probe) in probes(input.catalog, id).iter().enumerate() {
        let place = probe.place(input.catalog, place_of);
        let change = match probe.change {
            Change::Count(count) => format!("{place} = UINT64_C({count})"),
            Change::Text(byte) => format!("{place}.fill(static_cast<char>({byte}))"),
            Change::Number(_) => continue,
        };
        cases += &format!("        case {number}: {change}; break;\n");
    }
    cases
}

/// The member that holds what is on the wire.
fn place_of(descriptor: &Descriptor, index: usize) -> String {
    let field: &Field = &descriptor.fields[index];
    if field.role == Role::Text || descriptor.count_of(index).is_some() {
        names::array(field)
    } else {
        names::member(field)
    }
}

const HEAD: &str = r"namespace {

[[maybe_unused]] void refuse(const ::wirecontract::error &error) {
    put_refusal(static_cast<int>(error.code()), std::string(error.contract()).c_str(),
                std::string(error.field()).c_str(), error.offset(), error.message().c_str());
}

";

const READ_PREFIX: &str = r#"        const auto read = T::read_prefix({bytes, length});
        if (!read) {
            refuse(read.error());
            return;
        }
        const size_t size = @END@;
        if (read->rest.data() != bytes + size || read->rest.size() != length - size) {
            puts("the rest begins elsewhere");
            return;
        }
        v = read->value;
"#;

const FROM_BYTES_OR_NEWER: &str = " else if (*operation == 'n') {
        const auto read = T::from_bytes_or_newer({bytes, length});
        if (!read) {
            refuse(read.error());
            return;
        }
        v = *read;
    }";

/// Says the version, or writes the value as one has it.
const VERSIONS: &str = r#"void versions_@ID@(const char *operation, ::wirecontract::bytes_view bytes) {
    using T = @TYPE@;
    if (*operation == 'o') {
        const auto version = T::version_of(bytes);
        if (version) {
            printf("ok %lu\n", static_cast<unsigned long>(*version));
        } else {
            refuse(version.error());
        }
        return;
    }
    const auto read = T::from_bytes(bytes);
    if (!read) {
        refuse(read.error());
        return;
    }
    std::array<std::uint8_t, T::wire_size> out;
    const auto written = read->write_version(static_cast<std::uint32_t>(strtoul(operation + 1, nullptr, 10)), out);
    if (!written) {
        refuse(written.error());
        return;
    }
    put("ok - ");
    put_hex(out.data(), *written);
    put("\n");
}

"#;

const HANDLER: &str = r#"void handle_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    using T = @TYPE@;
    T v;
    if (@OTHER@) {
        @VERSIONS@
        return;
    }
    if (*operation == 's') {
        puts("-");
        return;
    }
    if (*operation == 'p') {
@PREFIX@    }@NEWER@ else {
        const auto read = T::from_bytes({bytes, length});
        if (!read) {
            refuse(read.error());
            return;
        }
        v = *read;
    }
    if (*operation == 'i') {
        const auto asked = v.validate_import();
        if (asked) {
            refuse(*asked);
        } else {
            puts("ok");
        }
        return;
    }
    if (*operation == 'w') {
        switch (atoi(operation + 1)) {
@PROBES@        default: puts("-"); return;
        }
    }
    const auto written = v.to_bytes();
    if (!written) {
        refuse(written.error());
        return;
    }
    put("ok ");
    if (*operation == 'w') {
        put("-");
    } else {
        print_@ID@(v);
    }
    put(" ");
    put_hex(written->data(), written->size());
    put("\n");
}

"#;
