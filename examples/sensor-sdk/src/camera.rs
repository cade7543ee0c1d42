//! A camera as programs use it: opened, told what to do, and read from. The one that is opened here is a simulation.

use wirecontract::{
    CallbackError, Code, Enumeration, Failure, Flags, Open, WireContract, WireError, wire_export,
};

use crate::control::{Command, Progress, Start};
use crate::frame::{FrameHeader, PixelFormat, Region};
use crate::unit::{CameraInfo, Model};

const SERIAL: u64 = (1 << 63) + 7;

/// Kelvin of everything but the hot spot.
const AMBIENT: f32 = 293.15;
/// Kelvin of the hot spot.
const HOT: f32 = 353.15;

/// Why a camera does not do what it is asked to.
#[derive(Debug)]
pub enum CameraError {
    /// No camera has that name.
    NotFound {
        /// The name.
        name: String,
    },
    /// The stream was not started.
    NotStreaming,
    /// The sensor has no such part.
    Outside(Region),
    /// The stream has pixels of another form than asked for.
    Format(PixelFormat),
    /// A frame has another number of pixels than there is room for.
    Room {
        /// Pixels of a frame.
        frame: usize,
        /// Pixels that there is room for.
        room: usize,
    },
    /// A contract refused a value.
    Wire(WireError),
    /// What was called with a frame failed.
    Callback(CallbackError),
}

impl CameraError {
    /// The numbers that this SDK's manual lists, beside the codes that all libraries share.
    fn number(&self) -> i32 {
        match self {
            CameraError::NotFound { .. } => 100,
            CameraError::NotStreaming => 101,
            CameraError::Outside(_) => 102,
            CameraError::Format(_) => 103,
            CameraError::Room { .. } => 104,
            CameraError::Wire(_) | CameraError::Callback(_) => 0,
        }
    }
}

impl From<CameraError> for Failure {
    fn from(error: CameraError) -> Failure {
        let number = error.number();
        let (code, message) = match error {
            CameraError::NotFound { name } => {
                (Code::Io, format!("expected the name of a camera, as `lwir640`, found `{name}`"))
            }
            CameraError::NotStreaming => (Code::Refused, "no stream: send `start` first".to_owned()),
            CameraError::Outside(window) => (
                Code::OutOfRange,
                format!(
                    "the sensor has no window of {} x {} at {}, {}",
                    window.width, window.height, window.x, window.y
                ),
            ),
            CameraError::Format(format) => {
                (Code::WrongType, format!("expected a stream of Kelvin, found one of {format:?}"))
            }
            CameraError::Room { frame, room } => {
                (Code::LengthExceeds, format!("expected room for {frame} pixels, found {room}"))
            }
            CameraError::Wire(error) => return error.into(),
            CameraError::Callback(error) => return error.into(),
        };
        Failure::new(code, message).with_detail(number)
    }
}

impl From<WireError> for CameraError {
    fn from(error: WireError) -> CameraError {
        CameraError::Wire(error)
    }
}

impl From<CallbackError> for CameraError {
    fn from(error: CallbackError) -> CameraError {
        CameraError::Callback(error)
    }
}

/// A camera that is open. It streams while this is there.
#[derive(WireContract, Debug)]
#[wire(handle, exclusive, prefix = "sensor")]
pub struct Camera {
    model: Model,
    stream: Option<Stream>,
    sent: u64,
}

#[derive(Debug)]
struct Stream {
    window: Region,
    format: PixelFormat,
    frame_rate: u16,
}

#[wire_export(prefix = "sensor")]
impl Camera {
    /// Opens the camera of that name: `lwir640` or `mwir320`.
    ///
    /// Fails with `io` (100) where none has it.
    pub fn open(name: &str) -> Result<Self, CameraError> {
        let model = Model::from_name(name).ok_or_else(|| CameraError::NotFound { name: name.to_owned() })?;
        Ok(Camera { model, stream: None, sent: 0 })
    }

    /// Who it is.
    pub fn describe(&self) -> Result<CameraInfo, CameraError> {
        let mut info = CameraInfo {
            magic: CameraInfo::MAGIC,
            model: Open::from(self.model),
            firmware: 0x0104,
            serial: SERIAL,
            label: [0; 32],
            bad_rows: [0; 6],
            bad_row_count: 0,
            reserved: 0,
        };
        info.set_label("simulation")?;
        Ok(info)
    }

    /// Obeys a command, and gives what the stream has done until then.
    ///
    /// Fails with `out_of_range` (102) where the sensor has no such window.
    pub fn send(&mut self, command: &Command) -> Result<Progress, CameraError> {
        match command {
            Command::Start(start) => self.stream = Some(self.stream_of(start)?),
            Command::Stop => self.stream = None,
            Command::Focus(_) => {}
        }
        Ok(Progress { serial: SERIAL, sent: self.sent, lost: 0 })
    }

    /// Columns and rows of a frame, in pixels.
    ///
    /// Fails with `refused` (101) where nothing streams.
    #[wire(out(width, height))]
    pub fn size(&self) -> Result<(u16, u16), CameraError> {
        let window = self.stream()?.window;
        Ok((window.width, window.height))
    }

    /// Fills `kelvin` with the next frame, row by row, and gives its header.
    ///
    /// Fails with `length_exceeds` (104) where `kelvin` has not the room for exactly one frame, with `wrong_type` (103)
    /// where the stream is not of Kelvin, with `refused` (101) where nothing streams.
    pub fn grab(&mut self, kelvin: &mut [f32]) -> Result<FrameHeader, CameraError> {
        let stream = self.stream()?;
        if stream.format != PixelFormat::Kelvin {
            return Err(CameraError::Format(stream.format));
        }
        let window = stream.window;
        let frame = usize::from(window.width) * usize::from(window.height);
        if kelvin.len() != frame {
            return Err(CameraError::Room { frame, room: kelvin.len() });
        }
        let (column, row) = (window.width / 2, window.height / 2);
        kelvin.fill(AMBIENT);
        kelvin[usize::from(row) * usize::from(window.width) + usize::from(column)] = HOT;
        let hot = Region { x: window.x + column, y: window.y + row, width: 1, height: 1 };
        let mut header = FrameHeader {
            magic: FrameHeader::MAGIC,
            version: FrameHeader::VERSION,
            format: PixelFormat::Kelvin,
            flags: Flags::empty(),
            sequence: self.sent,
            timestamp_ns: self.sent * 1_000_000_000 / u64::from(stream.frame_rate),
            window,
            hot_spots: [Region::default(); 4],
            hot_spot_count: 0,
            _pad: 0,
        };
        header.set_hot_spots(&[hot])?;
        self.sent += 1;
        Ok(header)
    }

    /// Calls `on_frame` with each of the next frames, `count` of them: its number since the camera was opened, and its
    /// pixels in Kelvin, row by row.
    ///
    /// Fails as `grab` does, and where `on_frame` does, with what that gave; no frame follows then.
    #[allow(clippy::type_complexity, reason = "an exported function spells out what its callback takes")]
    pub fn each(
        &mut self,
        count: u32,
        #[wire(names(sequence, kelvin))] on_frame: &mut dyn FnMut(u64, &[f32]) -> Result<(), CallbackError>,
    ) -> Result<(), CameraError> {
        let (width, height) = self.size()?;
        let mut kelvin = vec![0.0; usize::from(width) * usize::from(height)];
        for _ in 0..count {
            let header = self.grab(&mut kelvin)?;
            on_frame(header.sequence, &kelvin)?;
        }
        Ok(())
    }

    /// Ends the stream and the camera, and gives the number of frames that it sent.
    pub fn finish(self) -> u64 {
        self.sent
    }

    fn stream(&self) -> Result<&Stream, CameraError> {
        self.stream.as_ref().ok_or(CameraError::NotStreaming)
    }

    fn stream_of(&self, start: &Start) -> Result<Stream, CameraError> {
        let (columns, rows) = match self.model {
            Model::Lwir640 => (640, 512),
            Model::Mwir320 => (320, 256),
        };
        let [x, y, width, height] = start.window.unwrap_or([0, 0, columns, rows]);
        let window = Region { x, y, width, height };
        let fits = |at: u16, length: u16, most: u16| length > 0 && length <= most && at <= most - length;
        if !fits(x, width, columns) || !fits(y, height, rows) {
            return Err(CameraError::Outside(window));
        }
        Ok(Stream { window, format: start.format, frame_rate: start.frame_rate })
    }
}
