//! Scalars as the app writes them.

use yaml_events::scalar::{self, ScalarType, double_quoted};

/// A text on one line: plain if it then means the same text, else in quotes. They are double, but single around a text
/// that contains only double ones.
pub(super) fn inline(text: &str) -> String {
    if !needs_quotes(text) {
        text.to_owned()
    } else if text.contains('"') && !text.contains('\'') && !text.contains(is_unprintable) {
        format!("'{text}'")
    } else {
        double_quoted(text)
    }
}

fn needs_quotes(text: &str) -> bool {
    let is_indicator = |first: char| ",[]{}#&*!|>'\"%@` \t".contains(first);
    let is_dash_alone = |text: &str| {
        let rest = text.strip_prefix(['-', '?', ':']);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    !scalar::value(text, ScalarType::Any).is_string()
        || text == "---"
        || text.starts_with(is_indicator)
        || is_dash_alone(text)
        || text.ends_with([' ', '\t', ':'])
        || [": ", ":\t", " #", "\t#"]
            .iter()
            .any(|pair| text.contains(pair))
        || text.contains(is_unprintable)
}

/// Characters that only double quotes carry: controls but the tab, and odd line breaks.
pub(super) fn is_unprintable(character: char) -> bool {
    (character.is_control() && character != '\t')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}
