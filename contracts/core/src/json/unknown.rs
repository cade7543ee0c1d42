//! A variant that only a newer version of a union knows.

use alloc::string::String;

use super::object::Rest;
use super::{Json, JsonType, Key, Stop, Writer};
use crate::error::Place;
use crate::{Code, Expected, Found};

/// A tag that no variant of a union has, with what came with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownVariant {
    /// The tag.
    pub tag: String,
    /// Of an internally tagged union, the object of all members that are nobody's; of an adjacently tagged one, the
    /// content, if it is there.
    pub content: Option<Json>,
}

impl UnknownVariant {
    /// What an internally tagged union keeps.
    pub fn of_rest(tag: String, rest: Rest) -> Self {
        UnknownVariant { tag, content: Some(Json::of_compact(rest.into_object().into_bytes())) }
    }

    /// Writes the members of an internally tagged union: the tag, before or behind the others.
    pub fn write_internal(
        &self,
        writer: &mut Writer,
        tag: &'static Key,
        is_last: bool,
        known: &[&str],
    ) -> Result<(), Stop> {
        self.check_tag(writer, tag, known)?;
        if !is_last {
            self.write_tag(writer, tag);
        }
        if let Some(content) = &self.content {
            let object = content.as_str();
            match object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some("") => {}
                Some(members) => {
                    writer.has_rest = true;
                    writer.deepest = writer.deepest.max(writer.depth + content.depth() - 1);
                    writer.raw(",");
                    writer.raw(members);
                }
                None => return Err(writer.no_object(&tag.place, object)),
            }
        }
        if is_last {
            self.write_tag(writer, tag);
        }
        Ok(())
    }

    /// Writes the members of an adjacently tagged union.
    pub fn write_adjacent(
        &self,
        writer: &mut Writer,
        tag: &'static Key,
        content: &'static Key,
        is_last: bool,
        known: &[&str],
    ) -> Result<(), Stop> {
        self.check_tag(writer, tag, known)?;
        if !is_last {
            self.write_tag(writer, tag);
        }
        JsonType::put_optional(&self.content, writer, content)?;
        if is_last {
            self.write_tag(writer, tag);
        }
        Ok(())
    }

    fn write_tag(&self, writer: &mut Writer, tag: &'static Key) {
        writer.raw(tag.head);
        writer.string(&self.tag);
    }

    /// A tag that a variant has would be read as that variant.
    fn check_tag(&self, writer: &mut Writer, tag: &'static Key, known: &[&str]) -> Result<(), Stop> {
        if known.contains(&&*self.tag) {
            let start = writer.out.len();
            writer.string(&self.tag);
            let expected = Expected::Words("a tag that no variant has");
            return Err(writer.refuse_written(start, &tag.place, Code::UnknownTag, expected));
        }
        Ok(())
    }
}

impl Writer {
    #[cold]
    fn no_object(&mut self, place: &'static Place, value: &str) -> Stop {
        let found = if value.starts_with('[') { "an array" } else { value };
        self.refuse(place, Code::WrongType, Expected::Words("an object"), Found::brief(found))
    }
}
