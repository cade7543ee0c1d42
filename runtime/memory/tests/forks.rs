//! Forked children: their copies of what the parent made end nothing of the parent's, and every call on one says whose
//! it is.
#![cfg(feature = "lease")]

mod fork_support;
mod lease_support;

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use fork_support::{fork, leave};
use lease_support::{LONG, balanced, filled, lend, pair, patient};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};
use wirecontract::Code;
use wirecontract_gpu::buffer::EndReason;
use wirecontract_runtime::handoff::{self, Address, Channel, Expected, Listener};
use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
use wirecontract_runtime::lease::{Consumer, Lend, Service, State};

fn is_forked(error: &handoff::Error) {
    let maker = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get().cast_unsigned());
    assert!(matches!(error, handoff::Error::Forked { maker: it, .. } if Some(*it) == maker), "{error}");
    assert_eq!(error.code(), Code::Refused);
}

#[test]
fn a_copy_of_a_channel_sends_and_ends_nothing() {
    balanced(|| {
        let (one, other) = lease_support::channels(handoff::Framing::default());
        let Some(child) = fork() else {
            leave(|| {
                let expected = Expected::bytes(8);
                is_forked(&one.send(b"child", &[]).expect_err("it is the parent's"));
                is_forked(&one.try_send(b"child", &[]).expect_err("it is the parent's"));
                is_forked(&one.flush().expect_err("it is the parent's"));
                is_forked(&one.try_flush().expect_err("it is the parent's"));
                is_forked(&one.recv(&expected).expect_err("it is the parent's"));
                is_forked(&one.recv_into(&mut [0; 8], &expected).expect_err("it is the parent's"));
                is_forked(&one.try_recv(&expected).expect_err("it is the parent's"));
                is_forked(&one.try_recv_into(&mut [0; 8], &expected).expect_err("it is the parent's"));
                is_forked(&one.agreed_of("a", LONG).expect_err("it is the parent's"));
                is_forked(&one.finish().expect_err("it is the parent's"));
                is_forked(&one.close().expect_err("it is the parent's"));
                drop((one, other));
            })
        };
        child.succeeds();
        one.send(b"parent", &[]).expect("nobody closed it");
        assert_eq!(other.recv(&Expected::bytes(8)).expect("it comes").body, b"parent");
    });
}

#[test]
fn a_child_makes_a_channel_of_its_own_of_the_socket() {
    balanced(|| {
        let options = handoff::Options::default().message_timeout(LONG);
        let (one, other) = Channel::pair(&options).expect("a pair");
        let Some(child) = fork() else {
            leave(|| {
                let socket = other.into_fd().expect("nothing was begun");
                let own = Channel::from_fd(socket, &options).expect("it is connected");
                own.send(b"child", &[]).expect("it is this process's");
            })
        };
        drop(other);
        assert_eq!(one.recv(&Expected::bytes(8)).expect("it comes").body, b"child");
        assert!(one.recv(&Expected::bytes(8)).expect_err("it went").is_end());
        child.succeeds();
    });
}

#[test]
fn a_copy_of_a_listener_accepts_nobody_and_its_file_stays() {
    balanced(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let options = handoff::Options::default().message_timeout(LONG);
        let listener = Listener::bind(&path, &options).expect("nobody is there");
        let client = Channel::connect(&path, &options).expect("it listens");
        let Some(child) = fork() else {
            leave(|| {
                is_forked(&listener.accept().expect_err("it is the parent's"));
                is_forked(&listener.try_accept().expect_err("it is the parent's"));
                drop((listener, client));
            })
        };
        child.succeeds();
        assert!(path.exists());
        let served = listener.accept_within(LONG).expect("the child left it");
        client.send(b"hello", &[]).expect("it is sent");
        assert_eq!(served.recv(&Expected::bytes(8)).expect("it comes").body, b"hello");
    });
}

#[test]
fn what_is_held_is_given_back_by_who_holds_it_alone() {
    balanced(|| {
        let (producer, consumer) = pair();
        let lease = producer.offer_without_waiting(&lend(64)).expect("it is offered");
        let held = consumer.next(LONG).expect("it comes");
        lease.wait_taken(LONG).expect("it is taken");
        let Some(child) = fork() else {
            leave(|| {
                let code = |error: wirecontract_runtime::lease::Error| error.code();
                assert_eq!(consumer.next(LONG).map_err(code).err(), Some(Code::Refused));
                assert_eq!(consumer.ping(LONG).map_err(code).err(), Some(Code::Refused));
                assert_eq!(producer.offer(&lend(64)).map_err(code).err(), Some(Code::Refused));
                assert_eq!(producer.poll().map_err(code).err(), Some(Code::Refused));
                assert_eq!(lease.revoke(LONG).map_err(code).err(), Some(Code::Refused));
                assert_eq!(lease.end(EndReason::Revoked).map_err(code).err(), Some(Code::Refused));
                assert_eq!(lease.state(), State::Held);
                assert!(held.is_over().is_none());
                drop(held);
                consumer.close();
                producer.close();
                drop((producer, consumer, lease));
            })
        };
        child.succeeds();
        assert!(consumer.events().is_empty() && consumer.lost().is_none());
        producer.poll().expect("the channel is open");
        assert_eq!(lease.state(), State::Held);
        let mut bytes = vec![0; 64];
        held.host().expect("host memory").copy_to(&mut bytes).expect("its size");
        drop(held);
        assert_eq!(lease.wait_released(LONG).expect("it is given back").reason, EndReason::Released);
    });
}

#[test]
fn a_copy_of_a_service_takes_nothing_from_its_consumers() {
    balanced(|| {
        let name = format!("wirecontract-forks-{}", std::process::id());
        let options = handoff::Options::default().message_timeout(LONG);
        let address = Address::abstract_name(name);
        let service =
            Service::new(Listener::bind(&address, &options).expect("nobody"), &patient()).expect("a service");
        let consumer = Consumer::new(Channel::connect(&address, &options).expect("it listens"), &patient())
            .expect("a side");
        while service.consumers().is_empty() {
            service.poll(LONG).expect("it goes on");
            let _ = consumer.events();
        }
        let Some(child) = fork() else {
            leave(|| {
                assert_eq!(service.poll(LONG).map_err(|error| error.code()).err(), Some(Code::Refused));
                let refused = service.broadcast(&lend(64)).pop().expect("one consumer").1;
                assert_eq!(refused.map_err(|error| error.code()).err(), Some(Code::Refused));
                drop((service, consumer));
            })
        };
        child.succeeds();
        let lease = service.broadcast(&lend(64)).pop().expect("it is there").1.expect("it is offered");
        drop(consumer.next(LONG).expect("it comes"));
        while lease.outcome().is_none() {
            service.poll(Duration::from_millis(10)).expect("it goes on");
        }
    });
}

#[test]
fn a_copy_of_a_pool_gives_no_buffer_that_the_parent_lends() {
    balanced(|| {
        let pool = Pool::new(HostOptions::new(64), 2).expect("a pool");
        let mut frame = pool.take(LONG).expect("it is free");
        frame.write_at(0, b"parent").expect("inside");
        let lent = Lend::pooled(&frame).expect("a descriptor");
        drop(pool.take(LONG).expect("it is free"));
        let Some(child) = fork() else {
            leave(|| {
                drop((frame, lent));
                assert_eq!(pool.take(LONG).map(drop).map_err(|error| error.code()), Err(Code::Refused));
                assert_eq!(pool.try_take().map(drop).map_err(|error| error.code()), Err(Code::Refused));
                // What it makes itself is its own.
                drop(filled(&HostOptions::new(64), 1));
            })
        };
        child.succeeds();
        assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 1, most: 2 });
        let mut bytes = [0; 6];
        frame.read_at(0, &mut bytes).expect("inside");
        assert_eq!(&bytes, b"parent");
    });
}

#[test]
fn a_process_goes_on_when_its_first_thread_has_ended() {
    balanced(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(child) = fork() else {
            leave(|| {
                let first = rustix::thread::gettid();
                let path = folder.path().join("socket");
                let work = move || {
                    has_ended(first);
                    let this = pidfd_open(getpid(), PidfdFlags::empty()).expect("it is there");
                    assert!(
                        !handoff::PidFd::try_from(this).expect("a pidfd").has_ended().expect("it is there")
                    );
                    // More than the umask lets a file have from its first moment on.
                    let listener =
                        Listener::bind(&path, &handoff::Options::default().mode(0o777)).expect("nobody");
                    assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o777, 0o777);
                    drop(listener);
                    assert!(!path.exists());
                    filled(&HostOptions::new(64), 1).try_clone_fd().expect("a descriptor that reads");
                };
                std::thread::spawn(move || leave(work));
                // SAFETY: it ends this thread alone, whose stack nobody else uses.
                unsafe { libc::syscall(libc::SYS_exit, 0) };
            })
        };
        child.succeeds();
    });
}

/// Waits until the first thread is nothing but the name of the process.
fn has_ended(first: Pid) {
    let stat = format!("/proc/{}/stat", first.as_raw_nonzero());
    while !std::fs::read_to_string(&stat)
        .expect("it is there")
        .rsplit_once(") ")
        .expect("a state")
        .1
        .starts_with('Z')
    {
        std::thread::yield_now();
    }
}
