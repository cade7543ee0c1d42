//! How much processor time the commands of a part took: beside the time that passed, it says where cores stood idle.

use std::fs;

/// Linux counts times for programs in hundredths of a second, whatever the kernel's own clock does.
const TICKS_PER_SECOND: f64 = 100.0;
/// Of the fields behind the program's name: user and system time of this process, then of its children that ended.
const FIRST_TIME: usize = 11;
const TIMES: usize = 4;

/// Seconds of processor time of this process and of all its children that have ended; none where the system does not say.
pub(super) fn processor_seconds() -> Option<f64> {
    parse(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn parse(stat: &str) -> Option<f64> {
    // The name may hold spaces and brackets of its own.
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split_whitespace().skip(FIRST_TIME).take(TIMES);
    let ticks = times.map(|field| field.parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
    (ticks.len() == TIMES).then(|| ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_times_are_summed_whatever_the_name_is() {
        let stat = "7 (a ) name) S 1 7 7 0 -1 4194560 1 2 3 4 150 25 300 50 20 0 1 0 99 0 0";
        assert_eq!(parse(stat), Some(5.25));
        assert_eq!(parse("7 (short) S 1 7"), None);
    }

    #[test]
    fn children_that_ended_are_counted() {
        let before = processor_seconds().unwrap();
        let script = "import time\nwhile time.process_time() < 0.3: pass";
        let status = std::process::Command::new("python3").args(["-c", script]).status().unwrap();
        assert!(status.success());
        assert!(processor_seconds().unwrap() - before >= 0.25);
    }
}
