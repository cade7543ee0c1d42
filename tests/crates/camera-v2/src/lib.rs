//! The camera's program after a key was added that old programs pass over and do not need, and a field behind those that
//! they have.

pub mod control {
    //! What a camera is asked for.

    use wirecontract::WireContract;

    /// What a camera is asked for.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, version = 2, earlier(v1 = 0x74a931878916e41e))]
    pub struct Request {
        /// How long, in microseconds.
        pub exposure_us: u32,
        /// Version 1 knows no other.
        #[wire(default = 1, since = 2)]
        pub gain: u32,
    }

    impl Default for Request {
        fn default() -> Self {
            Request { exposure_us: 250, gain: 4 }
        }
    }

    /// How a frame was taken.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u32)]
    #[wire(enumeration, rename_all = "snake_case")]
    pub enum Mode {
        /// For a photograph.
        #[wire(alias("photo"))]
        Still = 1,
        /// For a film.
        Live = 2,
    }

    /// What a camera took.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, version = 2, size(v1 = 8, v2 = 12), earlier(v1 = 0x96c3b6bd2e13eae7))]
    pub struct Frame {
        /// Which one, since the camera was started.
        pub number: u32,
        /// How it was taken.
        pub mode: Mode,
        /// Version 1 knows no other.
        #[wire(default = 1, since = 2)]
        pub gain: u32,
    }

    impl Default for Frame {
        fn default() -> Self {
            Frame { number: 7, mode: Mode::Live, gain: 1 }
        }
    }
}
