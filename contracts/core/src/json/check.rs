//! The rules of keys that const evaluation checks: what a declaration breaks is named by its field.

use super::JsonShape;
use crate::layout::check::Message;

/// Refuses `min` and `max` of what is no number.
#[track_caller]
pub const fn check_number(shape: &JsonShape, field: &str) {
    let shape = shape.innermost();
    if !shape.is_integer() && !shape.is_float() {
        fail(field, "is no number: `min` and `max` bound integers and floats");
    }
}

/// Refuses a bound without a point of what is no number, and one that no value of the type can be.
#[track_caller]
pub const fn check_integer(shape: &JsonShape, bound: i128, field: &str) {
    check_number(shape, field);
    let Some((least, most)) = shape.innermost().range() else {
        #[allow(clippy::cast_precision_loss, reason = "as a float literal of so many digits would be")]
        check_float(shape, bound as f64, field);
        return;
    };
    if bound < least || bound > most {
        fail(field, "has a bound that its type does not hold");
    }
}

/// Refuses a bound with a point of what is no float, and one of an `f32` that is none. Where the macro sees that it is
/// an `f32`, it rounds the bound before it is written down anywhere.
#[track_caller]
#[allow(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "whether it is an f32 is what is asked"
)]
pub const fn check_float(shape: &JsonShape, bound: f64, field: &str) {
    check_number(shape, field);
    if !shape.innermost().is_float() {
        fail(field, "is no float: write the bounds of an integer without a point");
    }
    if shape.innermost().is_f32() && (bound as f32) as f64 != bound {
        fail(
            field,
            "is an f32, and its bound is none: write all digits of the nearest one, as 0.10000000149011612 for 0.1, or \
             `f32` in the place of its other name, and it is rounded",
        );
    }
}

/// Refuses a variant that stands in its union's object and is no recipe.
#[track_caller]
pub const fn check_recipe(shape: &JsonShape, variant: &str) {
    if !shape.is_recipe() {
        Message::new()
            .text("variant `")
            .text(variant)
            .text("` is no recipe, whose keys could stand in the union's object: hold it in one, or write `content = \"…\"`")
            .fail();
    }
}

/// Refuses a key that holds a descriptor in no spelling, or an open enumeration in the other one.
#[track_caller]
pub const fn check_spelled(shape: &JsonShape, field: &str) {
    if let Some(misspelling) = shape.innermost().misspelling() {
        fail(field, misspelling);
    }
    if shape.innermost().is_unspelled() {
        fail(
            field,
            "holds a descriptor, whose bytes JSON has only in a string: write `#[wire(hex)]` or `#[wire(base64)]` on it",
        );
    }
}

/// Refuses a key that holds a descriptor which grows.
#[track_caller]
pub const fn check_one_size(shape: &JsonShape, field: &str) {
    if shape.innermost().grows() {
        fail(
            field,
            "holds a descriptor that grows, whose bytes a document has of one version only: hold `Vec<u8>`, and read the \
             descriptor from it",
        );
    }
}

/// Refuses a variant's content that is a descriptor: no spelling can be said there. Or an open enumeration in the other
/// spelling.
#[track_caller]
pub const fn check_content(shape: &JsonShape, variant: &str) {
    if let Some(misspelling) = shape.innermost().misspelling() {
        Message::new().text("variant `").text(variant).text("` ").text(misspelling).fail();
    }
    if shape.innermost().is_unspelled() {
        Message::new()
            .text("variant `")
            .text(variant)
            .text(
                "` holds a descriptor, whose bytes JSON has only in a string: hold a recipe with a key of it, and write \
                 `#[wire(hex)]` or `#[wire(base64)]` on that",
            )
            .fail();
    }
}

/// Refuses `max_len` of what has no length in bytes.
#[track_caller]
pub const fn check_max_len(shape: &JsonShape, field: &str) {
    if !shape.innermost().has_length() {
        fail(
            field,
            "is no text: `max_len` bounds String, Json, `OpenName<E>`, maps of text and `Vec<u8>` spelled as text; `max_items` bounds arrays",
        );
    }
}

/// Refuses `max_items` of what has no items.
#[track_caller]
pub const fn check_max_items(shape: &JsonShape, field: &str) {
    if !shape.outermost().has_items() {
        fail(field, "is no array of any length and no map: `max_items` bounds `Vec<T>` and maps");
    }
}

/// Refuses to flatten what is no recipe and no union.
#[track_caller]
pub const fn check_flatten(shape: &JsonShape, field: &str) {
    if !shape.is_members() {
        fail(field, "is flattened: its type must be a recipe or a union");
    }
}

/// Refuses to flatten what refuses keys that are nobody's: whether these are refused, the object says.
#[track_caller]
pub const fn check_part(denies: bool, contract: &str, field: &str) {
    if denies {
        Message::new()
            .text("`")
            .text(contract)
            .text("` says itself whether unknown keys are refused, also beside the keys of `")
            .text(field)
            .text("`: remove `deny_unknown` there, or put it on `")
            .text(contract)
            .text("`")
            .fail();
    }
}

/// Refuses a default with bits that closed flags do not have.
#[track_caller]
pub const fn check_bits(bits: u64, known: u64, is_open: bool, field: &str) {
    if !is_open && bits & !known != 0 {
        Message::new()
            .text("the default of `")
            .text(field)
            .text("` has bits that no flag has: write the names of flags, as `default = A | B`")
            .fail();
    }
}

#[track_caller]
const fn fail(field: &str, what: &str) -> ! {
    Message::new().text("field `").text(field).text("` ").text(what).fail()
}
