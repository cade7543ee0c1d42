//! Functions that a real library exports: what its records say, and whether `verify` finds the library whole.
//!
//! The crate is built in a folder of its own, with this workspace's lock file: what it pins is what it uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::SystemTime;

use fs4::FileExt;
use wirecontract_codegen::artifact;
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::{Artifact, Syntax};
use wirecontract_codegen::model::{
    AbiScalar, AbiType, Access, Body, Catalog, Contract, Function, OutForm, ParamForm, Pass, Scalar, Symbols,
};

const LENS: &str = r#"//! A lens.
use core::ffi::c_long;
use wirecontract::{CallbackError, Code, Failure, Flags, Open, WireContract, wire_export, wire_library};

wire_library!(prefix = "lens");

/// How it focuses.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Focus {
    Manual = 1,
    Auto = 2,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum Coating {
    Hard = 1,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct Point {
    pub x: f64,
    pub serial: c_long,
}

#[derive(WireContract, Clone, Debug)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Frame {
    pub index: u32,
    pub count: u32,
}

#[derive(WireContract, Clone, Debug)]
#[wire(recipe)]
pub struct Settings {
    pub aperture: u32,
}

/// A lens.
#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "lens", since = 2)]
pub struct Lens {
    position: f32,
}

#[derive(WireContract)]
#[wire(handle, shared, prefix = "lens")]
pub struct Mount(u8);

#[wire_export(prefix = "lens")]
impl Lens {
    /// Opens a lens.
    pub fn open(name: &str) -> Result<Self, Failure> {
        if name.is_empty() { Err(Failure::new(Code::OutOfRange, "no name")) } else { Ok(Lens { position: 0.0 }) }
    }

    #[wire(since = 3, deprecated = "use position")]
    pub fn position(&self) -> f32 {
        self.position
    }

    pub fn set_position(&mut self, #[wire(was = to)] target: f32) {
        self.position = target;
    }

    #[wire(out(near, far))]
    pub fn range(&self, focus: Focus, hint: Option<&str>) -> (f32, f32) {
        let _ = (focus, hint);
        (0.0, 1.0)
    }

    pub fn sweep(
        &mut self,
        #[wire(names(index, samples, label))] on_step: &mut dyn FnMut(u32, &[f32], &str) -> Result<(), CallbackError>,
    ) -> Result<(), Failure> {
        on_step(1, &[1.0], "step")?;
        Ok(())
    }

    pub fn socket(&self) -> Result<std::os::fd::OwnedFd, Failure> {
        Err(Failure::new(Code::Refused, "it has none"))
    }

    pub fn lent(&self) -> wirecontract::export::LentFd {
        wirecontract::export::LentFd::of(&std::io::stderr())
    }

    pub fn close(self) {}

    #[wire(skip)]
    pub fn rust_only(&self) {}
}

#[wire_export(prefix = "lens")]
impl Mount {
    pub fn new() -> Self {
        Mount(0)
    }

    pub fn attach(&self, lens: &Lens, other: &mut Lens) -> u8 {
        let _ = (lens, other);
        self.0
    }
}

/// The mean of samples.
#[wire_export(prefix = "lens")]
pub extern "C" fn lens_mean(samples: &[f32]) -> f32 {
    samples.iter().sum()
}

#[wire_export(prefix = "lens")]
pub fn forms(
    serial: c_long,
    point: Point,
    open: Open<Focus>,
    coating: Flags<Coating>,
    from: &Point,
    into: Option<&mut f64>,
    points: &mut [Point],
    frame: &Frame,
    settings: &Settings,
) -> (Point, Focus, String, Vec<u8>, Frame, Settings, Mount) {
    let _ = (serial, open, coating, from, into, points);
    (point, Focus::Auto, String::new(), Vec::new(), frame.clone(), settings.clone(), Mount(1))
}

#[wire_export(prefix = "lens", out(first))]
pub unsafe fn raw(points: *const Point, release: Option<unsafe extern "C" fn(point: *mut Point)>) -> *const Point {
    let _ = release;
    points
}
"#;

static CRATE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-real");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let core = root.join("contracts/core").display().to_string().replace('\\', "/");
    let crate_of = |name: &str, version: &str, source: &str| {
        let manifest = format!(
            "[package]\nname = \"lens\"\nversion = \"{version}\"\nedition = \"2024\"\n[workspace]\n\
             [lib]\ncrate-type = [\"rlib\", \"cdylib\", \"staticlib\"]\n\
             [dependencies]\nwirecontract = {{ path = \"{core}\", features = [\"export\"] }}\n"
        );
        let put = |path: PathBuf, content: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Cargo builds again what looks newer.
            if fs::read_to_string(&path).ok().as_deref() != Some(content) {
                fs::write(&path, content).unwrap();
            }
        };
        put(folder.join(name).join("Cargo.toml"), &manifest);
        put(folder.join(name).join("Cargo.lock"), &fs::read_to_string(root.join("Cargo.lock")).unwrap());
        put(folder.join(name).join("src/lib.rs"), source);
    };
    crate_of("lens", "0.1.0", LENS);
    // A function that gained a parameter and kept its symbol.
    crate_of(
        "changed",
        "0.2.0",
        &LENS.replace("fn lens_mean(samples: &[f32])", "fn lens_mean(samples: &[f32], _at: u32)"),
    );
    folder
});

/// The folder with the libraries that a build of the crate in that folder leaves.
fn build(name: &str, flags: &str) -> PathBuf {
    // Tests may be processes of their own, and what one build leaves the next one replaces. Released when dropped.
    let one_at_a_time = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-real.lock");
    let one_at_a_time = fs::File::create(one_at_a_time).unwrap();
    FileExt::lock(&one_at_a_time).unwrap();
    // Cargo does not put back what it built earlier, where the other crate's files stand now.
    let source = fs::File::options().append(true).open(CRATE.join(name).join("src/lib.rs")).unwrap();
    source.set_modified(SystemTime::now()).unwrap();
    // Dependencies are built once for all crates that have the same flags.
    let kind = if flags.is_empty() { "plain" } else { "ids" };
    let target = CRATE.join("target").join(kind);
    let mut command = Command::new("cargo");
    command
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", flags)
        .current_dir(CRATE.join(name));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let libraries = CRATE.join("libraries").join(kind).join(name);
    fs::create_dir_all(&libraries).unwrap();
    for library in LIBRARIES {
        fs::copy(target.join("debug").join(library), libraries.join(library)).unwrap();
    }
    libraries
}

const LIBRARIES: [&str; 3] = ["liblens.so", "liblens.a", "liblens.rlib"];

fn catalog(library: &Path) -> Catalog {
    let library = read_file(library).unwrap_or_else(|error| panic!("{error}"));
    resolve(&library.records).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn get<'catalog>(catalog: &'catalog Catalog, name: &str) -> &'catalog Contract {
    let mut found = catalog.contracts.iter().filter(|it| it.package == "lens" && it.name == name);
    let contract = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none());
    contract
}

fn verify(library: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
    command.args(["wirecontract", "verify", "--library"]).arg(library).args(arguments);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.code().expect("it ends by itself"), text)
}

#[test]
fn what_a_library_exports_is_what_is_read() {
    let folder = build("lens", "");
    let catalog = catalog(&folder.join("liblens.so"));
    let lens = get(&catalog, "Lens");
    let handle = lens.handle();
    assert_eq!((lens.since, &*lens.docs), (Some(2), "A lens."));
    assert_eq!(
        (handle.access, &*handle.destroy, &*handle.prefix),
        (Access::Exclusive, "lens_lens_destroy", "lens")
    );
    let mount = get(&catalog, "Mount").handle();
    assert_eq!(mount.access, Access::Shared);
    assert_ne!(mount.tag, handle.tag);
    let Body::Symbols(library) = &get(&catalog, "lens").body else { panic!("no library") };
    let names = ["lens_last_error", "lens_bytes_free"].map(str::to_owned).to_vec();
    assert_eq!(*library, Symbols { is_library: true, names });

    let lens = catalog.iter().find(|(_, it)| it.name == "Lens").unwrap().0;
    let function = |name: &str| get(&catalog, name).function();
    let forms = |function: &Function| {
        function.params.iter().map(|param| (param.name.clone(), param.form.clone())).collect::<Vec<_>>()
    };
    let float = || AbiType::Scalar(AbiScalar::Fixed(Scalar::F32));
    let open = get(&catalog, "Lens::open");
    assert_eq!((&*open.docs, &*open.function().symbol), ("Opens a lens.", "lens_lens_open"));
    assert_eq!(forms(open.function()), [("name".into(), ParamForm::Text { is_nullable: false })]);
    assert_eq!(
        (open.function().method_of, &open.function().outs[0].form),
        (Some(lens), &OutForm::Handle(lens))
    );
    let position = get(&catalog, "Lens::position");
    assert_eq!((position.since, position.deprecated.as_deref()), (Some(3), Some("use position")));
    let receiver = |pass| ("self".to_owned(), ParamForm::Handle { contract: lens, pass });
    assert_eq!(forms(position.function()), [receiver(Pass::Borrowed)]);
    let set = function("Lens::set_position");
    assert_eq!(forms(set), [receiver(Pass::BorrowedMut), ("target".into(), ParamForm::Value(float()))]);
    assert_eq!(set.params[1].was.as_deref(), Some("to"));
    assert_eq!(forms(function("Lens::close")), [receiver(Pass::Taken)]);
    assert_eq!(function("Lens::socket").outs[0].form, OutForm::Fd { is_given: true });
    assert_eq!(function("Lens::lent").outs[0].form, OutForm::Fd { is_given: false });
    let range = function("Lens::range");
    assert!(matches!(range.params[1].form, ParamForm::Closed(_)), "{range:?}");
    assert_eq!(range.params[2].form, ParamForm::Text { is_nullable: true });
    let outs: Vec<&str> = range.outs.iter().map(|out| &*out.name).collect();
    assert_eq!(outs, ["near", "far"]);
    let ParamForm::Callback(told) = &function("Lens::sweep").params[1].form else { panic!("no callback") };
    let told: Vec<(&str, &ParamForm)> = told.iter().map(|it| (&*it.name, &it.form)).collect();
    let samples = ParamForm::Slice { item: float(), is_mut: false };
    let index = ParamForm::Value(AbiType::Scalar(AbiScalar::Fixed(Scalar::U32)));
    let label = ParamForm::Text { is_nullable: false };
    assert_eq!(told, [("index", &index), ("samples", &samples), ("label", &label)]);
    assert!(catalog.contracts.iter().all(|contract| !contract.name.contains("rust_only")));
    let raw = function("raw");
    assert!(raw.is_unsafe && !set.is_unsafe);
    let AbiType::Function(signature) = (match &raw.params[1].form {
        ParamForm::Value(ty) => ty,
        other => panic!("{other:?}"),
    }) else {
        panic!("no function")
    };
    assert_eq!((signature.named, &*signature.params[0].name), (true, "point"));
}

#[test]
fn every_form_is_read() {
    let catalog = catalog(&build("lens", "").join("liblens.rlib"));
    let named = |id| &*catalog.get(id).name;
    let function = get(&catalog, "forms").function();
    let params: Vec<String> = function
        .params
        .iter()
        .map(|param| match &param.form {
            ParamForm::Value(AbiType::Scalar(scalar)) => format!("{scalar:?}"),
            ParamForm::Value(AbiType::Struct(id) | AbiType::Enumeration(id) | AbiType::Flags(id)) => {
                named(*id).to_owned()
            }
            ParamForm::Reference { to: AbiType::Struct(id), is_mut: false, is_nullable: false } => {
                format!("&{}", named(*id))
            }
            ParamForm::Reference { to: AbiType::Scalar(scalar), is_mut: true, is_nullable: true } => {
                format!("?&mut {scalar:?}")
            }
            ParamForm::Slice { item: AbiType::Struct(id), is_mut: true } => format!("[{}]", named(*id)),
            ParamForm::Descriptor(id) => format!("bytes of {}", named(*id)),
            ParamForm::Document(id) => format!("JSON of {}", named(*id)),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "Long",
        "Point",
        "Focus",
        "Coating",
        "&Point",
        "?&mut Fixed(F64)",
        "[Point]",
        "bytes of Frame",
        "JSON of Settings",
    ];
    assert_eq!(params, expected);
    let outs: Vec<String> = function
        .outs
        .iter()
        .map(|out| match &out.form {
            OutForm::Value(AbiType::Struct(id)) | OutForm::Closed(id) | OutForm::Handle(id) => {
                format!("{}: {}", out.name, named(*id))
            }
            OutForm::Descriptor(id) => format!("{}: bytes of {}", out.name, named(*id)),
            OutForm::Document(id) => format!("{}: JSON of {}", out.name, named(*id)),
            OutForm::Text => format!("{}: text", out.name),
            OutForm::Bytes => format!("{}: bytes", out.name),
            other @ (OutForm::Value(_) | OutForm::Fd { .. }) => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "out_1: Point",
        "out_2: Focus",
        "out_3: text",
        "out_4: bytes",
        "out_5: bytes of Frame",
        "out_6: JSON of Settings",
        "out_7: Mount",
    ];
    assert_eq!(outs, expected);
}

#[test]
fn a_library_that_was_built_is_whole_in_every_form() {
    let folder = build("lens", "");
    for name in LIBRARIES {
        let (code, text) = verify(&folder.join(name), &[]);
        assert_eq!(
            (code, text.ends_with(": 17 declared functions and 0 generated files agree\n")),
            (0, true),
            "{name}: {text}"
        );
    }
    let folder = build("lens", "--cfg wirecontract_record=\"ids\"");
    let (code, text) = verify(&folder.join("liblens.so"), &[]);
    assert!(code == 0 && text.contains(": 17 declared functions"), "{text}");
}

#[test]
fn a_function_that_gained_a_parameter_is_found_in_what_was_generated_before() {
    let catalog = catalog(&build("lens", "").join("liblens.so"));
    let (id, mean) = catalog.iter().find(|(_, it)| it.name == "lens_mean").unwrap();
    let body = format!(
        "WC_STATIC_ASSERT(LENS_MEAN_WIRE_ID == UINT64_C({:#018x}), \"other\");\nLENS_API wc_status lens_mean(\n",
        mean.wire_id
    );
    let header = Artifact { path: "lens.h".into(), body, contracts: vec![id], syntax: Syntax::C };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lens.h");
    fs::write(&path, artifact::render(&header, &catalog)).unwrap();
    let (code, text) =
        verify(&build("changed", "").join("liblens.so"), &["--header", path.to_str().unwrap()]);
    let found = format!("lens.h: has `lens_mean` with the id {:#018x}, ", mean.wire_id);
    assert!(code == 1 && text.lines().count() == 1 && text.contains(&found), "{text}");
}
