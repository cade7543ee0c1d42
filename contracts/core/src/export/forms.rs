//! What parameters and results of an exported function look like in C and in the record.

use crate::Contract;
use crate::abi::AbiShape;
use crate::layout::check::Message;

/// Codes of forms in the record.
pub(super) mod code {
    pub(crate) const VALUE: u8 = 1;
    pub(crate) const CLOSED: u8 = 2;
    pub(crate) const REFERENCE: u8 = 3;
    pub(crate) const SLICE: u8 = 4;
    pub(crate) const TEXT: u8 = 5;
    pub(crate) const DESCRIPTOR: u8 = 6;
    pub(crate) const DOCUMENT: u8 = 7;
    pub(crate) const HANDLE: u8 = 8;
    pub(crate) const CALLBACK: u8 = 9;
    pub(crate) const BYTES: u8 = 10;
    #[cfg(unix)]
    pub(crate) const FD: u8 = 11;
}

/// The form of a parameter or of a result.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts of a form, as the record has them")]
pub struct Form {
    pub(super) code: u8,
    /// Whether there may be none.
    pub(super) is_nullable: bool,
    /// Whether the function changes it.
    pub(super) is_mut: bool,
    /// Whether it is a handle that is taken, or a file descriptor that is given away.
    pub(super) is_owned: bool,
    /// The type of a value, of what is behind a reference, or of an item.
    pub(super) shape: AbiShape,
    /// Wire id and source id of a contract.
    pub(super) ids: [u64; 2],
    /// What a callback takes.
    pub(super) params: &'static [&'static Form],
}

impl Form {
    const fn of(code: u8) -> Form {
        Form {
            code,
            is_nullable: false,
            is_mut: false,
            is_owned: false,
            shape: AbiShape::VOID,
            ids: [0; 2],
            params: &[],
        }
    }

    const fn contract<C: Contract>(code: u8) -> Form {
        Form { ids: [C::WIRE_ID, C::SOURCE_ID], ..Form::of(code) }
    }

    /// A contract that was refused, and says so itself.
    pub const REFUSED: Form = Form { shape: AbiShape::REFUSED, ..Form::of(code::VALUE) };

    /// Text of UTF-8.
    pub const TEXT: Form = Form::of(code::TEXT);

    /// Bytes for the caller to free.
    pub const BYTES: Form = Form::of(code::BYTES);

    /// The number of a file descriptor, -1 where there is none.
    #[cfg(unix)]
    pub(super) const FD: Form = Form::of(code::FD);

    /// A value of the memory that C has too.
    pub const fn value(shape: AbiShape) -> Form {
        Form { shape, ..Form::of(code::VALUE) }
    }

    /// A pointer to such a value.
    pub const fn reference(shape: AbiShape) -> Form {
        Form { shape, ..Form::of(code::REFERENCE) }
    }

    /// A pointer to such values, and their number.
    pub const fn slice(shape: AbiShape) -> Form {
        Form { shape, ..Form::of(code::SLICE) }
    }

    /// A function with its context, of what it takes.
    pub const fn callback(params: &'static [&'static Form]) -> Form {
        Form { params, ..Form::of(code::CALLBACK) }
    }

    /// The number of a closed enumeration.
    pub(super) const fn closed<C: Contract>() -> Form {
        Form::contract::<C>(code::CLOSED)
    }

    /// The bytes of a descriptor.
    pub(super) const fn descriptor<C: Contract>() -> Form {
        Form::contract::<C>(code::DESCRIPTOR)
    }

    /// A document.
    #[cfg(feature = "json")]
    pub(super) const fn document<C: Contract>() -> Form {
        Form::contract::<C>(code::DOCUMENT)
    }

    /// A handle.
    pub(super) const fn handle<C: Contract>() -> Form {
        Form::contract::<C>(code::HANDLE)
    }

    /// The same, or none.
    #[must_use]
    pub const fn nullable(self) -> Form {
        Form { is_nullable: true, ..self }
    }

    /// The same, to be changed.
    #[must_use]
    pub const fn changed(self) -> Form {
        Form { is_mut: true, ..self }
    }

    /// The same, which is taken.
    #[must_use]
    pub const fn owned(self) -> Form {
        Form { is_owned: true, ..self }
    }

    /// Whether two ids of a contract stand in the record.
    pub(super) const fn holds(&self) -> bool {
        matches!(self.code, code::CLOSED | code::DESCRIPTOR | code::DOCUMENT | code::HANDLE)
    }
}

/// Refuses a parameter that a function of C does not have.
#[track_caller]
pub const fn check_param(form: &Form, name: &str) {
    check_type(form, name);
    let points = form.code == code::REFERENCE || form.code == code::SLICE;
    if points && form.shape.fault.is_none() && !form.shape.is_data() {
        Message::new()
            .text("`")
            .text(name)
            .text("`: what a function points at are numbers, `Open<E>`, `Flags<E>` and abi structs: put it in an abi struct")
            .fail();
    }
    let mut index = 0;
    while index < form.params.len() {
        check_param(form.params[index], name);
        index += 1;
    }
}

/// Refuses a result that a function of C does not give.
#[track_caller]
pub const fn check_out(form: &Form, name: &str) {
    check_type(form, name);
    if form.code == code::VALUE && form.shape.is_function() {
        Message::new()
            .text("`")
            .text(name)
            .text("`: what a function gives is data: export what this would call as a function of its own")
            .fail();
    }
}

#[track_caller]
const fn check_type(form: &Form, name: &str) {
    match form.shape.fault {
        Some(fault) if !fault.is_empty() => {
            Message::new().text("`").text(name).text("`: ").text(fault).fail();
        }
        _ => {}
    }
}
