//! Where and how contracts can be declared: the expansion takes no name for granted and warns of nothing.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

use wirecontract::{Contract, WireContract};

#[test]
fn works_renamed_and_in_an_older_edition() {
    use wirecontract_tests_renamed::{Mode, Option, Packet};
    assert_eq!(Packet::WIRE_SIZE, 40);
    assert_eq!((Mode::SINGLE.fan_out(), Mode::Multicast.name_of()), (1, "multi"));
    assert_eq!((Option::Answer | Option::Ordered).bits(), 0x101);
}

#[test]
fn works_when_another_crate_hands_it_on() {
    use wirecontract_tests_reexported::{Packet, Port};
    let mut bytes = [0; 40];
    bytes[..4].copy_from_slice(b"PK\x02\0");
    bytes[8..14].copy_from_slice(&[1, 0, 0, 0, 1, 2]);
    let packet = Packet::from_bytes(&bytes).unwrap();
    assert_eq!(packet.ports(), [Port { host: 0x0102, port: 0 }]);
    assert_eq!(
        Packet::WIRE_ID,
        wirecontract_tests_renamed::Packet::WIRE_ID,
        "however wirecontract is called"
    );
}

#[test]
fn works_in_two_functions_under_one_name() {
    fn one() -> u64 {
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(descriptor)]
        struct Local {
            a: u32,
        }
        let _ = Local { a: 0 }.a;
        Local::WIRE_ID
    }
    fn other() -> u64 {
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(descriptor)]
        struct Local {
            a: i32,
        }
        let _ = Local { a: 0 }.a;
        Local::WIRE_ID
    }
    fn same() -> u64 {
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(descriptor)]
        struct Local {
            a: i32,
        }
        let _ = Local { a: 0 }.a;
        Local::WIRE_ID
    }
    assert_ne!(one(), other());
    assert_eq!(other(), same());
}

/// A macro that declares a contract, with names and types of its own and of its caller.
macro_rules! declare {
    ($name:ident { $($field:ident: $type:ty),* } counts $count:ident) => {
        /// Declared by a macro.
        #[derive(WireContract, Clone, Debug, PartialEq)]
        #[repr(C)]
        #[wire(descriptor)]
        pub struct $name {
            #[wire(length_of = items)]
            $count: u32,
            items: [Item; 2],
            $($field: $type),*
        }

        /// Declared by a macro.
        #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        #[wire(enumeration)]
        pub enum Item {
            /// Nothing.
            None = 0,
            /// Something.
            Some = 1,
        }
    };
}

type Pair = [u16; 2];
declare!(ByMacro { first: u32, pair: Pair, floats: [f32; 1 + 1] } counts number);

#[test]
fn works_inside_a_macro() {
    let mut value = ByMacro { number: 0, items: [Item::Some; 2], first: 7, pair: [1, 2], floats: [0.5, 1.5] };
    value.set_items(&[Item::Some]).unwrap();
    let bytes = value.to_bytes().unwrap();
    assert_eq!(bytes[..8], [1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(ByMacro::view(&bytes).unwrap().pair().get(1), Some(2));
    assert_eq!(ByMacro::from_bytes(&bytes), Ok(value));
}

/// A struct of a `u16` for each name.
macro_rules! many {
    ($($field:ident)*) => {
        /// As many fields as anyone has.
        #[derive(WireContract, Clone, Debug, PartialEq)]
        #[repr(C)]
        #[wire(descriptor, size = 600)]
        pub struct Many {
            $(
                /// One of them.
                pub $field: u16,
            )*
        }
    };
}

many! {
        f000 f001 f002 f003 f004 f005 f006 f007 f008 f009 f010 f011 f012 f013 f014 f015 f016 f017 f018 f019
        f020 f021 f022 f023 f024 f025 f026 f027 f028 f029 f030 f031 f032 f033 f034 f035 f036 f037 f038 f039
        f040 f041 f042 f043 f044 f045 f046 f047 f048 f049 f050 f051 f052 f053 f054 f055 f056 f057 f058 f059
        f060 f061 f062 f063 f064 f065 f066 f067 f068 f069 f070 f071 f072 f073 f074 f075 f076 f077 f078 f079
        f080 f081 f082 f083 f084 f085 f086 f087 f088 f089 f090 f091 f092 f093 f094 f095 f096 f097 f098 f099
        f100 f101 f102 f103 f104 f105 f106 f107 f108 f109 f110 f111 f112 f113 f114 f115 f116 f117 f118 f119
        f120 f121 f122 f123 f124 f125 f126 f127 f128 f129 f130 f131 f132 f133 f134 f135 f136 f137 f138 f139
        f140 f141 f142 f143 f144 f145 f146 f147 f148 f149 f150 f151 f152 f153 f154 f155 f156 f157 f158 f159
        f160 f161 f162 f163 f164 f165 f166 f167 f168 f169 f170 f171 f172 f173 f174 f175 f176 f177 f178 f179
        f180 f181 f182 f183 f184 f185 f186 f187 f188 f189 f190 f191 f192 f193 f194 f195 f196 f197 f198 f199
        f200 f201 f202 f203 f204 f205 f206 f207 f208 f209 f210 f211 f212 f213 f214 f215 f216 f217 f218 f219
        f220 f221 f222 f223 f224 f225 f226 f227 f228 f229 f230 f231 f232 f233 f234 f235 f236 f237 f238 f239
        f240 f241 f242 f243 f244 f245 f246 f247 f248 f249 f250 f251 f252 f253 f254 f255 f256 f257 f258 f259
        f260 f261 f262 f263 f264 f265 f266 f267 f268 f269 f270 f271 f272 f273 f274 f275 f276 f277 f278 f279
        f280 f281 f282 f283 f284 f285 f286 f287 f288 f289 f290 f291 f292 f293 f294 f295 f296 f297 f298 f299
}

#[test]
fn works_with_three_hundred_fields() {
    let bytes: Vec<u8> = (0..300_u16).flat_map(u16::to_le_bytes).collect();
    let many = Many::from_bytes(&bytes).unwrap();
    assert_eq!((many.f000, many.f150, many.f299), (0, 150, 299));
    assert_eq!(many.to_bytes().unwrap()[..], bytes);
    assert_eq!(Many::view(&bytes).unwrap().f298(), 298);
}

#[test]
fn works_without_a_standard_library_and_without_an_allocator() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/bare/Cargo.toml");
    let build = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--locked", "--manifest-path", manifest, "--target-dir"])
        .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/.."))
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
}

#[test]
fn a_json_contract_without_the_feature_is_one_error_that_names_it() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/crates");
    let package = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("without_json");
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = std::fs::read_to_string(format!("{crates}/bare/Cargo.toml")).unwrap();
    let core = concat!(env!("CARGO_MANIFEST_DIR"), "/../contracts/core");
    let manifest = manifest.replace("\"staticlib\"", "\"lib\"").replace("../../../contracts/core", core);
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(format!("{crates}/bare/Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let source = "
        #![no_std]
        #[derive(wirecontract::WireContract)]
        #[wire(recipe)]
        pub struct Config { #[wire(default = 1, min = 1)] pub level: u8, pub name: Option<Part> }
        #[derive(wirecontract::WireContract)]
        #[wire(recipe)]
        pub struct Part { pub x: f32 }
        #[derive(wirecontract::WireContract)]
        #[wire(union, tag = \"op\")]
        pub enum Call { One(Part), Two }
    ";
    std::fs::write(package.join("src/lib.rs"), source).unwrap();
    let build = std::process::Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--locked", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/.."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&build.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    let [recipe, part, union, last] = &errors[..] else { panic!("{said}") };
    for (error, kind) in [(recipe, "a recipe"), (part, "a recipe"), (union, "a union")] {
        let start =
            format!("error: {kind} is a JSON contract, and needs the feature `json` of `wirecontract`");
        assert!(error.starts_with(&start), "{said}");
    }
    assert!(last.starts_with("error: could not compile"), "{said}");
}

/// Words that Rust keeps for itself.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor)]
pub struct r#struct {
    #[wire(length_of = r#type)]
    r#in: u32,
    r#type: [r#enum; 4],
    #[wire(text)]
    r#fn: [u8; 4],
    #[wire(version = 1)]
    r#match: u32,
    #[wire(length_of(r#dyn, r#use))]
    r#loop: u32,
    r#dyn: [u8; 2],
    r#use: [u8; 2],
}

/// Values that are such words.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
#[allow(non_camel_case_types, reason = "the words are what is tested")]
pub enum r#enum {
    /// A word.
    #[wire(data(r#as = 1))]
    r#const = 0,
    /// Another.
    #[wire(data(r#as = 2))]
    r#move = 1,
}

#[test]
fn works_with_words_of_the_language() {
    use wirecontract::Enumeration;
    let bytes = *b"\x01\0\0\0\x01\0\0\0ab\0\0\x01\0\0\0\x01\0\0\0\x09\0\x08\0";
    let value = r#struct::from_bytes(&bytes).unwrap();
    assert_eq!((value.r#type(), value.r#fn()), ([r#enum::r#move].as_slice(), Ok("ab")));
    assert_eq!((value.r#dyn(), value.r#use()), ([9].as_slice(), [8].as_slice()));
    assert_eq!((r#struct::NAME, r#enum::r#const.name(), r#enum::r#move.r#as()), ("struct", "const", 2));
    assert_eq!(r#struct::MATCH, 1);
    let error = r#struct::from_bytes(&[0xFF; 24]).unwrap_err();
    assert_eq!((error.contract, error.field), ("struct", "match"));
}

/// Types called like what an expansion may call something of its own.
mod names {
    use wirecontract::WireContract;

    /// As the one that refuses.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, size(v1 = 8, v2 = 12), rule(more: said.number < 9))]
    pub(super) struct Grown {
        #[wire(version = 2)]
        pub version: u32,
        pub said: R,
        #[wire(since = 2, default)]
        pub more: R,
    }

    /// Within.
    #[derive(WireContract, Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, rule(small: number < 100))]
    pub(super) struct R {
        /// A number.
        pub number: u32,
    }

    /// As what is joined by `|`.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    #[wire(flags)]
    pub(super) enum T {
        /// A flag.
        One = 1,
        /// Another.
        Two = 2,
    }

    /// As a message in general.
    #[derive(WireContract, Debug, PartialEq, Eq)]
    #[wire(message)]
    pub(super) struct M {
        pub said: R,
    }

    /// As what is returned.
    #[derive(WireContract, Debug, PartialEq, Eq)]
    #[wire(message)]
    pub(super) struct Ok {
        pub said: R,
    }

    /// As the kinds.
    #[derive(WireContract, Debug, PartialEq, Eq)]
    #[repr(u32)]
    #[wire(message, tag = said.number)]
    pub(super) enum Message {
        M(M) = 1,
        Ok(Box<Ok>) = 2,
    }

    /// Documents.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    pub(super) struct E {
        pub name: String,
    }

    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(union, tag = "op")]
    pub(super) enum A {
        E(E),
        S,
    }

    #[derive(WireContract, Debug, PartialEq)]
    #[wire(message)]
    pub(super) struct S {
        pub body: E,
    }

    #[derive(WireContract, Debug, PartialEq)]
    #[wire(message, body = A)]
    pub(super) enum F {
        E(S),
        S,
    }
}

#[test]
fn works_with_types_called_like_parameters_of_the_expansion() {
    use names::{A, E, F, Grown, M, Message, Ok as Fine, R, S, T};
    use wirecontract::Message as _;

    let value = Grown { version: 2, said: R { number: 3 }, more: R { number: 4 } };
    let bytes = *b"\x02\0\0\0\x03\0\0\0\x04\0\0\0";
    assert_eq!((value.to_bytes(), Grown::from_bytes(&bytes)), (Ok(bytes), Ok(value)));
    assert_eq!((T::One | T::Two).bits(), 3);
    let read = |number: u8| Message::from_message(&[number, 0, 0, 0], Vec::new());
    assert_eq!(read(1), Ok(Message::M(M { said: R { number: 1 } })));
    assert_eq!(read(2), Ok(Message::Ok(Box::new(Fine { said: R { number: 2 } }))));
    assert_eq!(
        read(3).unwrap_err().to_string(),
        "Message.said.number at byte 0: unknown_tag: expected a tag of Message, found 3"
    );
    let body = E { name: "a".to_owned() };
    let read = F::from_message(br#"{"op":"E","name":"a"}"#, Vec::new());
    assert_eq!(read, Ok(F::E(S { body: body.clone() })));
    assert_ne!(A::E(body), A::S);
}
