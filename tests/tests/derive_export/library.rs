//! The library that these tests call.

#![allow(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "what is tested is how these cross"
)]

use core::ffi::{c_long, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use wirecontract::{CallbackError, Code, Failure, Flags, Open, WireContract, wire_export, wire_library};

wire_library!(prefix = "t");

/// How light is measured.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    /// Once.
    Single = 1,
    /// Again and again.
    Continuous = 2,
}

/// What is wrong.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags)]
pub enum Defect {
    /// Too bright.
    Bright = 1,
    /// Too dark.
    Dark = 4,
}

/// A rectangle.
#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(abi)]
pub struct Area {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: u32,
}

/// One reading.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Reading {
    /// How.
    pub mode: Mode,
    /// Nothing.
    #[wire(reserved(zero))]
    pub reserved: [u8; 3],
    /// How much.
    pub value: u32,
}

/// What is wanted.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Order {
    /// How much.
    #[wire(max = 100)]
    pub amount: u32,
    /// Of what.
    pub name: Option<String>,
}

/// Names for types that nobody sees through.
type Number = u32;
type Meters = f64;
type Watch = Option<unsafe extern "C" fn(u32) -> u32>;

#[wire_export(prefix = "t")]
pub extern "C" fn t_mean(samples: &[f32]) -> Result<f32, Failure> {
    if samples.is_empty() {
        return Err(Failure::new(Code::OutOfRange, "no samples").with_detail(-7));
    }
    #[allow(clippy::cast_precision_loss, reason = "few samples")]
    Ok(samples.iter().sum::<f32>() / samples.len() as f32)
}

#[wire_export(prefix = "t")]
fn scale(samples: &mut [f32], factor: f32) {
    samples.iter_mut().for_each(|sample| *sample *= factor);
}

#[wire_export(prefix = "t", out(sum, product, is_even))]
fn numbers(a: Number, b: i64, c: c_long, d: bool) -> (i64, f64, bool) {
    #[allow(clippy::useless_conversion, reason = "of the same type on some machines")]
    let sum = i64::from(a) + b + i64::from(c) + i64::from(d);
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let product = f64::from(a) * b as f64;
    (sum, product, sum % 2 == 0)
}

#[wire_export(prefix = "t")]
fn modes(mode: Mode, open: Open<Mode>, defects: Flags<Defect>) -> (Mode, Open<Mode>, Flags<Defect>) {
    let next = if mode == Mode::Single { Mode::Continuous } else { Mode::Single };
    (next, open, defects | Defect::Dark)
}

#[wire_export(prefix = "t")]
fn areas(area: Area, at: &Area, other: Option<&Area>, changed: &mut Area, more: Option<&mut Area>) -> Area {
    changed.x += 1.0;
    if let Some(more) = more {
        more.y += 1;
    }
    let meters: Meters = area.x + at.x + other.map_or(0.0, |other| other.x);
    Area { x: meters, y: area.y }
}

#[wire_export(prefix = "t")]
fn truths(truth: &bool, defects: &[Flags<Defect>]) -> u32 {
    let all = defects.iter().fold(Flags::<Defect>::empty(), |all, &one| all | one);
    all.bits() * u32::from(*truth)
}

#[wire_export(prefix = "t")]
fn greet(name: &str, title: Option<&str>) -> String {
    match title {
        Some(title) => format!("Hello {title} {name}"),
        None => format!("Hello {name}"),
    }
}

#[wire_export(prefix = "t")]
fn blob(length: u32) -> Vec<u8> {
    (0..length).map(|index| u8::try_from(index % 251).unwrap_or_default()).collect()
}

#[wire_export(prefix = "t")]
fn read(reading: &Reading) -> Reading {
    Reading { value: reading.value + 1, ..reading.clone() }
}

#[wire_export(prefix = "t")]
fn order(order: &Order) -> Result<Order, Failure> {
    Ok(Order { amount: order.amount * 2, ..order.clone() })
}

/// # Safety
/// `at` is null or points at a number.
#[wire_export(prefix = "t")]
unsafe fn peek(at: *const u32, context: *mut c_void, watch: Watch) -> (u32, *mut c_void) {
    // SAFETY: the caller's.
    let number = unsafe { at.as_ref() }.copied().unwrap_or_default();
    // SAFETY: the caller's.
    (watch.map_or(number, |watch| unsafe { watch(number) }), context)
}

#[wire_export(prefix = "t")]
fn panics(loudly: bool) -> u32 {
    if loudly { panic!("it is {}", "over") } else { std::panic::panic_any(7_u8) }
}

/// Fails behind two results that were made, which nobody gets.
#[wire_export(prefix = "t")]
fn almost() -> (Counter, String, Order) {
    (Counter { count: 55 }, "lost".to_owned(), Order { amount: 101, name: None })
}

#[wire_export(prefix = "t")]
fn nothing() {}

/// An alias of `Result` with its own error.
#[wire_export(prefix = "t")]
fn file(length: u32) -> std::io::Result<u32> {
    if length > 10 { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(length) }
}

#[wire_export(prefix = "t")]
fn longs(some: &[c_long], one: &c_long, changed: &mut [c_long]) -> (c_long, u32) {
    changed.iter_mut().for_each(|it| *it -= 1);
    (some.iter().sum::<c_long>() + one, u32::try_from(some.len()).unwrap_or_default())
}

/// How far the counters had counted that were dropped.
pub static DROPPED: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A counter.
#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "t")]
pub struct Counter {
    pub count: u32,
}

impl Drop for Counter {
    fn drop(&mut self) {
        DROPPED.lock().unwrap().push(self.count);
    }
}

/// Why a counter does not count.
pub enum CounterError {
    /// As far as it goes.
    Full,
    /// What it called failed.
    Called(CallbackError),
}

impl From<CounterError> for Failure {
    fn from(error: CounterError) -> Failure {
        match error {
            CounterError::Full => Failure::new(Code::TooLarge, "the counter is full"),
            CounterError::Called(error) => error.into(),
        }
    }
}

impl From<CallbackError> for CounterError {
    fn from(error: CallbackError) -> CounterError {
        CounterError::Called(error)
    }
}

#[wire_export(prefix = "t")]
impl Counter {
    /// What no language sees.
    pub const LIMIT: u32 = 100;

    pub fn open(count: u32) -> Result<Self, CounterError> {
        if count > Self::LIMIT {
            return Err(CounterError::Full);
        }
        Ok(Counter { count })
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn add(&mut self, more: u32) -> u32 {
        assert!(self.count + more <= Self::LIMIT, "too many");
        self.count += more;
        self.count
    }

    pub fn merge(&mut self, other: Counter, name: &str) -> u32 {
        self.count += other.count;
        self.count + u32::try_from(name.len()).unwrap_or_default()
    }

    pub fn sum(&self, other: &Self) -> u32 {
        self.count + other.count
    }

    pub fn each(
        &mut self,
        #[wire(names(index, mode, area, samples, name))] on_each: &mut dyn FnMut(
            u32,
            Mode,
            &Area,
            &[f32],
            &str,
        )
            -> Result<(), CallbackError>,
        name: &str,
    ) -> Result<u32, CounterError> {
        for index in 0..self.count {
            on_each(index, Mode::Continuous, &Area { x: 0.5, y: index }, &[0.25, 0.5], name)?;
        }
        Ok(self.count)
    }

    pub fn lenient(
        &self,
        on_each: &mut dyn FnMut(c_long) -> Result<(), CallbackError>,
    ) -> Result<(), String> {
        let first = on_each(1);
        let second = on_each(2);
        match (first, second) {
            (Ok(()), Ok(())) => Ok(()),
            _ => Err("one of two failed".to_owned()),
        }
    }

    pub fn close(self) -> u32 {
        self.count
    }

    pub fn mix(self, more: Counter, other: &Counter) -> u32 {
        self.count * 100 + more.count * 10 + other.count
    }

    pub fn announce(
        &self,
        on_name: &mut dyn FnMut(&str) -> Result<(), CallbackError>,
    ) -> Result<(), CounterError> {
        on_name("seven")?;
        on_name("se\0ven")?;
        Ok(())
    }

    #[wire(skip)]
    pub fn rust_only(&self) -> &u32 {
        &self.count
    }

    fn private(&self) -> Option<&u32> {
        Some(&self.count)
    }
}

/// What many threads count in.
#[derive(WireContract, Default)]
#[wire(handle, shared, prefix = "t")]
pub struct Total(AtomicU32);

#[wire_export(prefix = "t")]
impl Total {
    pub fn new() -> Self {
        Total::default()
    }

    #[wire(c_name = "t_total_plus")]
    pub fn add(&self, more: u32) -> u32 {
        self.0.fetch_add(more, Ordering::Relaxed) + more
    }

    pub fn call(&self, back: &mut dyn FnMut() -> Result<(), CallbackError>) -> Result<(), CallbackError> {
        back()
    }

    pub fn finish(self) -> u32 {
        self.0.into_inner()
    }

    pub fn mix(self, more: Total, other: &Total) -> u32 {
        self.finish() * 100 + more.finish() * 10 + other.0.load(Ordering::Relaxed)
    }
}

#[test]
fn the_functions_are_as_ever_in_rust() {
    let counter = Counter::open(3).unwrap_or_else(|_| unreachable!());
    assert_eq!((counter.count(), counter.rust_only(), counter.private()), (3, &3, Some(&3)));
    assert_eq!(t_mean(&[1.0, 2.0]).ok(), Some(1.5));
    assert_eq!(greet("Ada", None), "Hello Ada");
}
