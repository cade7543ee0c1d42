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
}
