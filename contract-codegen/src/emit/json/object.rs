//! Objects in the order in which their keys are written.

use crate::catalog::json::Json;

/// An object under construction.
#[derive(Debug, Clone, Default)]
pub(in crate::emit) struct Object(Vec<(String, Json)>);

impl Object {
    pub(in crate::emit) fn with(mut self, key: &str, value: Json) -> Self {
        self.0.push((key.to_owned(), value));
        self
    }

    pub(in crate::emit) fn with_if(self, key: &str, value: Option<Json>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(in crate::emit) fn text(self, key: &str, text: &str) -> Self {
        self.with(key, Json::text(text))
    }

    pub(in crate::emit) fn text_if(self, key: &str, text: Option<&str>) -> Self {
        self.with_if(key, text.map(Json::text))
    }

    pub(in crate::emit) fn number(self, key: &str, number: impl Into<i128>) -> Self {
        self.with(key, Json::Integer(number.into()))
    }

    /// `true` where it is, nothing where it is not.
    pub(in crate::emit) fn flag(self, key: &str, is_set: bool) -> Self {
        self.with_if(key, is_set.then_some(Json::Bool(true)))
    }

    /// The list, unless it is empty.
    pub(in crate::emit) fn list(self, key: &str, items: Vec<Json>) -> Self {
        self.with_if(key, (!items.is_empty()).then_some(Json::Array(items)))
    }

    /// The other's members behind these.
    pub(in crate::emit) fn and(mut self, other: Object) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Members of a JSON object behind these.
    pub(in crate::emit) fn and_json(self, other: Json) -> Self {
        match other {
            Json::Object(members) => self.and(Object(members)),
            _ => self,
        }
    }

    pub(in crate::emit) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::emit) fn json(self) -> Json {
        Json::Object(self.0)
    }
}

/// Text that is there.
pub(in crate::emit) fn present(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
