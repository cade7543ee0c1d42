//! Contracts of every form that native classes of Python have a way of their own for: `module` has the classes, and
//! `tests/python/test_native_rig.py` holds them against the pure ones.

pub mod documents;
pub mod grown;
pub mod messages;
pub mod scalars;
pub mod unions;
