//! Wire contracts of GPU and camera SDKs.
#![no_std]
