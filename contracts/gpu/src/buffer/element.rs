//! Types of elements, to and from those of `DLPack`.

use wirecontract::Open;

use super::ElementType;
use crate::dlpack::{DLDataType, DLDataTypeCode};

impl ElementType {
    /// Bytes of no type.
    pub const UNTYPED: ElementType = ElementType { code: Open::from_raw(0), bits: 0, lanes: 0 };

    /// A type of one lane.
    pub fn new(code: DLDataTypeCode, bits: u8) -> ElementType {
        ElementType { code: code.into(), bits, lanes: 1 }
    }

    /// Whether the buffer is bytes of no type.
    pub fn is_untyped(self) -> bool {
        self == ElementType::UNTYPED
    }

    /// Bytes of one element: none of bytes of no type, and of a type that no whole bytes hold.
    pub fn bytes(self) -> Option<u64> {
        let bits = u64::from(self.bits) * u64::from(self.lanes);
        (bits > 0 && bits % 8 == 0).then_some(bits / 8)
    }
}

/// One to one: of bytes of no type, the type of no bits.
impl From<ElementType> for DLDataType {
    fn from(element: ElementType) -> DLDataType {
        DLDataType { code: element.code, bits: element.bits, lanes: element.lanes }
    }
}

/// One to one, whether an importer would take it or not.
impl From<DLDataType> for ElementType {
    fn from(element: DLDataType) -> ElementType {
        ElementType { code: element.code, bits: element.bits, lanes: element.lanes }
    }
}
