//! The difference between two lists.

use serde_json::Value;

/// One step from an old list to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlignmentStep {
    /// Keeps the old item with this index.
    Keep(usize),
    /// Removes the old item with this index.
    Drop(usize),
    /// Inserts the new item with this index.
    Insert(usize),
    /// Replaces the old item with the first index by the new item with the second one.
    Replace(usize, usize),
}

/// Number of pairs of items above which only equal items at both ends are kept.
const MAX_PAIRS: usize = 1 << 20;

/// Returns the steps that keep as many items as possible. Between two kept items, old ones are
/// replaced by as many new ones, or else removed before new ones are inserted.
pub(super) fn steps(old: &[Value], new: &[Value]) -> Vec<AlignmentStep> {
    let same = |(left, right): &(&Value, &Value)| left == right;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(same)
        .count();
    let old_middle = &old_rest[..old_rest.len() - tail];
    let new_middle = &new_rest[..new_rest.len() - tail];
    let mut steps: Vec<AlignmentStep> = (0..head).map(AlignmentStep::Keep).collect();
    middle(old_middle, new_middle, head, &mut steps);
    steps.extend((old.len() - tail..old.len()).map(AlignmentStep::Keep));
    let is_kept = |step: &AlignmentStep| matches!(step, AlignmentStep::Keep(_));
    let runs = steps.chunk_by(|one, other| !is_kept(one) && !is_kept(other));
    runs.flat_map(|run| replaced(run).unwrap_or_else(|| run.to_vec()))
        .collect()
}

/// Returns the steps of a run that removes and inserts equally many items, in pairs.
fn replaced(run: &[AlignmentStep]) -> Option<Vec<AlignmentStep>> {
    let (drops, inserts) = run.split_at(run.len() / 2);
    let pairs = drops.iter().zip(inserts).map(|pair| match pair {
        (AlignmentStep::Drop(old), AlignmentStep::Insert(new)) => {
            Some(AlignmentStep::Replace(*old, *new))
        }
        _ => None,
    });
    let pairs: Vec<AlignmentStep> = pairs.collect::<Option<_>>()?;
    (drops.len() == inserts.len()).then_some(pairs)
}

/// The steps for the parts between the equal ends; both parts begin at `offset`.
fn middle(old: &[Value], new: &[Value], offset: usize, steps: &mut Vec<AlignmentStep>) {
    let width = new.len() + 1;
    // The maximum number of items that can be kept, from each pair of indexes to the ends.
    let mut kept = vec![0_usize; 0];
    if old.len().saturating_mul(new.len()) <= MAX_PAIRS {
        kept.resize((old.len() + 1) * width, 0);
        for (from, left) in old.iter().enumerate().rev() {
            for (to, right) in new.iter().enumerate().rev() {
                let here = from * width + to;
                kept[here] = if left == right {
                    kept[here + width + 1] + 1
                } else {
                    kept[here + width].max(kept[here + 1])
                };
            }
        }
    }
    let count = |from: usize, to: usize| kept.get(from * width + to).copied().unwrap_or(0);
    let (mut from, mut to) = (0, 0);
    while from < old.len() || to < new.len() {
        let is_same = old.get(from).is_some() && old.get(from) == new.get(to);
        if is_same && !kept.is_empty() {
            steps.push(AlignmentStep::Keep(offset + from));
            (from, to) = (from + 1, to + 1);
        } else if from < old.len() && count(from + 1, to) >= count(from, to + 1) {
            steps.push(AlignmentStep::Drop(offset + from));
            from += 1;
        } else if to < new.len() {
            steps.push(AlignmentStep::Insert(offset + to));
            to += 1;
        } else {
            steps.push(AlignmentStep::Drop(offset + from));
            from += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        text.chars()
            .map(|letter| Value::from(letter.to_string()))
            .collect()
    }

    fn describe(old: &str, new: &str) -> String {
        steps(&values(old), &values(new))
            .into_iter()
            .map(|step| match step {
                AlignmentStep::Keep(at) => format!("={at}"),
                AlignmentStep::Drop(at) => format!("-{at}"),
                AlignmentStep::Insert(at) => format!("+{at}"),
                AlignmentStep::Replace(old, new) => format!("{old}>{new}"),
            })
            .collect()
    }

    #[test]
    fn as_much_as_possible_is_kept() {
        assert_eq!(describe("abc", "abc"), "=0=1=2");
        assert_eq!(describe("abc", "abcd"), "=0=1=2+3");
        assert_eq!(describe("abc", "ac"), "=0-1=2");
        assert_eq!(describe("abc", "axc"), "=01>1=2");
        assert_eq!(describe("abcd", "xyd"), "-0-1-2+0+1=3");
        assert_eq!(describe("abcd", "cad"), "-0-1=2+1=3");
        assert_eq!(describe("", "a"), "+0");
        assert_eq!(describe("a", ""), "-0");
    }

    #[test]
    fn long_lists_are_not_compared_in_all_pairs() {
        let many = |from: usize| (from..from + 3000).map(Value::from).collect::<Vec<_>>();
        let found = steps(&many(0), &many(5000));
        assert_eq!(found.len(), 3000);
    }

    proptest! {
        #[test]
        fn the_steps_lead_from_one_to_the_other(old in "[a-c]{0,8}", new in "[a-c]{0,8}") {
            let (old, new) = (values(&old), values(&new));
            let mut places = 0..old.len();
            let mut made = Vec::new();
            for step in steps(&old, &new) {
                match step {
                    AlignmentStep::Keep(at) => {
                        prop_assert_eq!(places.next(), Some(at));
                        made.push(old[at].clone());
                    }
                    AlignmentStep::Drop(at) => prop_assert_eq!(places.next(), Some(at)),
                    AlignmentStep::Insert(at) => made.push(new[at].clone()),
                    AlignmentStep::Replace(at, by) => {
                        prop_assert_eq!(places.next(), Some(at));
                        made.push(new[by].clone());
                    }
                }
            }
            prop_assert_eq!(places.next(), None);
            prop_assert_eq!(made, new);
        }
    }
}
