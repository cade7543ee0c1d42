//! Every target language's words for a contract's names: one policy for reserved words and macros everywhere.

pub mod c;
pub mod cpp;
pub mod python;
