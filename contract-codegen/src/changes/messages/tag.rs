//! The field that says which of several messages it is: two are one where they stand in one place and are of one type,
//! whatever they are called.

use toml::Table;

use crate::changes::Differ;
use crate::changes::change::Found;
use crate::changes::effect::{BOTH_MISREAD, BOTH_READ};
use crate::changes::member::{self, number, set, text};
use crate::changes::ty::Type;
use crate::lock::Form;

/// Where a tag stands in its message, and what it is.
#[derive(Debug, Clone, PartialEq)]
struct Place<'form> {
    offset: i128,
    ty: &'form str,
    endian: Option<&'form str>,
}

impl Differ<'_> {
    /// Tells what became of the tag.
    pub(super) fn tag(&self, found: &mut Found, old: &Form, new: &Form) {
        let (before, after) = (&old.table, &new.table);
        if member::equal("tag", before, after) {
            return;
        }
        let change = set("tag", before, after);
        let is_moved = match [self.place(old, true), self.place(new, false)] {
            [Some(from), Some(to)] => !self.is_one(&from, &to),
            _ => true,
        };
        if is_moved {
            found.put("", change, BOTH_MISREAD, "something else says which message it is");
        } else {
            let why = "it is the same field, whatever it is called: its parts say whether it means the same";
            found.put("", change, BOTH_READ, why);
        }
    }

    fn is_one(&self, from: &Place<'_>, to: &Place<'_>) -> bool {
        let is_same = self.same(&Type::of(from.ty), &Type::of(to.ty));
        is_same && from.offset == to.offset && from.endian == to.endian
    }

    /// The field in the first part of the first variant.
    fn place<'form>(&'form self, form: &'form Form, is_old: bool) -> Option<Place<'form>> {
        let held = |path: &str| if is_old { self.forms.old(path) } else { self.forms.new_form(path) };
        let mut words = text(&form.table, "tag")?.split('.');
        words.next()?;
        let message = form.section("variants").find_map(|variant| held(text(variant, "type")?))?;
        let mut ty = text(message.section("parts").next()?, "type")?;
        let (mut offset, mut endian) = (0, None);
        for word in words {
            let is_it = |field: &&Table| text(field, "name") == Some(word);
            let field = held(ty)?.section("fields").find(is_it)?;
            offset += number(field, "at")?;
            (ty, endian) = (text(field, "type")?, text(field, "endian"));
        }
        Some(Place { offset, ty, endian })
    }
}
