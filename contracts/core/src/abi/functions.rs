//! Functions of C that may be absent, of up to 16 parameters.

use super::shape::AbiShape;
use super::types::{AbiPointee, AbiResult, AbiType};
use crate::crosses::{Crosses, cross};

macro_rules! function {
    ($($parameter:ident)*) => {
        impl<R: AbiResult, $($parameter: AbiType),*> AbiType for Option<unsafe extern "C" fn($($parameter),*) -> R> {
            const SHAPE: AbiShape = AbiShape::function(&[&R::RESULT, $(&$parameter::SHAPE),*], false);
            const ZERO: Self = None;
        }

        impl<R: AbiResult, $($parameter: AbiType),*> AbiPointee for Option<unsafe extern "C" fn($($parameter),*) -> R> {
            const POINTEE: AbiShape = Self::SHAPE;
        }

        impl<R: AbiResult, $($parameter: AbiType),*> Crosses for Option<unsafe extern "C" fn($($parameter),*) -> R> {
            type As = cross::Memory;
        }
    };
}

function!();
function!(A);
function!(A B);
function!(A B C);
function!(A B C D);
function!(A B C D E);
function!(A B C D E F);
function!(A B C D E F G);
function!(A B C D E F G H);
function!(A B C D E F G H I);
function!(A B C D E F G H I J);
function!(A B C D E F G H I J K);
function!(A B C D E F G H I J K L);
function!(A B C D E F G H I J K L M);
function!(A B C D E F G H I J K L M N);
function!(A B C D E F G H I J K L M N O);
function!(A B C D E F G H I J K L M N O P);
