//! serde's derive and `serde_json`: flat structs that borrow from the document, since `flatten` would buffer every
//! value, and what serde cannot say in functions of their own.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Error;
use serde_json::value::RawValue;

use super::{
    Answer, Export, HandleType, Kind, MAX_BYTES, MAX_PLANES, PixelBufferFormat, TextureFormat, hex, unhex,
};

/// A surface as it is read.
#[derive(Deserialize)]
struct Incoming<'a> {
    surface_id: String,
    #[serde(default, deserialize_with = "some")]
    width: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    height: Option<u32>,
    #[serde(default, borrow, deserialize_with = "some")]
    format: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "text")]
    resource_type: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "some")]
    handle_type: Option<HandleType>,
    #[serde(default, deserialize_with = "some")]
    plane_sizes: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "some")]
    plane_offsets: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "some")]
    plane_strides: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "some")]
    drm_format_modifier: Option<u64>,
    #[serde(default, deserialize_with = "some")]
    has_produce_done_fd: Option<bool>,
    #[serde(default, deserialize_with = "some")]
    has_consume_done_fd: Option<bool>,
    #[serde(default, deserialize_with = "some")]
    current_image_layout: Option<i32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_type: Option<i32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_mip_levels: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_array_layers: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_samples: Option<i32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_tiling: Option<i32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_usage: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    vk_image_allocation_size: Option<u64>,
    #[serde(default, deserialize_with = "some")]
    vk_memory_type_index: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    exporting_device_uuid: Option<Uuid>,
}

/// A surface as it is written.
#[derive(Serialize)]
struct Outgoing<'a> {
    surface_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle_type: Option<HandleType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plane_sizes: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plane_offsets: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plane_strides: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drm_format_modifier: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_produce_done_fd: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_consume_done_fd: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_image_layout: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_type: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_mip_levels: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_array_layers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_samples: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_tiling: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_usage: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_image_allocation_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vk_memory_type_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exporting_device_uuid: Option<Uuid>,
}

/// A name that is written, or what is kept of a later version.
#[derive(Serialize)]
#[serde(untagged)]
enum Format<'a> {
    Name(&'static str),
    Kept(&'a RawValue),
}

/// Reads what a surface is.
#[inline(always)]
pub fn read(document: &[u8]) -> Result<Answer, Error> {
    let wire: Incoming<'_> = serde_json::from_str(text_of(document)?)?;
    let planes = [&wire.plane_sizes, &wire.plane_offsets, &wire.plane_strides];
    if planes.into_iter().flatten().any(|it| it.len() > MAX_PLANES) {
        return Err(Error::custom("too long"));
    }
    let pixels = |format: Option<&RawValue>| name(format, PixelBufferFormat::folded);
    let kind = match wire.resource_type.as_deref() {
        None => Kind::Implied(pixels(wire.format)?),
        Some("pixel_buffer") => Kind::PixelBuffer(pixels(wire.format)?),
        Some("texture") => Kind::Texture(name(wire.format, TextureFormat::named)?),
        Some(tag) => {
            Kind::Other { tag: tag.to_owned(), format: wire.format.map(|format| format.get().to_owned()) }
        }
    };
    Ok(Answer {
        surface_id: wire.surface_id,
        width: wire.width,
        height: wire.height,
        kind,
        handle_type: wire.handle_type,
        plane_sizes: wire.plane_sizes,
        plane_offsets: wire.plane_offsets,
        plane_strides: wire.plane_strides,
        drm_format_modifier: wire.drm_format_modifier,
        has_produce_done_fd: wire.has_produce_done_fd,
        has_consume_done_fd: wire.has_consume_done_fd,
        current_image_layout: wire.current_image_layout,
        vk_image_type: wire.vk_image_type,
        vk_image_mip_levels: wire.vk_image_mip_levels,
        vk_image_array_layers: wire.vk_image_array_layers,
        vk_image_samples: wire.vk_image_samples,
        vk_image_tiling: wire.vk_image_tiling,
        vk_image_usage: wire.vk_image_usage,
        vk_image_allocation_size: wire.vk_image_allocation_size,
        vk_memory_type_index: wire.vk_memory_type_index,
        exporting_device_uuid: wire.exporting_device_uuid.map(|uuid| uuid.0),
    })
}

/// Writes it.
#[inline(always)]
pub fn write(answer: &Answer) -> Result<String, Error> {
    let planes = [&answer.plane_sizes, &answer.plane_offsets, &answer.plane_strides];
    if planes.into_iter().flatten().any(|it| it.len() > MAX_PLANES) {
        return Err(<Error as serde::ser::Error>::custom("too long"));
    }
    let (format, resource_type) = match &answer.kind {
        Kind::Implied(format) => (format.map(|it| Format::Name(it.name())), None),
        Kind::PixelBuffer(format) => (format.map(|it| Format::Name(it.name())), Some("pixel_buffer")),
        Kind::Texture(format) => (format.map(|it| Format::Name(it.name())), Some("texture")),
        Kind::Other { tag, format } => {
            let kept = format.as_deref().map(serde_json::from_str).transpose()?;
            (kept.map(Format::Kept), Some(&**tag))
        }
    };
    let text = serde_json::to_string(&Outgoing {
        surface_id: &answer.surface_id,
        width: answer.width,
        height: answer.height,
        format,
        resource_type,
        handle_type: answer.handle_type,
        plane_sizes: answer.plane_sizes.as_deref(),
        plane_offsets: answer.plane_offsets.as_deref(),
        plane_strides: answer.plane_strides.as_deref(),
        drm_format_modifier: answer.drm_format_modifier,
        has_produce_done_fd: answer.has_produce_done_fd,
        has_consume_done_fd: answer.has_consume_done_fd,
        current_image_layout: answer.current_image_layout,
        vk_image_type: answer.vk_image_type,
        vk_image_mip_levels: answer.vk_image_mip_levels,
        vk_image_array_layers: answer.vk_image_array_layers,
        vk_image_samples: answer.vk_image_samples,
        vk_image_tiling: answer.vk_image_tiling,
        vk_image_usage: answer.vk_image_usage,
        vk_image_allocation_size: answer.vk_image_allocation_size,
        vk_memory_type_index: answer.vk_memory_type_index,
        exporting_device_uuid: answer.exporting_device_uuid.map(Uuid),
    })?;
    bounded(text)
}

/// An export, in both directions.
#[derive(Serialize, Deserialize)]
struct WireExport {
    fd: i32,
    allocation_byte_size: u64,
    width: u32,
    height: u32,
    format: TextureFormat,
    vk_image_tiling: i32,
    vk_image_usage_flags: u32,
    vk_image_mip_levels: u32,
    vk_image_array_layers: u32,
    vk_image_samples: i32,
    dedicated_allocation: bool,
    vk_memory_type_index: u32,
    exporting_device_uuid: Uuid,
}

/// Reads an export.
#[inline(always)]
pub fn read_export(document: &[u8]) -> Result<Export, Error> {
    let wire: WireExport = serde_json::from_str(text_of(document)?)?;
    if wire.fd < 0 || wire.vk_image_mip_levels < 1 || wire.vk_image_array_layers < 1 {
        return Err(Error::custom("out of range"));
    }
    Ok(Export {
        fd: wire.fd,
        allocation_byte_size: wire.allocation_byte_size,
        width: wire.width,
        height: wire.height,
        format: wire.format,
        vk_image_tiling: wire.vk_image_tiling,
        vk_image_usage_flags: wire.vk_image_usage_flags,
        vk_image_mip_levels: wire.vk_image_mip_levels,
        vk_image_array_layers: wire.vk_image_array_layers,
        vk_image_samples: wire.vk_image_samples,
        dedicated_allocation: wire.dedicated_allocation,
        vk_memory_type_index: wire.vk_memory_type_index,
        exporting_device_uuid: wire.exporting_device_uuid.0,
    })
}

/// Writes it.
#[inline(always)]
pub fn write_export(export: &Export) -> Result<String, Error> {
    if export.fd < 0 || export.vk_image_mip_levels < 1 || export.vk_image_array_layers < 1 {
        return Err(<Error as serde::ser::Error>::custom("out of range"));
    }
    let text = serde_json::to_string(&WireExport {
        fd: export.fd,
        allocation_byte_size: export.allocation_byte_size,
        width: export.width,
        height: export.height,
        format: export.format,
        vk_image_tiling: export.vk_image_tiling,
        vk_image_usage_flags: export.vk_image_usage_flags,
        vk_image_mip_levels: export.vk_image_mip_levels,
        vk_image_array_layers: export.vk_image_array_layers,
        vk_image_samples: export.vk_image_samples,
        dedicated_allocation: export.dedicated_allocation,
        vk_memory_type_index: export.vk_memory_type_index,
        exporting_device_uuid: Uuid(export.exporting_device_uuid),
    })?;
    bounded(text)
}

fn bounded(text: String) -> Result<String, Error> {
    if text.len() > MAX_BYTES {
        return Err(<Error as serde::ser::Error>::custom("too large"));
    }
    Ok(text)
}

fn text_of(document: &[u8]) -> Result<&str, Error> {
    if document.len() > MAX_BYTES {
        return Err(Error::custom("too large"));
    }
    std::str::from_utf8(document).map_err(Error::custom)
}

/// A value that is there: null is none.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Text, borrowed where nothing in it is escaped.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    struct Text;

    impl<'de> Visitor<'de> for Text {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }
    }

    deserializer.deserialize_str(Text).map(Some)
}

/// A format by name, which nearly always has nothing escaped in it.
fn name<T>(format: Option<&RawValue>, named: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Error> {
    let Some(format) = format else { return Ok(None) };
    let token = format.get();
    let plain = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let found = match plain {
        Some(plain) if !plain.contains('\\') => named(plain),
        _ => named(&serde_json::from_str::<String>(token)?),
    };
    found.map(Some).ok_or_else(|| Error::custom("no format of that name"))
}

/// Sixteen bytes, in hexadecimal.
struct Uuid([u8; 16]);

impl<'de> Deserialize<'de> for Uuid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named(deserializer, "16 bytes as lower-case hex", |text| unhex(text).map(Uuid))
    }
}

impl Serialize for Uuid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = hex(&self.0);
        serializer.serialize_str(std::str::from_utf8(&digits).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for HandleType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named(deserializer, "a handle type", HandleType::named)
    }
}

impl Serialize for HandleType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for TextureFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        named(deserializer, "a texture's format", TextureFormat::named)
    }
}

impl Serialize for TextureFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A value that is spelled as text.
fn named<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &'static str,
    value: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct Named<F>(&'static str, F);

    impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for Named<F> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            (self.1)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self.0))
        }
    }

    deserializer.deserialize_str(Named(expected, value))
}
