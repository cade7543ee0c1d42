//! How surfaces (pixel buffers and Vulkan textures) are registered with a service and handed to consumers: JSON
//! messages on a Unix stream socket, each behind its length in 4 bytes, big endian, at most 1 MiB; and the export
//! object that gives a texture's memory to native code.
//!
//! File descriptors ride beside the messages that carry a [`SurfaceShape`]: one for each plane (at most four), then
//! one for `produce_done` and one for `consume_done` where the message says that it has them. Every message's
//! `validate_import` is told how many came; [`RequestMessage`] and [`LookupAnswerMessage`] own them (feature `message`,
//! on Unix).
//!
//! A request keeps what its sender wrote and what it left out; [`SurfaceAnswer::of`] is what the service answers:
//! every key with its default, but for the memory type and the device, which stay absent when they were not
//! registered, because no number means "none" there.
//!
//! What a service must know and what a consumer must know differ: reading takes a surface of no size and of unknown
//! format, as the service does, and the rules of [`SurfaceAnswer`] at import are the consumer's.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(all(feature = "message", unix))]
use std::os::fd::OwnedFd;

use wirecontract::{Flags, Open, UnknownVariant, WireContract};

use crate::vulkan::{ImageLayout, ImageTiling, ImageType, ImageUsage, SampleCount};

/// The format of a pixel buffer's pixels. Read in any case, with white space around it.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case", case = fold)]
pub enum PixelBufferFormat {
    /// Not said: no consumer takes it.
    Unknown = 0,
    /// Blue, green, red, alpha, 8 bits each.
    #[wire(name = "bgra32", alias("bgra"))]
    Bgra32 = 1,
    /// Red, green, blue, alpha, 8 bits each.
    #[wire(name = "rgba32", alias("rgba"))]
    Rgba32 = 2,
    /// Alpha, red, green, blue, 8 bits each.
    #[wire(name = "argb32", alias("argb"))]
    Argb32 = 3,
    /// Red, green, blue, alpha, 16 bits each.
    #[wire(name = "rgba64")]
    Rgba64 = 4,
    /// Red, green, blue, alpha, half precision.
    #[wire(name = "rgba16_float")]
    Rgba16Float = 5,
    /// Red, green, blue, alpha, single precision.
    #[wire(name = "rgba32_float")]
    Rgba32Float = 6,
    /// Luma, then interleaved chroma at half resolution; video range.
    #[wire(name = "nv12_video_range", alias("nv12"))]
    Nv12VideoRange = 7,
    /// Luma, then interleaved chroma at half resolution; full range.
    #[wire(name = "nv12_full_range")]
    Nv12FullRange = 8,
    /// Packed 4:2:2, chroma first.
    #[wire(name = "uyvy422", alias("uyvy"))]
    Uyvy422 = 9,
    /// Packed 4:2:2, luma first.
    #[wire(name = "yuyv422", alias("yuyv"))]
    Yuyv422 = 10,
    /// Luma alone, 8 bits.
    #[wire(name = "gray8", alias("gray"))]
    Gray8 = 11,
}

/// The format of a texture's texels.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum TextureFormat {
    /// Not said: no consumer takes it.
    Unknown = 0,
    /// `VK_FORMAT_R8G8B8A8_UNORM`.
    #[wire(name = "rgba8_unorm")]
    Rgba8Unorm = 1,
    /// `VK_FORMAT_R8G8B8A8_SRGB`.
    #[wire(name = "rgba8_unorm_srgb")]
    Rgba8UnormSrgb = 2,
    /// `VK_FORMAT_B8G8R8A8_UNORM`.
    #[wire(name = "bgra8_unorm")]
    Bgra8Unorm = 3,
    /// `VK_FORMAT_B8G8R8A8_SRGB`.
    #[wire(name = "bgra8_unorm_srgb")]
    Bgra8UnormSrgb = 4,
    /// `VK_FORMAT_R16G16B16A16_SFLOAT`.
    #[wire(name = "rgba16_float")]
    Rgba16Float = 5,
    /// `VK_FORMAT_R32G32B32A32_SFLOAT`.
    #[wire(name = "rgba32_float")]
    Rgba32Float = 6,
    /// `VK_FORMAT_G8_B8R8_2PLANE_420_UNORM`.
    #[wire(name = "nv12")]
    Nv12 = 7,
}

/// What the handle of a surface's memory is.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum HandleType {
    /// A DMA-BUF: any device that knows the DRM format modifier can import it.
    DmaBuf = 0,
    /// Opaque memory of one Vulkan device: the same device and driver must import it.
    OpaqueFd = 1,
}

/// What a surface of pixels says of its format.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(format: format != Unknown), at = import)]
pub struct PixelBufferKeys {
    /// The format of its pixels.
    #[wire(default = Unknown, lenient)]
    pub format: Option<PixelBufferFormat>,
}

/// What a texture says of its format.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(format: format != Unknown), at = import)]
pub struct TextureKeys {
    /// The format of its texels.
    #[wire(default = Unknown, lenient)]
    pub format: Option<TextureFormat>,
}

/// Whether a surface is a pixel buffer or a texture: each has a vocabulary of formats of its own.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, tag = "resource_type", tag_last, lenient, rename_all = "snake_case")]
pub enum ResourceKind {
    /// A pixel buffer, whose message does not say so.
    #[wire(no_tag)]
    Implied(PixelBufferKeys),
    /// A pixel buffer.
    PixelBuffer(PixelBufferKeys),
    /// A Vulkan image.
    Texture(TextureKeys),
    /// Something that only a later version knows.
    #[wire(open)]
    Other(UnknownVariant),
}

/// Size, format and planes of a surface: what every message about one carries.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct SurfaceShape {
    /// Pixels in a row.
    #[wire(default = 0, lenient)]
    pub width: Option<u32>,
    /// Rows.
    #[wire(default = 0, lenient)]
    pub height: Option<u32>,
    /// What it is, and its format.
    #[wire(flatten)]
    pub kind: ResourceKind,
    /// What the planes' file descriptors are.
    #[wire(default = DmaBuf, lenient)]
    pub handle_type: Option<HandleType>,
    /// Bytes of each plane.
    #[wire(default = [0], max_items = 4, lenient)]
    pub plane_sizes: Option<Vec<u64>>,
    /// Bytes from the start of each plane's memory to its first row.
    #[wire(default = [0], max_items = 4, lenient)]
    pub plane_offsets: Option<Vec<u64>>,
    /// Bytes from row to row of each plane.
    #[wire(default = [0], max_items = 4, lenient)]
    pub plane_strides: Option<Vec<u64>>,
}

/// How to re-create the Vulkan image whose memory a surface is, and its synchronisation.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct ImageRecipe {
    /// The DRM format modifier of a DMA-BUF; 0 is linear, or not known.
    #[wire(default = 0, lenient)]
    pub drm_format_modifier: Option<u64>,
    /// Whether a semaphore that says "written" rides behind the planes.
    #[wire(default = false, lenient)]
    pub has_produce_done_fd: Option<bool>,
    /// Whether a semaphore that says "read" rides behind it.
    #[wire(default = false, lenient)]
    pub has_consume_done_fd: Option<bool>,
    /// The layout the image is in.
    #[wire(default = Undefined, lenient)]
    pub current_image_layout: Option<Open<ImageLayout>>,
    /// `VkImageCreateInfo::imageType`.
    #[wire(default = Type2d, lenient)]
    pub vk_image_type: Option<Open<ImageType>>,
    /// `VkImageCreateInfo::mipLevels`.
    #[wire(default = 1, lenient)]
    pub vk_image_mip_levels: Option<u32>,
    /// `VkImageCreateInfo::arrayLayers`.
    #[wire(default = 1, lenient)]
    pub vk_image_array_layers: Option<u32>,
    /// `VkImageCreateInfo::samples`.
    #[wire(default = Count1, lenient)]
    pub vk_image_samples: Option<Open<SampleCount>>,
    /// `VkImageCreateInfo::tiling`.
    #[wire(default = Optimal, lenient)]
    pub vk_image_tiling: Option<Open<ImageTiling>>,
    /// `VkImageCreateInfo::usage`.
    #[wire(default = TransferSrc | TransferDst | Sampled | Storage, lenient)]
    pub vk_image_usage: Option<Flags<ImageUsage>>,
    /// Bytes of the whole `VkDeviceMemory`; 0 is not known.
    #[wire(default = 0, lenient)]
    pub vk_image_allocation_size: Option<u64>,
    /// `VkMemoryAllocateInfo::memoryTypeIndex` of the exporter; 0 is an index like any other.
    #[wire(lenient)]
    pub vk_memory_type_index: Option<u32>,
    /// `VkPhysicalDeviceIDProperties::deviceUUID` of the exporter: another device reads garbage.
    #[wire(hex, lenient)]
    pub exporting_device_uuid: Option<[u8; 16]>,
}

/// Makes a surface known to the service.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(
    rule(
        fds: fd_count == len(shape.plane_sizes)
            + int(image.has_produce_done_fd) + int(image.has_consume_done_fd)
    ),
    at = import
)]
#[wire(rule(plane_offsets: len(shape.plane_offsets) == len(shape.plane_sizes)), at = import)]
#[wire(rule(plane_strides: len(shape.plane_strides) == len(shape.plane_sizes)), at = import)]
pub struct Registration {
    /// The name consumers ask for it by.
    pub surface_id: String,
    /// Who registers it.
    #[wire(default = "unknown", lenient)]
    pub runtime_id: Option<String>,
    /// Size, format, planes.
    #[wire(flatten, not_imported)]
    pub shape: SurfaceShape,
    /// The image.
    #[wire(flatten)]
    pub image: ImageRecipe,
}

/// Makes a surface known under a name that the service chooses.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(fds: fd_count == len(shape.plane_sizes)), at = import)]
#[wire(rule(plane_offsets: len(shape.plane_offsets) == len(shape.plane_sizes)), at = import)]
#[wire(rule(plane_strides: len(shape.plane_strides) == len(shape.plane_sizes)), at = import)]
pub struct CheckIn {
    /// Who checks it in.
    #[wire(default = "unknown", lenient)]
    pub runtime_id: Option<String>,
    /// Size, format, planes.
    #[wire(flatten, not_imported)]
    pub shape: SurfaceShape,
}

/// Names a surface.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct SurfaceName {
    /// The name it was registered under.
    pub surface_id: String,
}

/// Names a surface, and who asks.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct OwnedSurfaceName {
    /// The name it was registered under.
    pub surface_id: String,
    /// Who asks.
    #[wire(default = "unknown", lenient)]
    pub runtime_id: Option<String>,
}

/// Says in which layout an image is now.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct LayoutUpdate {
    /// The name it was registered under.
    pub surface_id: String,
    /// The layout.
    pub current_image_layout: Open<ImageLayout>,
}

/// What is asked of the service. Any of these may be answered by a [`Refusal`].
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Makes a surface known: answered by [`OutcomeAnswer`].
    Register(Box<Registration>),
    /// Makes a surface known under a name that the service chooses: answered by [`CheckInAnswer`].
    CheckIn(Box<CheckIn>),
    /// Asks for a surface: answered by [`LookupAnswer`], with its file descriptors.
    Lookup(SurfaceName),
    /// Asks for a surface and holds it while the connection lasts: answered by [`LookupAnswer`].
    CheckOut(SurfaceName),
    /// Gives back what was checked out: answered by [`ReleaseAnswer`].
    ReleaseCheckOut(SurfaceName),
    /// Makes a surface unknown: answered by [`OutcomeAnswer`].
    Unregister(OwnedSurfaceName),
    /// The same, as older clients spell it.
    Release(OwnedSurfaceName),
    /// Says in which layout an image is now: answered by [`OutcomeAnswer`].
    UpdateLayout(LayoutUpdate),
}

/// Why the service did not do what was asked.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct Refusal {
    /// The reason, for people.
    pub error: String,
}

/// Whether it was done.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct Outcome {
    /// Whether it was done.
    pub success: bool,
}

/// The name that the service chose.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct CheckedIn {
    /// The name consumers ask for it by.
    pub surface_id: String,
}

/// Whether what was checked out was given back.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct Released {
    /// Whether the service understood.
    pub success: bool,
    /// Whether the connection held a lease that now ended.
    pub released: bool,
}

/// A surface as a consumer is given it. What it lacks, a rule at import names.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(
    rule(
        fds: fd_count == len(shape.plane_sizes)
            + int(image.has_produce_done_fd) + int(image.has_consume_done_fd)
    ),
    at = import
)]
#[wire(rule(planes: len(shape.plane_sizes) > 0), at = import)]
#[wire(rule(width: shape.width > 0), at = import)]
#[wire(rule(height: shape.height > 0), at = import)]
#[wire(rule(plane_offsets: len(shape.plane_offsets) == len(shape.plane_sizes)), at = import)]
#[wire(rule(plane_strides: len(shape.plane_strides) == len(shape.plane_sizes)), at = import)]
#[wire(
    rule(
        drm_format_modifier: shape.kind != Texture || shape.handle_type != DmaBuf
            || image.drm_format_modifier != 0
    ),
    at = import
)]
#[wire(
    rule(vk_image_allocation_size: shape.kind != Texture || image.vk_image_allocation_size > 0),
    at = import
)]
#[wire(
    rule(
        vk_memory_type_index: shape.kind != Texture || shape.handle_type != OpaqueFd
            || present(image.vk_memory_type_index)
    ),
    at = import
)]
#[wire(
    rule(
        exporting_device_uuid: shape.kind != Texture || shape.handle_type != OpaqueFd
            || present(image.exporting_device_uuid)
    ),
    at = import
)]
pub struct SurfaceAnswer {
    /// The name it was registered under.
    pub surface_id: String,
    /// Size, format, planes.
    #[wire(flatten)]
    pub shape: SurfaceShape,
    /// The image.
    #[wire(flatten)]
    pub image: ImageRecipe,
}

/// The answer to `register`, `unregister`, `release` and `update_layout`.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, untagged)]
pub enum OutcomeAnswer {
    /// It was refused.
    Error(Refusal),
    /// Whether it was done.
    Outcome(Outcome),
}

/// The answer to `check_in`.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, untagged)]
pub enum CheckInAnswer {
    /// It was refused.
    Error(Refusal),
    /// The name that the service chose.
    CheckedIn(CheckedIn),
}

/// The answer to `lookup` and `check_out`.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, untagged)]
pub enum LookupAnswer {
    /// It was refused.
    Error(Refusal),
    /// The surface.
    Surface(Box<SurfaceAnswer>),
}

/// The answer to `release_check_out`.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, untagged)]
pub enum ReleaseAnswer {
    /// It was refused.
    Error(Refusal),
    /// Whether a lease ended.
    Released(Released),
}

/// A [`Registration`], with its memory.
#[cfg(all(feature = "message", unix))]
#[derive(WireContract, Debug)]
#[wire(message, version = 1)]
pub struct RegistrationMessage {
    /// What is registered.
    pub registration: Registration,
    /// The memory of each plane.
    #[wire(fds(1..=4))]
    pub planes: Vec<OwnedFd>,
    /// The timeline semaphore of its producer.
    #[wire(fd, present_if(registration.image.has_produce_done_fd))]
    pub produce_done: Option<OwnedFd>,
    /// The timeline semaphore of its consumers.
    #[wire(fd, present_if(registration.image.has_consume_done_fd))]
    pub consume_done: Option<OwnedFd>,
}

/// A [`CheckIn`], with its memory.
#[cfg(all(feature = "message", unix))]
#[derive(WireContract, Debug)]
#[wire(message, version = 1)]
pub struct CheckInMessage {
    /// What is checked in.
    pub check_in: CheckIn,
    /// The memory of each plane.
    #[wire(fds(1..=4))]
    pub planes: Vec<OwnedFd>,
}

/// A [`Request`], with what rides beside it.
#[cfg(all(feature = "message", unix))]
#[derive(WireContract, Debug)]
#[wire(message, version = 1, body = Request)]
pub enum RequestMessage {
    /// Makes a surface known.
    Register(RegistrationMessage),
    /// Makes a surface known under a name that the service chooses.
    CheckIn(CheckInMessage),
    /// Asks for a surface.
    Lookup(SurfaceName),
    /// Asks for a surface and holds it while the connection lasts.
    CheckOut(SurfaceName),
    /// Gives back what was checked out.
    ReleaseCheckOut(SurfaceName),
    /// Makes a surface unknown.
    Unregister(OwnedSurfaceName),
    /// The same, as older clients spell it.
    Release(OwnedSurfaceName),
    /// Says in which layout an image is now.
    UpdateLayout(LayoutUpdate),
}

/// A [`SurfaceAnswer`], with its memory.
#[cfg(all(feature = "message", unix))]
#[derive(WireContract, Debug)]
#[wire(message, version = 1)]
pub struct SurfaceMessage {
    /// The surface.
    pub surface: SurfaceAnswer,
    /// The memory of each plane.
    #[wire(fds(1..=4))]
    pub planes: Vec<OwnedFd>,
    /// The timeline semaphore of its producer.
    #[wire(fd, present_if(surface.image.has_produce_done_fd))]
    pub produce_done: Option<OwnedFd>,
    /// The timeline semaphore of its consumers.
    #[wire(fd, present_if(surface.image.has_consume_done_fd))]
    pub consume_done: Option<OwnedFd>,
}

/// A [`LookupAnswer`], with what rides beside it.
#[cfg(all(feature = "message", unix))]
#[derive(WireContract, Debug)]
#[wire(message, version = 1, body = LookupAnswer)]
pub enum LookupAnswerMessage {
    /// It was refused.
    Error(Refusal),
    /// The surface.
    Surface(Box<SurfaceMessage>),
}

/// A texture's memory, handed to native code of the same process or beside a message.
///
/// The importer adopts the file descriptor when it succeeds, and must not close it then; when it fails, the
/// descriptor stays the caller's, who must close it. The descriptor names the allocation and never the frame: it pins
/// the memory, also after the exporter has destroyed image and device. Of optimal tiling, a linear mapping gives
/// block-linear bytes: consume it as an image. A device of another UUID reads garbage: compare before importing.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(allocation_byte_size: allocation_byte_size > 0), at = import)]
#[wire(rule(width: width > 0), at = import)]
#[wire(rule(height: height > 0), at = import)]
#[wire(rule(format: format != Unknown), at = import)]
pub struct OpaqueFdExport {
    /// The file descriptor, freshly duplicated for the receiver.
    #[wire(min = 0)]
    pub fd: i32,
    /// Bytes of the whole `VkDeviceMemory`; never computed from width, height and format.
    pub allocation_byte_size: u64,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The format of its texels.
    pub format: TextureFormat,
    /// `VkImageCreateInfo::tiling`.
    pub vk_image_tiling: Open<ImageTiling>,
    /// `VkImageCreateInfo::usage`.
    pub vk_image_usage_flags: Flags<ImageUsage>,
    /// `VkImageCreateInfo::mipLevels`.
    #[wire(min = 1)]
    pub vk_image_mip_levels: u32,
    /// `VkImageCreateInfo::arrayLayers`.
    #[wire(min = 1)]
    pub vk_image_array_layers: u32,
    /// `VkImageCreateInfo::samples`.
    pub vk_image_samples: Open<SampleCount>,
    /// Whether the image is the only one in the memory (`VkMemoryDedicatedAllocateInfo`), which the importer must
    /// repeat.
    pub dedicated_allocation: bool,
    /// `VkMemoryAllocateInfo::memoryTypeIndex` of the exporter.
    pub vk_memory_type_index: u32,
    /// `VkPhysicalDeviceIDProperties::deviceUUID` of the exporter.
    #[wire(hex)]
    pub exporting_device_uuid: [u8; 16],
}

impl SurfaceAnswer {
    /// What the service answers of a registered surface: every key, with its default where the registration left it
    /// out; but for the memory type and the device, which stay absent.
    pub fn of(registration: Registration) -> SurfaceAnswer {
        let Registration { surface_id, shape, image, .. } = registration;
        let mut answer = SurfaceAnswer { surface_id, shape, image }.with_defaults();
        if let ResourceKind::Implied(keys) = answer.shape.kind {
            answer.shape.kind = ResourceKind::PixelBuffer(keys);
        }
        answer
    }
}
