//! The union that is the body of several messages: one message for each of its variants.

use crate::layout::check::Message;
use crate::probe::{If, Probe};
use crate::rule::{Named, Names, same};
use crate::{Contract, WireJson};

impl<U: Named + Contract + WireJson> Probe<U> {
    /// It is a union.
    pub const IS_UNION: bool = true;
    /// Its variants.
    pub const VARIANTS: Names = U::NAMES;
}

/// The union, of which nothing is asked where its variants are not those of the messages: which is one error, and would be
/// one more at each variant.
#[doc(hidden)]
pub trait BodyOf<U> {
    /// It.
    type Union;
}

impl<U> BodyOf<U> for If<true> {
    type Union = U;
}

/// Refuses a body that is no union.
#[track_caller]
pub const fn check_union(is_union: bool) -> bool {
    assert!(
        is_union,
        "the body of several messages is a union, whose variants they are: write the name of one, `#[wire(union, …)]`"
    );
    true
}

/// Refuses a variant of several messages that their union does not have.
#[track_caller]
pub const fn check_variant(union: Names, variant: &str) -> bool {
    let Some(members) = union.members else { return true };
    let mut index = 0;
    while index < members.len() {
        if same(members[index].0, variant) {
            return true;
        }
        index += 1;
    }
    let message = Message::new().text("`").text(variant).text("` is no variant of the union `");
    let mut message = message.text(union.contract).text("`, and no document says it: remove it, or write ");
    let mut index = 0;
    while index < members.len() && index < 8 {
        message = message.text(if index == 0 { "one that it has (" } else { ", " }).text(members[index].0);
        index += 1;
    }
    message.text(if members.len() > 8 { " and others)" } else { ")" }).fail()
}

/// Refuses several messages without one for a variant of their union.
#[track_caller]
pub const fn check_variants(union: Names, contract: &str, variants: &[&str]) -> bool {
    let Some(members) = union.members else { return true };
    let (mut index, mut missing) = (0, 0);
    let mut message = Message::new();
    while index < members.len() {
        if !has(variants, members[index].0) {
            message = message.text(if missing == 0 { "`" } else { "`, `" }).text(members[index].0);
            missing += 1;
        }
        index += 1;
    }
    if missing == 0 {
        return true;
    }
    message = message.text("` of the union `").text(union.contract).text("` ");
    message = message.text(if missing == 1 { "is no variant" } else { "are no variants" }).text(" of `");
    message.text(contract).text("`: write a message for each variant of the union").fail()
}

const fn has(names: &[&str], name: &str) -> bool {
    let mut index = 0;
    while index < names.len() {
        if same(names[index], name) {
            return true;
        }
        index += 1;
    }
    false
}
