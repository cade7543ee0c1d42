//! Every seed, and simple changes of it, through its fuzzer.

use std::fs;
use std::path::PathBuf;

use wirecontract_fuzz::{TARGETS, Target};

/// Beyond this only every n-th change of a seed is tried.
const CHANGES: usize = 3000;

fn seeds((name, _): &Target) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let seeds: Vec<_> = paths.map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect();
    assert!(!seeds.is_empty(), "{} has no seed", folder.display());
    seeds
}

#[test]
fn every_seed_passes() {
    for target in TARGETS {
        for (name, seed) in seeds(target) {
            println!("{name}");
            target.1(&seed);
        }
    }
}

#[test]
fn every_seed_passes_with_a_byte_changed_or_cut_off() {
    for target in TARGETS {
        for (name, seed) in seeds(target) {
            println!("{name}");
            let step = seed.len().div_ceil(CHANGES / 4).max(1);
            for at in (0..seed.len()).step_by(step) {
                target.1(&seed[..at]);
                for change in [0x00, 0xFF, seed[at].wrapping_add(1)] {
                    let mut changed = seed.clone();
                    changed[at] = change;
                    target.1(&changed);
                }
            }
        }
    }
}

#[test]
fn every_fuzzer_has_a_file() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        names.map(|path| path.file_stem().unwrap().to_str().unwrap().into()).collect();
    names.sort();
    assert_eq!(names, TARGETS.iter().map(|target| target.0).collect::<Vec<_>>());
}
