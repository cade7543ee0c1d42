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
}
