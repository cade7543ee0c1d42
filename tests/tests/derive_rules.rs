//! Rules of descriptors: what each operator computes, when a rule is violated, where its error points and what it says.

use wirecontract::{Code, Expected, Flags, Open, WireContract, WireError};

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[wire(enumeration, rename_all = "snake_case")]
enum Backend {
    #[wire(data(weight = 1, real = false, label = "auto"))]
    Auto = 0,
    #[wire(name = "pool_of_memory", data(weight = -3, real = true, label = "pool"))]
    Pool = 1,
    #[wire(data(weight = 7, real = true, label = "vmm"))]
    Vmm = -9,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(flags)]
enum Usage {
    Read = 1,
    Write = 0b110,
}

/// Long chains, which are as shallow as short ones.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed, rule(a == 0 || a == 1 || a == 2 || a == 3 || a == 4 || a == 5 || a == 6 || a == 7 || a == 8 || a == 9 || a == 10 || a == 11 || a == 12 || a == 13 || a == 14 || a == 15 || a == 16 || a == 17 || a == 18 || a == 19 || a == 20 || a == 21 || a == 22 || a == 23 || a == 24 || a == 25 || a == 26 || a == 27 || a == 28 || a == 29 || a == 30 || a == 31 || a == 32 || a == 33 || a == 34 || a == 35 || a == 36 || a == 37 || a == 38 || a == 39 || a == 40 || a == 41 || a == 42 || a == 43 || a == 44 || a == 45 || a == 46 || a == 47 || a == 48 || a == 49 || a == 50 || a == 51 || a == 52 || a == 53 || a == 54 || a == 55 || a == 56 || a == 57 || a == 58 || a == 59 || a == 60 || a == 61 || a == 62 || a == 63 || a == 64 || a == 65 || a == 66 || a == 67 || a == 68 || a == 69 || a == 70 || a == 71 || a == 72 || a == 73 || a == 74 || a == 75 || a == 76 || a == 77 || a == 78 || a == 79 || a == 80 || a == 81 || a == 82 || a == 83 || a == 84 || a == 85 || a == 86 || a == 87 || a == 88 || a == 89 || a == 90 || a == 91 || a == 92 || a == 93 || a == 94 || a == 95 || a == 96 || a == 97 || a == 98 || a == 99 || a == 100 || a == 101 || a == 102 || a == 103 || a == 104 || a == 105 || a == 106 || a == 107 || a == 108 || a == 109 || a == 110 || a == 111 || a == 112 || a == 113 || a == 114 || a == 115 || a == 116 || a == 117 || a == 118 || a == 119 || a == 120 || a == 121 || a == 122 || a == 123 || a == 124 || a == 125 || a == 126 || a == 127 || a == 128 || a == 129 || a == 130 || a == 131 || a == 132 || a == 133 || a == 134 || a == 135 || a == 136 || a == 137 || a == 138 || a == 139 || a == 140 || a == 141 || a == 142 || a == 143 || a == 144 || a == 145 || a == 146 || a == 147 || a == 148 || a == 149 || a == 150 || a == 151 || a == 152 || a == 153 || a == 154 || a == 155 || a == 156 || a == 157 || a == 158 || a == 159 || a == 160 || a == 161 || a == 162 || a == 163 || a == 164 || a == 165 || a == 166 || a == 167 || a == 168 || a == 169 || a == 170 || a == 171 || a == 172 || a == 173 || a == 174 || a == 175 || a == 176 || a == 177 || a == 178 || a == 179 || a == 180 || a == 181 || a == 182 || a == 183 || a == 184 || a == 185 || a == 186 || a == 187 || a == 188 || a == 189 || a == 190 || a == 191 || a == 192 || a == 193 || a == 194 || a == 195 || a == 196 || a == 197 || a == 198 || a == 199 || a == 200 || a == 201 || a == 202 || a == 203 || a == 204 || a == 205 || a == 206 || a == 207 || a == 208 || a == 209 || a == 210 || a == 211 || a == 212 || a == 213 || a == 214 || a == 215 || a == 216 || a == 217 || a == 218 || a == 219 || a == 220 || a == 221 || a == 222 || a == 223 || a == 224 || a == 225 || a == 226 || a == 227 || a == 228 || a == 229 || a == 230 || a == 231 || a == 232 || a == 233 || a == 234 || a == 235 || a == 236 || a == 237 || a == 238 || a == 239 || a == 240 || a == 241 || a == 242 || a == 243 || a == 244 || a == 245 || a == 246 || a == 247 || a == 248 || a == 249 || a == 250 || a == 251 || a == 252 || a == 253 || a == 254 || a == 255 || a == 256 || a == 257 || a == 258 || a == 259 || a == 260 || a == 261 || a == 262 || a == 263 || a == 264 || a == 265 || a == 266 || a == 267 || a == 268 || a == 269 || a == 270 || a == 271 || a == 272 || a == 273 || a == 274 || a == 275 || a == 276 || a == 277 || a == 278 || a == 279 || a == 280 || a == 281 || a == 282 || a == 283 || a == 284 || a == 285 || a == 286 || a == 287 || a == 288 || a == 289 || a == 290 || a == 291 || a == 292 || a == 293 || a == 294 || a == 295 || a == 296 || a == 297 || a == 298 || a == 299), rule(a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a < 38000))]
struct Long {
    a: u16,
}

#[test]
fn a_rule_may_be_a_long_chain() {
    for (a, holds) in [(0_u16, true), (296, true), (297, false), (299, false), (300, false)] {
        assert_eq!(Long::from_bytes(&a.to_le_bytes()).is_ok(), holds, "{a}");
    }
}

type Hidden = i16;

/// What the rules below are about, and a contract of the same bytes without a rule.
trait Numbers: WireContract + Clone + PartialEq + std::fmt::Debug {
    fn of(numbers: &Free) -> Self;
}

macro_rules! numbers {
    ($name:ident $(, $($rule:tt)+)?) => {
        #[derive(WireContract, Clone, Debug, PartialEq)]
        #[wire(descriptor, layout = packed $(, $($rule)+)?)]
        struct $name {
            a: u64,
            b: u64,
            c: i64,
            d: i64,
            e: u32,
            f: i16,
            g: u8,
            yes: bool,
            also: bool,
            hidden: Hidden,
            alias: Alias,
            backend: Backend,
            open: Open<Backend>,
            usage: Flags<Usage>,
            #[wire(length_of(items, pairs))]
            count: u8,
            items: [u16; 5],
            pairs: [[u8; 2]; 4],
            whole: [u32; 3],
            #[wire(text)]
            name: [u8; 8],
            #[wire(version = 3)]
            version: u16,
        }
        impl Numbers for $name {
            fn of(numbers: &Free) -> Self {
                let Free {
                    a, b, c, d, e, f, g, yes, also, hidden, alias, backend, open, usage, count, items, pairs, whole,
                    name, version,
                } = numbers.clone();
                $name {
                    a, b, c, d, e, f, g, yes, also, hidden, alias, backend, open, usage, count, items, pairs, whole,
                    name, version,
                }
            }
        }
    };
}

type Alias = bool;

numbers!(Free);

fn free() -> Free {
    Free {
        a: 10,
        b: 3,
        c: -7,
        d: 2,
        e: 100,
        f: -1,
        g: 200,
        yes: true,
        also: false,
        hidden: -2,
        alias: true,
        backend: Backend::Pool,
        open: Open::from_raw(-9),
        usage: Usage::Read | Usage::Write,
        count: 2,
        items: [1, 2, 0, 0, 0],
        pairs: [[0; 2]; 4],
        whole: [1; 3],
        name: *b"abc\0\0\0\0\0",
        version: 3,
    }
}

/// Whether all readers and writers accept a value; they agree.
fn verdict<T: Numbers>(numbers: &Free) -> Result<(), WireError> {
    let bytes = numbers.to_bytes().expect("a value without rules");
    let value = T::of(numbers);
    let read = T::from_bytes(&bytes);
    assert_eq!(T::view(&bytes).err(), read.clone().err());
    assert_eq!(T::read_prefix(&bytes).err(), read.clone().err());
    let written = value.to_bytes();
    assert_eq!(written.err(), read.clone().err());
    let mut place = [0xAA; 128];
    let outcome = value.write_to(&mut place);
    assert_eq!(outcome.err(), written.err());
    if outcome.is_err() {
        assert_eq!(place, [0xAA; 128], "nothing is written when it is refused");
    }
    assert_eq!(read.clone().ok(), read.is_ok().then(|| value.clone()));
    read.map(|_| ())
}

fn holds<T: Numbers>(change: impl Fn(&mut Free)) -> bool {
    let mut numbers = free();
    change(&mut numbers);
    match verdict::<T>(&numbers) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!((error.code, error.field, error.offset), (Code::RuleViolated, "", 0), "{error}");
            false
        }
    }
}

/// Each rule with a verdict on the values of [`free`], changed or not.
macro_rules! verdicts {
    ($($test:ident { $([$($rule:tt)+] $(with $numbers:ident $change:block)? => $verdict:literal;)+ })+) => { $(
        #[test]
        fn $test() {
            $({
                numbers!(Ruled, rule($($rule)+));
                let found = holds::<Ruled>(|_numbers: &mut Free| { $(let $numbers = _numbers; $change;)? });
                let text = concat!(stringify!($($rule)+) $(, " with ", stringify!($change))?);
                assert_eq!(found, $verdict, "{text}");
            })+
        }
    )+ };
}

const LEAST: i64 = i64::MIN;
const MOST: u64 = u64::MAX;

verdicts! {
    each_operator_computes_what_it_says {
        [a + b == 13] => true;
        [a + b != 13] => false;
        [a - b == 7] => true;
        [b - a == -7] => true;
        [a * b == 30] => true;
        [a / b == 3] => true;
        [a % b == 1] => true;
        [-c == 7] => true;
        [c == -7] => true;
        [a < b] => false;
        [b < a] => true;
        [a < a] => false;
        [a <= a] => true;
        [a <= b] => false;
        [a > b] => true;
        [a > a] => false;
        [a >= a] => true;
        [b >= a] => false;
        [yes && also] => false;
        [yes && !also] => true;
        [also || yes] => true;
        [also || !yes] => false;
        [!yes] => false;
        [yes == also] => false;
        [yes != also] => true;
        [yes == alias] => true;
        [alias != also] => true;
        [also == false] => true;
        [int(yes) + int(also) == 1] => true;
        [int(a > b) * 5 == 5] => true;
        [also || true] => true;
        [also || false] => false;
        [also || 1 == 1] => true;
    }

    precedence_is_that_of_rust {
        [also || 2 + 3 * 4 == 14] => true;
        [also || (2 + 3) * 4 == 20] => true;
        [also || 20 - 5 - 5 == 10] => true;
        [also || 20 - (5 - 5) == 20] => true;
        [also || 100 / 10 / 5 == 2] => true;
        [also || 100 / 10 * 5 == 50] => true;
        [also || 7 % 4 * 2 == 6] => true;
        [also || -2 * 3 == -6] => true;
        [also || - (2 + 3) == -5] => true;
        [yes || also && also] => true;
        [(yes || also) && also] => false;
        [!also && yes] => true;
        [!(also && yes)] => true;
        [also || 1 + 1 < 3 && 2 * 2 > 3] => true;
        [yes == (a > b)] => true;
    }

    literals_are_decimal_hexadecimal_and_binary {
        [a == 0x0A] => true;
        [a == 0b1010] => true;
        [a == 1_0] => true;
        [18_446_744_073_709_551_615 == a] with n { n.a = MOST } => true;
        [c == -9223372036854775808] with n { n.c = LEAST } => true;
    }

    comparison_is_mathematical_across_signs_and_widths {
        [c < a] => true;
        [f < g] => true;
        [c < a] with n { n.c = LEAST; n.a = MOST } => true;
        [a == c] with n { n.a = MOST; n.c = -1 } => false;
        [a > 9223372036854775807] with n { n.a = 1 << 63 } => true;
        [e == f] with n { n.e = u32::MAX; n.f = -1 } => false;
    }

    division_truncates_and_a_remainder_has_the_sign_of_its_dividend {
        [c / d == -3] => true;
        [c % d == -1] => true;
        [-c / -d == -3] => true;
        [-c % -d == 1] => true;
        [c / d == -9223372036854775808] with n { n.c = LEAST; n.d = 1 } => true;
        [c / d == 9223372036854775808] with n { n.c = LEAST; n.d = -1 } => true;
        [c % d == 0] with n { n.c = LEAST; n.d = -1 } => true;
        [a / b == 1] with n { n.a = MOST; n.b = MOST } => true;
        [a % b == 5] with n { n.a = MOST; n.b = MOST - 5 } => true;
    }

    a_result_beyond_the_range_violates_the_rule {
        [a + b >= 0] with n { n.a = MOST; n.b = 0 } => true;
        [a + b >= 0] with n { n.a = MOST; n.b = 1 } => false;
        [a + b >= 0] with n { n.a = MOST; n.b = MOST } => false;
        [a + b < 0 || true] with n { n.a = MOST; n.b = 1 } => false;
        [also || !(a + b >= 0)] with n { n.a = MOST; n.b = 1 } => false;
        [a + c >= 0] with n { n.a = MOST; n.c = -1 } => true;
        [c - a <= 0] with n { n.c = LEAST; n.a = 0 } => true;
        [c - a <= 0] with n { n.c = LEAST; n.a = 1 } => false;
        [c + d <= 0] with n { n.c = LEAST; n.d = -1 } => false;
        [-a <= 0] with n { n.a = 1 << 63 } => true;
        [-a <= 0] with n { n.a = (1 << 63) + 1 } => false;
        [-c >= 0] with n { n.c = LEAST } => true;
        [a * b >= 0] with n { n.a = 1 << 32; n.b = (1 << 32) - 1 } => true;
        [a * b >= 0] with n { n.a = 1 << 32; n.b = 1 << 32 } => false;
        [a * b >= 0] with n { n.a = MOST; n.b = MOST } => false;
        [a * c <= 0] with n { n.a = 1 << 63; n.c = -1 } => true;
        [a * c <= 0] with n { n.a = (1 << 63) + 1; n.c = -1 } => false;
        [c * d >= 0] with n { n.c = LEAST; n.d = LEAST } => false;
        [c * d >= 0] with n { n.c = LEAST; n.d = -1 } => true;
        [a / c <= 0] with n { n.a = MOST; n.c = -1 } => false;
        [a / c <= 0] with n { n.a = MOST; n.c = -2 } => true;
        // What cancels out left the range in between.
        [a + b - b == a] with n { n.a = MOST; n.b = 1 } => false;
        [a - b + b == a] with n { n.a = MOST; n.b = 1 } => true;
        [int(a + b > 0) >= 0] with n { n.a = MOST; n.b = 1 } => false;
        [(a + b > 0) == yes] with n { n.a = MOST; n.b = 1 } => false;
        // Only the product of three narrow numbers can leave the range.
        [e * e * e >= 0] with n { n.e = 2_642_245 } => true;
        [e * e * e >= 0] with n { n.e = 2_642_246 } => false;
    }

    a_division_by_zero_violates_the_rule {
        [a / b >= 0] with n { n.b = 0 } => false;
        [a % b >= 0] with n { n.b = 0 } => false;
        [also || !(a / b >= 0)] with n { n.b = 0 } => false;
        [a / b >= 0 || true] with n { n.b = 0 } => false;
        [a / (b - 3) >= 0] => false;
    }

    what_is_skipped_does_not_count {
        [b == 0 || a / b >= 0] with n { n.b = 0 } => true;
        [b != 0 && a / b >= 0] with n { n.b = 0 } => false;
        [!(b != 0 && a / b >= 0)] with n { n.b = 0 } => true;
        [yes || a + b > 0] with n { n.a = MOST } => true;
        [!yes || a + b > 0] with n { n.a = MOST } => false;
        [also && a + b > 0 || yes] with n { n.a = MOST } => true;
    }

    values_of_enumerations_are_numbers {
        [backend == Pool] => true;
        [backend != Pool] => false;
        [Pool == backend] => true;
        [backend == Backend::Pool] => true;
        [backend == 1] => true;
        [also || backend < Vmm] => false;
        [open == Vmm] => true;
        [open + 9 == 0] => true;
        [open == backend] => false;
        [open == hidden] with n { n.open = Open::from_raw(-2) } => true;
        [(backend) == (Pool)] => true;
        [backend == self::Backend::Vmm || backend == Pool] => true;
    }

    flags_are_bits {
        [has(usage, Read)] => true;
        [has(usage, Write)] => true;
        [has(usage, Usage::Write)] => true;
        [has(usage, Write)] with n { n.usage = Flags::from_bits(0b010).unwrap() } => false;
        [usage == 7] => true;
        [usage == Read] with n { n.usage = Usage::Read.into() } => true;
        [!has(usage, Read) == also] => true;
    }

    lengths_are_those_that_count {
        [len(items) == 2] => true;
        [len(pairs) == 2] => true;
        [len(pairs) == count] => true;
        [len(items) == 0] with n { n.count = 0; n.items = [0; 5] } => true;
        [len(whole) == 3] => true;
        [len(name) == 3] => true;
        [len(name) == 4] with n { n.name = *"ä€\0\0\0".as_bytes().first_chunk().unwrap() } => false;
        [len(name) == 5] with n { n.name = *"ä€\0\0\0".as_bytes().first_chunk().unwrap() } => true;
        [len(name) == 0] with n { n.name = [0; 8] } => true;
    }

    products_are_of_the_elements_that_count {
        [product(items) == 2] => true;
        [product(items) == 2] with n { n.count = 1 } => false;
        [product(items) == 1] with n { n.count = 0; n.items = [0; 5] } => true;
        [product(items) == 0] with n { n.count = 3 } => true;
        [product(whole) == 1] => true;
        [product(whole) == 30] with n { n.whole = [2, 3, 5] } => true;
        [also || product(whole) / 10 * 10 == product(whole)] with n { n.whole = [2, 3, 5] } => true;
        [product(whole) > 0] with n { n.whole = [u32::MAX, u32::MAX, 1] } => true;
        [product(whole) > 0] with n { n.whole = [u32::MAX, u32::MAX, 2] } => false;
        // What leaves the range violates the rule, whatever comes behind it and whatever stands around it.
        [product(whole) == 0] with n { n.whole = [u32::MAX, u32::MAX, 0] } => true;
        [product(whole) == 0] with n { n.whole = [0, u32::MAX, u32::MAX] } => true;
        [!(product(whole) > 0)] with n { n.whole = [u32::MAX; 3] } => false;
        [product(whole) >= 0 || true] with n { n.whole = [u32::MAX; 3] } => false;
        [yes || product(whole) >= 0] with n { n.whole = [u32::MAX; 3] } => true;
        [product(items) == 18445618199572250625] with n { n.count = 4; n.items[..4].fill(u16::MAX) } => true;
    }

    least_elements_are_of_those_that_count {
        [least(items) == 1] => true;
        [least(items) == 0] with n { n.count = 3 } => true;
        [least(items) == 7] with n { n.count = 2; n.items = [9, 7, 0, 0, 0] } => true;
        [least(whole) == 3] with n { n.whole = [5, 3, 4] } => true;
        // Of none there is none.
        [least(items) >= 0 || true] with n { n.count = 0; n.items = [0; 5] } => false;
        [count == 0 || least(items) > 0] with n { n.count = 0; n.items = [0; 5] } => true;
    }

    data_keys_are_functions {
        [weight(backend) == -3] => true;
        [real(backend)] => true;
        [!real(backend)] with n { n.backend = Backend::Auto } => true;
        [real(backend) == yes] => true;
        [real(backend) == real(open)] => true;
        [real(backend) != real(open)] => false;
        [(real(open)) != real(backend)] with n { n.backend = Backend::Auto } => true;
        [real(backend) == real(open)] with n { n.backend = Backend::Auto } => false;
        [real(backend) == real(open)] with n { n.open = Open::from_raw(5) } => false;
        [real(backend) != real(open)] with n { n.open = Open::from_raw(5) } => false;
        [real(backend) && real(backend) == real(open)] => true;
        [real(backend) == real(open) && real(backend)] => true;
        [real(backend) == alias] => true;
        [alias != real(open)] => false;
        [weight(backend) == weight(open)] => false;
        [weight(backend) != weight(open)] => true;
        [hidden == weight(open)] with n { n.hidden = 7 } => true;
        [int(real(backend)) + weight(open) == 8] => true;
        [weight(open) == 7] => true;
        [weight(open) != 7] with n { n.open = Open::from_raw(5) } => false;
        [real(open)] with n { n.open = Open::from_raw(5) } => false;
        [!real(open)] with n { n.open = Open::from_raw(5) } => false;
        [open == 5 || weight(open) == 7] with n { n.open = Open::from_raw(5) } => true;
    }

    aliases_have_values {
        [hidden == -2] => true;
        [alias] => true;
        [!alias] => false;
    }
}

#[test]
fn a_rule_is_stated_with_the_values_it_read() {
    numbers!(Plain, rule(a + b <= c * 0x0_Ff && !also));
    let error = verdict::<Plain>(&free()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Plain at byte 0: rule_violated: expected a + b <= c * 0x0ff && !also, found a = 10, b = 3, c = -7, also = false"
    );
    assert_eq!((error.code, error.contract, error.field, error.offset), (Code::RuleViolated, "Plain", "", 0));

    numbers!(Named, rule(not_many: len(items) < 2 || has(usage, Read) == also || weight(backend) > (e) || weight(open) == 1));
    let mut numbers = free();
    numbers.open = Open::from_raw(77);
    let error = verdict::<Named>(&numbers).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Named at byte 0: rule_violated: expected not_many: len(items) < 2 || has(usage, Read) == also || \
         weight(backend) > (e) || weight(open) == 1, found len(items) = 2, has(usage, Read) = true, also = false, \
         weight(backend) = -3, e = 100"
    );
    let Expected::Rule(rule) = error.expected else { panic!("{:?}", error.expected) };
    assert_eq!((rule.name, rule.operands.len()), ("not_many", 6));

    // What values carry is shown as what it is, whatever it is compared with.
    numbers!(Carried, rule(real(backend) != real(open) || weight(backend) == hidden));
    let error = verdict::<Carried>(&free()).unwrap_err();
    let found = "real(backend) = true, real(open) = true, weight(backend) = -3, hidden = -2";
    assert_eq!(error.came().to_string(), found);

    // Each operand once, the first five of them; the ends of the range are shown as they are.
    numbers!(Many, rule(a + a + c + c > d + e + f + g + count));
    let mut numbers = free();
    (numbers.a, numbers.c) = (MOST, LEAST);
    let error = verdict::<Many>(&numbers).unwrap_err();
    let found = "a = 18446744073709551615, c = -9223372036854775808, d = 2, e = 100, f = -1";
    assert_eq!(error.came().to_string(), found);
}

#[test]
fn rules_are_checked_in_order_and_after_every_field() {
    numbers!(Three, rule(first: a == 10), rule(b == 3), at = read, rule(third: d == 2));
    let violated = |change: &dyn Fn(&mut Free)| {
        let mut numbers = free();
        change(&mut numbers);
        verdict::<Three>(&numbers).unwrap_err().expected.to_string()
    };
    assert_eq!(violated(&|n| (n.a, n.b, n.d) = (0, 0, 0)), "first: a == 10");
    assert_eq!(violated(&|n| (n.b, n.d) = (0, 0)), "b == 3");
    assert_eq!(violated(&|n| n.d = 0), "third: d == 2");

    let mut bytes = free().to_bytes().unwrap();
    bytes[0] = 0;
    bytes[39] = 2;
    let error = Three::from_bytes(&bytes).unwrap_err();
    assert_eq!((error.code, error.field, error.offset), (Code::UnknownValue, "yes", 39));
    let mut value = Three::of(&free());
    (value.a, value.count) = (0, 9);
    let error = value.to_bytes().unwrap_err();
    assert_eq!((error.code, error.field), (Code::LengthExceeds, "count"));
}

#[test]
fn a_field_is_used_only_when_its_condition_holds() {
    type Change = fn(&mut Used);

    /// One of each that can be unused.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(descriptor, layout = packed, rule(rest == 0))]
    struct Used {
        backend: Backend,
        #[wire(one_of(backend: Pool, Backend::Vmm))]
        number: i16,
        #[wire(one_of(backend: Pool))]
        truth: bool,
        #[wire(one_of(backend: Pool))]
        float: f32,
        #[wire(one_of(backend: Pool))]
        open: Open<Backend>,
        #[wire(one_of(backend: Pool))]
        closed: Backend,
        #[wire(one_of(backend: Pool))]
        flags: Flags<Usage>,
        #[wire(length_of = items)]
        count: u8,
        #[wire(one_of(backend: Pool))]
        items: [u16; 2],
        #[wire(one_of(backend: Pool))]
        whole: [[u8; 2]; 2],
        #[wire(text, one_of(backend: Pool))]
        name: [u8; 4],
        #[wire(one_of(number: 5))]
        rest: u8,
    }
    let none = Used {
        backend: Backend::Auto,
        number: 0,
        truth: false,
        float: 0.0,
        open: Open::from_raw(0),
        closed: Backend::Auto,
        flags: Flags::empty(),
        count: 0,
        items: [0; 2],
        whole: [[0; 2]; 2],
        name: [0; 4],
        rest: 0,
    };
    let changes: [(&str, Change); 9] = [
        ("truth", |used| used.truth = true),
        ("float", |used| used.float = -0.0),
        ("open", |used| used.open = Open::from_raw(1 << 24)),
        ("closed", |used| used.closed = Backend::Vmm),
        ("flags", |used| used.flags = Usage::Read.into()),
        ("items", |used| (used.count, used.items) = (1, [256, 0])),
        ("whole", |used| used.whole[1][1] = 1),
        ("name", |used| used.name[0] = b'x'),
        ("number", |used| used.number = 1 << 8),
    ];
    let unchecked = |used: &Used| {
        // The bytes of a value that cannot be written, put together from two that can.
        let used = Used { backend: Backend::Pool, rest: 0, ..used.clone() };
        used.to_bytes().unwrap()
    };
    for (field, change) in changes {
        let mut used = none.clone();
        change(&mut used);
        let mut bytes = unchecked(&used);
        assert!(Used::from_bytes(&bytes).is_ok(), "{field}");
        bytes[..4].fill(0);
        let error = Used::from_bytes(&bytes).unwrap_err();
        assert_eq!(
            (error.code, error.contract, error.field, error.offset),
            (Code::ConditionViolated, "Used", field, 0)
        );
        assert_eq!(used.to_bytes().err(), Some(error));
        assert_eq!(Used::view(&bytes).err(), Some(error));
        let text = if field == "number" {
            "zero unless backend == Pool || backend == Backend::Vmm"
        } else {
            "zero unless backend == Pool"
        };
        assert_eq!(
            (error.expected.to_string().as_str(), error.came().to_string().as_str()),
            (text, "backend = 0")
        );
    }
    assert!(none.to_bytes().is_ok());
    // Elements past a count are not part of the value, and elements that are zero are none that say something.
    let mut bytes = none.to_bytes().unwrap();
    bytes[22] = 1;
    assert!(Used::from_bytes(&bytes).is_ok());
    bytes[21] = 1;
    assert_eq!(Used::from_bytes(&bytes).unwrap_err().field, "items");
    bytes[22] = 0;
    assert!(Used::from_bytes(&bytes).is_ok());

    // Conditions stand by field, before the rules.
    let both = Used { number: 6, rest: 1, backend: Backend::Pool, ..none.clone() };
    let error = both.to_bytes().unwrap_err();
    assert_eq!(
        error.to_string(),
        "Used.rest at byte 0: condition_violated: expected zero unless number == 5, found number = 6"
    );
    let rule = Used { number: 5, ..both };
    assert_eq!(
        rule.to_bytes().unwrap_err().to_string(),
        "Used at byte 0: rule_violated: expected rest == 0, found rest = 1"
    );
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 24, rule(fits: start + size <= end), rule(start % 2 == 0), at = import)]
struct Span {
    start: u64,
    size: u64,
    end: u64,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 48)]
#[wire(rule(small: end < 1000), at = import)]
struct Inner {
    backend: Backend,
    #[wire(length_of = blob)]
    count: u32,
    #[wire(one_of(backend: Pool, at = import))]
    blob: [u8; 8],
    span: Span,
    end: u64,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 136)]
#[wire(
    rule(same: first.end == inner.end && first.end >= inner.span.start),
    rule(len(inner.blob) < 8 && inner.backend != Vmm && weight(inner.backend) < 5),
    rule(own: head != 5), at = import
)]
struct Outer {
    head: u64,
    first: Span,
    inner: Inner,
    #[wire(length_of = spans)]
    count: u64,
    spans: [Span; 2],
}

fn span(start: u64, size: u64, end: u64) -> Span {
    Span { start, size, end }
}

fn outer() -> Outer {
    Outer {
        head: 1,
        first: span(2, 3, 500),
        inner: Inner {
            backend: Backend::Pool,
            count: 3,
            blob: [1, 1, 1, 0, 0, 0, 0, 0],
            span: span(4, 4, 8),
            end: 500,
        },
        count: 1,
        spans: [span(0, 0, 0), span(0, 0, 0)],
    }
}

fn fault(error: WireError) -> (Code, &'static str, &'static str, usize, String, String) {
    (
        error.code,
        error.contract,
        error.field,
        error.offset,
        error.expected.to_string(),
        error.came().to_string(),
    )
}

#[test]
fn nested_fields_are_read_in_bytes_and_in_values() {
    let mut value = outer();
    let bytes = value.to_bytes().unwrap();
    assert_eq!(Outer::from_bytes(&bytes), Ok(value.clone()));

    value.first.end = 499;
    let error = value.to_bytes().unwrap_err();
    let text = "first.end == inner.end && first.end >= inner.span.start";
    let found = "first.end = 499, inner.end = 500, inner.span.start = 4";
    let expected = (Code::RuleViolated, "Outer", "", 0, format!("same: {text}"), found.to_owned());
    assert_eq!(fault(error), expected);
    let mut bytes = outer().to_bytes().unwrap();
    bytes[24..32].copy_from_slice(&499_u64.to_le_bytes());
    assert_eq!(Outer::from_bytes(&bytes).unwrap_err(), error);
    assert_eq!(Outer::view(&bytes).err(), Some(error));

    // The length of a counted array of another contract is its count, and data keys reach into it.
    let mut value = outer();
    value.inner.count = 8;
    let error = value.to_bytes().unwrap_err();
    let found = "len(inner.blob) = 8, inner.backend = 1, weight(inner.backend) = -3";
    assert_eq!(error.came().to_string(), found);
    let mut bytes = outer().to_bytes().unwrap();
    bytes[36] = 8;
    assert_eq!(Outer::from_bytes(&bytes).unwrap_err(), error);
}

#[test]
fn rules_of_nested_descriptors_come_in_place_with_their_offset() {
    let at = |change: &dyn Fn(&mut Outer)| {
        let mut value = outer();
        change(&mut value);
        let written = value.to_bytes().unwrap_err();
        // Each field's place in the bytes, written by hand past the check.
        let mut bytes = outer().to_bytes().unwrap();
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let spans =
            [(8, &value.first), (48, &value.inner.span), (88, &value.spans[0]), (112, &value.spans[1])];
        for (at, span) in spans {
            put(at, span.start);
            put(at + 8, span.size);
            put(at + 16, span.end);
        }
        assert_eq!(Outer::from_bytes(&bytes).unwrap_err(), written);
        let (code, contract, field, offset, expected, _) = fault(written);
        assert_eq!((code, contract, field), (Code::RuleViolated, "Span", ""));
        assert_eq!(expected, "fits: start + size <= end");
        offset
    };
    assert_eq!(at(&|value| value.first.size = MOST), 8);
    assert_eq!(at(&|value| value.inner.span.size = 5), 48);
    assert_eq!(at(&|value| value.spans[0].size = 5), 88);
    // The first in the bytes is reported, and the outer rules come last.
    assert_eq!(at(&|value| (value.first, value.inner.span.size) = (span(2, 3, 4), 9)), 8);
    assert_eq!(at(&|value| (value.first.end, value.spans[0].size) = (499, 5)), 88);
}

#[test]
fn elements_past_a_count_are_written_so_that_a_reader_takes_them() {
    let mut value = outer();
    value.spans[1] = span(5, 5, 5);
    let bytes = value.to_bytes().unwrap();
    assert!(bytes[112..].iter().all(|&byte| byte == 0));
    assert!(Outer::from_bytes(&bytes).is_ok());
}

#[test]
fn an_importer_is_told_of_nested_contracts_first() {
    let refused = |change: &dyn Fn(&mut Outer)| {
        let mut value = outer();
        change(&mut value);
        // Readers and writers do not ask.
        let bytes = value.to_bytes().unwrap();
        let read = Outer::from_bytes(&bytes).unwrap();
        assert_eq!(read.validate_import(), value.validate_import());
        fault(value.validate_import().unwrap_err())
    };
    assert_eq!(outer().validate_import(), Ok(()));
    let rule = |contract, offset, expected: &str, found: &str| {
        (Code::RuleViolated, contract, "", offset, expected.to_owned(), found.to_owned())
    };
    assert_eq!(refused(&|value| value.head = 5), rule("Outer", 0, "own: head != 5", "head = 5"));
    let odd = |value: &mut Span| (value.start, value.end) = (5, 500);
    assert_eq!(refused(&|value| odd(&mut value.first)), rule("Span", 8, "start % 2 == 0", "start = 5"));
    assert_eq!(
        refused(&|value| (value.head, value.inner.span.start) = (5, 3)),
        rule("Span", 48, "start % 2 == 0", "start = 3")
    );
    let small = |value: &mut Outer| (value.first.end, value.inner.end) = (1000, 1000);
    assert_eq!(refused(&small), rule("Inner", 32, "small: end < 1000", "end = 1000"));
    // Conditions before rules, and nested ones before both.
    let unused = |value: &mut Outer| {
        small(value);
        value.inner.backend = Backend::Auto;
    };
    let zero = "zero unless backend == Pool".to_owned();
    let expected = (Code::ConditionViolated, "Inner", "blob", 32, zero, "backend = 0".to_owned());
    assert_eq!(refused(&unused), expected);
    // Of an array, the elements that count.
    let mut past = outer();
    odd(&mut past.spans[1]);
    assert_eq!(past.validate_import(), Ok(()));
    past.count = 2;
    assert_eq!(fault(past.validate_import().unwrap_err()), rule("Span", 112, "start % 2 == 0", "start = 5"));
}

#[test]
fn what_is_not_asked_at_import_is_not_looked_at() {
    let mut value = outer();
    value.first.size = MOST;
    assert_eq!(value.validate_import(), Ok(()));
    assert_eq!(value.to_bytes().unwrap_err().contract, "Span");
}

#[test]
fn the_wire_id_covers_what_a_rule_says_and_when() {
    use wirecontract::Contract;

    macro_rules! ids {
        ($([$($rule:tt)*] $(on $of_field:meta)?;)+) => { [$({
            #[derive(WireContract)]
            #[wire(descriptor, layout = packed, $($rule)*)]
            struct Same {
                backend: Backend,
                $(#[wire($of_field)])?
                size: u32,
            }
            (Same::WIRE_ID, Same::SOURCE_ID)
        }),+] };
    }
    let equal = ids! {
        [rule(size+1_0 > 0xFF)];
        [rule(size + 10 > 0xff), at = read];
    };
    assert_eq!(equal[0].0, equal[1].0);
    let distinct = ids! {
        [];
        [rule(size + 10 > 0xff)];
        [rule(size + 10 > 255)];
        [rule(size + 10 > 0xff), at = import];
        [rule(large: size + 10 > 0xff)];
        [rule(size + 10 > 0xff), rule(size == size)];
        [rule(size == size), rule(size + 10 > 0xff)];
        [] on one_of(backend: Pool);
        [] on one_of(backend: Pool, at = import);
        [] on one_of(backend: Pool, Vmm);
    };
    for (index, ids) in distinct.iter().enumerate() {
        for other in &distinct[..index] {
            assert!(ids.0 != other.0 && ids.1 != other.1, "{index}");
        }
    }
}

/// Signed elements, counted and not, and a descriptor that asks for those of another.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed)]
#[wire(rule(all: product(all) != 5))]
#[wire(rule(least: least(all) < 0 && (count == 0 || least(some) != 4)))]
struct Signed {
    #[wire(length_of = some)]
    count: u8,
    some: [i64; 4],
    all: [i8; 3],
}

type Row = [i64; 2];

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed)]
#[wire(rule(inner: product(signed.some) == -9223372036854775808 || product(signed.some) == 9223372036854775808))]
#[wire(rule(row: product(row) == 6))]
struct Around {
    signed: Signed,
    row: Row,
}

#[test]
fn products_reach_both_ends_of_the_range_and_into_what_is_nested() {
    let verdict = |some: &[i64], row| {
        let mut signed = Signed { count: 0, some: [0; 4], all: [-1, -2, 3] };
        signed.set_some(some).expect("it has room");
        Around { signed, row }.to_bytes().map(|_| ()).map_err(|error| error.to_string())
    };
    let refused = |rule: &str, found: &str| {
        Err(format!("Around at byte 0: rule_violated: expected {rule}, found {found}"))
    };
    let inner =
        "inner: product(signed.some) == -9223372036854775808 || product(signed.some) == 9223372036854775808";
    assert_eq!(verdict(&[i64::MIN], [2, 3]), Ok(()));
    assert_eq!(verdict(&[i64::MIN, -1], [-2, -3]), Ok(()));
    assert_eq!(verdict(&[1 << 32, 1 << 31, -1], [6, 1]), Ok(()));
    assert_eq!(verdict(&[], [6, 1]), refused(inner, "product(signed.some) = 1"));
    assert_eq!(verdict(&[i64::MIN, 2], [6, 1]), refused(inner, "product(signed.some) = none"));
    assert_eq!(verdict(&[i64::MIN, 2, 0], [6, 1]), refused(inner, "product(signed.some) = none"));
    assert_eq!(verdict(&[-1, -2, -3], [6, 1]), refused(inner, "product(signed.some) = -6"));
    assert_eq!(verdict(&[i64::MIN], [i64::MAX, 3]), refused("row: product(row) == 6", "product(row) = none"));
    let all = Signed { count: 0, some: [0; 4], all: [-1, -5, 1] };
    assert_eq!(
        all.to_bytes().map_err(|error| error.to_string()),
        Err("Signed at byte 0: rule_violated: expected all: product(all) != 5, found product(all) = 5"
            .to_owned())
    );
}
