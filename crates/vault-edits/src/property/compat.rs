//! Rewrites the whole block, as the app does it (`vault-semantics.md` §3.3, `compat`).

use obsidian_note::frontmatter::{is_not_finite, repaired, to_yaml};
use serde_json::{Map, Value};
use yaml_events::{Event, events};

use super::source::Source;

/// Returns the note with the properties as the app writes them; their lines end in LF even if the body's do not. `None`
/// if a number is infinite, which parsed properties cannot represent.
pub(super) fn rewritten(source: &Source<'_>, properties: &Map<String, Value>) -> Option<Vec<u8>> {
    if has_infinity(source.yaml) {
        return None;
    }
    let end = if source.is_closed_by_a_whole_line() {
        "\n"
    } else {
        ""
    };
    let yaml = to_yaml(properties);
    Some(source.with_block(&format!("---\n{yaml}\n---{end}")))
}

fn has_infinity(yaml: &str) -> bool {
    let yaml = repaired(yaml);
    events(&yaml).map_while(Result::ok).any(|(event, _)| {
        matches!(event, Event::Scalar(text, style, _, tag) if is_not_finite(&text, style, tag.as_deref()))
    })
}
