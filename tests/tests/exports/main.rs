//! A library that exports functions of every form, used from C, C++ and Python as its users do: the committed artifacts,
//! the library as cargo builds it.

mod drift;
mod faults;
mod library;
mod programs;
mod python;
mod symbols;
