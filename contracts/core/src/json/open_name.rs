//! An enumeration's name from a side that may know more values than this one.

use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::Enumeration;

/// A name that should be one of `E` and may be one that only a newer version knows.
///
/// In JSON it is the name alone. Every name is accepted and kept.
#[derive(Clone)]
pub struct OpenName<E: Enumeration>(Name<E>);

#[derive(Clone)]
enum Name<E> {
    Known(E),
    Other(String),
}

impl<E: Enumeration> OpenName<E> {
    /// The value of that name, or the name, when it is of none here.
    pub fn from_name(name: &str) -> Self {
        OpenName(match E::from_name(name) {
            Some(value) => Name::Known(value),
            None => Name::Other(name.into()),
        })
    }

    /// The name as it is written.
    pub fn name(&self) -> &str {
        match &self.0 {
            Name::Known(value) => value.name(),
            Name::Other(name) => name,
        }
    }

    /// The value, when the name is of one here.
    pub fn known(&self) -> Option<E> {
        match self.0 {
            Name::Known(value) => Some(value),
            Name::Other(_) => None,
        }
    }
}

impl<E: Enumeration> From<E> for OpenName<E> {
    fn from(value: E) -> Self {
        OpenName(Name::Known(value))
    }
}

impl<E: Enumeration> PartialEq for OpenName<E> {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl<E: Enumeration> Eq for OpenName<E> {}

impl<E: Enumeration> PartialEq<E> for OpenName<E> {
    fn eq(&self, other: &E) -> bool {
        self.name() == other.name()
    }
}

impl<E: Enumeration> Hash for OpenName<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl<E: Enumeration> fmt::Debug for OpenName<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Name::Known(value) => f.write_str(value.name()),
            Name::Other(name) => write!(f, "{}({name:?})", E::NAME),
        }
    }
}
