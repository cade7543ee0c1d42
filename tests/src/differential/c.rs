//! The C driver: a source file for each family, printing every field by its member.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::{EmitInput, Family, PackageConfig};
use wirecontract_codegen::interpret::has_prefix;
use wirecontract_codegen::model::{Body, ContractId, Descriptor, Element, Field, Role, Scalar, TailItem};
use wirecontract_codegen::names::c as names;

use super::messages;
use super::probe::{Change, probes};

/// Names and texts of the files; `driver.h` is among them.
pub(super) fn sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    let mut files = vec![("driver.h".to_owned(), include_str!("driver.h").to_owned())];
    let families: Vec<&Family> = input.selected_families().collect();
    for (index, family) in families.iter().enumerate() {
        files.push((format!("family_{index}.c"), family_source(input, family, index)));
    }
    files.push(("main.c".to_owned(), main_source(families.len())));
    files
}

/// The file that ties the tables of the families together.
pub(super) fn main_source(families: usize) -> String {
    let tables: Vec<String> = (0..families).map(|index| format!("family_{index}")).collect();
    let declarations: Vec<String> =
        tables.iter().map(|table| format!("extern const driver_entry {table}[];")).collect();
    format!(
        "#define DRIVER_MAIN\n#include \"driver.h\"\n\n{}\n\nint main(void) {{\n    \
         const driver_entry *const tables[] = {{{}, NULL}};\n    return driver_run(tables);\n}}\n",
        declarations.join("\n"),
        tables.join(", ")
    )
}

fn family_source(input: &EmitInput<'_>, family: &Family, index: usize) -> String {
    let mut text = format!("#include <{}>\n#include \"driver.h\"\n\n", names::header(family));
    let mut table = String::new();
    let (messages, lines) = messages::c::handlers(input, family, false);
    for id in with_nested(input, family) {
        text += &print_function(input, id);
    }
    for &id in &family.contracts {
        let contract = input.catalog.get(id);
        if matches!(contract.body, Body::Descriptor(_)) {
            text += &handler(input, &family.package, id);
            table += &format!("    {{\"{}\", handle_{}}},\n", contract.name, id.0);
        }
    }
    if !lines.is_empty() {
        text += messages::c::HEAD;
        text += &messages;
        table += &lines;
    }
    format!(
        "{text}extern const driver_entry family_{index}[];\nconst driver_entry family_{index}[] = {{\n{table}    \
         {{NULL, NULL}},\n}};\n"
    )
}

/// The family's descriptors, those in its messages, and all they nest; nested ones first.
pub(super) fn with_nested(input: &EmitInput<'_>, family: &Family) -> Vec<ContractId> {
    fn add(input: &EmitInput<'_>, id: ContractId, list: &mut Vec<ContractId>) {
        let descriptor = match &input.catalog.get(id).body {
            Body::Descriptor(descriptor) => descriptor,
            Body::Message(message) => {
                message.parts.iter().for_each(|part| add(input, part.contract, list));
                if let Some(TailItem::Descriptor(item)) = message.tail.as_ref().map(|tail| tail.item) {
                    add(input, item, list);
                }
                return;
            }
            Body::Messages(messages) => {
                let held = messages.variants.iter().filter_map(|variant| variant.holds.message());
                held.for_each(|message| add(input, message, list));
                return;
            }
            _ => return,
        };
        for field in &descriptor.fields {
            if let Element::Descriptor(nested) = field.ty.element {
                add(input, nested, list);
            }
        }
        if !list.contains(&id) {
            list.push(id);
        }
    }
    let mut list = Vec::new();
    for &id in &family.contracts {
        add(input, id, &mut list);
    }
    list
}

/// Whether the field is in the tree.
pub(super) fn is_shown(field: &Field) -> bool {
    !matches!(field.role, Role::Magic(_) | Role::Reserved { .. })
}

fn print_function(input: &EmitInput<'_>, id: ContractId) -> String {
    let contract = input.catalog.get(id);
    let descriptor = contract.descriptor();
    let ty = names::type_name(&input.family_of(id).package, contract);
    let mut text = format!("static void print_{}(const {ty} *v) {{\n    (void)v;\n    put(\"{{\");\n", id.0);
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
    let place = format!("v->{}", names::member(field));
    let length = |dims: &[u32]| match (descriptor.count_of(index), dims.len() == field.ty.dims.len()) {
        (Some(counter), true) => format!("(size_t)v->{}", names::member(&descriptor.fields[counter])),
        _ => dims[0].to_string(),
    };
    if field.role == Role::Text {
        return format!("    put_text({place}, strlen({place}));\n");
    }
    print_array(input, field, &field.ty.dims, &place, &length)
}

fn print_array(
    input: &EmitInput<'_>,
    field: &Field,
    dims: &[u32],
    place: &str,
    length: &dyn Fn(&[u32]) -> String,
) -> String {
    let [_, inner @ ..] = dims else {
        return print_element(input, field.ty.element, place);
    };
    let count = length(dims);
    if field.ty.element == Element::Scalar(Scalar::U8) && field.ty.dims.len() == 1 {
        return format!("    put_bytes({place}, {count});\n");
    }
    let i = format!("i{}", inner.len());
    let item = print_array(input, field, inner, &format!("{place}[{i}]"), length);
    format!(
        "    put(\"[\");\n    for (size_t {i} = 0; {i} < {count}; ++{i}) {{\n    if ({i}) put(\",\");\n{item}    }}\n    put(\"]\");\n"
    )
}

fn print_element(input: &EmitInput<'_>, element: Element, place: &str) -> String {
    let scalar = match element {
        Element::Descriptor(nested) => return format!("    print_{}(&{place});\n", nested.0),
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. } | Element::Flags { contract } => {
            input.catalog.get(contract).repr()
        }
    };
    match scalar {
        Scalar::Bool => format!("    put({place} ? \"true\" : \"false\");\n"),
        Scalar::F32 => format!("    put_f32(&{place});\n"),
        Scalar::F64 => format!("    put_f64(&{place});\n"),
        _ if scalar.is_signed() => format!("    put_signed((long long){place});\n"),
        _ => format!("    put_unsigned((unsigned long long){place});\n"),
    }
}

fn handler(input: &EmitInput<'_>, package: &PackageConfig, id: ContractId) -> String {
    let contract = input.catalog.get(id);
    let grows = contract.descriptor().growth.is_some();
    let (functions, newer) = if grows { (VERSIONS, READ_OR_NEWER) } else { ("", "") };
    let versions = if grows { "versions_@ID@(operation, bytes, length);" } else { "puts(\"-\");" };
    let prefix =
        if has_prefix(contract.descriptor()) { READ_PREFIX } else { "puts(\"-\");\n        return;" };
    (functions.to_owned() + HANDLER)
        .replace("@OTHER@", other_versions(contract.descriptor()))
        .replace("@VERSIONS@", versions)
        .replace("@NEWER@", newer)
        .replace("@PREFIX@", prefix)
        .replace("@ID@", &id.0.to_string())
        .replace("@TYPE@", &names::type_name(package, contract))
        .replace("@STEM@", &names::stem(package, contract))
        .replace("@SIZE@", &format!("{}_SIZE", names::constant_stem(package, contract)))
        .replace("@PROBES@", &probe_cases(input, id))
}

/// What asks for another version than the newest, which one that does not grow has not.
pub(super) fn other_versions(descriptor: &Descriptor) -> &'static str {
    if descriptor.growth.is_some() {
        "*operation == 'o' || *operation == 'v'"
    } else {
        "*operation == 'o' || *operation == 'v' || *operation == 'n'"
    }
}

fn probe_cases(input: &EmitInput<'_>, id: ContractId) -> String {
    let mut cases = String::new();
    for (number, probe) in probes(input.catalog, id).iter().enumerate() {
        let place = probe.place(input.catalog, |descriptor, index| names::member(&descriptor.fields[index]));
        let change = match probe.change {
            Change::Count(count) => format!("{place} = UINT64_C({count})"),
            Change::Number(number) if number < 0 => format!("{place} = INT64_C({number})"),
            Change::Number(number) => format!("{place} = UINT64_C({number})"),
            Change::Text(byte) => format!("memset({place}, {byte}, sizeof {place})"),
        };
        cases += &format!("        case {number}: {change}; break;\n");
    }
    cases
}

const READ_PREFIX: &str = "status = @STEM@_read_prefix(bytes, length, &v, &error);";

const READ_OR_NEWER: &str = " else if (*operation == 'n') {
        status = @STEM@_read_or_newer(bytes, length, &v, &error);
    }";

/// Says the version, or writes the value as one has it: no byte behind those, and none at all when it is refused.
const VERSIONS: &str = r#"static void versions_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    uint8_t out[@SIZE@], untouched[@SIZE@];
    char message[512];
    wc_error error;
    @TYPE@ v;
    uint32_t version = 0;
    size_t written = 0;
    wc_status status;
    memset(out, 0xa5, sizeof out);
    memset(untouched, 0xa5, sizeof untouched);
    if (*operation == 'o') {
        status = @STEM@_version_of(bytes, length, &version, &error);
    } else {
        version = (uint32_t)strtoul(operation + 1, NULL, 10);
        status = @STEM@_read(bytes, length, &v, &error);
        if (status == 0) {
            status = @STEM@_write_version(&v, version, out, sizeof out, &written, &error);
        }
    }
    if (memcmp(out + written, untouched, sizeof out - written) != 0) {
        puts("more is written than said");
        return;
    }
    if (status != 0) {
        wc_error_message(&error, message, sizeof message);
        put_refusal((int)status, error.contract, error.field, error.offset, message);
        return;
    }
    if (*operation == 'o') {
        printf("ok %lu\n", (unsigned long)version);
        return;
    }
    put("ok - ");
    put_hex(out, written);
    put("\n");
}

"#;

/// What is filled first is to see that a reader writes every member.
const HANDLER: &str = r#"static void handle_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    uint8_t out[@SIZE@];
    char message[512];
    wc_error error, again;
    @TYPE@ v;
    wc_status status;
    if (@OTHER@) {
        @VERSIONS@
        return;
    }
    memset(&v, 0xa5, sizeof v);
    memset(out, 0xa5, sizeof out);
    if (*operation == 'p') {
        @PREFIX@
    }@NEWER@ else {
        status = @STEM@_read(bytes, length, &v, &error);
        if (@STEM@_validate(bytes, length, &again) != status ||
            (status != 0 && (strcmp(again.contract, error.contract) != 0 ||
                                 strcmp(again.field, error.field) != 0 || again.offset != error.offset))) {
            puts("validate says otherwise than read");
            return;
        }
    }
    if (status == 0 && *operation == 'i') {
        status = @STEM@_validate_import(&v, &error);
        if (status == 0) {
            puts("ok");
            return;
        }
    }
    if (status == 0 && *operation == 'w') {
        switch (atoi(operation + 1)) {
@PROBES@        default: puts("-"); return;
        }
    }
    if (status == 0) {
        status = @STEM@_write(&v, out, *operation == 's' ? sizeof out - 1 : sizeof out, &error);
    }
    if (status != 0) {
        if (status != error.code) {
            puts("the status is not the error's");
            return;
        }
        wc_error_message(&error, message, sizeof message);
        put_refusal((int)status, error.contract, error.field, error.offset, message);
        return;
    }
    put("ok ");
    if (*operation == 'w') {
        put("-");
    } else {
        print_@ID@(&v);
    }
    put(" ");
    put_hex(out, sizeof out);
    put("\n");
}

"#;
