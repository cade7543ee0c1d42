//! Errors that hold other errors.

/// `From` for each variant that holds an error of another kind.
macro_rules! holds {
    ($for:ident { $($error:ty: $variant:ident;)* }) => {$(
        impl From<$error> for $for {
            fn from(error: $error) -> $for {
                $for::$variant(error)
            }
        }
    )*};
}
