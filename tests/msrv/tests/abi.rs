//! Memory that is shared with foreign code is laid out as C lays it out on every machine: the contracts do not compile
//! otherwise, and these figures say what they were compiled for.

use core::mem::offset_of;
use wirecontract::{AbiStruct, Contract, DataModel};
use wirecontract_msrv::{Buffer, Part};

#[test]
fn this_machine_is_one_of_the_four() {
    let model = DataModel::THIS.unwrap();
    let expected = match (cfg!(target_pointer_width = "64"), align_of::<u64>()) {
        (true, _) => DataModel::Lp64,
        (false, 4) => DataModel::Ilp32U64Align4,
        (false, _) => DataModel::Ilp32U64Align8,
    };
    if cfg!(unix) {
        assert_eq!(model, expected);
    }
    assert_eq!(Buffer::LAYOUT.size(model), size_of::<Buffer>());
    assert_eq!(Buffer::LAYOUT.align(model), align_of::<Buffer>());
    assert_eq!(Buffer::LAYOUT.fields[8].offset(model), offset_of!(Buffer, part));
    assert_eq!(Part::LAYOUT.fields[1].offset(model), offset_of!(Part, valid));
}

#[test]
fn a_zeroed_buffer_holds_nothing() {
    let buffer = Buffer::ZERO;
    assert!(buffer.samples.is_null() && buffer.next.is_null() && buffer.release.is_none());
    assert!(!buffer.part.valid && buffer.defects.iter().all(|defects| defects.is_empty()));
    assert_eq!((buffer.count, buffer.serial, buffer.mode.raw()), (0, 0, 0));
}

/// Figures, and not a comparison of two builds, since a build for one machine does not see another's.
#[test]
fn ids_are_the_same_on_every_machine() {
    assert_eq!([Buffer::WIRE_ID, Part::WIRE_ID], [0xf144_8d07_0832_d6ef, 0x875a_2a8e_2e2b_81b7]);
}
