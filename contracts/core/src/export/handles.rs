//! Objects that other languages hold by a handle.

use core::ffi::CStr;

use super::arguments::{ByMutReference, ByReference, ByValue};
use super::call::call;
use super::fault::{Fault, aligned, not_null};
use super::forms::Form;
use super::overlap::Area;
use super::results::Given;
use super::{ExclusiveMut, ExclusiveRef, ExclusiveReserved, ExclusiveTable};
use super::{Failure, HandleFault, SharedRef, SharedReserved, SharedTable, contain};
use crate::Contract;
use crate::crosses::cross;

/// A handle as C has it: 0 is none.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CHandle {
    id: u64,
}

/// Where C has a handle, and its object, which is to be taken.
pub struct Place<R> {
    handle: *mut CHandle,
    reserved: R,
}

/// An object that one caller at a time uses.
pub trait ExclusiveHandle: Contract + Sized + 'static {
    /// Where its objects are.
    fn table() -> &'static ExclusiveTable<Self>;
}

/// An object that any number of callers use.
pub trait SharedHandle: Contract + Sized + 'static {
    /// Where its objects are.
    fn table() -> &'static SharedTable<Self>;
}

/// Met by nothing: what changing an object would need that others use meanwhile.
#[diagnostic::on_unimplemented(
    message = "`{H}` is a shared handle: other threads use it while this would change it",
    label = "no exported function takes this",
    note = "write `&self`, with a `Mutex` or an atomic in it, or declare it `#[wire(handle, exclusive)]`"
)]
pub trait SharedIsChanged<H> {}

impl<H: SharedHandle> ByMutReference<cross::Shared> for H
where
    for<'never> (): SharedIsChanged<H>,
{
    type C = CHandle;
    type Held<'a> = &'a mut H;
    const FORM: Form = Form::handle::<H>();

    unsafe fn hold<'a>(_: CHandle, _: &'static CStr) -> Result<&'a mut H, Fault>
    where
        H: 'a,
    {
        unreachable!("a bound that nothing meets")
    }
}

impl<H: ExclusiveHandle> ByMutReference<cross::Exclusive> for H {
    type C = CHandle;
    type Held<'a> = ExclusiveMut<H>;
    const FORM: Form = Form::handle::<H>().changed();

    #[inline]
    fn area(passed: &CHandle, name: &'static CStr) -> Area {
        Area::changed(passed.id, name)
    }

    #[inline]
    unsafe fn hold<'a>(passed: CHandle, name: &'static CStr) -> Result<ExclusiveMut<H>, Fault>
    where
        H: 'a,
    {
        H::table().borrow_mut(passed.id).map_err(|fault| refused::<H>(fault, name))
    }
}

macro_rules! handles {
    ($($as:ident $handle:ident $held:ident $reserved:ident;)*) => { $(
        impl<H: $handle> ByReference<cross::$as> for H {
            type C = CHandle;
            type Held<'a> = $held<H>;
            const FORM: Form = Form::handle::<H>();

            #[inline]
            fn area(passed: &CHandle, name: &'static CStr) -> Area {
                Area::used(passed.id, name)
            }

            #[inline]
            unsafe fn hold<'a>(passed: CHandle, name: &'static CStr) -> Result<$held<H>, Fault>
            where
                H: 'a,
            {
                H::table().borrow(passed.id).map_err(|fault| refused::<H>(fault, name))
            }
        }

        /// The handle behind the pointer is zero when its object was taken.
        impl<H: $handle> ByValue<cross::$as> for H {
            type C = *mut CHandle;
            type Checked = Place<$reserved<H>>;
            const FORM: Form = Form::handle::<H>().owned();

            #[inline]
            unsafe fn area(passed: &*mut CHandle, name: &'static CStr) -> Area {
                let is_place = !passed.is_null() && passed.is_aligned();
                // SAFETY: not null and aligned; that a handle is there is the caller's.
                let id = if is_place { unsafe { (**passed).id } } else { 0 };
                Area::taken(*passed, id, name)
            }

            #[inline]
            unsafe fn check(passed: *mut CHandle, name: &'static CStr) -> Result<Self::Checked, Fault> {
                not_null(passed, name, format_args!("a handle of {}", H::NAME))?;
                aligned(passed, name)?;
                // SAFETY: not null and aligned; that a handle is there is the caller's.
                let id = unsafe { (*passed).id };
                let reserved = H::table().reserve(id).map_err(|fault| refused::<H>(fault, name))?;
                Ok(Place { handle: passed, reserved })
            }

            #[inline]
            fn take(checked: Self::Checked) -> H {
                // SAFETY: `check` found a handle there, which the caller of it leaves alone.
                unsafe { (*checked.handle).id = 0 };
                checked.reserved.take()
            }
        }

        impl<H: $handle> Given<cross::$as> for H {
            type C = CHandle;
            const FORM: Form = Form::handle::<H>();

            fn give(self) -> Result<CHandle, Failure> {
                let id = H::table().insert(self).map_err(|fault| fault.failure(H::NAME))?;
                Ok(CHandle { id })
            }

            fn take_back(given: &mut CHandle) {
                let _ = H::table().destroy(given.id);
            }
        }

        impl<H: $handle> HasFunctions<cross::$as> for H {
            const IDS: [u64; 2] = [H::WIRE_ID, H::SOURCE_ID];
        }

        impl<H: $handle> Destroy<cross::$as> for H {
            fn destroy(id: u64) -> Result<(), HandleFault> {
                H::table().destroy(id)
            }
        }
    )* };
}

handles! {
    Exclusive ExclusiveHandle ExclusiveRef ExclusiveReserved;
    Shared SharedHandle SharedRef SharedReserved;
}

#[cold]
fn refused<H: Contract>(fault: HandleFault, name: &'static CStr) -> Fault {
    Fault::at(name, fault.failure(H::NAME))
}

/// A type whose functions are exported.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handle",
    label = "an exported `impl` is of a handle",
    note = "an object that only Rust looks into is one: derive `WireContract`, and mark it `#[wire(handle, exclusive)]` or `#[wire(handle, shared)]`",
    note = "of any other contract export free functions, which take it as `&{Self}`"
)]
pub trait HasFunctions<As> {
    /// Wire id and source id of the handle.
    const IDS: [u64; 2];
}

/// What a handle stands for, destroyed.
pub trait Destroy<As>: Contract {
    /// Makes the number stand for nothing.
    fn destroy(id: u64) -> Result<(), HandleFault>;
}

/// Destroys what the handle stands for, and makes it zero: nothing happens of one that is zero.
///
/// # Safety
/// `handle` is null, or a place where a handle is.
pub unsafe fn destroy<As, H: Destroy<As>>(function: &'static CStr, handle: *mut CHandle) -> i32 {
    call(function, |_| {
        not_null(handle, c"handle", format_args!("a handle of {}", H::NAME))?;
        aligned(handle, c"handle")?;
        // SAFETY: not null and aligned; the rest is the caller's.
        let handle = unsafe { &mut *handle };
        if handle.id == 0 {
            return Ok(());
        }
        // A panic of its drop leaves nothing behind that the handle stands for.
        let dropped = contain(|| Ok(H::destroy(handle.id)));
        if let Ok(refusal) = dropped {
            refusal.map_err(|fault| refused::<H>(fault, c"handle"))?;
        }
        handle.id = 0;
        dropped.map(|_| ()).map_err(|panic| Fault::at(c"", panic))
    })
}
