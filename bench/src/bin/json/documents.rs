//! The documents that every language reads and writes, from one file.

use serde_json::Value;

/// Documents of surfaces and of exports.
pub(crate) struct Documents {
    /// What is measured: surfaces as a service sends them.
    pub(crate) answers: Vec<String>,
    /// What is measured: exports.
    pub(crate) exports: Vec<String>,
    /// Surfaces that peers must agree on, good and bad; the first are those that are measured.
    pub(crate) all_answers: Vec<String>,
    /// The same of exports.
    pub(crate) all_exports: Vec<String>,
}

impl Documents {
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
        let file: Value = serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
        let list = |kind: &str, which: &str| -> Result<Vec<String>, String> {
            let list = file[kind][which].as_array();
            let list = list.ok_or_else(|| format!("{path}: expected a list `{which}` of `{kind}`"))?;
            let text = |it: &Value| it.as_str().map(str::to_owned);
            list.iter().map(|it| text(it).ok_or_else(|| format!("{path}: {it} is no text"))).collect()
        };
        let answers = list("answers", "sample")?;
        let exports = list("exports", "sample")?;
        Ok(Documents {
            all_answers: [answers.clone(), list("answers", "good")?, list("answers", "bad")?].concat(),
            all_exports: [exports.clone(), list("exports", "good")?, list("exports", "bad")?].concat(),
            answers,
            exports,
        })
    }
}
