//! A function of libwirecontract that fails leaves no result behind that looks like one: of a file descriptor -1, of
//! everything else zeros, whatever was there before. Every function of the headers is called, so that a new one is as well.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::repository;

/// A function of C, as its header has it.
struct Function {
    name: String,
    params: Vec<Param>,
}

/// A parameter.
struct Param {
    /// The type that it is, or points to.
    ty: String,
    role: Role,
}

/// What a parameter is for, as its comment says.
#[derive(Clone, PartialEq)]
enum Role {
    /// A value, or a pointer to what is read.
    Read(String),
    /// A place for a result, of so many objects (`1` but for bytes).
    Result { count: String, is_fd: bool },
    /// Places for so many results, which the next parameter counts.
    Results { is_fd: bool },
    /// A handle that is taken.
    Taken,
    /// The place for an error, which says the status.
    Error,
}

/// The functions of a header that give something.
fn functions(header: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (start, _) in header.match_indices("WC_API wc_status ") {
        let rest = &header[start + "WC_API wc_status ".len()..];
        let (name, params) = rest.split_once('(').expect("a prototype has parameters");
        let params = params.split_once(");").expect("a prototype ends").0;
        // What ends something gives nothing.
        if name.ends_with("_destroy") || name.ends_with("_free") {
            continue;
        }
        let comment = comment(&header[..start]);
        let declared: Vec<String> =
            params.split(',').map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let params: Vec<Param> = declared
            .iter()
            .enumerate()
            .map(|(at, it)| param(name, it, declared.get(at + 1), &comment))
            .collect();
        let gives = |param: &Param| matches!(param.role, Role::Result { .. } | Role::Results { .. });
        if params.iter().any(gives) {
            found.push(Function { name: name.to_owned(), params });
        }
    }
    found
}

/// The last comment before a prototype, in one line.
fn comment(before: &str) -> String {
    let start = before.rfind("/**").expect("every prototype has a comment");
    let lines = before[start..].lines().map(|line| line.trim_start_matches([' ', '*', '/']));
    lines.collect::<Vec<_>>().join(" ")
}

fn param(function: &str, declared: &str, next: Option<&String>, comment: &str) -> Param {
    let (declared, array) =
        declared.split_once('[').map_or((declared, None), |(it, size)| (it, size.strip_suffix(']')));
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (before, name) = declared.split_at(declared.trim_end_matches(is_name).len());
    let said = comment.split_once(&format!("`{name}`: ")).map_or("", |(_, said)| said);
    let said = said.split(" `").next().unwrap_or_default();
    let is_counted = next.is_some_and(|next| *next == format!("size_t {name}_length"));
    let pointer = before.trim_end().strip_suffix('*').map(str::trim_end);
    let is_read = pointer.is_some_and(|to| to.starts_with("const ") && !to.ends_with('*'))
        || pointer.is_none() && before.starts_with("const ");
    let read = |value: &str| Role::Read(value.to_owned());
    let (ty, role) = match (pointer, array) {
        (_, Some(size)) if !is_read => (before.trim(), Role::Result { count: size.to_owned(), is_fd: false }),
        (_, Some(_)) => (before.trim(), read("bad")),
        (Some("const char"), None) => ("char", read("\"\"")),
        (Some(to), None) if is_read && is_counted => (to, read("NULL")),
        // Of a struct that is written as a document, anything may be a value.
        (Some(to), None) if is_read && function.ends_with("_to_json") => (to, read("NULL")),
        // It has a function that is called wherever the call fails: zeros have none, and no tensor.
        (Some("const wc_tensor_export"), None) => ("wc_tensor_export", read("none")),
        (Some(to), None) if is_read => (to, read("bad")),
        (Some(to), None) if is_counted => (to, Role::Results { is_fd: to == "int32_t" }),
        (Some(to), None) if said.starts_with("taken and zeroed") => (to, Role::Taken),
        (Some(to), None) if said.starts_with("a pointer that is not looked at") => (to, read("NULL")),
        (Some("wc_error"), None) => ("wc_error", Role::Error),
        (Some(to), None) => {
            let is_document =
                ["_from_json", "_from_json_lenient", "_to_json"].iter().any(|end| function.ends_with(end));
            let is_fd = said.contains("-1 where there is none");
            let is_result = ["written; not NULL", "room for"].iter().any(|it| said.starts_with(it))
                || said.contains("the caller's")
                || is_fd;
            assert!(is_result || is_document, "{function}: what is `{name}` for? {said:?}");
            (to, Role::Result { count: "1".to_owned(), is_fd })
        }
        (None, None) => match before.trim() {
            "wc_str" => ("wc_str", read("WC_STR(\"x\")")),
            number @ ("int32_t" | "int64_t") => (number, read("-1")),
            number @ ("size_t" | "uint32_t" | "uint64_t" | "bool") => (number, read("0")),
            // A handle that is none, or the first value of an enumeration.
            other => (other, Role::Read(format!("({other}){{0}}"))),
        },
    };
    Param { ty: ty.to_owned(), role }
}

impl Function {
    /// A call of it that fails, and what is expected behind it. `missing` is the result whose place is missing or askew.
    fn call(&self, missing: Option<(usize, &str)>) -> String {
        let mut text = String::from("    {\n");
        let (mut arguments, mut expected) = (Vec::new(), String::new());
        let mut results = 0;
        for (at, Param { ty, role, .. }) in self.params.iter().enumerate() {
            match role {
                Role::Read(value) if value == "bad" || value == "none" => {
                    arguments.push(format!("(const void *){value}"));
                }
                Role::Read(value) => arguments.push(value.clone()),
                Role::Taken => {
                    let _ = writeln!(text, "        {ty} taken_{at} = {{0}};");
                    arguments.push(format!("&taken_{at}"));
                }
                Role::Error => {
                    let _ = writeln!(text, "        wc_error error_{at};");
                    arguments.push(format!("&error_{at}"));
                    let _ = writeln!(expected, "        EXPECT_ERROR(error_{at}.code == status);");
                }
                Role::Results { is_fd } => {
                    let _ = writeln!(text, "        place places_{at} = {{0}};\n        soil(&places_{at});");
                    arguments.push(format!("(void *)places_{at}.bytes"));
                    if *is_fd {
                        let _ = writeln!(
                            expected,
                            "        is_made_of(&places_{at}, 0, 2 * sizeof({ty}), 0xff, name);"
                        );
                    }
                }
                Role::Result { count, is_fd } => {
                    let byte = if *is_fd { "0xff" } else { "0" };
                    let start = match missing {
                        Some((index, "null")) if index == results => {
                            arguments.push("NULL".to_owned());
                            results += 1;
                            continue;
                        }
                        Some((index, _)) if index == results => 1,
                        _ => 0,
                    };
                    results += 1;
                    let _ = writeln!(text, "        place place_{at};\n        soil(&place_{at});");
                    arguments.push(format!("(void *)(place_{at}.bytes + {start})"));
                    let size = format!("{count} * sizeof({ty})");
                    let _ =
                        writeln!(expected, "        is_made_of(&place_{at}, {start}, {size}, {byte}, name);");
                }
            }
        }
        // How many there are places for.
        let counted: Vec<usize> = (1..self.params.len())
            .filter(|&at| matches!(self.params[at - 1].role, Role::Results { .. }))
            .collect();
        counted.into_iter().for_each(|at| "2".clone_into(&mut arguments[at]));
        let Function { name, .. } = self;
        let _ = writeln!(text, "        const char *name = \"{name}\";");
        let _ = writeln!(text, "        const wc_status status = {name}({});", arguments.join(", "));
        let _ = writeln!(text, "        failed(status, name);\n{expected}    }}");
        text
    }

    fn results(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| matches!(param.role, Role::Result { .. }))
    }

    /// All calls of it that fail for one reason each: arguments, a place that is missing, a place that is askew.
    fn calls(&self) -> String {
        // What takes nothing fails by its places alone.
        let takes = self.params.iter().any(|param| !matches!(param.role, Role::Result { .. }));
        let mut text = if takes { self.call(None) } else { String::new() };
        for (index, param) in self.results().enumerate() {
            text += &self.call(Some((index, "null")));
            if !matches!(param.ty.as_str(), "uint8_t" | "bool" | "char") {
                text += &self.call(Some((index, "askew")));
            }
        }
        text
    }
}

const PROGRAM: &str = r#"#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A place for any result, and a byte more. */
typedef struct {
    alignas(16) unsigned char bytes[2048];
} place;

enum { SOIL = 0xa5 };

/* What no enumeration, option, descriptor or handle is. */
alignas(16) static unsigned char bad[4096];
alignas(16) static const unsigned char none[4096];

static void soil(place *it)
{
    memset(it->bytes, SOIL, sizeof it->bytes);
}

static void is_made_of(const place *it, size_t start, size_t size, unsigned char byte, const char *name)
{
    for (size_t at = 0; at < sizeof it->bytes; at++) {
        const unsigned char expected = at >= start && at < start + size ? byte : SOIL;
        if (it->bytes[at] != expected) {
            fprintf(stderr, "%s: byte %zu of a result of %zu: expected %u, found %u\n", name, at - start, size, expected,
                    it->bytes[at]);
            exit(1);
        }
    }
}

static void failed(wc_status status, const char *name)
{
    if (status == WC_STATUS_OK) {
        fprintf(stderr, "%s: expected to fail\n", name);
        exit(1);
    }
}

#define EXPECT_ERROR(CONDITION) \
    do { \
        if (!(CONDITION)) { \
            fprintf(stderr, "%s: expected %s\n", name, #CONDITION); \
            exit(1); \
        } \
    } while (0)
"#;

#[test]
fn a_call_that_fails_leaves_nothing_that_looks_like_a_result() {
    let folder = repository().join("bindings/c/include/wirecontract");
    let mut headers: Vec<_> = fs::read_dir(folder)
        .expect("the headers are there")
        .map(|entry| entry.expect("a folder that is read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "h"))
        .collect();
    headers.sort();
    let (mut includes, mut all) = (String::new(), Vec::new());
    for header in &headers {
        let name = header.file_name().expect("a file").to_string_lossy();
        let _ = writeln!(includes, "#include <wirecontract/{name}>");
        all.extend(functions(&fs::read_to_string(header).expect("a header is text")));
    }

    // A number of a file descriptor is told from any other.
    for function in &all {
        let is_fd =
            |role: &Role| matches!(role, Role::Result { is_fd: true, .. } | Role::Results { is_fd: true });
        let number = function.results().find(|param| param.ty == "int32_t");
        if let (Some(param), true) = (number, function.name.ends_with("fd")) {
            assert!(is_fd(&param.role), "{} gives a number: have it give an `OwnedFd`", function.name);
        }
    }
    let fds = all
        .iter()
        .filter(|function| function.results().any(|it| matches!(it.role, Role::Result { is_fd: true, .. })));
    assert!(fds.count() >= 12 && all.len() > 150, "{} functions", all.len());

    let mut program =
        format!("{includes}{PROGRAM}\nint main(void)\n{{\n    memset(bad, 0xff, sizeof bad);\n");
    all.iter().for_each(|function| program += &function.calls());
    let _ = writeln!(program, "    printf(\"ok {}\\n\");\n    return 0;\n}}", all.len());

    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = scratch.join("c_results");
    fs::create_dir_all(&folder).expect("a folder for programs");
    let (source, built) = (folder.join("results.c"), folder.join("results"));
    fs::write(&source, program).expect("a file");
    // What a header declares and nobody calls, and places that are askew on purpose, are no mistakes here.
    CLibrary::build(scratch).compile(&source, &built, &["-Wno-missing-braces"]);
    let said = Command::new(&built).output().expect("it starts");
    let passed = said.status.success() && said.stdout == format!("ok {}\n", all.len()).as_bytes();
    assert!(passed, "{said:?}");
}
