//! JavaScript's idea of equal letters under the flag `i` without `u`: equal in upper case.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The form in which letters are compared. Upper case; but nothing beyond ASCII becomes ASCII,
/// and what has a longer upper case, or is beyond U+FFFF, stays as it is.
pub(super) fn canonical(number: u32) -> u32 {
    if let Ok(byte) = u8::try_from(number)
        && byte.is_ascii()
    {
        return u32::from(byte.to_ascii_uppercase());
    }
    let Some(character) = char::from_u32(number).filter(|_| number <= 0xffff) else {
        return number;
    };
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if !upper.is_ascii() => u32::from(upper),
        _ => number,
    }
}

/// Whether the test holds for this letter or any that is equal to it.
pub(super) fn any_equal(number: u32, test: impl Fn(u32) -> bool) -> bool {
    match FAMILIES.get(&canonical(number)) {
        Some(family) => family.iter().any(|equal| test(*equal)),
        None => test(number),
    }
}

/// Letters by their canonical form, where there are several.
static FAMILIES: LazyLock<HashMap<u32, Vec<u32>>> = LazyLock::new(|| {
    let mut families: HashMap<u32, Vec<u32>> = HashMap::new();
    for number in 0..=0xffff {
        let canonical = canonical(number);
        if canonical != number {
            families
                .entry(canonical)
                .or_insert_with(|| vec![canonical])
                .push(number);
        }
    }
    families
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_equal_in_upper_case() {
        let same = |left: char, right: char| canonical(left.into()) == canonical(right.into());
        assert!(same('a', 'A') && same('é', 'É') && same('σ', 'ς') && same('µ', 'μ'));
        assert!(!same('k', '\u{212a}') && !same('s', 'ſ') && !same('i', 'ı') && !same('ß', 'ẞ'));
        for sigma in ['Σ', 'ς', 'σ'] {
            assert!(any_equal('σ'.into(), |number| number == u32::from(sigma)));
        }
        assert!(!any_equal('1'.into(), |number| number != 0x31));
    }
}
