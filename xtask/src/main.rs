//! This repository's commands.
fn main() {}
