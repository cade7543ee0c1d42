//! References to objects of an attached thread.

use core::ffi::{CStr, c_int};
use core::fmt;
use core::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{PyException, PyObject, Python};

/// A strong reference, of a thread that is attached.
pub struct Object<'py> {
    pointer: NonNull<PyObject>,
    python: Python<'py>,
}

impl Drop for Object<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the one reference that is given back, and the thread is attached.
        unsafe { (self.python.functions().Py_DecRef)(self.pointer.as_ptr()) };
    }
}

impl Clone for Object<'_> {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: the object lives, since this refers to it.
        unsafe { (self.python.functions().Py_IncRef)(self.pointer.as_ptr()) };
        Object { pointer: self.pointer, python: self.python }
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({:p})", self.pointer)
    }
}

impl<'py> Object<'py> {
    /// Takes over a reference.
    ///
    /// # Errors
    /// The exception that is set, where the pointer is NULL.
    ///
    /// # Safety
    /// The pointer is NULL with an exception set, or a strong reference that nobody else gives back.
    #[inline]
    pub unsafe fn from_owned(python: Python<'py>, pointer: *mut PyObject) -> Result<Self, PyException> {
        match NonNull::new(pointer) {
            Some(pointer) => Ok(Object { pointer, python }),
            None => Err(PyException::take(python)),
        }
    }

    /// Refers to an object that somebody else holds as well.
    ///
    /// # Panics
    /// Where the pointer is NULL.
    ///
    /// # Safety
    /// The object lives.
    #[inline]
    pub unsafe fn from_borrowed(python: Python<'py>, pointer: *mut PyObject) -> Self {
        let pointer = NonNull::new(pointer).expect("an object, not NULL");
        // SAFETY: the object lives.
        unsafe { (python.functions().Py_IncRef)(pointer.as_ptr()) };
        Object { pointer, python }
    }

    /// The pointer, as long as this is there.
    #[inline]
    pub fn as_ptr(&self) -> *mut PyObject {
        self.pointer.as_ptr()
    }

    /// The pointer, with the reference, which the caller gives back.
    #[inline]
    pub fn into_ptr(self) -> *mut PyObject {
        core::mem::ManuallyDrop::new(self).pointer.as_ptr()
    }

    /// The thread's word that it is attached.
    #[inline]
    pub fn python(&self) -> Python<'py> {
        self.python
    }

    /// Whether it is `None`.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.as_ptr() == self.python.none()
    }

    /// An attribute, where there is one.
    pub(crate) fn attribute(&self, name: &Name) -> Result<Option<Object<'py>>, PyException> {
        let mut found = ptr::null_mut();
        let name = name.get(self.python)?;
        // SAFETY: both live, and the thread is attached; what is found is a strong reference.
        unsafe {
            match (self.python.functions().optional_attribute)(self.as_ptr(), name, &raw mut found) {
                0 => Ok(None),
                _ => Object::from_owned(self.python, found).map(Some),
            }
        }
    }

    pub(crate) fn class(&self) -> Result<Object<'py>, PyException> {
        // SAFETY: the object lives, and the thread is attached.
        unsafe { Object::from_owned(self.python, (self.python.functions().PyObject_Type)(self.as_ptr())) }
    }

    /// The name of its class, for errors: of what cannot say it, `object`.
    pub(crate) fn class_name(&self) -> String {
        let name = self.class().and_then(|class| {
            // SAFETY: a type, and the thread is attached.
            unsafe {
                Object::from_owned(self.python, (self.python.functions().PyType_GetName)(class.as_ptr()))
            }
        });
        name.and_then(|name| name.text()).unwrap_or_else(|_| "object".to_owned())
    }

    /// The two integers of a tuple of just these; None of all else, which is not an error yet.
    #[inline]
    pub(crate) fn integers(&self) -> Option<(i64, i64)> {
        let functions = self.python.functions();
        // SAFETY: the object lives, and the thread is attached. Whether it is a tuple, `PyTuple_Size` looks at.
        let size = unsafe { (functions.PyTuple_Size)(self.as_ptr()) };
        if size != 2 {
            if size < 0 {
                drop(PyException::take(self.python));
            }
            return None;
        }
        let number = |at: isize| {
            let mut overflow: c_int = 0;
            // SAFETY: a tuple of two, which keeps them, and the thread is attached.
            let number = unsafe {
                let item = (functions.PyTuple_GetItem)(self.as_ptr(), at);
                (functions.PyLong_AsLongLongAndOverflow)(item, &raw mut overflow)
            };
            if number != -1 {
                return Some(number);
            }
            // SAFETY: the thread is attached.
            if unsafe { !(functions.PyErr_Occurred)().is_null() } {
                drop(PyException::take(self.python));
                return None;
            }
            (overflow == 0).then_some(number)
        };
        Some((number(0)?, number(1)?))
    }

    /// Whether it is of a class that `CPython` exports.
    pub(crate) fn is_instance(&self, class: *mut PyObject) -> bool {
        // SAFETY: both live, and the thread is attached.
        let is = unsafe { (self.python.functions().PyObject_IsInstance)(self.as_ptr(), class) };
        if is < 0 {
            drop(PyException::take(self.python));
        }
        is > 0
    }

    /// Its text, where it is one.
    pub(crate) fn text(&self) -> Result<String, PyException> {
        self.utf8().ok_or_else(|| PyException::take(self.python))
    }

    /// Its text; None with Python's exception set where it is none.
    fn utf8(&self) -> Option<String> {
        let mut length = 0;
        // SAFETY: whether it is text, the function looks at; the thread is attached.
        let bytes =
            unsafe { (self.python.functions().PyUnicode_AsUTF8AndSize)(self.as_ptr(), &raw mut length) };
        if bytes.is_null() {
            return None;
        }
        // SAFETY: so many bytes of UTF-8, which the object keeps.
        let text =
            unsafe { core::slice::from_raw_parts(bytes.cast::<u8>(), usize::try_from(length).unwrap_or(0)) };
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// `str()` of it; None where that raises, of which nothing is left.
    pub(crate) fn words(&self) -> Option<String> {
        // SAFETY: the object lives, and the thread is attached; a new reference, or NULL.
        let text = unsafe {
            let text = (self.python.functions().PyObject_Str)(self.as_ptr());
            NonNull::new(text).map(|text| Object::from_owned(self.python, text.as_ptr()))
        };
        let words = text.and_then(Result::ok).and_then(|text| text.utf8());
        if words.is_none() {
            drop(PyException::fetch(self.python));
        }
        words
    }

    /// Its number, where it is one or has `__index__`; a number beyond 64 bits is the nearest of them.
    pub(crate) fn integer(&self) -> Result<i64, PyException> {
        let functions = self.python.functions();
        // SAFETY: the object lives, and the thread is attached.
        let index = unsafe { Object::from_owned(self.python, (functions.PyNumber_Index)(self.as_ptr())) }?;
        let mut overflow: c_int = 0;
        // SAFETY: an integer, and a place for the sign of what does not fit.
        let number = unsafe { (functions.PyLong_AsLongLongAndOverflow)(index.as_ptr(), &raw mut overflow) };
        match overflow {
            0 => Ok(number),
            1 => Ok(i64::MAX),
            _ => Ok(i64::MIN),
        }
    }

    /// Its number, where it is an integer that an address can be.
    pub(crate) fn address(&self) -> Option<usize> {
        let functions = self.python.functions();
        // SAFETY: an object that lives, and the thread is attached; what is no number, or one beyond, is said by an
        // exception.
        let (address, failed) = unsafe {
            let address = (functions.PyLong_AsUnsignedLongLong)(self.as_ptr());
            (address, address == u64::MAX && !(functions.PyErr_Occurred)().is_null())
        };
        if failed {
            drop(PyException::take(self.python));
            return None;
        }
        usize::try_from(address).ok()
    }

    /// The elements, where it is a tuple.
    pub(crate) fn tuple(&self) -> Option<Vec<Object<'py>>> {
        let functions = self.python.functions();
        if !self.is_instance(functions.tuple_type) {
            return None;
        }
        // SAFETY: a tuple, whose elements it holds, and the thread is attached.
        unsafe {
            let size = (functions.PyTuple_Size)(self.as_ptr());
            Some(
                (0..size)
                    .map(|at| {
                        Object::from_borrowed(self.python, (functions.PyTuple_GetItem)(self.as_ptr(), at))
                    })
                    .collect(),
            )
        }
    }

    pub(crate) fn of_integer(python: Python<'py>, number: i64) -> Result<Object<'py>, PyException> {
        // SAFETY: the thread is attached.
        unsafe { Object::from_owned(python, (python.functions().PyLong_FromLongLong)(number)) }
    }

    pub(crate) fn of_address(python: Python<'py>, address: usize) -> Result<Object<'py>, PyException> {
        // SAFETY: the thread is attached.
        unsafe {
            Object::from_owned(python, (python.functions().PyLong_FromUnsignedLongLong)(address as u64))
        }
    }

    pub(crate) fn of_bool(python: Python<'py>, truth: bool) -> Result<Object<'py>, PyException> {
        // SAFETY: the thread is attached.
        unsafe { Object::from_owned(python, (python.functions().PyBool_FromLong)(truth.into())) }
    }

    pub(crate) fn of_text(python: Python<'py>, text: &str) -> Result<Object<'py>, PyException> {
        // A slice has at most `isize::MAX` bytes.
        let length = isize::try_from(text.len()).unwrap_or(isize::MAX);
        // SAFETY: so many bytes of UTF-8, and the thread is attached.
        unsafe {
            Object::from_owned(
                python,
                (python.functions().PyUnicode_FromStringAndSize)(text.as_ptr().cast(), length),
            )
        }
    }

    pub(crate) fn of_tuple(
        python: Python<'py>,
        elements: impl ExactSizeIterator<Item = Result<Object<'py>, PyException>>,
    ) -> Result<Object<'py>, PyException> {
        let functions = python.functions();
        let size = isize::try_from(elements.len()).unwrap_or(isize::MAX);
        // SAFETY: the thread is attached.
        let tuple = unsafe { Object::from_owned(python, (functions.PyTuple_New)(size)) }?;
        for (at, element) in (0..size).zip(elements) {
            // SAFETY: a tuple that nobody else has seen, within it; the reference moves into it, also where it fails.
            if unsafe { (functions.PyTuple_SetItem)(tuple.as_ptr(), at, element?.into_ptr()) } != 0 {
                return Err(PyException::take(python));
            }
        }
        Ok(tuple)
    }
}

/// A name of Python's, interned at first use and kept: names of programs are few.
pub(crate) struct Name {
    text: &'static CStr,
    interned: AtomicPtr<PyObject>,
}

impl Name {
    pub(crate) const fn new(text: &'static CStr) -> Name {
        Name { text, interned: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The object, which stays.
    #[inline]
    pub(crate) fn get(&self, python: Python<'_>) -> Result<*mut PyObject, PyException> {
        let interned = self.interned.load(Ordering::Acquire);
        if interned.is_null() { self.intern(python) } else { Ok(interned) }
    }

    #[cold]
    fn intern(&self, python: Python<'_>) -> Result<*mut PyObject, PyException> {
        // SAFETY: a C string, and the thread is attached.
        let made = unsafe {
            Object::from_owned(python, (python.functions().PyUnicode_InternFromString)(self.text.as_ptr()))
        }?
        .into_ptr();
        // Two threads without a GIL intern the same object: the loser's reference is kept as well.
        self.interned.store(made, Ordering::Release);
        Ok(made)
    }
}
