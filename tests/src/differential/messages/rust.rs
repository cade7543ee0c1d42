//! Messages in the Rust driver.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::model::{Body, ContractId, FdForm, Message, MessageContent, TailItem};

use super::{MessageChange, MessageProbe, message_probes, tag_fields, variants};
use crate::differential::identifier;
use crate::differential::rust::path;

/// The functions of all messages, and their arms; nothing where there are none, and `wirecontract` has no such trait.
pub(in crate::differential) fn functions(input: &EmitInput<'_>) -> (String, String) {
    let (mut text, mut arms) = (String::new(), String::new());
    for (id, contract) in input.catalog.iter() {
        text += &match &contract.body {
            Body::Message(message) => of_one(input, id, message),
            Body::Messages(_) => of_several(input, id),
            _ => continue,
        };
        arms += &format!(
            "        {:?} => message::<{}>(operation, bytes, shown_{2}, probe_{2}),\n",
            contract.name,
            path(input, id),
            id.0
        );
    }
    if arms.is_empty() {
        (text, arms)
    } else {
        (include_str!("../driver_messages.rs.txt").to_owned() + &text, arms)
    }
}

fn of_one(input: &EmitInput<'_>, id: ContractId, message: &Message) -> String {
    let mut shown = String::new();
    for group in &message.fds {
        let member = identifier(&group.member.name);
        shown += &match group.form {
            FdForm::One => format!("    s.group(std::iter::once(&v.{member}));\n"),
            FdForm::Optional { .. } | FdForm::Many { .. } => format!("    s.group(v.{member}.iter());\n"),
        };
    }
    if input.catalog.document_of(id).is_none() {
        for part in &message.parts {
            shown += &format!(
                "    s.part(|out| tree_{}(&v.{}, out));\n",
                part.contract.0,
                identifier(&part.member.name)
            );
        }
    }
    if let Some(tail) = &message.tail {
        let member = identifier(&tail.member.name);
        shown += &match tail.item {
            TailItem::Descriptor(item) => format!("    s.elements(&v.{member}, tree_{});\n", item.0),
            TailItem::Bytes => format!("    bytes(&v.{member}, &mut s.tail);\n"),
            TailItem::Text => {
                format!("    text(format!(\"{{}}\\0\", v.{member}).as_bytes(), &mut s.tail);\n")
            }
        };
    }
    let mut cases = String::new();
    for (number, probe) in message_probes(input.catalog, id).into_iter().enumerate() {
        cases += &format!("        {number} => {}\n", change(message, probe.change));
    }
    whole(input, id, &shown, &cases)
}

fn whole(input: &EmitInput<'_>, id: ContractId, shown: &str, cases: &str) -> String {
    let path = path(input, id);
    format!(
        "fn shown_{0}(v: &{path}, s: &mut Shown) {{\n    let _ = v;\n{shown}}}\n\n\
         fn probe_{0}(v: &mut {path}, number: usize, spare: &mut dyn FnMut() -> OwnedFd) -> bool {{\n    let _ = (&v, &spare);\n    \
         match number {{\n{cases}        _ => return false,\n    }}\n    #[allow(unreachable_code)]\n    true\n}}\n\n",
        id.0
    )
}

fn change(message: &Message, change: MessageChange) -> String {
    let group = |index: usize| identifier(&message.fds[index].member.name);
    let tail = message.tail.as_ref().map(|tail| (tail.item, identifier(&tail.member.name)));
    match (change, tail) {
        (MessageChange::MoreFds(index), _) => format!("v.{}.push(spare()),", group(index)),
        (MessageChange::FewerFds(index), _) => format!("return v.{}.pop().is_some(),", group(index)),
        (MessageChange::OtherFd(index), _) => {
            format!("v.{0} = if v.{0}.is_some() {{ None }} else {{ Some(spare()) }},", group(index))
        }
        (MessageChange::LongerTail, Some((TailItem::Descriptor(_), member))) => {
            format!(
                "match v.{member}.last().cloned() {{ Some(last) => v.{member}.push(last), None => return false }},"
            )
        }
        (MessageChange::LongerTail, Some((TailItem::Bytes, member))) => format!("v.{member}.push(b'a'),"),
        (MessageChange::LongerTail, Some((TailItem::Text, member))) => format!("v.{member}.push('a'),"),
        (MessageChange::ShorterTail, Some((_, member))) => format!("return v.{member}.pop().is_some(),"),
        (MessageChange::LongerTail | MessageChange::ShorterTail | MessageChange::Tag(_), _) => {
            "return false,".to_owned()
        }
    }
}

fn of_several(input: &EmitInput<'_>, id: ContractId) -> String {
    let path = path(input, id);
    let (mut arms, mut cases) = (String::new(), String::new());
    for variant in variants(input, id) {
        let name = identifier(&variant.member.name);
        let (pattern, shown) = match &variant.holds {
            MessageContent::Message(held) => ("(held)", format!("shown_{}(held, s)", held.0)),
            MessageContent::Value(_) => ("(_)", "()".to_owned()),
            MessageContent::Nothing => ("", "()".to_owned()),
            MessageContent::Other => ("(held)", "s.group(held.fds.iter())".to_owned()),
        };
        arms += &format!(
            "        {path}::{name}{pattern} => {{\n            s.variant = {:?};\n            {shown}\n        }}\n",
            variant.member.name
        );
    }
    for (number, MessageProbe { variant, change }) in
        message_probes(input.catalog, id).into_iter().enumerate()
    {
        let variant = &variants(input, id)[variant.expect("each of several messages is a variant")];
        let name = identifier(&variant.member.name);
        let apply = match change {
            MessageChange::Tag(tag) => {
                let first = &input.catalog.get(variant.message()).message().parts[0];
                let place = tag_fields(input.catalog, id)
                    .into_iter()
                    .fold(identifier(&first.member.name), |place, field| {
                        format!("{place}.{}", identifier(&field.name))
                    });
                format!("held.{place} = {tag}")
            }
            change => {
                let own = message_probes(input.catalog, variant.message());
                let own = own.iter().position(|probe| probe.change == change).expect("it is the message's");
                format!("return probe_{}(held, {own}, spare)", variant.message().0)
            }
        };
        cases += &format!(
            "        {number} => match v {{\n            {path}::{name}(held) => {apply},\n            \
             #[allow(unreachable_patterns)]\n            _ => return false,\n        }},\n"
        );
    }
    whole(input, id, &format!("    match v {{\n{arms}    }}\n"), &cases)
}
