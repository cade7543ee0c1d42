//! Messages.

use toml::Table;

use super::{json_type, members, named, path, put, put_if, rest, types, wire_id};
use crate::model::{
    Catalog, FdGroup, Message, MessageContent, MessageVariant, Messages, Part, Selector, Tail, TailItem,
};

pub(super) fn message(catalog: &Catalog, message: &Message, table: &mut Table) {
    for (member, part) in members(table, "parts").zip(&message.parts) {
        let Part { name, was, since, deprecated, c_name, contract, .. } = part;
        named(member, name, was.as_deref());
        put(member, "type", path(catalog, *contract));
        put(member, "wire_id", wire_id(catalog, *contract));
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
    let tail = table.get_mut("tail").and_then(toml::Value::as_table_mut);
    for (member, tail) in tail.into_iter().zip(&message.tail) {
        let Tail { name, was, since, deprecated, c_name, item, .. } = tail;
        named(member, name, was.as_deref());
        let (ty, held) = match item {
            TailItem::Descriptor(id) => (format!("Vec<{}>", path(catalog, *id)), Some(*id)),
            TailItem::Bytes => ("Vec<u8>".to_owned(), None),
            TailItem::Text => ("String".to_owned(), None),
        };
        put(member, "type", ty);
        put_if(member, "wire_id", held.map(|id| wire_id(catalog, id)));
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
    for (member, group) in members(table, "fds").zip(&message.fds) {
        let FdGroup { name, was, since, deprecated, c_name, .. } = group;
        named(member, name, was.as_deref());
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}

pub(super) fn messages(catalog: &Catalog, messages: &Messages, table: &mut Table) {
    if let Selector::Body(union) = messages.by {
        let mut body = Table::new();
        put(&mut body, "type", path(catalog, union));
        put(&mut body, "wire_id", wire_id(catalog, union));
        put(table, "body", body);
    }
    for (member, variant) in members(table, "variants").zip(&messages.variants) {
        let MessageVariant { name, was, since, deprecated, c_name, holds, .. } = variant;
        named(member, name, was.as_deref());
        match holds {
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
        rest(member, *since, deprecated.as_ref(), c_name.as_ref());
    }
}
