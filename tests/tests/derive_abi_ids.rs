//! What changes the ids of an abi struct, what does not, and the words and the text they are made of.

use core::ffi::c_void;

use wirecontract::__private::{AbiFields, AbiPointee, AbiType, abi_key, abi_wire_id, abi_words};
use wirecontract::{Contract, Open, WireContract};

/// Both ids of the contract `C` that these tokens declare; tests compare declarations that differ in one thing.
macro_rules! ids {
    ($($tokens:tt)*) => {{
        #[allow(dead_code, missing_docs, unused_imports, reason = "declared for its ids")]
        mod declared {
            use core::ffi::{c_char, c_int, c_long, c_void};
            use wirecontract::{Flags, Open, WireContract};
            type Number = u32;
            type Numbers = *mut Number;
            type Callback = Option<unsafe extern "C" fn(u8)>;
            const TWO: usize = 2;

            #[derive(WireContract, Clone, Copy)]
            #[repr(u32)]
            #[wire(enumeration)]
            pub(super) enum Mode {
                A = 0,
            }

            #[derive(WireContract, Clone, Copy)]
            #[repr(u32)]
            #[wire(flags)]
            pub(super) enum Bits {
                A = 1,
            }

            #[derive(WireContract, Clone, Copy)]
            #[repr(C)]
            #[wire(abi)]
            pub(super) struct Part {
                p: u32,
            }

            #[derive(WireContract, Clone, Copy)]
            #[repr(C)]
            #[wire(abi)]
            pub(super) struct Other {
                q: u32,
            }

            $($tokens)*
        }
        (declared::C::WIRE_ID, declared::C::SOURCE_ID)
    }};
}

macro_rules! abi {
    ([$($keys:tt)*] $($fields:tt)*) => {
        ids! {
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(abi, $($keys)*)]
            pub(super) struct C {
                $($fields)*
            }
        }
    };
}

fn base() -> (u64, u64) {
    abi!([] n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,)
}

#[test]
fn what_is_the_same_in_memory_has_one_wire_id() {
    let base = base();
    for same in [
        abi!([] n: Number, #[wire(counted_by = n)] items: *mut Number, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: Numbers, m: u32,),
        abi!([size(lp64 = 24, ilp32_u64_4 = 12)] n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
    ] {
        assert_eq!(same, base);
    }
    let nested = abi!([] a: [[u8; TWO]; 3], f: Option<unsafe extern "C" fn(a: u8) -> ()>,);
    assert_eq!(nested, abi!([] a: [[u8; 2]; 1 + 2], f: Option<unsafe extern "C" fn(a: u8)>,));
    let itself = abi!([] c: *mut C,);
    assert_eq!(itself, abi!([] c: *mut Self,));
}

#[test]
fn documentation_and_names_of_c_are_of_the_source_only() {
    let (wire, source) = base();
    for other in [
        abi!([] /** Said of it. */ n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([c_name = "c"] n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n, c_name = "c")] items: *mut u32, m: u32,),
        abi!([version = 2] n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([deprecated = "old"] n: u32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut u32, #[wire(since = 2)] m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut u32, #[wire(deprecated = "m")] m: u32,),
    ] {
        assert_eq!(other.0, wire);
        assert_ne!(other.1, source);
    }
    let plain = abi!([] f: Option<unsafe extern "C" fn(a: u8)>,);
    let named = abi!([] #[wire(c_type = "call")] f: Option<unsafe extern "C" fn(a: u8)>,);
    assert_eq!(named.0, plain.0);
    assert_ne!(named.1, plain.1);
}

#[test]
fn a_rename_that_says_the_old_name_keeps_the_wire_id() {
    let (wire, source) = base();
    for renamed in [
        abi!([] #[wire(was = n)] count: u32, #[wire(counted_by = count)] items: *mut u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n, was = "items")] list: *mut u32, m: u32,),
        ids! {
            #[derive(WireContract)]
            #[repr(C)]
            #[wire(abi, was = "C")]
            pub(super) struct D {
                n: u32,
                #[wire(counted_by = n)]
                items: *mut u32,
                m: u32,
            }
            pub(super) use D as C;
        },
    ] {
        assert_eq!(renamed.0, wire);
        assert_ne!(renamed.1, source);
    }
    let pointing = abi!([] part: *mut Part,);
    let renamed = ids! {
        #[derive(WireContract, Clone, Copy)]
        #[repr(C)]
        #[wire(abi, was = "Part")]
        pub(super) struct Piece {
            p: u32,
        }
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(abi)]
        pub(super) struct C {
            part: *mut Piece,
        }
    };
    assert_eq!(pointing.0, renamed.0, "also where a pointer to it stands");
    assert_ne!(pointing.1, renamed.1);
}

#[test]
fn whatever_is_other_in_memory_or_in_meaning_has_another_wire_id() {
    let all = [
        base(),
        abi!([] x: u32, #[wire(counted_by = x)] items: *mut u32, m: u32,),
        abi!([] n: u32, items: *mut u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = m)] items: *mut u32, m: u32,),
        abi!([] m: u32, #[wire(counted_by = n)] items: *mut u32, n: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *const u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut i32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut *mut u32, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut c_void, m: u32,),
        abi!([] n: u32, #[wire(counted_by = n)] items: *mut [u32; 1], m: u32,),
        abi!([] n: i32, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: c_int, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: c_long, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: u64, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: usize, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] n: isize, #[wire(counted_by = n)] items: *mut u32, m: u32,),
        abi!([] a: u8,),
        abi!([] a: i8,),
        abi!([] a: c_char,),
        abi!([] a: bool,),
        abi!([] a: u32,),
        abi!([] a: f32,),
        abi!([] a: Open<Mode>,),
        abi!([] a: Flags<Bits>,),
        abi!([] a: Part,),
        abi!([] a: Other,),
        abi!([] a: *mut Part,),
        abi!([] a: *mut Other,),
        abi!([] a: *mut C,),
        abi!([] a: *mut Open<Mode>,),
        abi!([] a: *mut Flags<Bits>,),
        abi!([] a: [u8; 2],),
        abi!([] a: [u8; 3],),
        abi!([] a: [[u8; 3]; 2],),
        abi!([] a: [[u8; 2]; 3],),
        abi!([] a: Option<unsafe extern "C" fn()>,),
        abi!([] a: Callback,),
        abi!([] a: Option<unsafe extern "C" fn(u8)>,),
        abi!([] a: Option<unsafe extern "C" fn(x: u8)>,),
        abi!([] a: Option<unsafe extern "C" fn(x: u8) -> u8>,),
        abi!([] a: Option<unsafe extern "C" fn(x: u8) -> *mut c_void>,),
        abi!([] a: Option<unsafe extern "C" fn(x: *mut c_void)>,),
        abi!([] a: Option<unsafe extern "C" fn(x: u8, y: u16)>,),
        abi!([] a: Option<unsafe extern "C" fn(x: u16, y: u8)>,),
        abi!([] a: Option<unsafe extern "C" fn(y: u8, x: u16)>,),
        abi!([] a: *mut Option<unsafe extern "C" fn()>,),
    ];
    let mut all: Vec<u64> = all.into_iter().map(|(wire, _)| wire).collect();
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn what_is_behind_a_pointer_counts_with_its_name_and_what_is_held_with_all() {
    macro_rules! holding {
        ($held:ty, $field:ty) => {
            ids! {
                #[derive(WireContract, Clone, Copy)]
                #[repr(C)]
                #[wire(abi)]
                pub(super) struct Held {
                    h: $held,
                }
                #[derive(WireContract)]
                #[repr(C)]
                #[wire(abi)]
                pub(super) struct C {
                    a: $field,
                }
            }
        };
    }
    assert_ne!(holding!(u32, Held).0, holding!(i32, Held).0);
    assert_eq!(holding!(u32, *mut Held), holding!(i32, *mut Held));
}

#[derive(WireContract, Clone, Copy)]
#[repr(u16)]
#[wire(enumeration)]
enum Mode {
    Off = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(abi)]
struct Node {
    mode: Open<Mode>,
    #[wire(was = "length")]
    count: u64,
    #[wire(counted_by = count)]
    next: *const Node,
    call: Option<
        unsafe extern "C" fn(
            node: *mut Node,
            then: Option<unsafe extern "C" fn(*mut c_void, last: u8)>,
        ) -> *const c_void,
    >,
    rows: [[usize; 3]; 2],
}

type Call =
    Option<unsafe extern "C" fn(*mut Node, Option<unsafe extern "C" fn(*mut c_void, u8)>) -> *const c_void>;

const TEXT: &str = concat!(
    r#"{"kind":"abi","name":"Node","fields":[{"name":"mode"},{"name":"length"},"#,
    r#"{"name":"next","counted_by":"length"},{"name":"call","params":[["node","then"],["","last"]]},{"name":"rows"}]}"#
);

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

fn fold(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn leb128(mut word: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = word.to_le_bytes()[0] & 0x7f;
        word >>= 7;
        if word == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn halves(id: u64) -> [u32; 2] {
    [id & u64::from(u32::MAX), id >> 32].map(|half| u32::try_from(half).expect("half of it"))
}

#[test]
fn words_and_text_are_those_of_the_format() {
    const CONST: u32 = 1 << 8;
    const OPEN: u32 = 1 << 12;
    const HOLDS: u32 = 1 << 13;
    const NAMED: u32 = 1 << 14;
    const ENUMERATION: u32 = 20;
    const POINTER: u32 = 64;
    const FUNCTION: u32 = 65;
    const FIELDS: AbiFields<5> = AbiFields::new([
        Open::<Mode>::SHAPE,
        u64::SHAPE,
        <*const Node>::SHAPE,
        Call::SHAPE,
        <[[usize; 3]; 2]>::SHAPE,
    ]);
    let [wire, name] = [halves(Mode::WIRE_ID), halves(fold(BASIS, *b"Node"))];
    let [source, key] =
        [halves(Mode::SOURCE_ID), halves(fold(BASIS, concat!(module_path!(), "::Node").bytes()))];
    // Each word with whether the wire id covers it.
    let covered = |words: &[u32]| words.iter().map(|&word| (word, true)).collect::<Vec<_>>();
    let uncovered = |words: [u32; 2]| words.map(|word| (word, false));
    let node =
        |words: &[u32]| [covered(words), covered(&[68]), covered(&name), uncovered(key).into()].concat();
    let expected = [
        covered(&[80, 8, 80, 8, 44, 4, 48, 8]),
        covered(&[0, 0, 0, 0, ENUMERATION | OPEN | HOLDS]),
        covered(&wire),
        uncovered(source).into(),
        covered(&[8, 8, 4, 8, 8]),
        node(&[16, 16, 12, 16, POINTER | CONST]),
        covered(&[24, 24, 16, 20, FUNCTION | NAMED, 2, POINTER | CONST, 63]),
        node(&[POINTER]),
        covered(&[FUNCTION | NAMED, 2, 63, 64, 63, 2]),
        covered(&[32, 32, 20, 24, 66, 2, 66, 3, 61]),
    ]
    .concat();
    let hashed = expected.iter().filter(|(_, covered)| *covered).flat_map(|(word, _)| leb128(*word));
    assert_eq!(Node::WIRE_ID, fold(fold(BASIS, TEXT.bytes()), hashed));

    let words: [u32; 61] = abi_words(&FIELDS);
    // Behind an alias no names of parameters can be seen.
    let unnamed =
        expected.iter().map(|&(word, _)| if word & 0xff == FUNCTION { word & !NAMED } else { word });
    assert_eq!(words.to_vec(), unnamed.collect::<Vec<u32>>());
    assert_ne!(Node::WIRE_ID, abi_wire_id(fold(BASIS, TEXT.bytes()), &FIELDS));
    assert_eq!(abi_key(module_path!(), "Node"), u64::from(key[0]) | u64::from(key[1]) << 32);
    let _ = (Node::POINTEE, Mode::Off);
}
