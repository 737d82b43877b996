//! Any query over any note ends, and its hits lie inside the note; any properties can be read.
//!
//! The first line is the query, the rest is the note.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vault_engine::frontmatter::Frontmatter;
use vault_engine::search::{Certainty, Document, FromText, Query};

fuzz_target!(|input: &str| {
    let (query, note) = input.split_once('\n').unwrap_or((input, ""));
    // As the engine does when it reads a note.
    let note = note.trim_start_matches('\u{feff}');
    if let Ok(properties) = Frontmatter::parse_note(note) {
        drop(properties.links());
        drop((properties.tags(), properties.aliases()));
    }
    for case_sensitive in [false, true] {
        let Ok(query) = Query::parse(query, case_sensitive) else {
            return;
        };
        let document = Document::new("notes/a note.md", note, &FromText);
        let (Ok(matches), Ok(hits)) = (query.matches(&document), query.hits(&document)) else {
            continue;
        };
        assert_eq!(matches, hits.is_some());
        for hit in hits.into_iter().flatten() {
            // Slicing fails outside the text and inside a character.
            let _ = &note[hit];
        }
        match query.prefilter("notes/a note.md", Some(note.as_bytes())) {
            Certainty::Yes => assert!(matches),
            Certainty::No => assert!(!matches),
            Certainty::Maybe => {}
        }
    }
});
