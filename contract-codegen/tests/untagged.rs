//! Untagged unions of a catalog: one is refused exactly when some value of a variant would be written as a document
//! that is read as another variant.

mod catalog_support;

use catalog_support::{LITTLE_64, elf_object, with_ids};
use wirecontract_codegen::catalog::{read_bytes, resolve};
use wirecontract_codegen::fixtures::{self, contract, id};
use wirecontract_codegen::interpret::json::{Value, read, write};
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

fn union(tagging: Tagging, held: &[Option<ContractId>]) -> Body {
    let template = fixtures::recipes().contracts[id::REQUEST.0].union().variants[0].clone();
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
        variants: variants.collect(),
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
        let part = add(catalog, &format!("{name}Part"), union(tagging, &held));
        own.push(Key { flatten: true, ..key("part", JsonType::Union(part), Presence::Required) });
    }
    if own.is_empty() {
        own = keys(&["a"], &mut Random(1));
        assert!(!own.is_empty());
    }
    add(catalog, name, recipe(own))
}

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
                    _ => vec![Value::Union(index, None)],
                });
            each.collect()
        }
        _ => panic!("{id:?} is no recipe and no union"),
    }
}

#[test]
fn an_untagged_union_is_refused_exactly_when_a_value_would_be_read_as_another_variant() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..600 {
        let mut catalog = Catalog::default();
        let count = 2 + usize::try_from(random.below(2)).unwrap();
        let held: Vec<Option<ContractId>> = (0..count)
            .map(|index| Some(variant(&mut catalog, &format!("Held{index}"), &mut random)))
            .collect();
        let id = add(&mut catalog, "Any", union(Tagging::Untagged, &held));
        let catalog = with_ids(catalog);
        let lost = values(&catalog, id).into_iter().find_map(|value| {
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
