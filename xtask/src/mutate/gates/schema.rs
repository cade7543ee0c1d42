//! JSON Schema: a changed schema beside documents that were agreed on, and the verdicts that the unchanged one gives.

use serde_json::Value as Json;
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_tests::differential::Operation;

use super::{Case, Outcome};

/// What changed schemas say of the documents among the golden vectors; none where no schema changed that has any.
pub(super) fn meet(case: &Case<'_>) -> Option<Outcome> {
    let mut is_asked = false;
    for file in case.files.iter().filter(|file| file.target == Target::Schema) {
        let original = case.subject.files.iter().find(|original| original.path == file.path)?;
        let Ok(before) = serde_json::from_str::<Json>(&original.text) else { continue };
        let after = match serde_json::from_str::<Json>(&file.text) {
            Ok(after) => after,
            Err(error) => return Some(Outcome::of(Some(format!("{} is no JSON: {error}", file.path)))),
        };
        for &id in &case.affected {
            let name = &*case.subject.catalog().get(id).name;
            if !before["$defs"][name].is_object() {
                continue;
            }
            let documents = case.subject.questions.iter().filter(|question| {
                question.request.contract == id && question.request.operation == Operation::Document
            });
            let documents: Vec<Json> = documents
                .filter_map(|question| serde_json::from_slice(&question.request.bytes).ok())
                .collect();
            is_asked |= !documents.is_empty();
            if let Some(why) = differ(name, &before, &after, &documents) {
                return Some(Outcome::of(Some(why)));
            }
        }
    }
    is_asked.then_some(Outcome::Passed)
}

/// The first document that one schema accepts and the other refuses.
fn differ(name: &str, before: &Json, after: &Json, documents: &[Json]) -> Option<String> {
    let validator = |schema: &Json| {
        let mut schema = schema.clone();
        schema["$ref"] = format!("#/$defs/{name}").into();
        jsonschema::draft202012::new(&schema).map_err(|error| format!("{name}: {error}"))
    };
    let (before, after) = match (validator(before), validator(after)) {
        (Ok(before), Ok(after)) => (before, after),
        (_, Err(error)) | (Err(error), _) => return Some(error),
    };
    let verdict = |accepts| if accepts { "accepts" } else { "refuses" };
    documents.iter().find_map(|document| {
        let (was, is) = (before.is_valid(document), after.is_valid(document));
        (was != is).then(|| {
            format!(
                "{name}: expected a schema that {} {document}, found one that {} it",
                verdict(was),
                verdict(is)
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differ;

    #[test]
    fn a_schema_that_accepts_or_refuses_something_else_is_told_by_a_document() {
        let schema = |most: u32| json!({ "$defs": { "T": { "type": "integer", "maximum": most } } });
        let documents = [json!(1), json!(7), json!(9)];
        assert_eq!(differ("T", &schema(8), &schema(8), &documents), None);
        let stricter = differ("T", &schema(8), &schema(6), &documents).unwrap();
        assert_eq!(stricter, "T: expected a schema that accepts 7, found one that refuses it");
        let looser = differ("T", &schema(8), &schema(9), &documents).unwrap();
        assert_eq!(looser, "T: expected a schema that refuses 9, found one that accepts it");
        let none = json!({ "$defs": {} });
        assert!(differ("T", &schema(8), &none, &documents).is_some());
    }
}
