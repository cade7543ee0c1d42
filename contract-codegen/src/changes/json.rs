//! Changes for programs.

use super::{Classified, Side};
use crate::catalog::json::Json;

/// A change as `check` and `explain` tell it.
pub(crate) fn change(change: &Classified) -> Json {
    let members = [
        ("at", Json::text(&change.at)),
        ("why", Json::text(&change.why)),
        ("is_harmless", Json::Bool(change.effect.is_harmless)),
        ("old_readers", Json::text(side(change.effect.old))),
        ("new_readers", Json::text(side(change.effect.new))),
    ];
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Reads => "read",
        Side::Refuses(_) => "refuse",
        Side::Misreads => "misread",
    }
}
