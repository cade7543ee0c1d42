//! Messages in the Python driver: what it has to know of each, since all are asked by the same functions.

use std::fmt::Write as _;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::model::{Body, ContractId, FdForm, Message, MessageContent, TailItem};
use wirecontract_codegen::names::python as names;

use super::{MessageChange, message_probes, tag_fields, variants};

/// The entries of the table, one for each message of the catalog.
pub(in crate::differential) fn table(input: &EmitInput<'_>) -> String {
    let mut table = String::new();
    for (index, family) in input.families.iter().enumerate() {
        for &id in &family.contracts {
            let contract = input.catalog.get(id);
            let class = format!("family_{index}.{}", names::class(&contract.name));
            let shape = match &contract.body {
                Body::Message(message) => shape(input, id, message),
                Body::Messages(_) => several(input, id),
                _ => continue,
            };
            let probes = probes(input, id);
            let _ = writeln!(table, "    {:?}: ({class}, {shape}, [{probes}]),", contract.name);
        }
    }
    table
}

fn shape(input: &EmitInput<'_>, id: ContractId, message: &Message) -> String {
    let is_document = input.catalog.document_of(id).is_some();
    let parts = message.parts.iter().map(|part| {
        let tree = if is_document { "None".to_owned() } else { format!("tree_{}", part.contract.0) };
        format!("({:?}, {tree})", names::message_field(&part.member.name))
    });
    let tail = message.tail.as_ref().map_or_else(
        || "None".to_owned(),
        |tail| {
            let tree = match tail.item {
                TailItem::Descriptor(item) => format!("array(tree_{})", item.0),
                TailItem::Bytes => "hexed".to_owned(),
                TailItem::Text => "text".to_owned(),
            };
            format!("({:?}, {tree})", names::message_field(&tail.member.name))
        },
    );
    let groups = message.fds.iter().map(|group| {
        let is_many = matches!(group.form, FdForm::Many { .. });
        format!(
            "({:?}, {})",
            names::message_field(&group.member.name),
            if is_many { "True" } else { "False" }
        )
    });
    format!(
        "Shape([{}], {tail}, [{}])",
        parts.collect::<Vec<_>>().join(", "),
        groups.collect::<Vec<_>>().join(", ")
    )
}

/// For each variant its class, its name and the shape of the message that it holds.
fn several(input: &EmitInput<'_>, id: ContractId) -> String {
    let contract = input.catalog.get(id);
    let family = input.families.iter().position(|family| family.contracts.contains(&id));
    let family = family.expect("every contract is of a family");
    let variants = variants(input, id).iter().map(|variant| {
        let class = names::variant(&contract.name, &variant.member.name);
        let shape = match variant.holds {
            MessageContent::Message(held) => shape(input, held, input.catalog.get(held).message()),
            MessageContent::Value(_) | MessageContent::Nothing => {
                "Shape([(\"\", None)], None, [])".to_owned()
            }
            MessageContent::Other => "Shape([(\"\", None)], None, [(\"fds\", True)])".to_owned(),
        };
        format!("family_{family}.{class}: ({:?}, {shape})", variant.member.name)
    });
    format!("{{{}}}", variants.collect::<Vec<_>>().join(", "))
}

/// What each probe changes: the name of the variant, the kind of change, and the group or the way to the tag.
fn probes(input: &EmitInput<'_>, id: ContractId) -> String {
    let lines = message_probes(input.catalog, id).into_iter().map(|probe| {
        let variant = probe.variant.map_or("", |index| variants(input, id)[index].member.name.as_str());
        let change = match probe.change {
            MessageChange::MoreFds(group) => format!("\"more\", {group}"),
            MessageChange::FewerFds(group) => format!("\"fewer\", {group}"),
            MessageChange::OtherFd(group) => format!("\"other\", {group}"),
            MessageChange::LongerTail => "\"longer\", None".to_owned(),
            MessageChange::ShorterTail => "\"shorter\", None".to_owned(),
            MessageChange::Tag(tag) => {
                let steps = tag_fields(input.catalog, id)
                    .into_iter()
                    .map(|field| format!("{:?}", names::field(&field.name)));
                format!("\"tag\", ([{}], {tag})", steps.collect::<Vec<_>>().join(", "))
            }
        };
        format!("({variant:?}, {change})")
    });
    lines.collect::<Vec<_>>().join(", ")
}
