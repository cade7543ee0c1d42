//! The rules of abi structs that const evaluation checks, and their messages.

use super::DataModel;
use super::shape::{AbiShape, code};
use crate::layout::check::Message;

/// Refuses a field whose type has no place in an abi struct.
#[track_caller]
pub const fn check_abi_type(shape: &AbiShape, field: &str) {
    match shape.fault {
        Some(fault) if !fault.is_empty() => {
            Message::new().text("field `").text(field).text("`: ").text(fault).fail();
        }
        _ => {}
    }
}

/// Refuses a struct that has no layout.
#[track_caller]
pub const fn check_abi_whole(fault: Option<&str>, contract: &str) {
    match fault {
        Some(fault) if !fault.is_empty() => {
            Message::new().text("`").text(contract).text("`: ").text(fault).fail();
        }
        _ => {}
    }
}

/// Refuses a declared size that is not the size.
#[track_caller]
pub const fn check_abi_size(
    declared: u64,
    sizes: &[u32; 4],
    model: DataModel,
    fault: Option<&str>,
    contract: &str,
) {
    let (size, name) = (sizes[model as usize] as u64, model.name());
    if declared != size && fault.is_none() {
        Message::new()
            .text("`")
            .text(contract)
            .text("` is declared to have ")
            .number(declared)
            .text(" bytes in the data model ")
            .text(name)
            .text(" and its fields have ")
            .number(size)
            .text(": write `")
            .text(name)
            .text(" = ")
            .number(size)
            .text("`, or correct the fields")
            .fail();
    }
}

/// Refuses a Rust layout that is not C's, and machines of which C's is not known here.
#[track_caller]
pub const fn check_abi_rust(models: &[u32; 4], rust: usize, fault: Option<&str>, contract: &str, what: &str) {
    if fault.is_some() {
        return;
    }
    let Some(model) = DataModel::THIS else {
        Message::new()
            .text("`")
            .text(contract)
            .text("` is laid out for machines with pointers of 64 or 32 bits, and for none like this target")
            .fail();
    };
    let ours = models[model as usize] as usize;
    if ours != rust {
        Message::new()
            .text(what)
            .text(" of `")
            .text(contract)
            .text("` is ")
            .number(ours as u64)
            .text(" in the data model ")
            .text(model.name())
            .text(" and ")
            .number(rust as u64)
            .text(" in Rust on this target")
            .fail();
    }
}

/// Refuses a count that is no integer.
#[track_caller]
pub const fn check_abi_count(shape: &AbiShape, count: &str, counted: &str) {
    if shape.fault.is_none() && !shape.is_integer() {
        Message::new()
            .text("field `")
            .text(count)
            .text("` counts what `")
            .text(counted)
            .text("` points at: its type must be an integer")
            .fail();
    }
}

/// Refuses to count what is no pointer.
#[track_caller]
pub const fn check_abi_counted(shape: &AbiShape, field: &str) {
    if shape.fault.is_none() && shape.code != code::POINTER {
        Message::new()
            .text("field `")
            .text(field)
            .text("` is no pointer: `counted_by` says how many items are behind `*mut T` or `*const T`")
            .fail();
    }
}
