//! `DLPack` 1.3, the struct in which array libraries hand tensors to each other inside one process, under its own C names.
//!
//! Source: the header `dlpack/dlpack.h` of version 1.3, against which the tests compare every size, offset and number.
//! A tensor belongs to who made it until its `deleter` is called, which is done exactly once, by the consumer, on any
//! thread. Strides count elements, not bytes. `since` counts minor versions.

pub mod shape;

use core::ffi::{c_char, c_int, c_void};

use wirecontract::{Flags, Open, WireContract};

/// The version of the struct that follows it. Of another major version nothing but the deleter may be touched; of
/// another minor version the layout is the same, and there may be device types and type codes that are not known.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(abi, c_name = "DLPackVersion", size(lp64 = 8, llp64 = 8, ilp32_u64_4 = 8, ilp32_u64_8 = 8))]
pub struct DLPackVersion {
    /// Changes when the layout does.
    pub major: u32,
    /// Changes when device types or type codes are added.
    pub minor: u32,
}

impl DLPackVersion {
    /// The version that these declarations are of.
    pub const CURRENT: DLPackVersion = DLPackVersion { major: 1, minor: 3 };
}

/// Where memory is. Minor versions add to the list.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, as = integer, c_name = "DLDeviceType")]
pub enum DLDeviceType {
    /// Host memory.
    #[wire(c_name = "kDLCPU")]
    Cpu = 1,
    /// Memory of a CUDA device.
    #[wire(c_name = "kDLCUDA")]
    Cuda = 2,
    /// Pinned host memory from `cudaMallocHost`.
    #[wire(c_name = "kDLCUDAHost")]
    CudaHost = 3,
    /// An `OpenCL` buffer; the data pointer is a `cl_mem`.
    #[wire(c_name = "kDLOpenCL")]
    OpenCl = 4,
    /// A Vulkan buffer.
    #[wire(c_name = "kDLVulkan")]
    Vulkan = 7,
    /// A Metal buffer.
    #[wire(c_name = "kDLMetal")]
    Metal = 8,
    /// A buffer of a Verilog simulator.
    #[wire(c_name = "kDLVPI")]
    Vpi = 9,
    /// Memory of an AMD device.
    #[wire(c_name = "kDLROCM")]
    Rocm = 10,
    /// Pinned host memory from `hipHostMalloc`.
    #[wire(c_name = "kDLROCMHost")]
    RocmHost = 11,
    /// A device for experiments, whose meaning its implementation says.
    #[wire(c_name = "kDLExtDev")]
    ExtDev = 12,
    /// Memory from `cudaMallocManaged`.
    #[wire(c_name = "kDLCUDAManaged")]
    CudaManaged = 13,
    /// Unified shared memory of `oneAPI`; its runtime says which kind.
    #[wire(c_name = "kDLOneAPI")]
    OneApi = 14,
    /// A `WebGPU` buffer.
    #[wire(c_name = "kDLWebGPU")]
    WebGpu = 15,
    /// A Hexagon signal processor.
    #[wire(c_name = "kDLHexagon")]
    Hexagon = 16,
    /// A MAIA accelerator.
    #[wire(c_name = "kDLMAIA")]
    Maia = 17,
    /// A Trainium accelerator.
    #[wire(c_name = "kDLTrn", since = 2)]
    Trn = 18,
}

/// A device.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(abi, c_name = "DLDevice", size(lp64 = 8, llp64 = 8, ilp32_u64_4 = 8, ilp32_u64_8 = 8))]
pub struct DLDevice {
    /// Its type, which may be one of a later minor version.
    pub device_type: Open<DLDeviceType>,
    /// Its number among those of the type; 0 of host, pinned and managed memory.
    pub device_id: i32,
}

/// What an element is, beside its number of bits. Minor versions add to the list.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(enumeration, as = integer, c_name = "DLDataTypeCode")]
pub enum DLDataTypeCode {
    /// A signed integer.
    #[wire(c_name = "kDLInt")]
    Int = 0,
    /// An unsigned integer.
    #[wire(c_name = "kDLUInt")]
    UInt = 1,
    /// An IEEE 754 float.
    #[wire(c_name = "kDLFloat")]
    Float = 2,
    /// A handle of which the libraries agree otherwise.
    #[wire(c_name = "kDLOpaqueHandle")]
    OpaqueHandle = 3,
    /// A bfloat16.
    #[wire(c_name = "kDLBfloat")]
    Bfloat = 4,
    /// A complex number: two floats, of half the bits each.
    #[wire(c_name = "kDLComplex")]
    Complex = 5,
    /// A bool, in 8 bits.
    #[wire(c_name = "kDLBool")]
    Bool = 6,
    /// An 8-bit float: 3 bits of exponent, 4 of mantissa.
    #[wire(c_name = "kDLFloat8_e3m4", since = 1)]
    Float8E3m4 = 7,
    /// An 8-bit float: 4 bits of exponent, 3 of mantissa, with infinities.
    #[wire(c_name = "kDLFloat8_e4m3", since = 1)]
    Float8E4m3 = 8,
    /// An 8-bit float: bias 11, finite, one zero.
    #[wire(c_name = "kDLFloat8_e4m3b11fnuz", since = 1)]
    Float8E4m3b11fnuz = 9,
    /// An 8-bit float: 4 bits of exponent, 3 of mantissa, finite.
    #[wire(c_name = "kDLFloat8_e4m3fn", since = 1)]
    Float8E4m3fn = 10,
    /// An 8-bit float: 4 bits of exponent, 3 of mantissa, finite, one zero.
    #[wire(c_name = "kDLFloat8_e4m3fnuz", since = 1)]
    Float8E4m3fnuz = 11,
    /// An 8-bit float: 5 bits of exponent, 2 of mantissa.
    #[wire(c_name = "kDLFloat8_e5m2", since = 1)]
    Float8E5m2 = 12,
    /// An 8-bit float: 5 bits of exponent, 2 of mantissa, finite, one zero.
    #[wire(c_name = "kDLFloat8_e5m2fnuz", since = 1)]
    Float8E5m2fnuz = 13,
    /// A scale: 8 bits of exponent, nothing else.
    #[wire(c_name = "kDLFloat8_e8m0fnu", since = 1)]
    Float8E8m0fnu = 14,
    /// A 6-bit float: 2 bits of exponent, 3 of mantissa.
    #[wire(c_name = "kDLFloat6_e2m3fn", since = 1)]
    Float6E2m3fn = 15,
    /// A 6-bit float: 3 bits of exponent, 2 of mantissa.
    #[wire(c_name = "kDLFloat6_e3m2fn", since = 1)]
    Float6E3m2fn = 16,
    /// A 4-bit float: 2 bits of exponent, 1 of mantissa.
    #[wire(c_name = "kDLFloat4_e2m1fn", since = 1)]
    Float4E2m1fn = 17,
}

/// The type of an element, in the machine's byte order.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(abi, c_name = "DLDataType", size(lp64 = 4, llp64 = 4, ilp32_u64_4 = 4, ilp32_u64_8 = 4))]
pub struct DLDataType {
    /// What it is, which may be a code of a later minor version.
    pub code: Open<DLDataTypeCode>,
    /// Bits of one lane. Types of fewer than 8 bits are packed, lowest bits first, unless the tensor's flags say other.
    pub bits: u8,
    /// Lanes of a vector type; 1 otherwise.
    pub lanes: u16,
}

/// A tensor that belongs to somebody else.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, c_name = "DLTensor", size(lp64 = 48, llp64 = 48, ilp32_u64_4 = 36, ilp32_u64_8 = 40))]
pub struct DLTensor {
    /// The memory, on the device; NULL where the tensor has no elements. What it points to begins `byte_offset` bytes
    /// behind it.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// Number of dimensions; not below 0.
    pub ndim: i32,
    /// The type of an element.
    pub dtype: DLDataType,
    /// Elements in each dimension; may be NULL where there are no dimensions.
    #[wire(counted_by = ndim)]
    pub shape: *mut i64,
    /// Elements from one index to the next in each dimension. Before version 1.2 NULL says row-major without gaps;
    /// since then it may be NULL only where there are no dimensions.
    #[wire(counted_by = ndim)]
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor with its deleter, as it was before version 1.0. It cannot say that it is read-only.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, c_name = "DLManagedTensor", size(lp64 = 64, llp64 = 64, ilp32_u64_4 = 44, ilp32_u64_8 = 48))]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The producer's own; may be NULL.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor and frees the struct itself. Some consumers do not look whether it is NULL.
    pub deleter: Option<unsafe extern "C" fn(self_: *mut DLManagedTensor)>,
}

/// What a tensor's producer says of it.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[wire(flags, open, c_name = "DLPackFlags")]
pub enum DLPackFlags {
    /// The memory must not be written to.
    #[wire(c_name = "DLPACK_FLAG_BITMASK_READ_ONLY")]
    ReadOnly = 1 << 0,
    /// The producer made the tensor as a copy, which is the consumer's alone until it calls the deleter.
    #[wire(c_name = "DLPACK_FLAG_BITMASK_IS_COPIED")]
    IsCopied = 1 << 1,
    /// Elements of fewer than 8 bits are padded to bytes, and not packed.
    #[wire(c_name = "DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED", since = 1)]
    IsSubbyteTypePadded = 1 << 2,
}

/// A tensor with its version, flags and deleter.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(
    abi,
    c_name = "DLManagedTensorVersioned",
    size(lp64 = 80, llp64 = 80, ilp32_u64_4 = 60, ilp32_u64_8 = 64)
)]
pub struct DLManagedTensorVersioned {
    /// The version it is laid out by. Of another major version only `deleter` may be used.
    pub version: DLPackVersion,
    /// The producer's own; may be NULL.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor and frees the struct itself. Some consumers do not look whether it is NULL.
    pub deleter: Option<unsafe extern "C" fn(self_: *mut DLManagedTensorVersioned)>,
    /// What the producer says of it.
    pub flags: Flags<DLPackFlags>,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// The part of an exchange table that stays as it is in every version.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(
    abi,
    c_name = "DLPackExchangeAPIHeader",
    since = 2,
    size(lp64 = 16, llp64 = 16, ilp32_u64_4 = 12, ilp32_u64_8 = 12)
)]
pub struct DLPackExchangeApiHeader {
    /// The version of the table: of another major version, look at `prev_api`.
    pub version: DLPackVersion,
    /// A table of an older version, or NULL.
    pub prev_api: *mut DLPackExchangeApiHeader,
}

/// The functions by which a library exchanges tensors without a call of Python. A capsule of the name
/// `dlpack_exchange_api` that holds a pointer to it is the attribute `__dlpack_c_exchange_api__` of the tensor's type; it
/// lives as long as the process. Each function returns 0, or -1 with an error set, never unwinds, and synchronises with no
/// stream. Python's own lock is held where a Python object is passed.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(
    abi,
    c_name = "DLPackExchangeAPI",
    since = 2,
    size(lp64 = 56, llp64 = 56, ilp32_u64_4 = 32, ilp32_u64_8 = 32)
)]
pub struct DLPackExchangeApi {
    /// Version and older tables.
    pub header: DLPackExchangeApiHeader,
    /// Makes a new tensor of the prototype's type, shape and device; required. An error is told to `set_error`.
    #[wire(c_type = "DLPackManagedTensorAllocator")]
    pub managed_tensor_allocator: Option<
        unsafe extern "C" fn(
            prototype: *mut DLTensor,
            out: *mut *mut DLManagedTensorVersioned,
            error_ctx: *mut c_void,
            set_error: Option<
                unsafe extern "C" fn(error_ctx: *mut c_void, kind: *const c_char, message: *const c_char),
            >,
        ) -> c_int,
    >,
    /// Exports a Python object, which is of the type that the table was found on; required.
    #[wire(c_type = "DLPackManagedTensorFromPyObjectNoSync")]
    pub managed_tensor_from_py_object_no_sync: Option<
        unsafe extern "C" fn(py_object: *mut c_void, out: *mut *mut DLManagedTensorVersioned) -> c_int,
    >,
    /// Makes a Python object of a tensor, which it takes over; required.
    #[wire(c_type = "DLPackManagedTensorToPyObjectNoSync")]
    pub managed_tensor_to_py_object_no_sync: Option<
        unsafe extern "C" fn(tensor: *mut DLManagedTensorVersioned, out_py_object: *mut *mut c_void) -> c_int,
    >,
    /// Describes a Python object's tensor, which stays the object's and is good until control returns; may be NULL.
    #[wire(c_type = "DLPackDLTensorFromPyObjectNoSync")]
    pub dltensor_from_py_object_no_sync:
        Option<unsafe extern "C" fn(py_object: *mut c_void, out: *mut DLTensor) -> c_int>,
    /// The stream on which the library works at present; required. May give NULL for host memory.
    #[wire(c_type = "DLPackCurrentWorkStream")]
    pub current_work_stream: Option<
        unsafe extern "C" fn(
            device_type: Open<DLDeviceType>,
            device_id: i32,
            out_current_stream: *mut *mut c_void,
        ) -> c_int,
    >,
}
