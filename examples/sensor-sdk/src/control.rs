//! Commands to a camera, and its answers: one JSON document a line on its control socket.

use crate::frame::PixelFormat;
use wirecontract::WireContract;

/// Starts the stream.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, version = 1, deny_unknown, max_bytes = 1024)]
#[wire(rule(window: !present(window) || frame_rate <= 120))]
pub struct Start {
    /// Frames in a second.
    #[wire(default = 30, min = 1, max = 240)]
    pub frame_rate: u16,
    /// How a pixel is stored.
    #[wire(default = Kelvin)]
    pub format: PixelFormat,
    /// The part of the sensor that is read: x, y, width, height; all of it when absent.
    pub window: Option<[u16; 4]>,
    /// What is taken as the emissivity of everything.
    #[wire(default = 0.95, min = 0.01, max = 1.0, skip_default)]
    pub emissivity: f64,
    /// Where frames go, when not to the socket.
    #[wire(max_len = 255)]
    pub path: Option<String>,
}

/// Moves the focus.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1, deny_unknown)]
pub struct Focus {
    /// Steps towards infinity; negative towards the camera.
    #[wire(min = -5000, max = 5000)]
    pub steps: i32,
}

/// What a camera is told.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, version = 1, tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Starts the stream.
    Start(Start),
    /// Stops it.
    Stop,
    /// Moves the focus.
    Focus(Focus),
}

/// What the stream has done so far.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
#[wire(rule(lost: lost <= sent))]
pub struct Progress {
    /// The serial number, in digits: more than a JavaScript reader's numbers can hold.
    #[wire(decimal_string)]
    pub serial: u64,
    /// Frames sent.
    pub sent: u64,
    /// Frames that no reader took in time.
    #[wire(default = 0)]
    pub lost: u64,
}

/// Why a command was not obeyed.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(recipe, version = 1)]
pub struct Failure {
    /// For people.
    pub error: String,
}

/// What a camera answers.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[wire(union, version = 1, untagged)]
pub enum Answer {
    /// The command was not obeyed.
    Failure(Failure),
    /// It was.
    Progress(Progress),
}
