//! Names of a user's own that the expansion of a recipe or a union might take for its own, or for those of the standard
//! library.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code, missing_docs, unreachable_pub, reason = "names that only have to be there")]

use wirecontract::{WireContract, WireJson};

/// Fields called as what an expansion has beside them.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, rule(len(r#type) < 9 && fd_count < 9 && offset < 9), rule(fd_count < 9), at = import)]
pub struct Fields {
    pub fields: u32,
    pub reader: u32,
    #[wire(default = 1)]
    pub object: u32,
    #[wire(default = 1)]
    pub index: Option<u32>,
    pub writer: Option<u32>,
    #[wire(default = "v")]
    pub value: Option<String>,
    #[wire(default = 3, skip_default)]
    pub default: u32,
    pub fd_count: u32,
    #[wire(default = 3)]
    pub offset: Option<u8>,
    #[wire(default = [1])]
    pub r#type: Option<Vec<u8>>,
    pub f0: Option<Inner>,
    #[wire(flatten)]
    pub key: Inner,
    pub read: Option<u8>,
    #[wire(required_if(fields == 7))]
    pub fill: Option<u8>,
    pub __wire: Option<u8>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Inner {
    #[wire(default = None)]
    pub none: Option<Kind>,
}

/// Values called as what the prelude has.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Kind {
    None = 0,
    Some = 1,
    Ok = 2,
}

/// Variants called so too.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "None", tag_default = Ok)]
pub enum Variants {
    None,
    Some(Inner),
    Ok(Box<Inner>),
    Nowhere,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "tag", content = "content", rule(variant != Err))]
pub enum Contents {
    #[wire(default = 1)]
    Ok(u8),
    #[wire(default = "e")]
    Err(String),
    V0,
}

#[test]
fn fields_may_be_called_as_what_an_expansion_has() {
    let document = r#"{"fields":1,"reader":2,"object":1,"fd_count":3,"none":"Ok"}"#;
    let value = Fields::from_json(document.as_bytes()).unwrap();
    assert_eq!((value.index(), value.value(), value.offset(), value.r#type()), (1, "v", 3, &[1][..]));
    assert_eq!(value.key.none(), Kind::Ok);
    assert_eq!(value.to_json().as_deref(), Ok(document));
    assert_eq!(value.validate_import(3), Ok(()));
    assert!(value.with_defaults().to_json().unwrap().contains(r#""type":[1]"#));
}

#[test]
fn variants_may_be_called_as_what_the_prelude_has() {
    assert_eq!(Variants::from_json(b"{}"), Ok(Variants::Ok(Box::new(Inner { none: None }))));
    assert_eq!(Variants::Nowhere.to_json().as_deref(), Ok(r#"{"None":"Nowhere"}"#));
    assert_eq!(Contents::from_json(br#"{"tag":"Ok"}"#), Ok(Contents::Ok(1)));
    assert!(Contents::from_json(br#"{"tag":"Err"}"#).is_err());
}

mod types {
    //! Types and modules called as those of the standard library and of wirecontract.

    use wirecontract::WireJson as _;

    pub mod core {}
    pub mod std {}
    pub mod alloc {}
    pub mod wirecontract_macros {}

    pub struct Copy;
    pub struct Clone;
    pub struct Default;
    pub struct From;
    pub type Box = ();
    pub type Members = ();
    pub type JsonType = ();

    #[derive(::wirecontract::WireContract)]
    #[wire(recipe)]
    pub struct Key {
        pub a: ::std::option::Option<::std::string::String>,
        #[wire(default = [1])]
        pub b: ::std::option::Option<::std::vec::Vec<u8>>,
    }

    #[derive(::wirecontract::WireContract)]
    #[wire(recipe)]
    pub struct Stop {
        #[wire(flatten)]
        pub key: Key,
    }

    #[derive(::wirecontract::WireContract)]
    #[wire(union, tag = "tag")]
    pub enum Tag {
        Option(Stop),
        Result(Key),
        Ok,
    }

    #[derive(::wirecontract::WireContract)]
    #[wire(recipe)]
    pub struct Option {
        pub tag: Tag,
        #[wire(flatten)]
        pub result: Tag2,
    }

    #[derive(::wirecontract::WireContract)]
    #[wire(union, tag = "tag2", content = "String")]
    pub enum Tag2 {
        String(::std::string::String),
        Vec(::std::vec::Vec<Key>),
    }

    pub type String = ();
    pub type Vec = ();
    pub type Result = ();

    #[test]
    fn types_may_be_called_as_those_of_the_standard_library() {
        let document = r#"{"tag":{"tag":"Option","a":"x"},"tag2":"Vec","String":[{}]}"#;
        let value = Option::from_json(document.as_bytes()).unwrap();
        assert_eq!(value.to_json().as_deref(), ::std::result::Result::Ok(document));
    }
}

mod visibility {
    //! Types that are seen less widely than the contract that holds them.

    use wirecontract::{WireContract, WireJson as _};

    #[derive(WireContract)]
    #[wire(recipe)]
    struct Private {
        a: u32,
    }

    #[derive(WireContract)]
    #[wire(recipe)]
    pub struct Public {
        #[wire(flatten)]
        private: Private,
        many: Vec<Private>,
    }

    #[test]
    fn a_contract_may_hold_what_only_its_module_sees() {
        let value = Public::from_json(br#"{"a":1,"many":[{"a":2}]}"#).unwrap();
        assert_eq!((value.private.a, value.many[0].a), (1, 2));
    }
}
