//! Names of a user's own that an expansion might take for its own, or for those of the standard library.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::iter_not_returning_iterator,
    reason = "names that only have to be there"
)]

use wirecontract::{Contract, Flags, Open, WireContract};

/// Fields called as what an expansion has beside them.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Fields {
    #[wire(length_of = bytes)]
    pub count: u32,
    pub bytes: [u8; 4],
    pub at: Kind,
    pub self_: Kind,
    pub view: Flags<Bit>,
    pub endian: Open<Kind>,
    pub size: [Kind; 2],
    pub validate: bool,
    pub check: u8,
    #[wire(length_of = most)]
    pub number: u32,
    pub most: [Kind; 4],
    #[wire(length_of(elements, zero))]
    pub decode: u32,
    pub elements: [u8; 4],
    pub zero: [Kind; 4],
    #[wire(text)]
    pub encode: [u8; 4],
    pub __wire: u32,
    #[wire(version = 1)]
    pub version: u32,
    #[wire(magic = b"FLDS")]
    pub wire_size_: [u8; 4],
    #[wire(reserved)]
    pub from_bytes: u32,
}

/// Values called as what the prelude has.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Kind {
    None = 0,
    Some = 1,
    Ok = 2,
    Err = 3,
    Self_ = 4,
}

/// Flags called so too.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum Bit {
    Some = 1,
    None = 2,
}

#[test]
fn fields_may_be_called_as_what_an_expansion_has() {
    let mut bytes = [0; 56];
    bytes[0] = 1;
    bytes[4] = 9;
    bytes[44] = 1;
    bytes[48..52].copy_from_slice(b"FLDS");
    let mut value = Fields::from_bytes(&bytes).unwrap();
    assert_eq!(value.bytes(), [9]);
    value.set_most(&[Kind::Err, Kind::Ok]).unwrap();
    value.set_decode(&[1], &[Kind::Some]).unwrap();
    assert_eq!(value.to_bytes().unwrap()[16..34], [2, 0, 0, 0, 3, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    let view = Fields::view(&bytes).unwrap();
    assert_eq!(
        (view.bytes(), view.at(), view.size().len(), view.__wire()),
        ([9].as_slice(), Kind::None, 2, 0)
    );
}

mod types {
    //! Types and modules called as those of the standard library and of wirecontract.

    use wirecontract::{Contract as _, WireContract as _};

    pub mod core {}
    pub mod std {}
    pub mod alloc {}
    pub mod wirecontract_macros {}

    pub struct Copy;
    pub struct Clone;
    pub struct Into;
    pub struct From;
    pub struct Default;
    pub type Vec = ();
    pub type String = ();
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    #[repr(u8)]
    #[derive(::wirecontract::WireContract)]
    #[wire(enumeration)]
    pub enum Shape {
        A = 0,
    }
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    #[repr(u16)]
    #[derive(::wirecontract::WireContract)]
    #[wire(flags)]
    pub enum Endian {
        A = 1,
    }
    #[derive(::wirecontract::WireContract, ::core::clone::Clone)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Layout {
        pub shape: Shape,
        pub other: u8,
        pub flags: ::wirecontract::Flags<Endian>,
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Result {
        #[wire(length_of = layouts)]
        pub count: u32,
        pub layouts: [Layout; 2],
        #[wire(text)]
        pub text: [u8; 4],
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Option {
        pub result: Result,
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Ok {
        pub option: Option,
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Err {
        pub ok: Ok,
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Some {
        pub err: [Err; 2],
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct WireError {
        pub some: Some,
    }
    #[derive(::wirecontract::WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct WireContract {
        pub error: WireError,
    }

    #[test]
    fn types_may_be_called_as_those_of_the_standard_library() {
        assert_eq!((WireContract::WIRE_SIZE, WireContract::NAME), (32, "WireContract"));
        let value = WireContract::from_bytes(&[0; 32]).unwrap_or_else(|_| ::core::unreachable!());
        assert!(value.to_bytes().is_ok_and(|bytes| bytes == [0; 32]));
    }
}

mod traits {
    //! Traits for everything, with methods called as those that an expansion calls.

    use super::{Kind, WireContract};
    use wirecontract::Open;

    pub trait Everything {
        fn decode(&self) {}
        fn encode(&self) {}
        fn validate(&self) {}
        fn check(&self) {}
        fn count(&self) {}
        fn get(&self) {}
        fn put(&self) {}
        fn iter(&self) {}
        fn field(&self) {}
        fn elements(&self) {}
        fn view_of(&self) {}
        fn fill(&self) {}
        fn len(&self) {}
        fn debug_struct(&self) {}
        fn fmt(&self) {}
        fn clone(&self) {}
        fn copy_from_slice(&self) {}
    }
    impl<T: ?Sized> Everything for T {}

    pub trait Constants {
        const SHAPE: u8 = 0;
        const NAME: u8 = 0;
        const WIRE_SIZE: u8 = 0;
        const IS_WIRE_TYPE: u8 = 0;
        const WIRE_ID: u8 = 0;
    }
    impl<T: ?Sized> Constants for T {}

    #[derive(WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Descriptor {
        #[wire(length_of = kinds)]
        pub count: u16,
        pub kinds: [Kind; 2],
        pub open: Open<Kind>,
        #[wire(text)]
        pub text: [u8; 3],
        #[wire(reserved(zero))]
        pub spare: u8,
        pub last: bool,
    }

    #[test]
    fn traits_for_everything_change_nothing() {
        assert_eq!(<Descriptor as WireContract>::WIRE_SIZE, 10);
        assert!(Descriptor::from_bytes(&[0; 10]).is_ok());
        assert!(Descriptor::view(&[0; 10]).is_ok_and(|view| view.kinds().is_empty()));
    }
}

mod private {
    //! Contracts that nobody outside sees.

    use super::WireContract;

    #[derive(WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub(super) struct Outer {
        inner: Inner,
        pub(super) seen: u8,
        #[cfg(any())]
        absent: String,
        #[cfg(not(any()))]
        present: u8,
    }

    #[derive(WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    struct Inner {
        a: u8,
        b: u8,
    }
}

#[test]
fn contracts_may_be_private_and_fields_conditional() {
    assert_eq!(private::Outer::WIRE_SIZE, 4);
    assert_eq!(private::Outer::from_bytes(&[1, 2, 3, 4]).unwrap().seen, 3);
}

const LENGTH: usize = 3;
type Row = [u16; LENGTH + 1];
type Grid = [Row; 2];

/// Lengths and types by other names.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 48)]
pub struct Aliases {
    pub bytes: [u8; LENGTH + 1],
    #[wire(length_of(grid, row))]
    pub count: u32,
    pub grid: Grid,
    pub row: Row,
    pub cube: [Grid; 1],
}

/// The same, as it is without them.
mod plain {
    use wirecontract::WireContract;

    #[derive(WireContract)]
    #[repr(C)]
    #[wire(descriptor)]
    pub struct Aliases {
        pub bytes: [u8; 4],
        #[wire(length_of(grid, row))]
        pub count: u32,
        pub grid: [[u16; 4]; 2],
        pub row: [u16; 4],
        pub cube: [[[u16; 4]; 2]; 1],
    }
}

#[test]
fn aliases_and_constant_lengths_are_what_they_stand_for() {
    assert_eq!(Aliases::WIRE_ID, plain::Aliases::WIRE_ID);
    let mut value = Aliases::from_bytes(&[0; 48]).unwrap();
    value.set_count(&[[1, 2, 3, 4]], &[5]).unwrap();
    let bytes = value.to_bytes().unwrap();
    assert_eq!(bytes[4..18], [1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0]);
    let view = Aliases::view(&bytes).unwrap();
    assert_eq!((view.grid().len(), view.row().get(0), view.row().get(1)), (1, Some(5), None));
    assert_eq!(Aliases::from_bytes(&bytes), Ok(value));
}

/// Fields called as values that are in scope, and a type that a macro spells.
mod values_in_scope {
    #![allow(non_snake_case)]

    use wirecontract::WireContract;

    macro_rules! bytes {
        ($count:expr) => {
            [u8; $count]
        };
    }

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor)]
    pub(super) struct Named {
        #[wire(length_of(None, Some))]
        pub(super) count: u8,
        pub(super) None: [u8; 3],
        pub(super) Some: bytes!(4),
    }
}

#[test]
fn fields_may_be_called_as_values_in_scope_and_have_a_type_that_a_macro_spells() {
    let mut named = values_in_scope::Named { count: 0, None: [9; 3], Some: [9; 4] };
    named.set_count(&[1, 2], &[3, 4]).expect("two fit in three");
    assert_eq!(named.to_bytes(), Ok([2, 1, 2, 0, 3, 4, 0, 0]));
    assert_eq!((named.None(), named.Some()), (&[1, 2][..], &[3, 4][..]));
}
