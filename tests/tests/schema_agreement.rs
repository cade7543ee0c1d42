//! The published JSON Schema and the Rust half say the same of documents, but for what a schema has no words for.

use std::collections::BTreeMap;

use jsonschema::Validator;
use wirecontract::{Code, WireError, WireJson};
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::model::{Catalog, ContractId};
use wirecontract_gpu::texture::{
    CheckInAnswer, LookupAnswer, OpaqueFdExport, OutcomeAnswer, ReleaseAnswer, Request, SurfaceAnswer,
};
use wirecontract_tests::differential::documents;
use wirecontract_tests::random::Random;
use wirecontract_tests::{repository, texture};

type Read = fn(&[u8]) -> Result<(), WireError>;

fn read<T: WireJson>(document: &[u8]) -> Result<(), WireError> {
    T::from_json(document).map(drop)
}

/// What is validated, and how many documents of each kind.
const CONTRACTS: &[(&str, Read, usize)] = &[
    ("Request", read::<Request>, 3000),
    ("LookupAnswer", read::<LookupAnswer>, 1200),
    ("SurfaceAnswer", read::<SurfaceAnswer>, 1200),
    ("OpaqueFdExport", read::<OpaqueFdExport>, 600),
    ("OutcomeAnswer", read::<OutcomeAnswer>, 200),
    ("CheckInAnswer", read::<CheckInAnswer>, 200),
    ("ReleaseAnswer", read::<ReleaseAnswer>, 200),
];

/// The contracts of this very program, from the records it carries.
fn catalog() -> Catalog {
    let program = std::env::current_exe().expect("a running program has a path");
    let library = read_file(&program).expect("this program carries records");
    resolve(&library.records).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn find(catalog: &Catalog, name: &str) -> ContractId {
    let is_it = |contract: &wirecontract_codegen::model::Contract| {
        contract.name == name && contract.module == "wirecontract_gpu::texture"
    };
    let found = catalog.iter().find(|(_, contract)| is_it(contract));
    found.unwrap_or_else(|| panic!("{name} is among this program's records")).0
}

/// A validator of one definition of the published schema.
fn validator(name: &str) -> Validator {
    let path = repository().join("contracts/gpu/generated/schema/wirecontract/texture.schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut schema: serde_json::Value = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(schema["$defs"][name].is_object(), "{name} is defined");
    schema["$ref"] = format!("#/$defs/{name}").into();
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether a fault is one that the schema's own comment says it cannot see: told by its code, never by its document.
fn is_beyond_schemas(error: &WireError) -> bool {
    match error.code {
        // Keys that stand twice, lengths in bytes, levels, rules with more than a constant in them.
        Code::DuplicateKey
        | Code::TooLarge
        | Code::TooDeep
        | Code::RuleViolated
        | Code::ConditionViolated => true,
        // 1.0, 1e3 and -0 are integers to JSON Schema: what was found is a number, and would be one.
        Code::WrongType => {
            let found = error.came().to_string();
            error.expected.to_string() == "an integer"
                && found.parse::<f64>().is_ok_and(|number| number.is_finite() && number.fract() == 0.0)
        }
        _ => false,
    }
}

#[test]
fn the_published_schema_agrees_with_rust() {
    let catalog = catalog();
    let mut random = Random::new(Random::seed());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &(name, read, count) in CONTRACTS {
        let validator = validator(name);
        let requests = documents::requests_for(&catalog, find(&catalog, name), count, &mut random);
        let documents = requests.into_iter().filter_map(|request| String::from_utf8(request.bytes).ok());
        let stated = texture::cases().into_iter().filter(|case| case.contract == name);
        for document in documents.chain(stated.map(|case| case.document)) {
            let ours = read(document.as_bytes());
            // There is nothing to validate in what is no JSON; what is too deep or too much for the one parser is the
            // other's to say.
            let Ok(value) = serde_json::from_str(&document) else {
                let is_json = !matches!(&ours, Err(error) if error.code == Code::NotJson);
                *counts.entry(if is_json { "not parsed" } else { "no JSON" }).or_default() += 1;
                continue;
            };
            let schema = validator.validate(&value);
            let kind = match (&ours, &schema) {
                (Ok(()), Ok(())) => "both accept",
                (Err(_), Err(_)) => "both refuse",
                (Err(error), Ok(())) if is_beyond_schemas(error) => "only Rust refuses",
                _ => panic!("{name}: Rust says {ours:?}, the schema {schema:?} of {document}"),
            };
            *counts.entry(kind).or_default() += 1;
        }
    }
    println!("{counts:?}");
    // All three are seen, and a schema that accepted everything would not do.
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    let validated = count("both accept") + count("both refuse") + count("only Rust refuses");
    assert!(validated >= 5000 && count("both accept") > 1000 && count("both refuse") > 1000, "{counts:?}");
    assert!(count("only Rust refuses") < count("both refuse") / 2, "{counts:?}");
}
