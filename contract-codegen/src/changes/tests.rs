//! What no declaration shows: forms that nobody has a rule for, and which contracts belong together.

mod messages;

use toml::Table;

use super::{Change, Compared, Effect, Forms, Side, Verdict, What, between};
use crate::lock::{Form, Kind};

fn form(path: &str, kind: Kind, wire_id: u64, table: &str) -> Form {
    let table: Table = table.parse().expect("the text of a form");
    Form { path: path.to_owned(), version: 1, kind, wire_id, table }
}

fn verdict(old: &Form, new: &Form) -> Verdict {
    let forms = Forms::new([old.clone()], [new.clone()]);
    Effect::of_all(between(old, new, &forms).iter().map(|change| change.effect)).verdict()
}

const FRAME: &str = r#"
layout = "natural"
size = 4
align = 4
fields = [{ at = 0, size = 4, name = "width", type = "u32", endian = "little" }]
"#;

#[test]
fn what_no_rule_knows_breaks_both_sides() {
    let frame = |more: &str| form("a::Frame", Kind::Descriptor, 1, &format!("{more}{FRAME}"));
    assert_eq!(verdict(&frame(""), &frame("")), Verdict::Harmless);
    assert_eq!(verdict(&frame(""), &frame("since = 2")), Verdict::Harmless);
    assert_eq!(verdict(&frame(""), &frame("checksum = \"crc32\"")), Verdict::Breaking);
    assert_eq!(verdict(&frame("checksum = \"crc32\""), &frame("")), Verdict::Breaking);
    let inner = FRAME.replace("endian = \"little\"", "endian = \"little\", scale = 10");
    let scaled = form("a::Frame", Kind::Descriptor, 1, &inner);
    assert_eq!(verdict(&frame(""), &scaled), Verdict::Breaking);
}

#[test]
fn every_kind_refuses_to_know_a_key_that_it_does_not_know() {
    for (kind, section) in [
        (Kind::Descriptor, "fields"),
        (Kind::Enumeration, "values"),
        (Kind::Flags, "values"),
        (Kind::Recipe, "fields"),
        (Kind::Recipe, "rules"),
        (Kind::Union, "variants"),
        (Kind::Message, "parts"),
        (Kind::Message, "fds"),
        (Kind::Message, "rules"),
        (Kind::Messages, "variants"),
        (Kind::Abi, "fields"),
        (Kind::Handle, ""),
        (Kind::Function, "params"),
        (Kind::Function, "outs"),
        (Kind::Library, ""),
        (Kind::Symbols, ""),
    ] {
        let old = form("a::It", kind, 1, "");
        assert_eq!(verdict(&old, &form("a::It", kind, 1, "novel = 1")), Verdict::Breaking, "{kind:?}");
        if !section.is_empty() {
            let member = |more| format!("{section} = [{{ name = \"it\", type = \"u32\"{more} }}]");
            let [old, new] = ["", ", novel = 1"].map(|more| form("a::It", kind, 1, &member(more)));
            assert_eq!(verdict(&old, &new), Verdict::Breaking, "{kind:?}.{section}");
        }
    }
}

#[test]
fn a_wire_id_that_changed_without_a_reason_breaks_both_sides() {
    let frame = |wire_id, more| form("a::Frame", Kind::Descriptor, wire_id, &format!("{more}{FRAME}"));
    assert_eq!(verdict(&frame(1, ""), &frame(2, "")), Verdict::Breaking);
    assert_eq!(verdict(&frame(1, ""), &frame(2, "deprecated = \"why\"")), Verdict::Breaking);
}

#[test]
fn what_is_held_and_has_no_form_breaks_both_sides_when_its_id_changed() {
    let order = |id: &str| {
        let fields = format!("fields = [{{ name = \"at\", type = \"b::Point\", wire_id = \"{id}\" }}]");
        form("a::Order", Kind::Recipe, id.len() as u64, &fields)
    };
    assert_eq!(verdict(&order("0x1"), &order("0x1")), Verdict::Harmless);
    assert_eq!(verdict(&order("0x1"), &order("0x22")), Verdict::Breaking);
    // Also where something else tells why the id of the holder changed.
    let mut other = order("0x22");
    other.table.insert("deny_unknown".to_owned(), true.into());
    let all = between(&order("0x1"), &other, &Forms::default());
    assert!(
        all.iter().any(|change| change.at == "at" && change.effect.verdict() == Verdict::Breaking),
        "{all:?}"
    );
}

#[test]
fn a_recipe_that_holds_its_own_kind_is_compared_once() {
    let tree = |wire_id: u64, more: &str| {
        let fields = format!(
            "fields = [{{ name = \"leaves\", type = \"Vec<a::Tree>\", wire_id = \"{wire_id}\" }}{more}]"
        );
        form("a::Tree", Kind::Recipe, wire_id, &fields)
    };
    assert_eq!(
        verdict(&tree(1, ""), &tree(2, ", { name = \"n\", type = \"Option<u32>\" }")),
        Verdict::Compatible
    );
    assert_eq!(
        verdict(&tree(1, ""), &tree(2, ", { name = \"n\", type = \"u32\" }")),
        Verdict::OldReadersRead
    );
}

#[test]
fn symbols_that_generated_code_exports_are_looked_for_by_name() {
    let symbols =
        |names: &str| form("a::documents (symbols)", Kind::Symbols, 1, &format!("symbols = {names}"));
    assert_eq!(verdict(&symbols("[\"a_f\"]"), &symbols("[\"a_f\"]")), Verdict::Harmless);
    assert_eq!(verdict(&symbols("[\"a_f\"]"), &symbols("[\"a_g\"]")), Verdict::Breaking);
}

#[test]
fn reasons_state_the_numbers_and_what_becomes_of_each_side() {
    let old = form("a::Frame", Kind::Descriptor, 1, FRAME);
    let new = form("a::Frame", Kind::Descriptor, 2, &FRAME.replace("size = 4\nalign", "size = 12\nalign"));
    let changes = between(&old, &new, &Forms::default());
    let said: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "12 bytes where there were 4: old readers refuse it (trailing_bytes), new readers refuse it (too_short)"
        ]
    );
}

/// What became of each contract: the paths before and now.
fn paths<'forms>(compared: &[Compared<'forms>]) -> Vec<[Option<&'forms str>; 2]> {
    let path = |form: Option<&'forms Form>| form.map(|form| form.path.as_str());
    compared.iter().map(|it| [path(it.old), path(it.new)]).collect()
}

#[test]
fn a_contract_belongs_to_the_one_that_it_was() {
    let frame = |path: &str, wire_id, more| form(path, Kind::Descriptor, wire_id, &format!("{more}{FRAME}"));
    let pairs = |old: Vec<Form>, new: Vec<Form>| {
        let forms = Forms::new(old, new);
        let paths = paths(&forms.compare()).into_iter().map(|pair| pair.map(|path| path.map(str::to_owned)));
        paths.collect::<Vec<_>>()
    };
    let some = |path: &str| Some(path.to_owned());
    // By its path, and nothing to say; moved, renamed and changed with `was`, moved and changed.
    assert!(pairs(vec![frame("a::A", 1, "")], vec![frame("a::A", 1, "")]).is_empty());
    let moved = pairs(vec![frame("a::A", 1, "")], vec![frame("b::A", 1, "")]);
    assert_eq!(moved, [[some("a::A"), some("b::A")]]);
    let renamed = pairs(vec![frame("a::A", 1, "")], vec![frame("a::B", 2, "was = \"A\"")]);
    assert_eq!(renamed, [[some("a::A"), some("a::B")]]);
    let changed = pairs(vec![frame("a::A", 1, "")], vec![frame("b::A", 2, "")]);
    assert_eq!(changed, [[some("a::A"), some("b::A")]]);
    // Of two that have the name, nobody knows.
    let two = pairs(vec![frame("a::A", 1, "")], vec![frame("b::A", 2, ""), frame("c::A", 3, "")]);
    assert_eq!(two, [[some("a::A"), None], [None, some("b::A")], [None, some("c::A")]]);
    // A path that is taken anew is the contract of that path.
    let taken = pairs(vec![frame("a::A", 1, "")], vec![frame("a::A", 2, ""), frame("b::A", 1, "")]);
    assert_eq!(taken, [[some("a::A"), some("a::A")], [None, some("b::A")]]);
}

#[test]
fn what_is_removed_says_whether_it_was_deprecated() {
    let order = |more: &str| {
        let fields = format!("fields = [{{ name = \"width\", type = \"u32\" }}{more}]");
        form("a::Order", Kind::Recipe, more.len() as u64, &fields)
    };
    for (said, was_deprecated) in [("", false), (", deprecated = \"why\"", true)] {
        let old = order(&format!(", {{ name = \"rate\", type = \"Option<u32>\"{said} }}"));
        let changes = between(&old, &order(""), &Forms::default());
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].change, Change::Removed { what: What::Key, was_deprecated });
        assert_eq!(changes[0].effect.sides(), [Side::Reads; 2]);
    }
}
