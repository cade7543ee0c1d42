//! What the kernel is asked of a file that came.
#![cfg(feature = "host")]

mod fork_support;

use std::fs::File;
use std::os::fd::OwnedFd;

use fork_support::{fork, leave};
use wirecontract_runtime::host::{Access, FileKind, HostError, HostFile, HostMapping, Import};

/// Has the kernel refuse, to this process from now on, to ask a file system what a file is.
fn ask_no_file_system() {
    let code = |bits: u32| u16::try_from(bits).expect("it has 16 bits");
    let load =
        |k| libc::sock_filter { code: code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS), jt: 0, jf: 0, k };
    let skip_unless =
        |k| libc::sock_filter { code: code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K), jt: 0, jf: 1, k };
    let answer = |k| libc::sock_filter { code: code(libc::BPF_RET | libc::BPF_K), jt: 0, jf: 0, k };
    let number = |call: libc::c_long| u32::try_from(call).expect("a small number");
    let refused = libc::SECCOMP_RET_ERRNO | libc::EDEADLK.cast_unsigned();
    let mut filter = [
        load(0),
        skip_unless(number(libc::SYS_fstat)),
        answer(refused),
        skip_unless(number(libc::SYS_newfstatat)),
        answer(refused),
        answer(libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 6, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the program, which lives until then; it concerns this process alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

/// A file of another process's file system (FUSE) is one that may keep whoever asks it for ever.
#[test]
fn no_file_system_is_asked_what_a_file_is_that_is_no_memory() {
    let Some(child) = fork() else {
        leave(|| {
            let stored = || OwnedFd::from(File::open("/proc/self/status").expect("proc is mounted"));
            let directory = || OwnedFd::from(File::open("/").expect("it is there"));
            ask_no_file_system();
            rustix::fs::fstat(stored()).expect_err("it is refused from now on");
            let import = Import { size: 1, allocation_size: 1, offset: 0, access: Access::ReadOnly };
            for (found, refused) in [
                (FileKind::Stored, HostMapping::import(stored(), &import).map(drop)),
                (FileKind::Stored, HostFile::import(stored(), &import).map(drop)),
                (FileKind::Directory, HostMapping::import(directory(), &import).map(drop)),
            ] {
                assert_eq!(refused, Err(HostError::Kind { found }));
            }
        })
    };
    child.succeeds();
}
