//! Hunks that are chosen one by one, and three-way merges.

use std::iter::zip;
use std::ops::Range;
use std::time::Duration;

use crate::{CONTEXT_LINES, DiffSides, changes, is_change, span, write_lines};

/// A run of changed lines between two texts. There is at least one unchanged line between a hunk and
/// the next one. The number of a hunk is its place in the list, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hunk {
    /// The lines of the first text, from 0. Empty if lines are only added.
    pub before: Range<usize>,
    /// The lines of the second text, from 0. Empty if lines are only removed.
    pub after: Range<usize>,
}

/// The result of a three-way merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The text with the changes of both sides.
    Clean(String),
    /// The places where the sides changed the same or neighbouring lines differently, in order.
    Conflict(Vec<Conflict>),
}

/// A place where both sides made different changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lines of the base, from 0.
    pub lines: Range<usize>,
    /// Their text in the base.
    pub base: String,
    /// Their text on our side.
    pub ours: String,
    /// Their text on the other side.
    pub theirs: String,
}

/// The hunks that lead from one text to the other, in order.
///
/// The search for a short diff takes at most about `time`, after the texts were read. When it is over,
/// the rest of the hunks are larger than necessary, but correct. So two calls have the same hunks only
/// if neither ran out of time.
pub fn hunks(before: &str, after: &str, time: Duration) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for change in changes(&DiffSides::new(before, after), time) {
        let (before, after) = (change.old_range(), change.new_range());
        match hunks.last_mut() {
            _ if !is_change(&change) => {}
            Some(last) if last.before.end == before.start && last.after.end == after.start => {
                last.before.end = before.end;
                last.after.end = after.end;
            }
            _ => hunks.push(Hunk { before, after }),
        }
    }
    hunks
}

/// The text `before` with the hunks whose number is `chosen`; all other bytes stay as they are. The hunks must belong
/// to both texts.
pub fn apply(before: &str, after: &str, hunks: &[Hunk], chosen: impl Fn(usize) -> bool) -> String {
    let sides = DiffSides::new(before, after);
    let chosen = zip(1.., hunks).filter(|(number, _)| chosen(*number));
    let all = 0..sides.before.len();
    patched(&sides, chosen.map(|(_, hunk)| hunk), all)
}

/// Merges the changes that two sides made to a base. Equal changes of both sides are merged. Changes
/// of the same or of neighbouring lines are a conflict otherwise: nothing is guessed.
///
/// Takes at most about `time`, as [`hunks`]; with less time, more is a conflict. The merges of crates
/// (`similar`, `diffy`) join changes of neighbouring lines and have no time limit.
///
/// ```
/// use std::time::Duration;
/// use line_diff::{Merge, merge};
///
/// let second = Duration::from_secs(1);
/// let merged = merge("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", second);
/// assert_eq!(merged, Merge::Clean("one\n2\nthree\n".to_owned()));
/// ```
pub fn merge(base: &str, ours: &str, theirs: &str, time: Duration) -> Merge {
    // Clean however short the time is.
    if ours == theirs || theirs == base {
        return Merge::Clean(ours.to_owned());
    }
    if ours == base {
        return Merge::Clean(theirs.to_owned());
    }
    let (our_hunks, their_hunks) = (hunks(base, ours, time / 2), hunks(base, theirs, time / 2));
    let (ours, theirs) = (DiffSides::new(base, ours), DiffSides::new(base, theirs));
    let (mut our_rest, mut their_rest) = (our_hunks.as_slice(), their_hunks.as_slice());
    let (mut text, mut next, mut conflicts) = (String::new(), 0, Vec::new());
    while let Some(start) = first_start(our_rest, their_rest) {
        let mut lines = start..start;
        let (mut our_count, mut their_count) = (0, 0);
        // Hunks that touch each other are merged together.
        while extend(&mut lines, our_rest, &mut our_count)
            || extend(&mut lines, their_rest, &mut their_count)
        {}
        let (our_group, their_group);
        (our_group, our_rest) = our_rest.split_at(our_count);
        (their_group, their_rest) = their_rest.split_at(their_count);
        text.extend(
            ours.before
                .get(next..start)
                .unwrap_or_default()
                .iter()
                .copied(),
        );
        next = lines.end;
        let our_text = patched(&ours, our_group, lines.clone());
        let their_text = patched(&theirs, their_group, lines.clone());
        if our_group.is_empty() {
            text += &their_text;
        } else if their_group.is_empty() || our_text == their_text {
            text += &our_text;
        } else {
            conflicts.push(Conflict {
                base: patched(&ours, [], lines.clone()),
                lines,
                ours: our_text,
                theirs: their_text,
            });
        }
    }
    if !conflicts.is_empty() {
        return Merge::Conflict(conflicts);
    }
    text.extend(ours.before.get(next..).unwrap_or_default().iter().copied());
    Merge::Clean(text)
}

/// The unified diff of these hunks, each with its number from `first` on: `@@ -1,3 +1,4 @@ hunk 1`, without
/// the two lines that name the files. `patch` takes it. Only the first hunks that fit into `most` bytes;
/// returns how many these are, too.
pub fn numbered_diff(
    before: &str,
    after: &str,
    (hunks, first): (&[Hunk], usize),
    most: usize,
) -> (String, usize) {
    let sides = DiffSides::new(before, after);
    let (mut text, mut shown) = (String::new(), 0);
    // The first line that no hunk before has shown.
    let mut free = 0;
    for (number, hunk) in zip(1.., hunks) {
        let next = hunks
            .get(number)
            .map_or(sides.before.len(), |next| next.before.start);
        let above = CONTEXT_LINES.min(hunk.before.start.saturating_sub(free));
        let below = CONTEXT_LINES.min(next.saturating_sub(hunk.before.end));
        let around = |lines: &Range<usize>| lines.start.saturating_sub(above)..lines.end + below;
        let (old, new) = (around(&hunk.before), around(&hunk.after));
        let shown_number = first + shown;
        let mut lines = format!(
            "@@ -{} +{} @@ hunk {shown_number}\n",
            span(&old),
            span(&new)
        );
        write_lines(&mut lines, ' ', &sides.before, old.start..hunk.before.start);
        write_lines(&mut lines, '-', &sides.before, hunk.before.clone());
        write_lines(&mut lines, '+', &sides.after, hunk.after.clone());
        write_lines(&mut lines, ' ', &sides.before, hunk.before.end..old.end);
        if text.len() + lines.len() > most {
            break;
        }
        text += &lines;
        shown = number;
        free = old.end;
    }
    (text, shown)
}

/// The first line that the head of a hunk names in the second text, from 1.
fn start_of(head: &str) -> usize {
    let (_, new) = head.split_once(" +").unwrap_or_default();
    let (new, _) = new.split_once(" @@").unwrap_or_default();
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    // The number of an empty range is the number of the line before it.
    start.parse::<usize>().unwrap_or_default() + usize::from(count == "0")
}

/// A hunk as [`numbered_diff`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownHunk<'diff> {
    /// Its number, from 1.
    pub number: usize,
    /// The number of its first changed line in the second text, from 1; if lines are only removed, the number of the
    /// line after them.
    pub line: usize,
    /// Its lines with those around it. Each begins with a space, `-`, `+`, or `\\` for a remark.
    pub lines: Vec<&'diff str>,
}

/// The hunks in the text of [`numbered_diff`].
pub fn shown_hunks(diff: &str) -> Vec<ShownHunk<'_>> {
    let mut hunks: Vec<ShownHunk<'_>> = Vec::new();
    for line in diff.split_terminator('\n') {
        // Lines of the texts have a sign before them.
        if let Some((_, number)) = line
            .starts_with("@@ ")
            .then(|| line.rsplit_once(" @@ hunk "))
            .flatten()
        {
            let number = number.parse().unwrap_or_default();
            hunks.push(ShownHunk {
                number,
                line: start_of(line),
                lines: Vec::new(),
            });
        } else if let Some(hunk) = hunks.last_mut() {
            let is_context = |line: &str| line.starts_with(' ');
            let is_above = is_context(line) && hunk.lines.iter().all(|line| is_context(line));
            hunk.line += usize::from(is_above);
            hunk.lines.push(line);
        }
    }
    hunks
}

/// These lines of the first text with the hunks, all of which are in them.
fn patched<'hunk>(
    sides: &DiffSides<'_>,
    hunks: impl IntoIterator<Item = &'hunk Hunk>,
    lines: Range<usize>,
) -> String {
    let (mut text, mut next) = (String::new(), lines.start);
    for hunk in hunks {
        let kept = sides.before.get(next..hunk.before.start);
        let new = sides.after.get(hunk.after.clone());
        text.extend(kept.unwrap_or_default().iter().copied());
        text.extend(new.unwrap_or_default().iter().copied());
        next = hunk.before.end;
    }
    let kept = sides.before.get(next..lines.end);
    text.extend(kept.unwrap_or_default().iter().copied());
    text
}

/// Returns the first line of the base in the first hunk of both lists.
fn first_start(ours: &[Hunk], theirs: &[Hunk]) -> Option<usize> {
    let first = [ours.first(), theirs.first()].into_iter().flatten();
    first.map(|hunk| hunk.before.start).min()
}

/// Adds the hunk after the first `count` ones to the lines if it touches them. Returns whether it
/// does.
fn extend(lines: &mut Range<usize>, hunks: &[Hunk], count: &mut usize) -> bool {
    let next = hunks.get(*count);
    let Some(hunk) = next.filter(|hunk| hunk.before.start <= lines.end) else {
        return false;
    };
    lines.end = lines.end.max(hunk.before.end);
    *count += 1;
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lines_of;

    const LONG: Duration = Duration::from_secs(60);
    const TEXT: &str = "([abc]?(\r|\r\n|\n)){0,10}[ab]?";

    fn merged(base: &str, ours: &str, theirs: &str) -> Merge {
        merge(base, ours, theirs, LONG)
    }

    fn clean(text: &str) -> Merge {
        Merge::Clean(text.to_owned())
    }

    #[test]
    fn hunks_are_numbered_by_place_and_chosen_one_by_one() {
        let (before, after) = ("1\r\n2\r\n3\r\n4", "1\r\ntwo\r\n3\r\n3a\r\n4\r\n");
        let hunks = hunks(before, after, LONG);
        let hunk = |before, after| Hunk { before, after };
        assert_eq!(hunks, [hunk(1..2, 1..2), hunk(3..4, 3..5)]);
        assert_eq!(
            apply(before, after, &hunks, |number| number == 1),
            "1\r\ntwo\r\n3\r\n4"
        );
        assert_eq!(
            apply(before, after, &hunks, |number| number == 2),
            "1\r\n2\r\n3\r\n3a\r\n4\r\n"
        );
    }

    #[test]
    fn neighbouring_changes_conflict_and_equal_ones_do_not() {
        let base = "1\n2\n3\n4\n5\n";
        assert_eq!(
            merged(base, "1\ntwo\n3\n4\n5\n", "1\n2\nthree\n4\n5\n"),
            Merge::Conflict(vec![Conflict {
                lines: 1..3,
                base: "2\n3\n".to_owned(),
                ours: "two\n3\n".to_owned(),
                theirs: "2\nthree\n".to_owned(),
            }])
        );
        // Insertions at one place, and one at a removal of the other side.
        assert!(matches!(merged("", "a\n", "b\n"), Merge::Conflict(_)));
        assert!(matches!(
            merged("1\n2\n", "1\na\n2\n", "2\n"),
            Merge::Conflict(_)
        ));
        assert_eq!(
            merged(base, "one\n2\n3\nfour\n5\n", "one\n2\n3\n4\n"),
            Merge::Conflict(vec![Conflict {
                lines: 3..5,
                base: "4\n5\n".to_owned(),
                ours: "four\n5\n".to_owned(),
                theirs: "4\n".to_owned(),
            }])
        );
        assert_eq!(
            merged(base, "one\n2\nthree\n4\n5\n", "one\n2\n3\n4\nfive"),
            clean("one\n2\nthree\n4\nfive")
        );
    }

    #[test]
    fn without_time_nothing_is_lost() {
        let text = |lines: &mut dyn Iterator<Item = u32>| -> String {
            lines.map(|line| format!("{line}\n")).collect()
        };
        let (before, after) = (text(&mut (0..2000)), text(&mut (0..2000).rev()));
        let found = hunks(&before, &after, Duration::ZERO);
        assert_eq!(apply(&before, &after, &found, |_| true), after);
        assert_eq!(
            merge(&before, &after, &after, Duration::ZERO),
            clean(&after)
        );
        let more = format!("{before}more\n");
        let result = merge(&before, &after, &more, Duration::ZERO);
        assert!(matches!(result, Merge::Conflict(_)));
    }

    #[test]
    fn the_numbered_diff_shows_each_line_once_and_is_bounded() {
        let (before, after) = ("1\n2\n3\n4\n5\n6", "one\n2\n3\n4\n5\nsix");
        let hunks = hunks(before, after, LONG);
        let first = "@@ -1,4 +1,4 @@ hunk 1\n-1\n+one\n 2\n 3\n 4\n";
        let second = "@@ -5,2 +5,2 @@ hunk 2\n 5\n-6\n\\ No newline at end of file\n+six\n\\ No newline at end of file\n";
        let both = format!("{first}{second}");
        assert_eq!(
            numbered_diff(before, after, (&hunks, 1), both.len()),
            (both.clone(), 2)
        );
        assert_eq!(
            numbered_diff(before, after, (&hunks, 1), both.len() - 1),
            (first.to_owned(), 1)
        );
        assert_eq!(
            numbered_diff(before, after, (&hunks, 1), 9),
            (String::new(), 0)
        );
    }

    /// Returns a side's version of a line of the base.
    fn changed(base: &str, line: usize, how: u8, by: &str) -> String {
        match how {
            0 => base.to_owned(),
            1 => format!("replaced {line} {by}\r\n"),
            2 => String::new(),
            _ => format!("added {line} {by}\n{base}"),
        }
    }

    proptest! {
        /// Between lines that a side changes is one that none does, so that all is merged but for
        /// lines that both change differently.
        #[test]
        fn what_does_not_touch_is_merged_byte_for_byte(
            changes in proptest::collection::vec((0_u8..4, 0_u8..4, any::<bool>()), 1..8),
            ends in any::<bool>(),
        ) {
            let (mut base, mut ours, mut theirs, mut both) = <(String, String, String, String)>::default();
            let mut is_conflict = false;
            for (line, (our, their, alike)) in changes.into_iter().enumerate() {
                let text = format!("line {line}\n");
                let (our, their) = if alike { (our, our) } else { (our, their) };
                let (our_name, their_name) = if alike { ("both", "both") } else { ("we", "they") };
                let our_text = changed(&text, line, our, our_name);
                let their_text = changed(&text, line, their, their_name);
                is_conflict |= our > 0 && their > 0 && our_text != their_text;
                both += if our > 0 { &our_text } else { &their_text };
                base += &text;
                ours += &our_text;
                theirs += &their_text;
                let end = format!("between {line}{}", if ends { "\n" } else { "\r\n" });
                for text in [&mut base, &mut ours, &mut theirs, &mut both] {
                    *text += &end;
                }
            }
            match merged(&base, &ours, &theirs) {
                Merge::Clean(text) => {
                    prop_assert!(!is_conflict);
                    prop_assert_eq!(text, both);
                }
                Merge::Conflict(_) => prop_assert!(is_conflict),
            }
        }

        #[test]
        fn a_merge_is_symmetric_and_has_the_changes_of_both_sides(
            base in TEXT, ours in TEXT, theirs in TEXT,
        ) {
            prop_assert_eq!(merged(&base, &base, &ours), clean(&ours));
            prop_assert_eq!(merged(&base, &ours, &base), clean(&ours));
            prop_assert_eq!(merged(&base, &ours, &ours), clean(&ours));
            let mirrored = match merged(&base, &theirs, &ours) {
                Merge::Conflict(mut conflicts) => {
                    for conflict in &mut conflicts {
                        std::mem::swap(&mut conflict.ours, &mut conflict.theirs);
                    }
                    Merge::Conflict(conflicts)
                }
                clean @ Merge::Clean(_) => clean,
            };
            let result = merged(&base, &ours, &theirs);
            prop_assert_eq!(&result, &mirrored);
            match result {
                Merge::Clean(text) => {
                    for side in [&ours, &theirs] {
                        let lines = lines_of(side);
                        for hunk in hunks(&base, side, LONG) {
                            prop_assert!(text.contains(&lines[hunk.after].concat()));
                        }
                    }
                }
                Merge::Conflict(conflicts) => {
                    for Conflict { lines, base: text, ours, theirs } in conflicts {
                        prop_assert_eq!(lines_of(&base)[lines].concat(), text);
                        prop_assert_ne!(ours, theirs);
                    }
                }
            }
        }

        /// Any choice of hunks is the same as these hunks one after the other, in any order.
        #[test]
        fn hunks_are_independent(
            before in TEXT, after in TEXT, order in Just((0..12_usize).collect::<Vec<_>>()).prop_shuffle(),
            chosen in any::<u16>(),
        ) {
            let found = hunks(&before, &after, LONG);
            prop_assert_eq!(apply(&before, &after, &found, |_| true), after.clone());
            prop_assert_eq!(apply(&before, &after, &found, |_| false), before.clone());
            for pair in found.windows(2) {
                prop_assert!(pair[0].before.end < pair[1].before.start);
                prop_assert!(pair[0].after.end < pair[1].after.start);
            }
            let is_chosen = |number: usize| chosen >> number & 1 == 1;
            let (mut text, mut rest) = (before.clone(), found.clone());
            for at in order.into_iter().filter(|at| *at < found.len() && is_chosen(at + 1)) {
                text = apply(&text, &after, &rest, |number| number == at + 1);
                // The lines after this hunk are now further down or up.
                let hunk = rest[at].clone();
                rest[at].before.end = hunk.before.start + hunk.after.len();
                for later in &mut rest[at + 1..] {
                    later.before.start = later.before.start + hunk.after.len() - hunk.before.len();
                    later.before.end = later.before.end + hunk.after.len() - hunk.before.len();
                }
            }
            prop_assert_eq!(text, apply(&before, &after, &found, is_chosen));
        }

        #[test]
        fn the_numbered_diff_leads_from_one_text_to_the_other(before in TEXT, after in TEXT) {
            let found = hunks(&before, &after, LONG);
            let (diff, shown) = numbered_diff(&before, &after, (&found, 1), usize::MAX);
            prop_assert_eq!(shown, found.len());
            let parsed = shown_hunks(&diff);
            prop_assert_eq!(parsed.len(), shown);
            for (number, (shown, hunk)) in zip(1.., zip(&parsed, &found)) {
                prop_assert_eq!((shown.number, shown.line), (number, hunk.after.start + 1));
                let count = |sign| shown.lines.iter().filter(|line| line.starts_with(sign)).count();
                prop_assert_eq!((count('-'), count('+')), (hunk.before.len(), hunk.after.len()));
            }
            prop_assert_eq!(crate::tests::apply(&before, &diff), after);
        }
    }
}
