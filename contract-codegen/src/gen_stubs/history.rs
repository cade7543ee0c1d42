//! What git knows of a workspace: the manifests that its packages had.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// How far back commits are looked at: enough for what was renamed lately, and little in the largest repository.
const MOST_COMMITS: u32 = 500;

/// Every other text that these manifests had in the last commits, by their place in the list. None where there is no
/// git, no repository, or no history, as in a shallow clone.
pub(super) fn manifests(workspace: &Path, manifests: &[PathBuf]) -> BTreeSet<(usize, String)> {
    let relative: Vec<(usize, String)> = manifests
        .iter()
        .enumerate()
        .filter_map(|(index, path)| {
            let path = path.strip_prefix(workspace).ok()?.to_str()?.replace('\\', "/");
            Some((index, path))
        })
        .collect();
    read(workspace, &relative).unwrap_or_default()
}

fn read(workspace: &Path, manifests: &[(usize, String)]) -> Option<BTreeSet<(usize, String)>> {
    let skipped = format!("--skip={MOST_COMMITS}");
    let first = lines(git(workspace).args(["rev-list", "--max-count=1", &skipped, "HEAD"]))?;
    let range = first.first().map_or_else(|| "HEAD".to_owned(), |first| format!("{first}..HEAD"));
    let mut log = git(workspace);
    log.args(["log", "--format=%H", &range, "--"]).args(manifests.iter().map(|(_, path)| path));
    let mut commits = vec!["HEAD".to_owned()];
    commits.extend(lines(&mut log)?.into_iter().map(|commit| format!("{commit}^")));
    let wanted: Vec<(usize, String)> = commits
        .iter()
        .flat_map(|commit| manifests.iter().map(move |(index, path)| (*index, format!("{commit}:./{path}"))))
        .collect();
    texts(workspace, wanted)
}

/// The texts of these objects, of those that there are.
fn texts(workspace: &Path, wanted: Vec<(usize, String)>) -> Option<BTreeSet<(usize, String)>> {
    let mut child = git(workspace)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let names = wanted.iter().map(|(_, name)| format!("{name}\n")).collect::<Vec<_>>().concat();
    // Git answers while it is asked: both pipes would fill.
    let asking = thread::spawn(move || input.write_all(names.as_bytes()));
    let mut output = Vec::new();
    child.stdout.take()?.read_to_end(&mut output).ok()?;
    asking.join().ok()?.ok()?;
    child.wait().ok()?;

    let mut texts = BTreeSet::new();
    let mut rest = &output[..];
    for (index, _) in wanted {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let heading = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        let mut words = heading.rsplit(' ');
        let Some(length) = words.next().and_then(|word| word.parse::<usize>().ok()) else { continue };
        let text = rest.get(..length)?;
        if words.next() == Some("blob")
            && let Ok(text) = std::str::from_utf8(text)
        {
            texts.insert((index, text.to_owned()));
        }
        rest = rest.get(length + 1..)?;
    }
    Some(texts)
}

/// Git in the workspace, whatever a hook that runs this has set for another place.
fn git(workspace: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(workspace);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command
}

/// What it says, line by line; none where it fails.
fn lines(command: &mut Command) -> Option<Vec<String>> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().map(str::to_owned).collect())
}
