//! Exported functions, called as C calls them: through their symbols, with whatever C may pass.

#![allow(unreachable_pub, reason = "what is exported is `pub`, and nobody else depends on this")]

mod attributes;
mod bools;
mod c;
mod callbacks;
mod drops;
mod fds;
mod forms;
mod handles;
mod library;
mod overlap;
mod refusals;
