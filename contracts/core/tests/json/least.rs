//! Limits that just one document is within: one less would not compile.

use std::collections::BTreeMap;

use wirecontract::{Flags, WireContract, WireJson};

use super::contracts::{Access, Extent, Format, Point};

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_bytes = 46, max_depth = 3)]
pub(crate) struct Tight {
    #[wire(min = 100)]
    pub(crate) n: u16,
    #[wire(max = -10, decimal_string)]
    pub(crate) s: i32,
    pub(crate) a: [[u8; 2]; 2],
    pub(crate) b: bool,
    #[wire(default = 1, skip_default)]
    pub(crate) d: u8,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_bytes = 58, max_depth = 2)]
pub(crate) struct Held {
    #[wire(hex)]
    pub(crate) extent: Extent,
    pub(crate) format: Format,
    pub(crate) access: Flags<Access>,
    pub(crate) map: BTreeMap<String, String>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", max_bytes = 17, max_depth = 1)]
pub(crate) enum Either {
    Long(Box<Tight>),
    #[wire(name = "go")]
    Go(Point),
}

fn just_within<T: WireJson>(document: &str) -> T {
    assert_eq!(document.len(), <T as WireJson>::MAX_BYTES, "{document}");
    T::from_json(document.as_bytes()).unwrap_or_else(|error| panic!("{document}: {error}"))
}

#[test]
fn limits_that_one_document_is_within_are_taken() {
    let document = r#"{"n":100,"s":"-10","a":[[0,0],[0,0]],"b":true}"#;
    let tight = just_within::<Tight>(document);
    assert_eq!(tight, Tight { n: 100, s: -10, a: [[0; 2]; 2], b: true, d: 1 });
    assert_eq!(tight.to_json().as_deref(), Ok(document));
    let held = just_within::<Held>(r#"{"extent":"45000000","format":"bgra","access":[],"map":{}}"#);
    assert_eq!((held.format, held.access.is_empty(), held.map.len()), (Format::Bgra32, true, 0));
    let either = just_within::<Either>(r#"{"op":"go","x":1}"#);
    assert_eq!(either, Either::Go(Point { x: 1, y: 0 }));
}
