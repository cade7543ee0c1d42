//! Unions: every way to say which variant.

use std::collections::BTreeSet;

use super::recipes::{container_keys, content};
use super::rules::Rules;
use super::{Declared, Held, Needs, World, docs, line, plain, wire, words};
use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Internal,
    Adjacent,
    Untagged,
}

/// A union; a recipe where there is none yet that it could hold.
pub(super) fn union(world: &mut World, number: usize, random: &mut Random) -> String {
    let form = *random.pick(&[Form::Internal, Form::Internal, Form::Adjacent, Form::Untagged]);
    let tag = *random.pick(&["op", "the kind", "$tag", "é"]);
    let mut held = world.usable(&world.recipes);
    held.retain(|recipe| !recipe.keys.contains(&plain(tag)));
    if held.is_empty() && form != Form::Adjacent {
        return super::recipes::recipe(world, number, random);
    }
    let name = words::type_name(number, random);
    let names = words::values(random);
    let count = random.between(1, 5);
    let absent = (form != Form::Untagged && random.one_in(2)).then(|| random.below(count));
    let no_tag = random.one_in(2);
    let is_open = form != Form::Untagged && random.one_in(3);
    let (mut keys, mut denies, mut keeps_others) =
        (BTreeSet::new(), false, is_open && form == Form::Internal);
    let mut tried: Vec<&Declared> = Vec::new();
    let mut variants = Vec::new();
    let mut needs = Needs { bytes: 0, depth: 1 };
    for (index, variant) in names[..count].iter().enumerate() {
        let has_tag = !(absent == Some(index) && no_tag);
        let mut said = said(form, index, has_tag, random);
        let inner = match form {
            Form::Adjacent | Form::Internal if random.one_in(5) => None,
            Form::Adjacent => {
                let content = content(world, random);
                if let Some(default) = content.default.filter(|_| random.one_in(3)) {
                    said.push(format!("default = {default}"));
                }
                let (bytes, depth) = (content.needs.bytes, content.needs.depth + 1);
                needs = Needs { bytes: needs.bytes.max(bytes), depth: needs.depth.max(depth) };
                Some(content.ty)
            }
            _ => {
                // What an untagged variant writes is read as no earlier one.
                let mut able = held.clone();
                if form == Form::Untagged {
                    able.retain(|recipe| tried.iter().all(|first| !first.required.is_subset(&recipe.keys)));
                }
                if able.is_empty() {
                    break;
                }
                let recipe = *random.pick(&able);
                tried.push(recipe);
                let Needs { bytes, depth } = recipe.needs;
                needs = Needs { bytes: needs.bytes.max(bytes), depth: needs.depth.max(depth) };
                keeps_others |= recipe.keeps_others;
                keys.extend(recipe.keys.iter().cloned());
                denies |= recipe.denies;
                Some(if random.one_in(4) { format!("Box<{}>", recipe.path) } else { recipe.path.clone() })
            }
        };
        variants.push((variant.to_string(), said, inner));
    }
    if is_open {
        let unknown = Some("wirecontract::UnknownVariant".to_owned());
        variants.push((names[count].to_owned(), vec!["open".to_owned()], unknown));
    }
    // A tag, a content's key, and their values.
    needs.bytes += 100;
    let mut container = container_keys(&name, "union", number, needs, random);
    match form {
        Form::Untagged => container.push("untagged".to_owned()),
        _ => {
            container.push(format!("tag = {tag:?}"));
            keys.insert(plain(tag));
            if form == Form::Adjacent {
                container.push(format!("content = \"content {number}\""));
                keys.insert(plain(&format!("content {number}")));
            }
            if random.one_in(3) {
                container.push("tag_last".to_owned());
            }
            if let Some(absent) = absent.filter(|_| !no_tag) {
                container.push(format!("tag_default = {}", names[absent]));
            }
            if absent.is_some() && random.one_in(2) {
                container.push("lenient".to_owned());
            }
        }
    }
    let values: Vec<String> = variants.iter().map(|(variant, ..)| variant.clone()).collect();
    let documents = documents(world, &variants);
    if random.one_in(3) {
        container.extend(Rules::of(&[], &values, true).rules(1, random));
    }
    let path = world.declare(&name, None);
    world.unions.push(Declared {
        module: world.module,
        path,
        values,
        documents,
        keys,
        keeps_others,
        needs,
        denies,
        ..Declared::default()
    });

    text(&name, &container, variants, random)
}

/// What each variant holds, where none holds what is neither a recipe nor a union.
fn documents(world: &World, variants: &[(String, Vec<String>, Option<String>)]) -> Vec<(String, Held)> {
    let held = variants.iter().map(|(variant, said, inner)| {
        let held = match inner.as_deref() {
            None => Held::Nothing,
            Some(_) if said.iter().any(|key| key == "open") => Held::Unknown,
            Some(inner) => {
                let inner = inner.trim_start_matches("Box<").trim_end_matches('>');
                let mut documents = world.recipes.iter().chain(&world.unions);
                Held::Document(Box::new(documents.find(|declared| declared.path == inner)?.clone()))
            }
        };
        Some((variant.clone(), held))
    });
    held.collect::<Option<_>>().unwrap_or_default()
}

/// What a variant says of its tag.
fn said(form: Form, index: usize, has_tag: bool, random: &mut Random) -> Vec<String> {
    let mut said = Vec::new();
    if !has_tag {
        said.push("no_tag".to_owned());
    } else if form != Form::Untagged {
        if random.one_in(5) {
            let names = [format!("own-{index}"), format!("\"é\" {index}")];
            said.push(format!("name = {:?}", random.pick(&names)));
        }
        if random.one_in(5) {
            said.push(format!("alias(\"old_{index}\", \"|other {index}\")"));
        }
    }
    said
}

/// The declaration; a variant is its name, what it says, and the type it holds.
fn text(
    name: &str,
    container: &[String],
    variants: Vec<(String, Vec<String>, Option<String>)>,
    random: &mut Random,
) -> String {
    let mut text = String::new();
    docs(&mut text, 1, &format!("The union {name}."), random);
    line(&mut text, 1, "#[derive(WireContract, Clone, Debug, PartialEq)]");
    wire(&mut text, 1, container, random);
    line(&mut text, 1, &format!("pub enum {name} {{"));
    for (variant, said, inner) in variants {
        docs(&mut text, 2, &format!("The variant {variant}."), random);
        wire(&mut text, 2, &said, random);
        let inner = inner.map_or_else(String::new, |inner| format!("({inner})"));
        line(&mut text, 2, &format!("{variant}{inner},"));
    }
    text + "    }\n\n"
}
