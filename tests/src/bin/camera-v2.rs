//! A peer that greets and then sends or reads a request or a frame: see `wirecontract_tests::peer`.

use acme_camera_v2::control::{Frame, Request};
use wirecontract::Enumeration;

fn main() -> std::process::ExitCode {
    wirecontract_tests::peer::run::<Request, Frame>(|frame| format!("{} {}", frame.number, frame.mode.name()))
}
