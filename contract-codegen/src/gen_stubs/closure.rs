//! Which records the selected packages need: their own, and whole families that these nest, from one version of each
//! package.
//!
//! A source id does not tell the version of a package: what two versions declare alike is one contract. Which of the
//! two a reference means does not matter, but the family that comes with it does, since the rest of it may differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::source::Source;
use crate::catalog::Record;
use crate::model::Contract;

/// Package, its version, family.
type FamilyKey<'record> = (&'record str, &'record str, &'record str);

/// The versions of the packages in use: several only of a selected package, or where no single one has all.
type Versions<'record> = BTreeMap<&'record str, BTreeSet<&'record str>>;

/// How many choices of versions are tried; more are no honest program.
const MOST_TRIES: usize = 1000;

/// The records of a source, by what refers to them.
pub(super) struct Closure<'record> {
    source: &'record Source,
    by_source_id: HashMap<u64, Vec<&'record Contract>>,
    /// C structs that are pointed to are known by their path.
    by_key: HashMap<u64, Vec<&'record Contract>>,
    by_family: BTreeMap<FamilyKey<'record>, Vec<&'record Record>>,
}

/// What is reached with some versions chosen.
#[derive(Default)]
struct Reached<'record> {
    records: Vec<&'record Record>,
    /// For each package whose version is open, the versions that have all that is referred to.
    open: BTreeMap<&'record str, BTreeSet<&'record str>>,
    /// Whether some reference is to none of the chosen versions.
    has_conflict: bool,
}

impl<'record> Closure<'record> {
    pub(super) fn new(source: &'record Source) -> Self {
        let mut by_source_id: HashMap<u64, Vec<&Contract>> = HashMap::new();
        let mut by_key: HashMap<u64, Vec<&Contract>> = HashMap::new();
        let mut by_family: BTreeMap<FamilyKey<'_>, Vec<&Record>> = BTreeMap::new();
        for record in &source.records {
            by_source_id.entry(record.contract.source_id).or_default().push(&record.contract);
            by_key.entry(record.key).or_default().push(&record.contract);
            by_family.entry(family_key(&record.contract)).or_default().push(record);
        }
        Closure { source, by_source_id, by_key, by_family }
    }

    /// Every record that is needed. Where no choice of versions satisfies every reference, those of several versions,
    /// for [`resolve`](crate::catalog::resolve) to say whether they contradict each other.
    pub(super) fn records(&self) -> Vec<&'record Record> {
        let mut selected: Versions<'_> = BTreeMap::new();
        for (name, version) in self.source.roots.union(&self.source.companions) {
            selected.entry(name).or_default().insert(version);
        }
        let mut tries = 0;
        self.chosen(&selected, &mut tries).unwrap_or_else(|| self.of_several_versions(selected))
    }

    /// The records with these versions, and such of the open packages that every reference is satisfied.
    fn chosen(&self, versions: &Versions<'record>, tries: &mut usize) -> Option<Vec<&'record Record>> {
        *tries += 1;
        if *tries > MOST_TRIES {
            return None;
        }
        let reached = self.reach(versions);
        if reached.has_conflict {
            return None;
        }
        let Some((package, candidates)) = reached.open.into_iter().next() else {
            return Some(reached.records);
        };
        candidates.into_iter().rev().find_map(|version| {
            let mut versions = versions.clone();
            versions.insert(package, BTreeSet::from([version]));
            self.chosen(&versions, tries)
        })
    }

    /// Takes another version of a package whenever those in use do not have what is referred to.
    fn of_several_versions(&self, mut versions: Versions<'record>) -> Vec<&'record Record> {
        loop {
            let before = versions.clone();
            let reached = self.reach(&versions);
            for record in &reached.records {
                for candidates in self.candidates(record) {
                    if let Some(first) = candidates.first().filter(|_| !is_met(candidates, &versions)) {
                        versions.entry(&first.package).or_default().insert(&first.package_version);
                    }
                }
            }
            if before == versions {
                return reached.records;
            }
        }
    }

    /// All families of the selected packages and what they lead to, as far as the versions are chosen.
    fn reach(&self, versions: &Versions<'record>) -> Reached<'record> {
        let mut reached = Reached::default();
        let mut seen = BTreeSet::new();
        let is_root = |key: &FamilyKey<'_>| {
            let (package, version, family) = *key;
            self.source.is_written(package, version)
                // What is wrong with a configuration is said where it is used.
                && self.source.configured(package, version).map_or(true, |it| it.config.has(family))
        };
        let mut waiting: Vec<FamilyKey<'_>> = self.by_family.keys().copied().filter(is_root).collect();
        while let Some(key) = waiting.pop() {
            if !seen.insert(key) {
                continue;
            }
            for &record in &self.by_family[&key] {
                reached.records.push(record);
                for candidates in self.candidates(record) {
                    // That none has it is for `resolve` to say.
                    let Some(first) = candidates.first() else { continue };
                    if versions.contains_key(&*first.package) {
                        // The holder's own version first: a package that is selected in two has each refer to itself.
                        let own = |it: &&&Contract| it.package == key.0 && it.package_version == key.1;
                        let in_use = |it: &&&Contract| {
                            versions.get(&*it.package).is_some_and(|some| some.contains(&*it.package_version))
                        };
                        match candidates.iter().find(own).or_else(|| candidates.iter().find(in_use)) {
                            Some(contract) => waiting.push(family_key(contract)),
                            None => reached.has_conflict = true,
                        }
                        continue;
                    }
                    let having: BTreeSet<&str> = candidates.iter().map(|it| &*it.package_version).collect();
                    let open = reached.open.entry(&first.package).or_insert_with(|| having.clone());
                    open.retain(|version| having.contains(version));
                }
            }
        }
        reached.has_conflict |= reached.open.values().any(BTreeSet::is_empty);
        reached
    }

    /// For each reference of a record the contracts that it may be to: of one declaration, and of a pointer's target
    /// also what other versions declare under its path.
    fn candidates(&self, record: &'record Record) -> impl Iterator<Item = &[&'record Contract]> {
        let nested = record.nested.iter().map(|nested| self.by_source_id.get(&nested.source_id));
        let pointees = record.pointees.iter().map(|pointee| self.by_key.get(&pointee.key));
        nested.chain(pointees).map(|found| found.map_or(&[][..], Vec::as_slice))
    }
}

fn is_met(candidates: &[&Contract], versions: &Versions<'_>) -> bool {
    candidates
        .iter()
        .any(|it| versions.get(&*it.package).is_some_and(|versions| versions.contains(&*it.package_version)))
}

fn family_key(contract: &Contract) -> FamilyKey<'_> {
    (&contract.package, &contract.package_version, contract.family())
}
