//! Counts in words.

/// A count with its noun: `1 byte`, `2 bytes`. For nouns whose plural is an `s`.
pub(crate) fn count(number: impl TryInto<u64>, noun: &str) -> String {
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one() {
        assert_eq!(count(0_usize, "note"), "0 notes");
        assert_eq!(count(1_usize, "note"), "1 note");
        assert_eq!(count(2_u64, "note"), "2 notes");
    }
}
