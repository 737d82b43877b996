//! Pages of a long list: as many complete items as fit into a size limit (`threats.toml` F15).

use vault_answers::Answer;

/// The items of a list that fit.
pub struct ListPage {
    /// Their text; empty if not even the first item fits.
    pub text: String,
    /// The size of all items that were asked for.
    pub size: usize,
    /// Number of items that were asked for and do not fit.
    pub left_out: usize,
}

/// Keeps the items of a list from `offset` on: at most `limit`, and as many as have a size of at most `most`. `rendered`
/// returns the text of an answer and its size. `None` if the answer has no items that can be cut.
pub fn cut_list(
    answer: &mut Answer,
    offset: usize,
    limit: Option<usize>,
    most: usize,
    rendered: impl Fn(&mut Answer) -> (String, usize),
) -> Option<ListPage> {
    let rest = answer.items()?.saturating_sub(offset);
    let items = limit.map_or(rest, |limit| limit.min(rest));
    answer.window(offset, items);
    let (mut text, size) = rendered(answer);
    let mut left_out = 0;
    if size > most {
        text = keep_what_fits(answer, PartExtent { items, size }, most, rendered);
        left_out = items - answer.items().unwrap_or_default();
    }
    Some(ListPage {
        text,
        size,
        left_out,
    })
}

/// A number of items, and their size.
#[derive(Clone, Copy)]
struct PartExtent {
    items: usize,
    size: usize,
}

/// Guesses of [`keep_what_fits`] before it uses binary search, for lists whose items differ in
/// length.
const GUESSES: usize = 6;

/// Finds how many of the items fit. Returns their text, which is empty if not even
/// the first item fits.
///
/// Each try renders the list, so the first ones assume that all items are equally long. Each try that
/// does not fit shrinks the answer, so the full list is copied only a few times.
fn keep_what_fits(
    answer: &mut Answer,
    whole: PartExtent,
    most: usize,
    rendered: impl Fn(&mut Answer) -> (String, usize),
) -> String {
    let mut fitting = PartExtent { items: 0, size: 0 };
    let mut too_many = whole;
    let mut text = String::new();
    for attempt in 0.. {
        let open = too_many.items - fitting.items;
        if open <= 1 {
            break;
        }
        let share = if attempt < GUESSES {
            share_of(open, most - fitting.size, too_many.size - fitting.size)
        } else {
            open / 2
        };
        let middle = fitting.items + share.clamp(1, open - 1);
        let mut window = answer.clone();
        window.keep_first(middle);
        let (tried, size) = rendered(&mut window);
        let extent = PartExtent {
            items: middle,
            size,
        };
        if size <= most {
            (fitting, text) = (extent, tried);
        } else {
            (*answer, too_many) = (window, extent);
        }
    }
    answer.keep_first(fitting.items);
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

    use cli_output::Shape;
    use vault_answers::{List, TagItem};
    use vault_engine::Args;

    use super::*;

    fn tags(lengths: impl Iterator<Item = usize>) -> Answer {
        let tag = |length| TagItem {
            tag: format!("#{}", "x".repeat(length)),
            count: None,
        };
        Answer::from(List::new(lengths.map(tag).collect()))
    }

    /// Returns the number of items that fit, and how often the list was rendered to find that out.
    fn kept(mut answer: Answer, most: usize) -> (usize, usize) {
        let arguments = Args::default();
        let render = |answer: &mut Answer| {
            let text = cli_output::render_shown(answer, Shape::Tags, &arguments);
            let size = text.len();
            (text, size)
        };
        // The first time all items are rendered.
        let renderings = Cell::new(0);
        let page = cut_list(&mut answer, 0, None, most, |window| {
            renderings.set(renderings.get() + 1);
            render(window)
        });
        let (text, tries) = (page.unwrap().text, renderings.get() - 1);
        let items = answer.numbers().unwrap().returned;
        assert!(text.len() <= most && (items == 0) == text.is_empty());
        if items > 0 {
            assert_eq!(text, render(&mut answer).0);
        }
        (items, tries)
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
                assert_eq!(
                    kept(tags(lengths.into_iter()), most).0,
                    fit,
                    "{lengths:?} {most}"
                );
            }
        }
    }

    #[test]
    fn a_long_list_is_rendered_a_few_times() {
        let even = || (0..50_000).map(|number| 6 + number % 3);
        let (items, tries) = kept(tags(even()), 300_000);
        assert!(
            (33_000..34_000).contains(&items) && tries <= 6,
            "{items} {tries}"
        );
        // Items that differ much in length need the binary search.
        let uneven = (0..50_000).map(|number| if number == 0 { 200_000 } else { 1 });
        let (items, tries) = kept(tags(uneven), 300_000);
        assert_eq!(items, 1 + (300_000 - 200_002) / 3);
        assert!(tries <= GUESSES + 17, "{tries}");
    }
}
