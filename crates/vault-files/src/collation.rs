//! The order in which the app sorts names and paths.

use std::cmp::Ordering;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use rayon::prelude::*;

use crate::error::EngineError;

/// The number of texts from which sorting in parallel is faster.
const PARALLEL: usize = 1000;

/// The app's sort order: case and accents are ignored, digits compare as numbers, punctuation
/// comes before digits before letters (`vault-semantics.md` §1.3, root locale, as for `en`).
///
/// Texts that compare as equal are ordered by their bytes, so the order is total.
pub struct Collation(CollatorBorrowed<'static>);

impl Collation {
    /// Loads the built-in rules.
    ///
    /// # Errors
    ///
    /// Fails with [`EngineError::Collation`] if the data built into the program is unusable.
    pub fn new() -> Result<Self, EngineError> {
        let mut preferences = CollatorPreferences::default();
        preferences.numeric_ordering = Some(CollationNumericOrdering::True);
        let mut options = CollatorOptions::default();
        options.strength = Some(Strength::Primary);
        CollatorBorrowed::try_new(preferences, options)
            .map(Self)
            .map_err(|_| EngineError::Collation)
    }

    /// Returns the order of two texts; a total order.
    pub fn compare(&self, left: &str, right: &str) -> Ordering {
        self.0.compare(left, right).then_with(|| left.cmp(right))
    }

    /// Sorts items by the text of each; items of equal texts keep their order.
    ///
    /// The sort key of every text is computed once, and many in parallel: keys take most of the
    /// time of listing a large vault.
    pub fn sort_by<T: Send>(&self, items: &mut Vec<T>, text: impl Fn(&T) -> &str + Sync) {
        let weights: Vec<Vec<u8>> = if items.len() < PARALLEL {
            items.iter().map(|item| self.weight(text(item))).collect()
        } else {
            let texts: Vec<&str> = items.iter().map(&text).collect();
            texts.par_iter().map(|text| self.weight(text)).collect()
        };
        sort_by_weights(items, weights, text);
    }

    /// Returns the sort key of a text. Comparing keys as bytes gives the order of the texts.
    pub fn weight(&self, text: &str) -> Vec<u8> {
        let mut weight = Vec::with_capacity(text.len());
        let Ok(()) = self.0.write_sort_key_to(text, &mut weight);
        weight
    }
}

/// Sorts items by their sort keys (`weights`, in the order of the items), and equal keys by text.
pub fn sort_by_weights<T, W: AsRef<[u8]>>(
    items: &mut Vec<T>,
    weights: impl IntoIterator<Item = W>,
    text: impl Fn(&T) -> &str,
) {
    let mut weighed: Vec<(W, T)> = weights.into_iter().zip(items.drain(..)).collect();
    // Comparing keys as bytes is much faster than comparing texts with the collator.
    weighed.sort_by(|(left_weight, left), (right_weight, right)| {
        (left_weight.as_ref().cmp(right_weight.as_ref())).then_with(|| text(left).cmp(text(right)))
    });
    items.extend(weighed.into_iter().map(|(_, item)| item));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use tables::rows;

    fn sorted<'text>(texts: &[&'text str]) -> Vec<&'text str> {
        let mut texts = texts.to_vec();
        Collation::new().unwrap().sort_by(&mut texts, |text| text);
        texts
    }

    #[test]
    fn the_orders_seen_in_the_app() {
        for [texts, expected] in rows(
            "
            us1-12kb us1-5kb ¦ us1-5kb us1-12kb
            agents/x.md AGENTS.md _templates/a.md zoo.md Äpfel.md 10.md 9.md ¦ _templates/a.md 9.md 10.md AGENTS.md agents/x.md Äpfel.md zoo.md
            #AskUserQuestion #assets #ask ¦ #ask #AskUserQuestion #assets
            ",
        ) {
            let texts: Vec<&str> = texts.split(' ').collect();
            assert_eq!(sorted(&texts).join(" "), expected);
        }
    }

    #[test]
    fn equal_texts_keep_a_fixed_order() {
        assert_eq!(
            sorted(&["b.md", "a.md", "A.md", "á.md"]),
            ["A.md", "a.md", "á.md", "b.md"]
        );
        assert_eq!(
            sorted(&["á.md", "A.md", "b.md", "a.md"]),
            ["A.md", "a.md", "á.md", "b.md"]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn weights_compare_as_texts_do(left in "\\PC{0,8}", right in "[aAáÁ0-9_./ -]{0,8}|\\PC{0,8}") {
            let collation = Collation::new().unwrap();
            let weights = collation.weight(&left).cmp(&collation.weight(&right));
            prop_assert_eq!(weights.then_with(|| left.cmp(&right)), collation.compare(&left, &right));
        }

        #[test]
        fn it_is_a_total_order(
            a in "[aAáÁbB0-9_./ -]{0,6}|\\PC{0,4}",
            b in "[aAáÁbB0-9_./ -]{0,6}|\\PC{0,4}",
            c in "[aAáÁbB0-9_./ -]{0,6}|\\PC{0,4}",
        ) {
            let collation = Collation::new().unwrap();
            let (a, b, c) = (&*a, &*b, &*c);
            prop_assert_eq!(collation.compare(a, b), collation.compare(b, a).reverse());
            prop_assert_eq!(collation.compare(a, b).is_eq(), a == b);
            if collation.compare(a, b).is_le() && collation.compare(b, c).is_le() {
                prop_assert!(collation.compare(a, c).is_le());
            }
        }
    }
}
