//! Contracts that other projects write by hand in two languages, with the offsets those projects publish.

/// The `transmission_data` of the examples of iceoryx2, which C, C++, Rust and Python declare apart.
pub mod iceoryx2 {
    use wirecontract::WireContract;

    /// One sample that is published.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 16)]
    pub struct TransmissionData {
        /// A number.
        #[wire(offset = 0)]
        pub x: i32,
        /// Another number.
        #[wire(offset = 4)]
        pub y: i32,
        /// A third one.
        #[wire(offset = 8)]
        pub funky: f64,
    }
}

/// Messages of the FUSE kernel ABI (`linux/fuse.h`), as of 7.40.
pub mod fuse {
    use wirecontract::WireContract;

    /// The head of every request (`fuse_in_header`).
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 40, c_name = "fuse_in_header")]
    pub struct InHeader {
        /// Bytes of the request, this header included.
        #[wire(offset = 0)]
        pub len: u32,
        /// What is asked.
        #[wire(offset = 4)]
        pub opcode: u32,
        /// The number that the reply repeats.
        #[wire(offset = 8)]
        pub unique: u64,
        /// The inode it is about.
        #[wire(offset = 16)]
        pub nodeid: u64,
        /// The user who asks.
        #[wire(offset = 24)]
        pub uid: u32,
        /// That user's group.
        #[wire(offset = 28)]
        pub gid: u32,
        /// The process that asks.
        #[wire(offset = 32)]
        pub pid: u32,
        /// Not used.
        #[wire(reserved, offset = 36)]
        pub padding: u32,
    }

    /// What a file system answers to the first request (`fuse_init_out`). Before 7.23 it ended after `max_write`.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 64, c_name = "fuse_init_out")]
    pub struct InitOut {
        /// The major version of the protocol.
        #[wire(offset = 0)]
        pub major: u32,
        /// The minor version of the protocol.
        #[wire(offset = 4)]
        pub minor: u32,
        /// Most bytes to read ahead.
        #[wire(offset = 8)]
        pub max_readahead: u32,
        /// What the file system can do, the lower half.
        #[wire(offset = 12)]
        pub flags: u32,
        /// Most requests in the background.
        #[wire(offset = 16)]
        pub max_background: u16,
        /// The number of requests in the background at which the kernel holds back.
        #[wire(offset = 18)]
        pub congestion_threshold: u16,
        /// Most bytes of a write.
        #[wire(offset = 20)]
        pub max_write: u32,
        /// The resolution of time stamps, in nanoseconds (7.23).
        #[wire(offset = 24)]
        pub time_gran: u32,
        /// Most pages of a request (7.28).
        #[wire(offset = 28)]
        pub max_pages: u16,
        /// Not used.
        #[wire(reserved, offset = 30)]
        pub unused2: u16,
        /// What the file system can do, the upper half (7.36).
        #[wire(offset = 32)]
        pub flags2: u32,
        /// Most file systems on top of each other (7.40).
        #[wire(offset = 36)]
        pub max_stack_depth: u32,
        /// Not used yet: put to use release by release.
        #[wire(reserved, offset = 40)]
        pub reserved: [u32; 6],
    }
}

/// The command that libfranka sends to a robot arm every millisecond, packed.
pub mod franka {
    use wirecontract::WireContract;

    /// Motion and torques (`RobotCommand`).
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[allow(non_snake_case, reason = "the names that robotics has for frames")]
    #[wire(descriptor, layout = packed, size = 370)]
    pub struct RobotCommand {
        /// The state that this answers.
        #[wire(offset = 0)]
        pub message_id: u64,
        /// Joint positions.
        #[wire(offset = 8)]
        pub q_c: [f64; 7],
        /// Joint velocities.
        #[wire(offset = 64)]
        pub dq_c: [f64; 7],
        /// The pose of the end effector in the base frame, column-major.
        #[wire(offset = 120)]
        pub O_T_EE_c: [f64; 16],
        /// The twist of the end effector in the base frame.
        #[wire(offset = 248)]
        pub O_dP_EE_c: [f64; 6],
        /// The elbow.
        #[wire(offset = 296)]
        pub elbow_c: [f64; 2],
        /// Whether the elbow is commanded.
        #[wire(offset = 312)]
        pub valid_elbow: bool,
        /// Whether the motion ends.
        #[wire(offset = 313)]
        pub motion_generation_finished: bool,
        /// Joint torques.
        #[wire(offset = 314)]
        pub tau_J_d: [f64; 7],
    }
}

/// Events and virtual devices of Linux (`linux/input.h`, `linux/uinput.h`) where a `long` has 64 bits.
pub mod input {
    use wirecontract::WireContract;

    /// An event of an input device (`input_event`).
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 24)]
    pub struct InputEvent {
        /// Seconds.
        #[wire(offset = 0)]
        pub sec: i64,
        /// Microseconds.
        #[wire(offset = 8)]
        pub usec: i64,
        /// What kind of event.
        #[wire(offset = 16)]
        pub r#type: u16,
        /// Which key or axis.
        #[wire(offset = 18)]
        pub code: u16,
        /// How far.
        #[wire(offset = 20)]
        pub value: i32,
    }

    /// A virtual device (`uinput_user_dev`).
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 1116)]
    pub struct UinputUserDev {
        /// What it is called.
        #[wire(text, offset = 0)]
        pub name: [u8; 80],
        /// The bus it is said to be on.
        #[wire(offset = 80)]
        pub bustype: u16,
        /// The vendor.
        #[wire(offset = 82)]
        pub vendor: u16,
        /// The product.
        #[wire(offset = 84)]
        pub product: u16,
        /// The version.
        #[wire(offset = 86)]
        pub version: u16,
        /// Most force-feedback effects at once.
        #[wire(offset = 88)]
        pub ff_effects_max: u32,
        /// The most an axis says.
        #[wire(offset = 92)]
        pub absmax: [i32; 64],
        /// The least an axis says.
        #[wire(offset = 348)]
        pub absmin: [i32; 64],
        /// The noise of an axis.
        #[wire(offset = 604)]
        pub absfuzz: [i32; 64],
        /// The dead zone of an axis.
        #[wire(offset = 860)]
        pub absflat: [i32; 64],
    }
}

/// The same events where a `long` has 32 bits.
pub mod input32 {
    use wirecontract::WireContract;

    /// An event of an input device (`input_event`).
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[wire(descriptor, endian = native, size = 16)]
    pub struct InputEvent {
        /// Seconds.
        #[wire(offset = 0)]
        pub sec: i32,
        /// Microseconds.
        #[wire(offset = 4)]
        pub usec: i32,
        /// What kind of event.
        #[wire(offset = 8)]
        pub r#type: u16,
        /// Which key or axis.
        #[wire(offset = 10)]
        pub code: u16,
        /// How far.
        #[wire(offset = 12)]
        pub value: i32,
    }
}

/// How a client registers CUDA memory with the Triton inference server (its extension of shared memory), in JSON.
pub mod triton {
    use wirecontract::WireContract;

    /// The body of the request.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct Registration {
        /// The memory, as CUDA hands it to other processes.
        pub raw_handle: RawHandle,
        /// The device that it is on.
        #[wire(min = 0)]
        pub device_id: i64,
        /// Bytes of it.
        pub byte_size: u64,
    }

    /// A `cudaIpcMemHandle_t`.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct RawHandle {
        /// Its bytes.
        #[wire(base64)]
        pub b64: [u8; 64],
    }

    /// The server's refusal.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct Failure {
        /// Why.
        pub error: String,
    }

    /// What the server says of a region that was registered.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct Region {
        /// What it is called.
        pub name: String,
        /// The device that it is on.
        #[wire(min = 0)]
        pub device_id: i64,
        /// Bytes of it.
        pub byte_size: u64,
    }

    /// The body of an answer.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(union, untagged)]
    pub enum Answer {
        /// It failed.
        Failed(Failure),
        /// The region.
        Region(Region),
    }
}

/// A wire beside that of textures, where a number of 64 bits travels as text, because JSON has none.
pub mod staging {
    use wirecontract::WireContract;

    /// Where a reader finds pixels, and when.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct Staging {
        /// Bytes of the staging buffer.
        #[wire(decimal_string)]
        pub staging_byte_size: u64,
        /// Bytes from row to row.
        #[wire(decimal_string)]
        pub bytes_per_row: u64,
        /// The value of the timeline semaphore at which the pixels are there.
        #[wire(decimal_string)]
        pub timeline_value: u64,
    }

    /// Why there are none.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(recipe)]
    pub struct Refusal {
        /// For people.
        pub message: String,
    }

    /// The answer.
    #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
    #[wire(union, tag = "result", rename_all = "snake_case")]
    pub enum Response {
        /// They are there.
        Ok(Staging),
        /// They are not.
        Err(Refusal),
        /// Somebody else has them.
        Contended,
    }
}
