//! The links of one file, rewritten where they would lead elsewhere.

use std::ops::Range;

use super::decoded::Decoded;
use super::link_text;
use super::piece::Piece;
use super::reference::{Form, Reference};
use super::shift::Shift;
use crate::path::VaultPath;

/// What becomes of one file.
pub(super) struct Rewriting {
    /// Its new bytes; none where nothing changes.
    pub(super) after: Option<Vec<u8>>,
    /// How many links are written anew.
    pub(super) links: usize,
    /// How many links will lead elsewhere and cannot be written anew.
    pub(super) unwritable: usize,
}

/// A stretch of the file that becomes another.
struct Splice {
    range: Range<usize>,
    new: String,
}

/// What must be true of a link afterwards.
enum Expected {
    /// It leads to that file.
    Leads(VaultPath),
    /// It says what it said: the move does not concern it, or it leads nowhere now, or it could not
    /// be rewritten.
    Says,
}

/// Rewrites the links of the file that is now at `source`.
pub(super) fn rewritten(shift: &Shift, source: &VaultPath, bytes: &[u8]) -> Rewriting {
    let decoded = Decoded::of(bytes);
    let pieces = Piece::all(source, &decoded.text);
    let mut splices = Vec::new();
    let mut expected = Vec::new();
    let (mut links, mut unwritable) = (0, 0);
    for piece in &pieces {
        for reference in &piece.references {
            // Most links can mean neither path.
            if !shift.concerns(&reference.linkpath, source) {
                expected.push((reference, Expected::Says));
                continue;
            }
            let target = shift.target_before(&reference.linkpath, source);
            let Some(wanted) = must_lead(shift, reference, source) else {
                let stays = |target: VaultPath| Expected::Leads(shift.place(&target).clone());
                expected.push((reference, target.map_or(Expected::Says, stays)));
                continue;
            };
            if let Some(more) = splices_of(shift, &decoded, piece, reference, (&wanted, source)) {
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
        return nothing(unwritable);
    }
    let after = spliced(bytes, splices).filter(|after| leads(shift, source, after, &expected));
    if after.is_none() {
        return nothing(unwritable + links);
    }
    Rewriting {
        after,
        links,
        unwritable,
    }
}

/// Where a link must lead that has to be rewritten for it. The path of a canvas's card always is,
/// when its file is moved: the app looks it up as a path and not as a name.
fn must_lead(shift: &Shift, reference: &Reference, source: &VaultPath) -> Option<VaultPath> {
    let follows = is_path(reference)
        && reference.linkpath != shift.to().as_str()
        && shift.target_before(&reference.linkpath, source).as_ref() == Some(shift.from());
    if follows {
        return Some(shift.to().clone());
    }
    shift.lost(&reference.linkpath, source)
}

fn is_path(reference: &Reference) -> bool {
    let written = reference.written.as_ref();
    written.is_some_and(|written| written.form == Form::Path)
}

/// What changes in the file for one link.
fn splices_of(
    shift: &Shift,
    decoded: &Decoded,
    piece: &Piece<'_>,
    reference: &Reference,
    (wanted, source): (&VaultPath, &VaultPath),
) -> Option<Vec<Splice>> {
    let written = reference.written.as_ref()?;
    let splice = |range: &Range<usize>, new: &str| {
        Some(Splice {
            range: decoded.in_file(&piece.in_file(range)?)?,
            new: piece.written(new),
        })
    };
    let subpath = piece.text().get(written.subpath.clone())?;
    let target = link_text::target(
        shift,
        piece.kind,
        reference,
        (written.form, subpath),
        (wanted, shift.place(source)),
    )?;
    let mut splices = vec![splice(&written.linkpath, &target)?];
    if wanted == shift.to()
        && let Some(range) = &written.shown
        && let Some(old) = piece.text().get(range.clone())
        && let Some(new) = link_text::shown(shift, written.form, &reference.linkpath, old)
    {
        splices.push(splice(range, &new)?);
    }
    Some(splices)
}

/// The bytes with every stretch replaced; none where two overlap.
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

/// Whether the new text, read again, holds the same links and each of them is as expected.
fn leads(
    shift: &Shift,
    source: &VaultPath,
    after: &[u8],
    expected: &[(&Reference, Expected)],
) -> bool {
    let decoded = Decoded::of(after);
    let source = shift.place(source);
    let pieces = Piece::all(source, &decoded.text);
    let found: Vec<&Reference> = pieces.iter().flat_map(|piece| &piece.references).collect();
    let is_right = |(found, (old, expected)): (&&Reference, &(&Reference, Expected))| {
        let is_said = || found.linkpath == old.linkpath && found.subpath == old.subpath;
        let is_led_to = |wanted: &VaultPath| {
            if is_path(old) && format!("{}{}", found.linkpath, found.subpath) == wanted.as_str() {
                return true;
            }
            found.subpath == old.subpath
                && shift.target_after(&found.linkpath, source).as_ref() == Some(wanted)
        };
        found.is_embed == old.is_embed
            && match expected {
                Expected::Says => is_said(),
                Expected::Leads(wanted) => is_led_to(wanted),
            }
    };
    found.len() == expected.len() && found.iter().zip(expected).all(is_right)
}

#[cfg(test)]
mod tests {
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
}
