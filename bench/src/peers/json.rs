//! Readers and writers of two JSON messages of `wirecontract_gpu::texture`, as strict as the contracts: what a surface
//! is to a consumer, whose keys are optional and whose format is spelled by what it is; and an export, whose keys are
//! all required.

pub mod serde;
pub mod value;

/// The least of JSON that the contract says of its documents.
pub const MAX_BYTES: usize = 1 << 20;
/// The most planes of a surface.
pub const MAX_PLANES: usize = 4;

/// What a surface is to a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Answer {
    pub surface_id: String,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub kind: Kind,
    pub handle_type: Option<HandleType>,
    pub plane_sizes: Option<Vec<u64>>,
    pub plane_offsets: Option<Vec<u64>>,
    pub plane_strides: Option<Vec<u64>>,
    pub drm_format_modifier: Option<u64>,
    pub has_produce_done_fd: Option<bool>,
    pub has_consume_done_fd: Option<bool>,
    pub current_image_layout: Option<i32>,
    pub vk_image_type: Option<i32>,
    pub vk_image_mip_levels: Option<u32>,
    pub vk_image_array_layers: Option<u32>,
    pub vk_image_samples: Option<i32>,
    pub vk_image_tiling: Option<i32>,
    pub vk_image_usage: Option<u32>,
    pub vk_image_allocation_size: Option<u64>,
    pub vk_memory_type_index: Option<u32>,
    pub exporting_device_uuid: Option<[u8; 16]>,
}

/// What it is, and its format in the words of what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Implied(Option<PixelBufferFormat>),
    PixelBuffer(Option<PixelBufferFormat>),
    Texture(Option<TextureFormat>),
    Other { tag: String, format: Option<String> },
}

/// A texture's memory, for native code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Export {
    pub fd: i32,
    pub allocation_byte_size: u64,
    pub width: u32,
    pub height: u32,
    pub format: TextureFormat,
    pub vk_image_tiling: i32,
    pub vk_image_usage_flags: u32,
    pub vk_image_mip_levels: u32,
    pub vk_image_array_layers: u32,
    pub vk_image_samples: i32,
    pub dedicated_allocation: bool,
    pub vk_memory_type_index: u32,
    pub exporting_device_uuid: [u8; 16],
}

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($value:ident = $text:literal $(| $alias:literal)*),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum $name { $($value),* }

        impl $name {
            /// The value of a name.
            #[inline]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($text $(| $alias)* => Some(Self::$value),)*
                    _ => None,
                }
            }

            /// The name it is written with.
            #[inline]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text),*
                }
            }
        }
    };
}

names! {
    /// Of a pixel buffer.
    PixelBufferFormat {
        Unknown = "unknown",
        Bgra32 = "bgra32" | "bgra",
        Rgba32 = "rgba32" | "rgba",
        Argb32 = "argb32" | "argb",
        Rgba64 = "rgba64",
        Rgba16Float = "rgba16_float",
        Rgba32Float = "rgba32_float",
        Nv12VideoRange = "nv12_video_range" | "nv12",
        Nv12FullRange = "nv12_full_range",
        Uyvy422 = "uyvy422" | "uyvy",
        Yuyv422 = "yuyv422" | "yuyv",
        Gray8 = "gray8" | "gray",
    }
}

names! {
    /// Of a texture.
    TextureFormat {
        Unknown = "unknown",
        Rgba8Unorm = "rgba8_unorm",
        Rgba8UnormSrgb = "rgba8_unorm_srgb",
        Bgra8Unorm = "bgra8_unorm",
        Bgra8UnormSrgb = "bgra8_unorm_srgb",
        Rgba16Float = "rgba16_float",
        Rgba32Float = "rgba32_float",
        Nv12 = "nv12",
    }
}

names! {
    /// Of a surface's memory.
    HandleType { DmaBuf = "dma_buf", OpaqueFd = "opaque_fd" }
}

impl PixelBufferFormat {
    /// The value of a name in any case, with white space around it: the plain spelling first.
    #[inline]
    pub fn folded(name: &str) -> Option<Self> {
        Self::named(name).or_else(|| Self::named(&name.trim_ascii().to_ascii_lowercase()))
    }
}

/// Sixteen bytes of lower-case hexadecimal.
#[inline]
pub fn unhex(text: &str) -> Option<[u8; 16]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let digits: &[u8; 32] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// The digits of sixteen bytes.
#[inline]
pub fn hex(bytes: &[u8; 16]) -> [u8; 32] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0; 32];
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    digits
}
