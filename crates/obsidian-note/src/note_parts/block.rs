//! A block of a note that has an id (`vault-semantics.md` §2.2).

use super::lines;
use super::near_miss::nearest;
use super::sheet::Sheet;
use crate::edit_miss::{EditCandidate, EditMiss};
use crate::scan::Block;

/// Returns the block with this id.
///
/// # Errors
///
/// An [`EditMiss`] with the most similar places, if no place or more than one fits.
pub fn find<'sheet>(sheet: &'sheet Sheet<'_>, id: &str) -> Result<&'sheet Block, EditMiss> {
    let blocks = &sheet.facts().blocks;
    let found: Vec<&Block> = blocks
        .iter()
        .filter(|block| block.id.eq_ignore_ascii_case(id))
        .collect();
    let shown = |block: &&Block| {
        let lines = lines::of(sheet, &block.span);
        lines::candidate(sheet, lines.start, lines.end - 1)
    };
    match found.as_slice() {
        [block] => Ok(block),
        [] => {
            let ids = blocks.iter().enumerate();
            let near = nearest(id, ids.map(|(index, block)| (index, block.id.as_str())));
            // Near misses count lines from 1.
            let near = near.iter().filter_map(|near| blocks.get(near.line - 1));
            let mut shown: Vec<&Block> = near.collect();
            if shown.is_empty() {
                shown = blocks.iter().take(EditCandidate::MOST_HEADINGS).collect();
            }
            let candidates = shown
                .into_iter()
                .map(|block| EditCandidate::new(block.span.start.line as usize, &block.id));
            let miss =
                EditMiss::not_found("the note has no block with this id", candidates.collect());
            Err(if blocks.is_empty() {
                miss.advising("No block of this note has an id. Name a heading or lines instead.")
            } else {
                miss
            })
        }
        several => Err(EditMiss::ambiguous(
            format!("{} blocks have this id", several.len()),
            several
                .iter()
                .take(EditCandidate::MOST)
                .map(shown)
                .collect(),
        )
        .with_total(several.len())
        .advising("Use `lines` instead. `candidates` shows the lines of each block.")),
    }
}
