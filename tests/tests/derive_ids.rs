//! What changes the ids of a contract, and what does not.

use wirecontract::Contract;

/// Both ids of the contract `C` that these tokens declare; tests compare declarations that differ in one thing.
macro_rules! ids {
    ($($tokens:tt)*) => {{
        #[allow(dead_code, missing_docs, reason = "declared for its ids")]
        mod declared {
            use wirecontract::{Flags, Open, WireContract};
            type Byte = u8;
            const TWO: usize = 2;

            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(enumeration)]
            pub(super) enum Other {
                A = 0,
            }

            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(flags)]
            pub(super) enum Bits {
                A = 1,
            }

            fn uses(_: Byte, _: Open<Other>, _: Flags<Bits>) -> usize {
                TWO
            }

            $($tokens)*
        }
        (declared::C::WIRE_ID, declared::C::SOURCE_ID)
    }};
}

macro_rules! descriptor {
    ([$($keys:tt)*] $($fields:tt)*) => {
        ids! {
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor, $($keys)*)]
            pub(super) struct C {
                $($fields)*
            }
        }
    };
}

macro_rules! enumeration {
    ([$($keys:tt)*] $($values:tt)*) => {
        ids! {
            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire($($keys)*)]
            pub(super) enum C {
                $($values)*
            }
        }
    };
}

fn base() -> (u64, u64) {
    descriptor!([] a: u8, b: [u8; 2], c: u8,)
}

#[test]
fn what_is_the_same_on_the_wire_has_one_wire_id() {
    let (wire, source) = base();
    for same in [
        descriptor!([] a: Byte, b: [u8; 2], c: u8,),
        descriptor!([] a: u8, b: [Byte; TWO], c: u8,),
        descriptor!([] a: u8, b: [u8; 1 + 1], c: u8,),
        descriptor!([size = 4] a: u8, #[wire(offset = 1)] b: [u8; 2], c: u8,),
        descriptor!([endian = big] a: u8, b: [u8; 2], c: u8,),
        descriptor!([layout = natural] a: u8, b: [u8; 2], c: u8,),
    ] {
        assert_eq!(same.0, wire);
    }
    assert_eq!(descriptor!([] a: Byte, b: [u8; 2], c: u8,), (wire, source));
}

#[test]
fn the_order_in_which_a_declaration_lists_says_nothing() {
    let sorted = enumeration!([enumeration]
        #[wire(alias("x", "y"), data(k = 1, l = 2))] A = 1,
        #[wire(data(k = 3, l = 4))] B = 2,
    );
    let shuffled = enumeration!([enumeration]
        #[wire(data(l = 4, k = 3))] B = 2,
        #[wire(alias("y"), alias("x"), data(l = 2, k = 1))] A = 1,
    );
    assert_eq!(sorted, shuffled);
    let one = descriptor!([] a: [u8; 2], b: [u8; 2], #[wire(length_of(a, b))] n: u8,);
    let other = descriptor!([] a: [u8; 2], b: [u8; 2], #[wire(length_of(b, a))] n: u8,);
    assert_eq!(one, other);
}

#[test]
fn documentation_and_names_of_c_are_of_the_source_only() {
    let (wire, source) = base();
    for other in [
        descriptor!([] /** Said of it. */ a: u8, b: [u8; 2], c: u8,),
        descriptor!([c_name = "c"] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(c_name = "c")] a: u8, b: [u8; 2], c: u8,),
        descriptor!([version = 2] a: u8, b: [u8; 2], c: u8,),
        descriptor!([deprecated = "old"] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] a: u8, b: [u8; 2], #[wire(since = 2)] c: u8,),
    ] {
        assert_eq!(other.0, wire);
        assert_ne!(other.1, source);
    }
}

#[test]
fn a_rename_that_says_the_old_name_keeps_the_wire_id() {
    let (wire, source) = base();
    for renamed in [
        descriptor!([] #[wire(was = a)] x: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(was = "a")] x: u8, b: [u8; 2], c: u8,),
        ids! {
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor, was = "C")]
            pub(super) struct D {
                a: u8,
                b: [u8; 2],
                c: u8,
            }
            pub(super) use D as C;
        },
    ] {
        assert_eq!(renamed.0, wire);
        assert_ne!(renamed.1, source);
    }
    let counted = descriptor!([] #[wire(length_of = b)] a: u8, b: [u8; 2], c: u8,);
    let renamed = descriptor!([] #[wire(length_of = x)] a: u8, #[wire(was = b)] x: [u8; 2], c: u8,);
    assert_eq!(counted.0, renamed.0, "also where another field names it");
    let ruled = descriptor!([rule(a <= 3)] a: u8, b: [u8; 2], #[wire(one_of(a: 1))] c: u8,);
    let renamed =
        descriptor!([rule(x <= 3)] #[wire(was = a)] x: u8, b: [u8; 2], #[wire(one_of(x: 1))] c: u8,);
    assert_eq!(ruled.0, renamed.0, "also where a rule and a condition name it");
    assert_ne!(ruled.1, renamed.1);
    assert_ne!(ruled.0, descriptor!([rule(c <= 3)] a: u8, b: [u8; 2], #[wire(one_of(a: 1))] c: u8,).0);
}

#[test]
fn whatever_is_other_on_the_wire_has_another_wire_id() {
    let mut all = vec![
        base(),
        descriptor!([] x: u8, b: [u8; 2], c: u8,),
        descriptor!([] a: i8, b: [u8; 2], c: u8,),
        descriptor!([] a: bool, b: [u8; 2], c: u8,),
        descriptor!([] a: u8, b: [u8; 3], c: u8,),
        descriptor!([] a: u8, b: [[u8; 2]; 1], c: u8,),
        descriptor!([] a: u8, b: [[u8; 1]; 2], c: u8,),
        descriptor!([] b: [u8; 2], a: u8, c: u8,),
        descriptor!([] a: u8, b: [u8; 2],),
        descriptor!([layout = packed] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(reserved)] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(reserved(zero))] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(version = 1)] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] #[wire(version = 2)] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] a: u8, #[wire(magic = b"MG")] b: [u8; 2], c: u8,),
        descriptor!([] a: u8, #[wire(magic = b"GM")] b: [u8; 2], c: u8,),
        descriptor!([] a: u8, #[wire(text)] b: [u8; 2], c: u8,),
        descriptor!([] #[wire(length_of = b)] a: u8, b: [u8; 2], c: u8,),
        descriptor!([] a: u8, b: [u8; 2], #[wire(length_of = b)] c: u8,),
        descriptor!([] a: Other, b: [u8; 2], c: u8,),
        descriptor!([] a: Open<Other>, b: [u8; 2], c: u8,),
        descriptor!([] a: Flags<Bits>, b: [u8; 2], c: u8,),
        descriptor!([] a: u16,),
        descriptor!([endian = big] a: u16,),
        descriptor!([endian = native] a: u16,),
        enumeration!([enumeration] A = 1),
    ]
    .into_iter()
    .map(|(wire, _)| wire)
    .collect::<Vec<_>>();
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_held_contract_counts_with_its_wire_id_and_its_source_id() {
    let holding = |documented: bool, number: u8| match (documented, number) {
        (false, 1) => ids! {
            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(enumeration)]
            pub(super) enum E {
                A = 1,
            }
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor)]
            pub(super) struct C {
                e: E,
            }
        },
        (true, _) => ids! {
            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(enumeration)]
            pub(super) enum E {
                /// Documented.
                A = 1,
            }
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor)]
            pub(super) struct C {
                e: E,
            }
        },
        _ => ids! {
            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(enumeration)]
            pub(super) enum E {
                A = 2,
            }
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor)]
            pub(super) struct C {
                e: E,
            }
        },
    };
    let (base, documented, other) = (holding(false, 1), holding(true, 1), holding(false, 2));
    assert_eq!(base.0, documented.0);
    assert_ne!(base.1, documented.1);
    assert_ne!(base.0, other.0);
}

#[test]
fn values_names_aliases_and_data_are_meaning() {
    let mut all = vec![
        enumeration!([enumeration] A = 1, B = 2),
        enumeration!([enumeration] A = 1, B = 3),
        enumeration!([enumeration] A = 1, C = 2),
        enumeration!([enumeration] A = 1, #[wire(name = "b")] B = 2),
        enumeration!([enumeration, rename_all = "lowercase"] A = 1, B = 2),
        enumeration!([enumeration] A = 1, #[wire(alias("C"))] B = 2),
        enumeration!([enumeration] #[wire(data(d = 1))] A = 1, #[wire(data(d = 2))] B = 2),
        enumeration!([enumeration] #[wire(data(d = 1))] A = 1, #[wire(data(d = 3))] B = 2),
        enumeration!([enumeration] #[wire(data(e = 1))] A = 1, #[wire(data(e = 2))] B = 2),
        enumeration!([flags] A = 1, B = 2),
        enumeration!([flags, open] A = 1, B = 2),
    ]
    .into_iter()
    .map(|(wire, _)| wire)
    .collect::<Vec<_>>();
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(
        enumeration!([enumeration] A = 1, B = 2).0,
        enumeration!([enumeration] A = 1, #[wire(name = "B")] /** Two. */ B = 0x2).0
    );
    assert_eq!(enumeration!([flags, closed] A = 1), enumeration!([flags] A = 1));
}

#[test]
fn where_a_declaration_stands_changes_neither_id() {
    let one = descriptor!([] a: u8, b: [u8; 2], c: u8,);

    let moved = descriptor!([] a: u8,



            b: [u8; 2], c: u8,);
    assert_eq!(one, moved);
}
