//! Arguments that stand in a file: `@FILE`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Why a file has no arguments to give.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("cannot read the arguments in {path}: {reason}", path = path.display())]
    Read { path: PathBuf, reason: io::Error },

    #[error(
        "the arguments in {path} end within a quote, or in a backslash: close the quote, or write `\\\\`",
        path = path.display()
    )]
    Open { path: PathBuf },
}

/// The arguments, with the words of a file in the place of each `@FILE`. Words are what a shell makes of the text: it
/// ends them at spaces and lines, but not within quotes, and passes over comments. Nothing in them is looked up or run,
/// and a word is no further `@FILE`.
pub(super) fn expand(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, Error> {
    let mut all = Vec::new();
    for argument in arguments {
        match argument.to_str().and_then(|argument| argument.strip_prefix('@')) {
            Some(path) => all.extend(words(path.into())?),
            None => all.push(argument),
        }
    }
    Ok(all)
}

fn words(path: PathBuf) -> Result<impl Iterator<Item = OsString>, Error> {
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(reason) => return Err(Error::Read { path, reason }),
    };
    // A checkout on Windows may have other line ends.
    let words = shlex::split(&text.replace("\r\n", "\n")).ok_or(Error::Open { path })?;
    Ok(words.into_iter().map(OsString::from))
}

#[cfg(test)]
mod tests {
    use super::expand;
    use std::ffi::OsString;

    fn expanded(text: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arguments");
        std::fs::write(&path, text).unwrap();
        let arguments = ["first".to_owned(), format!("@{}", path.display()), "last".to_owned()];
        let all = expand(arguments.map(OsString::from)).map_err(|error| error.to_string())?;
        Ok(all.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn words_of_a_file_are_what_a_shell_makes_of_it_and_nothing_is_run() {
        let words = |text| {
            let all = expanded(text).unwrap();
            let [first, words @ .., last] = all.as_slice() else { panic!("{all:?}") };
            assert_eq!([first, last], ["first", "last"]);
            words.to_vec()
        };
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words("\r\n"), [""; 0]);
        assert_eq!(
            words("-p sdk\n--features  'a b'\r\n# all\n-x \"\" \\\ny"),
            ["-p", "sdk", "--features", "a b", "-x", "", "y"]
        );
        assert_eq!(words(r#"a"b \"c"'\d'\ e $(f) `g` $h *"#), [r#"ab "c\d e"#, "$(f)", "`g`", "$h", "*"]);
        assert_eq!(words("@first"), ["@first"]);
    }

    #[test]
    fn a_file_without_words_is_refused() {
        for text in ["'a", "\"a", "a\\"] {
            let error = expanded(text).unwrap_err();
            assert!(error.contains("end within a quote, or in a backslash"), "{error}");
        }
        let error = expand([OsString::from("@no/such/file")]).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the arguments in no/such/file: "), "{error}");
    }
}
