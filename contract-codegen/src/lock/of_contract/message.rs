//! Messages.

use toml::Table;

use super::{json_type, members, named, path, put, put_if, rest, types, wire_id};
use crate::model::{Catalog, Member, Message, MessageContent, Messages, Selector, TailItem};

pub(super) fn message(catalog: &Catalog, message: &Message, table: &mut Table) {
    for (member, part) in members(table, "parts").zip(&message.parts) {
        said(member, &part.member);
        put(member, "type", path(catalog, part.contract));
        put(member, "wire_id", wire_id(catalog, part.contract));
    }
    let tail = table.get_mut("tail").and_then(toml::Value::as_table_mut);
    for (member, tail) in tail.into_iter().zip(&message.tail) {
        said(member, &tail.member);
        let (ty, held) = match &tail.item {
            TailItem::Descriptor(id) => (format!("Vec<{}>", path(catalog, *id)), Some(*id)),
            TailItem::Bytes => ("Vec<u8>".to_owned(), None),
            TailItem::Text => ("String".to_owned(), None),
        };
        put(member, "type", ty);
        put_if(member, "wire_id", held.map(|id| wire_id(catalog, id)));
    }
    for (member, group) in members(table, "fds").zip(&message.fds) {
        said(member, &group.member);
    }
}

/// What a member says of itself.
fn said(table: &mut Table, member: &Member) {
    named(table, &member.name, member.was.as_deref());
    rest(table, member.since, member.deprecated.as_ref(), member.c_name.as_ref());
}

pub(super) fn messages(catalog: &Catalog, messages: &Messages, table: &mut Table) {
    if let Selector::Body(union) = messages.by {
        let mut body = Table::new();
        put(&mut body, "type", path(catalog, union));
        put(&mut body, "wire_id", wire_id(catalog, union));
        put(table, "body", body);
    }
    for (member, variant) in members(table, "variants").zip(&messages.variants) {
        said(member, &variant.member);
        match &variant.holds {
            MessageContent::Message(id) => {
                put(member, "type", path(catalog, *id));
                put(member, "wire_id", wire_id(catalog, *id));
            }
            MessageContent::Value(ty) => {
                put(member, "type", types::of_json(catalog, ty));
                json_type(catalog, ty, member);
            }
            MessageContent::Nothing | MessageContent::Other => {}
        }
    }
}
