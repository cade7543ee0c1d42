//! Which families to write: those of the selected packages, and whole families that these nest.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::closure::Closure;
use super::error::Error;
use super::source::{Configured, Source, is_generated};
use crate::catalog::{self, Record};
use crate::emit::{Family, PackageConfig};
use crate::model::{Catalog, ContractId};

/// The catalog of all that is written or nested.
pub(super) struct Selection {
    pub(super) catalog: Catalog,
    /// By package, then name; each holds all contracts of its module.
    pub(super) families: Vec<Family>,
    /// The selected packages.
    pub(super) roots: Vec<Root>,
}

/// A selected package.
pub(super) struct Root {
    pub(super) package: String,
    pub(super) configured: Configured,
    /// Whether it was not asked for, and is written where a file names its contracts beside those of one that was.
    pub(super) is_companion: bool,
    /// Indices of its families and of those that they nest, sorted.
    pub(super) families: Vec<usize>,
}

pub(super) fn select(source: &Source) -> Result<Selection, Error> {
    let records = closure(source);
    let catalog = catalog::resolve(records).map_err(Error::Resolve)?;
    let mut words: HashMap<&str, PackageConfig> = HashMap::new();
    for (_, contract) in catalog.iter() {
        if !words.contains_key(&*contract.package) {
            let Configured { config, .. } =
                source.configured(&contract.package, &contract.package_version)?;
            words.insert(&contract.package, config.words);
        }
    }
    let mut by_package: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, version) in source.roots.union(&source.companions) {
        by_package.insert(name, version);
    }
    let roots = by_package
        .into_iter()
        .map(|(package, version)| Ok((package.to_owned(), source.configured(package, version)?)));
    let roots = roots.collect::<Result<_, Error>>()?;
    let words: HashMap<String, PackageConfig> =
        words.into_iter().map(|(package, words)| (package.to_owned(), words)).collect();
    let mut selection = of(catalog, &|package| words.get(package).cloned(), roots)?;
    for root in &mut selection.roots {
        root.is_companion = source.companions.iter().any(|(name, _)| *name == root.package);
    }
    Ok(selection)
}

/// The selection of a catalog: how its packages are spelled, and which are asked for.
pub(super) fn of(
    catalog: Catalog,
    words: &Words<'_>,
    roots: Vec<(String, Configured)>,
) -> Result<Selection, Error> {
    let (families, of_contract) = families(words, &catalog)?;
    let nested = nested_families(&catalog, &families, &of_contract);
    refuse_cycles(&families, &nested)?;
    let roots = roots.into_iter().map(|(package, configured)| {
        let is_declared = |family: &Family| family.contracts.iter().any(|&id| !is_generated(catalog.get(id)));
        let own = (0..families.len())
            .filter(|&index| families[index].package.package == package && is_declared(&families[index]));
        let families = reachable(own, &nested);
        Root { package, configured, is_companion: false, families }
    });
    let roots: Vec<Root> = roots.collect();
    named_families(&roots, &families)?;
    Ok(Selection { catalog, families, roots })
}

/// How a package is spelled, where it is known.
type Words<'a> = dyn Fn(&str) -> Option<PackageConfig> + 'a;

/// Families that a package says it writes are there.
fn named_families(roots: &[Root], families: &[Family]) -> Result<(), Error> {
    for root in roots {
        let own = families.iter().filter(|family| family.package.package == root.package);
        let names: Vec<String> = own.map(|family| family.name.clone()).collect();
        let wanted = root.configured.config.families.as_deref().unwrap_or_default();
        if let Some(family) = wanted.iter().find(|family| !names.contains(family)) {
            let (package, family) = (root.package.clone(), family.clone());
            return Err(Error::NoSuchFamily { package, family, expected: names });
        }
    }
    Ok(())
}

/// The records of the selected packages, and of every family that one of them nests, to the end. A program may hold
/// other packages' contracts besides, in versions that contradict each other: they are nobody's concern here.
fn closure(source: &Source) -> Vec<&Record> {
    Closure::new(source).records()
}

/// The families of a catalog, and for each contract the index of its own.
fn families(words: &Words<'_>, catalog: &Catalog) -> Result<(Vec<Family>, Vec<usize>), Error> {
    let mut members: BTreeMap<(&str, &str), Vec<ContractId>> = BTreeMap::new();
    for (id, contract) in catalog.iter() {
        members.entry((&contract.package, contract.family())).or_default().push(id);
    }
    let mut of_contract = vec![0; catalog.contracts.len()];
    let mut families = Vec::with_capacity(members.len());
    for ((package, name), contracts) in members {
        for id in &contracts {
            of_contract[id.0] = families.len();
        }
        let unknown = || Error::NoContracts { packages: vec![package.to_owned()] };
        let package = words(package).ok_or_else(unknown)?;
        families.push(Family { package, name: name.to_owned(), contracts });
    }
    Ok((families, of_contract))
}

/// For each family those whose contracts it holds or points to, without itself.
fn nested_families(contracts: &Catalog, families: &[Family], of_contract: &[usize]) -> Vec<BTreeSet<usize>> {
    let nested = |(index, family): (usize, &Family)| {
        let mut nested = BTreeSet::new();
        for &id in &family.contracts {
            let contract = contracts.get(id);
            let others = catalog::held(contract).into_iter().chain(catalog::pointees(contract));
            nested.extend(others.map(|other| of_contract[other.0]));
        }
        nested.remove(&index);
        nested
    };
    families.iter().enumerate().map(nested).collect()
}

fn reachable(from: impl Iterator<Item = usize>, nested: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<usize> = from.collect();
    while let Some(index) = waiting.pop() {
        if reached.insert(index) {
            waiting.extend(&nested[index]);
        }
    }
    reached.into_iter().collect()
}

/// Headers include each other as their families nest each other.
fn refuse_cycles(families: &[Family], nested: &[BTreeSet<usize>]) -> Result<(), Error> {
    let mut left: Vec<usize> = nested.iter().map(BTreeSet::len).collect();
    let mut holders = vec![Vec::new(); nested.len()];
    for (index, nested) in nested.iter().enumerate() {
        for &inner in nested {
            holders[inner].push(index);
        }
    }
    let mut ready: Vec<usize> = (0..nested.len()).filter(|&index| left[index] == 0).collect();
    while let Some(index) = ready.pop() {
        for &holder in &holders[index] {
            left[holder] -= 1;
            if left[holder] == 0 {
                ready.push(holder);
            }
        }
    }
    // What is left holds or leads to a cycle; only what also is held by what is left can be in one.
    let in_cycle =
        |&index: &usize| left[index] > 0 && reachable(nested[index].iter().copied(), nested).contains(&index);
    let families: Vec<String> = (0..families.len())
        .filter(in_cycle)
        .map(|index| format!("{}::{}", families[index].package.package, families[index].name))
        .collect();
    if families.is_empty() { Ok(()) } else { Err(Error::FamilyCycle { families }) }
}
