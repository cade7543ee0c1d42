//! Rules that are spelled in a way that rules have not.

use wirecontract::WireContract;

macro_rules! ruled {
    ($($name:ident [$($rule:tt)+])+) => { $(
        #[derive(WireContract)]
        #[wire(recipe, $($rule)+)]
        pub struct $name {
            pub a: u32,
            pub o: Option<u32>,
        }
    )+ };
}

ruled! {
    NameInQuotes [rule("fits": a > 1)]
    NoWordInQuotes [rule("not a word": a > 1)]
    NumberedName [rule(1: a > 1)]
    TwoConditions [rule(a > 1, a < 9)]
    MomentInside [rule(a > 1, at = import)]
    OnlyComma [rule(,)]
    OneNameTwice [rule(fits: a > 1), rule(r#fits: a < 9), at = import]
    Absent [rule(!present(o) || o > 3)]
    AbsentTwice [rule(o > 3 && o < 9)]
}

// A comma may stand behind a rule, as behind everything that stands in parentheses.
ruled! {
    Trailing [rule(a > 1,)]
    TrailingBehindName [rule(fits: a > 1,), at = import]
}

fn main() {}
