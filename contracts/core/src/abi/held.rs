//! Contracts where they have no place, with the words that say so: impls under bounds which nothing meets, so that the
//! compiler names the bound, and in its words the way out. They are bounds of `()`, since of two bounds of one type the
//! compiler names the outer.

/// Met by nothing: what the bytes of an abi struct would need.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{S}` is an abi struct, memory that one process shares: no bytes of it are serialised",
    label = "no bytes and no JSON of this cross a process boundary",
    note = "declare what crosses as a descriptor or a recipe, and write handles and offsets where this has pointers",
    note = "to point at it inside the process, hold it in another abi struct"
)]
pub trait AbiSerialised<S> {}

/// Met by nothing: what an enum of Rust in shared memory would need.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an abi struct never holds a bare Rust enum: write `Open<{E}>`",
    label = "foreign code may write a number here that is no value of this enum",
    note = "in Rust that alone is undefined behaviour, whoever reads it"
)]
pub trait AbiEnumeration<E> {}

/// Met by nothing: what a flag of Rust in shared memory would need.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an abi struct never holds a bare Rust enum: write `Flags<{E}>`",
    label = "foreign code may write bits here that are no single flag",
    note = "in Rust that alone is undefined behaviour, whoever reads it"
)]
pub trait AbiFlags<E> {}

/// The place that an enum has in no abi struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __never_in_memory {
    ($enum:ident, $never:ident) => {
        #[automatically_derived]
        impl __wire::AbiType for $enum
        where
            for<'__never> (): __wire::$never<$enum>,
        {
            const SHAPE: __wire::AbiShape = __wire::AbiShape::REFUSED;
            const ZERO: Self = ::core::unimplemented!();
        }

        #[automatically_derived]
        impl __wire::AbiPointee for $enum
        where
            for<'__never> (): __wire::$never<$enum>,
        {
            const POINTEE: __wire::AbiShape = __wire::AbiShape::REFUSED;
        }
    };
}

/// The bytes and the JSON that an abi struct does not have.
#[doc(hidden)]
#[macro_export]
macro_rules! __never_serialised {
    ($struct:ident) => {
        #[automatically_derived]
        impl __wire::WireType for $struct
        where
            for<'__never> (): __wire::AbiSerialised<$struct>,
        {
            const SHAPE: __wire::Shape = __wire::Shape::refused();
            type View<'a> = ();
            type Slice<'a> = ();

            fn validate<R: __wire::Refuse>(
                _: &[u8],
                _: __wire::Endian,
                _: __wire::At,
            ) -> ::core::result::Result<(), R> {
                ::core::unimplemented!()
            }

            fn decode(_: &[u8], _: __wire::Endian) -> Self {
                ::core::unimplemented!()
            }

            fn encode(&self, _: &mut [u8], _: __wire::Endian) {
                ::core::unimplemented!()
            }

            fn view_of(_: &[u8], _: __wire::Endian) {
                ::core::unimplemented!()
            }

            fn slice_of(_: &[u8], _: __wire::Endian) {
                ::core::unimplemented!()
            }
        }

        $crate::__never_json!($struct);
    };
}

/// The JSON that an abi struct does not have.
#[cfg(feature = "json")]
#[doc(hidden)]
#[macro_export]
macro_rules! __never_json {
    ($struct:ident) => {
        #[automatically_derived]
        impl __wire::JsonType for $struct
        where
            for<'__never> (): __wire::AbiSerialised<$struct>,
        {
            const SHAPE: __wire::JsonShape = __wire::JsonShape::JSON;

            fn read(
                _: &mut __wire::Reader<'_>,
                _: &'static __wire::Place,
                _: &__wire::Bounds,
            ) -> ::core::result::Result<Self, __wire::Stop> {
                ::core::unimplemented!()
            }

            fn write(
                &self,
                _: &mut __wire::Writer,
                _: &'static __wire::Place,
                _: &__wire::Bounds,
            ) -> ::core::result::Result<(), __wire::Stop> {
                ::core::unimplemented!()
            }
        }
    };
}

/// Nothing: the feature `json` is off.
#[cfg(not(feature = "json"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __never_json {
    ($struct:ident) => {};
}
