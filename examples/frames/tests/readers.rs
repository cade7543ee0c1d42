//! The readers in Python and C, each in a process of its own, say what one in Rust would: what came of a frame, and why
//! something is none; and no file descriptor stays with them.

use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use frames::pixels;
use frames::wire::{Answer, AnswerMessage, Frame, Header, Packet, Spot, Stop};
use wirecontract::{Code, Message as _, WireJson as _};
use wirecontract_runtime::handoff::{Channel, Listener, Options};

const LONG: Duration = Duration::from_secs(60);

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn python() -> Command {
    let python = std::env::var_os("WIRECONTRACT_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    let modules = std::env::join_paths([here("generated/python"), here("../../bindings/python")]).unwrap();
    command.arg("-S").arg(here("python/reader.py")).env("PYTHONPATH", modules);
    command
}

/// The folder of what cargo built for the tests, where `libframes.so` is.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Built with `make` and pkg-config, as of an installed libwirecontract.
fn c(name: &str) -> Command {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let made = Command::new("make")
        .arg("-C")
        .arg(here("c"))
        .arg(format!("LIBRARIES={}", built().display()))
        .arg(format!("PROGRAM={}", program.display()))
        .env("CFLAGS", "-Wpedantic -Wconversion -Werror")
        .output()
        .expect("make");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Command::new(program)
}

/// A process that is killed and waited for when this is dropped.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // It fails where the process has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A reader, and the channel to it.
struct Reader {
    child: Ends,
    channel: Channel,
    _folder: tempfile::TempDir,
}

impl Reader {
    fn start(mut command: Command) -> Reader {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("camera.sock");
        let listener = Listener::bind(&socket, &Options::default()).unwrap();
        let child = Ends(command.arg(&socket).spawn().unwrap());
        let channel = listener.accept_within(LONG).unwrap();
        Reader { child, channel, _folder: folder }
    }

    fn answer(&self) -> AnswerMessage {
        self.channel.recv_declared_within(LONG).unwrap()
    }

    fn refused(&self) -> String {
        match self.answer() {
            AnswerMessage::Refused(refused) => refused.error,
            AnswerMessage::Masked(masked) => panic!("{masked:?}"),
        }
    }

    fn masked(&self, name: &str) {
        let AnswerMessage::Masked(answer) = self.answer() else { panic!("it was refused") };
        assert_eq!((answer.masked.reader.as_str(), answer.masked.pixels), (name, 2));
        assert_eq!(pixels::of(answer.frame, 8).unwrap(), [10, 20, 0, 30, 40, 50, 60, 0]);
    }

    /// How many file descriptors it has when it has let go of all that it was sent: it reads one packet after the other,
    /// and one without any is refused when it is through with those before.
    fn open_when_idle(&self) -> usize {
        self.channel.send(&frame().to_message().unwrap().0, &[]).unwrap();
        self.refused();
        std::fs::read_dir(format!("/proc/{}/fd", self.child.0.id())).unwrap().count()
    }
}

fn memory() -> OwnedFd {
    pixels::to_memory(&[10, 20, 250, 30, 40, 50, 60, 251]).unwrap()
}

fn frame() -> Packet {
    Packet::Frame(Frame {
        header: Header { opcode: 1, width: 4, height: 2, spots: 2 },
        spots: vec![Spot { x: 2, y: 0 }, Spot { x: 3, y: 1 }],
        pixels: memory(),
    })
}

fn stop() -> Packet {
    Packet::Stop(Stop { header: Header { opcode: 2, width: 0, height: 0, spots: 0 } })
}

/// Bytes and file descriptors that are no packet, and the code that says so.
fn wrong() -> Vec<(Vec<u8>, usize, Code)> {
    let whole = frame();
    let whole = whole.to_message().unwrap().0;
    let changed = |at: usize, to: u8| {
        let mut bytes = whole.clone();
        bytes[at] = to;
        bytes
    };
    vec![
        (whole.clone(), 0, Code::FdCount),
        (changed(0, 3), 1, Code::UnknownTag),
        (changed(12, 3), 1, Code::TooShort),
        (changed(12, 1), 1, Code::TrailingBytes),
        (changed(4, 0), 1, Code::RuleViolated),
        (whole[..15].to_vec(), 1, Code::TooShort),
        (stop().to_message().unwrap().0, 1, Code::FdCount),
    ]
}

fn reads_and_refuses(name: &str, command: Command) {
    let mut reader = Reader::start(command);
    reader.channel.send_declared(&frame()).unwrap();
    reader.masked(name);
    let before = reader.open_when_idle();
    for (bytes, fds, code) in wrong() {
        let beside = memory();
        reader.channel.send(&bytes, &vec![beside.as_fd(); fds]).unwrap();
        let ours = Packet::from_message(&bytes, (0..fds).map(|_| memory()).collect()).unwrap_err();
        assert_eq!(ours.code, code);
        assert_eq!(reader.refused(), ours.to_string());
        reader.channel.send_declared(&frame()).unwrap();
        reader.masked(name);
    }
    assert_eq!(reader.open_when_idle(), before, "file descriptors");
    reader.channel.send_declared(&stop()).unwrap();
    assert!(reader.child.0.wait().unwrap().success());
}

/// How many file descriptors of this process are of that file.
fn held(file: &OwnedFd) -> usize {
    let of = |path: PathBuf| std::fs::metadata(path).ok().map(|it| it.ino());
    let own = of(format!("/proc/self/fd/{}", file.as_raw_fd()).into());
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    entries.filter(|entry| of(entry.as_ref().unwrap().path()) == own).count()
}

#[test]
fn python_reads_frames_and_refuses_what_is_none() {
    reads_and_refuses("Python", python());
}

#[test]
fn c_reads_frames_and_refuses_what_is_none() {
    reads_and_refuses("C", c("reads"));
}

#[test]
fn the_camera_shows_what_each_reader_made_of_its_frame() {
    for (name, mut reader) in [("Python", python()), ("C", c("shown"))] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("camera.sock");
        let camera = Command::new(env!("CARGO_BIN_EXE_frames")).arg(&socket).stdout(Stdio::piped()).spawn();
        let mut camera = Ends(camera.unwrap());
        let since = Instant::now();
        while !socket.exists() {
            assert!(since.elapsed() < LONG);
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(reader.arg(&socket).status().unwrap().success());
        let mut said = String::new();
        camera.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(camera.0.wait().unwrap().success());
        assert_eq!(said, format!("{name} blackened 2 pixels: [10, 20, 0, 30, 40, 50, 60, 0]\n"));
    }
}

#[test]
fn the_camera_refuses_an_answer_that_is_none_and_closes_what_came_with_it() {
    let (camera, reader) = Channel::pair(&Options::default()).unwrap();
    let masked = r#"{"answer":"masked","reader":"C","pixels":2}"#;
    let refused = r#"{"answer":"refused","error":"why"}"#;
    let one = memory();
    for (document, fds, code) in [
        (masked, 0, Code::FdCount),
        (refused, 1, Code::FdCount),
        (r#"{"answer":"masked","pixels":2}"#, 1, Code::MissingKey),
        (r#"{"answer":"better","pixels":2}"#, 1, Code::UnknownTag),
    ] {
        reader.send(document.as_bytes(), &vec![one.as_fd(); fds]).unwrap();
        assert_eq!(camera.recv_declared::<AnswerMessage>().unwrap_err().code(), code, "{document}");
        assert_eq!(held(&one), 1, "{document}");
    }
    reader.send(refused.as_bytes(), &[]).unwrap();
    let AnswerMessage::Refused(why) = camera.recv_declared().unwrap() else { panic!("it is refused") };
    assert_eq!(why.error, "why");
    assert_eq!(Answer::from_json(masked.as_bytes()).unwrap().to_json().unwrap(), masked);
}
