//! Texts with escapes, in JSON and in quoted YAML, with a map back to the place of each character.

use std::ops::Range;

/// The syntax in which a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// The text is in `'` quotes of YAML.
    Single,
    /// The text is in `"` quotes of YAML.
    Double,
    /// The text is in `"` quotes of JSON.
    Json,
}

impl Quoting {
    /// Returns the text escaped for insertion between such quotes.
    pub(super) fn written(self, text: &str) -> String {
        match self {
            Self::Single => text.replace('\'', "''"),
            Self::Double | Self::Json => text.replace('\\', "\\\\").replace('"', "\\\""),
        }
    }
}

/// A text with its escapes resolved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unescaped {
    pub(super) text: String,
    /// The offset in the source for each byte of the text, and the offset of the end.
    places: Vec<usize>,
}

impl Unescaped {
    fn new(length: usize) -> Self {
        Self {
            text: String::with_capacity(length),
            places: Vec::with_capacity(length + 1),
        }
    }

    fn push(&mut self, character: char, at: usize) {
        self.text.push(character);
        self.places.resize(self.text.len(), at);
    }

    /// Removes spaces and tabs from the end, as far as they are written at or after `from`.
    fn trim_blanks(&mut self, from: usize) {
        while self.text.ends_with([' ', '\t'])
            && self.places.last().is_some_and(|place| *place >= from)
        {
            self.text.pop();
            self.places.pop();
        }
    }

    fn ended(mut self, at: usize) -> Self {
        self.places.push(at);
        self
    }

    /// Returns the range in the source for a range of the text.
    pub(super) fn written_at(&self, range: &Range<usize>) -> Option<Range<usize>> {
        Some(*self.places.get(range.start)?..*self.places.get(range.end)?)
    }

    /// Resolves the escapes between the quotes of a JSON string.
    pub(super) fn json(written: &str) -> Option<Self> {
        let mut found = Self::new(written.len());
        let mut at = 0;
        while let Some(character) = next(written, at) {
            if character != '\\' {
                found.push(character, at);
                at += character.len_utf8();
                continue;
            }
            let (character, length) = match next(written, at + 1)? {
                'b' => ('\u{8}', 2),
                'f' => ('\u{c}', 2),
                'n' => ('\n', 2),
                'r' => ('\r', 2),
                't' => ('\t', 2),
                'u' => json_code(written, at)?,
                other => (other, 2),
            };
            found.push(character, at);
            at += length;
        }
        Some(found.ended(at))
    }

    /// Resolves the escapes between single quotes in YAML.
    pub(super) fn single(written: &str) -> Self {
        let mut found = Self::new(written.len());
        let mut at = 0;
        while let Some(character) = next(written, at) {
            match character {
                '\'' => {
                    found.push(character, at);
                    at += 2;
                }
                '\n' | '\r' => at = found.fold(written, at, 0),
                _ => {
                    found.push(character, at);
                    at += character.len_utf8();
                }
            }
        }
        found.ended(at)
    }

    /// Resolves the escapes between double quotes in YAML.
    pub(super) fn double(written: &str) -> Option<Self> {
        let mut found = Self::new(written.len());
        let mut at = 0;
        // Blanks at the end of a line are dropped, unless they are written as escapes.
        let mut kept = 0;
        while let Some(character) = next(written, at) {
            match character {
                '\\' => {
                    at = found.yaml_escape(written, at)?;
                    kept = at;
                }
                '\n' | '\r' => at = found.fold(written, at, kept),
                _ => {
                    found.push(character, at);
                    at += character.len_utf8();
                }
            }
        }
        Some(found.ended(at))
    }

    fn yaml_escape(&mut self, written: &str, at: usize) -> Option<usize> {
        let escaped = next(written, at + 1)?;
        let digits = match escaped {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            '\n' | '\r' => {
                let (empty_lines, next_line) = line_ends(written, at + 1);
                (0..empty_lines).for_each(|_| self.push('\n', at));
                return Some(next_line);
            }
            _ => 0,
        };
        if digits > 0 {
            let code = written.get(at + 2..at + 2 + digits)?;
            let code = u32::from_str_radix(code, 16).ok()?;
            self.push(char::from_u32(code)?, at);
            return Some(at + 2 + digits);
        }
        let character = match escaped {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            other => other,
        };
        self.push(character, at);
        Some(at + 1 + escaped.len_utf8())
    }

    /// Writes a space for a line break in quotes, or one line feed for each empty line after it. Returns the offset of
    /// the next text.
    fn fold(&mut self, written: &str, at: usize, kept: usize) -> usize {
        self.trim_blanks(kept);
        let (empty_lines, next_line) = line_ends(written, at);
        if empty_lines == 0 {
            self.push(' ', at);
        }
        (0..empty_lines).for_each(|_| self.push('\n', at));
        next_line
    }
}

fn next(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Returns the character of a `\u` escape of JSON, and the length of the escape: two escapes may form one character.
fn json_code(written: &str, at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = written.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(at)?;
    let (units, length) = match unit(at + 6) {
        Some(second) if (0xd800..0xdc00).contains(&first) => (vec![first, second], 12),
        _ => (vec![first], 6),
    };
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, length))
}

/// Returns the number of empty lines after the line that ends at `at`, and the offset where the
/// text continues.
fn line_ends(text: &str, at: usize) -> (usize, usize) {
    let mut next_line = after_blanks(text, after_line_end(text, at));
    let mut empty_lines = 0;
    while matches!(next(text, next_line), Some('\n' | '\r')) {
        empty_lines += 1;
        next_line = after_blanks(text, after_line_end(text, next_line));
    }
    (empty_lines, next_line)
}

fn after_line_end(text: &str, at: usize) -> usize {
    let is_two = text.get(at..).is_some_and(|rest| rest.starts_with("\r\n"));
    at + 1 + usize::from(is_two)
}

fn after_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use obsidian_note::Frontmatter;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_stretch_is_found_where_it_is_written() {
        let written = r#"a\u00e9\ud83d\ude00 [[b\/c]]\n\"é"#;
        let found = Unescaped::json(written).unwrap();
        assert_eq!(found.text, "aé😀 [[b/c]]\n\"é");
        let at = |text: &str| {
            let start = found.text.find(text).unwrap();
            let range = found.written_at(&(start..start + text.len())).unwrap();
            &written[range]
        };
        assert_eq!(at("b/c"), r"b\/c");
        assert_eq!(at("😀"), r"\ud83d\ude00");
        assert_eq!(at("\"é"), r#"\"é"#);
    }

    #[test]
    fn lines_are_folded_in_quotes_of_yaml() {
        let single = |written: &str| Unescaped::single(written).text;
        let double = |written: &str| Unescaped::double(written).unwrap().text;
        assert_eq!(single("a''b \n  c"), "a'b c");
        assert_eq!(single("a\r\n\r\n  c"), "a\nc");
        assert_eq!(double("a \\\n  b\\x41\\u00e9\\_"), "a bAé\u{a0}");
        assert_eq!(double("a\\t\n b"), "a\t b");
    }

    fn yaml(quoted: &str) -> Option<String> {
        let parsed = Frontmatter::parse(&format!("k: {quoted}\n")).ok()?;
        match parsed.properties.get("k") {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn json_is_read_as_the_parser_reads_it(
            written in r#"([a\[é😀 /]|\\[nt"\\/]|\\u00e9|\\ud83d\\ude00){0,8}"#,
        ) {
            let parsed: String = serde_json::from_str(&format!("\"{written}\"")).unwrap();
            prop_assert_eq!(Unescaped::json(&written).unwrap().text, parsed);
        }

        #[test]
        fn quotes_of_yaml_are_read_as_the_parser_reads_them(
            single in "([a\\[é#:]| {1,2}|''|\\r?\n {1,2}){0,8}",
            double in r#"([a\[é#:']| {1,2}|\\[nt"\\/_ ]|\\x41|\\u00e9|\\?\r?\n {1,2}){0,8}"#,
        ) {
            if let Some(parsed) = yaml(&format!("'{single}'")) {
                prop_assert_eq!(Unescaped::single(&single).text, parsed);
            }
            if let Some(parsed) = yaml(&format!("\"{double}\"")) {
                prop_assert_eq!(Unescaped::double(&double).unwrap().text, parsed);
            }
        }

        #[test]
        fn what_is_written_is_read_again(text in r#"[a\\"'é\[ ]{0,12}"#) {
            let json = Unescaped::json(&Quoting::Json.written(&text)).unwrap();
            let double = Unescaped::double(&Quoting::Double.written(&text)).unwrap();
            let single = Unescaped::single(&Quoting::Single.written(&text));
            for read in [json, double, single] {
                prop_assert_eq!(read.text, text.as_str());
            }
        }
    }
}
