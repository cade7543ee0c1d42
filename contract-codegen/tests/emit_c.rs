//! The C headers: their text, their compilers, their verdicts.

mod support;

use std::path::Path;
use std::process::Command;

use support::dump::Language;
use support::toolchain::{self, C_COMPILERS, C_PLATFORMS, CXX_COMPILERS, GCC};
use support::{expressions, odd, program, sink, verdicts};
use wirecontract_codegen::emit::{Artifact, EmitError, EmitInput, c, cpp};
use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, Descriptor, Element, Layout, Recipe, Role, Scalar,
};

fn sink_headers() -> Vec<Artifact> {
    headers(&sink::with_cuvis())
}

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    c::emit(&fixtures::input(catalog)).expect("no collisions")
}

fn text<'a>(artifacts: &'a [Artifact], path: &str) -> &'a str {
    &artifacts.iter().find(|artifact| artifact.path == path).expect("it is emitted").body
}

#[test]
fn the_headers_of_the_cuvis_family_read_so() {
    let headers = headers(&fixtures::cuvis());
    let paths: Vec<&str> = headers.iter().map(|header| header.path.as_str()).collect();
    assert_eq!(paths, ["include/wirecontract/core.h", "include/wirecontract/cuvis.h"]);
    assert_eq!(headers[0].contracts, []);
    assert_eq!(headers[1].contracts, (0..4).map(ContractId).collect::<Vec<_>>());
    insta::assert_snapshot!("core.h", headers[0].body);
    insta::assert_snapshot!("cuvis.h", headers[1].body);
}

#[test]
fn the_header_of_recipes_reads_so() {
    let headers = headers(&fixtures::recipes());
    insta::assert_snapshot!("texture.h", text(&headers, "include/wirecontract/texture.h"));
}

#[test]
fn core_h_is_the_same_for_every_package() {
    let (cuvis, sink) = (headers(&fixtures::cuvis()), sink_headers());
    assert_eq!(cuvis[0], sink[0]);
    assert_eq!(cuvis[0], headers(&fixtures::recipes())[0]);
}

#[test]
fn the_same_contracts_give_the_same_bytes() {
    assert_eq!(sink_headers(), sink_headers());
}

#[test]
fn every_platform_reads_and_writes_as_the_model_says() {
    let catalog = sink::catalog();
    let headers = headers(&catalog);
    toolchain::in_parallel(C_PLATFORMS.to_vec(), |compiler| {
        let questions = |is_big| verdicts::questions(&catalog, Language::C, is_big);
        program::answers_as_the_model_says(&catalog, &headers, Language::C, "c11", &compiler, questions);
    });
}

#[test]
fn rules_are_exact_on_every_platform_when_read_and_when_written() {
    let catalog = expressions::catalog(40);
    let headers = headers(&catalog);
    toolchain::in_parallel(C_PLATFORMS.to_vec(), |compiler| {
        let questions = |is_big| expressions::questions(&catalog, Language::C, is_big, 40);
        program::answers_as_the_model_says(&catalog, &headers, Language::C, "c11", &compiler, questions);
    });
}

#[test]
fn values_of_recipes_are_judged_on_every_platform_in_c_and_in_cpp() {
    let (questions, answers) = spellings();
    judged(&fixtures::recipes(), "recipes.c", &questions, &answers);
    judged(&odd::catalog(), "odd.c", "", "");
}

/// A program that knows what to expect of a catalog's headers.
fn judged(catalog: &Catalog, source: &str, questions: &str, answers: &str) {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(catalog));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(source);
    let c = C_PLATFORMS.iter().map(|compiler| ("c11", "c", compiler));
    let cpp = CXX_COMPILERS[..1].iter().map(|compiler| ("c++17", "c++", compiler));
    toolchain::in_parallel(c.chain(cpp).enumerate().collect(), |(index, (standard, language, compiler))| {
        let program = folder.path().join(format!("recipes{index}"));
        let arguments = ["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
        compiler.compile(standard, &include, &arguments);
        assert_eq!(compiler.run(&program, questions), answers);
    });
}

/// Doubles in two halves to a line, and how messages spell them.
fn spellings() -> (String, String) {
    let mut numbers: Vec<(f64, String)> = [
        (0.0, "0"),
        (-0.0, "-0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (295_147_905_179_352_830_000.0, "295147905179352830000"),
        (9.999_999_999_999_997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (1e21, "1e+21"),
        (999_999_999_999_999_900_000.0, "999999999999999900000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (333_333_333.333_333_3, "333333333.3333333"),
        (1.0 / 3.0, "0.3333333333333333"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
    ]
    .into_iter()
    .map(|(number, text)| (number, text.to_owned()))
    .collect();
    // Powers of two are where the distance to the next number changes; Rust has the same digits.
    let mut bits = 1_u64;
    for exponent in 0..2047_u64 {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        for fraction in [0, 1, (1 << 52) - 1, bits >> 12] {
            let number = f64::from_bits(exponent << 52 | fraction);
            let shortest = format!("{number:e}");
            let (mantissa, exponent) = shortest.split_once('e').unwrap();
            if !(-7..=21).contains(&exponent.parse::<i32>().unwrap()) {
                let sign = if exponent.starts_with('-') { "" } else { "+" };
                numbers.push((number, format!("{mantissa}e{sign}{exponent}")));
            }
        }
    }
    let line = |(number, _): &(f64, String)| {
        format!("{:x} {:x}\n", number.to_bits() >> 32, number.to_bits() & 0xffff_ffff)
    };
    let questions: Vec<String> = numbers.iter().map(line).collect();
    let answers: Vec<&str> = numbers.iter().flat_map(|(_, text)| [text.as_str(), "\n"]).collect();
    (questions.concat(), answers.concat())
}

#[test]
fn constants_names_and_data_are_as_declared_on_every_platform_in_c_and_in_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &sink_headers());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/constants.c");
    let c = C_PLATFORMS.iter().map(|compiler| ("c11", "c", compiler));
    let cpp = CXX_COMPILERS[..1].iter().map(|compiler| ("c++17", "c++", compiler));
    toolchain::in_parallel(c.chain(cpp).enumerate().collect(), |(index, (standard, language, compiler))| {
        let program = folder.path().join(format!("constants{index}"));
        let arguments = ["-x", language, source.to_str().unwrap(), "-o", program.to_str().unwrap()];
        compiler.compile(standard, &include, &arguments);
        assert_eq!(compiler.run(&program, ""), "");
    });
}

#[test]
fn every_compiler_takes_every_header_in_any_order_as_c_and_as_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &sink_headers());
    let mut names = ["sink", "cuvis", "common", "core"];
    for order in ["descending", "ascending"] {
        let lines = names.map(|name| format!("#include <wirecontract/{name}.h>\n"));
        // Twice, so that the guards are asked too.
        std::fs::write(folder.path().join(order), lines.concat().repeat(2)).unwrap();
        names.reverse();
    }
    let mut work = Vec::new();
    for (compilers, language, standards) in
        [(&C_COMPILERS, "c", ["c11", "c17", "c2x"]), (&CXX_COMPILERS, "c++", ["c++17", "c++20", "c++2b"])]
    {
        for compiler in compilers {
            for (index, standard) in standards.into_iter().enumerate() {
                let order = ["descending", "ascending"][index % 2];
                work.push((*compiler, standard, language, folder.path().join(order)));
            }
        }
    }
    for name in names {
        work.push((GCC, "c11", "c", include.join(format!("wirecontract/{name}.h"))));
    }
    // Recipes have names that the others have too.
    let recipes = folder.path().join("recipes");
    let include_recipes = toolchain::write(&recipes, &recipe_headers());
    let source = recipes.join("source");
    std::fs::write(&source, "#include <wirecontract/odd.h>\n#include <wirecontract/texture.h>\n".repeat(2))
        .unwrap();
    for (compilers, language, standard) in [(&C_COMPILERS, "c", "c11"), (&CXX_COMPILERS, "c++", "c++17")] {
        work.extend(compilers.iter().map(|&compiler| (compiler, standard, language, source.clone())));
    }
    toolchain::in_parallel(work, |(compiler, standard, language, source)| {
        let include = if source.starts_with(&recipes) { &include_recipes } else { &include };
        let mut arguments = vec!["-O1", "-c", "-o", "/dev/null", "-x", language, source.to_str().unwrap()];
        if language == "c++" {
            arguments.push("-Wold-style-cast");
        }
        compiler.compile(standard, include, &arguments);
    });
}

/// `core.h` and the headers of both catalogs of recipes.
fn recipe_headers() -> Vec<Artifact> {
    let mut all = headers(&fixtures::recipes());
    all.extend(headers(&odd::catalog()).into_iter().skip(1));
    all
}

#[test]
fn macros_of_the_platforms_headers_do_not_reach_into_ours() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = sink::with_cuvis();
    let input = fixtures::input(&catalog);
    let include = toolchain::write(folder.path(), &headers(&catalog));
    toolchain::write(folder.path(), &cpp::emit(&input).expect("no collisions in C++"));
    let macros = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/macros.h");
    let text = |extension: &str| {
        format!("#include \"{}\"\n#include <wirecontract/sink.{extension}>\n", macros.display())
    };
    std::fs::write(folder.path().join("after.c"), text("h")).unwrap();
    std::fs::write(folder.path().join("after.cpp"), text("hpp")).unwrap();
    let mut work = Vec::new();
    // GNU modes define `linux` and `unix`; the last compiler has windows.h.
    for compilers in [[C_COMPILERS[0], C_COMPILERS[5]], [CXX_COMPILERS[0], CXX_COMPILERS[5]]] {
        for compiler in compilers {
            let is_c = compiler.command.ends_with("gcc");
            work.push((compiler, if is_c { ("gnu17", "after.c") } else { ("gnu++17", "after.cpp") }));
        }
    }
    toolchain::in_parallel(work, |(compiler, (standard, source))| {
        let source = folder.path().join(source);
        compiler.compile(standard, &include, &["-fsyntax-only", source.to_str().unwrap()]);
    });
}

#[test]
fn swig_parses_every_header() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &sink_headers());
    toolchain::write(folder.path(), &recipe_headers());
    for name in ["core", "common", "sink", "cuvis", "texture", "odd"] {
        let interface = folder.path().join(format!("{name}.i"));
        let core = if name == "core" { "" } else { "%include <wirecontract/core.h>\n" };
        // 451 is about the ownership of `const char *` members; ours borrow texts that live forever.
        let text = format!(
            "%module {name}\n#pragma SWIG nowarn=451\n%include <stdint.i>\n{core}%include <wirecontract/{name}.h>\n"
        );
        std::fs::write(&interface, text).unwrap();
        for language in [&["-python"][..], &["-python", "-c++"]] {
            let mut command = Command::new("swig");
            command.args(language).arg("-Werror").arg(format!("-I{}", include.display()));
            command.arg("-outdir").arg(folder.path()).arg("-o").arg(folder.path().join("wrap"));
            let output = toolchain::run(command.arg(&interface), "swig", "");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} {language:?}: {errors}");
        }
    }
}

#[test]
fn two_versions_of_core_h_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let mut artifacts = sink_headers();
    let other = artifacts[0].body.replace("WC_CORE_VERSION != ", "WC_CORE_VERSION != 1");
    let other = other.replace("define WC_CORE_VERSION ", "define WC_CORE_VERSION 1");
    assert_ne!(artifacts[0].body, other);
    artifacts.push(Artifact { path: "include/other/core.h".into(), body: other, ..artifacts[0].clone() });
    let include = toolchain::write(folder.path(), &artifacts);
    for lines in [
        "#include <wirecontract/core.h>\n#include <other/core.h>\n",
        "#include <other/core.h>\n#include <wirecontract/core.h>\n",
        "#include <other/core.h>\n#define WC_STATUS_UNUSED\n#undef WC_STATUS_UNUSED\n#include <wirecontract/cuvis.h>\n",
    ] {
        let errors = refused_by_gcc(folder.path(), &include, lines);
        assert!(errors.contains("two versions of <wirecontract/core.h> meet"), "{errors}");
    }
}

#[test]
fn a_layout_that_a_compiler_changes_is_an_error_that_names_the_field() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &sink_headers());
    // Alignment is the compiler's to choose, as i386 does for a u64; only where things are is asserted.
    let lines =
        "#include <wirecontract/core.h>\n#pragma pack(1)\n#include <wirecontract/common.h>\n#pragma pack()\n";
    toolchain::GCC.compile("c11", &include, &source(folder.path(), lines).each_ref().map(String::as_str));
    let wider = "#define wc_wide uint64_t\n#include <wirecontract/sink.h>\n";
    let errors = refused_by_gcc(folder.path(), &include, wider);
    assert!(
        errors.contains("All.bytes is not at byte 112") && errors.contains("All is not 736 bytes in memory"),
        "{errors}"
    );
    let unchecked = source(folder.path(), "#define WC_NO_STATIC_ASSERT\n#include <wirecontract/sink.h>\n");
    toolchain::GCC.compile("c11", &include, &unchecked.each_ref().map(String::as_str));
}

fn source(folder: &Path, lines: &str) -> [String; 5] {
    let path = folder.join("source.c");
    std::fs::write(&path, lines).unwrap();
    ["-c".into(), "-o".into(), "/dev/null".into(), "-O0".into(), path.to_str().unwrap().into()]
}

fn refused_by_gcc(folder: &Path, include: &Path, lines: &str) -> String {
    let arguments = source(folder, lines);
    let mut command = Command::new("gcc");
    let output = toolchain::run(command.arg("-I").arg(include).args(arguments), "gcc", "");
    assert!(!output.status.success(), "gcc took\n{lines}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn documentation_travels_and_stays_a_comment() {
    let headers = sink_headers();
    let common = text(&headers, "include/wirecontract/common.h");
    assert!(
        common.contains("/**\n * Ends *&#47; here /&#42; and there.\n * A trigraph ?&#63;/\n"),
        "{common}"
    );
    assert!(common.contains(" *\n * Deprecated: use another &#92;\n */\ntypedef int32_t wc_format;"));
    assert!(common.contains(
        "     * Since version 2.\n     * Deprecated: use another *&#47;\n     */\n    WC_FORMAT_U16 = 1"
    ));
}

/// The errors of a catalog after a change.
fn errors(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::cuvis();
    change(&mut catalog);
    errors_of(&fixtures::input(&catalog))
}

fn errors_of(input: &EmitInput<'_>) -> Vec<String> {
    c::emit(input).map_or_else(|errors| errors.iter().map(EmitError::to_string).collect(), |_| Vec::new())
}

fn rename_field(catalog: &mut Catalog, contract: usize, field: usize, name: &str, c_name: Option<&str>) {
    let Body::Descriptor(descriptor) = &mut catalog.contracts[contract].body else { panic!("no descriptor") };
    descriptor.fields[field].name = name.into();
    descriptor.fields[field].c_name = c_name.map(str::to_owned);
}

#[test]
fn a_name_that_two_would_have_is_refused_with_both() {
    let cases: [(&str, &str, Vec<String>); 9] = [
        (
            "WC_CUDA_IPC_PAYLOAD_A_B_OFFSET",
            "`WC_…`: fields that differ by case",
            errors(|catalog| {
                rename_field(catalog, 3, 2, "a_b", None);
                rename_field(catalog, 3, 3, "aB", None);
            }),
        ),
        (
            "errno_",
            "an escaped name and one that is so",
            errors(|catalog| {
                rename_field(catalog, 3, 2, "errno", None);
                rename_field(catalog, 3, 3, "errno_", None);
            }),
        ),
        ("width", "a fixed member", errors(|catalog| rename_field(catalog, 3, 3, "height", Some("width")))),
        (
            "wc_ipc_backend",
            "two types",
            errors(|catalog| catalog.contracts[1].c_name = Some("wc_ipc_backend".into())),
        ),
        (
            "wc_ipc_backend_name",
            "a type and a function",
            errors(|catalog| catalog.contracts[3].name = "IpcBackendName".into()),
        ),
        ("wc_error", "a type of core.h", errors(|catalog| catalog.contracts[3].name = "Error".into())),
        (
            "WC_IPC_BACKEND_WIRE_ID",
            "a value and a constant",
            errors(|catalog| value(catalog, 0, 1).name = "WireId".into()),
        ),
        (
            "WC_IPC_BACKEND_LEGACY",
            "an alias of another value",
            errors(|catalog| value(catalog, 0, 1).aliases.push("legacy".into())),
        ),
        (
            "WC_IPC_BACKEND_POOL",
            "a member that a macro would replace",
            errors(|catalog| rename_field(catalog, 3, 3, "height", Some("WC_IPC_BACKEND_POOL"))),
        ),
    ];
    for (name, what, errors) in cases {
        let expected = format!("would both be `{name}`");
        assert!(
            errors.iter().any(|error| error.starts_with("C: ") && error.contains(&expected)),
            "{what}: {errors:?}"
        );
    }
    let both = errors(|catalog| value(catalog, 0, 1).name = "WireId".into());
    assert_eq!(
        both,
        [
            "C: wirecontract_gpu::cuvis::IpcBackend and wirecontract_gpu::cuvis::IpcBackend.WireId would both be \
          `WC_IPC_BACKEND_WIRE_ID`: give one of them another name (`c_name` for C, or rename it)"
        ]
    );
}

fn value(
    catalog: &mut Catalog,
    contract: usize,
    index: usize,
) -> &mut wirecontract_codegen::model::EnumValue {
    let Body::Enumeration(enumeration) = &mut catalog.contracts[contract].body else {
        panic!("no enumeration")
    };
    &mut enumeration.values[index]
}

/// The errors of the catalog of recipes after a change.
fn recipe_errors(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::recipes();
    change(&mut catalog);
    errors_of(&fixtures::input(&catalog))
}

fn recipe(catalog: &mut Catalog, id: ContractId) -> &mut Recipe {
    let Body::Recipe(recipe) = &mut catalog.contracts[id.0].body else { panic!("no recipe") };
    recipe
}

#[test]
fn names_of_recipes_and_unions_are_refused_with_both_that_would_have_them() {
    let key = |id: ContractId, index: usize, name: &'static str| {
        move |catalog: &mut Catalog| recipe(catalog, id).keys[index].name = name.into()
    };
    let cases: [(&str, &str, Vec<String>); 9] = [
        ("WC_SURFACE_HAS_FENCE", "bits of two keys", {
            recipe_errors(|catalog| {
                key(id::SURFACE, 2, "fence")(catalog);
                key(id::SURFACE, 3, "_fence")(catalog);
            })
        }),
        (
            "WC_EVERYTHING_LABEL_DEFAULT",
            "defaults of two keys",
            recipe_errors(key(id::EVERYTHING, 3, "_label")),
        ),
        ("class_", "an escaped member and one that is so", {
            recipe_errors(|catalog| {
                key(id::EVERYTHING, 0, "class")(catalog);
                key(id::EVERYTHING, 2, "class_")(catalog);
            })
        }),
        ("present", "a fixed member and the bits", {
            recipe_errors(|catalog| recipe(catalog, id::IMAGE).keys[0].c_name = Some("present".into()))
        }),
        ("wc_request_check", "a type and a function", {
            recipe_errors(|catalog| catalog.contracts[id::NAMED.0].name = "RequestCheck".into())
        }),
        ("wc_request_tag", "a type and a tag", {
            recipe_errors(|catalog| catalog.contracts[id::NAMED.0].name = "RequestTag".into())
        }),
        ("wc_measure_array", "a type and an array", {
            recipe_errors(|catalog| catalog.contracts[id::NAMED.0].name = "MeasureArray".into())
        }),
        (
            "wc_map",
            "a type of core.h",
            recipe_errors(|catalog| catalog.contracts[id::NAMED.0].name = "Map".into()),
        ),
        ("WC_REQUEST_WIRE_ID", "a variant and a constant", {
            recipe_errors(|catalog| {
                let Body::Union(union) = &mut catalog.contracts[id::REQUEST.0].body else {
                    panic!("no union")
                };
                union.variants[1].name = "WireId".into();
            })
        }),
    ];
    for (name, what, errors) in cases {
        let expected = format!("would both be `{name}`");
        assert!(errors.iter().any(|error| error.contains(&expected)), "{what}: {errors:?}");
    }
}

#[test]
fn text_of_recipes_that_c_cannot_hold_is_refused() {
    let errors = recipe_errors(|catalog| recipe(catalog, id::NAMED).keys[0].key = "a\0b".into());
    assert_eq!(
        errors,
        [
            "C: `a\\u{0}b` of wirecontract_gpu::texture::Named.surface_id is not a name there: a C string ends at its first NUL"
        ]
    );
    let errors = recipe_errors(|catalog| recipe(catalog, id::NAMED).keys[0].name = "größe".into());
    assert!(errors.len() == 1 && errors[0].starts_with("C: `größe` of "), "{errors:?}");
    assert!(recipe_errors(|catalog| recipe(catalog, id::NAMED).keys[0].key = "größe".into()).is_empty());
}

#[test]
fn families_share_one_namespace_but_only_written_ones_are_refused() {
    let mut catalog = fixtures::cuvis();
    let mut twin = catalog.contracts[0].clone();
    twin.module = "wirecontract_gpu::texture".into();
    catalog.contracts.push(twin);
    let mut input = fixtures::input(&catalog);
    let refused = errors_of(&input);
    assert!(
        refused[0].contains("wirecontract_gpu::cuvis::IpcBackend and wirecontract_gpu::texture::IpcBackend"),
        "{refused:?}"
    );
    input.selected = vec![0];
    assert!(!errors_of(&input).is_empty(), "a header that is written meets one that was");
    input.selected = vec![];
    assert_eq!(errors_of(&input), [] as [String; 0]);
    input.selected = vec![0, 1];
    input.families[1].package.c_prefix = "tex".into();
    assert_eq!(errors_of(&input), [] as [String; 0]);
}

#[test]
fn two_packages_do_not_write_one_file() {
    let mut catalog = fixtures::cuvis();
    catalog.contracts[0].module = "other::cuvis".into();
    let mut input = fixtures::input(&catalog);
    let mut other = input.families[0].clone();
    other.contracts = vec![ContractId(0)];
    other.package.package = "other".into();
    other.package.c_prefix = "other".into();
    input.families[0].contracts.remove(0);
    input.families.push(other);
    input.selected = vec![0, 1];
    let refused = errors_of(&input);
    assert!(
        refused.iter().any(|error| error.contains("would both be `wirecontract/cuvis.h`")),
        "{refused:?}"
    );
}

#[test]
fn families_that_include_each_other_are_refused() {
    let mut catalog = fixtures::cuvis();
    // The descriptor moves away from the enumerations it holds and the payload that holds it.
    catalog.contracts[2].module = "wirecontract_gpu::handle".into();
    let refused = errors_of(&fixtures::input(&catalog));
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(
        refused[0].contains("`wirecontract/cuvis.h`") && refused[0].contains("wirecontract/handle.h"),
        "{refused:?}"
    );
}

#[test]
fn a_name_that_is_none_in_c_is_refused() {
    let cases: [(&str, Vec<String>); 6] = [
        ("größe", errors(|catalog| rename_field(catalog, 3, 2, "größe", None))),
        ("int", errors(|catalog| rename_field(catalog, 3, 2, "width", Some("int")))),
        ("a b", errors(|catalog| catalog.contracts[0].c_name = Some("a b".into()))),
        ("errno", errors(|catalog| catalog.contracts[0].c_name = Some("errno".into()))),
        ("1st", errors(|catalog| value(catalog, 0, 0).c_name = Some("1st".into()))),
        ("Typ\u{e9}", errors(|catalog| catalog.contracts[3].name = "Typ\u{e9}".into())),
    ];
    for (name, errors) in cases {
        assert!(
            errors.len() == 1 && errors[0].starts_with(&format!("C: `{name}` of ")),
            "{name}: {errors:?}"
        );
    }
    assert!(errors(|catalog| rename_field(catalog, 3, 2, "größe", Some("size"))).is_empty());
}

#[test]
fn a_field_that_nothing_can_be_wrong_with_has_no_check() {
    let mut catalog = fixtures::cuvis();
    let Body::Descriptor(descriptor) = &mut catalog.contracts[3].body else { panic!("no descriptor") };
    for field in &mut descriptor.fields[..2] {
        field.role = Role::Value;
    }
    descriptor.fields.truncate(6);
    descriptor.size = 24;
    let headers = headers(&catalog);
    let cuvis = text(&headers, "include/wirecontract/cuvis.h");
    assert!(!cuvis.contains("wc_cuda_ipc_payload_detail_check"));
    assert!(!cuvis.contains("wc_cuda_ipc_payload_detail_refuse"));
    assert!(!cuvis.contains("wc_cuda_ipc_payload_detail_settle"));
}

/// A descriptor of two fields, each of one contract, placed one after the other.
fn twice(name: &str, of: Element, size: u32) -> Contract {
    let field = |name, offset| fixtures::field(name, offset, of, &[], Role::Value);
    let fields = vec![field("a", 0), field("b", size)];
    let descriptor = Descriptor {
        layout: Layout::Natural,
        size: 2 * size,
        align: 1,
        fields,
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    fixtures::contract(name, Body::Descriptor(descriptor))
}

#[test]
fn descriptors_that_double_each_other_cost_no_more_than_their_number() {
    let mut catalog = Catalog { contracts: vec![twice("D0", Element::Scalar(Scalar::Bool), 1)] };
    for level in 1..25 {
        let nested = Element::Descriptor(ContractId(level - 1));
        catalog.contracts.push(twice(&format!("D{level}"), nested, 1 << level));
    }
    // Were a descriptor looked at for each time that it is nested, this would be sixty million times, and again for
    // each of the things that are asked: the test would run for an hour.
    let headers = headers(&catalog);
    let header = text(&headers, "include/wirecontract/cuvis.h");
    assert!(header.contains("#define WC_D24_SIZE 33554432u"));
    assert!(header.contains("const wc_status status = wc_d23_detail_check(bytes + WC_D24_B_OFFSET,"));
    assert!(!header.contains("wc_d24_detail_settle") && !header.contains("wc_d23_init(&value->a)"));
}

#[test]
fn a_write_stays_in_its_bytes_though_a_count_changes_after_it_was_checked() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &sink_headers());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/changed.c");
    toolchain::in_parallel(C_PLATFORMS.iter().enumerate().collect(), |(index, compiler)| {
        let program = folder.path().join(format!("changed{index}"));
        compiler.compile("c11", &include, &[source.to_str().unwrap(), "-o", program.to_str().unwrap()]);
        assert_eq!(compiler.run(&program, ""), "");
    });
}
