//! What is said of every kind of change of messages.

use crate::catalog::encode::{Target, records};
use crate::changes::{Classified, Forms, between};
use crate::fixtures::{message_id as id, messages};
use crate::lock::{Form, Lock};
use crate::model::{
    Body, Catalog, Content, ContractId, Element, FdForm, FdGroup, JsonType, Member, Message, MessageContent,
    Messages, Moment, Scalar, Selector, Tail, TailItem, TailLength,
};

fn forms(mut catalog: Catalog) -> Vec<Form> {
    let encoded = records(&catalog, Target::X86_64);
    for (contract, record) in catalog.contracts.iter_mut().zip(encoded) {
        contract.wire_id = record.wire_id;
    }
    catalog.iter().map(|(id, _)| Form::of(&catalog, id)).collect()
}

/// What is found when a catalog becomes another one.
fn changes(of: ContractId, change: &dyn Fn(&mut Catalog)) -> Vec<Classified> {
    let mut catalog = messages();
    let old = forms(catalog.clone());
    change(&mut catalog);
    let new = forms(catalog);
    between(&old[of.0], &new[of.0], &Forms::new(old.clone(), new.clone()))
}

/// What a change does, and what going back does.
#[track_caller]
fn said(of: ContractId, change: &dyn Fn(&mut Catalog), expected: &[&str], back: &[&str]) {
    let found: Vec<String> = changes(of, change).iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    let mut catalog = messages();
    let new = forms(catalog.clone());
    change(&mut catalog);
    let old = forms(catalog);
    let found = between(&old[of.0], &new[of.0], &Forms::new(old.clone(), new.clone()));
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), back);
}

fn message(catalog: &mut Catalog, id: ContractId) -> &mut Message {
    let Body::Message(body) = &mut catalog.contracts[id.0].body else { panic!("not a message") };
    body
}

fn messages_of(catalog: &mut Catalog, id: ContractId) -> &mut Messages {
    let Body::Messages(body) = &mut catalog.contracts[id.0].body else { panic!("not messages") };
    body
}

fn named(name: &str) -> Member {
    Member { name: name.into(), ..Member::default() }
}

fn tail(catalog: &mut Catalog, id: ContractId) -> &mut Tail {
    message(catalog, id).tail.as_mut().expect("it has a tail")
}

const MISREAD: &str = "old readers misread it, new readers misread it";

#[test]
fn parts_stand_where_they_stand() {
    said(
        id::KICK,
        &|catalog| {
            let mut part = message(catalog, id::KICK).parts[0].clone();
            (part.member.name, part.contract) = ("table".into(), id::TABLE);
            message(catalog, id::KICK).parts.push(part);
        },
        &[
            "`table`: it stands where something else stood, or nothing: old readers refuse it (trailing_bytes), new readers refuse it (too_short)",
        ],
        &[
            "`table`: what stood behind it stands in its place: old readers refuse it (too_short), new readers refuse it (trailing_bytes)",
        ],
    );
    // Behind parts of any length, nobody sees it by the length.
    let added = format!("`more`: it stands where something else stood, or nothing: {MISREAD}");
    let removed = format!("`more`: what stood behind it stands in its place: {MISREAD}");
    said(
        id::UNKNOWN,
        &|catalog| {
            let mut part = message(catalog, id::UNKNOWN).parts[0].clone();
            (part.member.name, part.contract) = ("more".into(), id::TABLE);
            message(catalog, id::UNKNOWN).parts.push(part);
        },
        &[&*added],
        &[&*removed],
    );
    let swapped = format!("each part stands where another one stood: {MISREAD}");
    said(
        id::MEM_TABLE,
        &|catalog| {
            message(catalog, id::MEM_TABLE).parts.swap(0, 1);
        },
        &[&*swapped],
        &[&*swapped],
    );
    let [to, from] = ["wirecontract_gpu::vhost::MemRegion", "wirecontract_gpu::vhost::MemTable"];
    said(
        id::MEM_TABLE,
        &|catalog| message(catalog, id::MEM_TABLE).parts[1].contract = id::REGION,
        &[&format!("`table`: it is {to} and was {from}: {MISREAD}")],
        &[&format!("`table`: it is {from} and was {to}: {MISREAD}")],
    );
}

#[test]
fn what_a_part_holds_changes_the_message() {
    let found = changes(id::KICK, &|catalog| {
        let Body::Descriptor(body) = &mut catalog.contracts[id::HEADER.0].body else { panic!() };
        body.fields.swap(1, 2);
        (body.fields[1].offset, body.fields[2].offset) = (4, 8);
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().starts_with("`header`: `VhostHeader"), "{}", found[0]);
    assert!(found[0].to_string().ends_with(MISREAD), "{}", found[0]);
}

#[test]
fn a_tail_is_told_by_the_length() {
    let behind = "nothing stood behind the parts: old readers refuse it (trailing_bytes), new readers";
    let before = "nothing stands behind the parts any more: old readers";
    let without = |id: ContractId| {
        move |catalog: &mut Catalog| {
            let body = message(catalog, id);
            (body.tail, body.max_bytes) = (None, None);
            body.rules.clear();
        }
    };
    let rules = |texts: &[&str]| -> [Vec<String>; 2] {
        let to = texts.iter().map(|text| {
            format!("`{text}`: it is no rule any more, and does not hold new writers: old readers refuse it (rule_violated), new readers read it")
        });
        let from = texts.iter().map(|text| {
            format!("`{text}`: no rule held old writers to it: old readers read it, new readers refuse it (rule_violated)")
        });
        [to.collect(), from.collect()]
    };
    said(
        id::UNKNOWN,
        &without(id::UNKNOWN),
        &[&format!("`rest`: {before} read it, new readers refuse it (trailing_bytes)")],
        &[&format!("`rest`: {behind} read it")],
    );
    let [removed, added] = rules(&["present(done) || len(path) == 0"]);
    said(
        id::LOG,
        &without(id::LOG),
        &[
            &format!("`path`: {before} refuse it (too_short), new readers refuse it (trailing_bytes)"),
            &removed[0],
        ],
        &[&format!("`path`: {behind} refuse it (too_short)"), &added[0]],
    );
}

#[test]
fn how_long_a_tail_is_is_said_by_the_parts() {
    let loosened = "old readers refuse it (too_short), new readers read it";
    let tightened = "old readers read it, new readers refuse it (too_short)";
    said(
        id::MEM_TABLE,
        &|catalog| tail(catalog, id::MEM_TABLE).length = TailLength::Rest,
        &[&format!("`regions`: the parts do not say how long it is any more: {loosened}")],
        &[&format!("`regions`: the parts did not say how long it was: {tightened}")],
    );
    let other = "`regions`: the parts say in another way how long it is: old readers refuse it (too_short), new readers refuse it (too_short)";
    said(
        id::MEM_TABLE,
        &|catalog| {
            let TailLength::Count(computed) = &mut tail(catalog, id::MEM_TABLE).length else {
                panic!("counted")
            };
            computed.text = format!("{} + 1", computed.text);
        },
        &[other],
        &[other],
    );
    let unit = "the parts say bytes where they said elements, or elements where they said bytes:";
    let measured = |id| {
        move |catalog: &mut Catalog| {
            let length = &mut tail(catalog, id).length;
            let (TailLength::Count(computed) | TailLength::Bytes(computed)) = length.clone() else {
                panic!("computed")
            };
            let is_count = matches!(length, TailLength::Count(_));
            *length = if is_count { TailLength::Bytes(computed) } else { TailLength::Count(computed) };
        }
    };
    said(
        id::MEM_TABLE,
        &measured(id::MEM_TABLE),
        &[&format!(
            "`regions`: {unit} old readers refuse it (too_short), new readers refuse it (length_exceeds)"
        )],
        &[&format!(
            "`regions`: {unit} old readers refuse it (length_exceeds), new readers refuse it (too_short)"
        )],
    );
    // Of text and bytes, elements are bytes.
    let same = format!("`path`: {unit} old readers read it, new readers read it");
    said(id::LOG, &measured(id::LOG), &[&same], &[&same]);
    let text = "`path`: every text is bytes, and not all bytes are text:";
    said(
        id::LOG,
        &|catalog| tail(catalog, id::LOG).item = TailItem::Bytes,
        &[&format!("{text} old readers refuse it (bad_utf8), new readers read it")],
        &[&format!("{text} old readers read it, new readers refuse it (bad_utf8)")],
    );
    let [table, region] = ["Table", "Region"].map(|name| format!("Vec<wirecontract_gpu::vhost::Mem{name}>"));
    said(
        id::MEM_TABLE,
        &|catalog| tail(catalog, id::MEM_TABLE).item = TailItem::Descriptor(id::TABLE),
        &[&format!("`regions`: it is {table} and was {region}: {MISREAD}")],
        &[&format!("`regions`: it is {region} and was {table}: {MISREAD}")],
    );
    said(
        id::MEM_TABLE,
        &|catalog| message(catalog, id::MEM_TABLE).max_bytes = Some(100),
        &["`max_bytes` is 100 and was 148: old readers read it, new readers refuse it (too_large)"],
        &["`max_bytes` is 148 and was 100: old readers refuse it (too_large), new readers read it"],
    );
    let found = changes(id::GROWING_MESSAGE, &|catalog| {
        let Body::Descriptor(body) = &mut catalog.contracts[id::REGION.0].body else { panic!() };
        body.rules.pop();
    });
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "`regions`: `MemRegion.start % 4096 == 0` changed: it is no rule any more, and does not hold new writers: \
          old readers refuse it (rule_violated), new readers read it"
        ]
    );
}

fn group(catalog: &mut Catalog, id: ContractId, index: usize) -> &mut FdGroup {
    &mut message(catalog, id).fds[index]
}

#[test]
fn a_group_has_other_numbers() {
    said(
        id::UNKNOWN,
        &|catalog| group(catalog, id::UNKNOWN, 0).form = FdForm::Many { least: 1, most: 8, count: None },
        &[
            "`all`: 1 to 8 file descriptors, where there were 0 to 8: old readers read it, new readers refuse it (fd_count)",
        ],
        &[
            "`all`: 0 to 8 file descriptors, where there were 1 to 8: old readers refuse it (fd_count), new readers read it",
        ],
    );
    said(
        id::UNKNOWN,
        &|catalog| group(catalog, id::UNKNOWN, 0).form = FdForm::Many { least: 4, most: 9, count: None },
        &[
            "`all`: 4 to 9 file descriptors, where there were 0 to 8: old readers refuse it (fd_count), new readers refuse it (fd_count)",
        ],
        &[
            "`all`: 0 to 8 file descriptors, where there were 4 to 9: old readers refuse it (fd_count), new readers refuse it (fd_count)",
        ],
    );
    said(
        id::LOG,
        &|catalog| group(catalog, id::LOG, 2).form = FdForm::Many { least: 0, most: 1, count: None },
        &["`done`: as many file descriptors, in another form: old readers read it, new readers read it"],
        &["`done`: as many file descriptors, in another form: old readers read it, new readers read it"],
    );
    // What is too many of an exact group is taken for one of that which takes the rest.
    let count = |text: &'static str| {
        move |catalog: &mut Catalog| {
            let FdForm::Many { count: Some(count), .. } = &mut group(catalog, id::LOG, 1).form else {
                panic!()
            };
            text.clone_into(&mut count.text);
        }
    };
    let other = format!("`pages`: the parts say in another way how many there are: {MISREAD}");
    said(id::LOG, &count("header.flags / 3"), &[&*other], &[&*other]);
    said(
        id::LOG,
        &|catalog| group(catalog, id::LOG, 0).form = FdForm::Many { least: 2, most: 2, count: None },
        &[&format!("`log`: 2 to 2 file descriptors, where there were 1 to 1: {MISREAD}")],
        &[&format!("`log`: 1 to 1 file descriptors, where there were 2 to 2: {MISREAD}")],
    );
    said(
        id::KICK,
        &|catalog| group(catalog, id::KICK, 0).form = FdForm::Optional { present_if: None },
        &[
            "`kick`: the parts do not say how many there are any more: old readers refuse it (fd_count), new readers read it",
        ],
        &[
            "`kick`: the parts did not say how many there were: old readers read it, new readers refuse it (fd_count)",
        ],
    );
}

#[test]
fn groups_come_and_go() {
    let last = |form: FdForm| {
        move |catalog: &mut Catalog| {
            let body = message(catalog, id::KICK);
            let more = FdGroup { member: named("more"), form: form.clone() };
            body.fds.push(more);
        }
    };
    let [added, removed] = [
        "`more`: old writers pass none of its file descriptors:",
        "`more`: new writers pass none of its file descriptors:",
    ];
    let counted = "(fd_count)";
    said(
        id::KICK,
        &last(FdForm::One),
        &[&format!("{added} old readers refuse it {counted}, new readers refuse it {counted}")],
        &[&format!("{removed} old readers refuse it {counted}, new readers refuse it {counted}")],
    );
    said(
        id::KICK,
        &last(FdForm::Optional { present_if: None }),
        &[&format!("{added} old readers refuse it {counted}, new readers read it")],
        &[&format!("{removed} old readers read it, new readers refuse it {counted}")],
    );
    let front = |catalog: &mut Catalog| {
        let body = message(catalog, id::UNKNOWN);
        let more = FdGroup { member: named("more"), form: FdForm::One };
        body.fds.insert(0, more);
    };
    said(id::UNKNOWN, &front, &[&format!("{added} {MISREAD}")], &[&format!("{removed} {MISREAD}")]);
    let swapped = format!("each file descriptor is taken for one of another group: {MISREAD}");
    said(id::KICK, &|catalog| message(catalog, id::KICK).fds.swap(0, 1), &[&*swapped], &[&*swapped]);
    // Another group takes what the others leave.
    let found = changes(id::LOG, &|catalog| {
        group(catalog, id::LOG, 1).form = FdForm::Many { least: 1, most: 3, count: None };
        group(catalog, id::LOG, 2).form = FdForm::One;
    });
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let rest = format!("`pages`: it takes what the others leave, which `done` did: {MISREAD}");
    assert!(texts.contains(&rest), "{texts:?}");
}

#[test]
fn names_are_not_on_the_wire_and_mean_something() {
    let renamed = |was: Option<&'static str>| {
        move |catalog: &mut Catalog| {
            let group = group(catalog, id::UNKNOWN, 0);
            (group.member.name, group.member.was) = ("every".into(), was.map(str::to_owned));
        }
    };
    said(
        id::UNKNOWN,
        &renamed(Some("all")),
        &["`every`: it was called `all`, and `was` says that it means the same"],
        &["`all`: it was called `every`, and `was` says that it means the same"],
    );
    let says = "and nothing says that it means the same: declare `was =";
    said(
        id::UNKNOWN,
        &renamed(None),
        &[&format!("`every`: `all` stood in its place, {says} all` if so: {MISREAD}")],
        &[&format!("`all`: `every` stood in its place, {says} every` if so: {MISREAD}")],
    );
    let c_name = "`c_name` names it in one language only";
    said(
        id::MEM_TABLE,
        &|catalog| {
            let body = message(catalog, id::MEM_TABLE);
            body.parts[0].member.c_name = Some("wc_header".into());
            body.fds[0].member.c_name = Some("wc_memory".into());
        },
        &[&format!("`header`: {c_name}"), &format!("`memory`: {c_name}")],
        &[&format!("`header`: {c_name}"), &format!("`memory`: {c_name}")],
    );
    said(
        id::MEM_TABLE,
        &|catalog| message(catalog, id::MEM_TABLE).rules[0].at = Moment::Import,
        &["`one_each`: new writers are held to it at import, and not in writing any more: \
           old readers refuse it (rule_violated), new readers read it"],
        &["`one_each`: it held old writers at import, and not in writing: \
           old readers read it, new readers refuse it (rule_violated)"],
    );
}

#[test]
fn a_rule_is_called_by_its_name() {
    let named = |catalog: &mut Catalog, text: &str| {
        let rule = &mut message(catalog, id::MEM_TABLE).rules[0];
        (rule.name, rule.text) = (Some("whole".into()), text.into());
    };
    let forms = ["len(regions) == fds(memory)", "len(regions) <= fds(memory)"].map(|text| {
        let mut catalog = messages();
        named(&mut catalog, text);
        forms(catalog)
    });
    let [old, new] = &forms;
    let of = id::MEM_TABLE.0;
    let found = between(&old[of], &new[of], &Forms::new(old.clone(), new.clone()));
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["`whole`: it was `len(regions) == fds(memory)`, and may refuse what the other side allows: \
             old readers refuse it (rule_violated), new readers refuse it (rule_violated)"]
    );
}

#[test]
fn variants_are_told_by_their_tags() {
    let removed = |index: usize| {
        move |catalog: &mut Catalog| drop(messages_of(catalog, id::VHOST).variants.remove(index))
    };
    said(
        id::VHOST,
        &removed(1),
        &[
            "`SetLog`: new readers have no such variant, and keep it as `Other`: old readers read it, new readers read it",
        ],
        &[
            "`SetLog`: old readers have no such variant, and keep it as `Other`: old readers read it, new readers read it",
        ],
    );
    said(
        id::VHOST,
        &removed(3),
        &["`Other`: unknown tags were kept: old readers read it, new readers refuse it (unknown_tag)"],
        &[
            "`Other`: unknown tags are kept, and written again: old readers refuse it (unknown_tag), new readers read it",
        ],
    );
    said(
        id::VHOST,
        &|catalog| messages_of(catalog, id::VHOST).variants[1].value = Some(7),
        &[&format!("`SetLog`: its tag is another number: {MISREAD}")],
        &[&format!("`SetLog`: its tag is another number: {MISREAD}")],
    );
    said(
        id::VHOST,
        &|catalog| messages_of(catalog, id::VHOST).variants.swap(0, 1),
        &["the tag says which message it is: old readers read it, new readers read it"],
        &["the tag says which message it is: old readers read it, new readers read it"],
    );
    let closed = |value: u64| {
        move |catalog: &mut Catalog| {
            let body = messages_of(catalog, id::VHOST);
            body.variants.pop();
            body.variants[1].value = Some(value);
        }
    };
    let [old, new] = [6, 7].map(|value| {
        let mut catalog = messages();
        closed(value)(&mut catalog);
        forms(catalog)
    });
    let found = between(&old[id::VHOST.0], &new[id::VHOST.0], &Forms::new(old.clone(), new.clone()));
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "`SetLog`: its tag is another number: old readers refuse it (unknown_tag), new readers refuse it (unknown_tag)"
        ]
    );
    let [kick, log] = ["Kick", "Log"].map(|name| format!("wirecontract_gpu::vhost::{name}Message"));
    said(
        id::VHOST,
        &|catalog| messages_of(catalog, id::VHOST).variants[1].holds = MessageContent::Message(id::KICK),
        &[&format!("`SetLog`: it is {kick} and was {log}: {MISREAD}")],
        &[&format!("`SetLog`: it is {log} and was {kick}: {MISREAD}")],
    );
    let held = "`SetLog`: `LogMessage` changed: `max_bytes` is";
    said(
        id::VHOST,
        &|catalog| message(catalog, id::LOG).max_bytes = Some(32),
        &[&format!("{held} 32 and was 64: old readers read it, new readers refuse it (too_large)")],
        &[&format!("{held} 64 and was 32: old readers refuse it (too_large), new readers read it")],
    );
}

#[test]
fn a_tag_is_the_field_and_not_its_name() {
    let same = "it is the same field, whatever it is called: its parts say whether it means the same";
    let expected = format!("{same}: old readers read it, new readers read it");
    said(
        id::VHOST,
        &|catalog| {
            let Body::Descriptor(header) = &mut catalog.contracts[id::HEADER.0].body else { panic!() };
            let field = &mut header.fields[0];
            (field.name, field.was) = ("operation".into(), Some("request".into()));
            let Selector::Tag { text, .. } = &mut messages_of(catalog, id::VHOST).by else { panic!() };
            "header.operation".clone_into(text);
        },
        &[&*expected],
        &[&*expected],
    );
    // Another type in the same place.
    let found = changes(id::VHOST, &|catalog| {
        let Body::Descriptor(header) = &mut catalog.contracts[id::HEADER.0].body else { panic!() };
        let field = &mut header.fields[0];
        (field.name, field.was) = ("operation".into(), Some("request".into()));
        field.ty.element = Element::Scalar(Scalar::U32);
        let Selector::Tag { text, .. } = &mut messages_of(catalog, id::VHOST).by else { panic!() };
        "header.operation".clone_into(text);
    });
    let another = format!("something else says which message it is: {MISREAD}");
    assert!(found.iter().any(|change| change.to_string() == another), "{found:?}");
}

#[test]
fn something_else_says_which_message_it_is() {
    let another = format!("something else says which message it is: {MISREAD}");
    said(
        id::VHOST,
        &|catalog| {
            let Selector::Tag { text, .. } = &mut messages_of(catalog, id::VHOST).by else { panic!() };
            "header.size".clone_into(text);
        },
        &[&*another],
        &[&*another],
    );
    let found = changes(id::QUERY_MESSAGE, &|catalog| {
        let Body::Recipe(body) = &mut catalog.contracts[id::SURFACE_NAME.0].body else { panic!() };
        body.keys[0].key = "name".into();
    });
    let places: Vec<&str> = found.iter().map(|change| &*change.at).collect();
    // What the union says is not said again of what its variant holds.
    assert_eq!(places, ["body"]);
}

#[test]
fn a_document_alone_is_a_message_without_file_descriptors() {
    let document = |catalog: &mut Catalog| {
        let variant = &mut messages_of(catalog, id::QUERY_MESSAGE).variants[1];
        variant.holds = MessageContent::Value(JsonType::Recipe(id::REGISTRATION));
    };
    let [was, is] = [
        "was a message, and none of its file descriptors come any more",
        "is a message, and none of its file descriptors came before",
    ];
    let refused = "old readers refuse it (fd_count), new readers refuse it (fd_count)";
    said(
        id::QUERY_MESSAGE,
        &document,
        &[&format!("`Register`: it {was}: {refused}")],
        &[&format!("`Register`: it {is}: {refused}")],
    );
    let of = |change: &dyn Fn(&mut Message)| -> [String; 2] {
        let mut catalog = messages();
        change(message(&mut catalog, id::REGISTER_MESSAGE));
        let old = forms(catalog.clone());
        document(&mut catalog);
        let new = forms(catalog);
        [[&old, &new], [&new, &old]].map(|[old, new]| {
            let of = id::QUERY_MESSAGE.0;
            let found = between(&old[of], &new[of], &Forms::new(old.clone(), new.clone()));
            assert_eq!(found.len(), 1, "{found:?}");
            found[0].to_string()
        })
    };
    // Where none need come, the document is a message, which rules may refuse.
    let none_need_come = of(&|body| body.fds.truncate(1));
    assert_eq!(
        none_need_come,
        [
            format!(
                "`Register`: it {was}: old readers refuse it (rule_violated), new readers refuse it (fd_count)"
            ),
            format!(
                "`Register`: it {is}: old readers refuse it (fd_count), new readers refuse it (rule_violated)"
            ),
        ]
    );
    let nothing = of(&|body| {
        body.fds.clear();
        body.rules.clear();
    });
    let both = "old readers read it, new readers read it";
    assert_eq!(nothing, [format!("`Register`: it {was}: {both}"), format!("`Register`: it {is}: {both}")]);
}

#[test]
fn the_union_says_what_variants_hold_that_are_no_messages() {
    let held = "`body`: `Word.stop` changed:";
    said(
        id::WORD_MESSAGE,
        &|catalog| {
            let name = JsonType::Recipe(id::SURFACE_NAME);
            let Body::Union(union) = &mut catalog.contracts[id::WORD.0].body else { panic!("a union") };
            union.variants[1].content = Content::Value { ty: name.clone(), default: None };
            messages_of(catalog, id::WORD_MESSAGE).variants[2].holds = MessageContent::Value(name);
        },
        &[&format!(
            "{held} old readers look at nothing beside the tag, and old writers wrote nothing there: old readers read it, new readers refuse it (missing_key)"
        )],
        &[&format!(
            "{held} new readers look at nothing beside the tag, and new writers write nothing there: old readers refuse it (missing_key), new readers read it"
        )],
    );
    let kept = |kept: &str| format!("unknown tags {kept}");
    let closed = |catalog: &mut Catalog| {
        let Body::Union(union) = &mut catalog.contracts[id::WORD.0].body else { panic!("a union") };
        union.variants.pop();
        messages_of(catalog, id::WORD_MESSAGE).variants.remove(1);
    };
    let refused = [
        "old readers read it, new readers refuse it (unknown_tag)",
        "old readers refuse it (unknown_tag), new readers read it",
    ];
    said(
        id::WORD_MESSAGE,
        &closed,
        &[
            &format!("`body`: `Word.Other` changed: {}: {}", kept("were kept"), refused[0]),
            &format!("`Other`: {}: {}", kept("were kept"), refused[0]),
        ],
        &[
            &format!("`body`: `Word.Other` changed: {}: {}", kept("are kept, and written again"), refused[1]),
            &format!("`Other`: {}: {}", kept("are kept, and written again"), refused[1]),
        ],
    );
}

#[test]
fn a_form_of_a_message_stands_in_the_lock_and_is_read_again() {
    let mut catalog = messages();
    let group = group(&mut catalog, id::LOG, 1);
    (group.member.name, group.member.was) = ("sheets".into(), Some("pages".into()));
    tail(&mut catalog, id::LOG).member.deprecated = Some("not used".into());
    let forms = forms(catalog);
    let mut lock = Lock::default();
    forms.into_iter().for_each(|form| lock.accept(form).expect("an empty lock takes every form"));
    let text = lock.text();
    for part in [
        "kind = \"message\"",
        "max_bytes = 64\n",
        "parts = [\n    { name = \"header\", type = \"wirecontract_gpu::vhost::VhostHeader\", wire_id = ",
        "tail = { name = \"path\", type = \"String\", bytes = \"header.size - 12\", deprecated = \"not used\" }\n",
        "    { name = \"log\", form = \"one\" },\n",
        "    { name = \"sheets\", was = \"pages\", form = \"many\", least = 1, most = 3, count = \"header.flags / 2\" },\n",
        "    { name = \"kick\", form = \"optional\", present_if = \"6 / header.flags == 3\" },\n",
        "kind = \"messages\"",
        "tag = \"header.request\"\n",
        "    { name = \"SetMemTable\", value = 5, type = \"wirecontract_gpu::vhost::MemTableMessage\", wire_id = ",
        "    { name = \"Other\", open = true, type = ",
        "body = { type = \"wirecontract_gpu::vhost::Query\", wire_id = ",
        "    { name = \"Stop\" },\n",
        "    { name = \"Other\", open = true },\n",
        "    { name = \"Pair\", type = \"[i32; 2]\" },\n",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(Lock::parse(&text).expect("a lock is read"), lock);
}
