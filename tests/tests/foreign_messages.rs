//! Wires of other projects as declared messages: a header, what follows it, and what rides beside.

use std::os::fd::OwnedFd;
use std::process::Command;

use wirecontract::{Code, Message, WireContract};
use wirecontract_tests::foreign::fuse::InHeader;
use wirecontract_tests::repository;

/// What a program of C prints, line by line: a name, and bytes in hex.
fn printed(source: &str) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let program = folder.path().join("program");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(repository().join(source));
    assert!(gcc.status().expect("gcc: `apt-get install gcc`").success(), "{gcc:?}");
    let output = Command::new(&program).output().expect("it was compiled");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
    };
    text.lines()
        .map(|line| {
            let (name, hex) = line.split_once(' ').expect("a name and bytes");
            (name.to_owned(), bytes(hex))
        })
        .collect()
}

fn of(all: &[(String, Vec<u8>)], name: &str) -> Vec<u8> {
    all.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{name} was printed")).1.clone()
}

mod fuse {
    use super::*;

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 64, endian = native)]
    struct InitIn {
        major: u32,
        minor: u32,
        max_readahead: u32,
        flags: u32,
        flags2: u32,
        #[wire(reserved)]
        unused: [u32; 11],
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 40, endian = native)]
    struct WriteIn {
        fh: u64,
        offset: u64,
        size: u32,
        write_flags: u32,
        lock_owner: u64,
        flags: u32,
        #[wire(reserved)]
        padding: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8, endian = native)]
    struct BatchForgetIn {
        count: u32,
        #[wire(reserved)]
        dummy: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 16, endian = native)]
    struct ForgetOne {
        nodeid: u64,
        nlookup: u64,
    }

    /// The kernel says what it speaks.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(len: header.len == 104))]
    struct Init {
        header: InHeader,
        init: InitIn,
    }

    /// A name in a directory, ended by NUL.
    #[derive(WireContract, Debug)]
    #[wire(message, max_bytes = 8192)]
    struct Lookup {
        header: InHeader,
        #[wire(tail(bytes = header.len - 40))]
        name: String,
    }

    /// Data for a file.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(len: header.len == 80 + len(data)))]
    struct Write {
        header: InHeader,
        write: WriteIn,
        #[wire(tail(bytes = write.size))]
        data: Vec<u8>,
    }

    /// Nodes that the kernel holds no more.
    #[derive(WireContract, Debug)]
    #[wire(message, rule(len: header.len == 48 + 16 * len(nodes)))]
    struct BatchForget {
        header: InHeader,
        forget: BatchForgetIn,
        #[wire(tail(count = forget.count))]
        nodes: Vec<ForgetOne>,
    }

    /// What this file system does not do.
    #[derive(WireContract, Debug)]
    #[wire(message)]
    struct Unknown {
        header: InHeader,
        #[wire(tail(bytes = header.len - 40))]
        arguments: Vec<u8>,
    }

    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = header.opcode)]
    enum Request {
        Lookup(Lookup) = 1,
        Write(Write) = 16,
        Init(Init) = 26,
        BatchForget(BatchForget) = 42,
        #[wire(open)]
        Unknown(Unknown),
    }

    #[test]
    fn requests_of_the_kernel_are_read_and_written() {
        let all = printed("tests/c/fuse_requests.c");
        let read = |name| {
            let bytes = of(&all, name);
            let request = Request::from_message(&bytes, Vec::new()).unwrap();
            assert_eq!(request.to_message().unwrap().0, bytes, "{name}");
            request
        };
        let Request::Init(init) = read("init") else { panic!("init") };
        assert_eq!((init.init.major, init.init.minor, init.init.flags2), (7, 36, 2));
        let Request::Lookup(lookup) = read("lookup") else { panic!("lookup") };
        assert_eq!((lookup.name.as_str(), lookup.header.nodeid), ("caf\u{e9}\0", 1));
        let Request::Write(write) = read("write") else { panic!("write") };
        assert_eq!((write.data.as_slice(), write.write.offset), (b"0123456789".as_slice(), 4096));
        let Request::BatchForget(forget) = read("batch_forget") else { panic!("batch_forget") };
        let nodes: Vec<(u64, u64)> = forget.nodes.iter().map(|node| (node.nodeid, node.nlookup)).collect();
        assert_eq!(nodes, [(7, 1), (8, 2), (9, 3)]);
        let Request::Unknown(unknown) = read("statx") else { panic!("statx") };
        assert_eq!((unknown.header.opcode, unknown.arguments.len()), (52, 24));
    }

    #[test]
    fn a_request_that_is_not_as_long_as_it_says_is_refused() {
        let all = printed("tests/c/fuse_requests.c");
        let mut write = of(&all, "write");
        write.pop();
        let error = Request::from_message(&write, Vec::new()).unwrap_err();
        assert_eq!((error.code, error.contract, error.offset), (Code::TooShort, "Write", 89));
        let mut forget = of(&all, "batch_forget");
        forget[0] ^= 1;
        let error = Request::from_message(&forget, Vec::new()).unwrap_err();
        assert_eq!((error.code, error.contract), (Code::RuleViolated, "BatchForget"));
        // A count that would be read past the end of any message.
        let mut forget = of(&all, "batch_forget");
        forget[40..44].copy_from_slice(&u32::MAX.to_ne_bytes());
        let error = Request::from_message(&forget, Vec::new()).unwrap_err();
        assert_eq!((error.code, error.field), (Code::LengthExceeds, "nodes"));
        assert_eq!(error.expected.to_string(), "at most 65533");
    }
}

mod vhost_user {
    use super::*;

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 12, endian = native, rule(version: flags % 4 == 1))]
    struct Header {
        request: u32,
        flags: u32,
        size: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8, endian = native)]
    struct Word {
        value: u64,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8, endian = native, rule(regions: regions <= 8))]
    struct Memory {
        regions: u32,
        #[wire(reserved)]
        padding: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 32, endian = native)]
    struct Region {
        guest_address: u64,
        size: u64,
        user_address: u64,
        mmap_offset: u64,
    }

    #[derive(WireContract, Debug)]
    #[wire(message, rule(size: header.size == 0))]
    struct GetFeatures {
        header: Header,
    }

    #[derive(WireContract, Debug)]
    #[wire(message, rule(size: header.size == 8))]
    struct SetFeatures {
        header: Header,
        features: Word,
    }

    /// The guest's memory: a file descriptor for each region.
    #[derive(WireContract, Debug)]
    #[wire(message, max_bytes = 276, rule(size: header.size == 8 + 32 * len(regions)))]
    struct SetMemTable {
        header: Header,
        memory: Memory,
        #[wire(tail(count = memory.regions))]
        regions: Vec<Region>,
        #[wire(fds(0..=8), count = memory.regions)]
        fds: Vec<OwnedFd>,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 8, endian = native)]
    struct VringState {
        index: u32,
        num: u32,
    }

    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, size = 40, endian = native)]
    struct VringAddr {
        index: u32,
        flags: u32,
        descriptors: u64,
        used: u64,
        available: u64,
        log: u64,
    }

    #[derive(WireContract, Debug)]
    #[wire(message, rule(size: header.size == 8))]
    struct SetVringNum {
        header: Header,
        state: VringState,
    }

    #[derive(WireContract, Debug)]
    #[wire(message, rule(size: header.size == 40))]
    struct SetVringAddr {
        header: Header,
        addr: VringAddr,
    }

    /// Where the guest says that there is work; without one it is polled (bit 8 of the number).
    #[derive(WireContract, Debug)]
    #[wire(message, rule(size: header.size == 8))]
    struct SetVringKick {
        header: Header,
        vring: Word,
        #[wire(fd, present_if(vring.value / 256 % 2 == 0))]
        kick: Option<OwnedFd>,
    }

    #[derive(WireContract, Debug)]
    #[repr(u32)]
    #[wire(message, tag = header.request)]
    enum Request {
        GetFeatures(GetFeatures) = 1,
        SetFeatures(SetFeatures) = 2,
        SetMemTable(SetMemTable) = 5,
        SetVringNum(SetVringNum) = 8,
        SetVringAddr(SetVringAddr) = 9,
        SetVringKick(SetVringKick) = 12,
    }

    fn request(name: &str) -> Vec<u8> {
        of(&printed("tests/c/vhost_requests.c"), name)
    }

    fn fds(count: usize) -> Vec<OwnedFd> {
        (0..count).map(|_| std::fs::File::open("/dev/null").unwrap().into()).collect()
    }

    #[test]
    fn each_region_of_memory_has_its_file_descriptor() {
        for count in [0, 1, 8] {
            let bytes = request(&format!("memory_{count}"));
            let read = Request::from_message(&bytes, fds(count)).unwrap();
            let Request::SetMemTable(table) = &read else { panic!("{read:?}") };
            assert_eq!((table.regions.len(), table.fds.len()), (count, count));
            for (index, region) in (0..).zip(&table.regions) {
                let expected = Region {
                    guest_address: index << 32,
                    size: 1 << 30,
                    user_address: 0x7f00_0000_0000 + index,
                    mmap_offset: 0x1000 * index,
                };
                assert_eq!(*region, expected);
            }
            let (written, beside) = read.to_message().unwrap();
            assert_eq!((written, beside.len()), (bytes.clone(), count));
            let error = Request::from_message(&bytes, fds(count + 1)).unwrap_err();
            assert_eq!((error.code, error.contract), (Code::FdCount, "SetMemTable"));
        }
        let nine = Request::from_message(&request("memory_9"), fds(9)).unwrap_err();
        assert_eq!((nine.code, nine.contract), (Code::TooLarge, "SetMemTable"));
    }

    #[test]
    fn rings_are_as_the_kernel_has_them() {
        let bytes = request("vring_num");
        let read = Request::from_message(&bytes, Vec::new()).unwrap();
        assert_eq!(read.to_message().unwrap().0, bytes);
        let Request::SetVringNum(SetVringNum { state, .. }) = read else { panic!("{read:?}") };
        assert_eq!(state, VringState { index: 3, num: 256 });
        let bytes = request("vring_addr");
        let read = Request::from_message(&bytes, Vec::new()).unwrap();
        assert_eq!(read.to_message().unwrap().0, bytes);
        let Request::SetVringAddr(SetVringAddr { addr, .. }) = read else { panic!("{read:?}") };
        let expected = VringAddr {
            index: 3,
            flags: 1,
            descriptors: 0x7f00_0000_0010,
            used: 0x7f00_0000_0024,
            available: 0x7f00_0000_0032,
            log: 0x1000,
        };
        assert_eq!(addr, expected);
    }

    #[test]
    fn a_ring_that_is_polled_has_no_file_descriptor() {
        let (rung, polled) = (request("kick"), request("kick_polled"));
        let with = Request::from_message(&rung, fds(1)).unwrap();
        let Request::SetVringKick(with) = with else { panic!("{with:?}") };
        assert!(with.kick.is_some());
        let without = Request::from_message(&polled, Vec::new()).unwrap();
        let Request::SetVringKick(without) = without else { panic!("{without:?}") };
        assert!(without.kick.is_none());
        let missing = Request::from_message(&rung, Vec::new()).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "SetVringKick at byte 0: fd_count: expected 1 file descriptor, found 0"
        );
        let surplus = Request::from_message(&polled, fds(1)).unwrap_err();
        assert_eq!(
            surplus.to_string(),
            "SetVringKick at byte 0: fd_count: expected no file descriptor, found 1"
        );
    }

    #[test]
    fn the_version_stands_in_the_header_and_unknown_requests_are_named() {
        let mut features = request("get_features");
        features[4] = 2;
        let error = Request::from_message(&features, Vec::new()).unwrap_err();
        assert_eq!((error.code, error.contract), (Code::RuleViolated, "Header"));
        let unknown = Request::from_message(&request("unknown"), Vec::new()).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "Request.header.request at byte 0: unknown_tag: expected a tag of Request, found 77"
        );
        assert!(Request::from_message(&request("get_features"), Vec::new()).is_ok());
        let set = Request::from_message(&request("set_features"), Vec::new()).unwrap();
        let Request::SetFeatures(SetFeatures { features, .. }) = set else { panic!("{set:?}") };
        assert_eq!(features.value, 1 << 29);
    }
}
