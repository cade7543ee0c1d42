//! The four faults of a wrapper that shipped: it called functions which no build exported, passed a handle by value to a
//! function that takes a pointer, trusted a capability that only the library below it had, and went on after a function
//! had gained an argument under its old symbol (see `drift`). Each is found before anything runs.

use std::process::Command;

use wirecontract_tests::differential::toolchain;

use super::library::{build, compiler, declared, generated, run, said, scratch};

/// What the compiler says of a program, which it refuses.
fn refusal(language: &str, name: &str, text: &str) -> String {
    let source = scratch().join(name);
    std::fs::write(&source, text).expect("a file");
    let output = run(compiler(language).arg("-fsyntax-only").arg(&source));
    assert!(!output.status.success(), "{language} takes it:\n{text}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_handle_is_not_ended_by_value() {
    let errors = refusal(
        "c",
        "by-value.c",
        "#include <rig/device.h>\nint main(void)\n{\n    rig_device device = {0};\n    return rig_device_destroy(device);\n}\n",
    );
    assert!(errors.contains("incompatible type for argument 1 of ‘rig_device_destroy’"), "{errors}");
    let errors = refusal(
        "c++",
        "by-value.cpp",
        "#include <rig/device.h>\nint main()\n{\n    rig_device device = {0};\n    return rig_device_destroy(device);\n}\n",
    );
    assert!(errors.contains("cannot convert ‘rig_device’ to ‘rig_device*’"), "{errors}");
    let script = "import sys\nfrom rig import library\nlibrary.load(sys.argv[1])\n\
                  device = library.Device.open('kept')\n\
                  try:\n    library._c_rig_device_destroy(device._number)\nexcept (TypeError, __import__('ctypes').ArgumentError) as error:\n    print(error)\n\
                  assert library.alive() == 1 and device.name() == 'kept'\n\
                  device.close()\nassert library.alive() == 0\n";
    let mut python = toolchain::python();
    python.args(["-c", script]).arg(&declared().shared).env("PYTHONPATH", generated().join("python"));
    let words = toolchain::run(&mut python);
    assert!(words.contains("TypeError") || words.contains("pointer"), "{words}");
}

#[test]
fn a_handle_of_another_type_is_another_type() {
    let errors = refusal(
        "c",
        "other-type.c",
        "#include <rig/device.h>\n#include <rig/gauge.h>\nint main(void)\n{\n    rig_gauge gauge = {0};\n    uint64_t length;\n    \
         return rig_device_length(gauge, &length);\n}\n",
    );
    assert!(errors.contains("incompatible type for argument 1 of ‘rig_device_length’"), "{errors}");
}

/// What a type checker says of a module that uses the library.
fn checked(checker: &[&str], name: &str, text: &str) -> String {
    let module = scratch().join(name);
    std::fs::write(&module, text).expect("a file");
    let mut command = toolchain::python();
    command.args(["-m", checker[0]]).args(&checker[1..]).arg(&module).current_dir(scratch());
    command.env("MYPYPATH", generated().join("python")).env("PYTHONPATH", generated().join("python"));
    let output = run(&mut command);
    assert!(!output.status.success(), "{checker:?} takes it: {}", said(&output));
    said(&output)
}

#[test]
fn a_function_that_no_build_exports_is_no_function_to_a_type_checker() {
    let wrapper = "from rig import library\n\n\ndef reset() -> None:\n    library.device_reset()\n";
    let config = scratch().join("pyrightconfig.json");
    let path = generated().join("python");
    std::fs::write(&config, format!("{{\"extraPaths\": [{:?}]}}", path.display().to_string()))
        .expect("a file");
    let project = config.display().to_string();
    let words = checked(&["basedpyright", "-p", &project], "wrapper.py", wrapper);
    assert!(words.contains("\"device_reset\" is not a known attribute of module \"rig.library\""), "{words}");
    let words = checked(&["mypy", "--strict"], "wrapper.py", wrapper);
    assert!(words.contains("Module has no attribute \"device_reset\""), "{words}");
}

/// The library below says that it can, whoever asks it; the layer above it is what a user calls.
#[test]
fn a_capability_is_that_of_the_whole_way_to_the_function() {
    let script = "import ctypes, sys\nfrom rig import library\nfrom rig._wire import WireError\n\
                  below = ctypes.CDLL(sys.argv[1])\ncount = ctypes.c_uint64()\n\
                  print('below:', below.rig_alive(ctypes.byref(count)) == 0)\n\
                  try:\n    library.load(sys.argv[1])\n    print('above: True')\n\
                  except WireError as error:\n    print('above: False,', error)\n";
    let above = |path: &std::path::Path| {
        let mut python: Command = toolchain::python();
        python.args(["-c", script]).arg(path).env("PYTHONPATH", generated().join("python"));
        toolchain::run(&mut python)
    };
    assert_eq!(above(&declared().shared), "below: True\nabove: True\n");
    let words = above(&build("missing").shared);
    assert!(words.starts_with("below: True\nabove: False, ") && words.contains("rig_scale"), "{words}");
}
