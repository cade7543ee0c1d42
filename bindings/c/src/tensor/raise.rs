//! A refusal as Python and as C are told: the exception is set, and the status says its class.

use wirecontract::export::contain;
use wirecontract::{Code, Failure};
use wirecontract_tensor::python::ExceptionKind;
use wirecontract_tensor::{CudaArrayError, ExportError, ImportError, Python};

use crate::system::Error;

/// Why a function gives nothing.
#[derive(Debug)]
pub enum Refusal {
    Export(ExportError),
    Import(ImportError),
    CudaArray(CudaArrayError),
    /// What the caller in C passed.
    Argument(ExceptionKind, Code, String),
}

impl From<ExportError> for Refusal {
    fn from(error: ExportError) -> Refusal {
        Refusal::Export(error)
    }
}

impl From<ImportError> for Refusal {
    fn from(error: ImportError) -> Refusal {
        Refusal::Import(error)
    }
}

impl From<CudaArrayError> for Refusal {
    fn from(error: CudaArrayError) -> Refusal {
        Refusal::CudaArray(error)
    }
}

impl Refusal {
    /// A pointer that may not be NULL.
    pub(super) fn null(expected: &str) -> Refusal {
        let text = format!("expected {expected}, found NULL");
        Refusal::Argument(ExceptionKind::TypeError, Code::NullArgument, text)
    }

    /// A value that is none of those there are.
    pub(super) fn value(text: String) -> Refusal {
        Refusal::Argument(ExceptionKind::ValueError, Code::OutOfRange, text)
    }

    /// What C is told, where there is no exception.
    pub(super) fn told(&self) -> Error {
        match self {
            Refusal::Export(error) => Error::new(code(error.kind()), error.to_string()),
            Refusal::Import(error) => Error::new(code(error.kind()), error.to_string()),
            Refusal::CudaArray(error) => Error::new(code(error.kind()), error.to_string()),
            Refusal::Argument(_, code, text) => Error::new(*code, text.as_str()),
        }
    }

    /// Sets the exception as well.
    fn raise(self, python: Python<'_>) -> Error {
        let told = self.told();
        match self {
            Refusal::Export(error) => error.raise(python),
            Refusal::Import(error) => error.raise(python),
            Refusal::CudaArray(error) => error.raise(python),
            Refusal::Argument(kind, _, text) => kind.raise(python, &text),
        }
        told
    }
}

/// The status of a class.
fn code(kind: ExceptionKind) -> Code {
    match kind {
        ExceptionKind::TypeError => Code::WrongType,
        ExceptionKind::ValueError => Code::OutOfRange,
        ExceptionKind::MemoryError => Code::TooLarge,
        _ => Code::Refused,
    }
}

/// Does what needs Python, and sets its exception where that fails or panics.
///
/// # Safety
/// The thread is attached, where there is a Python.
pub unsafe fn in_python<R>(function: impl FnOnce(Python<'_>) -> Result<R, Refusal>) -> Result<R, Error> {
    // SAFETY: as the caller says.
    match unsafe { Python::assume_attached() } {
        // Contained here and not by the exported function alone, since that one knows of no Python.
        Ok(python) => contain(|| Ok(function(python).map_err(|refusal| refusal.raise(python))))
            .unwrap_or_else(|panic| Err(panicked(python, &panic))),
        Err(error) => {
            // SAFETY: as the caller says; without Python it does nothing.
            unsafe { error.raise() };
            Err(Error::new(Code::Refused, error.to_string()))
        }
    }
}

/// Sets the exception of a panic.
#[cold]
fn panicked(python: Python<'_>, panic: &Failure) -> Error {
    ExceptionKind::RuntimeError.raise(python, panic.message());
    Error::new(panic.code(), panic.message())
}
