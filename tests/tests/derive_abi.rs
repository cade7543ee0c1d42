//! Structs of C with pointers: layouts in every data model, and the values that are all zero.

use core::ffi::{c_char, c_void};
use core::mem::offset_of;
use wirecontract::DataModel::{Ilp32U64Align4, Ilp32U64Align8, Llp64, Lp64};
use wirecontract::{AbiStruct, Contract, DataModel, Flags, Kind, Open, WireContract};

/// Where a tensor is.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[wire(enumeration)]
enum DLDeviceType {
    Cpu = 1,
    Cuda = 2,
}

/// What is said of a tensor.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[wire(flags)]
enum DLFlags {
    ReadOnly = 1,
    IsCopied = 2,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 8, llp64 = 8, ilp32_u64_4 = 8, ilp32_u64_8 = 8))]
struct DLPackVersion {
    major: u32,
    minor: u32,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
struct DLDevice {
    device_type: Open<DLDeviceType>,
    device_id: i32,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 4))]
struct DLDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, c_name = "DLTensor", size(lp64 = 48, llp64 = 48, ilp32_u64_4 = 36, ilp32_u64_8 = 40))]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: DLDataType,
    #[wire(counted_by = ndim)]
    shape: *mut i64,
    #[wire(counted_by = ndim)]
    strides: *mut i64,
    byte_offset: u64,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 64))]
struct DLManagedTensor {
    dl_tensor: DLTensor,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(self_: *mut DLManagedTensor)>,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 80, llp64 = 80, ilp32_u64_4 = 60, ilp32_u64_8 = 64))]
struct DLManagedTensorVersioned {
    version: DLPackVersion,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(self_: *mut Self)>,
    flags: Flags<DLFlags>,
    dl_tensor: DLTensor,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
struct DLPackExchangeAPIHeader {
    version: DLPackVersion,
    prev_api: *mut DLPackExchangeAPIHeader,
}

type Versioned = DLManagedTensorVersioned;

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
struct DLPackExchangeAPI {
    header: DLPackExchangeAPIHeader,
    managed_tensor_allocator: Option<
        unsafe extern "C" fn(
            prototype: *mut DLTensor,
            out: *mut *mut Versioned,
            error_ctx: *mut c_void,
            set_error: Option<
                unsafe extern "C" fn(
                    error_ctx: *mut c_void,
                    kind: *const c_char,
                    message: *const core::ffi::c_char,
                ),
            >,
        ) -> i32,
    >,
    managed_tensor_from_py_object_no_sync:
        Option<unsafe extern "C" fn(*mut c_void, *mut *mut Versioned) -> core::ffi::c_int>,
    managed_tensor_to_py_object_no_sync:
        Option<unsafe extern "C" fn(tensor: *mut Versioned, out_py: *mut *mut c_void) -> i32>,
    dltensor_from_py_object_no_sync: Option<unsafe extern "C" fn(py: *mut c_void, out: *mut DLTensor) -> i32>,
    current_work_stream:
        Option<unsafe extern "C" fn(device: Open<DLDeviceType>, id: i32, out: *mut *mut c_void) -> i32>,
}

fn offsets<T: AbiStruct>(model: DataModel) -> Vec<usize> {
    T::LAYOUT.fields.iter().map(|field| field.offset(model)).collect()
}

fn sizes<T: AbiStruct>() -> [usize; 4] {
    DataModel::ALL.map(|model| T::LAYOUT.size(model))
}

#[test]
fn dlpack_is_laid_out_as_its_own_header_is() {
    assert_eq!(offsets::<DLTensor>(Lp64), [0, 8, 16, 20, 24, 32, 40]);
    assert_eq!(offsets::<DLTensor>(Ilp32U64Align4), [0, 4, 12, 16, 20, 24, 28]);
    assert_eq!(offsets::<DLTensor>(Ilp32U64Align8), [0, 4, 12, 16, 20, 24, 32]);
    assert_eq!(offsets::<DLManagedTensor>(Lp64), [0, 48, 56]);
    assert_eq!(offsets::<DLManagedTensorVersioned>(Lp64), [0, 8, 16, 24, 32]);
    assert_eq!(offsets::<DLManagedTensorVersioned>(Ilp32U64Align4), [0, 8, 12, 16, 24]);
    assert_eq!(offsets::<DLPackExchangeAPI>(Lp64), [0, 16, 24, 32, 40, 48]);
    assert_eq!(sizes::<DLPackVersion>(), [8; 4]);
    assert_eq!(sizes::<DLDevice>(), [8; 4]);
    assert_eq!(sizes::<DLDataType>(), [4; 4]);
    assert_eq!(sizes::<DLTensor>(), [48, 48, 36, 40]);
    assert_eq!(sizes::<DLManagedTensor>(), [64, 64, 44, 48]);
    assert_eq!(sizes::<DLManagedTensorVersioned>(), [80, 80, 60, 64]);
    assert_eq!(sizes::<DLPackExchangeAPIHeader>(), [16, 16, 12, 12]);
    assert_eq!(sizes::<DLPackExchangeAPI>(), [56, 56, 32, 32]);
    assert_eq!(DLDataType::LAYOUT.aligns, [2; 4]);
    assert_eq!(DLTensor::LAYOUT.aligns, [8, 8, 4, 8]);
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 80, ilp32_u64_4 = 60))]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    #[wire(counted_by = n_buffers)]
    buffers: *mut *const c_void,
    #[wire(counted_by = n_children)]
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(array: *mut ArrowArray)>,
    private_data: *mut c_void,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 128, ilp32_u64_4 = 100))]
struct ArrowDeviceArray {
    array: ArrowArray,
    device_id: i64,
    device_type: i32,
    sync_event: *mut c_void,
    reserved: [i64; 3],
}

#[test]
fn the_c_data_interface_is_laid_out_as_arrow_says() {
    assert_eq!(offsets::<ArrowArray>(Lp64), [0, 8, 16, 24, 32, 40, 48, 56, 64, 72]);
    assert_eq!(offsets::<ArrowDeviceArray>(Lp64), [0, 80, 88, 96, 104]);
    assert_eq!(sizes::<ArrowArray>(), [80, 80, 60, 64]);
    assert_eq!(sizes::<ArrowDeviceArray>(), [128, 128, 100, 104]);
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[wire(enumeration)]
enum ImbufferFormat {
    U8 = 1,
    U16 = 2,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 40))]
struct CudaImbuffer {
    handle: i32,
    bytes: u32,
    length: u32,
    width: u32,
    height: u32,
    channels: u16,
    format: Open<ImbufferFormat>,
    #[wire(counted_by = channels)]
    wavelength: *mut u32,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 40))]
struct Imbuffer {
    #[wire(counted_by = bytes)]
    raw: *mut c_void,
    bytes: u32,
    length: u32,
    width: u32,
    height: u32,
    channels: u16,
    format: Open<ImbufferFormat>,
    #[wire(counted_by = channels)]
    wavelength: *mut u32,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 24))]
struct CudaMemView {
    device_ptr: *mut c_void,
    size: u64,
    device_ordinal: i32,
}

#[test]
fn the_sdks_structs_in_memory_are_laid_out_as_its_header_is() {
    assert_eq!(offsets::<CudaImbuffer>(Lp64), [0, 4, 8, 12, 16, 20, 24, 32]);
    assert_eq!(offsets::<Imbuffer>(Lp64), [0, 8, 12, 16, 20, 24, 28, 32]);
    assert_eq!(offsets::<CudaMemView>(Lp64), [0, 8, 16]);
    assert_eq!([sizes::<CudaImbuffer>()[0], sizes::<Imbuffer>()[0], sizes::<CudaMemView>()[0]], [40, 40, 24]);
}

mod own {
    pub(super) use core::ffi::*;
    pub(super) type Many = [[c_uchar; 3]; 2];
    pub(super) type Callback = Option<unsafe extern "C" fn(c_int) -> c_long>;
    pub(super) type Nothing = ();
}

/// Every type that a field may have.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
struct Everything {
    truth: bool,
    char_: own::c_char,
    schar: std::os::raw::c_schar,
    uchar: std::ffi::c_uchar,
    short: own::c_short,
    ushort: own::c_ushort,
    int: own::c_int,
    uint: own::c_uint,
    long: own::c_long,
    ulong: own::c_ulong,
    longlong: own::c_longlong,
    ulonglong: own::c_ulonglong,
    size: usize,
    difference: isize,
    single: f32,
    double: f64,
    small: i8,
    wide: i64,
    rows: own::Many,
    grid: [[u16; 3]; 1 + 1],
    longs: [own::c_long; 2],
    pointers: [*const own::c_char; 2],
    tensors: [DLDataType; 3],
    callback: own::Callback,
    nested: Option<
        unsafe extern "C" fn(
            a: own::Callback,
            _: Option<unsafe extern "C" fn()>,
            r#type: *mut Option<unsafe extern "C" fn(DLDevice) -> *const own::c_void>,
        ) -> own::Nothing,
    >,
    to_pointer: *const *mut *const Everything,
    to_row: *const [f32; 4],
    to_mode: *mut Open<ImbufferFormat>,
    to_flags: *const Flags<DLFlags>,
    r#use: u16,
    later: *mut Later,
}

#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
struct Later {
    earlier: *mut Everything,
    last: u8,
    spare: [u8; Self::SPARE],
    modes: [[Open<Signedness>; Self::SPARE]; 2],
}

impl Later {
    const SPARE: usize = 3;
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
#[wire(enumeration)]
enum Signedness {
    Negative = -1,
}

#[test]
fn every_type_has_the_size_that_c_gives_it() {
    let size = |name: &str| {
        let field = Everything::LAYOUT.fields.iter().find(|field| field.name == name);
        field.unwrap().sizes
    };
    assert_eq!(size("long"), [8, 4, 4, 4]);
    assert_eq!(size("ulong"), [8, 4, 4, 4]);
    assert_eq!(size("longs"), [16, 8, 8, 8]);
    assert_eq!(size("longlong"), [8; 4]);
    assert_eq!(size("int"), [4; 4]);
    assert_eq!(size("ushort"), [2; 4]);
    assert_eq!(size("size"), [8, 8, 4, 4]);
    assert_eq!(size("pointers"), [16, 16, 8, 8]);
    assert_eq!(size("grid"), [12; 4]);
    assert_eq!(size("rows"), [6; 4]);
    assert_eq!(size("tensors"), [12; 4]);
    assert_eq!(size("nested"), [8, 8, 4, 4]);
    assert_eq!(Everything::LAYOUT.aligns, [8, 8, 4, 8]);
    assert_eq!(sizes::<Later>(), [24, 24, 16, 16]);
}

#[test]
fn what_is_said_of_this_machine_is_what_the_compiler_does() {
    let model = DataModel::THIS.unwrap();
    if cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        assert_eq!(model, Lp64);
    }
    assert_eq!(Everything::LAYOUT.size(model), size_of::<Everything>());
    assert_eq!(Everything::LAYOUT.align(model), align_of::<Everything>());
    let last = Everything::LAYOUT.fields.last().unwrap();
    assert_eq!((last.name, last.offset(model)), ("later", offset_of!(Everything, later)));
    assert_eq!(last.size(model), size_of::<*mut Later>());
    assert_eq!(DataModel::ALL, [Lp64, Llp64, Ilp32U64Align4, Ilp32U64Align8]);
    assert_eq!(DataModel::ALL.map(|model| model as usize), [0, 1, 2, 3]);
}

#[test]
fn a_zeroed_struct_holds_nothing() {
    const NOTHING: DLPackExchangeAPI = DLPackExchangeAPI::ZERO;
    assert!(NOTHING.header.prev_api.is_null() && NOTHING.current_work_stream.is_none());
    let tensor = DLManagedTensorVersioned::ZERO;
    assert!(tensor.deleter.is_none() && tensor.manager_ctx.is_null() && tensor.flags.is_empty());
    assert!(tensor.dl_tensor.data.is_null() && tensor.dl_tensor.shape.is_null());
    assert_eq!(tensor.dl_tensor.device.device_type.raw(), 0);
    assert_eq!((tensor.version.major, tensor.dl_tensor.ndim, tensor.dl_tensor.byte_offset), (0, 0, 0));
    let all = Everything::ZERO;
    assert!(!all.truth && all.double.to_bits() == 0 && all.longs == [0; 2] && all.rows == [[0; 3]; 2]);
    assert!(all.pointers.iter().all(|pointer| pointer.is_null()) && all.callback.is_none());
    assert!(all.nested.is_none() && all.to_row.is_null() && all.tensors[2].lanes == 0);
}

/// What is not `Copy` in Rust is in C.
#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
struct Owner {
    inner: [Later; 2],
    held: Held,
    many: [Held; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
struct Held {
    handle: *mut c_void,
}

#[test]
fn a_struct_need_not_be_copy() {
    let owner = Owner::ZERO;
    assert!(owner.held.handle.is_null() && owner.many.iter().all(|held| held.handle.is_null()));
    assert_eq!((owner.inner[1].last, owner.inner[0].modes[1][2].raw()), (0, 0));
    assert_eq!(Signedness::Negative as i8, -1);
}

#[test]
fn an_abi_struct_is_a_contract() {
    assert_eq!((DLTensor::NAME, DLTensor::KIND), ("DLTensor", Kind::Abi));
    assert_ne!(DLTensor::WIRE_ID, DLTensor::SOURCE_ID);
    let enumeration = DLDeviceType::Cuda;
    assert_eq!(Open::from(enumeration).raw(), 2);
    assert_eq!([DLFlags::ReadOnly as u64, DLFlags::IsCopied as u64], [1, 2]);
    assert_eq!((DLDeviceType::Cpu as i32, ImbufferFormat::U8 as i32, ImbufferFormat::U16 as i32), (1, 1, 2));
}
