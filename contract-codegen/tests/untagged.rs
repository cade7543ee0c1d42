//! Untagged unions of a catalog: one is refused exactly when some value of a variant would be written as a document
//! that is read as another variant; what came with an unknown tag, which no declaration knows, is refused in writing.

mod catalog_support;

use catalog_support::{LITTLE_64, elf_object, with_ids};
use wirecontract_codegen::catalog::{read_bytes, resolve};
use wirecontract_codegen::fixtures::{self, contract, id};
use wirecontract_codegen::interpret::Code;
use wirecontract_codegen::interpret::json::{Value, document, read, write};
use wirecontract_codegen::model::{
    Body, Catalog, Content, ContractId, JsonType, Key, Literal, Presence, Recipe, Scalar, Tagging, Union,
    Variant,
};

/// Numbers that a seed repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

fn add(catalog: &mut Catalog, name: &str, body: Body) -> ContractId {
    let mut contract = contract(name, body);
    contract.line = u32::try_from(catalog.contracts.len()).unwrap() + 1;
    catalog.contracts.push(contract);
    ContractId(catalog.contracts.len() - 1)
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    let template = fixtures::recipes().contracts[id::NAMED.0].recipe().keys[0].clone();
    Key { name: name.into(), key: name.into(), ty, presence, ..template }
}

fn recipe(keys: Vec<Key>) -> Body {
    Body::Recipe(Recipe {
        deny_unknown: false,
        max_bytes: 4096,
        max_depth: 8,
        keys,
        conditions: Vec::new(),
        rules: Vec::new(),
    })
}

fn union(tagging: Tagging, held: &[Option<ContractId>], is_open: bool) -> Body {
    let template = fixtures::recipes().contracts[id::REQUEST.0].union().variants[0].clone();
    let other =
        Variant { name: "Other".into(), tag: String::new(), content: Content::Other, ..template.clone() };
    let variants = held.iter().enumerate().map(|(index, held)| Variant {
        name: format!("V{index}"),
        tag: format!("v{index}"),
        content: match held {
            Some(id) => Content::Value { ty: JsonType::Recipe(*id), default: None },
            None => Content::Nothing,
        },
        ..template.clone()
    });
    Body::Union(Union {
        tagging,
        lenient: false,
        max_bytes: 4096,
        max_depth: 8,
        variants: variants.chain(is_open.then_some(other)).collect(),
        rules: Vec::new(),
    })
}

/// Some of these keys, each present in one of the ways there are.
fn keys(names: &[&str], random: &mut Random) -> Vec<Key> {
    let ty = JsonType::Integer { scalar: Scalar::U8, min: 0, max: 255, decimal: false };
    let default = Literal::Integer(7);
    let mut keys = Vec::new();
    for name in names {
        let presence = match random.below(6) {
            0 | 1 => Presence::Required,
            2 => Presence::Optional { nullable: false, null_when_absent: false, default: None },
            3 => Presence::Defaulted { default: default.clone(), skip: true, nullable: false },
            _ => continue,
        };
        keys.push(key(name, ty.clone(), presence));
    }
    keys
}

/// A recipe of some of four keys; two of them may be those of a union that stands in its object.
fn variant(catalog: &mut Catalog, name: &str, random: &mut Random) -> ContractId {
    let whole = random.below(2) == 0;
    let mut own = keys(if whole { &["a", "b", "c", "d"] } else { &["a", "b"] }, random);
    if !whole {
        let held: Vec<Option<ContractId>> = (0..2)
            .map(|index| {
                let keys = keys(&["c", "d"], random);
                (!keys.is_empty()).then(|| add(catalog, &format!("{name}{index}"), recipe(keys)))
            })
            .collect();
        let tagging = Tagging::Internal { tag: "tag".into(), last: false };
        let part = add(catalog, &format!("{name}Part"), union(tagging, &held, random.below(2) == 0));
        own.push(Key { flatten: true, ..key("part", JsonType::Union(part), Presence::Required) });
    }
    if own.is_empty() {
        own = keys(&["a"], &mut Random(1));
        assert!(!own.is_empty());
    }
    add(catalog, name, recipe(own))
}

/// What may have come with an unknown tag.
const KEPT: [&str; 6] =
    ["{}", r#"{"a":1}"#, r#"{"x":1,"b":1}"#, r#"{"c":1,"a":1}"#, r#"{"d":1,"b":1,"a":1}"#, r#"{"\u0063":1}"#];

/// Every value with another set of keys.
fn values(catalog: &Catalog, id: ContractId) -> Vec<Value> {
    match &catalog.get(id).body {
        Body::Recipe(recipe) => {
            let mut all = vec![Vec::new()];
            for key in &recipe.keys {
                let one: Vec<Option<Value>> = match (&key.ty, &key.presence) {
                    (JsonType::Union(part), _) => values(catalog, *part).into_iter().map(Some).collect(),
                    (_, Presence::Required) => vec![Some(Value::Integer(1))],
                    (_, Presence::Optional { .. }) => vec![None, Some(Value::Integer(1))],
                    (_, Presence::Defaulted { .. }) => vec![Some(Value::Integer(7)), Some(Value::Integer(1))],
                };
                all = all
                    .into_iter()
                    .flat_map(|values| {
                        one.iter().map(move |value| {
                            let mut values: Vec<Option<Value>> = values.clone();
                            values.push(value.clone());
                            values
                        })
                    })
                    .collect();
            }
            all.into_iter().map(Value::Recipe).collect()
        }
        Body::Union(union) => {
            let each =
                union.variants.iter().enumerate().flat_map(|(index, variant)| match &variant.content {
                    Content::Value { ty: JsonType::Recipe(id), .. } => values(catalog, *id)
                        .into_iter()
                        .map(|value| Value::Union(index, Some(Box::new(value))))
                        .collect(),
                    Content::Other => KEPT
                        .map(|kept| Value::Other { tag: "later".into(), content: Some(kept.into()) })
                        .to_vec(),
                    _ => vec![Value::Union(index, None)],
                });
            each.collect()
        }
        _ => panic!("{id:?} is no recipe and no union"),
    }
}

/// Whether members that are nobody's are part of it.
fn keeps(value: &Value) -> bool {
    match value {
        Value::Recipe(members) => members.iter().flatten().any(keeps),
        Value::Union(_, content) => content.as_deref().is_some_and(keeps),
        Value::Other { content, .. } => content.as_deref() != Some("{}"),
        _ => false,
    }
}

/// An untagged union of some variants, and every value of it.
fn random_union(random: &mut Random) -> (Catalog, ContractId, Vec<Value>) {
    let mut catalog = Catalog::default();
    let count = 2 + usize::try_from(random.below(2)).unwrap();
    let held: Vec<Option<ContractId>> =
        (0..count).map(|index| Some(variant(&mut catalog, &format!("Held{index}"), random))).collect();
    let id = add(&mut catalog, "Any", union(Tagging::Untagged, &held, false));
    let values = values(&catalog, id);
    (with_ids(catalog), id, values)
}

#[test]
fn an_untagged_union_is_refused_exactly_when_a_value_would_be_read_as_another_variant() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..600 {
        let (catalog, id, values) = random_union(&mut random);
        let lost = values.into_iter().filter(|value| !keeps(value)).find_map(|value| {
            let document = write(&catalog, id, &value).expect("it is a value");
            let again = read(&catalog, id, document.as_bytes()).map(|reading| reading.value);
            (again.as_ref() != Ok(&value)).then(|| format!("{value:?} is {document}, read as {again:?}"))
        });
        let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
        match (resolve(&library.records), lost) {
            (Ok(_), None) => taken += 1,
            (Err(errors), Some(_)) => {
                let said = errors.iter().map(ToString::to_string).collect::<String>();
                assert!(said.contains("may be read as `V"), "{said}");
                refused += 1;
            }
            (Ok(_), Some(lost)) => panic!("taken, though {lost}: {:#?}", catalog.contracts),
            (Err(errors), None) => panic!("refused for nothing: {errors:?}: {:#?}", catalog.contracts),
        }
    }
    assert!(taken > 50 && refused > 50, "{taken} taken, {refused} refused");
}

#[test]
fn a_value_is_refused_exactly_when_what_it_keeps_makes_it_another_variant() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut written, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let (catalog, id, values) = random_union(&mut random);
        let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
        if resolve(&library.records).is_err() {
            continue;
        }
        for value in values.iter().filter(|value| keeps(value)) {
            let document = document(&catalog, id, value);
            let again = read(&catalog, id, document.as_bytes()).map(|reading| reading.value);
            let is_same = match (value, &again) {
                (Value::Union(index, _), Ok(Value::Union(read, _))) => index == read,
                (_, Err(fault)) if fault.code == Code::DuplicateKey => {
                    assert_eq!(write(&catalog, id, value).unwrap_err().code, fault.code);
                    continue;
                }
                // All that its own variant may have been given is of the type that it has there.
                (_, Err(_)) => false,
                other => panic!("{other:?}"),
            };
            match write(&catalog, id, value) {
                Ok(_) => written += usize::from(is_same),
                Err(fault) => {
                    assert_eq!((fault.code, &*fault.contract, &*fault.field), (Code::UnknownTag, "Any", ""));
                    refused += 1;
                }
            }
            assert_eq!(
                write(&catalog, id, value).is_ok(),
                is_same,
                "{value:?} is {document}, read as {again:?}"
            );
        }
    }
    assert!(written > 50 && refused > 50, "{written} written, {refused} refused");
}
