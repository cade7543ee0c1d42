//! A peer that greets and then sends or reads a request or a frame: see `wirecontract_tests::peer`.

use acme_camera_v1::control::{Frame, Request};
use wirecontract::{Enumeration, WireContract};
use wirecontract_tests::peer::{Frames, run};

fn main() -> std::process::ExitCode {
    run::<Request, Frame>(&Frames {
        plain: Frame::default(),
        tuned: Frame::default(),
        show: |frame| format!("{} {}", frame.number, frame.mode.name()),
        // There is no other version.
        write: |frame, _| frame.to_bytes().map(|bytes| bytes.to_vec()),
    })
}
