//! Formats counts with their nouns.

/// A count with its noun: `1 byte`, `2 bytes`. For nouns with a plural in `s`, or in `ies` after a
/// `y`.
///
/// ```
/// assert_eq!(obsidian_note::plural::count(1_usize, "note"), "1 note");
/// ```
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        number => match noun.strip_suffix('y') {
            Some(stem) => format!("{number} {stem}ies"),
            None => format!("{number} {noun}s"),
        },
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
        assert_eq!(count(2_u64, "property"), "2 properties");
    }
}
