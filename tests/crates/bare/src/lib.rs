//! Contracts of a program without an operating system.
//!
//! That this links says it all: with `std` there would be two panic handlers, with `alloc` no allocator.

#![no_std]
#![deny(warnings, missing_docs)]

include!("../../contracts.in");

contracts!(wirecontract);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Reads a packet and writes it again.
#[unsafe(no_mangle)]
pub extern "C" fn round_trip(bytes: &[u8; 40]) -> bool {
    use wirecontract::WireContract;
    Packet::from_bytes(bytes).is_ok_and(|packet| packet.to_bytes() == Ok(*bytes))
}
