//! What rules of a message ask of what is no part: how long its tail is, and how many file descriptors a group has.

use super::{Subject, truth, unsigned};
use crate::emit::c::expression::Leaf;
use crate::emit::c::lines::Lines;
use crate::emit::c::message::{fd_count, tail_count};
use crate::model::{Body, FdForm, MessageField, Path, What};

impl Subject<'_> {
    /// Reads the operand, if it is one of these.
    pub(super) fn beside(&self, what: &What, variable: &str, lines: &mut Lines) -> Option<Leaf> {
        let Body::Message(message) = &self.input.catalog.get(self.id).body else { return None };
        let (What::Length(Path(path)) | What::Present(Path(path))) = what else { return None };
        let [index] = path[..] else { return None };
        let (count, most) = match message.fields().nth(index)? {
            MessageField::Part(_) => return None,
            MessageField::Tail(tail) => (format!("value->{}", tail_count(tail)), u64::MAX),
            MessageField::Fds(group) => {
                let is_many = matches!(group.form, FdForm::Many { .. });
                (fd_count(group), if is_many { u64::MAX } else { 1 })
            }
        };
        Some(if let What::Present(_) = what {
            lines.put(format!("const bool {variable} = {count} != 0;"));
            truth(variable.to_owned())
        } else {
            lines.put(format!("const uint64_t {variable} = {count};"));
            unsigned(variable.to_owned(), (0, i128::from(most)))
        })
    }
}
