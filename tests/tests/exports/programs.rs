//! Programs in C and C++ that use the library rightly and wrongly.

use std::process::Command;

use wirecontract_tests::differential::toolchain;

use super::library::{compiler, declared, program, run, said, scratch, source};

#[test]
fn a_c_program_gets_a_status_and_a_message_for_all_it_does_wrong() {
    let output = run(&mut Command::new(program(&source("rig.c"), declared(), "rig-c", &[])));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_cpp_program_has_objects_that_end_with_their_scope() {
    let output = run(&mut Command::new(program(&source("rig.cpp"), declared(), "rig-cpp", &[])));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_c_program_is_linked_with_the_archive() {
    let program = scratch().join("rig-archive");
    let mut compiler = compiler("c");
    compiler.arg("-DRIG_STATIC").arg(source("rig.c")).arg(&declared().archive);
    // What the archive needs of the system, as rustc says (`--print native-static-libs`).
    toolchain::run(compiler.args(["-pthread", "-lm", "-ldl", "-lgcc_s", "-lutil", "-o"]).arg(&program));
    let output = run(&mut Command::new(program));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn sanitizers_find_nothing_in_a_program_that_does_everything() {
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let program = program(&source("rig.c"), declared(), "rig-sanitized", &flags);
    let output = run(Command::new(program).env("ASAN_OPTIONS", "detect_leaks=1"));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_hundred_thousand_objects_leave_nothing_behind() {
    let flags = ["-fsanitize=address", "-fno-sanitize-recover=all"];
    let sanitized = program(&source("rig.c"), declared(), "rig-cycles-sanitized", &flags);
    let output = run(Command::new(sanitized).arg("100000").env("ASAN_OPTIONS", "detect_leaks=1"));
    assert!(output.status.success(), "{}", said(&output));

    let plain = program(&source("rig.c"), declared(), "rig-cycles", &[]);
    let mut valgrind = toolchain::require("valgrind", "valgrind");
    valgrind.args(["--leak-check=full", "--show-leak-kinds=definite,indirect,possible"]);
    valgrind.args(["--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=9"]);
    let output = run(valgrind.arg(plain).arg("100000"));
    assert!(output.status.success(), "{}", said(&output));
}
