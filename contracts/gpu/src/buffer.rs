//! The project's own descriptor of memory that crosses processes, and the words by which a producer lends it.
//!
//! A [`SharedBuffer`] says what the memory is, where in its allocation the buffer lies, and what tensor is in it; the
//! file descriptor that some kinds need rides beside the message and is never named in it, since its number means
//! nothing in another process. Little endian. The sizes come from another process: nothing may rest on them before
//! `validate_import` said that they fit, and of a tensor with strides nothing before [`SharedBuffer::geometry`] did.
//!
//! [`ProducerMessage`] and [`ConsumerMessage`] are JSON documents on a channel that says hello first. A producer offers
//! a buffer under the number of a lease; from the offer on the consumer holds it, until one of these ends it:
//!
//! | what happens | who tells | what the other side does |
//! |---|---|---|
//! | the consumer lets go | `release`, answered by `ended` (`released`) | the producer may use the memory anew |
//! | the consumer cannot use it | `refused`; nothing is answered | the lease is over |
//! | the producer wants it back | `revoke` | the consumer unmaps, then `release` |
//! | the producer waits no longer | `ended` (`revoked`, `timed_out`) | the consumer does as `memory` says |
//! | the consumer's socket closes, or it dies | the kernel | all its leases are over |
//! | the producer's socket closes, or it dies | the kernel | all its leases are over (`peer_closed`, `peer_died`); whether mapped memory may still be touched, `outlives_exporter` of its kind says |
//!
//! Of what a dead process cannot say, the one that remains makes an [`EndReason`] itself.

mod access;
mod convert;
mod element;
mod geometry;
#[cfg(feature = "lease")]
mod lease;

#[cfg(feature = "lease")]
use alloc::{string::String, vec::Vec};

use wirecontract::{Flags, Open, WireContract};

pub use crate::dlpack::DLDataTypeCode;
pub use convert::{FromCuvis, Losses, Lost, NotConvertible, ToCuvis};
pub use geometry::{Geometry, GeometryError};
#[cfg(feature = "lease")]
pub use lease::OfferError;

/// The mechanism that shares the memory.
///
/// `fds` is how many file descriptors ride beside the descriptor. The sender keeps its own and may close it as soon as
/// the message is sent; the receiver owns the one that it is given. `device_memory` says that the memory is reached
/// through a device's driver: it need not be mapped by the host at all. `outlives_exporter` says that memory which is
/// imported already stays as it is when the exporter frees it or dies; without it the memory must not be touched then,
/// by no kernel and no copy that still waits. `handle_bytes` and `pointer_bytes` are how many bytes of `handle` and of
/// `pointer` there must be.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum BufferKind {
    /// Host memory: a memfd, which importers map. Sealed against shrinking, or an importer could be killed by a bus
    /// error; of a read-only buffer, sealed against writing as well.
    #[wire(data(
        fds = 1,
        device_memory = false,
        outlives_exporter = true,
        handle_bytes = 0,
        pointer_bytes = 0
    ))]
    HostMemfd = 1,
    /// A CUDA allocation as `cuIpcGetMemHandle` exports it. It cannot be opened in the process that exported it, and
    /// importers close it before the exporter frees it.
    #[wire(data(
        fds = 0,
        device_memory = true,
        outlives_exporter = false,
        handle_bytes = 64,
        pointer_bytes = 0
    ))]
    CudaLegacy = 2,
    /// An allocation of a CUDA memory pool: the file descriptor is the pool's
    /// (`cuMemPoolExportToShareableHandle`), `pointer` the allocation's. Importers free it before the exporter does.
    #[wire(data(
        fds = 1,
        device_memory = true,
        outlives_exporter = false,
        handle_bytes = 0,
        pointer_bytes = 64
    ))]
    CudaPool = 3,
    /// An allocation of `cuMemCreate`, exported as a file descriptor. Importers map all of it.
    #[wire(data(
        fds = 1,
        device_memory = true,
        outlives_exporter = false,
        handle_bytes = 0,
        pointer_bytes = 0
    ))]
    CudaVmm = 4,
    /// An allocation of `cuMemCreate`, exported as a handle that other nodes of a fabric can import.
    #[wire(data(
        fds = 0,
        device_memory = true,
        outlives_exporter = false,
        handle_bytes = 64,
        pointer_bytes = 0
    ))]
    CudaFabric = 5,
    /// A DMA-BUF, in which the buffer is linear. What exports it may be no device of CUDA's or Vulkan's, and has no
    /// UUID then.
    #[wire(data(
        fds = 1,
        device_memory = true,
        outlives_exporter = true,
        handle_bytes = 0,
        pointer_bytes = 0
    ))]
    DmaBuf = 6,
    /// A `VkDeviceMemory` of a buffer, exported as `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`: device and driver of
    /// the importer must be the exporter's. The file descriptor moves to the driver when an import succeeds.
    #[wire(data(
        fds = 1,
        device_memory = true,
        outlives_exporter = true,
        handle_bytes = 0,
        pointer_bytes = 0
    ))]
    VulkanOpaqueFd = 7,
}

/// What else is so of a buffer.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(flags, version = 1)]
pub enum BufferFlag {
    /// Importers do not write. Of host memory the kernel holds them to it, of device memory nothing does.
    ReadOnly = 1,
    /// The Vulkan buffer is the only one in its memory (`VkMemoryDedicatedAllocateInfo`), which importers repeat.
    DedicatedAllocation = 2,
}

/// A process, told from a later one of the same number. What it says of itself: what the kernel says of a peer
/// (`SO_PEERCRED`, a pidfd) is what to rely on.
#[derive(WireContract, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 24)]
pub struct ProcessIdentity {
    /// Its number in its own PID namespace; 0 when it is not said.
    pub pid: u64,
    /// Clock ticks from the machine's start to the process's: field 22 of `/proc/PID/stat`; 0 when it is not said.
    pub start_time: u64,
    /// The inode of `/proc/self/ns/pid`: numbers of two namespaces are not compared; 0 when it is not said.
    pub pid_namespace: u64,
}

/// The type of an element, as `DLDataType` has it, byte for byte. All zero says that the buffer is bytes of no type.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 4)]
#[wire(rule(complete: bits > 0 && lanes > 0 || code == Int && bits == 0 && lanes == 0), at = import)]
#[wire(rule(whole_bytes: bits * lanes % 8 == 0), at = import)]
pub struct ElementType {
    /// What it is, which may be a code of a later `DLPack`.
    pub code: Open<DLDataTypeCode>,
    /// Bits of one lane. Of types of fewer than 8 bits, as many lanes are one element as fill bytes.
    pub bits: u8,
    /// Lanes of a vector type; 1 otherwise.
    pub lanes: u16,
}

/// A buffer that another process exports: how to import its memory, and the tensor in it.
///
/// The buffer is `size` bytes of an allocation, which importers map as a whole. A tensor's element of index 0 begins
/// `byte_offset` bytes behind the buffer's start. What has no bytes cannot be mapped, so that a tensor without elements
/// is in a buffer with bytes, or in none.
///
/// Of a tensor with `strides` the rules say nothing but that there is one for each dimension: in Rust
/// `SharedBuffer::geometry` finds which bytes it spans, elsewhere the importer does.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 448))]
#[wire(rule(within_allocation: offset + size <= allocation_size), at = import)]
#[wire(rule(not_empty: size > 0), at = import)]
#[wire(rule(handle: len(handle) == handle_bytes(kind)), at = import)]
#[wire(rule(pointer: len(pointer) == pointer_bytes(kind)), at = import)]
#[wire(
    rule(device_uuid:
        len(device_uuid) == 16 * int(device_memory(kind)) || kind == DmaBuf && len(device_uuid) == 0
    ),
    at = import
)]
#[wire(rule(driver_uuid: len(driver_uuid) == 16 * int(kind == VulkanOpaqueFd)), at = import)]
#[wire(
    rule(dedicated: !has(flags, DedicatedAllocation) || kind == VulkanOpaqueFd || kind == DmaBuf),
    at = import
)]
#[wire(rule(untyped: element.bits > 0 || len(shape) == 0 && byte_offset == 0), at = import)]
#[wire(rule(strides: len(strides) == 0 || len(strides) == len(shape)), at = import)]
#[wire(rule(extents: len(shape) == 0 || least(shape) >= 0), at = import)]
#[wire(
    rule(tensor_within_buffer:
        len(strides) > 0
            || byte_offset + product(shape) * (element.bits * element.lanes / 8) <= size
    ),
    at = import
)]
pub struct SharedBuffer {
    /// `WCSB`.
    #[wire(magic = b"WCSB")]
    pub magic: [u8; 4],
    /// The version of the descriptor.
    #[wire(version = 1)]
    pub version: u32,
    /// The mechanism that shares the memory.
    pub kind: BufferKind,
    /// What else is so of it.
    pub flags: Flags<BufferFlag>,
    /// Bytes of the buffer.
    pub size: u64,
    /// Bytes of the allocation: the whole memfd, `cuMemCreate` size or `VkDeviceMemory`, never computed from `size`.
    pub allocation_size: u64,
    /// Bytes from the start of the allocation to the buffer.
    pub offset: u64,
    /// Bytes from the start of the buffer to the tensor's element of index 0, behind which negative strides reach back.
    pub byte_offset: u64,
    /// A number that the exporter gives to no other buffer, so that one at a re-used address is told from the one that
    /// was there; 0 when it is not said.
    pub buffer_id: u64,
    /// The process that exported it.
    pub exporter: ProcessIdentity,
    /// Bytes of `device_uuid`: 16, or 0 of memory of no device.
    #[wire(length_of = device_uuid)]
    pub device_uuid_len: u32,
    /// Bytes of `driver_uuid`: 16 of `VulkanOpaqueFd`, 0 otherwise.
    #[wire(length_of = driver_uuid)]
    pub driver_uuid_len: u32,
    /// The device that holds it (`CUuuid`, `VkPhysicalDeviceIDProperties::deviceUUID`): another one reads garbage.
    pub device_uuid: [u8; 16],
    /// `VkPhysicalDeviceIDProperties::driverUUID`.
    pub driver_uuid: [u8; 16],
    /// `VkMemoryAllocateInfo::memoryTypeIndex` of the exporter, of `VulkanOpaqueFd`. 0 is an index like any other.
    #[wire(one_of(kind: VulkanOpaqueFd, at = import))]
    pub memory_type_index: u32,
    /// `VkBufferCreateInfo::usage`, of `VulkanOpaqueFd`: an importer of a dedicated allocation creates its buffer alike.
    #[wire(one_of(kind: VulkanOpaqueFd, at = import))]
    pub buffer_usage: u32,
    /// Bytes of `handle`.
    #[wire(length_of = handle)]
    pub handle_len: u32,
    /// Bytes of `pointer`.
    #[wire(length_of = pointer)]
    pub pointer_len: u32,
    /// The `CUipcMemHandle` or `CUmemFabricHandle`. It owns nothing: the allocation stays the exporter's.
    pub handle: [u8; 64],
    /// The `CUmemPoolPtrExportData`. It owns nothing either.
    pub pointer: [u8; 64],
    /// The type of an element.
    pub element: ElementType,
    /// Dimensions of the tensor, at most 8: how many extents `shape` has.
    #[wire(length_of = shape)]
    pub rank: u32,
    /// How many strides are said: 0 of a tensor in row-major order without gaps, or else `rank`.
    #[wire(length_of = strides)]
    pub strides_len: u32,
    /// Not used.
    #[wire(reserved)]
    pub _pad: u32,
    /// Elements in each dimension, none of them negative.
    pub shape: [i64; 8],
    /// Elements, not bytes, from one index to the next in each dimension: negative ones go back, and 0 repeats.
    pub strides: [i64; 8],
    /// For later versions.
    #[wire(reserved)]
    pub _reserved: [u64; 5],
}

/// Lends a buffer. The producer sends it, with the file descriptors of the buffer's kind, and keeps the memory as it is
/// until the lease is over.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(fds: fd_count == fds), at = import)]
pub struct Offer {
    /// The producer's number for the lease, used once on a channel.
    #[wire(decimal_string)]
    pub lease_id: u64,
    /// The bytes of a [`SharedBuffer`], of a version that both sides speak.
    #[wire(base64, max_len = 4096)]
    pub buffer: Vec<u8>,
    /// How many file descriptors ride beside the message.
    #[wire(max = 253)]
    pub fds: u32,
}

/// Names a lease.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(no_fds: fd_count == 0), at = import)]
pub struct LeaseName {
    /// The producer's number for the lease.
    #[wire(decimal_string)]
    pub lease_id: u64,
}

/// Says that an offer could not be used, and why; what came with it is closed.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(no_fds: fd_count == 0), at = import)]
pub struct OfferRefusal {
    /// The producer's number for the lease.
    #[wire(decimal_string)]
    pub lease_id: u64,
    /// The number of a code of `WireContract`, such as 10, `rule_violated`.
    #[wire(min = 1)]
    pub code: i32,
    /// The reason, for people.
    #[wire(max_len = 1024)]
    pub message: String,
}

/// Why a lease is over.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum EndReason {
    /// The consumer gave the buffer back.
    Released = 1,
    /// The producer took it back, and did not wait.
    Revoked = 2,
    /// The other side closed the channel.
    PeerClosed = 3,
    /// The other side's process is gone.
    PeerDied = 4,
    /// The other side did not answer in time.
    TimedOut = 5,
}

/// What may be done with memory whose lease is over and that is still mapped.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum MemoryAfter {
    /// It may be read until it is unmapped, and may be written anew by the producer meanwhile.
    Stays = 1,
    /// It must not be touched: what still waits to touch it is waited for or called off, then it is unmapped.
    Gone = 2,
}

/// Says that a lease is over. The producer sends it, once, and nothing of that lease behind it.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(given_back: reason != Released || memory == Gone))]
#[wire(rule(no_fds: fd_count == 0), at = import)]
pub struct LeaseEnd {
    /// The producer's number for the lease.
    #[wire(decimal_string)]
    pub lease_id: u64,
    /// Why.
    pub reason: EndReason,
    /// What may be done with the memory where it is still mapped: of what was given back, nothing.
    pub memory: MemoryAfter,
}

/// Asks whether the other side is there, or says so.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(no_fds: fd_count == 0), at = import)]
pub struct Ping {
    /// A number of the side that asks, which the answer repeats.
    #[wire(decimal_string)]
    pub sequence: u64,
}

/// What a producer says to a consumer.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, tag = "op", rename_all = "snake_case")]
pub enum ProducerMessage {
    /// Lends a buffer: answered by `taken` or `refused`.
    Offer(Offer),
    /// Asks for a buffer back: answered by `release`, before which the lease is not over.
    Revoke(LeaseName),
    /// Says that a lease is over: of one that was released, the answer.
    Ended(LeaseEnd),
    /// Asks whether the consumer is there: answered by `pong`.
    Ping(Ping),
    /// Answers a `ping`.
    Pong(Ping),
}

/// What a consumer says to a producer.
#[cfg(feature = "lease")]
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, tag = "op", rename_all = "snake_case")]
pub enum ConsumerMessage {
    /// Says that the buffer of an offer is imported.
    Taken(LeaseName),
    /// Says that an offer could not be used: the lease is over.
    Refused(OfferRefusal),
    /// Gives a buffer back, which is unmapped and is not touched any more: answered by `ended`.
    Release(LeaseName),
    /// Asks whether the producer is there: answered by `pong`.
    Ping(Ping),
    /// Answers a `ping`.
    Pong(Ping),
}
