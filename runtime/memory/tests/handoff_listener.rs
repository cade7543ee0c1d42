//! Listeners: who may listen where, who may connect, and what becomes of socket files.
#![cfg(feature = "handoff")]

mod fork_support;
mod handoff_support;

use std::fs::{self, File, Permissions};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use fork_support::{fork, leave};
use handoff_support::{FRAMINGS, JOINED, LONG, STREAM, alone, balanced, patient};
use rustix::fs::{FlockOperation, Mode, flock};
use rustix::net::sockopt::{Timeout, socket_timeout};
use rustix::process::umask;
use wirecontract::Code;
use wirecontract_runtime::handoff::{
    Address, Channel, Doing, Error, Expected, Framing, Listener, Options, Peers,
};

const EXPECTED: Expected = Expected::bytes(100);

/// A folder, and the path of a socket in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("it.sock");
    (folder, path)
}

/// A socket file at which nobody listens.
fn stale(path: &Path) {
    drop(UnixListener::bind(path).expect("nobody is there"));
    assert!(fs::symlink_metadata(path).expect("it is left").file_type().is_socket());
}

fn name(of: &str) -> Address {
    Address::abstract_name(format!("wirecontract-{of}-{}", std::process::id()))
}

#[test]
fn who_connects_is_accepted_and_both_know_each_other() {
    let _alone = alone();
    for framing in FRAMINGS {
        for at in [Address::from(place().1.with_file_name("none/it.sock")), name("accept")] {
            balanced(|| {
                let (folder, path) = place();
                let at = if let Address::Path(_) = at { Address::from(&path) } else { at.clone() };
                let listener = Listener::bind(&at, &patient(framing)).expect("nobody is there");
                assert!(listener.try_accept().expect("it listens").is_none());
                let client = Channel::connect(&at, &patient(framing)).expect("it listens");
                let service = listener.accept().expect("a peer");
                for (one, other) in [(&client, &service), (&service, &client)] {
                    one.send(b"hello", &[]).expect("it is sent");
                    assert_eq!(other.recv(&EXPECTED).expect("it comes").body, b"hello");
                    assert_eq!(one.peer().pid, Some(std::process::id()));
                    let waits = socket_timeout(one, Timeout::Send).expect("it can be asked");
                    assert_eq!(waits, None, "what connecting set is as it was");
                    assert_eq!(one.peer().uid, rustix::process::getuid().as_raw());
                    assert_eq!(one.peer().gid, rustix::process::getgid().as_raw());
                    assert!(!one.peer_process().expect("it lives").has_ended().expect("it can be asked"));
                }
                drop((listener, folder));
            });
        }
    }
}

#[test]
fn a_socket_file_has_the_permissions_that_were_asked_for() {
    let _alone = alone();
    for (mask, mode) in [(0o000, 0o600), (0o022, 0o600), (0o077, 0o666), (0o777, 0o660), (0o000, 0o777)] {
        balanced(|| {
            let (_folder, path) = place();
            let before = umask(Mode::from_raw_mode(mask));
            let listener = Listener::bind(&path, &Options::default().mode(mode));
            umask(before);
            let listener = listener.expect("nobody is there");
            let found = fs::symlink_metadata(&path).expect("it is there").permissions().mode() & 0o7777;
            assert_eq!(found, mode, "{found:o} with the mask {mask:o}");
            drop(listener);
        });
    }
}

#[test]
fn a_socket_file_is_nobody_elses_unless_said() {
    let _alone = alone();
    balanced(|| {
        let (_folder, path) = place();
        let _listener = Listener::bind(&path, &Options::default()).expect("nobody is there");
        assert_eq!(fs::symlink_metadata(&path).expect("it is there").permissions().mode() & 0o7777, 0o600);
    });
}

#[test]
fn a_path_at_which_somebody_listens_is_refused() {
    let _alone = alone();
    balanced(|| {
        for (first, second) in [(STREAM, STREAM), (STREAM, Framing::SeqPacket), (Framing::SeqPacket, JOINED)]
        {
            let (_folder, path) = place();
            let options = patient(first).backlog(1);
            let listener = Listener::bind(&path, &options).expect("nobody is there");
            let refused = || {
                let error = Listener::bind(&path, &patient(second)).expect_err("somebody is there");
                assert!(matches!(error, Error::InUse { .. }), "{error:?}");
                assert_eq!(error.code(), Code::Busy);
            };
            refused();
            // Who listens sees nobody of it.
            assert!(listener.try_accept().expect("it listens").is_none());
            // Also where its queue is full.
            let short = patient(first).message_timeout(Duration::from_millis(1));
            let waiting: Vec<_> = std::iter::from_fn(|| Channel::connect(&path, &short).ok()).collect();
            assert!(!waiting.is_empty());
            refused();
            while listener.try_accept().expect("it listens").is_some() {}
            let client = Channel::connect(&path, &options).expect("it still listens");
            client.send(b"hello", &[]).expect("it is sent");
            let service = listener.accept().expect("a peer");
            assert_eq!(service.recv(&EXPECTED).expect("it comes").body, b"hello");
        }
        let first = Listener::bind(name("twice"), &patient(STREAM)).expect("nobody is there");
        let error = Listener::bind(name("twice"), &patient(STREAM)).expect_err("somebody is there");
        assert!(matches!(error, Error::InUse { .. }), "{error:?}");
        drop(first);
        Listener::bind(name("twice"), &patient(STREAM)).expect("nobody is there");
    });
}

#[test]
fn a_socket_file_that_a_dead_process_left_is_replaced() {
    let _alone = alone();
    balanced(|| {
        let (_folder, path) = place();
        stale(&path);
        let listener = Listener::bind(&path, &patient(JOINED)).expect("nobody is there");
        let _client = Channel::connect(&path, &patient(JOINED)).expect("it listens");
        listener.accept().expect("a peer");
    });
}

#[test]
fn of_many_that_start_at_once_one_listens() {
    let _alone = alone();
    balanced(|| {
        for _ in 0..20 {
            let (_folder, path) = place();
            stale(&path);
            let barrier = Barrier::new(8);
            let (path, barrier) = (&path, &barrier);
            let outcomes: Vec<_> = thread::scope(|scope| {
                let start = move || {
                    barrier.wait();
                    Listener::bind(path, &patient(STREAM))
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
                threads.into_iter().map(|thread| thread.join().expect("it ended")).collect()
            });
            let (listeners, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
            assert_eq!((listeners.len(), refused.len()), (1, 7));
            assert!(refused.iter().all(|outcome| matches!(outcome, Err(Error::InUse { .. }))), "{refused:?}");
            Channel::connect(path, &patient(STREAM)).expect("the one listens");
        }
    });
}

#[test]
fn what_is_no_stale_socket_of_ours_is_refused_and_left() {
    let _alone = alone();
    let refused = |path: &Path, what: &str| {
        let error = Listener::bind(path, &patient(STREAM)).expect_err("something is there");
        let Error::NotOurs { ref found, .. } = error else { panic!("{error:?}") };
        assert!(found.contains(what), "{found}");
        assert_eq!(error.code(), Code::Refused);
        fs::symlink_metadata(path).expect("it is left");
    };
    balanced(|| {
        let (folder, path) = place();
        File::create(&path).expect("a file");
        refused(&path, "a file");
        refused(folder.path(), "a directory");
        let link = folder.path().join("link");
        symlink(folder.path().join("nothing"), &link).expect("a link");
        refused(&link, "a symbolic link");
        if rustix::process::geteuid().is_root() {
            let theirs = folder.path().join("theirs");
            stale(&theirs);
            chown(&theirs, Some(65_534), None).expect("this is root");
            refused(&theirs, "a socket of user 65534");
        }
    });
}

#[test]
fn a_lock_that_somebody_holds_is_waited_for_and_named() {
    let _alone = alone();
    balanced(|| {
        let (folder, path) = place();
        let lock = folder.path().join(".it.sock.lock");
        let held = File::create(&lock).expect("nobody is there");
        flock(&held, FlockOperation::LockExclusive).expect("nobody has it");
        let error = Listener::bind(&path, &patient(STREAM)).expect_err("it is locked");
        assert!(matches!(error, Error::Locked { ref path } if *path == lock), "{error:?}");
        assert_eq!(error.code(), Code::Busy);
        drop(held);
        let listener = Listener::bind(&path, &patient(STREAM)).expect("nobody has it");
        assert!(!lock.exists(), "it goes with who holds it");

        // Who ends waits for nobody, and leaves a file that the next one replaces.
        let held = File::create(&lock).expect("nobody is there");
        flock(&held, FlockOperation::LockExclusive).expect("nobody has it");
        drop(listener);
        assert!(path.exists());
        drop(held);
        drop(Listener::bind(&path, &patient(STREAM)).expect("nobody listens"));
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0);
    });
}

#[test]
fn who_may_read_a_directory_keeps_nobody_from_listening_there() {
    let _alone = alone();
    balanced(|| {
        let (folder, path) = place();
        let held = File::open(folder.path()).expect("a folder");
        flock(&held, FlockOperation::LockExclusive).expect("nobody has it");
        drop(Listener::bind(&path, &patient(STREAM)).expect("it is not the directory that is locked"));
        assert!(!path.exists());
        // Nor has the directory to be one that is read.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o300)).expect("it is ours");
        drop(Listener::bind(&path, &patient(STREAM)).expect("it may be written"));
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("it is ours");
    });
}

#[test]
fn what_is_no_lock_of_this_user_is_left_alone_and_named() {
    let _alone = alone();
    balanced(|| {
        let (folder, path) = place();
        let lock = folder.path().join(".it.sock.lock");
        let refused = |words: &str| {
            let error = Listener::bind(&path, &patient(STREAM)).expect_err("it is no lock");
            assert!(
                matches!(&error, Error::NotOurs { path, found } if *path == lock && found == words),
                "{error}"
            );
        };
        symlink(folder.path().join("nothing"), &lock).expect("a link");
        refused("a symbolic link");
        fs::remove_file(&lock).expect("it is there");
        rustix::fs::mknodat(rustix::fs::CWD, &lock, rustix::fs::FileType::Fifo, Mode::RWXU, 0)
            .expect("a pipe");
        refused("what is no file");
        fs::remove_file(&lock).expect("it is there");
        if rustix::process::geteuid().is_root() {
            File::create(&lock).expect("nobody is there");
            chown(&lock, Some(65_534), None).expect("this is root");
            refused("a file of user 65534");
        }
    });
}

#[test]
fn listeners_that_begin_at_once_at_one_path_leave_one_and_no_lock() {
    let _alone = alone();
    balanced(|| {
        let (folder, path) = place();
        for _ in 0..20 {
            stale(&path);
            let begin = Barrier::new(4);
            let listeners = thread::scope(|scope| {
                let bind = || {
                    begin.wait();
                    Listener::bind(&path, &patient(STREAM))
                };
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(bind)).collect();
                threads.into_iter().map(|thread| thread.join().expect("it ends")).collect::<Vec<_>>()
            });
            assert_eq!(listeners.iter().filter(|listener| listener.is_ok()).count(), 1, "{listeners:?}");
            drop(listeners);
            assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0);
        }
    });
}

#[test]
fn a_listener_removes_its_own_file_and_no_other() {
    let _alone = alone();
    balanced(|| {
        let (_folder, path) = place();
        let listener = Listener::bind(&path, &patient(STREAM)).expect("nobody is there");
        drop(listener);
        assert!(!path.exists());

        let listener = Listener::bind(&path, &patient(STREAM)).expect("nobody is there");
        fs::remove_file(&path).expect("it is there");
        let other = Listener::bind(&path, &patient(STREAM)).expect("nobody is there");
        let inode = fs::symlink_metadata(&path).expect("it is there").ino();
        drop(listener);
        assert_eq!(fs::symlink_metadata(&path).expect("it is left").ino(), inode);
        Channel::connect(&path, &patient(STREAM)).expect("the other one listens");
        drop(other);
        assert!(!path.exists());
    });
}

#[test]
fn an_address_that_is_too_long_says_how_long_one_may_be() {
    let _alone = alone();
    balanced(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let room = 107 - folder.path().as_os_str().len() - 1;
        let path = folder.path().join("x".repeat(room));
        let listener = Listener::bind(&path, &patient(STREAM)).expect("it is as long as one may be");
        Channel::connect(&path, &patient(STREAM)).expect("it listens");
        drop(listener);
        // A longer path is found by its directory, of which the address has not to say all.
        let deep = folder.path().join("y".repeat(room));
        fs::create_dir(&deep).expect("nothing is there");
        for framing in FRAMINGS {
            let path = deep.join("z".repeat(80));
            let listener = Listener::bind(&path, &patient(framing)).expect("its name is short enough");
            let client = Channel::connect(&path, &patient(framing)).expect("it listens");
            let service = listener.accept_within(LONG).expect("a peer");
            client.send(b"deep", &[]).expect("it is sent");
            assert_eq!(service.recv(&EXPECTED).expect("it comes").body, b"deep");
            drop(listener);
            assert!(!path.exists());
        }
        let path = deep.join("z".repeat(107));
        let found = path.as_os_str().len();
        for error in [
            Listener::bind(&path, &patient(STREAM)).map(|_| ()).expect_err("too long a name"),
            Channel::connect(&path, &patient(STREAM)).map(|_| ()).expect_err("too long a name"),
        ] {
            assert!(
                matches!(error, Error::AddressTooLong { most: 107, found: it } if it == found),
                "{error:?}"
            );
            assert_eq!(error.code(), Code::TooLarge);
        }
        {
            let error = Listener::bind(Address::abstract_name([b'x'; 108]), &patient(STREAM))
                .map(|_| ())
                .expect_err("too long");
            assert!(matches!(error, Error::AddressTooLong { most: 107, found: 108 }), "{error:?}");
            assert_eq!(error.code(), Code::TooLarge);
        }
        Listener::bind(Address::abstract_name([b'x'; 107]), &patient(STREAM)).expect("as long as one may be");
        for address in ["", "/", "a\0b", "..", "it/..", "it/", "it/."] {
            let error = Listener::bind(address, &patient(STREAM)).expect_err("no name of a file");
            assert!(matches!(error, Error::BadAddress { .. }), "{address:?}: {error:?}");
        }
    });
}

#[test]
fn where_nobody_listens_nobody_connects() {
    let _alone = alone();
    balanced(|| {
        let (_folder, path) = place();
        let kind = |error: Error| std::io::Error::from(error).kind();
        let error = Channel::connect(&path, &patient(STREAM)).expect_err("nothing is there");
        assert_eq!(error.code(), Code::Io);
        assert_eq!(kind(error), std::io::ErrorKind::NotFound);
        stale(&path);
        let error = Channel::connect(&path, &patient(STREAM)).expect_err("nobody listens");
        assert_eq!(kind(error), std::io::ErrorKind::ConnectionRefused);
    });
}

#[test]
fn connecting_to_who_accepts_nobody_ends_in_time() {
    let _alone = alone();
    balanced(|| {
        let options = patient(STREAM).backlog(0);
        let _listener = Listener::bind(name("full"), &options).expect("nobody is there");
        let short = patient(STREAM).message_timeout(Duration::from_millis(5));
        let mut waiting = Vec::new();
        let error = loop {
            match Channel::connect(name("full"), &short) {
                Ok(channel) => waiting.push(channel),
                Err(error) => break error,
            }
            assert!(waiting.len() < 100, "a queue without an end");
        };
        assert!(matches!(error, Error::Timeout { doing: Doing::Connecting, .. }), "{error:?}");
        // What was connected waits for messages as long as it was told to.
        let error = waiting[0].recv_within(&EXPECTED, Duration::from_millis(1)).expect_err("silence");
        assert!(matches!(error, Error::Timeout { doing: Doing::Waiting, .. }), "{error:?}");
    });
}

#[test]
fn accepting_ends_in_time() {
    let _alone = alone();
    balanced(|| {
        let listener = Listener::bind(name("nobody"), &patient(STREAM)).expect("nobody is there");
        let error = listener.accept_within(Duration::from_millis(1)).expect_err("nobody comes");
        assert!(matches!(error, Error::Timeout { doing: Doing::Accepting, .. }), "{error:?}");
        let _client = Channel::connect(name("nobody"), &patient(STREAM)).expect("it listens");
        listener.accept_within(LONG).expect("somebody came");
    });
}

/// Runs as another effective user, which the thread alone is.
fn as_nobody<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let keep = u32::MAX;
            // SAFETY: it changes this thread's user, which ends with it.
            let result = unsafe { libc::syscall(libc::SYS_setresuid, keep, 65_534, keep) };
            assert_eq!(result, 0, "this is root");
            run()
        });
        other.join().expect("it ended")
    })
}

#[test]
fn peers_of_another_user_are_let_in_by_those_who_say_so() {
    let _alone = alone();
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let anyone = patient(STREAM).peers(Peers::Anyone);
    for (peers, admitted) in [
        (Peers::SameUser, false),
        (Peers::users([0, 1]), false),
        (Peers::users([]), false),
        (Peers::users([7, 65_534]), true),
        (Peers::Anyone, true),
    ] {
        balanced(|| {
            let listener =
                Listener::bind(name("users"), &patient(STREAM).peers(peers.clone())).expect("nobody");
            let client = as_nobody(|| Channel::connect(name("users"), &anyone).expect("it listens"));
            match listener.accept() {
                Ok(channel) => assert_eq!((channel.peer().uid, admitted), (65_534, true)),
                Err(Error::PeerUser { expected, uid, pid }) => {
                    assert_eq!((&expected, uid, admitted), (&peers, 65_534, false));
                    assert_eq!(pid, Some(std::process::id()));
                    assert!(client.recv(&EXPECTED).expect_err("it is disconnected").is_end());
                }
                Err(error) => panic!("{error:?}"),
            }
            // The next one is served.
            drop(client);
            if peers == Peers::SameUser {
                let _client = Channel::connect(name("users"), &anyone).expect("it listens");
                listener.accept().expect("it is ours");
            }
        });
    }
    balanced(|| {
        let _listener = Listener::bind(name("users"), &patient(STREAM)).expect("nobody is there");
        let error = as_nobody(|| Channel::connect(name("users"), &patient(STREAM)).expect_err("root's"));
        assert!(matches!(error, Error::PeerUser { uid: 0, .. }), "{error:?}");
        assert_eq!(error.code(), Code::Refused);
        let text = error.to_string();
        assert!(text.contains("expected a peer of user") && text.contains("found user 0"), "{text}");
    });
}

#[test]
fn a_socket_that_was_handed_over_is_the_right_one_or_refused() {
    let _alone = alone();
    balanced(|| {
        let (stream, other) = UnixStream::pair().expect("a pair");
        let datagram = UnixDatagram::unbound().expect("a socket");
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let (pipe, _end) = std::io::pipe().expect("a pipe");
        let (folder, path) = place();
        let listens = || OwnedFd::from(UnixListener::bind(&path).expect("nobody is there"));
        let unconnected =
            rustix::net::socket(rustix::net::AddressFamily::UNIX, rustix::net::SocketType::STREAM, None)
                .expect("a socket");
        let file = File::open("/proc/self/comm").expect("a file");
        let refused: [(OwnedFd, Framing, &str); 8] = [
            (datagram.into(), STREAM, "datagram"),
            (tcp.into(), STREAM, "family"),
            (pipe.into(), STREAM, "no socket"),
            (file.into(), STREAM, "no socket"),
            (listens(), STREAM, "listens"),
            (unconnected, STREAM, "not connected"),
            (other.try_clone().expect("a duplicate").into(), Framing::SeqPacket, "stream"),
            (File::open(folder.path()).expect("a folder").into(), Framing::SeqPacket, "no socket"),
        ];
        for (fd, framing, what) in refused {
            let error = Channel::from_fd(fd, &patient(framing)).expect_err("another kind");
            let Error::FdKind { ref found, .. } = error else { panic!("{error:?}") };
            assert!(found.contains(what), "{found}, not {what}");
            assert_eq!(error.code(), Code::FdKind);
        }
        let one = Channel::from_fd(stream.into(), &patient(STREAM)).expect("a connected socket");
        let other = Channel::from_fd(other.into(), &patient(STREAM)).expect("a connected socket");
        one.send(b"hello", &[]).expect("it is sent");
        assert_eq!(other.recv(&EXPECTED).expect("it comes").body, b"hello");

        fs::remove_file(&path).expect("it was left");
        let listener = Listener::from_fd(listens(), &patient(STREAM)).expect("it listens");
        assert!(listener.try_accept().expect("it listens").is_none());
        let _client = Channel::connect(&path, &patient(STREAM)).expect("it listens");
        listener.accept().expect("a peer");
        drop(listener);
        assert!(path.exists(), "the file is somebody else's");
        let error = Listener::from_fd(UnixStream::pair().expect("a pair").0.into(), &patient(STREAM));
        assert!(matches!(error, Err(Error::FdKind { .. })), "{error:?}");
    });
}

#[test]
fn a_socket_that_was_told_to_deliver_more_delivers_nothing_that_stays_open() {
    let _alone = alone();
    balanced(|| {
        for kind in [libc::SOCK_STREAM, libc::SOCK_SEQPACKET] {
            let framing = if kind == libc::SOCK_STREAM { STREAM } else { Framing::SeqPacket };
            let (one, other) = Channel::pair(&patient(framing)).expect("a pair");
            let other = other.into_fd().expect("it is new");
            rustix::net::sockopt::set_socket_passcred(&other, true).expect("an option");
            let on: libc::c_int = 1;
            // SAFETY: the kernel reads an integer that is there.
            unsafe {
                use std::os::fd::AsRawFd as _;
                libc::setsockopt(
                    other.as_fd().as_raw_fd(),
                    libc::SOL_SOCKET,
                    libc::SO_PASSPIDFD,
                    (&raw const on).cast(),
                    4,
                );
            }
            rustix::io::fcntl_setfd(&other, rustix::io::FdFlags::empty()).expect("an option");
            let other = Channel::from_fd(other, &patient(framing)).expect("a connected socket");
            assert!(
                rustix::io::fcntl_getfd(&other).expect("it is open").contains(rustix::io::FdFlags::CLOEXEC)
            );
            for _ in 0..3 {
                one.send(b"hello", &[]).expect("it is sent");
                assert_eq!(other.recv(&EXPECTED).expect("it comes").body, b"hello");
            }
        }
    });
}

#[test]
fn permissions_of_the_folder_are_the_systems_to_say() {
    let _alone = alone();
    if !rustix::process::geteuid().is_root() {
        return;
    }
    balanced(|| {
        let (folder, path) = place();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
        let error = as_nobody(|| Listener::bind(&path, &patient(STREAM)).expect_err("it may not"));
        assert!(
            matches!(error, Error::Io { ref source, .. }
            if source.kind() == std::io::ErrorKind::PermissionDenied),
            "{error:?}"
        );
    });
}

#[test]
fn users_that_a_user_namespace_does_not_have_are_let_in_by_who_lets_in_anyone_alone() {
    let _alone = alone();
    balanced(|| {
        let at = name("unmapped");
        let Some(child) = fork() else {
            leave(|| {
                // SAFETY: this process has one thread, whose user it is to change.
                let unshared = unsafe { libc::unshare(libc::CLONE_NEWUSER) };
                assert_eq!(unshared, 0, "{}", std::io::Error::last_os_error());
                let nobody = rustix::process::geteuid().as_raw();
                let listener = Listener::bind(&at, &patient(STREAM)).expect("nobody");
                let error = listener.accept_within(LONG).expect_err("its user has the number of all others");
                assert!(matches!(error, Error::PeerUnmapped { uid, .. } if uid == nobody), "{error}");
                assert_eq!(error.code(), Code::Refused);
                // This very process is known, and its own user's.
                let (one, _other) = Channel::pair(&patient(STREAM)).expect("they are its own");
                assert_eq!(one.peer().uid, nobody);
                drop(listener);
                let users = patient(STREAM).peers(Peers::users([nobody]));
                let listener = Listener::bind(&at, &users).expect("nobody");
                let error = listener.accept_within(LONG).expect_err("nor is it one that can be named");
                assert!(matches!(error, Error::PeerUnmapped { .. }), "{error}");
                drop(listener);
                let listener = Listener::bind(&at, &patient(STREAM).peers(Peers::Anyone)).expect("nobody");
                let channel = listener.accept_within(LONG).expect("anyone is let in");
                channel.send(b"hello", &[]).expect("it is sent");
            })
        };
        let greeting = loop {
            // Where nobody listens yet, or this one was refused, again.
            let Ok(channel) = Channel::connect(&at, &patient(STREAM)) else { continue };
            match channel.recv(&EXPECTED) {
                Ok(message) => break message.body,
                Err(error) => assert_eq!(error.code(), Code::PeerClosed, "{error}"),
            }
        };
        assert_eq!(greeting, b"hello");
        child.succeeds();
    });
}
