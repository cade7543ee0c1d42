//! The tutorial, run: what one language writes, the others read.

mod programs;

use programs::{c, python, run};
use sensor_sdk::control::{self, Answer, Start};
use sensor_sdk::frame::{FrameFlag, FrameHeader, PixelFormat, Region};
use wirecontract::{WireContract, WireJson};

fn frame() -> Vec<u8> {
    let mut header = FrameHeader {
        magic: FrameHeader::MAGIC,
        version: FrameHeader::VERSION,
        format: PixelFormat::Kelvin,
        flags: FrameFlag::Saturated.into(),
        sequence: 41,
        timestamp_ns: 1_700_000_000_000_000_000,
        window: Region { x: 0, y: 0, width: 640, height: 512 },
        hot_spots: [Region::default(); 4],
        hot_spot_count: 0,
        _pad: 0,
    };
    header.set_hot_spots(&[Region { x: 320, y: 200, width: 12, height: 9 }]).expect("one fits in four");
    header.to_bytes().expect("legal").to_vec()
}

#[test]
fn c_shows_what_rust_wrote_and_python_continued() {
    let shown = run(c("show"), &frame());
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "frame 41, kelvin, 640x512\nhot spot at 320, 200\n");
    let next = run(python("next_frame.py"), &frame());
    assert!(next.status.success(), "{}", String::from_utf8_lossy(&next.stderr));
    let header = FrameHeader::from_bytes(&next.stdout).expect("Python writes what Rust reads");
    assert_eq!((header.sequence, header.hot_spots().len()), (42, 2));
    assert!(header.flags.contains(FrameFlag::AfterGap | FrameFlag::Saturated));
}

#[test]
fn all_languages_refuse_a_frame_in_the_same_words() {
    let mut bytes = frame();
    bytes[64] = 5;
    let words = FrameHeader::from_bytes(&bytes).expect_err("five of four").to_string();
    let shown = run(c("show"), &bytes);
    assert_eq!(String::from_utf8_lossy(&shown.stderr).trim(), words);
    let next = run(python("next_frame.py"), &bytes);
    assert!(String::from_utf8_lossy(&next.stderr).trim().ends_with(&words));
}

fn start(frame_rate: u16) -> Start {
    let window = Some([0, 0, 320, 256]);
    Start { frame_rate, format: PixelFormat::Kelvin, window, emissivity: 0.95, path: None }
}

#[test]
fn python_obeys_what_rust_commands() {
    let commands = [control::Command::Start(start(60)), control::Command::Stop];
    let mut input = String::new();
    for command in &commands {
        input += &command.to_json().expect("legal");
        input.push('\n');
    }
    assert_eq!(
        input,
        "{\"command\":\"start\",\"frame_rate\":60,\"format\":\"kelvin\",\"window\":[0,0,320,256]}\n\
         {\"command\":\"stop\"}\n"
    );
    input += "{\"command\":\"focus\",\"steps\":5001}\n";
    let answers = run(python("answer.py"), input.as_bytes());
    assert!(answers.status.success(), "{}", String::from_utf8_lossy(&answers.stderr));
    let answers: Vec<Answer> = answers
        .stdout
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| Answer::from_json(line).expect("Python writes what Rust reads"))
        .collect();
    let [Answer::Progress(first), Answer::Progress(second), Answer::Failure(third)] = &answers[..] else {
        panic!("{answers:?}");
    };
    // A number beyond 2^53 is spelled in digits.
    assert_eq!((first.serial, first.sent, second.sent), ((1 << 63) + 7, 60, 60));
    assert_eq!(
        third.error,
        "Focus.steps at byte 27: out_of_range: expected an integer from -5000 to 5000, found 5001"
    );
}

#[test]
fn all_languages_refuse_a_start_in_the_same_words() {
    let words = start(200).to_json().expect_err("too fast for a window").to_string();
    let mut checked = c("start");
    checked.arg("200");
    assert_eq!(String::from_utf8_lossy(&run(checked, b"").stderr).trim(), words);
    let document = start(60).to_json().expect("legal").replace("60", "200");
    assert_eq!(Start::from_json(document.as_bytes()).expect_err("the same").to_string(), words);
    let command = document.replacen('{', "{\"command\":\"start\",", 1) + "\n";
    let answer = run(python("answer.py"), command.as_bytes());
    let Answer::Failure(failure) = Answer::from_json(&answer.stdout).expect("an answer") else {
        panic!("it was obeyed");
    };
    assert_eq!(failure.error, words);
    let mut taken = c("start");
    taken.arg("100");
    assert_eq!(run(taken, b"").stdout, b"100 frames a second, emissivity 0.95\n");
}
