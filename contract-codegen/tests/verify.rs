//! The command `verify`, run as a user runs it, on libraries that a C compiler makes: their records are encoded, and
//! what they export is chosen.

mod catalog_support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog_support::{LITTLE_64, object_file, section, with_ids};
use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};
use tempfile::TempDir;
use wirecontract_codegen::artifact;
use wirecontract_codegen::catalog::encode::Target;
use wirecontract_codegen::emit::{Artifact, Syntax};
use wirecontract_codegen::fixtures::{self, forms_id as id};
use wirecontract_codegen::model::{Body, Catalog, Contract, ContractId, ParamForm, Symbols};

/// What a library exports: names, and of data the number.
type Exports = Vec<(String, Option<u64>)>;

fn catalog() -> Catalog {
    with_ids(fixtures::forms())
}

/// What a library of these declarations should export.
fn declared(catalog: &Catalog) -> Exports {
    let mut exports = Vec::new();
    for (_, contract) in catalog.iter() {
        let (symbols, has_id) = match &contract.body {
            Body::Function(function) => (vec![function.symbol.clone()], true),
            Body::Handle(handle) => (vec![handle.destroy.clone()], true),
            Body::Symbols(Symbols { is_library, names }) => (names.clone(), *is_library),
            _ => continue,
        };
        for symbol in symbols {
            if has_id {
                exports.push((format!("{symbol}_wire_id"), Some(contract.wire_id)));
            }
            exports.push((symbol, None));
        }
    }
    exports
}

fn without(exports: Exports, name: &str) -> Exports {
    let before = exports.len();
    let left: Exports = exports.into_iter().filter(|export| export.0 != name).collect();
    assert_eq!(left.len() + 1, before, "{name}");
    left
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// C with these exports, and the records beside them.
    fn source(&self, exports: &Exports, records: &[u8], section: &str) {
        let mut source = String::new();
        for (name, number) in exports {
            match number {
                None => writeln!(source, "EXPORT int {name}(void) {{ return 0; }}").unwrap(),
                Some(id) => {
                    writeln!(source, "EXPORT extern const unsigned long long {name};").unwrap();
                    writeln!(source, "const unsigned long long {name} = {id:#x}ULL;").unwrap();
                }
            }
        }
        let records = self.put("records.bin", records);
        let records = records.display().to_string().replace('\\', "/");
        writeln!(
            source,
            "__asm__(\".section {section}\\n.balign 4\\n.incbin \\\"{records}\\\"\\n.text\\n\");"
        )
        .unwrap();
        self.put("library.c", source);
    }

    fn compile(&self, compiler: &str, arguments: &[&str], output: &str) -> PathBuf {
        let mut command = Command::new(compiler);
        command.current_dir(self.0.path()).args(arguments).args(["library.c", "-o", output]);
        done(&mut command);
        self.0.path().join(output)
    }

    /// A shared library, as Linux has them.
    fn shared(&self, catalog: &Catalog, exports: &Exports) -> PathBuf {
        self.shared_of(&section(catalog, LITTLE_64), exports)
    }

    fn shared_of(&self, records: &[u8], exports: &Exports) -> PathBuf {
        self.source(exports, records, ".note.wirec,\\\"a\\\",%note");
        self.compile("gcc", &["-DEXPORT=", "-shared", "-fPIC"], "libcamera.so")
    }

    fn verify(&self, library: &Path, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
        command.args(["wirecontract", "verify", "--library"]).arg(library).args(arguments);
        Run::of(command.current_dir(self.0.path()).output().unwrap())
    }
}

fn done(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    errors: String,
}

impl Run {
    fn of(output: Output) -> Self {
        Run {
            code: output.status.code().expect("it ends by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn agrees(&self) {
        assert_eq!((self.code, self.out.lines().count()), (0, 1), "{self:?}");
    }

    /// These findings in this order, and nothing else.
    #[track_caller]
    fn finds(&self, parts: &[&str]) {
        assert_eq!((self.code, self.out.lines().count()), (1, parts.len()), "{self:?}");
        for (line, part) in self.out.lines().zip(parts) {
            assert!(line.contains(part), "{part:?} is not in {line}");
        }
    }

    #[track_caller]
    fn fails(&self, part: &str) {
        assert!(self.code == 1 && self.out.is_empty() && self.errors.contains(part), "{self:?}");
    }
}

/// Everything that is exported.
fn of_library(contract: &Contract) -> bool {
    match &contract.body {
        Body::Function(_) | Body::Handle(_) => true,
        Body::Symbols(symbols) => symbols.is_library,
        _ => false,
    }
}

fn constant(contract: &Contract) -> String {
    let stem = match &contract.body {
        Body::Function(function) => function.symbol.clone(),
        Body::Handle(handle) => handle.destroy.replace("_destroy", ""),
        Body::Symbols(_) => "wc_library".to_owned(),
        _ => format!("wc_{}", contract.name),
    };
    format!("{}_WIRE_ID", stem.to_uppercase())
}

fn generated(catalog: &Catalog, contracts: Vec<ContractId>, body: String, syntax: Syntax) -> String {
    artifact::render(&Artifact { path: "x".into(), body, contracts, syntax }, catalog)
}

/// `library.h`.
fn header(catalog: &Catalog) -> String {
    let contracts: Vec<ContractId> =
        catalog.iter().filter(|(_, it)| of_library(it)).map(|(id, _)| id).collect();
    let mut body = String::new();
    for &id in &contracts {
        let contract = catalog.get(id);
        writeln!(body, "#define {} UINT64_C({:#018x})", constant(contract), contract.wire_id).unwrap();
    }
    body.push_str("WC_API void wc_last_error(wc_failure *out);\n");
    for (name, _) in declared(catalog).iter().filter(|export| export.1.is_some()) {
        writeln!(body, "extern WC_API const uint64_t {name};").unwrap();
    }
    generated(catalog, contracts, body, Syntax::C)
}

/// The header of a family.
fn family(catalog: &Catalog) -> String {
    let mut body = String::new();
    for (_, contract) in catalog.iter() {
        let id = format!("UINT64_C({:#018x})", contract.wire_id);
        match &contract.body {
            Body::Function(function) => {
                writeln!(body, "WC_API wc_status {}(\n    wc_camera self);", function.symbol).unwrap();
                writeln!(body, "WC_STATIC_ASSERT({} == {id}, \"other\");", constant(contract)).unwrap();
            }
            Body::Handle(_) | Body::Symbols(_) => {}
            _ => writeln!(body, "#define {} {id}", constant(contract)).unwrap(),
        }
    }
    let contracts = catalog.iter().map(|(id, _)| id).collect();
    generated(catalog, contracts, body, Syntax::C)
}

/// The header of a family in C++.
fn family_cpp(catalog: &Catalog) -> String {
    let mut body = String::new();
    for (_, contract) in catalog.iter().filter(|(_, it)| !matches!(it.body, Body::Symbols(_))) {
        let id = format!("UINT64_C({:#018x})", contract.wire_id);
        writeln!(body, "    static constexpr std::uint64_t wire_id = {id};").unwrap();
        writeln!(body, "    static_assert(wire_id == {}, \"other\");", constant(contract)).unwrap();
    }
    let contracts = catalog.iter().map(|(id, _)| id).collect();
    generated(catalog, contracts, body, Syntax::C)
}

/// `library.py`.
fn python(catalog: &Catalog) -> String {
    let contracts = catalog.iter().filter(|(_, it)| of_library(it)).map(|(id, _)| id).collect();
    let mut body = "import ctypes\n\n_WIRE_IDS: _typing.Final = {\n".to_owned();
    for (name, id) in declared(catalog) {
        let (Some(symbol), Some(id)) = (name.strip_suffix("_wire_id"), id) else { continue };
        writeln!(body, "    \"{symbol}\": {id:#018X},").unwrap();
    }
    body.push_str("}\n_library = _call.Library(__name__, \"wc\")\n");
    generated(catalog, contracts, body.replace("0X", "0x"), Syntax::Hash)
}

/// The Python module of a family.
fn family_python(catalog: &Catalog) -> String {
    let types = catalog.iter().filter(|(_, it)| !of_library(it) && !matches!(it.body, Body::Symbols(_)));
    let mut body = String::new();
    for (_, contract) in types {
        writeln!(body, "class {}:\n    WIRE_ID: int = {:#018x}\n", contract.name, contract.wire_id).unwrap();
    }
    let contracts = catalog.iter().map(|(id, _)| id).collect();
    generated(catalog, contracts, body, Syntax::Hash)
}

const FILES: [&str; 8] =
    ["--header", "library.h", "--header", "camera.h", "--header", "camera.hpp", "--python", "python"];

/// Every file that is generated, in the folder.
fn put_all(folder: &Folder, catalog: &Catalog) {
    fs::create_dir_all(folder.0.path().join("python")).unwrap();
    folder.put("library.h", header(catalog));
    folder.put("camera.h", family(catalog));
    folder.put("camera.hpp", family_cpp(catalog));
    folder.put("python/library.py", python(catalog));
    folder.put("python/camera.py", family_python(catalog));
    folder.put("python/_wire.py", generated(&Catalog::default(), vec![], "x = 1\n".into(), Syntax::Hash));
    folder.put("python/mine.py", "x = 1\n");
    folder.put("python/notes.txt", "nothing");
}

#[test]
fn a_library_and_files_of_one_state_agree() {
    let (folder, catalog) = (Folder::new(), catalog());
    put_all(&folder, &catalog);
    let library = folder.shared(&catalog, &declared(&catalog));
    let run = folder.verify(&library, &FILES);
    run.agrees();
    assert!(
        run.out.ends_with("libcamera.so: 17 declared functions and 6 generated files agree\n"),
        "{run:?}"
    );

    // A stripped library keeps what it exports.
    done(Command::new("strip").arg(&library));
    folder.verify(&library, &FILES).agrees();

    // An object file, and an archive of one.
    let object = folder.compile("gcc", &["-DEXPORT=", "-c"], "camera.o");
    folder.verify(&object, &FILES).agrees();
    done(Command::new("ar").current_dir(folder.0.path()).args(["rcs", "libcamera.a", "camera.o"]));
    folder.verify(&folder.0.path().join("libcamera.a"), &FILES).agrees();
}

#[test]
fn a_library_of_windows_is_read_by_its_table_of_exports() {
    let (folder, catalog) = (Folder::new(), catalog());
    put_all(&folder, &catalog);
    let export = "-DEXPORT=__declspec(dllexport)";
    let compile = |exports: &Exports| {
        folder.source(exports, &section(&catalog, LITTLE_64), ".wirec,\\\"dr\\\"");
        folder.compile("x86_64-w64-mingw32-gcc", &[export, "-shared", "-nostdlib", "-Wl,-e,0"], "camera.dll")
    };
    let library = compile(&declared(&catalog));
    folder.verify(&library, &FILES).agrees();
    let mut exports = without(declared(&catalog), "wc_mean");
    exports.push(("wc_more".into(), None));
    exports.iter_mut().find(|export| export.0 == "wc_raw_wire_id").unwrap().1 = Some(7);
    folder.verify(&compile(&exports), &[]).finds(&[
        "`wc_mean` is declared and not exported",
        "`wc_raw_wire_id` is 0x0000000000000007",
        "`wc_more` is exported under the prefix `wc` and not declared",
    ]);
}

#[test]
fn an_object_of_another_system_is_read_as_it_names_symbols() {
    let (folder, catalog) = (Folder::new(), catalog());
    for (format, architecture, name) in [
        (BinaryFormat::MachO, Architecture::Aarch64, "__wirec"),
        (BinaryFormat::Coff, Architecture::X86_64, ".wirec"),
        (BinaryFormat::Coff, Architecture::I386, ".wirec"),
    ] {
        let object = |exports: &Exports| {
            let records = section(&catalog, LITTLE_64);
            let mut object = Object::new(format, architecture, Endianness::Little);
            let segment = object.segment_name(object::write::StandardSegment::Data).to_vec();
            let id = object.add_section(segment, name.into(), object::SectionKind::Data);
            object.append_section_data(id, &records, 8);
            let data = object.section_id(object::write::StandardSection::ReadOnlyData);
            for (name, number) in exports {
                let value = object.append_section_data(data, &number.unwrap_or(0).to_le_bytes(), 8);
                object.add_symbol(Symbol {
                    name: name.clone().into_bytes(),
                    value,
                    size: 8,
                    kind: SymbolKind::Data,
                    scope: SymbolScope::Dynamic,
                    weak: false,
                    section: SymbolSection::Section(data),
                    flags: SymbolFlags::None,
                });
            }
            folder.put("camera.o", object.write().unwrap())
        };
        folder.verify(&object(&declared(&catalog)), &[]).agrees();
        folder
            .verify(&object(&without(declared(&catalog), "wc_mean")), &[])
            .finds(&["`wc_mean` is declared and not exported"]);
    }
}

#[test]
fn what_is_declared_is_exported() {
    let (folder, catalog) = (Folder::new(), catalog());
    for symbol in [
        "wc_mean",
        "wc_mean_wire_id",
        "wc_camera_destroy",
        "wc_pool_destroy_wire_id",
        "wc_last_error",
        "wc_bytes_free_wire_id",
        "wc_settings_to_json",
    ] {
        let library = folder.shared(&catalog, &without(declared(&catalog), symbol));
        folder.verify(&library, &[]).finds(&[&format!("`{symbol}` is declared and not exported")]);
    }
}

#[test]
fn what_is_exported_under_the_prefix_is_declared() {
    let (folder, catalog) = (Folder::new(), catalog());
    let mut exports = declared(&catalog);
    for name in ["wc_more", "wc_others_wire_id", "wcx", "_wc_x", "other", "other_wire_id"] {
        exports.push((name.into(), None));
    }
    folder.verify(&folder.shared(&catalog, &exports), &[]).finds(&[
        "libcamera.so: `wc_more` is exported under the prefix `wc` and not declared",
        "`wc_others_wire_id` is exported under the prefix `wc` and not declared",
    ]);
    // The id of a function that is declared by its name alone is its own to export.
    let mut exports = declared(&catalog);
    exports.push(("wc_settings_to_json_wire_id".into(), None));
    folder.verify(&folder.shared(&catalog, &exports), &[]).agrees();
}

#[test]
fn the_id_that_a_function_states_is_the_declared_one() {
    let (folder, catalog) = (Folder::new(), catalog());
    let mut exports = declared(&catalog);
    exports.iter_mut().find(|export| export.0 == "wc_mean_wire_id").unwrap().1 = Some(0x1234);
    let found = catalog.get(id::MEAN).wire_id;
    folder.verify(&folder.shared(&catalog, &exports), &[]).finds(&[&format!(
        "`wc_mean_wire_id` is 0x0000000000001234, the declaration of `wc_mean` has {found:#018x}"
    )]);
    // A function in its place.
    exports.iter_mut().find(|export| export.0 == "wc_mean_wire_id").unwrap().1 = None;
    let run = folder.verify(&folder.shared(&catalog, &exports), &[]);
    run.finds(&["`wc_mean_wire_id` is "]);
}

/// The same library with a function changed, and the files of before.
#[track_caller]
fn with_old_files(change: impl FnOnce(&mut Catalog), parts: &[&str]) {
    let folder = Folder::new();
    put_all(&folder, &catalog());
    let mut catalog = fixtures::forms();
    change(&mut catalog);
    let catalog = with_ids(catalog);
    folder.verify(&folder.shared(&catalog, &declared(&catalog)), &FILES).finds(parts);
}

fn params(catalog: &mut Catalog, id: ContractId) -> &mut Vec<wirecontract_codegen::model::FunctionParam> {
    let Body::Function(function) = &mut catalog.contracts[id.0].body else { panic!("no function") };
    &mut function.params
}

#[test]
fn a_parameter_that_was_renamed_removed_retyped_or_moved_is_found_in_each_file() {
    let changes: [fn(&mut Catalog); 4] = [
        |catalog| params(catalog, id::EVERYTHING)[0].name = "size".into(),
        |catalog| drop(params(catalog, id::EVERYTHING).pop()),
        |catalog| params(catalog, id::EVERYTHING)[0].form = ParamForm::Text { is_nullable: false },
        |catalog| params(catalog, id::EVERYTHING).swap(0, 1),
    ];
    for change in changes {
        let old = catalog().get(id::EVERYTHING).wire_id;
        let mut new = fixtures::forms();
        change(&mut new);
        let new = with_ids(new).get(id::EVERYTHING).wire_id;
        let found = format!("has `wc_everything` with the id {old:#018x}, ");
        let parts =
            ["library.h", "camera.h", "camera.hpp", "library.py"].map(|file| format!("{file}: {found}"));
        let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        // The module of the family has no functions: only its statement differs.
        parts.insert(3, "camera.py: is of declarations with the source id");
        with_old_files(change, &parts);
        assert_ne!(old, new);
    }
}

#[test]
fn a_function_that_was_renamed_is_missing_and_the_new_one_unknown() {
    with_old_files(
        |catalog| {
            let Body::Function(function) = &mut catalog.contracts[id::MEAN.0].body else { return };
            function.symbol = "wc_average".into();
        },
        &[
            "library.h: names `wc_mean`, which ",
            "library.h: does not know `wc_average`, which ",
            "camera.h: names `wc_mean`, which ",
            "camera.hpp: has `WC_MEAN_WIRE_ID` with the id ",
            "camera.py: is of declarations",
            "library.py: names `wc_mean`, which ",
            "library.py: does not know `wc_average`, which ",
        ],
    );
}

#[test]
fn folders_are_searched_and_one_without_a_generated_file_is_said() {
    let (folder, catalog) = (Folder::new(), catalog());
    let library = folder.shared(&catalog, &declared(&catalog));
    fs::create_dir_all(folder.0.path().join("include/wc/deep")).unwrap();
    fs::create_dir(folder.0.path().join("empty")).unwrap();
    folder.put("include/wc/deep/library.h", header(&catalog));
    folder.put("include/wc/mine.h", "int x;\n");
    folder.verify(&library, &["--header", "include"]).agrees();
    folder.put("include/wc/deep/library.h", header(&catalog) + "int more;\n");
    folder
        .verify(&library, &["--header", "include"])
        .finds(&["include/wc/deep/library.h: was edited by hand"]);
    let said = "holds no file that wirecontract generated: name the folder that gen-stubs writes to";
    let python = format!("include: {said}");
    folder
        .verify(&library, &["--header", "empty", "--python", "include"])
        .finds(&[&format!("empty: {said}"), &python]);
}

#[test]
fn functions_of_documents_that_are_not_there_are_to_be_included() {
    let folder = Folder::new();
    let catalog = catalog();
    let functions = ["wc_palette_from_json", "wc_palette_to_json", "wc_arena_free", "wc_mean"];
    let body: String =
        functions.map(|symbol| format!("WC_API wc_status {symbol}(\n    wc_str json);\n")).concat();
    let contracts = catalog.iter().map(|(id, _)| id).collect();
    folder.put("palette.h", generated(&catalog, contracts, body, Syntax::C));
    let library = folder.shared(&catalog, &without(declared(&catalog), "wc_mean"));
    let missing = |symbol: &str, what: &str| {
        let library = library.display();
        format!("palette.h: names `{symbol}`, which {library} does not export: {what}run gen-stubs again")
    };
    let include = "include the `mod.rs` of the target `c-json` in its crate, or ";
    folder.verify(&library, &["--header", "palette.h"]).finds(&[
        "`wc_mean` is declared and not exported",
        &missing("wc_arena_free", include),
        &missing("wc_mean", ""),
        &missing("wc_palette_from_json", include),
        &missing("wc_palette_to_json", include),
    ]);
}

#[test]
fn what_a_function_takes_and_what_is_only_text_are_told_apart() {
    // A recipe, the union that holds it, and the functions that take or give one.
    let folder = Folder::new();
    folder.put("camera.h", family(&catalog()));
    folder.put("camera.py", family_python(&catalog()));
    let mut changed = fixtures::forms();
    let Body::Recipe(recipe) = &mut changed.contracts[id::SETTINGS.0].body else { panic!("no recipe") };
    recipe.keys[0].key = "shutter".into();
    let changed = with_ids(changed);
    let library = folder.shared(&changed, &declared(&changed));
    folder.verify(&library, &["--header", "camera.h", "--python", "camera.py"]).finds(&[
        "has `wc_everything` with the id",
        "has `wc_give` with the id",
        "has `WC_REGION_WIRE_ID` with the id",
        "has `WC_SETTINGS_WIRE_ID` with the id",
        "has `Region.WIRE_ID` with the id",
        "has `Settings.WIRE_ID` with the id",
    ]);
    with_old_files(
        |catalog| catalog.contracts[id::MEAN.0].docs = "Other words.".into(),
        &[
            "library.h: is of declarations with the source id 0x",
            "camera.h",
            "camera.hpp",
            "camera.py",
            "library.py",
        ],
    );
}

#[test]
fn files_that_are_no_current_artifacts_are_said_each() {
    let (folder, catalog) = (Folder::new(), catalog());
    let library = folder.shared(&catalog, &declared(&catalog));
    folder.put("library.h", header(&catalog) + "int more;\n");
    folder.put("broken.h", header(&catalog).replacen(": do", ":\ndo", 1));
    folder.put("mine.h", "int x;\n");
    folder.put("empty.h", "");
    folder.put("bytes.h", b"\xff\xfe");
    let mut other = catalog.clone();
    for contract in &mut other.contracts {
        contract.package = "other".into();
    }
    folder.put("other.h", header(&other));
    let names = ["library.h", "broken.h", "mine.h", "empty.h", "bytes.h", "none.h", "other.h"];
    let arguments: Vec<&str> = names.iter().flat_map(|name| ["--header", name]).collect();
    folder.verify(&library, &arguments).finds(&[
        "library.h: was edited by hand",
        "broken.h: was edited by hand",
        "mine.h: was not generated by wirecontract",
        "empty.h: was not generated by wirecontract",
        "bytes.h: cannot be read: it is not UTF-8",
        "none.h: cannot be read: ",
        "other.h: is of contracts of the package other, of which ",
    ]);
    // A checkout on another system.
    folder.put("library.h", header(&catalog).replace('\n', "\r\n"));
    folder.verify(&library, &["--header", "library.h"]).agrees();
}

#[test]
fn a_library_of_ids_alone_is_held_against_the_ids_that_its_functions_state() {
    let (folder, catalog) = (Folder::new(), catalog());
    put_all(&folder, &catalog);
    let records = section(&catalog, Target { ids_only: true, ..LITTLE_64 });
    folder.verify(&folder.shared_of(&records, &declared(&catalog)), &FILES).agrees();
    let library = folder.shared_of(&records, &without(declared(&catalog), "wc_mean"));
    folder.verify(&library, &[]).finds(&["`wc_mean` is declared and not exported"]);

    let mut changed = fixtures::forms();
    params(&mut changed, id::EVERYTHING).pop();
    let changed = with_ids(changed);
    let records = section(&changed, Target { ids_only: true, ..LITTLE_64 });
    let library = folder.shared_of(&records, &declared(&changed));
    folder.verify(&library, &["--header", "library.h", "--python", "python"]).finds(&[
        "library.h: has `wc_everything` with the id",
        "library.py: has `wc_everything` with the id",
    ]);
}

#[test]
fn two_packages_in_one_library_have_their_own_prefixes() {
    let mut other = fixtures::forms();
    let mut exports = Vec::new();
    for contract in &mut other.contracts {
        contract.package = "lens".into();
        contract.module = "lens::camera".into();
        match &mut contract.body {
            Body::Function(function) => {
                function.symbol = function.symbol.replacen("wc", "wc_lens", 1);
                function.prefix = "wc_lens".into();
            }
            Body::Handle(handle) => {
                handle.destroy = handle.destroy.replacen("wc", "wc_lens", 1);
                handle.prefix = "wc_lens".into();
            }
            Body::Symbols(symbols) => {
                if symbols.is_library {
                    contract.name = "wc_lens".into();
                }
                symbols.names.iter_mut().for_each(|name| *name = name.replacen("wc", "wc_lens", 1));
            }
            _ => {}
        }
    }
    let (folder, first, second) = (Folder::new(), catalog(), with_ids(other));
    exports.extend(declared(&first));
    exports.extend(declared(&second));
    let records = [section(&first, LITTLE_64), section(&second, LITTLE_64)].concat();
    put_all(&folder, &first);
    folder.verify(&folder.shared_of(&records, &exports), &FILES).agrees();
    exports.push(("wc_lens_more".into(), None));
    exports.push(("wc_lent".into(), None));
    folder.verify(&folder.shared_of(&records, &exports), &FILES).finds(&[
        "`wc_lens_more` is exported under the prefix `wc_lens` and not declared",
        "`wc_lent` is exported under the prefix `wc` and not declared",
    ]);
}

#[test]
fn functions_without_what_every_library_has_are_found() {
    let mut catalog = fixtures::forms();
    catalog.contracts.truncate(id::LIBRARY.0);
    let (folder, catalog) = (Folder::new(), with_ids(catalog));
    folder.verify(&folder.shared(&catalog, &declared(&catalog)), &[]).finds(&[
        "it has functions of the prefix `wc` and no `wirecontract::wire_library!(prefix = \"wc\")`",
    ]);
}

#[test]
fn findings_are_said_for_programs_too() {
    let (folder, catalog) = (Folder::new(), catalog());
    folder.put("mine.h", "int x;\n");
    let library = folder.shared(&catalog, &without(declared(&catalog), "wc_mean"));
    let run = folder.verify(&library, &["--format", "json", "--header", "mine.h"]);
    assert_eq!(run.code, 1, "{run:?}");
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!((&json["functions"], &json["files"]), (&17.into(), &0.into()));
    let findings = json["findings"].as_array().expect("a list");
    assert_eq!((&findings[0]["kind"], &findings[0]["symbol"]), (&"not_exported".into(), &"wc_mean".into()));
    assert_eq!((&findings[1]["kind"], &findings[1]["path"]), (&"foreign".into(), &"mine.h".into()));
    assert_eq!(findings[1]["message"], "was not generated by wirecontract");
}

#[test]
fn what_is_no_library_with_contracts_is_an_error() {
    let (folder, catalog) = (Folder::new(), catalog());
    folder.verify(&folder.0.path().join("none"), &[]).fails("cannot read");
    folder.verify(folder.0.path(), &[]).fails("is a folder");
    folder.verify(&folder.put("text", "text"), &[]).fails("expected an object file");
    let bare = object_file(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little, ".other", &[1; 4]);
    folder.verify(&folder.put("bare.o", bare), &[]).fails("no contracts in it");

    // Cut off, and with each byte of its headers another: never more than an error or findings.
    let library = fs::read(folder.shared(&catalog, &declared(&catalog))).unwrap();
    for length in [0, 16, 64, 100, library.len() / 2, library.len() - 100] {
        let run = folder.verify(&folder.put("cut.so", &library[..length]), &[]);
        assert!(run.code == 1, "{length}: {run:?}");
    }
    for at in (16..64).step_by(3) {
        let mut damaged = library.clone();
        damaged[at] ^= 0xa5;
        let run = folder.verify(&folder.put("damaged.so", &damaged), &[]);
        assert!(run.code == 0 || run.code == 1, "{at}: {run:?}");
    }
}

#[test]
fn a_command_line_that_cannot_be_followed_is_usage() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
    let run = Run::of(command.args(["wirecontract", "verify"]).output().unwrap());
    assert!(run.code == 2 && run.errors.contains("--library"), "{run:?}");
}
