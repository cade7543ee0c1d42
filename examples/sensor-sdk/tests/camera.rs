//! The camera, as Rust programs and tests of the SDK itself use it: exported functions are functions as ever.

use sensor_sdk::camera::{Camera, CameraError};
use sensor_sdk::control::{Command, Start};
use sensor_sdk::frame::{PixelFormat, Region};
use wirecontract::{CallbackError, Code, Failure};

fn streaming(window: [u16; 4]) -> Result<Camera, CameraError> {
    let mut camera = Camera::open("mwir320")?;
    let format = PixelFormat::Kelvin;
    let start = Start { frame_rate: 50, format, window: Some(window), emissivity: 0.95, path: None };
    camera.send(&Command::Start(start))?;
    Ok(camera)
}

#[test]
fn a_window_lies_on_the_sensor() {
    let camera = streaming([312, 252, 8, 4]).expect("its last corner");
    assert_eq!(camera.size().expect("it streams"), (8, 4));
    for window in [[313, 252, 8, 4], [312, 253, 8, 4], [65535, 0, 2, 1], [0, 0, 0, 1]] {
        let [x, y, width, height] = window;
        let error = streaming(window).expect_err("beyond the sensor, or nothing");
        assert!(matches!(error, CameraError::Outside(at) if at == Region { x, y, width, height }));
        let failure = Failure::from(error);
        assert_eq!((failure.code(), failure.detail()), (Code::OutOfRange, 102));
    }
}

#[test]
fn frames_follow_each_other_until_a_callback_fails() {
    let mut camera = streaming([0, 0, 2, 2]).expect("on the sensor");
    let mut seen = Vec::new();
    let error = camera
        .each(5, &mut |sequence, kelvin| {
            seen.push((sequence, kelvin.len()));
            if sequence == 1 { Err(CallbackError::Returned(Code::Timeout as i32)) } else { Ok(()) }
        })
        .expect_err("the second frame is refused");
    assert_eq!(Failure::from(error).code(), Code::Timeout);
    assert_eq!((seen.as_slice(), camera.finish()), ([(0, 4), (1, 4)].as_slice(), 2));
}
