//! Links in the pages that people read lead somewhere.

use std::collections::{BTreeMap, BTreeSet};

use wirecontract_tests::pages::{Page, pages};
use wirecontract_tests::repository;

/// The targets of a line's links, `[words](target)`, but for those in code.
fn targets(line: &str) -> Vec<&str> {
    let is_prose = |(at, _): &(usize, &str)| line[..*at].matches('`').count().is_multiple_of(2);
    let target = |(at, opening): (usize, &str)| {
        let rest = &line[at + opening.len()..];
        &rest[..rest.find(')').unwrap_or(rest.len())]
    };
    line.match_indices("](").filter(is_prose).map(target).collect()
}

/// What a heading is called in a link: lower case, without punctuation, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a page's headings; one that stands twice has a number the second time.
fn anchors(page: &Page) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let headings = page.prose().filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let name = anchor(line.trim_start_matches('#'));
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            if *count == 1 { name } else { format!("{name}-{}", *count - 1) }
        })
        .collect()
}

/// Why a link of a page leads nowhere.
fn broken(page: &Page, target: &str, all: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (path, name) = target.split_once('#').map_or((target, None), |(path, name)| (path, Some(name)));
    let folder = page.name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part {
            ".." if parts.pop().is_none() => return Some("it leaves the repository".to_owned()),
            ".." => {}
            _ => parts.push(part),
        }
    }
    let file = if path.is_empty() { page.name.clone() } else { parts.join("/") };
    if !repository().join(&file).exists() {
        return Some(format!("there is no {file}"));
    }
    let name = name?;
    let Some(anchors) = all.get(&file) else { return Some(format!("{file} is no page")) };
    (!anchors.contains(name)).then(|| format!("{file} has no heading {name}"))
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let pages = pages();
    let all: BTreeMap<_, _> = pages.iter().map(|page| (page.name.clone(), anchors(page))).collect();
    let mut found = 0;
    let mut faults = Vec::new();
    for page in &pages {
        for (line, text) in page.prose() {
            for target in targets(text) {
                found += 1;
                if let Some(why) = broken(page, target, &all) {
                    faults.push(format!("{}:{line}: {target}: {why}", page.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(found > 50, "{found}");
}

#[test]
fn every_guide_is_found_from_the_readme() {
    let pages = pages();
    let readme = pages.iter().find(|page| page.name == "README.md").expect("a README");
    let linked: BTreeSet<&str> = readme.prose().flat_map(|(_, line)| targets(line)).collect();
    for page in pages.iter().filter(|page| page.name != "README.md") {
        assert!(linked.contains(page.name.as_str()), "README.md: expected a link to {}", page.name);
    }
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = |name: &str, text: &str| Page { name: name.to_owned(), text: text.to_owned() };
    let guide =
        page("docs/hello.md", "# The hello\n## In C and C++\n## Twice\n## Twice\n```sh\n# no heading\n```\n");
    let all = BTreeMap::from([(guide.name.clone(), anchors(&guide))]);
    let why = |target: &str| broken(&guide, target, &all);
    for target in
        ["#in-c-and-c", "#twice", "#twice-1", "hello.md#the-hello", "../README.md", "https://pre-commit.com"]
    {
        assert_eq!(why(target), None, "{target}");
    }
    for (target, expected) in [
        ("#no-heading", "docs/hello.md has no heading no-heading"),
        ("#twice-2", "docs/hello.md has no heading twice-2"),
        ("README.md", "there is no docs/README.md"),
        ("../action.yml#inputs", "action.yml is no page"),
        ("../../x.md", "it leaves the repository"),
    ] {
        assert_eq!(why(target).as_deref(), Some(expected), "{target}");
    }
    assert_eq!(targets("`[a](b)`, [`c`](d.md) and [e](#f)"), ["d.md", "#f"]);
}
