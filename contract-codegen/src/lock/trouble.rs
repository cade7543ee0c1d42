//! What is wrong with a text that is not TOML: as a rule, a merge.

use super::error::{Block, LockError};
use super::parse::heading;

const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Why the text is not TOML, which the parser says of a byte.
pub(super) fn find(text: &str, at: usize, reason: &str) -> LockError {
    conflict(text).or_else(|| twice(text)).unwrap_or_else(|| {
        let line = line_of(text, at);
        let block = headings(text).take_while(|(number, _)| *number <= line).last();
        LockError::NotToml {
            line,
            block: block.map(|(_, block)| block),
            reason: reason.lines().collect::<Vec<_>>().join(" "),
        }
    })
}

/// The line of a byte.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The first conflict marker, and the blocks that its conflict has lines of.
fn conflict(text: &str) -> Option<LockError> {
    let is_marker = |line: &str, marker: &str| {
        line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
    };
    let marker_of = |line: &str| MARKERS.into_iter().find(|marker| is_marker(line, marker));
    let (before, marker) = text.lines().enumerate().find_map(|(at, line)| Some((at, marker_of(line)?)))?;

    let after = || text.lines().skip(before + 1);
    let end = after().position(|line| is_marker(line, ">>>>>>>")).filter(|_| marker != ">>>>>>>");
    // Of a conflict that was resolved by halves there may be no end.
    let conflict = || after().take(end.unwrap_or(0));
    let starts_block =
        conflict().find(|line| !line.is_empty()).is_some_and(|line| in_heading(line).is_some());
    let above = text.lines().take(before).filter_map(in_heading).last();
    let mut blocks = Vec::from_iter(above.filter(|_| !starts_block));
    for block in conflict().filter_map(in_heading) {
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    Some(LockError::Conflict { line: before + 1, marker, blocks })
}

/// The first block whose heading is there before.
fn twice(text: &str) -> Option<LockError> {
    let mut seen = std::collections::HashMap::new();
    headings(text).find_map(|(line, block)| {
        let first = seen.insert(block.to_string(), line)?;
        Some(LockError::Twice { line, block, first })
    })
}

/// The lines that look like headings of blocks.
fn headings(text: &str) -> impl Iterator<Item = (usize, Block)> {
    text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, in_heading(line)?)))
}

fn in_heading(line: &str) -> Option<Block> {
    heading(line.trim_end().strip_prefix("[\"")?.strip_suffix("\"]")?)
}
