//! Finds bytes while ignoring some of their bits. So letters are found in either case without
//! converting the text.

/// A byte to find. The bits in `mask` are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaskedByte {
    /// The byte with all bits of `mask` set.
    pub(super) value: u8,
    /// The bits that are ignored in the comparison.
    pub(super) mask: u8,
}

impl MaskedByte {
    fn accepts(self, byte: u8) -> bool {
        byte | self.mask == self.value
    }
}

/// Finds a run of masked bytes.
///
/// The text is searched for the two rarest bytes of the run at their distance, many positions at a time (SIMD). The
/// whole run is compared only if both match.
#[derive(Clone, Debug)]
pub(super) struct MaskedFinder {
    run: Vec<MaskedByte>,
    /// The index in `run` of the first byte of the pair.
    first: usize,
    /// The index of the second byte; equal to `first` for a run of one byte.
    second: usize,
}

/// The number of positions that are compared in one step; a multiple of every vector width in use.
const LANES: usize = 32;
/// The bound on comparisons, in bytes for each byte of text. Without it a run of one repeated
/// letter in a text of the same letter would take quadratic time.
const COMPARED_PER_BYTE: usize = 16;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskedMatch {
    At(usize),
    Nowhere,
    /// The search was given up, because the text repeats the beginning of the run too often.
    TooCostly,
}

impl MaskedFinder {
    /// A finder for a run of bytes; `None` for an empty run.
    pub(super) fn new(run: Vec<MaskedByte>) -> Option<Self> {
        let rank = |(_, byte): &(usize, &MaskedByte)| commonness(byte.value);
        // The rarer the pair is in notes, the fewer positions need a comparison of the whole run.
        let (rarest, _) = run.iter().enumerate().min_by_key(rank)?;
        let others = run.iter().enumerate().filter(|(index, _)| *index != rarest);
        let next = others.min_by_key(rank).map_or(rarest, |(index, _)| index);
        Some(Self {
            run,
            first: rarest.min(next),
            second: rarest.max(next),
        })
    }

    /// Returns the number of bytes in the run.
    pub(super) fn len(&self) -> usize {
        self.run.len()
    }

    /// Returns the first match at or after `from`. Time is linear in the text up to there and in the run.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> MaskedMatch {
        let (mut next, mut compared) = (from, 0);
        loop {
            let Some(start) = self.candidate(bytes, next) else {
                return MaskedMatch::Nowhere;
            };
            let place = bytes.get(start..).unwrap_or_default();
            let mut pairs = self.run.iter().zip(place);
            let Some(differs) = pairs.position(|(want, byte)| !want.accepts(*byte)) else {
                return MaskedMatch::At(start);
            };
            next = start + 1;
            compared += differs;
            if compared / COMPARED_PER_BYTE > next - from + self.run.len() {
                return MaskedMatch::TooCostly;
            }
        }
    }

    /// Returns the first position at or after `from` at which both bytes of the pair match.
    fn candidate(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let last = bytes.len().checked_sub(self.run.len())?;
        // The index in both slices is the position at which the run would begin.
        let near = bytes.get(from + self.first..=last + self.first)?;
        let far = bytes.get(from + self.second..=last + self.second)?;
        let (first, second) = (*self.run.get(self.first)?, *self.run.get(self.second)?);
        let (near_blocks, near_rest) = near.as_chunks::<LANES>();
        let (far_blocks, far_rest) = far.as_chunks::<LANES>();
        for (index, (near, far)) in near_blocks.iter().zip(far_blocks).enumerate() {
            if any_pair(near, far, first, second) {
                let lane = pair(near, far, first, second)?;
                return Some(from + index * LANES + lane);
            }
        }
        let searched = near.len() - near_rest.len();
        pair(near_rest, far_rest, first, second).map(|lane| from + searched + lane)
    }
}

/// Whether the pair matches anywhere in the block. Free of branches, so that it compiles to vector
/// instructions.
fn any_pair(near: &[u8; LANES], far: &[u8; LANES], first: MaskedByte, second: MaskedByte) -> bool {
    let mut any = 0_u8;
    for lane in 0..LANES {
        let near = (near[lane] | first.mask) ^ first.value;
        let far = (far[lane] | second.mask) ^ second.value;
        any |= u8::from(near | far == 0);
    }
    any != 0
}

fn pair(near: &[u8], far: &[u8], first: MaskedByte, second: MaskedByte) -> Option<usize> {
    near.iter()
        .zip(far)
        .position(|(near, far)| first.accepts(*near) && second.accepts(*far))
}

/// Returns how common a byte is in notes, from 0 for the rarest. Only the speed depends on it.
fn commonness(byte: u8) -> usize {
    const RARE_TO_COMMON: &[u8] =
        b"~^@%{}<>;&+?|$\\qzj=!xQZJXKV987654321_0#'/YUWGkvHFBPRONMLDEIC:ATS\"*()[]wyb,gf`m.puhd-clrnosiat\ne ";
    match RARE_TO_COMMON.iter().position(|known| *known == byte) {
        Some(position) => position + 1,
        // In texts that are not ASCII these bytes are frequent.
        None if byte >= 0x80 => 40,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(text: &[u8]) -> Vec<MaskedByte> {
        text.iter()
            .map(|byte| {
                let mask = if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
                MaskedByte {
                    value: byte | mask,
                    mask,
                }
            })
            .collect()
    }

    #[test]
    fn the_rarest_two_bytes_are_looked_for() {
        let finder = MaskedFinder::new(run(b"the quiz")).unwrap();
        assert_eq!((finder.first, finder.second), (4, 7));
        let one = MaskedFinder::new(run(b"x")).unwrap();
        assert_eq!((one.first, one.second), (0, 0));
        assert!(MaskedFinder::new(Vec::new()).is_none());
    }

    #[test]
    fn every_place_in_and_between_blocks_is_found() {
        let finder = MaskedFinder::new(run(b"Note")).unwrap();
        for length in 0..140 {
            for at in 0..=length {
                let mut text = vec![b'n'; length];
                text.splice(at..at, *b"nOtE");
                assert_eq!(finder.find(&text, 0), MaskedMatch::At(at), "{length} {at}");
                assert_eq!(finder.find(&text, at), MaskedMatch::At(at));
                assert_eq!(finder.find(&text, at + 1), MaskedMatch::Nowhere);
            }
        }
        assert_eq!(finder.find(b"not", 0), MaskedMatch::Nowhere);
        assert_eq!(finder.find(b"note", 9), MaskedMatch::Nowhere);
    }

    #[test]
    fn e16_a_text_that_repeats_the_run_almost_is_given_up() {
        let (long, text) = (vec![b'a'; 10_000], vec![b'a'; 1_000_000]);
        let almost = [long.as_slice(), b"e", &long].concat();
        let finder = MaskedFinder::new(run(&almost)).unwrap();
        assert_eq!(finder.find(&text, 0), MaskedMatch::TooCostly);
        let finder = MaskedFinder::new(run(&long)).unwrap();
        assert_eq!(finder.find(&text, 5), MaskedMatch::At(5));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn finds_what_a_plain_comparison_finds(
            text in "[aAbB ]{0,80}",
            needle in "[ab ]{1,4}",
            from in 0_usize..90,
        ) {
            let finder = MaskedFinder::new(run(needle.as_bytes())).unwrap();
            let lower = text.to_ascii_lowercase();
            let expected = lower.get(from..).and_then(|rest| rest.find(&needle));
            let expected = expected.map_or(MaskedMatch::Nowhere, |at| MaskedMatch::At(at + from));
            prop_assert_eq!(finder.find(text.as_bytes(), from), expected);
        }
    }
}
