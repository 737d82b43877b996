//! Divides a budget of characters among texts.

/// The least characters of a text that is cut, so that a part is worth reading. If the budget is
/// too small for that, the last texts get nothing.
const LEAST: usize = 200;

/// Returns the share of each text: all that it needs, or as much as every other text that is cut.
pub(super) fn shares(budget: usize, needs: &[usize]) -> Vec<usize> {
    let mut served = needs.len();
    let mut level = level(budget, needs);
    if level < LEAST && needs.iter().any(|need| *need > level) {
        served = (budget / LEAST).max(1).min(needs.len());
        level = self::level(budget, &needs[..served]);
    }
    let share = |(index, need): (usize, &usize)| {
        if index < served {
            (*need).min(level)
        } else {
            0
        }
    };
    needs.iter().enumerate().map(share).collect()
}

/// Returns the most that any text gets. Texts that need less leave the rest to the others.
pub(crate) fn level(budget: usize, needs: &[usize]) -> usize {
    let mut sorted = needs.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (index, need) in sorted.iter().enumerate() {
        let equal = left / (sorted.len() - index);
        if *need > equal {
            return equal;
        }
        left -= need;
    }
    usize::MAX
}

/// Returns the number of bytes of a text that fit into `most` characters, counted as by [`written_length`]. Cuts
/// between characters, and between lines if that costs less than half.
pub(super) fn fitting(text: &str, most: usize) -> usize {
    let mut used = 0;
    let mut end = text.len();
    for (at, character) in text.char_indices() {
        used += written(character);
        if used > most {
            end = at;
            break;
        }
    }
    if end == text.len() {
        return end;
    }
    match text[..end].rfind('\n') {
        Some(line_end) if line_end >= end / 2 => line_end + 1,
        _ => end,
    }
}

/// Returns the characters of a text in JSON, which is what the budget counts.
pub(super) fn written_length(text: &str) -> usize {
    text.chars().map(written).sum()
}

fn written(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_texts_leave_their_share_to_the_others() {
        assert_eq!(shares(1000, &[]), [0_usize; 0]);
        assert_eq!(shares(1000, &[100, 300, 600]), [100, 300, 600]);
        assert_eq!(shares(1000, &[100, 5000, 300]), [100, 600, 300]);
        assert_eq!(shares(1000, &[5000, 100, 5000]), [450, 100, 450]);
        // The budget is too small for all, so the last text gets nothing.
        assert_eq!(shares(500, &[5000, 5000, 5000]), [250, 250, 0]);
        assert_eq!(shares(10, &[5000, 5000]), [10, 0]);
        assert_eq!(shares(500, &[50, 50, 50]), [50, 50, 50]);
    }

    proptest! {
        #[test]
        fn no_share_is_above_its_need_nor_all_above_the_budget(
            budget in 0_usize..5000, needs in proptest::collection::vec(0_usize..3000, 0..12),
        ) {
            let shares = shares(budget, &needs);
            prop_assert!(shares.iter().zip(&needs).all(|(share, need)| share <= need));
            prop_assert!(shares.iter().sum::<usize>() <= budget);
        }

        #[test]
        fn a_text_is_as_long_in_json_as_is_said(text in "(?s).{0,80}", most in 0_usize..100) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(written_length(&text), json.chars().count() - 2);
            let end = fitting(&text, most);
            prop_assert!(written_length(&text[..end]) <= most);
        }
    }
}
