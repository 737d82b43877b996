//! Rewrites the links of one file that would lead elsewhere after a move.

use std::collections::HashMap;
use std::ops::Range;

use obsidian_note::{CancellationToken, VaultPath};
use vault_files::EngineError;

use super::decoded::Decoded;
use super::link_text;
use super::piece::Piece;
use super::reference::{Form, Kind, Reference};
use super::shift::Shift;

/// The new state of one file.
pub(super) struct Rewriting {
    /// Its new bytes; `None` if nothing changes.
    pub(super) after: Option<Vec<u8>>,
    /// The number of links that are rewritten.
    pub(super) links: usize,
    /// The number of links that will lead elsewhere because they cannot be rewritten.
    pub(super) unwritable: usize,
}

/// A range of the file and its replacement.
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) new: String,
}

/// The condition on a link after the move.
#[derive(Clone)]
enum Expected {
    /// The link must lead to this file.
    Leads(VaultPath),
    /// Its text must be the same: the move does not concern it, or it is unresolved, or it could
    /// not be rewritten.
    Says,
}

/// A cache for the links of one file. Notes repeat their links, and resolving a link costs far more
/// than finding it here, so the work is linear in the number of links.
struct LinkCache<'shift> {
    shift: &'shift Shift,
    source: &'shift VaultPath,
    /// Verdicts by linkpath, and by whether it is the path in a file node of a canvas.
    expected: HashMap<(String, bool), LinkVerdict>,
    /// New targets by the old spelling; `None` if no target leads there.
    targets: HashMap<Spelling, Option<String>>,
}

/// The spelling of a link and its meaning: kind, form, subpath as written, linkpath and subpath as
/// parsed, and the file that it must lead to.
type Spelling = (Kind, Form, String, String, String, VaultPath);

/// The change of all links of one spelling.
#[derive(Clone)]
enum LinkVerdict {
    /// They stay, and must then fulfil the condition.
    Stay(Expected),
    /// They must be rewritten to lead to this file.
    Follow(VaultPath),
}

impl<'shift> LinkCache<'shift> {
    fn new(shift: &'shift Shift, source: &'shift VaultPath) -> Self {
        Self {
            shift,
            source,
            expected: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    fn verdict(&mut self, reference: &Reference) -> LinkVerdict {
        let key = (reference.linkpath.clone(), is_path(reference));
        if let Some(known) = self.expected.get(&key) {
            return known.clone();
        }
        let verdict = self.judged(reference);
        self.expected.insert(key, verdict.clone());
        verdict
    }

    fn judged(&self, reference: &Reference) -> LinkVerdict {
        // Most links can mean neither the old nor the new path.
        if !self.shift.concerns(&reference.linkpath, self.source) {
            return LinkVerdict::Stay(Expected::Says);
        }
        if let Some(wanted) = must_lead(self.shift, reference, self.source) {
            return LinkVerdict::Follow(wanted);
        }
        let target = self.shift.target_before(&reference.linkpath, self.source);
        let stays = |target: VaultPath| Expected::Leads(self.shift.place(&target).clone());
        LinkVerdict::Stay(target.map_or(Expected::Says, stays))
    }

    /// Returns the target of a link that must lead to `wanted`, as written in a note.
    fn target(
        &mut self,
        piece: &Piece<'_>,
        reference: &Reference,
        wanted: &VaultPath,
    ) -> Option<String> {
        let written = reference.written.as_ref()?;
        let subpath = piece.text().get(written.subpath.clone())?;
        let key = (
            piece.kind,
            written.form,
            subpath.to_owned(),
            reference.linkpath.clone(),
            reference.subpath.clone(),
            wanted.clone(),
        );
        if let Some(known) = self.targets.get(&key) {
            return known.clone();
        }
        let target = link_text::target(
            self.shift,
            piece.kind,
            reference,
            (written.form, subpath),
            (wanted, self.shift.place(self.source)),
        );
        self.targets.insert(key, target.clone());
        target
    }
}

/// Rewrites the links of the file that is now at `source`. [`EngineError::Stopped`] after a
/// cancellation.
pub(super) fn rewritten(
    shift: &Shift,
    source: &VaultPath,
    bytes: &[u8],
    stop: &CancellationToken,
) -> Result<Rewriting, EngineError> {
    stop.check()?;
    let decoded = Decoded::from_bytes(bytes);
    let pieces = Piece::all(source, &decoded.text);
    let mut known = LinkCache::new(shift, source);
    let mut splices = Vec::new();
    let mut expected = Vec::new();
    let (mut links, mut unwritable) = (0, 0);
    for piece in &pieces {
        for reference in &piece.references {
            stop.check()?;
            let wanted = match known.verdict(reference) {
                LinkVerdict::Stay(stays) => {
                    expected.push((reference, stays));
                    continue;
                }
                LinkVerdict::Follow(wanted) => wanted,
            };
            if let Some(more) = splices_of(&mut known, &decoded, piece, reference, &wanted) {
                links += 1;
                splices.extend(more);
                expected.push((reference, Expected::Leads(wanted)));
            } else {
                unwritable += 1;
                expected.push((reference, Expected::Says));
            }
        }
    }
    let nothing = |unwritable| Rewriting {
        after: None,
        links: 0,
        unwritable,
    };
    if splices.is_empty() {
        return Ok(nothing(unwritable));
    }
    let Some(after) = spliced(bytes, splices) else {
        return Ok(nothing(unwritable + links));
    };
    if !leads(shift, source, &after, &expected, stop)? {
        return Ok(nothing(unwritable + links));
    }
    Ok(Rewriting {
        after: Some(after),
        links,
        unwritable,
    })
}

/// The file that a link must lead to, if it has to be rewritten for that. The path in a file node
/// of a canvas is always rewritten when its file moves, because the app looks it up as a path and
/// not as a name.
fn must_lead(shift: &Shift, reference: &Reference, source: &VaultPath) -> Option<VaultPath> {
    if is_path(reference)
        && let Some(target) = shift.target_before(&reference.linkpath, source)
        && let Some(to) = shift.moved_to(&target)
        && reference.linkpath != to.as_str()
    {
        return Some(to.clone());
    }
    shift.lost(&reference.linkpath, source)
}

fn is_path(reference: &Reference) -> bool {
    let written = reference.written.as_ref();
    written.is_some_and(|written| written.form == Form::Path)
}

/// Returns the replacements in the file for one link.
fn splices_of(
    known: &mut LinkCache<'_>,
    decoded: &Decoded,
    piece: &Piece<'_>,
    reference: &Reference,
    wanted: &VaultPath,
) -> Option<Vec<Splice>> {
    let shift = known.shift;
    let written = reference.written.as_ref()?;
    let splice = |range: &Range<usize>, new: &str| {
        Some(Splice {
            range: decoded.in_file(&piece.in_file(range)?)?,
            new: piece.written(new),
        })
    };
    let target = known.target(piece, reference, wanted)?;
    let mut splices = vec![splice(&written.linkpath, &target)?];
    if let Some(from) = shift.moved_from(wanted)
        && let Some(range) = &written.shown
        && let Some(old) = piece.text().get(range.clone())
        && let Some(new) =
            link_text::new_display_text((from, wanted), written.form, &reference.linkpath, old)
    {
        splices.push(splice(range, &new)?);
    }
    Some(splices)
}

/// Returns the bytes with all replacements made; `None` if two of them overlap.
pub(super) fn spliced(bytes: &[u8], mut splices: Vec<Splice>) -> Option<Vec<u8>> {
    splices.sort_by_key(|splice| splice.range.start);
    let mut after = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for Splice { range, new } in splices {
        after.extend_from_slice(bytes.get(at..range.start)?);
        after.extend_from_slice(new.as_bytes());
        at = range.end;
    }
    after.extend_from_slice(bytes.get(at..)?);
    Some(after)
}

/// Parses the new text, and checks that it has the same links and that each is as expected.
fn leads(
    shift: &Shift,
    source: &VaultPath,
    after: &[u8],
    expected: &[(&Reference, Expected)],
    stop: &CancellationToken,
) -> Result<bool, EngineError> {
    stop.check()?;
    let decoded = Decoded::from_bytes(after);
    let source = shift.place(source);
    let pieces = Piece::all(source, &decoded.text);
    let found: Vec<&Reference> = pieces.iter().flat_map(|piece| &piece.references).collect();
    if found.len() != expected.len() {
        return Ok(false);
    }
    let mut targets: HashMap<&str, Option<VaultPath>> = HashMap::new();
    for (found, (old, expected)) in found.iter().zip(expected) {
        stop.check()?;
        let is_as_expected = match expected {
            Expected::Says => found.linkpath == old.linkpath && found.subpath == old.subpath,
            Expected::Leads(wanted) => {
                let is_named = is_path(old)
                    && format!("{}{}", found.linkpath, found.subpath) == wanted.as_str();
                is_named
                    || found.subpath == old.subpath && {
                        let target = targets
                            .entry(found.linkpath.as_str())
                            .or_insert_with(|| shift.target_after(&found.linkpath, source));
                        target.as_ref() == Some(wanted)
                    }
            }
        };
        if found.is_embed != old.is_embed || !is_as_expected {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use vault_files::LinkFormat;
    use vault_files::vault::testing::path;

    use super::*;

    fn splice(range: Range<usize>, new: &str) -> Splice {
        Splice {
            range,
            new: new.to_owned(),
        }
    }

    #[test]
    fn stretches_are_replaced_in_any_order_unless_they_overlap() {
        let replaced = |splices| {
            spliced(b"abcdef", splices).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let two = vec![splice(4..5, "X"), splice(0..2, "long")];
        assert_eq!(replaced(two).as_deref(), Some("longcdXf"));
        assert_eq!(replaced(vec![splice(0..3, ""), splice(2..4, "")]), None);
    }

    fn shift() -> Shift {
        let files = [path("Old.md"), path("s.md")];
        let to = path("New.md");
        Shift::new(&files, path("Old.md"), to, LinkFormat::Shortest, &[])
    }

    #[test]
    fn e10_a_file_is_not_rewritten_once_the_call_is_over() {
        let (shift, stop) = (shift(), CancellationToken::default());
        let source = path("s.md");
        let rewriting = rewritten(&shift, &source, b"[[Old]]", &stop).unwrap();
        let after = rewriting.after.unwrap();
        assert_eq!(after, b"[[New]]");
        stop.cancel();
        let stopped = rewritten(&shift, &source, b"[[Old]]", &stop);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
        let stopped = leads(&shift, &source, &after, &[], &stop);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
    }

    #[test]
    fn e10_links_that_say_the_same_are_worked_out_once() {
        let (shift, source) = (shift(), path("s.md"));
        let text = "[[Old]] [[Old]] [x](Old.md) [[Old#h]] [[Old]] [[s]] [[s]]";
        let pieces = Piece::all(&source, text);
        let mut known = LinkCache::new(&shift, &source);
        for reference in pieces.iter().flat_map(|piece| &piece.references) {
            if let LinkVerdict::Follow(wanted) = known.verdict(reference) {
                known.target(&pieces[0], reference, &wanted).unwrap();
            }
        }
        assert_eq!(known.expected.len(), 3, "Old, Old.md, s");
        assert_eq!(
            known.targets.len(),
            3,
            "as wikilink, as Markdown, with a subpath"
        );
    }
}
