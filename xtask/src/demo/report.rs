//! Who mapped what, how long it took, and that nothing was copied.

use anyhow::{Context as _, ensure};
use serde_json::Value;

/// What a process has mapped.
#[derive(Debug)]
pub(super) struct Mapped {
    pid: u64,
    bytes: u64,
    address: String,
    permissions: String,
    /// Device and inode.
    file: String,
    seconds: Option<f64>,
}

impl Mapped {
    pub(super) fn of(said: &Value) -> anyhow::Result<Mapped> {
        Ok(Mapped {
            pid: number(said, "pid")?,
            bytes: number(said, "bytes")?,
            address: text(said, "address")?,
            permissions: text(said, "permissions")?,
            file: text(said, "file")?,
            seconds: said["seconds"].as_f64(),
        })
    }
}

/// What the pages of a mapping weigh, in bytes: all that are there, the process's part of them, and its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    rss: u64,
    pss: u64,
    private: u64,
}

impl Weight {
    pub(super) fn of(said: &Value) -> anyhow::Result<Weight> {
        Ok(Weight { rss: number(said, "rss")?, pss: number(said, "pss")?, private: number(said, "private")? })
    }
}

/// What is known by now, said as it comes.
#[derive(Debug)]
pub(super) struct Report {
    bytes: u64,
    file: String,
    weights: Vec<(&'static str, Weight)>,
    faults: Vec<String>,
}

impl Report {
    pub(super) fn new(bytes: u64) -> Report {
        Report { bytes, file: String::new(), weights: Vec::new(), faults: Vec::new() }
    }

    pub(super) fn made(&mut self, mapped: &Mapped) {
        self.file.clone_from(&mapped.file);
        let took = mapped.seconds.map_or_else(String::new, |took| format!(", filled in {}", time(took)));
        self.shown("Rust", mapped, "rw-s", &took);
    }

    pub(super) fn mapped(&mut self, name: &str, mapped: &Mapped) {
        self.shown(name, mapped, "r--s", "");
    }

    fn shown(&mut self, name: &str, mapped: &Mapped, permissions: &str, more: &str) {
        let Mapped { pid, address, .. } = mapped;
        let access = if mapped.permissions.contains('w') { "to write" } else { "read-only" };
        println!(
            "{name:<6}  process {pid} maps {} at {address}, {access} ({}), of inode {}{more}",
            bytes(mapped.bytes),
            mapped.permissions,
            mapped.file.rsplit(' ').next().unwrap_or_default(),
        );
        if mapped.bytes != self.bytes {
            self.faults.push(format!("{name} mapped {} bytes, and not {}", mapped.bytes, self.bytes));
        }
        if mapped.permissions != permissions {
            self.faults.push(format!("{name} mapped with {}, and not {permissions}", mapped.permissions));
        }
        if mapped.file != self.file {
            self.faults.push(format!("{name} mapped file {}, and not {}", mapped.file, self.file));
        }
    }

    pub(super) fn checked(&mut self, name: &str, wrong: u64, took: f64) -> anyhow::Result<()> {
        ensure!(wrong == 0, "{name} found {wrong} lines that are not as they were written");
        println!("{name:<6}  checked all {} in {}: every byte is right", bytes(self.bytes), time(took));
        Ok(())
    }

    pub(super) fn weighed(&mut self, name: &'static str, weight: Weight) {
        self.weights.push((name, weight));
    }

    /// Says that nothing was copied, and how that is known; refused where something was.
    pub(super) fn print(&mut self) -> anyhow::Result<()> {
        let sum: u64 = self.weights.iter().map(|(_, weight)| weight.pss).sum();
        for (name, weight) in &self.weights {
            // Whole pages, and kilobytes that are rounded down.
            if weight.rss < self.bytes {
                self.faults.push(format!("{name} has {} of the cube in memory", bytes(weight.rss)));
            }
            if weight.private > 0 {
                self.faults.push(format!("{name} has {} of the cube for itself", bytes(weight.private)));
            }
        }
        if sum.abs_diff(self.bytes) > self.bytes / 100 + (16 << 10) {
            self.faults.push(format!("all processes together have {} in memory", bytes(sum)));
        }
        ensure!(self.faults.is_empty(), "{}", self.faults.join("; "));
        let parts: Vec<_> =
            self.weights.iter().map(|(name, weight)| format!("{name} {}", bytes(weight.pss))).collect();
        println!(
            "copies: none. One file (inode {}) is mapped by all;",
            self.file.rsplit(' ').next().unwrap_or_default()
        );
        println!(
            "        of its pages no process has one for itself, and what each has in memory is shared: {} (Pss), {} together",
            parts.join(", "),
            bytes(sum)
        );
        Ok(())
    }
}

/// Bytes as people read them, to the byte.
pub(super) fn bytes(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + " bytes"
}

pub(super) fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// A number that a program said.
pub(super) fn number(said: &Value, key: &str) -> anyhow::Result<u64> {
    said[key].as_u64().with_context(|| format!("expected a number `{key}`, found {said}"))
}

/// How long something took, in seconds.
pub(super) fn seconds(said: &Value) -> anyhow::Result<f64> {
    said["seconds"].as_f64().with_context(|| format!("expected a time, found {said}"))
}

fn text(said: &Value, key: &str) -> anyhow::Result<String> {
    said[key].as_str().map(str::to_owned).with_context(|| format!("expected a text `{key}`, found {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pss: [u64; 2], private: u64) -> anyhow::Result<()> {
        let mut report = Report::new(1 << 20);
        report.weighed("Rust", Weight { rss: 1 << 20, pss: pss[0], private: 0 });
        report.weighed("C", Weight { rss: 1 << 20, pss: pss[1], private });
        report.print()
    }

    #[test]
    fn a_copy_is_found_by_what_it_weighs() {
        assert!(of([1 << 19, 1 << 19], 0).is_ok());
        let found = of([1 << 20, 1 << 20], 0).unwrap_err().to_string();
        assert_eq!(found, "all processes together have 2,097,152 bytes in memory");
        let found = of([1 << 19, 1 << 19], 4096).unwrap_err().to_string();
        assert_eq!(found, "C has 4,096 bytes of the cube for itself");
    }

    #[test]
    fn another_file_or_access_is_found() {
        let mapped = |file: &str, permissions: &str, bytes| Mapped {
            pid: 1,
            bytes,
            address: "0x1000".to_owned(),
            permissions: permissions.to_owned(),
            file: file.to_owned(),
            seconds: None,
        };
        let mut report = Report::new(10);
        report.made(&mapped("00:01 7", "rw-s", 10));
        report.mapped("C", &mapped("00:01 8", "rw-s", 9));
        let found = report.print().unwrap_err().to_string();
        assert!(found.contains("C mapped 9 bytes, and not 10; C mapped with rw-s, and not r--s"), "{found}");
        assert!(found.contains("C mapped file 00:01 8, and not 00:01 7"), "{found}");
    }

    #[test]
    fn bytes_read_by_threes() {
        assert_eq!(bytes(131_760_000), "131,760,000 bytes");
        assert_eq!((bytes(7), bytes(1000)), ("7 bytes".to_owned(), "1,000 bytes".to_owned()));
    }
}
