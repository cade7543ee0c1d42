//! As many handoffs as one producer makes to consumers of as many threads.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use wirecontract_runtime::handoff::{Channel, Expected};
use wirecontract_runtime::host::{HostBuffer, HostMapping, HostOptions, Import};

use super::{Outcome, pair};

/// Handoffs to one consumer that it has not answered: what is in flight is bounded, as the kernel bounds it.
const IN_FLIGHT: u64 = 8;
const LONG: Duration = Duration::from_secs(1);
/// Bytes of a buffer: a frame of 1024 x 768 pixels of 16 bits.
const FRAME: u64 = 1024 * 768 * 2;

/// Prints handoffs a second, each received, mapped, released and answered.
pub(crate) fn measure(consumers: usize) -> Outcome<()> {
    let buffer = HostBuffer::create(&HostOptions::new(FRAME))?;
    let fd = buffer.try_clone_fd()?;
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for _ in 0..consumers {
        let (one, other) = pair()?;
        near.push(one);
        far.push(other);
    }
    let numbers = buffer.describe();
    let (sent, took) = thread::scope(|scope| {
        let running: Vec<_> =
            far.into_iter().map(|channel| scope.spawn(move || consume(&channel, &numbers))).collect();
        let produced = produce(&near, fd.as_fd());
        // Which ends the consumers.
        drop(near);
        let consumed: u64 = running.into_iter().map(|it| it.join().unwrap_or(0)).sum();
        produced.map(|(sent, took)| (sent.min(consumed), took))
    })?;
    println!("sustained {:.0}", f64::from(u32::try_from(sent)?) / took.as_secs_f64());
    Ok(())
}

/// Hands over in turns until the time is over; how often, in what time.
fn produce(channels: &[Channel], fd: BorrowedFd<'_>) -> Outcome<(u64, Duration)> {
    let mut buffer = [0; 1];
    let answer = Expected::bytes(1);
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < LONG {
        for channel in channels {
            if rounds >= IN_FLIGHT {
                channel.recv_into(&mut buffer, &answer)?;
            }
            channel.send(&[0; 208], &[fd])?;
        }
        rounds += 1;
    }
    for channel in channels {
        for _ in 0..rounds.min(IN_FLIGHT) {
            channel.recv_into(&mut buffer, &answer)?;
        }
    }
    Ok((rounds * channels.len() as u64, start.elapsed()))
}

/// Takes what comes until the producer closes; how many that were.
fn consume(channel: &Channel, numbers: &Import) -> u64 {
    let mut payload = [0; 208];
    let mut taken = 0;
    while let Ok(came) = channel.recv_into(&mut payload, &Expected::bytes(208).fds(1..=1)) {
        let fd = came.fds.into_iter().next().expect("one was asked for");
        if HostMapping::import(fd, numbers).is_err() || channel.send(&[1], &[]).is_err() {
            break;
        }
        taken += 1;
    }
    taken
}
