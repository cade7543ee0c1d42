//! File descriptors as C has them: numbers.

use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};

use rustix::io::Errno;
use smallvec::SmallVec;
use wirecontract::Code;
use wirecontract_runtime::handoff;

use super::Error;

/// A number of the caller's as the file descriptor that it is.
///
/// # Safety
/// Where it is one, it stays open, and the same, for `'a`.
pub(crate) unsafe fn borrow<'a>(number: i32) -> Result<BorrowedFd<'a>, Error> {
    if number < 0 {
        return Err(not_open(number));
    }
    // SAFETY: it is not negative, and stays what it is, as the caller promises. Of a number that is not open nothing is
    // done but to ask the kernel, which says so.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    match rustix::io::fcntl_getfd(fd) {
        Ok(_) => Ok(fd),
        Err(_) => Err(not_open(number)),
    }
}

/// Makes a call that hands the kernel file descriptors of the caller's, and says which of them is not open where it finds
/// that. Where the call sends something ahead of them, that is looked for before it.
///
/// # Safety
/// As of [`borrow`], of each for this call.
pub(crate) unsafe fn lend<T>(
    numbers: &[i32],
    sends_ahead: bool,
    call: impl FnOnce(&[BorrowedFd<'_>]) -> Result<T, handoff::Error>,
) -> Result<T, Error> {
    // SAFETY: as the caller promises.
    let check = || numbers.iter().try_for_each(|&number| unsafe { borrow(number) }.map(drop));
    if sends_ahead || numbers.iter().any(|&number| number < 0) {
        check()?;
    }
    // SAFETY: not negative. Of a number that is not open the kernel says so, and nothing else is done with it.
    let fds = numbers.iter().map(|&number| unsafe { BorrowedFd::borrow_raw(number) });
    call(&fds.collect::<SmallVec<[_; 4]>>()).map_err(|error| match &error {
        handoff::Error::Io { source, .. } if Errno::from_io_error(source) == Some(Errno::BADF) => {
            check().err().unwrap_or_else(|| error.into())
        }
        _ => error.into(),
    })
}

/// A duplicate of a file descriptor of the caller's, closed on exec.
///
/// # Safety
/// As of [`borrow`], for this call.
pub(crate) unsafe fn duplicate(number: i32) -> Result<OwnedFd, Error> {
    // SAFETY: as the caller promises.
    let theirs = unsafe { borrow(number) }?;
    theirs.try_clone_to_owned().map_err(|error| Error::os("duplicating a file descriptor", &error))
}

/// The same of many. Where one is not open, none is left.
///
/// # Safety
/// The same of each.
pub(crate) unsafe fn duplicate_all(numbers: &[i32]) -> Result<Vec<OwnedFd>, Error> {
    // SAFETY: as the caller promises.
    numbers.iter().map(|&number| unsafe { duplicate(number) }).collect()
}

/// Makes something of a file descriptor of the caller's, which is closed where that succeeds and stays the caller's where
/// it does not: what is made has a duplicate.
///
/// # Safety
/// It is the caller's to give away, and stays open meanwhile.
pub(crate) unsafe fn adopt<T, E>(number: i32, make: impl FnOnce(OwnedFd) -> Result<T, E>) -> Result<T, Error>
where
    Error: From<E>,
{
    // SAFETY: as the caller promises.
    let result = make(unsafe { duplicate(number) }?)?;
    // SAFETY: it is open, and the caller gave it away.
    drop(unsafe { OwnedFd::from_raw_fd(number) });
    Ok(result)
}

/// File descriptors that came, each there until it is taken.
#[derive(Debug)]
pub(crate) struct Fds(Vec<Option<OwnedFd>>);

impl Fds {
    pub(crate) fn new(fds: Vec<OwnedFd>) -> Fds {
        Fds(fds.into_iter().map(Some).collect())
    }

    /// How many came.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The one of that index, once.
    pub(crate) fn take(&mut self, index: usize) -> Result<OwnedFd, Error> {
        let count = self.0.len();
        let Some(place) = self.0.get_mut(index) else {
            let message =
                format!("expected an index below {count}, as many file descriptors as came, found {index}");
            return Err(Error::new(Code::OutOfRange, message));
        };
        place.take().ok_or_else(|| {
            let message =
                format!("expected file descriptor {index} to be there, found it taken: take it once");
            Error::new(Code::BadHandle, message)
        })
    }
}

fn not_open(number: i32) -> Error {
    let message = format!("expected the number of an open file descriptor, found {number}");
    Error::new(Code::BadHandle, message)
}
