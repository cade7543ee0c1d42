//! A peer that greets and then sends or reads a request or a frame: see `wirecontract_tests::peer`.

use acme_camera_v2::control::{Frame, Request};
use wirecontract::{Enumeration, WireContract};
use wirecontract_tests::peer::{Frames, run};

fn main() -> std::process::ExitCode {
    run::<Request, Frame>(&Frames {
        plain: Frame::default(),
        tuned: Frame { gain: 4, ..Frame::default() },
        show: |frame| format!("{} {} gain {}", frame.number, frame.mode.name(), frame.gain),
        write: |frame, version| {
            let mut bytes = vec![0; Frame::WIRE_SIZE];
            let length = frame.write_version_to(version, &mut bytes)?;
            bytes.truncate(length);
            Ok(bytes)
        },
    })
}
