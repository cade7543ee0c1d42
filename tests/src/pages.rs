//! The pages that people read, `README.md` and those beside it and in `docs/`, and the code in them.

use std::fs;
use std::path::Path;

use crate::repository;

/// A page of Markdown.
#[derive(Debug)]
pub struct Page {
    /// Where it is, from the repository's folder.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// All pages, by their names: those of the repository's folder, and those of `docs/`.
///
/// # Panics
/// When one cannot be read.
pub fn pages() -> Vec<Page> {
    let mut names = Vec::new();
    for folder in ["", "docs/"] {
        for entry in fs::read_dir(repository().join(folder)).expect("a folder of pages") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                names.push(format!("{folder}{name}"));
            }
        }
    }
    names.sort();
    let text = |name: &String| fs::read_to_string(repository().join(name)).expect("a page");
    names.into_iter().map(|name| Page { text: text(&name), name }).collect()
}

/// The pages for users: `README.md` and the guides. `docs/changes.md` is none of them, as its code is of pairs of
/// declarations, which [`crate::changes`] compiles.
pub fn guides() -> Vec<Page> {
    let is_guide = |name: &str| name == "README.md" || name.starts_with("docs/") && name != "docs/changes.md";
    pages().into_iter().filter(|page| is_guide(&page.name)).collect()
}

/// A block of code.
#[derive(Debug)]
pub struct Block {
    /// The line of its opening fence, after the page's name.
    pub place: String,
    /// What is written behind the opening fence.
    pub info: String,
    /// What is in it.
    pub text: String,
}

impl Page {
    /// The blocks of a language, in their order.
    ///
    /// # Panics
    /// When the last one is not closed.
    pub fn blocks(&self, language: &str) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut is_open, mut is_within) = (false, false);
        for (index, line) in self.text.lines().enumerate() {
            match line.trim_start().strip_prefix("```") {
                Some(info) if !is_open => {
                    is_open = true;
                    is_within = info.split(',').next() == Some(language);
                    if is_within {
                        let place = format!("{}:{}", self.name, index + 1);
                        blocks.push(Block { place, info: info.to_owned(), text: String::new() });
                    }
                }
                Some(_) => (is_open, is_within) = (false, false),
                None if is_within => {
                    let block = blocks.last_mut().expect("it was opened");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                None => {}
            }
        }
        assert!(!is_open, "{}: a block is not closed", self.name);
        blocks
    }

    /// Its lines outside of blocks of code, each with its number.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut is_code = false;
        self.text.lines().enumerate().filter_map(move |(index, line)| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            (!is_code && !is_fence).then_some((index + 1, line))
        })
    }
}

/// The blocks of a language in all guides.
pub fn blocks(language: &str) -> Vec<Block> {
    guides().iter().flat_map(|guide| guide.blocks(language)).collect()
}
