//! Rules across fields, and conditions on single ones.

use wirecontract_codegen::model::{Body, Catalog, Condition, Contract, ContractId, Moment, Rule};

use super::{Candidates, at};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let contract = catalog.get(id);
    for (index, rule) in contract.rules().iter().enumerate() {
        let place = at(catalog, id, &format!("rule {}", rule.name.as_deref().unwrap_or(&index.to_string())));
        found.put("rule.removed", place.clone(), format!("`{}` → none", rule.text), move |catalog| {
            rules(&mut catalog.contracts[id.0]).remove(index);
        });
        let (from, to) = match rule.at {
            Moment::Read => ("read", Moment::Import),
            Moment::Import => ("import", Moment::Read),
        };
        found.put("rule.moment", place.clone(), format!("at {from} → the other moment"), move |catalog| {
            rules(&mut catalog.contracts[id.0])[index].at = to;
        });
        for text in others(&rule.text) {
            let change = format!("`{}` → `{text}`", rule.text);
            found.put("rule.text", place.clone(), change, move |catalog| {
                rules(&mut catalog.contracts[id.0])[index].text.clone_from(&text);
            });
        }
    }
    for (index, condition) in contract.conditions().iter().enumerate() {
        let place = at(catalog, id, &format!("condition {index}"));
        let text = &condition.rule.text;
        found.put("condition.removed", place.clone(), format!("`{text}` → none"), move |catalog| {
            conditions(&mut catalog.contracts[id.0]).remove(index);
        });
        for other in others(text) {
            let change = format!("`{text}` → `{other}`");
            found.put("condition.text", place.clone(), change, move |catalog| {
                conditions(&mut catalog.contracts[id.0])[index].rule.text.clone_from(&other);
            });
        }
    }
}

/// The same text with another operator, and with another number.
pub(super) fn others(text: &str) -> Vec<String> {
    const OPERATORS: [(&str, &str); 6] = [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " < "),
        (" >= ", " > "),
        (" < ", " <= "),
        (" > ", " >= "),
    ];
    let joined = [(" && ", " || "), (" || ", " && ")];
    let said = OPERATORS.iter().chain(&joined).filter(|(from, _)| text.contains(from));
    let mut others: Vec<String> = said.map(|(from, to)| text.replacen(from, to, 1)).take(2).collect();
    // A number is a word of its own; `plane_0` is a name.
    let words = text.split(' ').position(|word| word.parse::<u64>().is_ok());
    if let Some(position) = words {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let number: u64 = words[position].parse().unwrap_or(0);
        words[position] = (number + 1).to_string();
        others.push(words.join(" "));
    }
    others
}

fn rules(contract: &mut Contract) -> &mut Vec<Rule> {
    match &mut contract.body {
        Body::Descriptor(body) => &mut body.rules,
        Body::Recipe(body) => &mut body.rules,
        Body::Union(body) => &mut body.rules,
        Body::Message(body) => &mut body.rules,
        _ => panic!("the operator found rules here"),
    }
}

fn conditions(contract: &mut Contract) -> &mut Vec<Condition> {
    match &mut contract.body {
        Body::Descriptor(body) => &mut body.conditions,
        Body::Recipe(body) => &mut body.conditions,
        _ => panic!("the operator found conditions here"),
    }
}

/// Puts another name of a contract's own field into its rules and conditions.
pub(super) fn rename(contract: &mut Contract, from: &str, to: &str) {
    let texts: Vec<&mut String> = match &mut contract.body {
        Body::Descriptor(body) => {
            let conditions = body.conditions.iter_mut().map(|condition| &mut condition.rule.text);
            conditions.chain(body.rules.iter_mut().map(|rule| &mut rule.text)).collect()
        }
        Body::Recipe(body) => {
            let conditions = body.conditions.iter_mut().map(|condition| &mut condition.rule.text);
            conditions.chain(body.rules.iter_mut().map(|rule| &mut rule.text)).collect()
        }
        Body::Message(body) => super::message::texts(body),
        _ => Vec::new(),
    };
    for text in texts {
        *text = renamed(text, from, to);
    }
}

/// The text with each word `from` that no dot or colon stands before replaced.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        result.push_str(&rest[..start]);
        let is_member = result.trim_end().ends_with(['.', ':']);
        let word = &rest[start..end];
        result.push_str(if word == from && !is_member { to } else { word });
        rest = &rest[end..];
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::{others, renamed};

    #[test]
    fn a_rules_text_gets_another_operator_and_another_number() {
        let found = others("offset + size <= 16 && a == b");
        assert_eq!(
            found,
            [
                "offset + size <= 16 && a != b",
                "offset + size < 16 && a == b",
                "offset + size <= 17 && a == b"
            ]
        );
    }

    #[test]
    fn a_field_is_renamed_where_it_is_the_contracts_own() {
        assert_eq!(renamed("len(a) > other.a + a_b", "a", "c"), "len(c) > other.a + a_b");
    }
}
