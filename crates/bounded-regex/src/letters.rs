//! Compares letters as JavaScript does under the flag `i` without `u`: two are equal if their upper
//! case is the same (ECMA-262, `Canonicalize`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// The form in which letters are compared: their upper case. A character is left unchanged if it is
/// beyond U+FFFF, if its upper case has several characters (`ß`), or if it is not ASCII and its
/// upper case is (`ı`, `ſ`).
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

/// Whether `test` accepts this letter, or one that is equal to it.
pub(super) fn any_equal(number: u32, test: impl Fn(u32) -> bool) -> bool {
    match FAMILIES.get(&canonical(number)) {
        Some(family) => family.iter().any(|equal| test(*equal)),
        None => test(number),
    }
}

/// All letters of each canonical form that several letters have. Computed once, because it takes
/// the upper case of every character up to U+FFFF.
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
