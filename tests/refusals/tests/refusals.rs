//! Every refusal at compile time: where it points, what it says, and that one mistake is one error.
//!
//! The messages are those of the newest compiler. `TRYBUILD=overwrite` writes them anew.

#[test]
fn every_refusal_says_where_why_and_what_to_write() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}

#[test]
fn names_that_are_a_users_own_are_accepted() {
    trybuild::TestCases::new().pass("ui/accepted/*.rs");
}
