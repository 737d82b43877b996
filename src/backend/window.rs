//! Pages of a long list: as many complete items as fit into a size limit (`faults.md` F15).

use cli_output::{Answer, Arguments, Shape};

use super::captured::Captured;
use super::resolved_call::Limits;

/// Whether a truncated answer of this shape can be continued with `offset`, which counts characters
/// of a text and items of a list. Lists of the gateway's own have parameters for that, and a random
/// note would be another one the next time.
pub fn can_go_on(shape: Shape) -> bool {
    match shape {
        Shape::Own(form) => form.has_text_pages,
        Shape::RandomNote
        | Shape::Confirmation
        | Shape::Path
        | Shape::FileInfo
        | Shape::FolderInfo
        | Shape::VaultInfo
        | Shape::PropertyValue
        | Shape::WordCount
        | Shape::PluginInfo
        | Shape::Version => false,
        _ => true,
    }
}

/// The items of a list from `limits.offset` on, at most `limits.limit` and as many as fit, with
/// their text. `None` if the answer is not a list.
pub fn window_of(
    mut answer: Answer,
    shape: Shape,
    arguments: &Arguments,
    limits: &Limits,
) -> Option<(Answer, Captured)> {
    let items = answer.items()?;
    let rest = items.saturating_sub(limits.offset);
    let rest = limits.limit.map_or(rest, |limit| limit.min(rest));
    answer.window(limits.offset, rest);
    let most = limits.max_output_bytes;
    let mut text = cli_output::render_shown(&mut answer, shape, arguments);
    let total = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if text.len() > most {
        text = keep_what_fits(&mut answer, rest, |window| {
            Some(cli_output::render_shown(window, shape, arguments))
                .filter(|text| text.len() <= most)
        });
    }
    let captured = Captured {
        head: text.into_bytes(),
        total,
        ..Captured::default()
    };
    Some((answer, captured))
}

/// Finds by binary search how many of the `items` fit. Returns their text, which is empty if not
/// even the first item fits. `rendered` returns the text of a list if it fits.
///
/// Each attempt that does not fit shrinks the answer, so the full list is copied only once.
fn keep_what_fits(
    answer: &mut Answer,
    items: usize,
    rendered: impl Fn(&mut Answer) -> Option<String>,
) -> String {
    let (mut fitting, mut too_many) = (0, items);
    let mut text = String::new();
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        let mut window = answer.clone();
        window.window(0, middle);
        if let Some(fits) = rendered(&mut window) {
            (fitting, text) = (middle, fits);
        } else {
            (*answer, too_many) = (window, middle);
        }
    }
    answer.window(0, fitting);
    text
}
