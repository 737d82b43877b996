//! Rewrites the links of one file that would lead elsewhere after a move.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use obsidian_note::{CancellationToken, VaultPath};
use vault_files::EngineError;

use super::decoded::Decoded;
use super::escapes::Quoting;
use super::link_text::{self, Subpath};
use super::piece::Piece;
use super::places::{Destination, NewPlace, PlaceNames};
use super::reference::{Form, Kind, Reference};
use super::shift::Shift;

/// The new state of one file.
#[derive(Default)]
pub(super) struct Rewriting {
    /// Its new bytes; `None` if nothing changes.
    pub(super) after: Option<Vec<u8>>,
    /// The number of links that are rewritten.
    pub(super) links: usize,
    /// The number of links that will lead elsewhere because they cannot be rewritten.
    pub(super) unwritable: usize,
}

/// A range of the file and its replacement.
struct Splice {
    range: Range<usize>,
    new: String,
}

/// The condition on a link after the move.
struct Expected {
    /// The file that the link must lead to; `None` if its linkpath must be the same, because the move does not concern
    /// it, or it is unresolved, or it could not be rewritten.
    file: Option<VaultPath>,
    /// The subpath that names the place.
    subpath: String,
}

/// A cache for the links of one file. Notes repeat their links, and resolving a link costs far more
/// than finding it here, so the work is linear in the number of links.
pub(super) struct LinkCache<'shift> {
    shift: &'shift Shift,
    source: &'shift VaultPath,
    /// The path of the text afterwards.
    at: &'shift VaultPath,
    /// The headings and blocks that get other places or names.
    names: OnceCell<PlaceNames<'shift>>,
    /// Verdicts by linkpath and subpath, and by whether it is the path in a file node of a canvas.
    expected: HashMap<(String, String, bool), LinkVerdict>,
    /// New targets by the old spelling; `None` if no target leads there.
    targets: HashMap<Spelling, Option<String>>,
}

/// The spelling of a link and its meaning: kind, form, subpath as written, linkpath and subpath as
/// parsed, and the file that it must lead to.
type Spelling = (Kind, Form, String, String, String, VaultPath);

/// The change of all links of one spelling. The file is the one that they must lead to; `None` if their linkpaths stay.
#[derive(Clone)]
pub(super) enum LinkVerdict {
    /// They stay.
    Stay(Option<VaultPath>),
    /// As [`Self::Stay`], but the name of their heading or block will lead to another one.
    Stray(Option<VaultPath>),
    /// They must be rewritten to lead there.
    Follow(Option<VaultPath>, NewPlace),
}

impl<'shift> LinkCache<'shift> {
    fn new(shift: &'shift Shift, source: &'shift VaultPath, at: &'shift VaultPath) -> Self {
        Self {
            shift,
            source,
            at,
            names: OnceCell::new(),
            expected: HashMap::new(),
            targets: HashMap::new(),
        }
    }

    fn verdict(&mut self, reference: &Reference) -> LinkVerdict {
        let subpath = reference.place().to_owned();
        let key = (reference.linkpath.clone(), subpath, is_path(reference));
        if let Some(known) = self.expected.get(&key) {
            return known.clone();
        }
        let verdict = self.judged(reference);
        self.expected.insert(key, verdict.clone());
        verdict
    }

    fn judged(&self, reference: &Reference) -> LinkVerdict {
        let (shift, linkpath) = (self.shift, reference.linkpath.as_str());
        // Most links can mean neither the old nor the new path.
        if !shift.concerns(linkpath, self.source, self.at) {
            return LinkVerdict::Stay(None);
        }
        let Some(target) = shift.target_before(linkpath, self.source) else {
            return LinkVerdict::Stay(None);
        };
        let Destination { file, place } = self.destination(&target, reference.place());
        // The path in a file node of a canvas is always rewritten when its file moves, because the app looks it up as a
        // path and not as a name.
        let is_old_path = is_path(reference) && file != target && file.as_str() != linkpath;
        let leads = !is_old_path && shift.target_after(linkpath, self.at).as_ref() == Some(&file);
        match place {
            NewPlace::Same if leads => LinkVerdict::Stay(Some(file)),
            NewPlace::Nameless if leads => LinkVerdict::Stray(Some(file)),
            place => LinkVerdict::Follow((!leads).then_some(file), place),
        }
    }

    fn destination(&self, file: &VaultPath, subpath: &str) -> Destination {
        let places = self.shift.places_of(file).filter(|_| !subpath.is_empty());
        let names = places.map(|places| self.names.get_or_init(|| places.names()));
        let found = names.and_then(|names| names.destination(file, subpath));
        found.unwrap_or_else(|| Destination::whole(self.shift.place(file).clone()))
    }

    /// Returns the target of a link that must lead to `wanted`, as written in a note with this subpath.
    fn target(
        &mut self,
        piece: &Piece<'_>,
        reference: &Reference,
        (wanted, subpath): (&VaultPath, &str),
    ) -> Option<String> {
        let written = reference.written.as_ref()?;
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
            (wanted, self.at),
        );
        self.targets.insert(key, target.clone());
        target
    }
}

/// Rewrites the links of a text that is now at `source` and will be at `at`. [`EngineError::Stopped`] after a
/// cancellation.
pub(super) fn rewritten(
    shift: &Shift,
    places: (&VaultPath, &VaultPath),
    bytes: &[u8],
    stop: &CancellationToken,
) -> Result<Rewriting, EngineError> {
    rewritten_as(shift, places, bytes, stop, LinkCache::verdict)
}

/// As [`rewritten`], with another rule for the links.
pub(super) fn rewritten_as<'shift>(
    shift: &'shift Shift,
    (source, at): (&'shift VaultPath, &'shift VaultPath),
    bytes: &[u8],
    stop: &CancellationToken,
    verdict: impl Fn(&mut LinkCache<'shift>, &Reference) -> LinkVerdict,
) -> Result<Rewriting, EngineError> {
    stop.check()?;
    let decoded = Decoded::from_bytes(bytes);
    let pieces = Piece::all(source, &decoded.text);
    let mut known = LinkCache::new(shift, source, at);
    let mut splices = Vec::new();
    let mut expected = Vec::new();
    let (mut links, mut unwritable) = (0, 0);
    for piece in &pieces {
        for reference in &piece.references {
            stop.check()?;
            let mut subpath = reference.place().to_owned();
            let file = match verdict(&mut known, reference) {
                LinkVerdict::Stay(file) => file,
                LinkVerdict::Stray(file) => {
                    unwritable += 1;
                    file
                }
                LinkVerdict::Follow(file, place) => {
                    let wanted = (file.as_ref(), &place);
                    if let Some(link) =
                        rewritten_link(&mut known, &decoded, piece, reference, wanted)
                    {
                        links += usize::from(!link.splices.is_empty());
                        unwritable += usize::from(link.is_stray);
                        splices.extend(link.splices);
                        subpath = link.subpath;
                        file
                    } else {
                        unwritable += 1;
                        None
                    }
                }
            };
            expected.push((reference, Expected { file, subpath }));
        }
    }
    if !splices.is_empty() {
        if let Some(after) = spliced(bytes, splices)
            && leads(shift, at, &after, &expected, stop)?
        {
            return Ok(Rewriting {
                after: Some(after),
                links,
                unwritable,
            });
        }
        unwritable += links;
    }
    Ok(Rewriting {
        unwritable,
        ..Rewriting::default()
    })
}

fn is_path(reference: &Reference) -> bool {
    let written = reference.written.as_ref();
    written.is_some_and(|written| written.form == Form::Path)
}

/// The replacements in the file for one link, and the subpath that it then has.
struct RewrittenLink {
    splices: Vec<Splice>,
    subpath: String,
    /// Whether its subpath cannot name the place.
    is_stray: bool,
}

/// Returns the replacements in the file for one link; `None` if it cannot be written.
fn rewritten_link(
    known: &mut LinkCache<'_>,
    decoded: &Decoded,
    piece: &Piece<'_>,
    reference: &Reference,
    (file, place): (Option<&VaultPath>, &NewPlace),
) -> Option<RewrittenLink> {
    let shift = known.shift;
    let written = reference.written.as_ref()?;
    let splice = |range: &Range<usize>, new: &str| {
        Some(Splice {
            range: decoded.in_file(&piece.in_file(range)?)?,
            new: piece.written(new),
        })
    };
    let old = Subpath {
        written: match &piece.beside {
            Some((subpath, _)) => &subpath.text,
            None => piece.text().get(written.subpath.clone())?,
        }
        .to_owned(),
        text: reference.place().to_owned(),
    };
    let new = match place {
        NewPlace::Same => Some(old.clone()),
        NewPlace::Named(all) => all
            .iter()
            .find_map(|parts| link_text::subpath(piece.kind, written.form, &old, parts)),
        NewPlace::Nameless => None,
    };
    let is_stray = new.is_none();
    if is_stray && file.is_none() {
        return None;
    }
    let new = new.unwrap_or_else(|| old.clone());
    let mut splices = Vec::new();
    if let Some(file) = file {
        let renamed = Reference {
            subpath: new.text.clone(),
            ..reference.clone()
        };
        let target = known.target(piece, &renamed, (file, &new.written))?;
        splices.push(splice(&written.linkpath, &target)?);
        if let Some(from) = shift.moved_from(file)
            && let Some(range) = &written.shown
            && let Some(old) = piece.text().get(range.clone())
            && let names = (from, file)
            && let Some(new) =
                link_text::new_display_text(names, written.form, &reference.linkpath, old)
            && shift
                .target_before(&reference.linkpath, known.source)
                .as_ref()
                == Some(from)
        {
            splices.push(splice(range, &new)?);
        }
    }
    if new.text != old.text {
        splices.push(match &piece.beside {
            Some((subpath, start)) => {
                let whole = subpath.written_at(&(0..subpath.text.len()))?;
                Splice {
                    range: decoded.in_file(&(start + whole.start..start + whole.end))?,
                    new: Quoting::Json.written(&new.written),
                }
            }
            None => splice(&written.subpath, &new.written)?,
        });
    }
    Some(RewrittenLink {
        splices,
        subpath: new.text,
        is_stray,
    })
}

/// Returns the bytes with all replacements made; `None` if two of them overlap.
fn spliced(bytes: &[u8], mut splices: Vec<Splice>) -> Option<Vec<u8>> {
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
    at: &VaultPath,
    after: &[u8],
    expected: &[(&Reference, Expected)],
    stop: &CancellationToken,
) -> Result<bool, EngineError> {
    stop.check()?;
    let decoded = Decoded::from_bytes(after);
    let pieces = Piece::all(at, &decoded.text);
    let found: Vec<&Reference> = pieces.iter().flat_map(|piece| &piece.references).collect();
    if found.len() != expected.len() {
        return Ok(false);
    }
    let mut targets: HashMap<&str, Option<VaultPath>> = HashMap::new();
    for (found, (old, expected)) in found.iter().zip(expected) {
        stop.check()?;
        let has_subpath = found.place() == expected.subpath;
        let is_as_expected = match &expected.file {
            None => found.linkpath == old.linkpath && has_subpath,
            Some(wanted) => {
                let is_named = is_path(old)
                    && format!("{}{}", found.linkpath, found.subpath) == wanted.as_str();
                is_named
                    || has_subpath && {
                        let target = targets
                            .entry(found.linkpath.as_str())
                            .or_insert_with(|| shift.target_after(&found.linkpath, at));
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
        Shift::for_files(
            &files,
            LinkFormat::Shortest,
            [(path("Old.md"), to, &[][..])],
        )
    }

    #[test]
    fn e10_a_file_is_not_rewritten_once_the_call_is_over() {
        let (shift, stop) = (shift(), CancellationToken::default());
        let source = path("s.md");
        let rewriting = rewritten(&shift, (&source, &source), b"[[Old]]", &stop).unwrap();
        let after = rewriting.after.unwrap();
        assert_eq!(after, b"[[New]]");
        stop.cancel();
        let stopped = rewritten(&shift, (&source, &source), b"[[Old]]", &stop);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
        let stopped = leads(&shift, &source, &after, &[], &stop);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
    }

    #[test]
    fn e10_links_that_say_the_same_are_worked_out_once() {
        let (shift, source) = (shift(), path("s.md"));
        let text = "[[Old]] [[Old]] [x](Old.md) [[Old#h]] [[Old]] [[s]] [[s]]";
        let pieces = Piece::all(&source, text);
        let mut known = LinkCache::new(&shift, &source, &source);
        for reference in pieces.iter().flat_map(|piece| &piece.references) {
            if let LinkVerdict::Follow(Some(wanted), _) = known.verdict(reference) {
                let wanted = (&wanted, reference.subpath.as_str());
                known.target(&pieces[0], reference, wanted).unwrap();
            }
        }
        assert_eq!(known.expected.len(), 4, "Old, Old#h, Old.md, s");
        assert_eq!(
            known.targets.len(),
            3,
            "as wikilink, as Markdown, with a subpath"
        );
    }
}
