//! Numbers of Vulkan that contracts of images carry, as the Vulkan specification 1.4 has them.
//!
//! They are spelled as integers. Vulkan adds values and bits: a field holds [`Open`](wirecontract::Open) of an
//! enumeration, and flags keep the bits that have no name here.

use wirecontract::WireContract;

/// `VkImageLayout`: how an image's memory is arranged at the moment.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1, as = integer)]
pub enum ImageLayout {
    /// No layout: contents are lost at the first transition.
    Undefined = 0,
    /// Any use.
    General = 1,
    /// Written as a color attachment.
    ColorAttachmentOptimal = 2,
    /// Written as depth and stencil attachment.
    DepthStencilAttachmentOptimal = 3,
    /// Read as depth and stencil attachment, or sampled.
    DepthStencilReadOnlyOptimal = 4,
    /// Sampled or read as input attachment.
    ShaderReadOnlyOptimal = 5,
    /// Source of a transfer.
    TransferSrcOptimal = 6,
    /// Destination of a transfer.
    TransferDstOptimal = 7,
    /// Written by the host before the first use.
    Preinitialized = 8,
    /// Presented by a swapchain (`VK_KHR_swapchain`).
    PresentSrcKhr = 1_000_001_002,
    /// Written by a video decoder.
    VideoDecodeDstKhr = 1_000_024_000,
    /// Read by a video decoder.
    VideoDecodeSrcKhr = 1_000_024_001,
    /// Decoded pictures that a video decoder refers to.
    VideoDecodeDpbKhr = 1_000_024_002,
    /// Presented while it is written (`VK_KHR_shared_presentable_image`).
    SharedPresentKhr = 1_000_111_000,
    /// Depth read, stencil written.
    DepthReadOnlyStencilAttachmentOptimal = 1_000_117_000,
    /// Depth written, stencil read.
    DepthAttachmentStencilReadOnlyOptimal = 1_000_117_001,
    /// Depth written.
    DepthAttachmentOptimal = 1_000_241_000,
    /// Depth read.
    DepthReadOnlyOptimal = 1_000_241_001,
    /// Stencil written.
    StencilAttachmentOptimal = 1_000_241_002,
    /// Stencil read.
    StencilReadOnlyOptimal = 1_000_241_003,
    /// Written by a video encoder.
    VideoEncodeDstKhr = 1_000_299_000,
    /// Read by a video encoder.
    VideoEncodeSrcKhr = 1_000_299_001,
    /// Encoded pictures that a video encoder refers to.
    VideoEncodeDpbKhr = 1_000_299_002,
    /// Read in any way.
    ReadOnlyOptimal = 1_000_314_000,
    /// Written as any attachment.
    AttachmentOptimal = 1_000_314_001,
}

/// `VkImageType`: the dimensions of an image.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1, as = integer)]
pub enum ImageType {
    /// One dimension.
    #[wire(name = "1d")]
    Type1d = 0,
    /// Two dimensions.
    #[wire(name = "2d")]
    Type2d = 1,
    /// Three dimensions.
    #[wire(name = "3d")]
    Type3d = 2,
}

/// `VkSampleCountFlagBits`: samples a texel.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1, as = integer)]
pub enum SampleCount {
    /// One.
    #[wire(name = "1")]
    Count1 = 1,
    /// Two.
    #[wire(name = "2")]
    Count2 = 2,
    /// Four.
    #[wire(name = "4")]
    Count4 = 4,
    /// Eight.
    #[wire(name = "8")]
    Count8 = 8,
    /// Sixteen.
    #[wire(name = "16")]
    Count16 = 16,
    /// Thirty-two.
    #[wire(name = "32")]
    Count32 = 32,
    /// Sixty-four.
    #[wire(name = "64")]
    Count64 = 64,
}

/// `VkImageTiling`: how texels lie in memory.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1, as = integer)]
pub enum ImageTiling {
    /// As the driver likes: bytes of a linear mapping are not texels.
    Optimal = 0,
    /// Row by row.
    Linear = 1,
    /// As a DRM format modifier says (`VK_EXT_image_drm_format_modifier`).
    DrmFormatModifier = 1_000_158_000,
}

/// `VkImageUsageFlagBits`: what an image may be used for. Bits without a name here are kept.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(flags, version = 1, open)]
pub enum ImageUsage {
    /// Source of a transfer.
    TransferSrc = 0x1,
    /// Destination of a transfer.
    TransferDst = 0x2,
    /// Sampled by a shader.
    Sampled = 0x4,
    /// Read and written by a shader.
    Storage = 0x8,
    /// A color attachment.
    ColorAttachment = 0x10,
    /// A depth or stencil attachment.
    DepthStencilAttachment = 0x20,
    /// An attachment whose memory may never be backed.
    TransientAttachment = 0x40,
    /// An input attachment.
    InputAttachment = 0x80,
    /// The rate at which fragments are shaded.
    FragmentShadingRateAttachment = 0x100,
    /// The density at which fragments are shaded.
    FragmentDensityMap = 0x200,
    /// Written by a video decoder.
    VideoDecodeDst = 0x400,
    /// Read by a video decoder.
    VideoDecodeSrc = 0x800,
    /// Decoded pictures that a video decoder refers to.
    VideoDecodeDpb = 0x1000,
    /// Written by a video encoder.
    VideoEncodeDst = 0x2000,
    /// Read by a video encoder.
    VideoEncodeSrc = 0x4000,
    /// Encoded pictures that a video encoder refers to.
    VideoEncodeDpb = 0x8000,
    /// An attachment that is sampled while it is rendered to.
    AttachmentFeedbackLoop = 0x8_0000,
}
