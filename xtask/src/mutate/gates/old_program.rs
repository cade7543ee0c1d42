//! A C program as one side wrote it: what it takes of a header to be so, as assertions. It is made of the text of the
//! unchanged header, and so knows nothing of the model or the emitters.

use std::fmt::Write as _;

/// The program of a header: `path` is as an `#include` names it.
pub(super) fn of(path: &str, header: &str) -> String {
    let code = without_comments(header);
    let mut text = format!("#include <{path}>\n#include <stddef.h>\n\n{ASSERTIONS}\n");
    for (name, number) in numbers(&code) {
        let _ = writeln!(text, "_Static_assert({name} == {number}, \"{name}\");");
    }
    for (name, body) in structs(&code) {
        let _ = writeln!(text, "typedef struct {{{body}}} old_{name};");
        let _ = writeln!(text, "_Static_assert(sizeof({name}) == sizeof(old_{name}), \"{name}\");");
        for Member { name: member, is_aggregate } in members(body) {
            let assertion = if is_aggregate { "SAME_PLACE" } else { "SAME_MEMBER" };
            let _ = writeln!(text, "{assertion}({name}, {member});");
        }
    }
    // A second declaration of a function has to be the same.
    for prototype in prototypes(&code) {
        let _ = writeln!(text, "{prototype}");
    }
    text
}

const ASSERTIONS: &str = "\
#define SAME_PLACE(T, m) \\
    _Static_assert(offsetof(T, m) == offsetof(old_##T, m) && \\
                   sizeof(((T *)0)->m) == sizeof(((old_##T *)0)->m), #T \".\" #m)
#define SAME_MEMBER(T, m) \\
    SAME_PLACE(T, m); \\
    _Static_assert(__builtin_types_compatible_p(__typeof__(((T *)0)->m), __typeof__(((old_##T *)0)->m)), \\
                   \"the type of \" #T \".\" #m)
";

fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    code + rest
}

/// Constants of the preprocessor and enumerators. Wire ids are left out: a program looks at them in `check_abi` alone.
fn numbers(code: &str) -> Vec<(&str, &str)> {
    // Inside of the guard alone: what a condition decides is not one number.
    let mut depth = 0_usize;
    let unconditional = code.lines().filter(move |line| {
        depth += usize::from(line.starts_with("#if"));
        depth -= usize::from(line.starts_with("#endif")).min(depth);
        depth == 1
    });
    let defined = unconditional.filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
    let enumerators = code.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(" = "));
    let named = defined.chain(enumerators).map(|(name, number)| (name, number.trim().trim_end_matches(',')));
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_constant = |name: &str| is_name(name) && !name.ends_with("_WIRE_ID");
    let is_number = |number: &str| number.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    named.filter(|(name, number)| is_constant(name) && is_number(number)).collect()
}

/// Names and bodies of the structs that a header declares.
fn structs(code: &str) -> Vec<(&str, &str)> {
    let found = code.split("\ntypedef struct ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(" {")?;
        let (body, _) = rest.split_once(&format!("\n}} {name};"))?;
        Some((name, body))
    });
    found.collect()
}

struct Member<'a> {
    name: &'a str,
    /// A union without a name, which is another type in every declaration of it.
    is_aggregate: bool,
}

fn members(body: &str) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                let statement = &body[start..at];
                start = at + 1;
                members.extend(member(statement));
            }
            _ => {}
        }
    }
    members
}

fn member(statement: &str) -> Option<Member<'_>> {
    let statement = statement.trim();
    let is_aggregate = statement.ends_with(|c: char| c != '}') && statement.contains('}');
    let declarator = match statement.split_once("(*") {
        Some((_, rest)) if !is_aggregate => rest.split(')').next()?,
        _ => statement.rsplit('}').next()?.split('[').next()?,
    };
    let name = declarator.trim().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!name.is_empty()).then_some(Member { name, is_aggregate })
}

/// Declarations of exported functions.
fn prototypes(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("_API wc_status ").chain(code.match_indices("_API void ")) {
        let start = code[..at].rfind('\n').map_or(0, |line| line + 1);
        if let Some(length) = code[start..].find(';') {
            found.push(&code[start..=start + length]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::of;

    const HEADER: &str = "\
#ifndef P_H
#if X
#define P_X 1
#endif
#define P_T_SIZE 8u
#define P_T_WIRE_ID UINT64_C(0x1)
enum {
    /** One = 1. */
    P_ONE = 1
};
typedef struct p_t {
    /** It; says. */
    uint32_t a;
    const char *names[2];
    int (*call)(int a, int b);
    union {
        int x;
    } value;
} p_t;
P_API wc_status p_f(
    const p_t *self);
";

    #[test]
    fn a_program_asserts_numbers_members_and_prototypes_and_no_id() {
        let program = of("p/t.h", HEADER);
        for line in [
            "#include <p/t.h>",
            "_Static_assert(P_T_SIZE == 8u, \"P_T_SIZE\");",
            "_Static_assert(P_ONE == 1, \"P_ONE\");",
            "SAME_MEMBER(p_t, a);",
            "SAME_MEMBER(p_t, names);",
            "SAME_MEMBER(p_t, call);",
            "SAME_PLACE(p_t, value);",
        ] {
            assert!(program.lines().any(|found| found == line), "{line} is not in {program}");
        }
        assert!(program.contains("P_API wc_status p_f(\n    const p_t *self);"), "{program}");
        assert!(!program.contains("WIRE_ID") && !program.contains("P_X"), "{program}");
    }
}
