//! Random numbers that a seed repeats.

/// A generator (xorshift64*): small, fast, and the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

/// The variable that repeats a run.
pub const SEED: &str = "WIRECONTRACT_SEED";

impl Random {
    /// The generator of that seed.
    pub fn new(seed: u64) -> Self {
        // The state must not be zero, and small seeds should not begin alike.
        Random((seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1)
    }

    /// The seed in the environment: a number, or `new` for one that the clock gives. Without it the same one in every
    /// run, so that the tests say the same of the same commit; printed, so that a failure can be repeated.
    ///
    /// # Panics
    /// When the variable is set to something else.
    pub fn seed() -> u64 {
        let seed = match std::env::var(SEED).as_deref() {
            Ok("new") => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(1, |now| u64::from(now.subsec_nanos()) ^ now.as_secs()),
            Ok(text) => {
                text.parse().unwrap_or_else(|_| panic!("{SEED}: expected a number or `new`, found `{text}`"))
            }
            Err(_) => 2026,
        };
        eprintln!("repeat with {SEED}={seed}");
        seed
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 to below `end`; 0 when that is none.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(((self.bits() >> 32) * (end as u64)) >> 32).unwrap_or(0)
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    ///
    /// # Panics
    /// When there is none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// The choices in another order.
    pub fn shuffle<T>(&mut self, choices: &mut [T]) {
        for index in (1..choices.len()).rev() {
            choices.swap(index, self.below(index + 1));
        }
    }

    /// Random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits().to_le_bytes()[3]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_repeats_and_another_one_differs() {
        assert_eq!(Random::new(5).bytes(32), Random::new(5).bytes(32));
        assert_ne!(Random::new(5).bytes(32), Random::new(6).bytes(32));
    }

    #[test]
    fn every_number_below_the_end_comes_up() {
        let mut random = Random::new(1);
        let seen: std::collections::BTreeSet<usize> = (0..200).map(|_| random.below(5)).collect();
        assert_eq!(seen, (0..5).collect());
    }
}
