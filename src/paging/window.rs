//! Pages of a long list: as many complete items as fit into a size limit (`faults.md` F15).

use cli_output::{Answer, Shape};
use vault_engine::Args;

/// Returns the items of a list from `offset` on, at most `limit` and as many as fit into `most` bytes of text, with
/// that text and its length if all of them fitted. `None` if the answer is not a list.
pub fn window_of(
    mut answer: Answer,
    shape: Shape,
    arguments: &Args,
    offset: usize,
    limit: Option<usize>,
    most: usize,
) -> Option<(Answer, String, usize)> {
    let items = answer.numbers()?.returned;
    let rest = items.saturating_sub(offset);
    let rest = limit.map_or(rest, |limit| limit.min(rest));
    answer.window(offset, rest);
    let mut text = cli_output::render_shown(&mut answer, shape, arguments);
    let total = text.len();
    if total > most {
        let whole = PartExtent { items: rest, bytes: total };
        text = keep_what_fits(&mut answer, whole, most, |window| {
            cli_output::render_shown(window, shape, arguments)
        });
    }
    Some((answer, text, total))
}

/// A number of items, and the bytes of their text.
#[derive(Clone, Copy)]
struct PartExtent {
    items: usize,
    bytes: usize,
}

/// Guesses of [`keep_what_fits`] before it uses binary search, for lists whose items differ in
/// length.
const GUESSES: usize = 6;

/// Finds how many of the items fit into `most` bytes. Returns their text, which is empty if not even
/// the first item fits.
///
/// Each try renders the list, so the first ones assume that all items are equally long. Each try that
/// does not fit shrinks the answer, so the full list is copied only a few times.
fn keep_what_fits(
    answer: &mut Answer,
    whole: PartExtent,
    most: usize,
    rendered: impl Fn(&mut Answer) -> String,
) -> String {
    let mut fitting = PartExtent { items: 0, bytes: 0 };
    let mut too_many = whole;
    let mut text = String::new();
    for attempt in 0.. {
        let open = too_many.items - fitting.items;
        if open <= 1 {
            break;
        }
        let share = if attempt < GUESSES {
            share_of(open, most - fitting.bytes, too_many.bytes - fitting.bytes)
        } else {
            open / 2
        };
        let middle = fitting.items + share.clamp(1, open - 1);
        let mut window = answer.clone();
        window.window(0, middle);
        let tried = rendered(&mut window);
        let extent = PartExtent { items: middle, bytes: tried.len() };
        if tried.len() <= most {
            (fitting, text) = (extent, tried);
        } else {
            (*answer, too_many) = (window, extent);
        }
    }
    answer.window(0, fitting.items);
    text
}

/// `items * part / whole`.
fn share_of(items: usize, part: usize, whole: usize) -> usize {
    let share = items as u128 * part as u128 / (whole as u128).max(1);
    usize::try_from(share).unwrap_or(items)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use cli_output::{List, TagItem};

    use super::*;

    fn tags(lengths: impl Iterator<Item = usize>) -> Answer {
        let tag = |length| TagItem { tag: format!("#{}", "x".repeat(length)), count: None };
        Answer::from(List::new(lengths.map(tag).collect()))
    }

    /// Returns the number of items that fit, and how often the list was rendered to find that out.
    fn kept(mut answer: Answer, most: usize) -> (usize, usize) {
        let arguments = Args::default();
        let render =
            |answer: &mut Answer| cli_output::render_shown(answer, Shape::Tags, &arguments);
        let whole = PartExtent {
            items: answer.numbers().unwrap().returned,
            bytes: render(&mut answer).len(),
        };
        let tries = Cell::new(0);
        let text = keep_what_fits(&mut answer, whole, most, |window| {
            tries.set(tries.get() + 1);
            render(window)
        });
        let items = answer.numbers().unwrap().returned;
        assert!(text.len() <= most && (items == 0) == text.is_empty());
        if items > 0 {
            assert_eq!(text, render(&mut answer));
        }
        (items, tries.get())
    }

    #[test]
    fn f15_as_many_items_are_kept_as_fit() {
        for lengths in [[3, 3, 3, 3], [1, 50, 2, 70], [90, 1, 1, 1], [1, 1, 1, 90]] {
            // Each row has a `#` and a line feed.
            for most in 0..lengths.iter().sum::<usize>() + 8 {
                let mut bytes = 0;
                let fit = lengths.iter().take_while(|length| {
                    bytes += *length + 2;
                    bytes <= most
                });
                let fit = fit.count();
                assert_eq!(kept(tags(lengths.into_iter()), most).0, fit, "{lengths:?} {most}");
            }
        }
    }

    #[test]
    fn a_long_list_is_rendered_a_few_times() {
        let even = || (0..50_000).map(|number| 6 + number % 3);
        let (items, tries) = kept(tags(even()), 300_000);
        assert!((33_000..34_000).contains(&items) && tries <= 6, "{items} {tries}");
        // Items that differ much in length need the binary search.
        let uneven = (0..50_000).map(|number| if number == 0 { 200_000 } else { 1 });
        let (items, tries) = kept(tags(uneven), 300_000);
        assert_eq!(items, 1 + (300_000 - 200_002) / 3);
        assert!(tries <= GUESSES + 17, "{tries}");
    }
}
