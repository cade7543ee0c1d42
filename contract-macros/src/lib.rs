//! The derive of the `wirecontract` crate.
