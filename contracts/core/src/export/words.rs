//! The words of a function's record; the format is described in [`crate::record`].

use super::forms::{Form, code};
use crate::abi::{Sink, words_of};

/// A function as its record has it.
#[derive(Clone, Copy)]
pub struct Signature {
    /// Wire id and source id of the handle that it is a method of.
    pub method_of: Option<[u64; 2]>,
    /// Whether what Rust asks of its callers is asked of those in C.
    pub is_unsafe: bool,
    /// Its parameters.
    pub params: &'static [&'static Form],
    /// Its results.
    pub outs: &'static [&'static Form],
}

/// How many words a function's record has.
pub const fn function_words_length(signature: &Signature) -> usize {
    let head = if signature.method_of.is_some() { 7 } else { 3 };
    head + words_of_all(signature.params) + words_of_all(signature.outs)
}

const fn words_of_all(forms: &[&Form]) -> usize {
    let mut length = 0;
    let mut index = 0;
    while index < forms.len() {
        let form = forms[index];
        length += 1 + match form.code {
            code::VALUE | code::REFERENCE | code::SLICE => words_of(&form.shape),
            code::CALLBACK => 1 + words_of_all(form.params),
            _ if form.holds() => 4,
            _ => 0,
        };
        index += 1;
    }
    length
}

/// The words of a function's record.
///
/// # Panics
/// When `W` is not [`function_words_length`].
pub const fn function_words<const W: usize>(signature: &Signature) -> [u32; W] {
    let mut sink = Sink::new(0);
    function(&mut sink, signature);
    sink.words()
}

/// The wire id of a function: its text as the macro hashed it, then the words without source ids.
pub const fn function_wire_id(hash: u64, signature: &Signature) -> u64 {
    let mut sink = Sink::<0>::new(hash);
    function(&mut sink, signature);
    sink.hash()
}

#[allow(clippy::cast_possible_truncation, reason = "counts of parameters that a macro wrote")]
const fn function<const W: usize>(sink: &mut Sink<W>, signature: &Signature) {
    sink.word(signature.method_of.is_some() as u32 | (signature.is_unsafe as u32) << 1);
    sink.word(signature.params.len() as u32);
    sink.word(signature.outs.len() as u32);
    if let Some(ids) = signature.method_of {
        sink.ids(ids);
    }
    all(sink, signature.params);
    all(sink, signature.outs);
}

#[allow(clippy::cast_possible_truncation, reason = "counts of parameters that a macro wrote")]
const fn all<const W: usize>(sink: &mut Sink<W>, forms: &[&Form]) {
    let mut index = 0;
    while index < forms.len() {
        let form = forms[index];
        sink.word(
            form.code as u32
                | (form.is_nullable as u32) << 8
                | (form.is_mut as u32) << 9
                | (form.is_owned as u32) << 10
                | (form.holds() as u32) << 13,
        );
        match form.code {
            code::VALUE | code::REFERENCE | code::SLICE => sink.shape(&form.shape),
            code::CALLBACK => {
                sink.word(form.params.len() as u32);
                all(sink, form.params);
            }
            _ if form.holds() => sink.ids(form.ids),
            _ => {}
        }
        index += 1;
    }
}
