//! Events with their byte ranges.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScanError, StrInput};

/// The events of a text, up to the first error.
pub struct Events<'text> {
    parser: Parser<'text, StrInput<'text>>,
    /// The byte offset of each character; `None` for an ASCII text, in which characters and bytes
    /// are the same.
    starts: Option<Vec<usize>>,
    length: usize,
}

/// The events of a text with their byte ranges. The range that the parser reports for a value may
/// begin with its anchor and type, and extend to the next value.
pub fn events(text: &str) -> Events<'_> {
    let starts = || text.char_indices().map(|(at, _)| at).collect();
    Events {
        parser: Parser::new_from_str(text),
        starts: (!text.is_ascii()).then(starts),
        length: text.len(),
    }
}

impl Events<'_> {
    /// Converts an offset in characters, as the parser counts, to one in bytes.
    fn byte(&self, character: usize) -> usize {
        match &self.starts {
            None => character.min(self.length),
            Some(starts) => starts.get(character).copied().unwrap_or(self.length),
        }
    }
}

impl<'text> Iterator for Events<'text> {
    type Item = Result<(Event<'text>, Range<usize>), ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        let event = self.parser.next_event()?;
        Some(event.map(|(event, span)| {
            let bytes = self.byte(span.start.index())..self.byte(span.end.index());
            (event, bytes)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_text() {
        let text = "é: [ä, \"b\"] # c\n";
        let scalars: Vec<&str> = events(text)
            .map(Result::unwrap)
            .filter(|(event, _)| matches!(event, Event::Scalar(..)))
            .map(|(_, bytes)| &text[bytes])
            .collect();
        assert_eq!(scalars, ["é", "ä", "\"b\""]);
        assert!(events("a: \"b").any(|event| event.is_err()));
    }
}
