//! Messages in C and C++: their text, their compilers, their verdicts.

mod message_support;
mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use message_support::Question;
use support::toolchain::{self, C_COMPILERS, C_PLATFORMS, CXX_COMPILERS, CXX_PLATFORMS, Compiler};
use wirecontract_codegen::emit::{Artifact, EmitError, c, cpp};
use wirecontract_codegen::fixtures::{self, message_id as id};
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::{Body, Catalog, ContractId, Message};

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    let input = fixtures::input(catalog);
    let mut headers = c::emit(&input).expect("no collisions in C");
    headers.extend(cpp::emit(&input).expect("no collisions in C++"));
    headers
}

#[test]
fn every_compiler_takes_the_headers() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&fixtures::messages()));
    let (c, cpp) = (folder.path().join("c"), folder.path().join("cpp"));
    std::fs::write(&c, "#include <wirecontract/vhost.h>\n".repeat(2)).unwrap();
    std::fs::write(&cpp, "#include <wirecontract/vhost.hpp>\n".repeat(2)).unwrap();
    let mut work = Vec::new();
    for (compilers, language, standard) in [(&C_COMPILERS, "c", "c11"), (&CXX_COMPILERS, "c++", "c++17")] {
        work.extend(compilers.iter().map(|compiler| (compiler, standard, language)));
    }
    toolchain::in_parallel(work, |(compiler, standard, language)| {
        let sources = if language == "c" { &[&c][..] } else { &[&c, &cpp] };
        for source in sources {
            let mut arguments =
                vec!["-O1", "-c", "-o", "/dev/null", "-x", language, source.to_str().unwrap()];
            if language == "c++" {
                arguments.push("-Wold-style-cast");
            }
            compiler.compile(standard, &include, &arguments);
        }
    });
}

/// The catalog with the contracts that messages are made of in a family of their own.
fn of_two_families() -> Catalog {
    let mut catalog = fixtures::messages();
    let bodies = catalog.contracts.iter_mut();
    for contract in bodies.filter(|it| !matches!(it.body, Body::Message(_) | Body::Messages(_))) {
        contract.module = "wirecontract_gpu::bodies".into();
    }
    catalog
}

#[test]
fn what_messages_are_made_of_may_be_in_another_header() {
    let headers = headers(&of_two_families());
    let text = |path: &str| &headers.iter().find(|header| header.path == path).expect("it is emitted").body;
    assert!(text("include/wirecontract/vhost.h").contains("#include <wirecontract/bodies.h>\n"));
    let cpp = text("include/wirecontract/vhost.hpp");
    assert!(cpp.contains("std::vector<::wirecontract::bodies::MemRegion> regions{};"), "{cpp}");
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers);
    for (compiler, language, standard, extension) in
        [(toolchain::GCC, "c", "c11", "h"), (toolchain::CLANGXX, "c++", "c++17", "hpp")]
    {
        let source = folder.path().join(extension);
        std::fs::write(&source, format!("#include <wirecontract/vhost.{extension}>\n")).unwrap();
        let arguments = ["-c", "-o", "/dev/null", "-x", language, source.to_str().unwrap()];
        compiler.compile(standard, &include, &arguments);
    }
}

#[test]
fn swig_parses_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&fixtures::messages()));
    let interface = folder.path().join("vhost.i");
    // 451 is about the ownership of `const char *` members; ours borrow texts that live forever.
    let text = "%module vhost\n#pragma SWIG nowarn=451\n%include <stdint.i>\n%include <wirecontract/core.h>\n\
                %include <wirecontract/vhost.h>\n";
    std::fs::write(&interface, text).unwrap();
    for language in [&["-python"][..], &["-python", "-c++"]] {
        let mut command = Command::new("swig");
        command.args(language).arg("-Werror").arg(format!("-I{}", include.display()));
        command.arg("-outdir").arg(folder.path()).arg("-o").arg(folder.path().join("wrap"));
        let output = toolchain::run(command.arg(&interface), "swig", "");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{language:?}: {errors}");
    }
}

#[test]
fn every_platform_reads_and_writes_as_the_interpreter_does() {
    let faults = [
        "too_large",
        "too_short",
        "trailing_bytes",
        "length_exceeds: expected at most 8, found ",
        "length_exceeds: expected at most 52, found -",
        "bad_utf8",
        "MemRegion at byte 36: rule_violated",
        "condition_violated",
        "LogMessage.pages at byte 0: fd_count: expected 1 to 3",
        "LogMessage.pages at byte 0: fd_count: expected 2 file descriptors",
        "KickMessage.kick at byte 0: fd_count: expected no file descriptor",
        "MemTableMessage at byte 0: fd_count",
        "MemTableMessage at byte 0: rule_violated: expected one_each",
        "expected header.flags == 1",
        "start % 4096",
        "unknown_tag: expected a tag that no variant has",
        "unknown_tag: expected 12",
        "unsupported_version",
        "Registration at byte 0: rule_violated: expected fd_count > 0",
        "QueryMessage at byte 0: fd_count: expected no file descriptor, found 2",
        "WordMessage at byte 0: fd_count: expected no file descriptor, found 1",
        "WordMessage at byte 0: fd_count: expected 0 to 253 file descriptors, found 254",
        "SettingMessage at byte 0: fd_count: expected no file descriptor, found 3",
        "SignalMessage at byte 0: fd_count: expected no file descriptor, found 253",
        "Word at byte 0: rule_violated: expected variant != Other || fd_count < 3",
        "Word.op at byte 0: unknown_tag: expected a tag that no variant has",
    ];
    answers_as_the_interpreter_does(&fixtures::messages(), &[], &faults);
}

#[test]
fn other_tails_and_tags_are_read_so_too() {
    let faults = [
        "GrowingMessage.regions at byte 16: length_exceeds: expected at most 36, found",
        "GrowingMessage.regions at byte 20: length_exceeds: expected at most 32, found",
        "length_exceeds: expected at most 0, found 5",
        "length_exceeds: expected at most 16, found 17",
        "found grown.second = 3",
        "UnknownMessage at byte",
        "unknown_tag: expected a tag of VhostMessage",
    ];
    answers_as_the_interpreter_does(&message_support::changed(), &["-DCHANGED"], &faults);
}

/// Runs a program that says what is wrong, for these compilers.
fn says_nothing(catalog: &Catalog, program: &str, flags: &[&str], compilers: &[(&str, &str, Compiler)]) {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(catalog));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/message_support").join(program);
    let work = compilers.iter().enumerate().collect();
    toolchain::in_parallel(work, |(index, (standard, language, compiler))| {
        let program = folder.path().join(index.to_string());
        let mut arguments = vec!["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
        arguments.extend(flags);
        compiler.compile(standard, &include, &arguments);
        assert_eq!(compiler.run(&program, ""), "", "{compiler:?}");
    });
}

#[test]
fn null_pointers_and_numbers_that_are_no_file_descriptors_are_refused() {
    let mut compilers = C_PLATFORMS.map(|compiler| ("c11", "c", compiler)).to_vec();
    compilers.push(("c++17", "c++", CXX_PLATFORMS[0]));
    says_nothing(&fixtures::messages(), "refusals.c", &[], &compilers);
}

#[test]
fn classes_refuse_what_is_no_file_descriptor_and_tell_equal_variants_apart() {
    let compilers = CXX_PLATFORMS.map(|compiler| ("c++17", "c++", compiler));
    says_nothing(&fixtures::messages(), "refusals.cpp", &[], &compilers);
}

#[test]
fn what_is_too_long_for_a_message_is_refused_before_memory_is_taken_for_it() {
    let compilers = [CXX_PLATFORMS[0], CXX_PLATFORMS[2]].map(|compiler| ("c++17", "c++", compiler));
    says_nothing(&message_support::huge(), "refusals.cpp", &["-DHUGE"], &compilers);
}

/// Asks programs for every platform; among the answers are these faults.
fn answers_as_the_interpreter_does(catalog: &Catalog, flags: &[&str], faults: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(catalog));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/message_support");
    // C is asked as C++, too.
    let c = C_PLATFORMS.iter().map(|compiler| ("c11", "c", "messages.c", compiler));
    let both = CXX_COMPILERS[..1].iter().map(|compiler| ("c++17", "c++", "messages.c", compiler));
    let cpp = if flags.is_empty() { &CXX_PLATFORMS[..] } else { &CXX_PLATFORMS[..1] };
    let cpp = cpp.iter().map(|compiler| ("c++17", "c++", "messages.cpp", compiler));
    let work = c.chain(both).chain(cpp).enumerate().collect();
    toolchain::in_parallel(work, |(index, (standard, language, source, compiler))| {
        let (program, source) = (folder.path().join(format!("messages{index}")), sources.join(source));
        let mut arguments = vec!["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
        arguments.extend(flags);
        if compiler.flags.contains(&"-Wuseless-cast") {
            arguments.push("-Wno-useless-cast");
        }
        compiler.compile(standard, &include, &arguments);
        let host = if compiler.runner.is_empty() { Host::Little } else { Host::Big };
        let mut questions = message_support::reads(catalog, host, 3000);
        questions.extend(message_support::writes(catalog, host, 1000));
        questions.extend(message_support::documents(catalog));
        let is_asked = |fault: &&&str| questions.iter().any(|question| question.answer.contains(**fault));
        let unasked: Vec<_> = faults.iter().filter(|fault| !is_asked(fault)).collect();
        assert!(unasked.is_empty(), "nothing asks for {unasked:?}");
        compare(&questions, |lines| compiler.run(&program, lines));
    });
}

fn compare(questions: &[Question], ask: impl Fn(&str) -> String) {
    let lines: String = questions.iter().map(|question| question.line.as_str()).collect();
    let output = ask(&lines);
    let answers: Vec<&str> = output.lines().collect();
    assert_eq!(answers.len(), questions.len(), "one answer a question");
    let mut wrong = String::new();
    for (question, answer) in questions.iter().zip(answers) {
        if question.answer != answer {
            writeln!(wrong, "{}  wanted {}\n  got    {answer}", question.line, question.answer).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_has_no_documentation_has_no_comment() {
    let mut catalog = fixtures::messages();
    for contract in &mut catalog.contracts {
        contract.docs.clear();
        match &mut contract.body {
            Body::Enumeration(body) => body.values.iter_mut().for_each(|it| it.docs.clear()),
            Body::Descriptor(body) => body.fields.iter_mut().for_each(|it| it.docs.clear()),
            Body::Recipe(body) => body.keys.iter_mut().for_each(|it| it.docs.clear()),
            Body::Union(body) => body.variants.iter_mut().for_each(|it| it.docs.clear()),
            Body::Message(body) => {
                body.parts.iter_mut().for_each(|it| it.member.docs.clear());
                body.tail.iter_mut().for_each(|it| it.member.docs.clear());
                body.fds.iter_mut().for_each(|it| it.member.docs.clear());
            }
            Body::Messages(body) => body.variants.iter_mut().for_each(|it| it.member.docs.clear()),
            body => panic!("{body:?}"),
        }
    }
    for header in headers(&catalog) {
        let lines: Vec<&str> = header.body.lines().map(str::trim).collect();
        let empty = lines.windows(2).position(|pair| pair == ["/**", "*/"] || pair[0] == "/** */");
        assert_eq!(empty, None, "{}", header.path);
    }
}

#[test]
fn a_name_that_two_would_have_is_refused_with_both() {
    let of_log = |change: &dyn Fn(&mut Message)| {
        let mut catalog = fixtures::messages();
        let Body::Message(body) = &mut catalog.contracts[id::LOG.0].body else { panic!("a message") };
        change(body);
        catalog
    };
    let named = |id: ContractId, name: &str| {
        let mut catalog = fixtures::messages();
        catalog.contracts[id.0].name = name.into();
        catalog
    };
    for (name, catalog) in [
        ("pages_count", of_log(&|body| body.fds[0].member.name = "pages_count".into())),
        ("path", of_log(&|body| body.fds[0].member.c_name = Some("path".into()))),
        ("wc_log_message_write", named(id::TABLE, "LogMessageWrite")),
        ("wc_register_message_join", named(id::TABLE, "RegisterMessageJoin")),
        ("wc_mem_table_message_regions_at", named(id::TABLE, "MemTableMessageRegionsAt")),
        ("wc_vhost_message_value", named(id::TABLE, "VhostMessageValue")),
    ] {
        let errors = c::emit(&fixtures::input(&catalog)).expect_err("two have the name");
        let found =
            errors.iter().any(|error| matches!(error, EmitError::Collision { name: of, .. } if of == name));
        assert!(found, "{name}: {errors:?}");
    }

    for (name, catalog) in [
        ("VhostMessageTag", named(id::TABLE, "VhostMessageTag")),
        (
            "join_",
            of_log(&|body| {
                (body.fds[0].member.name, body.fds[1].member.name) = ("join".into(), "join_".into());
            }),
        ),
        ("VhostMessageKick", named(id::TABLE, "VhostMessageKick")),
        ("written_message", named(id::TABLE, "written_message")),
    ] {
        let mut input = fixtures::input(&catalog);
        if name == "written_message" {
            input.families[0].package.cpp_namespace = "wirecontract".into();
            input.families[0].name = name.into();
        }
        let errors = cpp::emit(&input).expect_err("two have the name in C++");
        let found =
            errors.iter().any(|error| matches!(error, EmitError::Collision { name: of, .. } if of == name));
        assert!(found, "{name}: {errors:?}");
    }
}
