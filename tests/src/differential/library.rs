//! Documents in C: the library that `c-json` is compiled into, and a driver that links it.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use std::path::{Path, PathBuf};

use wirecontract_codegen::emit::{self, EmitInput, Family};
use wirecontract_codegen::model::{Body, ContractId};
use wirecontract_codegen::names::c as names;

use super::c::main_source;
use super::messages;
use super::rust::Rust;
use super::toolchain::Machine;
use super::workbench::write;

/// The input with a library in every package.
pub(super) fn with_library<'a>(input: &EmitInput<'a>) -> EmitInput<'a> {
    let mut input = input.clone();
    input.families.iter_mut().for_each(|family| family.package.documents = true);
    input
}

/// Writes headers and library into the folder, compiles the library and gives the folder that it is in.
pub(super) fn build(input: &EmitInput<'_>, rust: &Rust, folder: &Path, machine: Machine) -> PathBuf {
    for emitter in [emit::c::emit, emit::cpp::emit, emit::documents::emit] {
        for artifact in emitter(input).expect("every target takes the contracts") {
            write(&folder.join(artifact.path), &artifact.body);
        }
    }
    let families: Vec<&Family> = documents(input).collect();
    let prefix = &families[0].package.c_prefix;
    let layouts = families.iter().map(|family| format!("documents::{}::LAYOUT", family.name));
    let layouts = layouts.collect::<Vec<_>>().join(", ");
    write(&folder.join("src/lib.rs"), &LIBRARY.replace("@PREFIX@", prefix).replace("@LAYOUTS@", &layouts));
    let mut modules = std::fs::read_to_string(folder.join("rust/mod.rs")).expect("it was written");
    // A test looks at what nobody else may see.
    modules = modules.replace("\nmod ", "\npub(crate) mod ");
    write(&folder.join("rust/mod.rs"), &modules);
    rust.build_library(folder, machine)
}

/// The families with recipes or unions.
pub(super) fn documents<'i>(input: &'i EmitInput<'_>) -> impl Iterator<Item = &'i Family> {
    input.selected_families().filter(|family| family.contracts.iter().any(|&id| is_document(input, id)))
}

/// Whether it is a recipe or a union.
pub(super) fn is_document(input: &EmitInput<'_>, id: ContractId) -> bool {
    input.catalog.get(id).is_document()
}

const LIBRARY: &str = r#"//! What a C program reads documents with.
#![allow(missing_docs)]

use std::ffi::c_char;

use wirecontract::export::{COwnedBytes, free};

#[path = "../rust/mod.rs"]
mod documents;

#[unsafe(export_name = "@PREFIX@_bytes_free")]
unsafe extern "C" fn bytes_free(bytes: *mut COwnedBytes) -> i32 {
    match unsafe { free(bytes) } {
        Ok(()) => 0,
        Err(failure) => failure.code() as i32,
    }
}

/// Whether a struct, or a member of it, is where C has it; 2 where nothing of it is known.
#[unsafe(no_mangle)]
unsafe extern "C" fn layout_is(name: *const c_char, member: *const c_char, number: usize) -> i32 {
    let text = |text: *const c_char| unsafe { std::ffi::CStr::from_ptr(text) }.to_str().unwrap();
    let (name, member) = (text(name), text(member));
    let all: [&[(&str, &str, usize)]; _] = [@LAYOUTS@];
    match all.iter().flat_map(|all| all.iter()).find(|(a, b, _)| (*a, *b) == (name, member)) {
        Some((_, _, found)) => i32::from(*found == number),
        None => 2,
    }
}
"#;

/// Names and texts of the driver's files.
pub(super) fn sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    let mut files = vec![("driver.h".to_owned(), include_str!("driver.h").to_owned())];
    let is_read = |id| is_document(input, id) || input.catalog.document_of(id).is_some();
    let families = input.selected_families();
    let families: Vec<&Family> =
        families.filter(|family| family.contracts.iter().any(|&id| is_read(id))).collect();
    for (index, family) in families.iter().enumerate() {
        files.push((format!("family_{index}.c"), family_source(input, family, index)));
    }
    files.push(("main.c".to_owned(), format!("#define DRIVER_DOCUMENTS 1\n{}", main_source(families.len()))));
    files
}

fn family_source(input: &EmitInput<'_>, family: &Family, index: usize) -> String {
    let mut text = format!("#include <{}>\n#include \"driver.h\"\n\n{HEAD}", names::header(family));
    let mut table = String::new();
    for &id in family.contracts.iter().filter(|&&id| is_document(input, id)) {
        let contract = input.catalog.get(id);
        text += &HANDLER
            .replace("@ID@", &id.0.to_string())
            .replace("@TYPE@", &names::type_name(&family.package, contract))
            .replace("@STEM@", &names::stem(&family.package, contract))
            .replace("@PREFIX@", &family.package.c_prefix)
            .replace("@PLACES@", &places(input, family, id));
        table += &format!("    {{\"{}\", handle_{}}},\n", contract.name, id.0);
    }
    let (messages, lines) = messages::c::handlers(input, family, true);
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

/// Compares where the members of a struct stand.
fn places(input: &EmitInput<'_>, family: &Family, id: ContractId) -> String {
    let contract = input.catalog.get(id);
    let ty = names::type_name(&family.package, contract);
    let members: Vec<String> = match &contract.body {
        Body::Recipe(recipe) => recipe.keys.iter().map(names::key_member).collect(),
        _ => vec!["tag".to_owned()],
    };
    let place = |member: String| format!("    place(\"{ty}\", \"{member}\", offsetof({ty}, {member}));\n");
    members.into_iter().map(place).collect()
}

const HEAD: &str = r#"int layout_is(const char *name, const char *member, size_t number);

static void place(const char *name, const char *member, size_t number) {
    if (layout_is(name, member, number) != 1) {
        fprintf(stderr, "%s.%s is at %zu in C, and elsewhere in the library\n", name, member, number);
        exit(1);
    }
}

static void refuse(wc_status status, const wc_error *error) {
    char message[4096];
    if (status != error->code) {
        puts("the status is not the error's");
        return;
    }
    wc_error_message(error, message, sizeof message);
    printf("err %d %s %s %llu %s", (int)status, error->contract, *error->field ? error->field : "-",
           (unsigned long long)error->offset, message);
}

static bool is_zero(const void *bytes, size_t count) {
    const uint8_t *at = (const uint8_t *)bytes;
    while (count > 0 && at[count - 1] == 0) {
        count--;
    }
    return count == 0;
}

/* Whether a fault of an argument says these; the address where it is wrong stands behind `found`. */
static bool says(const wc_error *error, wc_status code, const char *field, const char *expected, const char *found) {
    return error->code == code && strcmp(error->field, field) == 0 && strcmp(error->expected, expected) == 0 &&
           error->found.kind == WC_FOUND_TEXT && strncmp(error->found.text, found, strlen(found)) == 0;
}

#define ALIGNED "a pointer aligned to 8"
#define AT "one that is at 0x"
#define OWN "memory of its own: the call writes there"

"#;

/// What is filled first is to see that nothing of it is left.
const HANDLER: &str = r#"static void refused_@ID@(void) {
    union {
        @TYPE@ value;
        wc_arena arena;
        wc_faults faults;
        wc_owned_bytes json;
        char bytes[sizeof(@TYPE@) + 64];
    } all;
    wc_arena arena;
    wc_faults faults;
    wc_owned_bytes json;
    wc_error error;
    wc_str document = {"{}", 2};
    bool is_refused = true;
    memset(&all, 0xa5, sizeof all);
    memset(&arena, 0xa5, sizeof arena);
    memset(&faults, 0xa5, sizeof faults);
    is_refused = is_refused && @STEM@_from_json(document, &all.value, (wc_arena *)(all.bytes + sizeof all - 15), &error) != 0 &&
                 says(&error, WC_STATUS_WRONG_TYPE, "arena", ALIGNED, AT) && is_zero(&all.value, sizeof all.value);
    is_refused = is_refused && @STEM@_from_json_lenient(document, &all.value, &arena, &all.faults, &error) != 0 &&
                 says(&error, WC_STATUS_RULE_VIOLATED, "faults", OWN, "memory that overlaps `value`") && arena.id == 0;
    memset(&all, 0xa5, sizeof all);
    document.data = all.bytes;
    is_refused = is_refused && @STEM@_from_json_lenient(document, &all.value, &arena, &faults, &error) != 0 &&
                 says(&error, WC_STATUS_RULE_VIOLATED, "value", OWN, "memory that overlaps `json`") &&
                 is_zero(&faults, sizeof faults) && all.bytes[0] == (char)0xa5;
    memset(&json, 0xa5, sizeof json);
    is_refused = is_refused && @STEM@_to_json(&all.value, &all.json, &error) != 0 &&
                 says(&error, WC_STATUS_RULE_VIOLATED, "json", OWN, "memory that overlaps `value`") &&
                 all.bytes[0] == (char)0xa5;
    if (_Alignof(@TYPE@) > 1) {
        is_refused = is_refused && @STEM@_to_json((const @TYPE@ *)(all.bytes + 1), &json, &error) == WC_STATUS_WRONG_TYPE &&
                     is_zero(&json, sizeof json);
    }
    if (!is_refused) {
        fprintf(stderr, "@STEM@: what cannot be written to is not refused: %s.%s, %s, %s\n", error.contract, error.field,
                error.expected, error.found.text);
        exit(1);
    }
}

static void handle_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    static bool placed;
    @TYPE@ value;
    wc_arena arena, copy;
    wc_owned_bytes json, again;
    wc_faults faults;
    wc_error error, checked;
    wc_status status;
    wc_str document;
    if (!placed) {
        place("@TYPE@", "", sizeof value);
@PLACES@        refused_@ID@();
        placed = true;
    }
    document.data = (const char *)bytes;
    document.length = length;
    memset(&value, 0xa5, sizeof value);
    memset(&arena, 0xa5, sizeof arena);
    faults.count = 0;
    if (*operation == 'l') {
        status = @STEM@_from_json_lenient(document, &value, &arena, &faults, &error);
    } else {
        status = @STEM@_from_json(document, &value, &arena, &error);
    }
    if (status != 0) {
        refuse(status, &error);
        if (!is_zero(&value, sizeof value) || arena.id != 0) {
            put(" and something is left");
        }
        put("\n");
        return;
    }
    if (*operation == 'i') {
        status = @STEM@_validate_import(&value, (size_t)atoi(operation + 1), &error);
        if (status == 0) {
            put("ok");
        } else {
            refuse(status, &error);
        }
    } else {
        put("ok ");
        status = @STEM@_to_json(&value, &json, &error);
        /* The header sees no more of JSON than its UTF-8, and no document as a whole. */
        if (@STEM@_check(&value, &checked) != 0 && status == 0) {
            put("(the header refuses it) ");
        }
        if (status == 0) {
            put_hex(json.data, json.length);
            again = json;
            if (json.data[json.length] != 0 || @PREFIX@_bytes_free(&json) != 0 || json.id != 0 ||
                @PREFIX@_bytes_free(&json) != 0 || @PREFIX@_bytes_free(&again) != WC_STATUS_BAD_HANDLE) {
                put(" freed otherwise");
            }
        } else {
            put("unwritten ");
            refuse(status, &error);
        }
        for (size_t i = 0; i < faults.count; i++) {
            put(" | ");
            refuse(faults.items[i].code, &faults.items[i]);
        }
    }
    copy = arena;
    if (@PREFIX@_arena_free(&arena) != 0 || arena.id != 0 || @PREFIX@_arena_free(&arena) != 0 ||
        @PREFIX@_arena_free(&copy) != WC_STATUS_BAD_HANDLE) {
        put(" freed otherwise");
    }
    put("\n");
}

"#;
