//! The payloads that every language reads and writes: valid, mutated and cut ones.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Bytes of the payload.
const SIZE: usize = 208;
/// What is checked: magic, version, three enumerations and two counts, 32 bits each.
const CHECKED: [usize; 7] = [0, 4, 20, 24, 32, 36, 136];

/// The files that hold them: each payload after its length in 32 bits, little-endian.
#[derive(Debug)]
pub(super) struct Inputs {
    /// What peers must agree on. It begins with the sample.
    pub(super) all: PathBuf,
    /// What is measured: a payload of each kind.
    pub(super) sample: PathBuf,
}

impl Inputs {
    /// Writes both files into a folder.
    pub(super) fn write(folder: &Path) -> anyhow::Result<Self> {
        let sample = sample();
        let mut all = sample.clone();
        all.extend(mutations(&sample[0]));
        let inputs = Inputs { all: folder.join("inputs.bin"), sample: folder.join("sample.bin") };
        for (path, payloads) in [(&inputs.all, &all), (&inputs.sample, &sample)] {
            write(path, payloads).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(inputs)
    }
}

fn write(path: &Path, payloads: &[Vec<u8>]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for payload in payloads {
        let length = u32::try_from(payload.len()).expect("payloads are small");
        bytes.extend(length.to_le_bytes());
        bytes.extend(payload);
    }
    std::fs::write(path, bytes)
}

/// What an exporter sends for each backend, and the ends of what the counts allow.
fn sample() -> Vec<Vec<u8>> {
    const POOL: i32 = 1;
    const LEGACY: i32 = 2;
    const VMM: i32 = 3;
    vec![
        payload(LEGACY, 3, 4, 2, 1),
        payload(LEGACY, 0, 64, 0, 2),
        payload(POOL, 3, 4, 64, 4),
        payload(VMM, 3, 4, 0, 2),
        payload(VMM, 2, 8, 0, 3),
        payload(0, 0, 0, 0, 1),
    ]
}

fn payload(backend: i32, handle_type: i32, blob: u32, ptr_blob: u32, format_code: u32) -> Vec<u8> {
    let mut bytes = b"CVIP".to_vec();
    for number in [1, 1080, 1000, 61, format_code] {
        bytes.extend(u32::to_le_bytes(number));
    }
    for number in [backend, 1, handle_type] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(blob.to_le_bytes());
    for number in [65_880_000_u64, 67_108_864, 128, 4321] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(counted(blob));
    bytes.extend(ptr_blob.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(counted(ptr_blob));
    assert_eq!(bytes.len(), SIZE);
    bytes
}

fn counted(count: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (byte, value) in bytes.iter_mut().take(count as usize).zip(0xa0..) {
        *byte = value;
    }
    bytes
}

/// Every length to beyond the whole, every byte changed, and every checked word at its edges.
fn mutations(payload: &[u8]) -> Vec<Vec<u8>> {
    let long = payload.repeat(2);
    let lengths = (0..SIZE).chain([SIZE + 1, SIZE + 16]).map(|length| long[..length].to_vec());
    let changed =
        (0..SIZE).flat_map(|at| [0x01, 0x41, 0x80, 0xff].map(|bits| (at, bits))).map(|(at, bits)| {
            let mut bytes = payload.to_vec();
            bytes[at] ^= bits;
            bytes
        });
    let numbers = [0, 1, 2, 3, 4, 5, 63, 64, 65, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let edges = CHECKED.iter().flat_map(|&at| numbers.map(|number| (at, number))).map(|(at, number)| {
        let mut bytes = payload.to_vec();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    });
    // Two faults at once: the first one counts.
    let pairs = CHECKED.windows(2).map(|pair| {
        let mut bytes = payload.to_vec();
        for &at in pair {
            bytes[at..at + 4].fill(0xff);
        }
        bytes
    });
    lengths.chain(changed).chain(edges).chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_and_every_changed_byte_is_there() {
        let mutations = mutations(&sample()[0]);
        assert!((0..SIZE).all(|length| mutations.iter().any(|it| it.len() == length)));
        let whole: Vec<_> = mutations.iter().filter(|it| it.len() == SIZE).collect();
        assert!((0..SIZE).all(|at| whole.iter().any(|it| it[at] != sample()[0][at])));
    }
}
