//! The members of the pure modules' enumerations and flags.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use super::layout::Scalar;
use super::pure::pure;

/// An enumeration, or flags.
pub(crate) struct Values {
    module: &'static str,
    /// The class.
    pub(crate) class: &'static str,
    /// The integer on the wire.
    pub(crate) scalar: Scalar,
    /// Of flags, the bits that have a name, where others are refused.
    pub(crate) known: Option<u64>,
    members: PyOnceLock<Members>,
}

struct Members {
    class: Py<PyType>,
    /// By number.
    members: Vec<(i128, Py<PyAny>)>,
}

impl Values {
    /// The class of a module.
    pub(crate) const fn new(
        module: &'static str,
        class: &'static str,
        scalar: Scalar,
        known: Option<u64>,
    ) -> Values {
        Values { module, class, scalar, known, members: PyOnceLock::new() }
    }

    fn members(&self, py: Python<'_>) -> PyResult<&Members> {
        self.members.get_or_try_init(py, || {
            let class = py.import(self.module)?.getattr(self.class)?.cast_into::<PyType>()?;
            let mut members = Vec::new();
            for member in class.try_iter()? {
                let member = member?;
                members.push((member.extract::<i128>()?, member.unbind()));
            }
            members.sort_unstable_by_key(|(number, _)| *number);
            Ok(Members { class: class.unbind(), members })
        })
    }

    /// The class.
    pub(crate) fn of<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        Ok(self.members(py)?.class.bind(py).clone())
    }

    /// The member of a number, if there is one.
    pub(crate) fn member<'py>(&self, py: Python<'py>, number: i128) -> PyResult<Option<Bound<'py, PyAny>>> {
        let members = &self.members(py)?.members;
        let found = members.binary_search_by_key(&number, |(number, _)| *number);
        Ok(found.ok().map(|index| members[index].1.bind(py).clone()))
    }

    /// The number of a member.
    pub(crate) fn number_of(&self, it: &Bound<'_, PyAny>) -> Option<i128> {
        let members = &self.members(it.py()).ok()?.members;
        members.iter().find(|(_, member)| member.is(it)).map(|(number, _)| *number)
    }

    /// The flags of these bits.
    pub(crate) fn flags<'py>(&self, py: Python<'py>, bits: u64) -> PyResult<Bound<'py, PyAny>> {
        match self.member(py, bits.into())? {
            Some(member) => Ok(member),
            None => pure(py)?.flag_set.bind(py).call1((self.of(py)?, bits)),
        }
    }
}
