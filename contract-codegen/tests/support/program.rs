//! A driver compiled for a platform, asked every question.

use std::fmt::Write;
use std::path::Path;

use wirecontract_codegen::emit::Artifact;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::model::{Body, Catalog};
use wirecontract_codegen::names::{c, cpp};

use super::dump::{self, Language};
use super::toolchain::{self, Compiler};
use super::verdicts::Question;

/// Compiles the driver against the headers, asks, and compares each answer. The questions are those of a machine of
/// this byte order.
pub fn answers_as_the_model_says(
    catalog: &Catalog,
    artifacts: &[Artifact],
    language: Language,
    standard: &str,
    compiler: &Compiler,
    questions: impl Fn(bool) -> Vec<Question>,
) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let include = toolchain::write(folder.path(), artifacts);
    std::fs::write(include.join("contracts.inc"), contracts(catalog, language)).expect("the folder is ours");
    let source = match language {
        Language::C => "driver.c",
        Language::Cpp => "driver.cpp",
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(source);
    let program = folder.path().join("driver");
    let mut arguments = vec![source.to_str().unwrap(), "-o", program.to_str().unwrap()];
    if compiler.flags.contains(&"-Wuseless-cast") {
        arguments.push("-Wno-useless-cast");
    }
    if !compiler.flags.iter().any(|flag| flag.starts_with("-fsanitize")) {
        // What moves floating-point bits through registers, and what sees past inlined checks, is an optimizer.
        arguments.push(if language == Language::C { "-O2" } else { "-O1" });
    }
    compiler.compile(standard, &include, &arguments);
    let is_big = !compiler.runner.is_empty();
    compare(&questions(is_big), |lines| compiler.run(&program, lines));
}

fn compare(questions: &[Question], ask: impl Fn(&str) -> String) {
    let lines: String = questions.iter().map(|question| question.line.as_str()).collect();
    let output = ask(&lines);
    let answers: Vec<&str> = output.split(">\n").skip(1).collect();
    assert_eq!(answers.len(), questions.len(), "one answer a question");
    let mut wrong = String::new();
    for (question, answer) in questions.iter().zip(answers) {
        if question.answer == answer {
            continue;
        }
        let differing = question.answer.lines().zip(answer.lines()).find(|(wanted, got)| wanted != got);
        let (wanted, got) = differing.unwrap_or((&question.answer, answer));
        writeln!(wrong, "{}  wanted {wanted}\n  got    {got}", question.line).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What the driver includes: the headers, a `CONTRACT` for each descriptor, and its `dump_…`.
fn contracts(catalog: &Catalog, language: Language) -> String {
    let input = fixtures::input(catalog);
    let (mut includes, mut functions, mut list) =
        (String::new(), String::new(), String::from("#define CONTRACTS"));
    for family in &input.families {
        let header = match language {
            Language::C => c::header(family),
            Language::Cpp => cpp::header(family),
        };
        writeln!(includes, "#include <{header}>").unwrap();
        for contract in family.contracts.iter().map(|&id| catalog.get(id)) {
            let Body::Descriptor(descriptor) = &contract.body else { continue };
            let (name, stem) = (&contract.name, c::stem(&family.package, contract));
            let owner = match language {
                Language::C => "(*value)",
                Language::Cpp => "value",
            };
            let (ty, parameter) = match language {
                Language::C => {
                    let ty = c::type_name(&family.package, contract);
                    (ty.clone(), format!("const {ty} *value"))
                }
                Language::Cpp => {
                    let ty = format!("::{}::{}", cpp::namespace(family), cpp::type_name(contract));
                    (ty.clone(), format!("const {ty} &value"))
                }
            };
            let body = dump::statements(catalog, descriptor, language, owner, "");
            writeln!(functions, "static void dump_{name}({parameter})\n{{\n    (void)value;\n{body}}}")
                .unwrap();
            write!(list, " \\\n    CONTRACT({name}, {ty}, {stem})").unwrap();
        }
    }
    format!("{includes}\n{functions}\n{list}\n")
}
