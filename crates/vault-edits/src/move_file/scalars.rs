//! The texts in a note's properties, and their places.

use std::ops::Range;

use yaml_events::{Event, ScalarStyle, events};

use crate::property::lexical::end_of_quotes;

/// A text that is the value of a property, or part of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) text: String,
    pub(super) style: ScalarStyle,
    /// Its byte range in the YAML, without its quotes. For a text without quotes, the range may
    /// have more at both ends.
    pub(super) range: Range<usize>,
}

/// Returns every scalar of valid properties, except for keys. A value with aliases comes once, at its own place.
pub(super) fn scalars(yaml: &str) -> Vec<Scalar> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for event in events(yaml) {
        let Ok((event, bytes)) = event else {
            return Vec::new();
        };
        match event {
            Event::SequenceStart(..) => {
                take_place(&mut open);
                open.push(ScalarPlace::Element);
            }
            Event::MappingStart(..) => {
                take_place(&mut open);
                open.push(ScalarPlace::Key);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                open.pop();
            }
            Event::Alias(_) => {
                take_place(&mut open);
            }
            Event::Scalar(text, style, ..) => {
                let is_key = take_place(&mut open) == Some(ScalarPlace::Key);
                if !is_key {
                    let start = bytes.start;
                    let written = yaml.get(bytes).unwrap_or_default();
                    let is_quoted =
                        matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
                    let inside = if is_quoted {
                        between_quotes(written)
                    } else {
                        0..written.len()
                    };
                    found.push(Scalar {
                        text: text.into_owned(),
                        style,
                        range: start + inside.start..start + inside.end,
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the range between the quotes, within the extent that the parser reports for a value: that may begin with an
/// anchor and a type, and extend to the next value.
fn between_quotes(written: &str) -> Range<usize> {
    let mut start = 0;
    while let Some(rest) = written.get(start..)
        && let Some(mark) = rest.chars().next()
        && (mark.is_whitespace() || matches!(mark, '&' | '!' | '#'))
    {
        let is_end = |character: char| match mark {
            '#' => character == '\n',
            '&' | '!' => character.is_whitespace(),
            _ => true,
        };
        start += mark.len_utf8();
        let rest = rest.get(mark.len_utf8()..).unwrap_or_default();
        start += rest.find(is_end).unwrap_or(rest.len());
    }
    let rest = written.get(start..).unwrap_or_default();
    let end = end_of_quotes(rest, 0).map_or(rest.len(), |end| end - 1);
    start + end.min(1)..start + end
}

/// The role of the next value in the list or mapping around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScalarPlace {
    Element,
    Key,
    Value,
}

/// Returns the role of the present value; advances to the role of the next value.
fn take_place(open: &mut [ScalarPlace]) -> Option<ScalarPlace> {
    let place = open.last_mut()?;
    let taken = *place;
    *place = match taken {
        ScalarPlace::Element => ScalarPlace::Element,
        ScalarPlace::Key => ScalarPlace::Value,
        ScalarPlace::Value => ScalarPlace::Key,
    };
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(yaml: &str) -> Vec<(String, &str)> {
        scalars(yaml)
            .into_iter()
            .map(|scalar| (scalar.text, &yaml[scalar.range]))
            .collect()
    }

    #[test]
    fn values_are_found_between_their_quotes_and_keys_are_not() {
        let yaml = "é: \"[[a]]\" # \"x\"\r\n'k': &z !!str # '\r\n  '[[b]]''c'\r\nl:\r\n  - [ \"c\\\"é\" , *z ]\r\n  - {\"k\": 'd'}\r\n";
        let expected = [
            ("[[a]]", "[[a]]"),
            ("[[b]]'c", "[[b]]''c"),
            ("c\"é", "c\\\"é"),
            ("d", "d"),
        ];
        let expected = expected.map(|(text, written)| (text.to_owned(), written));
        assert_eq!(found(yaml), expected);
    }

    #[test]
    fn values_without_quotes_are_within_their_range() {
        let yaml = "b: &z |- # x\r\n  [[e]]\r\nc: d e # f\ng: >-\n  [[h\n  i]]\n";
        let found = found(yaml);
        assert_eq!(found[0].0, "[[e]]");
        assert!(found[0].1.contains("[[e]]\r\n"));
        assert!(found[1].1.starts_with("d e"));
        assert_eq!(found[2].0, "[[h i]]");
    }

    #[test]
    fn what_cannot_be_read_has_no_values() {
        assert_eq!(scalars("a: 'b"), []);
        assert_eq!(scalars(""), []);
    }
}
