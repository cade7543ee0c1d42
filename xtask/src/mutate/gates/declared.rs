//! Gates that look at declarations, artifacts and libraries, and run nothing.

use std::path::Path;

use wirecontract::hello::{Hello, SpokenContract, SpokenVersion, negotiate};
use wirecontract_codegen::artifact::{self, State};
use wirecontract_codegen::check;
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_codegen::model::{Catalog, Contract};
use wirecontract_codegen::verify::Shipped;

use super::{Case, Outcome};
use crate::mutate::operators::Promise;
use crate::mutate::subject::{Original, Subject};

/// What `check` says of committed artifacts: the first that is not what is declared.
pub(super) fn check(case: &Case<'_>) -> Option<String> {
    case.files.iter().find_map(|file| {
        let committed = case.subject.files.iter().find(|original| original.path == file.path);
        let Some(committed) = committed else { return Some(format!("{} is not there", file.path)) };
        let state = artifact::state(&committed.text, &file.text);
        (state != State::Fresh).then(|| format!("{} is {}", committed.committed.display(), word(state)))
    })
}

/// What it says of one that somebody edited.
pub(super) fn edited(original: &Original, text: &str) -> Option<String> {
    let state = artifact::state(text, &original.text);
    (state != State::Fresh).then(|| format!("{} is {}", original.committed.display(), word(state)))
}

fn word(state: State) -> &'static str {
    match state {
        State::Fresh => "current",
        State::Stale => "stale",
        State::OtherPackage => "another package's",
        State::Outdated => "outdated",
        State::Edited => "edited by hand",
        State::Foreign => "not generated",
    }
}

/// What `check` says of the lock: the first change that is not to be accepted as it is.
pub(super) fn lock(subject: &Subject, catalog: &Catalog) -> Option<String> {
    let changed = check::changed(&subject.lock, catalog, &subject.packages);
    changed.iter().find(|changed| !changed.is_allowed).map(|changed| {
        let why = changed.changes.first().map_or_else(String::new, |change| format!(": {change}"));
        format!("{} is {}{why}", changed.path, changed.verdict)
    })
}

/// What `verify` says of the changed library beside unchanged artifacts, if it says the same of changed artifacts beside
/// the unchanged library: both are one-sided.
pub(super) fn verify(case: &Case<'_>, library: &[u8]) -> Option<String> {
    let changed = match Shipped::read(library) {
        Ok(shipped) => shipped,
        Err(error) => return Some(error.to_string()),
    };
    let is_looked_at = |target: Target| matches!(target, Target::C | Target::Cpp | Target::Python);
    let originals = case.subject.files.iter().filter(|file| is_looked_at(file.target));
    let found = originals.flat_map(|file| changed.generated(Path::new(&file.path), file.text.as_bytes()));
    let found = changed.exports().into_iter().chain(found).next();
    let other = verify_file(case);
    // What has no file of another state has no other way round.
    if case.files.iter().any(|file| is_looked_at(file.target)) {
        found.filter(|_| other.is_some())
    } else {
        found
    }
}

/// What `verify` says of the unchanged library beside changed files.
pub(super) fn verify_file(case: &Case<'_>) -> Option<String> {
    let shipped = Shipped::read(&case.subject.library).ok()?;
    let files =
        case.files.iter().filter(|file| matches!(file.target, Target::C | Target::Cpp | Target::Python));
    files.flat_map(|file| shipped.generated(Path::new(&file.path), file.text.as_bytes())).next()
}

/// What negotiation says of a side of these declarations and one of the unchanged ones: each lists what it speaks, and
/// what both speak is spoken at the highest version that both list with one wire id.
pub(super) fn hello(subject: &Subject, catalog: &Catalog) -> Option<String> {
    let [ours, theirs] = [subject.catalog(), catalog].map(|catalog| {
        let spoken = catalog.contracts.iter().filter(|contract| contract.is_spoken());
        said(spoken.map(|contract| (contract.path(), contract.spoken().collect())))
    });
    refused(&ours, &theirs)
}

/// What it says of a program that was built with an edited artifact: its hello has the ids that stand there. None where
/// no ids do.
pub(super) fn hello_of_file(original: &Original, text: &str) -> Option<Outcome> {
    let [ours, theirs] = [&*original.text, text].map(|text| {
        let stated = wire_ids(text).enumerate();
        said(stated.map(|(index, id)| (format!("{}#{index}", original.path), vec![(1, id)])))
    });
    (!ours.speaks.is_empty()).then(|| Outcome::of(refused(&ours, &theirs)))
}

/// The wire ids that a header or a module states, of all versions, in their order.
fn wire_ids(text: &str) -> impl Iterator<Item = u64> {
    let stated = text.lines().filter(|line| {
        let line = line.to_ascii_lowercase();
        line.contains("wire_id") || line.contains("versions")
    });
    stated.flat_map(|line| {
        line.split("0x").skip(1).filter_map(|digits| {
            let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            u64::from_str_radix(&digits[..end], 16).ok()
        })
    })
}

fn said(contracts: impl Iterator<Item = (String, Vec<(u32, u64)>)>) -> Hello {
    let speaks = contracts.map(|(name, versions)| {
        let versions = versions.into_iter().map(|(version, id)| SpokenVersion::new(version, id)).collect();
        SpokenContract { name, versions }
    });
    Hello { speaks: speaks.collect(), ..Hello::new() }
}

fn refused(ours: &Hello, theirs: &Hello) -> Option<String> {
    let names = ours.speaks.iter().map(|spoken| &spoken.name);
    names.filter_map(|name| negotiate(ours, theirs, name).err()).map(|error| error.to_string()).next()
}

/// What a harmless change was to leave alone, and did not.
pub(super) fn broken(subject: &Subject, catalog: &Catalog, promise: Promise) -> Vec<String> {
    let ids = |catalog: &Catalog, of: fn(&Contract) -> u64| {
        let mut ids: Vec<u64> = catalog.contracts.iter().map(of).collect();
        ids.sort_unstable();
        ids
    };
    let mut broken = Vec::new();
    let wire = |contract: &Contract| contract.wire_id;
    if promise.wire_ids && ids(subject.catalog(), wire) != ids(catalog, wire) {
        broken.push("expected every wire id to stay, found another one".to_owned());
    }
    let source = |contract: &Contract| contract.source_id;
    let is_same = ids(subject.catalog(), source) == ids(catalog, source);
    if promise.source_ids != is_same {
        let [expected, found] = if is_same { ["another", "none"] } else { ["no other", "one"] };
        broken.push(format!("expected {expected} source id, found {found}"));
    }
    let changed = check::changed(&subject.lock, catalog, &subject.packages);
    for each in
        changed.iter().filter(|each| each.verdict > wirecontract_codegen::changes::Verdict::Compatible)
    {
        broken.push(format!("{} is called {}", each.path, each.verdict));
    }
    broken
}
