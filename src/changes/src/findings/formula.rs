//! Commands of formulas (`MathJax`) that are not known to be harmless.
//!
//! They are searched behind every `$` of a paragraph, and behind the first `$$` in the whole note, because readers
//! disagree about where a formula begins. `\style`, `\bbox` and `\href` may have an argument of plain words, `\href` a
//! web address, and `\unicode` the name of a font.

use std::borrow::Cow;

use super::address::{Leads, SCRIPT_LINK, decoded, leads};
use super::note::Hits;

const FORMULA: &str = "formula-command";
const STYLE: &str = "html-style";
/// A longer argument is not read.
const LONGEST_ARGUMENT: usize = 2000;
/// Number of characters of a command that are compared with the earlier commands.
const LONGEST_COMMAND: usize = 200;

/// Records commands that load something wherever a reader may see a formula: behind a `$` in a paragraph, and behind
/// the first `$$` of the whole text. `start` is the byte of the note at which `text` begins.
pub(super) fn find((start, text): (usize, &str), hits: &mut Hits<'_>) {
    let (mut at, mut in_block, mut in_paragraph, mut known) = (0, false, false, 0);
    for line in text.split_inclusive(['\n', '\r']) {
        in_paragraph &= !line.trim().is_empty();
        let from = if in_block || in_paragraph {
            Some(0)
        } else {
            line.find('$')
        };
        if let Some(from) = from {
            commands(
                text,
                (at + from, at + line.len()),
                (start, &mut known),
                hits,
            );
            // Some readers replace references first.
            if let Cow::Owned(plain) = decoded_line(line) {
                let length = plain.len();
                hits.find_inside(start + at, &plain, |plain, hits| {
                    commands(plain, (0, length), (0, &mut 0), hits);
                });
            }
        }
        in_block |= line.contains("$$");
        in_paragraph |= line.contains('$');
        at += line.len();
    }
}

fn decoded_line(line: &str) -> Cow<'_, str> {
    if line.contains('&') && line.contains(';') {
        decoded(line).into()
    } else {
        line.into()
    }
}

/// Records the active commands that begin in a part of the text. The first one is recorded with the rest of its formula,
/// up to the byte `known`: all that follows can be its arguments.
fn commands(
    text: &str,
    (mut at, end): (usize, usize),
    (start, known): (usize, &mut usize),
    hits: &mut Hits<'_>,
) {
    while let Some(found) = text.get(at..end).and_then(|part| part.find('\\')) {
        let rest = text.get(at + found + 1..).unwrap_or_default();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, behind) = rest.split_at(length);
        if let Some(kind) = kind_of_command(name, behind, hits) {
            if at + found < *known {
                let shown = text.get(at + found..end).unwrap_or_default();
                let shown: String = shown.chars().take(LONGEST_COMMAND).collect();
                hits.add(kind, start + at + found, &shown);
            } else {
                *known = end_of_formula(text, at + found);
                let shown = text.get(at + found..*known).unwrap_or_default();
                hits.add(kind, start + at + found, shown);
            }
        }
        // A command of another character than a letter is that one.
        let skipped = rest
            .chars()
            .next()
            .filter(|_| length == 0)
            .map_or(length, char::len_utf8);
        at += found + 1 + skipped;
    }
}

/// Returns the end of the paragraph of a command, or of the braces that are open there.
fn end_of_formula(text: &str, at: usize) -> usize {
    let (mut end, mut depth, mut is_escaped) = (at, 0_usize, false);
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        if depth == 0 && line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty() {
            break;
        }
        for byte in line.bytes() {
            match byte {
                b'{' if !is_escaped => depth += 1,
                b'}' if !is_escaped => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        end += line.len();
    }
    end
}

fn kind_of_command(name: &str, behind: &str, hits: &Hits<'_>) -> Option<&'static str> {
    if name.is_empty() || hits.table.harmless.formula_commands.has(name) {
        return None;
    }
    let argument = plain_argument(behind);
    match name {
        "href" => match argument.map(|address| leads(address, hits.table)) {
            Some(Leads::Web) => None,
            Some(Leads::To(kind)) => Some(kind),
            _ => Some(SCRIPT_LINK),
        },
        "bbox" | "style" => argument
            .is_none_or(|style| style.contains('/'))
            .then_some(STYLE),
        "unicode" => (!has_plain_font(behind)).then_some(STYLE),
        _ => Some(FORMULA),
    }
}

/// Whether the options of `\unicode`, a size and a font, are only names and numbers: the font is written into a style.
fn has_plain_font(behind: &str) -> bool {
    let mut rest = behind.trim_start();
    while let Some(inside) = rest.strip_prefix('[') {
        let is_plain = |next: char| next.is_ascii_alphanumeric() || " ,.-".contains(next);
        match inside.trim_start_matches(is_plain).strip_prefix(']') {
            Some(behind) => rest = behind.trim_start(),
            None => return false,
        }
    }
    rest.starts_with('{')
}

/// Returns the first argument of a command, in brackets or braces; `None` if the argument contains markup of any kind.
fn plain_argument(behind: &str) -> Option<&str> {
    let behind = behind.trim_start();
    let close = if behind.starts_with('{') { '}' } else { ']' };
    let inside = behind.strip_prefix(['{', '['])?;
    let is_plain = |character: &char| {
        character.is_ascii_alphanumeric() || " ,.:;#-%/?=_~+".contains(*character)
    };
    let length = inside
        .chars()
        .take(LONGEST_ARGUMENT)
        .take_while(is_plain)
        .count();
    let (argument, rest) = inside.split_at(length);
    rest.starts_with(close).then_some(argument)
}
