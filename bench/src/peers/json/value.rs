//! A reader that parses to `serde_json::Value` and walks it key by key, as services read messages whose shape they do
//! not declare.
//!
//! A second key of one name replaces the first: this reader cannot see it, and is not asked about such documents.

use serde_json::{Map, Value};

use super::{
    Answer, Export, HandleType, Kind, MAX_BYTES, MAX_PLANES, PixelBufferFormat, TextureFormat, unhex,
};

/// Reads what a surface is.
///
/// # Errors
/// The key that is missing or malformed; nothing when it is no object.
#[inline(always)]
pub fn read(document: &[u8]) -> Result<Answer, &'static str> {
    let object = object(document)?;
    let pixels = || named(&object, "format", PixelBufferFormat::folded);
    let kind = match object.get("resource_type") {
        None => Kind::Implied(pixels()?),
        Some(tag) => match tag.as_str().ok_or("resource_type")? {
            "pixel_buffer" => Kind::PixelBuffer(pixels()?),
            "texture" => Kind::Texture(named(&object, "format", TextureFormat::named)?),
            tag => Kind::Other { tag: tag.to_owned(), format: object.get("format").map(Value::to_string) },
        },
    };
    Ok(Answer {
        surface_id: name(&object, "surface_id")?,
        width: u32(&object, "width")?,
        height: u32(&object, "height")?,
        kind,
        handle_type: named(&object, "handle_type", HandleType::named)?,
        plane_sizes: planes(&object, "plane_sizes")?,
        plane_offsets: planes(&object, "plane_offsets")?,
        plane_strides: planes(&object, "plane_strides")?,
        drm_format_modifier: optional(&object, "drm_format_modifier", Value::as_u64)?,
        has_produce_done_fd: optional(&object, "has_produce_done_fd", Value::as_bool)?,
        has_consume_done_fd: optional(&object, "has_consume_done_fd", Value::as_bool)?,
        current_image_layout: i32(&object, "current_image_layout")?,
        vk_image_type: i32(&object, "vk_image_type")?,
        vk_image_mip_levels: u32(&object, "vk_image_mip_levels")?,
        vk_image_array_layers: u32(&object, "vk_image_array_layers")?,
        vk_image_samples: i32(&object, "vk_image_samples")?,
        vk_image_tiling: i32(&object, "vk_image_tiling")?,
        vk_image_usage: u32(&object, "vk_image_usage")?,
        vk_image_allocation_size: optional(&object, "vk_image_allocation_size", Value::as_u64)?,
        vk_memory_type_index: u32(&object, "vk_memory_type_index")?,
        exporting_device_uuid: named(&object, "exporting_device_uuid", unhex)?,
    })
}

/// Reads an export.
///
/// # Errors
/// As [`read`].
#[inline(always)]
pub fn read_export(document: &[u8]) -> Result<Export, &'static str> {
    let object = object(document)?;
    let fd = required(i32(&object, "fd")?, "fd")?;
    let count = |key| required(u32(&object, key)?.filter(|&count| count > 0), key);
    Ok(Export {
        fd: if fd < 0 { Err("fd")? } else { fd },
        allocation_byte_size: required(
            optional(&object, "allocation_byte_size", Value::as_u64)?,
            "allocation_byte_size",
        )?,
        width: required(u32(&object, "width")?, "width")?,
        height: required(u32(&object, "height")?, "height")?,
        format: required(named(&object, "format", TextureFormat::named)?, "format")?,
        vk_image_tiling: required(i32(&object, "vk_image_tiling")?, "vk_image_tiling")?,
        vk_image_usage_flags: required(u32(&object, "vk_image_usage_flags")?, "vk_image_usage_flags")?,
        vk_image_mip_levels: count("vk_image_mip_levels")?,
        vk_image_array_layers: count("vk_image_array_layers")?,
        vk_image_samples: required(i32(&object, "vk_image_samples")?, "vk_image_samples")?,
        dedicated_allocation: required(
            optional(&object, "dedicated_allocation", Value::as_bool)?,
            "dedicated_allocation",
        )?,
        vk_memory_type_index: required(u32(&object, "vk_memory_type_index")?, "vk_memory_type_index")?,
        exporting_device_uuid: required(
            named(&object, "exporting_device_uuid", unhex)?,
            "exporting_device_uuid",
        )?,
    })
}

type Object = Map<String, Value>;

fn object(document: &[u8]) -> Result<Object, &'static str> {
    if document.len() > MAX_BYTES {
        return Err("");
    }
    let text = std::str::from_utf8(document).map_err(|_| "")?;
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(""),
    }
}

fn required<T>(value: Option<T>, key: &'static str) -> Result<T, &'static str> {
    value.ok_or(key)
}

fn optional<T>(
    object: &Object,
    key: &'static str,
    value: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, &'static str> {
    object.get(key).map(|found| value(found).ok_or(key)).transpose()
}

fn named<T>(
    object: &Object,
    key: &'static str,
    value: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, &'static str> {
    optional(object, key, |found| value(found.as_str()?))
}

fn u32(object: &Object, key: &'static str) -> Result<Option<u32>, &'static str> {
    optional(object, key, |found| found.as_u64()?.try_into().ok())
}

fn i32(object: &Object, key: &'static str) -> Result<Option<i32>, &'static str> {
    optional(object, key, |found| found.as_i64()?.try_into().ok())
}

fn planes(object: &Object, key: &'static str) -> Result<Option<Vec<u64>>, &'static str> {
    optional(object, key, |found| {
        let items = found.as_array().filter(|items| items.len() <= MAX_PLANES)?;
        items.iter().map(Value::as_u64).collect()
    })
}

fn name(object: &Object, key: &'static str) -> Result<String, &'static str> {
    required(object.get(key).and_then(Value::as_str), key).map(str::to_owned)
}
