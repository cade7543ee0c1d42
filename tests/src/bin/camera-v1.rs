//! A peer that greets and then sends or reads a request: see `wirecontract_tests::peer`.

use acme_camera_v1::control::Request;

fn main() -> std::process::ExitCode {
    wirecontract_tests::peer::run::<Request>()
}
