//! `check`: what is declared in a library, held against a lock, at the command line.

mod catalog_support;

use std::fs;
use std::process::Command;

use catalog_support::{LITTLE_64, elf_object};
use tempfile::TempDir;
use toml::Value;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::lock::Lock;
use wirecontract_codegen::model::{Access, Body, Catalog, Contract, Element, Function, Scalar};

/// A folder with a library and a lock.
struct Folder(TempDir);

#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    errors: String,
}

impl Folder {
    /// A library of what is declared in the fixtures, changed, and no lock.
    fn of(change: impl FnOnce(&mut Catalog)) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.declare(change);
        folder
    }

    /// The same, with a lock of what the fixtures declare.
    fn agreed() -> Self {
        let folder = Folder::of(|_| {});
        folder.check(&["--accept"]).ends(0);
        folder
    }

    fn declare(&self, change: impl FnOnce(&mut Catalog)) {
        let mut catalog = fixtures::cuvis();
        change(&mut catalog);
        fs::write(self.0.path().join("lib.o"), elf_object(&catalog, LITTLE_64)).unwrap();
    }

    fn check(&self, arguments: &[&str]) -> Run {
        self.check_in("", None, arguments)
    }

    /// The same in a folder in there, as in a workflow that checks out into one.
    fn check_in(&self, folder: &str, checkout: Option<&str>, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"));
        command.env_remove("GITHUB_WORKSPACE");
        command.envs(checkout.map(|checkout| ("GITHUB_WORKSPACE", self.0.path().join(checkout))));
        let output = command
            .current_dir(self.0.path().join(folder))
            .args(["wirecontract", "check", "--library"])
            .arg(self.0.path().join("lib.o"))
            .args(["--lock", "contracts.lock"])
            .args(arguments)
            .output()
            .unwrap();
        Run {
            code: output.status.code().expect("it ends by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.0.path().join("contracts.lock")).unwrap()
    }

    fn put_lock(&self, text: &str) {
        fs::write(self.0.path().join("contracts.lock"), text).unwrap();
    }
}

impl Run {
    #[track_caller]
    fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part) || self.errors.contains(part), "{part:?} is not in {self:#?}");
        }
        self
    }
}

fn named<'a>(catalog: &'a mut Catalog, name: &str) -> &'a mut Contract {
    catalog.contracts.iter_mut().find(|contract| contract.name == name).expect("a contract of the fixtures")
}

/// The ordinal of a device, unsigned: bytes are the same, and what is negative is something else.
fn retyped(catalog: &mut Catalog) {
    let Body::Descriptor(body) = &mut named(catalog, "CudaIpcDescriptor").body else { panic!() };
    let field = body.fields.iter_mut().find(|field| field.name == "device_ordinal").unwrap();
    field.ty.element = Element::Scalar(Scalar::U32);
}

fn versions(catalog: &mut Catalog, version: u32) {
    for name in ["CudaIpcDescriptor", "CudaIpcPayload"] {
        named(catalog, name).version = Some(version);
    }
}

#[test]
fn what_is_agreed_is_written_once_and_then_what_is_declared() {
    let folder = Folder::of(|_| {});
    let count = fixtures::cuvis().contracts.len();
    folder.check(&[]).ends(1).says(&["new: ", "there is no contracts.lock yet: run check with `--accept`"]);
    assert!(!folder.0.path().join("contracts.lock").exists());
    folder.check(&["--accept"]).ends(0).says(&[&format!("accepted {count} contracts in contracts.lock")]);
    let lock = folder.lock();
    folder.check(&[]).ends(0).says(&[&format!("{count} contracts as agreed in contracts.lock")]);
    folder.check(&["--accept"]).ends(0).says(&["contracts.lock is what is declared"]);
    assert_eq!(folder.lock(), lock);
}

#[test]
fn a_breaking_change_needs_a_version_and_says_on_which_contracts() {
    let folder = Folder::agreed();
    let lock = folder.lock();
    folder.declare(retyped);
    let said = [
        "CudaIpcDescriptor (descriptor, version 1): breaking",
        "  ~     4  device_ordinal: i32",
        "device_ordinal: u32\n",
        "old readers misread it, new readers misread it",
        "=> declare `version = 2` on CudaIpcDescriptor, or take the change back",
        "=> declare `version = 2` on CudaIpcPayload, or take the change back",
        "2 changes refused",
    ];
    folder.check(&[]).ends(1).says(&said);
    folder.check(&["--accept"]).ends(1).says(&said).says(&["nothing was written"]);
    assert_eq!(folder.lock(), lock);

    folder.declare(|catalog| {
        retyped(catalog);
        versions(catalog, 2);
    });
    folder.check(&[]).ends(1).says(&["version 1 to 2): breaking", "run check with `--accept`"]);
    folder.check(&["--accept"]).ends(0).says(&["accepted 2 contracts"]);
    folder.check(&[]).ends(0);
    assert!(
        folder.lock().contains("CudaIpcDescriptor@1\"") && folder.lock().contains("CudaIpcDescriptor@2\"")
    );
    folder.check(&["--against", "CudaIpcDescriptor@1"]).ends(1).says(&["device_ordinal: i32", "breaking"]);
    folder.check(&["--against", "CudaIpcDescriptor@2"]).ends(0);
    // What was only asked asks for nothing.
    let asked = folder.check(&["--against", "CudaIpcDescriptor@1"]).ends(1);
    assert!(!asked.out.contains("--accept"), "{asked:#?}");
    let asked = folder.check(&["--against", "CudaIpcDescriptor@1", "--format", "json"]).ends(1);
    asked.says(&["\"todo\": \"nothing\"", "\"is_clean\": false"]);
    let asked = folder.check(&["--against", "CudaIpcDescriptor@1", "--format", "github"]).ends(1);
    assert!(!asked.out.contains("--accept"), "{asked:#?}");

    // What was breaking is so in the other direction too, and a version that is agreed is not taken back.
    folder.declare(|_| {});
    folder.check(&["--accept"]).ends(1).says(&[
        "version 2 of CudaIpcDescriptor is agreed already: declare that or a higher one",
        "nothing was written",
    ]);
}

#[test]
fn a_change_that_both_sides_read_is_only_to_be_accepted() {
    let folder = Folder::agreed();
    folder.declare(|catalog| {
        let Body::Enumeration(body) = &mut named(catalog, "IpcBackend").body else { panic!() };
        body.values[0].aliases.push("old_name".into());
    });
    let run = folder.check(&[]).ends(1).says(&["run check with `--accept`, and commit it"]);
    assert!(!run.out.contains("=>"), "{run:#?}");
    folder.check(&["--accept"]).ends(0);
    folder.check(&[]).ends(0);
}

#[test]
fn another_order_is_no_change_and_accept_writes_the_declared_one() {
    let folder = Folder::agreed();
    let written = folder.lock();
    let mut lock = Lock::default();
    for form in Lock::parse(&written).unwrap().forms() {
        let mut form = form.clone();
        if let Some(Value::Array(values)) = form.table.get_mut("values") {
            values.reverse();
        }
        lock.accept(form).unwrap();
    }
    let reordered = lock.text();
    assert_ne!(reordered, written);
    folder.put_lock(&reordered);
    let note =
        "note: contracts.lock: it says what is declared, in another order than `check --accept` writes";
    folder.check(&[]).ends(0).says(&[note, "contracts as agreed in contracts.lock"]);
    folder
        .check(&["--format", "json"])
        .ends(0)
        .says(&["\"is_clean\": true", "\"lock_is_as_written\": false"]);
    folder.check(&["--format", "github"]).ends(0).says(&["::notice title=contracts.lock::it says"]);
    assert_eq!(folder.lock(), reordered, "only --accept writes");

    folder.check(&["--accept"]).ends(0).says(&["is written as it is declared now"]);
    assert_eq!(folder.lock(), written);
    let run = folder.check(&[]).ends(0);
    assert!(!run.out.contains("note"), "{run:#?}");
    folder.check(&["--accept"]).ends(0).says(&["contracts.lock is what is declared\n"]);
}

#[test]
fn a_lock_that_was_arranged_by_hand_is_put_in_order_and_other_line_ends_are_none() {
    let folder = Folder::agreed();
    let lock = folder.lock();
    folder.put_lock(&lock.replace('\n', "\r\n"));
    let run = folder.check(&[]).ends(0);
    assert!(!run.out.contains("note"), "{run:#?}");
    folder.check(&["--accept"]).ends(0);
    assert!(folder.lock().contains("\r\n"), "nothing was to be written");

    let blocks: Vec<&str> = lock.split("\n\n").collect();
    let [first, rest @ ..] = blocks.as_slice() else { panic!("a lock with blocks") };
    let turned: Vec<&str> = rest.iter().rev().map(|block| block.trim_end()).collect();
    for text in [
        format!("{lock}\n# a remark\n"),
        format!("\u{feff}{lock}"),
        lock.trim_end().to_owned(),
        format!("{first}\n\n{}\n", turned.join("\n\n")),
    ] {
        folder.put_lock(&text);
        folder.check(&[]).ends(0).says(&[
            "note: contracts.lock: it says what is declared, spelled otherwise than `check --accept` writes, which writes \
             it anew and keeps no comments",
        ]);
        folder.check(&["--format", "json"]).ends(0).says(&["\"lock_is_as_written\": false"]);
        folder.check(&["--accept"]).ends(0).says(&["is what is declared, and is written anew"]);
        assert_eq!(folder.lock(), lock);
    }
}

#[cfg(unix)]
#[test]
fn accept_follows_a_link_keeps_the_mode_and_refuses_what_may_not_be_written() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::agreed();
    let written = folder.lock();
    let (lock, target) = (folder.0.path().join("contracts.lock"), folder.0.path().join("agreed/the.lock"));
    let mode = || fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    let chmod = |mode| fs::set_permissions(&target, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(folder.0.path().join("agreed")).unwrap();
    let edited = format!("{written}\n# a remark\n");
    fs::write(&target, &edited).unwrap();
    fs::remove_file(&lock).unwrap();
    symlink("agreed/the.lock", &lock).unwrap();

    chmod(0o444);
    let refused = "contracts.lock may not be written by its owner, and was left as it is";
    folder.check(&["--accept"]).ends(1).says(&[refused]);
    assert_eq!((folder.lock(), mode()), (edited, 0o444));

    chmod(0o660);
    folder.check(&["--accept"]).ends(0).says(&["contracts.lock is what is declared"]);
    assert_eq!(fs::read_link(&lock).unwrap().to_str(), Some("agreed/the.lock"));
    assert_eq!((fs::read_to_string(&target).unwrap(), mode()), (written, 0o660));

    fs::remove_file(&target).unwrap();
    for arguments in [&[][..], &["--accept"], &["--against", "IpcBackend@1"]] {
        let said = ["contracts.lock is a link to agreed/the.lock, which is not there"];
        folder.check(arguments).ends(1).says(&said);
    }
    assert!(!target.exists() && fs::symlink_metadata(&lock).unwrap().is_symlink());
}

#[test]
fn a_contract_that_moved_is_agreed_under_its_new_path_alone() {
    let folder = Folder::agreed();
    folder.declare(|catalog| {
        for contract in &mut catalog.contracts {
            contract.module = "wirecontract_gpu::ipc".into();
        }
    });
    let run = folder.check(&[]).ends(1).says(&["wirecontract_gpu::ipc::CudaIpcPayload", "harmless"]);
    assert!(!run.out.contains("=>"), "{run:#?}");
    folder.check(&["--accept"]).ends(0);
    folder.check(&[]).ends(0);
}

#[test]
fn a_function_is_exported_beside_the_old_one_or_gets_a_version() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let declare = |catalog: &Catalog| {
        fs::write(folder.0.path().join("lib.o"), elf_object(catalog, LITTLE_64)).unwrap();
    };
    let mut catalog = fixtures::export::catalog();
    declare(&catalog);
    folder.check(&["--accept"]).ends(0);
    let is_free = |body: &mut Function| body.method_of.is_none() && !body.params.is_empty();
    let functions = catalog.contracts.iter_mut().filter_map(|it| match &mut it.body {
        Body::Function(body) => Some(body),
        _ => None,
    });
    let changed = functions.into_iter().find_map(|body| is_free(body).then_some(body)).unwrap();
    changed.params.clear();
    let symbol = changed.symbol.clone();
    declare(&catalog);
    let advice = ["as it was, and this under another name", "declare `version = 2` on it"];
    folder.check(&["--accept"]).ends(1).says(&advice);

    let is_changed = |it: &&mut Contract| matches!(&it.body, Body::Function(body) if body.symbol == symbol);
    let function = catalog.contracts.iter_mut().find(is_changed).unwrap();
    function.version = Some(2);
    let name = function.name.clone();
    declare(&catalog);
    folder.check(&[]).ends(1).says(&["(function, version 1 to 2): breaking", "run check with `--accept`"]);
    folder.check(&["--accept"]).ends(0).says(&["accepted 1 contract in"]);
    assert!(
        folder.lock().contains(&format!("::{name}()@1\""))
            && folder.lock().contains(&format!("::{name}()@2\""))
    );
    folder.check(&[]).ends(0);
}

#[test]
fn a_handle_has_versions_as_other_contracts_have() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let mut catalog = fixtures::export::catalog();
    let declare = |catalog: &Catalog| {
        fs::write(folder.0.path().join("lib.o"), elf_object(catalog, LITTLE_64)).unwrap();
    };
    declare(&catalog);
    folder.check(&["--accept"]).ends(0);
    let is_shared =
        |it: &&mut Contract| matches!(&it.body, Body::Handle(body) if body.access == Access::Shared);
    let handle = catalog.contracts.iter_mut().find(is_shared).unwrap();
    let Body::Handle(body) = &mut handle.body else { unreachable!("it is a handle") };
    body.access = Access::Exclusive;
    declare(&catalog);
    let advice = "=> export Frame as it was, and this under another name, or take the change back; declare `version = 2`";
    folder.check(&["--accept"]).ends(1).says(&[
        "Frame (handle, version 1): breaking",
        advice,
        "nothing was written",
    ]);

    // Whatever is called with one, or gives one, is another function too.
    let is_refused = ["Frame", "Camera::grab", "Camera::into_frame", "Frame::close", "Frame::split", "join"];
    for contract in &mut catalog.contracts {
        if is_refused.contains(&&*contract.name) {
            contract.version = Some(2);
        }
    }
    declare(&catalog);
    folder.check(&["--accept"]).ends(0).says(&["accepted 6 contracts in"]);
    folder.check(&[]).ends(0);
}

#[test]
fn a_version_for_nothing_is_taken_back() {
    let folder = Folder::agreed();
    folder.declare(|catalog| versions(catalog, 2));
    folder.check(&["--accept"]).ends(1).says(&[
        "CudaIpcDescriptor has a new version and is the same: declare `version = 1` again",
        "CudaIpcPayload has a new version and is the same",
    ]);
}

#[test]
fn what_goes_was_deprecated_before() {
    let gone = |catalog: &mut Catalog| {
        let last = catalog.contracts.pop().unwrap();
        assert_eq!(last.name, "CudaIpcPayload", "nothing holds it");
    };
    let folder = Folder::agreed();
    let lock = folder.lock();
    folder.declare(gone);
    let advice =
        "=> declare CudaIpcPayload again, with `deprecated = \"…\"`, and remove it in a later version";
    folder.check(&["--accept"]).ends(1).says(&["CudaIpcPayload (descriptor, version 1): removed", advice]);
    assert_eq!(folder.lock(), lock);

    folder.declare(|catalog| named(catalog, "CudaIpcPayload").deprecated = Some("send the handle".into()));
    folder.check(&["--accept"]).ends(0);
    folder.declare(gone);
    folder.check(&["--accept"]).ends(0);
    folder.check(&[]).ends(0);
    assert!(folder.lock().contains("removed = true"));

    // What comes back is another contract, or the same one.
    folder.declare(retyped);
    folder.check(&["--accept"]).ends(1).says(&["declare `version = 2` on CudaIpcPayload"]);
}

#[test]
fn a_lock_that_is_none_is_refused_and_left_alone() {
    let folder = Folder::agreed();
    let lock = folder.lock();
    for (text, parts) in [
        (lock.replace("i32", "u32"), ["contracts.lock: line 4: ", "was changed after it was accepted"]),
        (format!("<<<<<<< ours\n{lock}"), ["contracts.lock: line 1", "<<<<<<<"]),
        (
            lock.replace("format = 1", "format = 2"),
            ["contracts.lock: line 2: ", "the lock has format 2, this version reads 1"],
        ),
        (lock.replace("kind = \"enumeration\"", "kind = \"ensemble\""), ["contracts.lock:", "ensemble"]),
        ("nothing".to_owned(), ["contracts.lock:", "TOML"]),
    ] {
        folder.put_lock(&text);
        for arguments in [&[][..], &["--accept"], &["--against", "IpcBackend@1"]] {
            folder.check(arguments).ends(1).says(&parts);
            assert_eq!(folder.lock(), text);
        }
    }
    fs::write(folder.0.path().join("contracts.lock"), b"format = 1\n\xff").unwrap();
    folder.check(&[]).ends(1).says(&["contracts.lock is not UTF-8 at byte 11"]);
}

#[test]
fn programs_are_told_what_people_are() {
    let folder = Folder::agreed();
    folder.declare(retyped);
    let json = folder.check(&["--format", "json"]).ends(1);
    for part in [
        "\"is_clean\": false",
        "\"path\": \"wirecontract_gpu::cuvis::CudaIpcDescriptor\"",
        "\"agreed\": 1",
        "\"verdict\": \"breaking\"",
        "\"todo\": \"bump\"",
        "\"version\": 2",
        "\"at\": \"device_ordinal\"",
        "\"old_readers\": \"misread\"",
    ] {
        assert!(json.out.contains(part), "{part} is not in {}", json.out);
    }
    let github = folder.check(&["--format", "github"]).ends(1);
    let line =
        github.out.lines().find(|line| line.contains("CudaIpcDescriptor%3A")).or(github.out.lines().next());
    let line = line.expect("an annotation");
    assert!(line.starts_with("::error file="), "{line}");
    assert!(
        line.contains("title=wirecontract_gpu%3A%3Acuvis%3A%3ACudaIpcDescriptor%3A breaking::"),
        "{line}"
    );
    assert!(line.ends_with("delete its block from the lock)"), "{line}");
}

#[test]
fn programs_are_told_why_nothing_can_be_said() {
    let folder = Folder::agreed();
    let lock = folder.lock();
    let heading = lock.lines().position(|line| line.starts_with("[\"")).unwrap() + 1;
    let markers = |lock: &str| {
        let lines: Vec<&str> = lock.lines().collect();
        let (before, after) = lines.split_at(heading);
        [before, &["<<<<<<< ours", "=======", ">>>>>>> theirs"], after].concat().join("\n")
    };
    for (text, code, line) in [
        (markers(&lock), "lock_conflict", Some(heading + 1)),
        (lock.replacen("i32", "u32", 1), "lock_edited", Some(heading)),
        (lock.replace("format = 1", "format = 2"), "lock_newer", Some(2)),
        ("a = 1\nb".to_owned(), "lock_damaged", Some(2)),
        (String::new(), "lock_damaged", None),
    ] {
        folder.put_lock(&text);
        let run = folder.check(&["--format", "json"]).ends(1);
        let said: serde_json::Value = serde_json::from_str(&run.out).expect("JSON on the output");
        let error = &said["error"];
        assert_eq!(error["code"], code, "{said}");
        assert_eq!(error["file"], "contracts.lock", "{said}");
        assert_eq!(error["line"].as_u64(), line.map(|line| line as u64), "{said}");
        let message = error["message"].as_str().expect("a message");
        assert_eq!(run.errors, format!("error: {message}\n"));

        let run = folder.check(&["--format", "github"]).ends(1);
        let line = line.unwrap_or(1);
        let start = format!("::error file=contracts.lock,line={line},title=check::contracts.lock: ");
        assert!(run.out.starts_with(&start) && run.out.lines().count() == 1, "{run:#?}");
        assert_eq!(folder.check(&[]).ends(1).out, "");
    }
    let run = folder.check_in("", None, &["--format", "json", "--against", "IpcBackend"]).ends(1);
    assert!(run.out.contains("lock_damaged"), "{run:#?}");
    folder.put_lock(&lock);
    let run = folder.check(&["--format", "json", "--against", "IpcBackend"]).ends(2);
    let said: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let message = "`IpcBackend` names no version: write NAME@VERSION, such as Camera@2";
    assert_eq!(said, serde_json::json!({ "error": { "code": "usage", "message": message } }));
}

#[test]
fn annotations_name_files_from_the_root_of_the_repository() {
    let folder = Folder::of(|_| {});
    fs::create_dir_all(folder.0.path().join("checkout/repository/sdk/.cargo")).unwrap();
    fs::create_dir(folder.0.path().join("checkout/repository/.git")).unwrap();
    let sdk = "checkout/repository/sdk";
    fs::write(folder.0.path().join(sdk).join("contracts.lock"), "no lock").unwrap();
    for (checkout, file) in [
        (Some("checkout"), "repository/sdk/contracts.lock"),
        (Some("checkout/repository"), "sdk/contracts.lock"),
        (Some("elsewhere"), "sdk/contracts.lock"),
        (Some(""), "checkout/repository/sdk/contracts.lock"),
        (None, "sdk/contracts.lock"),
    ] {
        let run = folder.check_in(sdk, checkout, &["--format", "github"]).ends(1);
        assert!(run.out.starts_with(&format!("::error file={file},line=1,")), "{checkout:?}: {run:#?}");
    }
}

#[test]
fn a_command_line_that_cannot_be_followed_is_usage() {
    let folder = Folder::agreed();
    for (arguments, said) in [
        (["--against", "IpcBackend"], "`IpcBackend` names no version"),
        (["--against", "IpcBackend@x"], "`IpcBackend@x` names no version"),
        (["--against", "IpcBakend@1"], "called `IpcBakend`; is it IpcBackend?"),
        (["--against", "IpcBackend@7"], "no version 7 of wirecontract_gpu::cuvis::IpcBackend: it has 1"),
    ] {
        folder.check(&arguments).ends(2).says(&[said]);
    }
    let bare = Command::new(env!("CARGO_BIN_EXE_cargo-wirecontract"))
        .current_dir(folder.0.path())
        .args(["wirecontract", "check", "--library", "lib.o"])
        .output()
        .unwrap();
    assert_eq!(bare.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bare.stderr).contains("pass `--lock PATH`"));
}
