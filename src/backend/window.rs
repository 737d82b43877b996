//! A window on a long list: whole items only, as many as a bound in bytes holds (`faults.md` F15).

use cli_output::{Answer, Arguments, Shape};

use super::captured::Captured;
use super::plan::Limits;

/// Whether a caller can go on in a cut answer of this shape with `offset`: in a text by characters, in
/// a list by items. Lists of our own commands have parameters of their own for that, and a random note
/// would be another one the next time.
#[expect(
    clippy::unnested_or_patterns,
    reason = "the shapes of our own commands are listed once, elsewhere"
)]
pub fn can_go_on(shape: Shape) -> bool {
    match shape {
        Shape::NoteParts => true,
        Shape::RandomNote
        | Shape::Confirmation
        | Shape::Path
        | Shape::FileInfo
        | Shape::FolderInfo
        | Shape::VaultInfo
        | Shape::PropertyValue
        | Shape::WordCount
        | Shape::PluginInfo
        | Shape::Version
        | cli_output::our_shapes!() => false,
        _ => true,
    }
}

/// The items of a whole list from `limits.offset` on that fit, and their text. None where the answer is
/// no list.
pub fn window_of(
    mut answer: Answer,
    shape: Shape,
    arguments: &Arguments,
    limits: &Limits,
) -> Option<(Answer, Captured)> {
    let items = answer.items()?;
    let text_of = |count: usize| {
        let mut window = answer.clone();
        window.window(limits.offset, count);
        cli_output::render_shown(&mut window, shape, arguments)
    };
    let rest = items.saturating_sub(limits.offset);
    let mut text = text_of(rest);
    let total = u64::try_from(text.len()).unwrap_or(u64::MAX);
    let mut fitting = rest;
    if text.len() > limits.max_output_bytes {
        fitting = 0;
        let mut too_many = rest;
        while too_many - fitting > 1 {
            let middle = fitting + (too_many - fitting) / 2;
            if text_of(middle).len() <= limits.max_output_bytes {
                fitting = middle;
            } else {
                too_many = middle;
            }
        }
        text = if fitting == 0 {
            String::new()
        } else {
            text_of(fitting)
        };
    }
    answer.window(limits.offset, fitting);
    let captured = Captured {
        head: text.into_bytes(),
        total,
        ..Captured::default()
    };
    Some((answer, captured))
}
