//! Any text can be scanned, and what is found lies inside it.
//!
//! The notes in `tests/golden/md` are a good first corpus:
//! `cargo +nightly fuzz run scan fuzz/corpus/scan tests/golden/md`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vault_engine::scan::{self, Span};

/// The text of a span; slicing fails where it is outside the text or inside a character.
fn part(text: &str, span: Span) -> &str {
    &text[span.start.byte as usize..span.end.byte as usize]
}

fuzz_target!(|text: &str| {
    let facts = scan::scan(text);
    for link in facts.links.iter().chain(&facts.embeds) {
        assert_eq!(link.original, part(text, link.span));
    }
    for tag in &facts.tags {
        assert_eq!(tag.tag, part(text, tag.span));
    }
    let others = facts
        .frontmatter
        .into_iter()
        .chain(facts.headings.iter().map(|heading| heading.span))
        .chain(facts.list_items.iter().map(|item| item.span))
        .chain(facts.sections.iter().map(|section| section.span))
        .chain(facts.blocks.iter().map(|block| block.span));
    for span in others {
        let before = &text[..span.start.byte as usize];
        assert_eq!(span.start.utf16 as usize, before.encode_utf16().count());
        assert_eq!(span.start.line as usize, before.matches('\n').count());
        part(text, span);
    }
});
