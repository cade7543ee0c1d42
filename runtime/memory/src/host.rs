//! Host memory that several processes map.
