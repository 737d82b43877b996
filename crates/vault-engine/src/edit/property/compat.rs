//! The whole block written anew, as the app does it (`vault-semantics.md` §3.3, `compat`).

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};

use super::source::Source;
use crate::frontmatter::{is_not_finite, mended};

/// The note with the properties written as the app writes them: lines end in LF whatever the body
/// has. None where a number is infinite, which nothing read from the block can say.
pub(super) fn rewritten(source: &Source<'_>, properties: &Map<String, Value>) -> Option<Vec<u8>> {
    if has_infinity(source.yaml) {
        return None;
    }
    let end = if source.is_closed_by_a_whole_line() {
        "\n"
    } else {
        ""
    };
    let yaml = cli_output::yaml(properties);
    Some(source.with_block(&format!("---\n{yaml}\n---{end}")))
}

fn has_infinity(yaml: &str) -> bool {
    let yaml = mended(yaml);
    let mut parser = Parser::new_from_str(&yaml);
    while let Some(Ok((event, _))) = parser.next_event() {
        if let Event::Scalar(text, style, _, tag) = event
            && is_not_finite(&text, style, tag.as_deref())
        {
            return true;
        }
    }
    false
}
