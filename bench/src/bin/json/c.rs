//! The functions of libwirecontract, called as a C program calls them: the value, its arena, and the end of both.

use std::mem::MaybeUninit;
use std::ptr;

use wirecontract_c as _;

#[repr(C)]
struct Str {
    data: *const u8,
    length: usize,
}

#[repr(C)]
struct OwnedBytes {
    data: *const u8,
    length: usize,
    id: u64,
}

/// Room for any of the structs.
#[repr(C, align(16))]
pub(crate) struct Room(MaybeUninit<[u8; 4096]>);

type FromJson = unsafe extern "C" fn(Str, *mut Room, *mut u64, *mut u8) -> i32;
type ToJson = unsafe extern "C" fn(*const Room, *mut OwnedBytes, *mut u8) -> i32;

unsafe extern "C" {
    fn wc_surface_answer_from_json(json: Str, value: *mut Room, arena: *mut u64, error: *mut u8) -> i32;
    fn wc_surface_answer_to_json(value: *const Room, json: *mut OwnedBytes, error: *mut u8) -> i32;
    fn wc_opaque_fd_export_from_json(json: Str, value: *mut Room, arena: *mut u64, error: *mut u8) -> i32;
    fn wc_opaque_fd_export_to_json(value: *const Room, json: *mut OwnedBytes, error: *mut u8) -> i32;
    fn wc_arena_free(arena: *mut u64) -> i32;
    fn wc_bytes_free(bytes: *mut OwnedBytes) -> i32;
}

/// Two functions of one contract.
pub(crate) struct Contract(FromJson, ToJson);

/// What a surface is to a consumer.
pub(crate) const ANSWER: Contract = Contract(wc_surface_answer_from_json, wc_surface_answer_to_json);
/// A texture's memory, for native code.
pub(crate) const EXPORT: Contract = Contract(wc_opaque_fd_export_from_json, wc_opaque_fd_export_to_json);

impl Contract {
    /// Reads a document and frees what it gave; the status.
    #[inline(always)]
    pub(crate) fn read(&self, document: &[u8]) -> Result<(), i32> {
        self.with(document, |_| ())
    }

    /// What is written of what was read.
    pub(crate) fn written(&self, document: &[u8]) -> Result<String, i32> {
        self.with(document, |value| {
            let mut json = OwnedBytes { data: ptr::null(), length: 0, id: 0 };
            // SAFETY: the value is of this contract, and its arena is not freed yet; no error is asked for.
            let status = unsafe { (self.1)(value, &raw mut json, ptr::null_mut()) };
            if status != 0 {
                return Err(status);
            }
            // SAFETY: a status of 0 says that so many bytes are there, until they are freed.
            let bytes = unsafe { std::slice::from_raw_parts(json.data, json.length) };
            let text = String::from_utf8_lossy(bytes).into_owned();
            // SAFETY: from the library, and not freed yet.
            unsafe { wc_bytes_free(&raw mut json) };
            Ok(text)
        })?
    }

    #[inline(always)]
    fn with<T>(&self, document: &[u8], then: impl FnOnce(&Room) -> T) -> Result<T, i32> {
        let mut value = Room(MaybeUninit::uninit());
        let mut arena = 0;
        let json = Str { data: document.as_ptr(), length: document.len() };
        // SAFETY: the text is as long as it says, the room is larger than any struct, and no error is asked for.
        let status = unsafe { (self.0)(json, &raw mut value, &raw mut arena, ptr::null_mut()) };
        if status != 0 {
            return Err(status);
        }
        let result = then(&value);
        // SAFETY: the arena is from the library, and not freed yet.
        unsafe { wc_arena_free(&raw mut arena) };
        Ok(result)
    }
}
