//! Two unions in the object of one that keeps what is nobody's: one has no tags, the other is written without one.

use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::model::{
    Body, Catalog, Content, Contract, ContractId, JsonType, Key, Length, Presence, Recipe, Tagging, Union,
    Variant, WhenAbsent,
};

/// Adds `Beside` of these three, and `Answers`, which holds one and any number of `Answer`; gives both.
pub(crate) fn add(catalog: &mut Catalog) -> [ContractId; 2] {
    let mut add = |name: &str, body: Body| {
        let module = "wirecontract_gpu::odd".into();
        let contract = Contract { module, docs: String::new(), ..fixtures::contract(name, body) };
        catalog.contracts.push(contract);
        ContractId(catalog.contracts.len() - 1)
    };
    let holds = |id| Content::Value { ty: JsonType::Recipe(id), default: None };
    let internal = |tag: &str| Tagging::Internal { tag: tag.into(), last: false };
    let outcome = vec![variant("Error", holds(id::FAULT)), variant("Named", holds(id::NAMED))];
    let outcome = add("Outcome", union(Tagging::Untagged, outcome));
    let other = Variant { tag: String::new(), ..variant("Other", Content::Other) };
    let kept = add("Kept", union(internal("kept"), vec![variant("Nothing", Content::Nothing), other]));
    let nothing = variant("Nothing", Content::Nothing);
    let nothing = Variant { tag: String::new(), when_absent: WhenAbsent::NoTag, ..nothing };
    let implied = vec![nothing, variant("Ratio", holds(id::PIXELS))];
    let implied = add("Implied", union(internal("said"), implied));
    let part = |name, id| Key { flatten: true, ..key(name, JsonType::Union(id), Presence::Required) };
    let parts = vec![part("outcome", outcome), part("kept", kept), part("implied", implied)];
    let beside = add("Beside", recipe(parts));
    let answers =
        JsonType::Array { item: Box::new(JsonType::Union(id::ANSWER)), length: Length::AtMost(None) };
    let optional = Presence::Optional { nullable: false, null_when_absent: false, default: None };
    let held =
        vec![key("all", answers, Presence::Required), key("beside", JsonType::Recipe(beside), optional)];
    [beside, add("Answers", recipe(held))]
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    let template = fixtures::recipes().contracts[id::NAMED.0].recipe().keys[0].clone();
    Key { name: name.into(), key: name.into(), ty, presence, ..template }
}

fn recipe(keys: Vec<Key>) -> Body {
    let (conditions, rules) = (Vec::new(), Vec::new());
    Body::Recipe(Recipe { deny_unknown: false, max_bytes: 2048, max_depth: 8, keys, conditions, rules })
}

fn variant(name: &str, content: Content) -> Variant {
    let template = fixtures::recipes().contracts[id::REQUEST.0].union().variants[0].clone();
    Variant { name: name.into(), tag: name.to_lowercase(), content, ..template }
}

fn union(tagging: Tagging, variants: Vec<Variant>) -> Body {
    let rules = Vec::new();
    Body::Union(Union { tagging, lenient: false, max_bytes: 2048, max_depth: 8, variants, rules })
}
