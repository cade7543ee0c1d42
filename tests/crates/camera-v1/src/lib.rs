//! The camera's program as it was first built.

pub mod control {
    //! What a camera is asked for.

    use wirecontract::WireContract;

    /// What a camera is asked for.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, version = 1)]
    pub struct Request {
        /// How long, in microseconds.
        pub exposure_us: u32,
    }

    impl Default for Request {
        fn default() -> Self {
            Request { exposure_us: 250 }
        }
    }

    /// How a frame was taken.
    #[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u32)]
    #[wire(enumeration, rename_all = "snake_case")]
    pub enum Mode {
        /// For a photograph.
        Still = 1,
        /// For a film.
        Live = 2,
    }

    /// What a camera took.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[repr(C)]
    #[wire(descriptor, version = 1)]
    pub struct Frame {
        /// Which one, since the camera was started.
        pub number: u32,
        /// How it was taken.
        pub mode: Mode,
    }

    impl Default for Frame {
        fn default() -> Self {
            Frame { number: 7, mode: Mode::Live }
        }
    }
}
