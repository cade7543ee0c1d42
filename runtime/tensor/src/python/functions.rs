//! `CPython`'s functions, found in the process that Python runs in: nothing is linked, so that one build serves every
//! version, and a program without Python can hold this crate and be told that there is none.

use core::ffi::{CStr, c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void};
use core::{fmt, ptr};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::PyObject;

/// No Python runs in this process, or one that lacks a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPython {
    /// The function that was not found.
    pub symbol: &'static str,
}

impl fmt::Display for NotPython {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected CPython 3.11 or newer in this process, found no `{}`: call this from an extension module, or load \
             libpython with RTLD_GLOBAL before",
            self.symbol
        )
    }
}

impl std::error::Error for NotPython {}

type Object = *mut PyObject;
type Destructor = Option<unsafe extern "C" fn(Object)>;

/// The address of a symbol of this process.
fn address(symbol: &CStr) -> *mut c_void {
    // SAFETY: a C string, and a name that only says where to look.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) }
}

/// A struct of functions and data of `CPython`, each under the name of its symbol.
macro_rules! table {
    (
        functions { $( $function:ident($($argument:ty),*) $(-> $result:ty)?; )* }
        exceptions { $( $exception:ident; )* }
        objects { $( $object:ident: $symbol:ident; )* }
    ) => {
        /// What is called of `CPython`. All of it is exported since 3.11.
        #[allow(non_snake_case, reason = "the names are CPython's")]
        pub(crate) struct Functions {
            $( pub(crate) $function: unsafe extern "C" fn($($argument),*) $(-> $result)?, )*
            $( pub(crate) $exception: *mut Object, )*
            $( pub(crate) $object: Object, )*
            /// A thread that comes too late may be ended in it, which unwinds it.
            pub(crate) ensure_attached: unsafe extern "C-unwind" fn() -> c_int,
            /// `PyObject_GetOptionalAttr`, which was `_PyObject_LookupAttr` before 3.13: 0 where there is no attribute,
            /// without an exception.
            pub(crate) optional_attribute: unsafe extern "C" fn(Object, Object, *mut Object) -> c_int,
            /// `Py_IsFinalizing`, which had an underscore before 3.13.
            pub(crate) is_finalizing: unsafe extern "C" fn() -> c_int,
            /// `PyThreadState_GetUnchecked`, which was `_PyThreadState_UncheckedGet` before 3.13.
            pub(crate) current_thread_state: unsafe extern "C" fn() -> *mut c_void,
            /// The main interpreter, once it was asked for: it is the same as long as Python runs.
            pub(crate) main_interpreter: AtomicPtr<c_void>,
            /// Whether the above is of this thread, as it is since 3.12, or of whichever thread holds the lock.
            pub(crate) thread_state_is_of_this_thread: bool,
        }

        impl Functions {
            #[cold]
            fn find() -> Result<Functions, NotPython> {
                // SAFETY: each is the function or the object of this name, declared as CPython's headers have it; a
                // pointer to a function is as large as one to data wherever there is `dlsym`.
                unsafe {
                    Ok(Functions {
                        $( $function: core::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($argument),*) $(-> $result)?,
                        >(symbol(stringify!($function), concat!(stringify!($function), "\0"))?), )*
                        $( $exception: symbol(stringify!($exception), concat!(stringify!($exception), "\0"))?.cast(), )*
                        $( $object: symbol(stringify!($symbol), concat!(stringify!($symbol), "\0"))?.cast(), )*
                        ensure_attached: core::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C-unwind" fn() -> c_int,
                        >(symbol("PyGILState_Ensure", "PyGILState_Ensure\0")?),
                        optional_attribute: core::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn(Object, Object, *mut Object) -> c_int,
                        >(either(
                            "PyObject_GetOptionalAttr",
                            c"PyObject_GetOptionalAttr",
                            c"_PyObject_LookupAttr",
                        )?),
                        is_finalizing: core::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(
                            either("Py_IsFinalizing", c"Py_IsFinalizing", c"_Py_IsFinalizing")?,
                        ),
                        current_thread_state: core::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn() -> *mut c_void,
                        >(either(
                            "PyThreadState_GetUnchecked",
                            c"PyThreadState_GetUnchecked",
                            c"_PyThreadState_UncheckedGet",
                        )?),
                        main_interpreter: AtomicPtr::new(core::ptr::null_mut()),
                        thread_state_is_of_this_thread:
                            *symbol("Py_Version", "Py_Version\0")?.cast::<c_ulong>() >= 0x030c_0000,
                    })
                }
            }
        }
    };
}

table! {
    functions {
        Py_IncRef(Object);
        Py_DecRef(Object);
        Py_IsInitialized() -> c_int;
        PyGILState_Release(c_int);
        PyGILState_GetThisThreadState() -> *mut c_void;
        PyInterpreterState_Get() -> *mut c_void;
        PyInterpreterState_Main() -> *mut c_void;
        PyErr_Occurred() -> Object;
        PyErr_SetString(Object, *const c_char);
        PyErr_Fetch(*mut Object, *mut Object, *mut Object);
        PyErr_NormalizeException(*mut Object, *mut Object, *mut Object);
        PyErr_Restore(Object, Object, Object);
        PyErr_GivenExceptionMatches(Object, Object) -> c_int;
        PyException_GetTraceback(Object) -> Object;
        PyException_SetTraceback(Object, Object) -> c_int;
        PyObject_Type(Object) -> Object;
        PyObject_Str(Object) -> Object;
        PyObject_IsInstance(Object, Object) -> c_int;
        PyObject_Vectorcall(Object, *const Object, usize, Object) -> Object;
        PyType_GetName(Object) -> Object;
        PyNumber_Index(Object) -> Object;
        PyLong_FromLongLong(c_longlong) -> Object;
        PyLong_FromUnsignedLongLong(c_ulonglong) -> Object;
        PyLong_AsLongLongAndOverflow(Object, *mut c_int) -> c_longlong;
        PyLong_AsUnsignedLongLong(Object) -> c_ulonglong;
        PyBool_FromLong(c_long) -> Object;
        PyUnicode_InternFromString(*const c_char) -> Object;
        PyUnicode_FromStringAndSize(*const c_char, isize) -> Object;
        PyUnicode_AsUTF8AndSize(Object, *mut isize) -> *const c_char;
        PyTuple_New(isize) -> Object;
        PyTuple_Size(Object) -> isize;
        PyTuple_GetItem(Object, isize) -> Object;
        PyTuple_SetItem(Object, isize, Object) -> c_int;
        PyDict_New() -> Object;
        PyDict_SetItem(Object, Object, Object) -> c_int;
        PyDict_GetItemWithError(Object, Object) -> Object;
        PyCapsule_New(*mut c_void, *const c_char, Destructor) -> Object;
        PyCapsule_GetName(Object) -> *const c_char;
        PyCapsule_GetPointer(Object, *const c_char) -> *mut c_void;
        PyCapsule_IsValid(Object, *const c_char) -> c_int;
        PyCapsule_SetName(Object, *const c_char) -> c_int;
    }
    exceptions {
        PyExc_AttributeError;
        PyExc_BufferError;
        PyExc_MemoryError;
        PyExc_RuntimeError;
        PyExc_TypeError;
        PyExc_ValueError;
    }
    objects {
        none: _Py_NoneStruct;
        yes: _Py_TrueStruct;
        no: _Py_FalseStruct;
        tuple_type: PyTuple_Type;
        dict_type: PyDict_Type;
        unicode_type: PyUnicode_Type;
        capsule_type: PyCapsule_Type;
    }
}

// SAFETY: addresses of functions and of objects that live as long as Python does, and are written by nobody.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// `name`, which ends with a NUL.
fn symbol(said: &'static str, name: &'static str) -> Result<*mut c_void, NotPython> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).map_err(|_| NotPython { symbol: said })?;
    let found = address(name);
    if found.is_null() { Err(NotPython { symbol: said }) } else { Ok(found) }
}

fn either(said: &'static str, newer: &CStr, older: &CStr) -> Result<*mut c_void, NotPython> {
    match [address(newer), address(older)].into_iter().find(|found| !found.is_null()) {
        Some(found) => Ok(found),
        None => Err(NotPython { symbol: said }),
    }
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

impl Functions {
    /// Runs what may call Python's code, and keeps the exception that is on its way from it. The thread is attached.
    #[inline]
    pub(crate) fn undisturbed<R>(&self, function: impl FnOnce() -> R) -> R {
        // SAFETY: the thread is attached.
        if unsafe { (self.PyErr_Occurred)() }.is_null() {
            return function();
        }
        let (mut class, mut value, mut traceback) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: three places, and as above; what is fetched is given back.
        unsafe {
            (self.PyErr_Fetch)(&raw mut class, &raw mut value, &raw mut traceback);
            let result = function();
            (self.PyErr_Restore)(class, value, traceback);
            result
        }
    }

    /// The functions of this process's Python, looked up once: a failure is not kept, since Python may come later.
    #[inline]
    pub(crate) fn get() -> Result<&'static Functions, NotPython> {
        match FUNCTIONS.get() {
            Some(functions) => Ok(functions),
            None => Self::first(),
        }
    }

    #[cold]
    fn first() -> Result<&'static Functions, NotPython> {
        let functions = Functions::find()?;
        Ok(FUNCTIONS.get_or_init(|| functions))
    }

    /// Whether the attached thread is of the main interpreter.
    ///
    /// # Safety
    /// The thread is attached.
    #[inline]
    pub(crate) unsafe fn is_in_main(&self) -> bool {
        // SAFETY: an attached thread has an interpreter.
        let here = unsafe { (self.PyInterpreterState_Get)() };
        here == self.main_interpreter.load(Ordering::Relaxed) || {
            // SAFETY: Python runs. One that is started anew may have another.
            let main = unsafe { (self.PyInterpreterState_Main)() };
            self.main_interpreter.store(main, Ordering::Relaxed);
            here == main
        }
    }

    /// Whether this thread may touch objects, which is asked where nobody promised it.
    #[inline]
    pub(crate) fn is_attached(&self) -> bool {
        // SAFETY: both may be called by any thread while Python is there, and it stays loaded.
        unsafe {
            let current = (self.current_thread_state)();
            !current.is_null()
                && (self.thread_state_is_of_this_thread || current == (self.PyGILState_GetThisThreadState)())
        }
    }

    /// Whether Python has begun to end, or has not begun: no thread may attach itself any more, or yet.
    pub(crate) fn is_gone(&self) -> bool {
        // SAFETY: both may be called by any thread, at any time.
        unsafe { (self.Py_IsInitialized)() == 0 || (self.is_finalizing)() != 0 }
    }
}
