//! Random numbers that are the same on every machine.

/// The splitmix64 generator: small, fast, and good enough to make up notes.
pub(super) struct Random(u64);

impl Random {
    /// The numbers of one seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of one part of a vault, unrelated to those of its other parts.
    pub(super) fn of_part(seed: u64, part: usize) -> Self {
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        let mut mixed = Self(seed ^ part.wrapping_mul(0xd134_2543_de82_ef95));
        Self(mixed.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where the limit is 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % limit).unwrap_or_default()
    }

    /// A number from `first` to `last`, both possible.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last + 1 - first)
    }

    /// True in that many of a hundred cases.
    pub(super) fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    /// One of the items, which must not be none.
    pub(super) fn pick<'items, T>(&mut self, items: &'items [T]) -> &'items T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_first_numbers_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::of_part(7, 3);
        let numbers: Vec<usize> = (0..500).map(|_| random.between(2, 5)).collect();
        assert_eq!(numbers.iter().min(), Some(&2));
        assert_eq!(numbers.iter().max(), Some(&5));
        assert_eq!(random.below(0), 0);
    }
}
