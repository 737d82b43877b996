//! Splits a format pattern into literals in brackets, escapes, tokens and other text.

use super::english::LONG_PATTERNS;
use super::fields::{FIELDS, Render};

/// One piece of a pattern.
pub(super) enum PatternPiece<'pattern> {
    /// A token, with the function that formats it.
    Field(Render),
    /// Text that is copied unchanged.
    Literal(&'pattern str),
}

/// Replaces the locale's short names of patterns (`LT`, `L`, `llll`) outside of brackets and
/// escapes.
pub(super) fn expand(pattern: &str) -> String {
    let mut expanded = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let escape = usize::from(first == '\\');
        let name = LONG_PATTERNS
            .iter()
            .find(|(name, _)| rest[escape..].starts_with(name));
        let taken = match (bracketed(rest), name) {
            (Some(length), _) => length,
            // Copied with its backslash, which `pieces` removes.
            (None, Some((name, _))) if escape == 1 => 1 + name.len(),
            (None, Some((name, meaning))) => {
                expanded.push_str(meaning);
                rest = &rest[name.len()..];
                continue;
            }
            (None, None) => first.len_utf8(),
        };
        expanded.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    expanded
}

/// The pieces of an expanded pattern.
pub(super) fn pieces(pattern: &str) -> impl Iterator<Item = PatternPiece<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (piece, taken) = if let Some(length) = bracketed(rest) {
            (PatternPiece::Literal(&rest[1..length - 1]), length)
        } else if first == '\\' {
            // An escape covers a whole token: `\YYYY` is the text `YYYY`.
            let length = match token(&rest[1..]) {
                Some((name, _)) => name.len(),
                None => rest[1..]
                    .chars()
                    .next()
                    .filter(|&next| !is_line_break(next))
                    .map_or(0, char::len_utf8),
            };
            let literal = &rest[1..=length];
            (
                PatternPiece::Literal(literal.trim_start_matches('\\')),
                1 + length,
            )
        } else if let Some((name, render)) = token(rest) {
            (PatternPiece::Field(render), name.len())
        } else {
            let length = first.len_utf8();
            let copied = if is_line_break(first) { 0 } else { length };
            (PatternPiece::Literal(&rest[..copied]), length)
        };
        rest = &rest[taken..];
        Some(piece)
    })
}

/// The token that `text` starts with.
fn token(text: &str) -> Option<(&'static str, Render)> {
    FIELDS
        .iter()
        .find(|(name, _)| text.starts_with(name))
        .copied()
}

/// The length in bytes of the bracketed literal that `text` starts with: up to the last `]` before
/// another `[`, as in moment's expression.
fn bracketed(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let run = inside.split('[').next().unwrap_or_default();
    run.rfind(']').map(|end| end + 2)
}

/// Whether moment drops this character: the `.` in its regular expression matches no line breaks.
fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
