//! An object that belongs to the thread which made it, and what crosses on the way to it.

use std::sync::atomic::{AtomicU64, Ordering};

use wirecontract::{CallbackError, Code, Failure, Flags, Open, WireContract, wire_export};

/// How a temperature is given.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(enumeration)]
pub enum Unit {
    /// From absolute zero.
    Kelvin = 1,
    /// From the melting point of ice.
    Celsius = 2,
}

/// What a device can do.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum Ability {
    /// It measures.
    Measure = 1,
    /// It records.
    Record = 2,
}

/// What precedes samples.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 16)]
pub struct Header {
    /// `RIGH`.
    #[wire(magic = b"RIGH")]
    pub magic: [u8; 4],
    /// How they are given.
    pub unit: Unit,
    /// For later.
    #[wire(reserved(zero))]
    pub spare: u16,
    /// When they were taken, in nanoseconds.
    pub time: u64,
}

/// How to measure.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, max_bytes = 512)]
pub struct Settings {
    /// Samples in a second.
    #[wire(min = 1, max = 1000)]
    pub rate: u32,
    /// How they are given.
    #[wire(default = Kelvin)]
    pub unit: Unit,
    /// A name for people.
    pub label: Option<String>,
}

/// Devices that are alive, so that a test sees what was lost.
static ALIVE: AtomicU64 = AtomicU64::new(0);

/// A device. Only the thread that opened it can use it.
#[derive(WireContract, Debug)]
#[wire(handle, exclusive, prefix = "rig")]
pub struct Device {
    name: String,
    settings: Settings,
    samples: Vec<f32>,
}

impl Drop for Device {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

#[wire_export(prefix = "rig")]
impl Device {
    /// Opens a device.
    pub fn open(name: &str) -> Result<Self, Failure> {
        if name.is_empty() {
            return Err(Failure::new(Code::OutOfRange, "a device without a name").with_detail(7));
        }
        ALIVE.fetch_add(1, Ordering::Relaxed);
        let settings = Settings { rate: 1, unit: Unit::Kelvin, label: None };
        Ok(Device { name: name.to_owned(), settings, samples: Vec::new() })
    }

    /// What it is called.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// How many samples it holds.
    pub fn length(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Measures as the settings say.
    pub fn configure(&mut self, settings: &Settings) {
        self.settings = settings.clone();
    }

    /// How it measures.
    pub fn settings(&self) -> Settings {
        self.settings.clone()
    }

    /// Takes samples in.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
    }

    /// Copies the first samples; says how many these are, and how many there are in all.
    #[wire(out(copied, total))]
    pub fn copy(&self, to: &mut [f32]) -> (usize, usize) {
        let copied = to.len().min(self.samples.len());
        to[..copied].copy_from_slice(&self.samples[..copied]);
        (copied, self.samples.len())
    }

    /// The samples' bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
    }

    /// Shows each sample, until one is refused.
    pub fn each(
        &mut self,
        #[wire(names(index, sample))] see: &mut dyn FnMut(u32, f32) -> Result<(), CallbackError>,
    ) -> Result<(), Failure> {
        for (index, sample) in (0..).zip(&self.samples) {
            see(index, *sample)?;
        }
        Ok(())
    }

    /// Takes over all that another device holds, which is gone.
    pub fn absorb(&mut self, mut other: Device) {
        self.samples.append(&mut other.samples);
    }

    /// Forgets the samples: a name that the class in C++ has for itself.
    pub fn end(&mut self) {
        self.samples.clear();
    }

    /// The header of its samples.
    pub fn header(&self, time: u64) -> Header {
        Header { magic: Header::MAGIC, unit: self.settings.unit, spare: 0, time }
    }

    /// Measures as a header says.
    pub fn follow(&mut self, header: &Header) {
        self.settings.unit = header.unit;
    }

    /// Panics while it changes the device.
    ///
    /// # Panics
    /// Always.
    pub fn fail(&mut self, why: &str) {
        self.samples.clear();
        panic!("the device failed: {why}");
    }

    /// Ends it, and says how many samples it held.
    pub fn finish(self) -> u64 {
        self.samples.len() as u64
    }
}

/// How many devices are alive.
#[wire_export(prefix = "rig")]
pub extern "C" fn rig_alive() -> u64 {
    ALIVE.load(Ordering::Relaxed)
}

/// A temperature in another unit.
#[wire_export(prefix = "rig")]
pub fn convert(value: f64, from: Unit, to: Unit) -> f64 {
    match (from, to) {
        (Unit::Kelvin, Unit::Celsius) => value - 273.15,
        (Unit::Celsius, Unit::Kelvin) => value + 273.15,
        _ => value,
    }
}

/// What a device can do, and a unit that may be one of a later version, as they came.
#[wire_export(prefix = "rig", out(same_abilities, same_unit))]
pub fn echo(abilities: Flags<Ability>, unit: Open<Unit>) -> (Flags<Ability>, Open<Unit>) {
    (abilities, unit)
}

/// Panics.
///
/// # Panics
/// Always.
#[wire_export(prefix = "rig")]
pub fn panic(why: &str) {
    panic!("{why}");
}
