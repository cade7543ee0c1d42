//! The camera's program after a key was added that old programs pass over and do not need.

pub mod control {
    //! What a camera is asked for.

    use wirecontract::WireContract;

    /// What a camera is asked for.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, version = 2, earlier(v1 = 0x0000000000000000))]
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
}
