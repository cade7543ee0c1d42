//! Two branches that change a lock, put together by git.

mod catalog_support;

use std::fs;
use std::path::Path;
use std::process::Command;

use catalog_support::with_ids;
use wirecontract_codegen::fixtures::{self, contract};
use wirecontract_codegen::lock::{Form, Lock};
use wirecontract_codegen::model::{Body, Catalog, Contract, Enumeration, Scalar};

/// Three contracts, of which none holds another: where one does, a change of what it holds is a change of both.
fn before() -> Catalog {
    Catalog { contracts: ["Alpha", "Gamma", "Omega"].map(enumeration).into() }
}

fn enumeration(name: &str) -> Contract {
    contract(name, fixtures::cuvis().contracts[0].body.clone())
}

fn body(catalog: &mut Catalog, at: usize) -> &mut Enumeration {
    let Body::Enumeration(body) = &mut catalog.contracts[at].body else { panic!("it is one") };
    body
}

fn accepted(catalog: Catalog, lock: &mut Lock) {
    let catalog = with_ids(catalog);
    for (id, _) in catalog.iter() {
        lock.accept(Form::of(&catalog, id)).expect("no version goes back");
    }
}

/// What a branch makes of the lock.
fn changed(change: impl FnOnce(&mut Catalog)) -> Lock {
    let mut lock = Lock::default();
    accepted(before(), &mut lock);
    let mut catalog = before();
    change(&mut catalog);
    accepted(catalog, &mut lock);
    lock
}

/// The file that git makes of two branches, and whether it found no conflict.
fn merged(ours: &Lock, theirs: &Lock) -> (String, bool) {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let folder = folder.path();
    let mut lock = Lock::default();
    accepted(before(), &mut lock);
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    commit(folder, &lock);
    git(folder, &["checkout", "--quiet", "-b", "theirs"]);
    commit(folder, theirs);
    git(folder, &["checkout", "--quiet", "main"]);
    commit(folder, ours);
    let is_clean = git(folder, &["merge", "--quiet", "--no-edit", "theirs"]);
    (fs::read_to_string(folder.join("contracts.lock")).expect("the file is there"), is_clean)
}

fn commit(folder: &Path, lock: &Lock) {
    fs::write(folder.join("contracts.lock"), lock.text()).expect("the folder can be written to");
    assert!(git(folder, &["add", "contracts.lock"]));
    assert!(git(folder, &["commit", "--quiet", "--message=one"]));
}

fn git(folder: &Path, arguments: &[&str]) -> bool {
    let nowhere = folder.join("no-configuration");
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.autocrlf=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", &nowhere)
        .env("GIT_CONFIG_SYSTEM", &nowhere)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .expect("git starts");
    output.status.success()
}

#[test]
fn branches_that_change_neighbours_merge() {
    // The last line of the members of one, and the first one of the next.
    let ours = changed(|catalog| body(catalog, 0).values[3].wire_name.push('s'));
    let theirs = changed(|catalog| body(catalog, 1).repr = Scalar::U32);
    let (text, is_clean) = merged(&ours, &theirs);
    assert!(is_clean, "{text}");
    let lock = Lock::parse(&text).expect("a merged lock is one");
    assert_eq!(
        lock.current("wirecontract_gpu::cuvis::Alpha"),
        ours.current("wirecontract_gpu::cuvis::Alpha")
    );
    assert_eq!(
        lock.current("wirecontract_gpu::cuvis::Gamma"),
        theirs.current("wirecontract_gpu::cuvis::Gamma")
    );
    assert_ne!(lock, ours);
    assert_ne!(lock, theirs);
    assert_eq!(lock.text(), text);
}

#[test]
fn new_contracts_and_versions_merge_with_changes_beside_them() {
    let ours = changed(|catalog| {
        body(catalog, 0).values[3].wire_name.push('s');
        body(catalog, 1).repr = Scalar::U32;
        catalog.contracts[1].version = Some(2);
    });
    let theirs = changed(|catalog| {
        catalog.contracts.push(enumeration("Beta"));
        body(catalog, 2).values.pop();
    });
    let (text, is_clean) = merged(&ours, &theirs);
    assert!(is_clean, "{text}");
    let lock = Lock::parse(&text).expect("a merged lock is one");
    assert_eq!(lock.forms().map(|form| form.version).collect::<Vec<_>>(), [1, 1, 2, 1]);
    assert_eq!(lock.versions("wirecontract_gpu::cuvis::Gamma").count(), 2);
    assert_eq!(lock.text(), text);
}

#[test]
fn branches_that_change_one_contract_are_refused_by_its_name() {
    let ours = changed(|catalog| body(catalog, 1).values[0].aliases.clear());
    let theirs = changed(|catalog| body(catalog, 1).values[3].wire_name.push('s'));
    let (text, is_clean) = merged(&ours, &theirs);
    assert!(!is_clean, "{text}");
    assert_eq!(
        Lock::parse(&text).expect_err("it has conflicts").to_string(),
        "line 19: the conflict marker `<<<<<<<` in wirecontract_gpu::cuvis::Gamma@1: two branches changed what is agreed; \
         merge the declarations, take the whole file of the branch that others use (`git checkout --ours` or `--theirs`), \
         and run `cargo wirecontract check`"
    );
}

#[test]
fn branches_that_accept_two_contracts_of_one_name_are_refused_by_it() {
    let branch = |repr| {
        changed(|catalog| {
            catalog.contracts.push(enumeration("Beta"));
            body(catalog, 3).repr = repr;
        })
    };
    let (text, is_clean) = merged(&branch(Scalar::U8), &branch(Scalar::U16));
    assert!(!is_clean, "{text}");
    let error = Lock::parse(&text).expect_err("it has conflicts").to_string();
    assert!(
        error.starts_with("line 19: the conflict marker `<<<<<<<` in wirecontract_gpu::cuvis::Beta@1: "),
        "{error}"
    );
}
