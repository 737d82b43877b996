//! Helpers that step through YAML text by byte offsets.

use std::ops::Range;

/// Returns the offset after the spaces and tabs at `at`.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Returns the offset where the anchor and type at `at` end, and the offset of the value after them, past blanks, line
/// ends and comments.
pub(super) fn skip_properties(text: &str, at: usize) -> (usize, usize) {
    let mut end = at;
    let mut next = at;
    while text
        .get(next..)
        .is_some_and(|rest| rest.starts_with(['&', '!']))
    {
        end = end_of_word(text, next);
        next = skip_space_and_comments(text, end);
    }
    (end, next)
}

fn skip_space_and_comments(text: &str, at: usize) -> usize {
    let mut at = at;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        at = text.len() - trimmed.len();
        if !trimmed.starts_with('#') {
            return at;
        }
        at = text.len() - trimmed.len() + trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

/// Returns the offset of the bracket that closes a collection whose last item ends before `at`, past white space,
/// comments and one comma.
pub(super) fn closing_bracket(text: &str, at: usize, bracket: char) -> Option<usize> {
    let mut at = skip_space_and_comments(text, at);
    if text.get(at..)?.starts_with(',') {
        at = skip_space_and_comments(text, at + 1);
    }
    text.get(at..)?.starts_with(bracket).then_some(at)
}

/// Returns the offset where an anchor, type or alias ends.
pub(super) fn end_of_word(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.find(|character: char| {
        character.is_ascii_whitespace() || matches!(character, ',' | '[' | ']' | '{' | '}')
    });
    at + length.unwrap_or(rest.len())
}

/// Returns the offset after the quoted text that begins at `at`.
pub(crate) fn end_of_quotes(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let quote = rest.chars().next().filter(|first| "'\"".contains(*first))?;
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((offset, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            let is_doubled =
                quote == '\'' && characters.next_if(|(_, next)| *next == quote).is_some();
            if !is_doubled {
                return Some(at + offset + 1);
            }
        }
    }
    None
}

/// Returns the comments of YAML, in order. Lines of a block text that look like comments are among them.
pub(crate) fn comments(yaml: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    // Whether a value may begin here, and whether a comment may.
    let (mut begins_value, mut is_apart) = (true, true);
    while let Some(next) = yaml.get(at..).and_then(|rest| rest.chars().next()) {
        if next == '#' && is_apart {
            let end = line_of(yaml, at).end;
            found.push(yaml.get(at..end).unwrap_or_default().trim_end());
            at = end;
            (begins_value, is_apart) = (true, true);
            continue;
        }
        if begins_value && let Some(end) = end_of_quotes(yaml, at) {
            at = end;
            (begins_value, is_apart) = (false, false);
            continue;
        }
        is_apart = next.is_whitespace();
        begins_value = match next {
            ' ' | '\t' | '\r' => begins_value,
            _ => matches!(next, '\n' | ':' | ',' | '[' | '{' | '-' | '?'),
        };
        at += next.len_utf8();
    }
    found
}

/// Returns the range of the line at this offset, with its line end.
pub(super) fn line_of(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1);
    start..end
}

/// Returns the text before this offset in its line, if that is only blanks.
pub(super) fn indent_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(line_of(text, at).start..at)?;
    before
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t'))
        .then_some(before)
}
