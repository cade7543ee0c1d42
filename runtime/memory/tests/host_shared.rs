//! Host memory by its descriptor: who exported it, and what an importer reads there.
#![cfg(feature = "host")]

mod fork_support;

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use fork_support::{fork, leave};
use wirecontract::Code;
use wirecontract_gpu::buffer::{BufferFlag, BufferKind, ProcessIdentity, SharedBuffer};
use wirecontract_runtime::host::{
    Access, Barrier, HostBuffer, HostError, HostMapping, HostOptions, Import, Pool,
};

/// What `/proc` has of this process, as somebody else would read it.
fn identity() -> ProcessIdentity {
    let pid = std::process::id();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("proc is mounted");
    let begun = stat.rsplit_once(") ").expect("a name").1.split(' ').nth(19).expect("field 22");
    ProcessIdentity {
        pid: pid.into(),
        start_time: begun.parse().expect("a number"),
        pid_namespace: fs::metadata(format!("/proc/{pid}/ns/pid")).expect("proc is mounted").ino(),
    }
}

fn buffer(options: &HostOptions) -> HostBuffer {
    HostBuffer::create(options).expect("memory")
}

#[test]
fn a_descriptor_says_who_exported_which_buffer() {
    let (one, other) = (buffer(&HostOptions::new(10)), buffer(&HostOptions::new(10)));
    let identity = identity();
    assert!(identity.start_time > 0 && identity.pid_namespace > 0);
    assert_eq!((one.shared().exporter, other.shared().exporter), (identity, identity));
    let (id, theirs) = (one.shared().buffer_id, other.shared().buffer_id);
    assert!(id > 0 && theirs > 0 && id != theirs, "{id} and {theirs}");
    assert_eq!(one.shared().buffer_id, id, "it stays so");
    assert_eq!(one.freeze().expect("nobody writes it").shared().buffer_id, id);
    // One that is used again is the same memory.
    let pool = Pool::new(HostOptions::new(10), 1).expect("a pool");
    let first = pool.try_take().expect("it is free").shared().buffer_id;
    assert_eq!(pool.try_take().expect("it is free").shared().buffer_id, first);
}

#[test]
fn a_fork_says_that_it_is_another_process() {
    let ours = buffer(&HostOptions::new(10)).shared().exporter;
    let Some(child) = fork() else {
        leave(|| {
            let theirs = buffer(&HostOptions::new(10)).shared().exporter;
            assert_eq!(theirs, identity());
            assert_ne!(theirs.pid, ours.pid);
        })
    };
    child.succeeds();
    assert_eq!(buffer(&HostOptions::new(10)).shared().exporter, ours);
}

#[test]
fn a_buffer_is_imported_by_its_descriptor_with_the_access_that_it_gives() {
    for (given, size, offset) in [(Access::ReadOnly, 10, 0), (Access::ReadWrite, 5000, 256)] {
        let mut exported = buffer(&HostOptions::new(size).offset(offset).consumers(given));
        exported.write_at(0, b"abc").expect("inside");
        let shared = exported.shared();
        assert_eq!(shared.flags.contains(BufferFlag::ReadOnly), given == Access::ReadOnly);
        let import = Import::of(&shared).expect("it may be used");
        assert_eq!(import, exported.describe());
        let fd = || exported.try_clone_fd().expect("a descriptor");
        let mut bytes = [0; 3];
        HostMapping::import(fd(), &import).expect("it is as it says").read_at(0, &mut bytes).expect("inside");
        assert_eq!(&bytes, b"abc");
        let read = import.for_access(Access::ReadOnly).expect("that is always given");
        assert_eq!(read.access, Access::ReadOnly);
        let mut mapping = HostMapping::import(fd(), &read).expect("it is as it says");
        assert_eq!(mapping.write_at(0, b"x").map_err(|error| error.code()), Err(Code::Refused));
        let written = import.for_access(Access::ReadWrite);
        match given {
            Access::ReadWrite => {
                let mut mapping =
                    HostMapping::import(fd(), &written.expect("it is given")).expect("it is so");
                mapping.write_at(2, b"d").expect("inside");
                exported.read_at(0, &mut bytes).expect("inside");
                assert_eq!(&bytes, b"abd");
            }
            Access::ReadOnly => {
                let refused = written.expect_err("it is given for reading");
                let barrier = Barrier::GivenReadOnly;
                assert_eq!(refused, HostError::Access { wanted: Access::ReadWrite, barrier });
                assert_eq!(refused.code(), Code::Refused);
            }
        }
    }
}

#[test]
fn a_descriptor_that_no_importer_may_use_is_refused_by_its_rule() {
    let whole = buffer(&HostOptions::new(10)).shared();
    let beyond = SharedBuffer { offset: u64::MAX, ..whole.clone() };
    let refused = Import::of(&beyond).expect_err("it wraps");
    assert!(matches!(refused, HostError::Descriptor(_)), "{refused}");
    assert_eq!(refused.code(), Code::RuleViolated, "{refused}");
    let mut device = SharedBuffer::new(BufferKind::CudaLegacy, 4096);
    (device.handle_len, device.device_uuid_len) = (64, 16);
    let refused = Import::of(&device).expect_err("it is no host memory");
    assert_eq!(refused, HostError::OtherMemory { found: BufferKind::CudaLegacy });
    assert_eq!(
        refused.to_string(),
        "expected a buffer of the kind host_memfd, found cuda_legacy: import it by its own library"
    );
}
