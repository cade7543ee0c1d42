//! The C++ headers: their text, their compilers, their verdicts.

mod support;

use std::path::Path;

use support::dump::Language;
use support::toolchain::{self, CLANGXX, CXX_COMPILERS, CXX_PLATFORMS, GXX};
use support::{expressions, odd, program, sink, verdicts};
use wirecontract_codegen::emit::{Artifact, EmitError, c, cpp};
use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::model::{Body, Catalog};

fn headers(catalog: &Catalog) -> Vec<Artifact> {
    let input = fixtures::input(catalog);
    let mut headers = c::emit(&input).expect("no collisions in C");
    headers.extend(cpp::emit(&input).expect("no collisions in C++"));
    headers
}

#[test]
fn the_headers_of_the_cuvis_family_read_so() {
    let catalog = fixtures::cuvis();
    let headers = cpp::emit(&fixtures::input(&catalog)).expect("no collisions");
    let paths: Vec<&str> = headers.iter().map(|header| header.path.as_str()).collect();
    assert_eq!(paths, ["include/wirecontract/core.hpp", "include/wirecontract/cuvis.hpp"]);
    insta::assert_snapshot!("core.hpp", headers[0].body);
    insta::assert_snapshot!("cuvis.hpp", headers[1].body);
}

#[test]
fn every_platform_reads_and_writes_as_the_model_says() {
    let catalog = sink::catalog();
    let headers = headers(&catalog);
    toolchain::in_parallel(CXX_PLATFORMS.to_vec(), |compiler| {
        let questions = |is_big| verdicts::questions(&catalog, Language::Cpp, is_big);
        program::answers_as_the_model_says(&catalog, &headers, Language::Cpp, "c++17", &compiler, questions);
    });
}

#[test]
fn the_header_of_recipes_reads_so() {
    let headers = headers(&fixtures::recipes());
    insta::assert_snapshot!("texture.hpp", headers.last().unwrap().body);
}

#[test]
fn rules_are_those_of_c() {
    let catalog = expressions::catalog(16);
    let headers = headers(&catalog);
    let questions = |is_big| expressions::questions(&catalog, Language::Cpp, is_big, 10);
    program::answers_as_the_model_says(
        &catalog,
        &headers,
        Language::Cpp,
        "c++17",
        &CXX_PLATFORMS[0],
        questions,
    );
}

#[test]
fn values_of_recipes_are_judged_on_every_platform() {
    judged(&fixtures::recipes(), "recipes.cpp");
    judged(&odd::catalog(), "odd.cpp");
}

/// A program that knows what to expect of a catalog's headers.
fn judged(catalog: &Catalog, source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(catalog));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(source);
    toolchain::in_parallel(CXX_PLATFORMS.iter().enumerate().collect(), |(index, compiler)| {
        let program = folder.path().join(format!("recipes{index}"));
        compiler.compile("c++17", &include, &[source.to_str().unwrap(), "-o", program.to_str().unwrap()]);
        assert_eq!(compiler.run(&program, ""), "");
    });
}

#[test]
fn enumerations_flags_setters_and_equality_hold_on_every_platform() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&sink::with_cuvis()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/values.cpp");
    toolchain::in_parallel(CXX_PLATFORMS.iter().enumerate().collect(), |(index, compiler)| {
        let program = folder.path().join(format!("values{index}"));
        compiler.compile("c++17", &include, &[source.to_str().unwrap(), "-o", program.to_str().unwrap()]);
        assert_eq!(compiler.run(&program, ""), "");
    });
}

#[test]
fn every_compiler_takes_every_header_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let include = toolchain::write(folder.path(), &headers(&sink::with_cuvis()));
    let mut names = ["sink.hpp", "cuvis.h", "cuvis.hpp", "common.hpp", "core.hpp", "core.h"];
    for order in ["descending", "ascending"] {
        let lines = names.map(|name| format!("#include <wirecontract/{name}>\n"));
        std::fs::write(folder.path().join(order), lines.concat().repeat(2)).unwrap();
        names.reverse();
    }
    let mut work = Vec::new();
    for compiler in CXX_COMPILERS {
        work.push((compiler, "c++17", folder.path().join("descending")));
    }
    for compiler in &CXX_COMPILERS[..2] {
        work.push((*compiler, "c++20", folder.path().join("ascending")));
        work.push((*compiler, "c++2b", folder.path().join("descending")));
    }
    for name in ["core", "common", "sink"] {
        work.push((GXX, "c++17", include.join(format!("wirecontract/{name}.hpp"))));
    }
    // Recipes have names that the others have too.
    let recipes = folder.path().join("recipes");
    let include_recipes = toolchain::write(&recipes, &headers(&fixtures::recipes()));
    toolchain::write(&recipes, &headers(&odd::catalog()));
    let both = recipes.join("source");
    std::fs::write(&both, "#include <wirecontract/odd.hpp>\n#include <wirecontract/texture.hpp>\n".repeat(2))
        .unwrap();
    for compiler in CXX_COMPILERS {
        work.push((compiler, "c++17", both.clone()));
    }
    work.push((CLANGXX, "c++2b", both));
    toolchain::in_parallel(work, |(compiler, standard, source)| {
        let include = if source.starts_with(&recipes) { &include_recipes } else { &include };
        let source = source.to_str().unwrap();
        compiler.compile(standard, include, &["-Wold-style-cast", "-fsyntax-only", "-x", "c++", source]);
    });
}

/// The errors of a catalog after a change.
fn errors(change: impl FnOnce(&mut Catalog)) -> Vec<String> {
    let mut catalog = fixtures::cuvis();
    change(&mut catalog);
    let emitted = cpp::emit(&fixtures::input(&catalog));
    emitted.map_or_else(|errors| errors.iter().map(EmitError::to_string).collect(), |_| Vec::new())
}

fn rename_field(catalog: &mut Catalog, contract: usize, field: usize, name: &str) {
    let Body::Descriptor(descriptor) = &mut catalog.contracts[contract].body else { panic!("no descriptor") };
    descriptor.fields[field].name = name.into();
}

#[test]
fn a_name_that_two_would_have_is_refused_with_both() {
    let cases = [
        ("errno_", "an escaped name and one that is so", {
            errors(|catalog| {
                rename_field(catalog, 3, 2, "errno");
                rename_field(catalog, 3, 3, "errno_");
            })
        }),
        ("set_blob", "a field and a setter", errors(|catalog| rename_field(catalog, 2, 4, "set_blob"))),
        ("blob_array", "a field and an array", errors(|catalog| rename_field(catalog, 2, 4, "blob_array"))),
        ("IpcBackend", "a field and a type", errors(|catalog| rename_field(catalog, 2, 0, "IpcBackend"))),
        ("IpcBackend", "two types", errors(|catalog| catalog.contracts[1].name = "IpcBackend".into())),
        (
            "to_string",
            "a type and a function",
            errors(|catalog| catalog.contracts[3].name = "to_string".into()),
        ),
        ("error", "a family and a type of core.hpp", {
            errors(|catalog| {
                for contract in &mut catalog.contracts {
                    contract.module = "wirecontract_gpu::error".into();
                }
            })
        }),
        ("Pool", "an alias and a value", {
            errors(|catalog| {
                let Body::Enumeration(enumeration) = &mut catalog.contracts[0].body else {
                    panic!("no enumeration")
                };
                enumeration.values[0].aliases.push("Pool".into());
            })
        }),
    ];
    for (name, what, errors) in cases {
        let expected = format!("would both be `{name}`");
        assert!(
            errors.iter().any(|error| error.starts_with("C++: ") && error.contains(&expected)),
            "{what}: {errors:?}"
        );
    }
}

/// What makes a catalog one that is refused.
type Change = &'static dyn Fn(&mut Catalog);

fn key(catalog: &mut Catalog, name: &str) {
    let Body::Recipe(recipe) = &mut catalog.contracts[id::SURFACE.0].body else { panic!("no recipe") };
    recipe.keys[0].name = name.into();
}

#[test]
fn names_of_recipes_and_unions_are_refused_with_both_that_would_have_them() {
    let errors = |change: &dyn Fn(&mut Catalog)| {
        let mut catalog = fixtures::recipes();
        change(&mut catalog);
        let emitted = cpp::emit(&fixtures::input(&catalog));
        emitted.map_or_else(|errors| errors.iter().map(EmitError::to_string).collect(), |_| Vec::new())
    };
    let cases: [(&str, Change); 6] = [
        ("default_plane_sizes", &|catalog| key(catalog, "default_plane_sizes")),
        ("plane_sizes_or_default", &|catalog| key(catalog, "plane_sizes_or_default")),
        ("Image", &|catalog| key(catalog, "Image")),
        ("RequestTag", &|catalog| catalog.contracts[id::NAMED.0].name = "RequestTag".into()),
        ("RequestPing", &|catalog| catalog.contracts[id::NAMED.0].name = "RequestPing".into()),
        ("class_", &|catalog| {
            let Body::Union(union) = &mut catalog.contracts[id::REQUEST.0].body else { panic!("no union") };
            union.variants[0].name = "class".into();
            union.variants[1].name = "class_".into();
        }),
    ];
    for (name, change) in cases {
        let errors: Vec<String> = errors(change);
        let expected = format!("would both be `{name}`");
        assert!(errors.iter().any(|error| error.contains(&expected)), "{name}: {errors:?}");
    }
    assert_eq!(errors(&|catalog| key(catalog, "check")), [] as [String; 0]);
}

#[test]
fn a_member_that_every_struct_has_gets_an_underscore() {
    let mut catalog = fixtures::cuvis();
    rename_field(&mut catalog, 3, 2, "wire_size");
    rename_field(&mut catalog, 3, 3, "from_bytes");
    let headers = headers(&catalog);
    let cuvis = &headers.last().unwrap().body;
    assert!(
        cuvis.contains("std::uint32_t wire_size_{};") && cuvis.contains("std::uint32_t from_bytes_{};"),
        "{cuvis}"
    );
}
