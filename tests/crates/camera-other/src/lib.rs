//! A program whose contract was changed without a version of its own.

pub mod control {
    //! What a camera is asked for.

    use wirecontract::WireContract;

    /// What a camera is asked for.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, version = 1)]
    pub struct Request {
        /// How long, in seconds.
        pub exposure_us: f64,
    }

    impl Default for Request {
        fn default() -> Self {
            Request { exposure_us: 0.25 }
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
        pub number: u64,
        /// How it was taken.
        pub mode: Mode,
        /// Nothing.
        #[wire(reserved)]
        pub _pad: u32,
    }

    impl Default for Frame {
        fn default() -> Self {
            Frame { number: 7, mode: Mode::Live, _pad: 0 }
        }
    }
}
