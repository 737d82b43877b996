//! `wordcount` (`vault-semantics.md` §3.8).

use obsidian_note::WordCounter;
use obsidian_note::frontmatter::body;
use vault_answers::WordCount;
use vault_files::{Call, EngineError, Refusal};
use vault_index::Target;

use super::reply::Reply;

/// Words and characters of a note's text below its properties.
pub(super) fn word_count(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let mut target = Target::note(vault, call.arguments, Refusal::WordCountNotMarkdown)?;
    let text = target.beginning(vault)?;
    let mut count = (0, 0);
    let mut counter = WordCounter::default();
    let mut rest = body(&text);
    while !rest.is_empty() {
        vault.disk().cancellation().check()?;
        let end = (PIECE..rest.len()).find(|at| rest.is_char_boundary(*at));
        let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        count.0 += counter.count(piece, rest.chars().next());
        count.1 += if piece.is_ascii() {
            piece.len()
        } else {
            piece.encode_utf16().count()
        };
    }
    let count = WordCount {
        words: Some(count.0),
        characters: Some(count.1),
    };
    Ok(Reply::new(count, target.warnings))
}

/// The bytes that are counted between two checks of the deadline.
const PIECE: usize = 256 * 1024;
