//! What the wire ids of functions, handles and libraries cover, and what they do not.
//!
//! A symbol is in the id, and is there once in a program: so each function here has its own, the id beside it is held
//! against its text and words as the format has them, and then the ids are compared that they would have under one name.

#![allow(dead_code, unused_variables, reason = "declared for their ids")]
#![allow(
    clippy::items_after_statements,
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    unreachable_pub,
    reason = "declared for their ids"
)]

use core::ffi::{c_int, c_long, c_void};

use wirecontract::{CallbackError, Contract, Failure, Flags, Open, WireContract, wire_export, wire_library};

wire_library!(prefix = "t");

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration)]
enum Mode {
    A = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(flags)]
enum Bits {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(abi)]
struct Part {
    p: u32,
}

#[derive(WireContract, Clone)]
#[repr(C)]
#[wire(descriptor)]
struct Block {
    p: u32,
}

#[derive(WireContract, Clone)]
#[wire(recipe)]
struct Order {
    p: u32,
}

#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "t")]
struct Camera;

#[derive(WireContract)]
#[wire(handle, shared, prefix = "t")]
struct Lamp(u8);

type Number = u32;

/// Bits of the words of types, and codes of these.
const CONST: u32 = 1 << 8;
const OPEN: u32 = 1 << 12;
const NAMED: u32 = 1 << 14;
const ENUMERATION: u32 = 20;
const FLAGS: u32 = 21;
const POINTER: u32 = 64;
const FUNCTION: u32 = 65;
const STRUCT: u32 = 67;

/// Bits of the words of forms.
const NULLABLE: u32 = 1 << 8;
const CHANGED: u32 = 1 << 9;
const OWNED: u32 = 1 << 10;
const HOLDS: u32 = 1 << 13;

/// What the id of a function covers.
struct Function {
    symbol: &'static str,
    id: u64,
    /// The rest of the text, and the words.
    params: &'static str,
    outs: &'static str,
    words: Vec<u32>,
}

impl Function {
    /// The id under a name.
    fn id_as(&self, symbol: &str) -> u64 {
        let (params, outs) = (self.params, self.outs);
        let text =
            format!(r#"{{"kind":"function","symbol":"{symbol}","params":[{params}],"outs":[{outs}]}}"#);
        fold(fold(BASIS, text.bytes()), self.words.iter().copied().flat_map(leb128))
    }
}

macro_rules! function {
    ($module:ident, $params:literal, $outs:literal, $words:expr, { $($function:tt)* }) => {{
        #[wire_export(prefix = "t")]
        $($function)*
        unsafe extern "C" {
            #[link_name = concat!("t_", stringify!($module), "_wire_id")]
            static ID: u64;
        }
        // SAFETY: a constant.
        let id = unsafe { ID };
        let words: &[&[u32]] = &$words;
        Function { symbol: concat!("t_", stringify!($module)), id, params: $params, outs: $outs, words: words.concat() }
    }};
}

fn ids<C: Contract>() -> [u32; 2] {
    halves(C::WIRE_ID)
}

/// A function and others that say the same of what crosses.
fn same() -> Vec<Function> {
    let base: &[u32] = &[0, 2, 1, 1, 6, 4, 2, 1, 10];
    vec![
        function!(a_0, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [base], {
            fn a_0(n: u32, bytes: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(a_1, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [base], {
            /// Documented, and deprecated.
            #[wire(deprecated = "old", since = 2, version = 3)]
            extern "C" fn a_1(n: u32, bytes: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(a_2, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [base], {
            fn a_2(n: Number, bytes: &[u8]) -> Result<f32, Failure> {
                Ok(0.0)
            }
        }),
        function!(a_3, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [base], {
            fn a_3(#[wire(was = n)] count: u32, #[wire(was = "bytes")] list: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(a_4, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [base], {
            #[wire(c_name = "t_a_4", out(out))]
            fn of_another_name(n: u32, bytes: &[u8]) -> (f32,) {
                (0.0,)
            }
        }),
    ]
}

/// Functions each of which says something else, of one parameter or result.
fn others() -> Vec<Function> {
    let one = r#"{"name":"n"}"#;
    let of = |code: u32, of: [u32; 2]| [0, 1, 0, code, of[0], of[1]];
    let mut all = vec![
        function!(b_0, r#"{"name":"x"},{"name":"bytes"}"#, r#""out""#, [&[0, 2, 1, 1, 6, 4, 2, 1, 10]], {
            fn b_0(x: u32, bytes: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(b_1, r#"{"name":"bytes"},{"name":"n"}"#, r#""out""#, [&[0, 2, 1, 4, 2, 1, 6, 1, 10]], {
            fn b_1(bytes: &[u8], n: u32) -> f32 {
                0.0
            }
        }),
        function!(b_2, r#"{"name":"n"},{"name":"bytes"}"#, r#""mean""#, [&[0, 2, 1, 1, 6, 4, 2, 1, 10]], {
            #[wire(out(mean))]
            fn b_2(n: u32, bytes: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(b_3, r#"{"name":"n"},{"name":"bytes"}"#, r#""out""#, [&[2, 2, 1, 1, 6, 4, 2, 1, 10]], {
            unsafe fn b_3(n: u32, bytes: &[u8]) -> f32 {
                0.0
            }
        }),
        function!(
            b_4,
            r#"{"name":"n"},{"name":"bytes"}"#,
            r#""out_1","out_2""#,
            [&[0, 2, 2, 1, 6, 4, 2, 1, 10, 1, 1]],
            {
                fn b_4(n: u32, bytes: &[u8]) -> (f32, bool) {
                    (0.0, false)
                }
            }
        ),
        function!(
            b_5,
            r#"{"name":"n"},{"name":"bytes"},{"name":"more"}"#,
            r#""out""#,
            [&[0, 3, 1, 1, 6, 4, 2, 1, 6, 1, 10]],
            {
                fn b_5(n: u32, bytes: &[u8], more: u32) -> f32 {
                    0.0
                }
            }
        ),
    ];
    let mut add = |function: Function| all.push(function);
    add(function!(c_0, "", "", [&[0, 0, 0]], {
        fn c_0() {}
    }));
    macro_rules! one {
        ($($name:ident $type:ty: $words:expr;)*) => { $(
            let it = function!($name, r#"{"name":"n"}"#, "", [&[0, 1, 0], &$words], { fn $name(n: $type) {} });
            assert_eq!(it.params, one);
            add(it);
        )* };
    }
    one! {
        d_00 i32: [1, 7];
        d_01 u64: [1, 8];
        d_02 c_int: [1, 55];
        d_03 c_long: [1, 57];
        d_04 usize: [1, 61];
        d_05 *const u32: [1, POINTER | CONST, 6];
        d_06 *mut c_void: [1, POINTER, 63];
        d_07 bool: [1, 1];
        d_08 &u32: [3, 6];
        d_09 &mut u32: [3 | CHANGED, 6];
        d_10 Option<&u32>: [3 | NULLABLE, 6];
        d_11 Option<&mut u32>: [3 | NULLABLE | CHANGED, 6];
        d_12 &c_long: [3, 57];
        d_13 &[u32]: [4, 6];
        d_14 &mut [u32]: [4 | CHANGED, 6];
        d_15 &mut [c_int]: [4 | CHANGED, 55];
        d_16 &str: [5];
        d_17 Option<&str>: [5 | NULLABLE];
        d_18 Mode: [2 | HOLDS, ids::<Mode>()[0], ids::<Mode>()[1]];
        d_19 Open<Mode>: [1, ENUMERATION | OPEN | HOLDS, ids::<Mode>()[0], ids::<Mode>()[1]];
        d_20 Flags<Bits>: [1, FLAGS | HOLDS, ids::<Bits>()[0], ids::<Bits>()[1]];
        d_21 Part: [1, STRUCT | HOLDS, ids::<Part>()[0], ids::<Part>()[1]];
        d_22 &Part: [3, STRUCT | HOLDS, ids::<Part>()[0], ids::<Part>()[1]];
        d_23 &Camera: [8 | HOLDS, ids::<Camera>()[0], ids::<Camera>()[1]];
        d_24 &mut Camera: [8 | CHANGED | HOLDS, ids::<Camera>()[0], ids::<Camera>()[1]];
        d_25 Camera: [8 | OWNED | HOLDS, ids::<Camera>()[0], ids::<Camera>()[1]];
        d_26 &Lamp: [8 | HOLDS, ids::<Lamp>()[0], ids::<Lamp>()[1]];
    }
    add(function!(e_0, r#"{"name":"n"}"#, "", [&of(6 | HOLDS, ids::<Block>())], {
        fn e_0(n: &Block) {}
    }));
    add(function!(e_1, r#"{"name":"n"}"#, "", [&of(7 | HOLDS, ids::<Order>())], {
        fn e_1(n: &Order) {}
    }));
    add(function!(f_0, r#"{"name":"n","args":["arg_1","arg_2"]}"#, "", [&[0, 1, 0, 9, 2, 1, 57, 5]], {
        fn f_0(n: &mut dyn FnMut(c_long, &str) -> Result<(), CallbackError>) {}
    }));
    add(function!(f_1, r#"{"name":"n","args":["a","b"]}"#, "", [&[0, 1, 0, 9, 2, 1, 57, 5]], {
        fn f_1(#[wire(names(a, b))] n: &mut dyn FnMut(c_long, &str) -> Result<(), CallbackError>) {}
    }));
    add(function!(f_2, r#"{"name":"n","args":["a","b"]}"#, "", [&[0, 1, 0, 9, 2, 3, 10, 4, 2]], {
        fn f_2(#[wire(names(a, b))] n: &mut dyn FnMut(&f32, &[u8]) -> Result<(), CallbackError>) {}
    }));
    add(function!(
        f_3,
        r#"{"name":"n","params":[["a",""]]}"#,
        "",
        [&[0, 1, 0, 1, FUNCTION | NAMED, 2, 6, 2, 2]],
        {
            fn f_3(n: Option<unsafe extern "C" fn(a: u8, u8) -> u32>) {}
        }
    ));
    add(function!(g_0, "", r#""out""#, [&[0, 0, 1, 5]], {
        fn g_0() -> String {
            String::new()
        }
    }));
    add(function!(g_1, "", r#""out""#, [&[0, 0, 1, 10]], {
        fn g_1() -> Vec<u8> {
            Vec::new()
        }
    }));
    let camera = ids::<Camera>();
    add(function!(g_2, "", r#""out""#, [&[0, 0, 1, 8 | HOLDS], &camera], {
        fn g_2() -> Camera {
            Camera
        }
    }));
    add(function!(g_3, "", r#""out""#, [&[0, 0, 1, 6 | HOLDS], &ids::<Block>()], {
        fn g_3() -> Result<Block, String> {
            Err(String::new())
        }
    }));
    all
}

#[test]
fn the_id_of_a_function_is_that_of_its_text_and_words() {
    for function in same().iter().chain(&others()) {
        assert_eq!(function.id, function.id_as(function.symbol), "{}", function.symbol);
    }
}

#[test]
fn docs_aliases_failures_and_renames_that_say_the_old_name_keep_the_id() {
    let same = same();
    for function in &same {
        assert_eq!(function.id_as("t_a_0"), same[0].id, "{}", function.symbol);
    }
}

#[test]
fn whatever_is_other_in_what_crosses_or_in_its_name_has_another_id() {
    let all = others();
    let mut ids: Vec<u64> = all.iter().chain(same().first()).map(|function| function.id_as("t")).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), count), (count, all.len() + 1));
}

#[wire_export(prefix = "t")]
impl Camera {
    pub fn open(name: &str) -> Self {
        Camera
    }

    pub fn gain(&self, of: &Self) {}
}

unsafe extern "C" {
    static t_camera_open_wire_id: u64;
    static t_camera_gain_wire_id: u64;
    static t_camera_destroy_wire_id: u64;
    static t_lamp_destroy_wire_id: u64;
    static t_last_error_wire_id: u64;
    static t_bytes_free_wire_id: u64;
}

#[test]
fn a_method_counts_with_its_handle() {
    let [low, high] = ids::<Camera>();
    let camera = [low, high];
    let own = [8 | HOLDS, low, high];
    let open = Function {
        symbol: "t_camera_open",
        // SAFETY: a constant.
        id: unsafe { t_camera_open_wire_id },
        params: r#"{"name":"name"}"#,
        outs: r#""out""#,
        words: [&[1, 1, 1], camera.as_slice(), &[5], &own].concat(),
    };
    let gain = Function {
        symbol: "t_camera_gain",
        // SAFETY: a constant.
        id: unsafe { t_camera_gain_wire_id },
        params: r#"{"name":"self"},{"name":"of"}"#,
        outs: "",
        words: [&[1, 2, 0], camera.as_slice(), &own, &own].concat(),
    };
    for method in [open, gain] {
        assert_eq!(method.id, method.id_as(method.symbol), "{}", method.symbol);
    }
}

#[test]
fn the_id_of_a_handle_covers_its_name_its_access_its_symbol_and_its_tag() {
    // SAFETY: constants.
    let destroy = unsafe { [t_camera_destroy_wire_id, t_lamp_destroy_wire_id] };
    let expected =
        [("Camera", "exclusive", "camera"), ("Lamp", "shared", "lamp")].map(|(name, access, stem)| {
            let text = format!(
                r#"{{"kind":"handle","name":"{name}","access":"{access}","symbol":"t_{stem}_destroy"}}"#
            );
            let tag = wirecontract::__private::export::tag("t", name);
            fold(fold(BASIS, text.bytes()), leb128(tag.into()))
        });
    assert_eq!((destroy, [Camera::WIRE_ID, Lamp::WIRE_ID]), (expected, expected));
}

#[test]
fn the_id_of_a_library_covers_its_symbols() {
    let text = r#"{"kind":"library","name":"t","symbols":["t_last_error","t_bytes_free"]}"#;
    // SAFETY: constants.
    let ids = unsafe { [t_last_error_wire_id, t_bytes_free_wire_id] };
    assert_eq!(ids, [fold(BASIS, text.bytes()); 2]);
}

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
