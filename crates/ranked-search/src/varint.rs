//! Variable-length numbers: seven bits per byte, the lowest first.

/// Appends the bytes of a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

/// Removes a number from the beginning of the bytes; `None` if they do not begin with a complete
/// one.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_taken_as_it_was_put(number in any::<u64>(), small in 0_u64..300) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put(&mut bytes, small);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(take(&mut rest), Some(number));
            prop_assert_eq!(take(&mut rest), Some(small));
            prop_assert_eq!(take(&mut rest), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            take(&mut bytes.as_slice());
        }
    }
}
