//! What commands say, and how they call files.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes to the output. A reader that has seen enough (`| head`) is no reason to panic.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// A path as it is called in the current folder.
pub(crate) fn relative(path: &Path) -> &Path {
    match env::current_dir() {
        Ok(current) => path.strip_prefix(&current).unwrap_or(path),
        Err(_) => path,
    }
}
