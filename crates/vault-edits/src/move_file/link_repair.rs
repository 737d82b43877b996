//! Repairs unresolved links as if the files that they mean had been moved.
//!
//! An unresolved link names a path without a file. If its file had been there and then moved to its
//! present path, the move would have rewritten the link. So the code of moves does it, and checks
//! every link of the note afterwards in the same way.

use std::collections::BTreeMap;

use obsidian_note::VaultPath;
use vault_files::{EngineError, LinkFormat, Vault};

use super::places::{NewPlace, Part};
use super::reference::Reference;
use super::rewrite::{self, LinkCache, LinkVerdict};
use super::setting::LinkSettings;
use super::shift::Shift;

/// Rewrites links to files that are at other paths.
pub(crate) struct LinkRepair<'files> {
    vault: &'files Vault,
    files: &'files [VaultPath],
    settings: LinkSettings,
    /// Keyed by the path that a link names, and the file that it means.
    shifts: BTreeMap<(VaultPath, VaultPath), Shift>,
}

/// The text of a note with repaired links, and their number.
type RepairedText = (Vec<u8>, usize);

impl<'files> LinkRepair<'files> {
    /// Builds the value for these files, which must be in byte order.
    pub(crate) fn among(
        vault: &'files Vault,
        files: &'files [VaultPath],
    ) -> Result<Self, EngineError> {
        Ok(Self {
            vault,
            files,
            settings: LinkSettings::read(vault)?,
            shifts: BTreeMap::new(),
        })
    }

    /// Returns the text of the note `source`, in which every link with this linkpath leads to `file`; `None` if no such
    /// link can be written.
    pub(crate) fn repaired(
        &mut self,
        source: &VaultPath,
        text: &[u8],
        linkpath: &str,
        file: &VaultPath,
    ) -> Result<Option<RepairedText>, EngineError> {
        let stop = self.vault.disk().cancellation();
        let Some(named) = place_of(linkpath, source, file).filter(|named| named != file) else {
            return Ok(None);
        };
        let (files, format) = (self.files, self.settings.format);
        let shift = self
            .shifts
            .entry((named.clone(), file.clone()))
            .or_insert_with(|| {
                let others = files.iter().filter(|other| *other != file).cloned();
                let mut before: Vec<VaultPath> = others.chain([named.clone()]).collect();
                before.sort_unstable();
                Shift::for_files(&before, format, [(named, file.clone(), &[][..])])
            });
        let rewriting = rewrite::rewritten(shift, (source, source), text, stop)?;
        Ok(rewriting.after.map(|text| (text, rewriting.links)))
    }
}

/// Returns the text of a file in which links that name these targets, as written, name the given heading or block of
/// the same note instead, and the number of these links; `None` if one cannot be written.
pub(crate) fn with_places(
    vault: &Vault,
    source: &VaultPath,
    bytes: &[u8],
    places: &BTreeMap<String, String>,
) -> Result<Option<RepairedText>, EngineError> {
    let still = Shift::for_files(&[], LinkFormat::default(), []);
    let stop = vault.disk().cancellation();
    let verdict = |_: &mut LinkCache<'_>, reference: &Reference| {
        let place = places.get(&format!("{}{}", reference.linkpath, reference.place()));
        place.map_or(LinkVerdict::Stay(None), |place| {
            let named = NewPlace::Named(vec![vec![Part::New(place.clone())]]);
            LinkVerdict::Follow(None, named)
        })
    };
    let rewriting = rewrite::rewritten_as(&still, (source, source), bytes, stop, verdict)?;
    let text = rewriting.after.filter(|_| rewriting.unwritable == 0);
    Ok(text.map(|text| (text, rewriting.links)))
}

/// Returns the path that a link of `source` names, with the extension of `file`.
fn place_of(linkpath: &str, source: &VaultPath, file: &VaultPath) -> Option<VaultPath> {
    let mut folder: Vec<String> = Vec::new();
    let is_relative = linkpath.starts_with("./") || linkpath.starts_with("../");
    if is_relative {
        folder.extend(source.parent().components().map(str::to_owned));
    }
    for name in linkpath.trim_start_matches('/').split('/') {
        match name {
            "." => {}
            ".." => {
                folder.pop()?;
            }
            name => folder.push(name.to_owned()),
        }
    }
    let mut text = folder.join("/");
    if file.is_note() && !text.to_lowercase().ends_with(".md") {
        text += ".md";
    }
    VaultPath::file(&text).ok()
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    const CASES: &str = include_str!("link_repair_cases.txt");

    #[test]
    fn a_link_names_a_place() {
        for (linkpath, expected) in
            tables::typed::<(&str, Option<&str>)>(CASES, "a link names a place")
        {
            let found = place_of(linkpath, &path("a/b/s.md"), &path("x/Note.md"));
            assert_eq!(found, expected.map(path), "{linkpath}");
        }
        let picture = place_of("old/p.png", &path("s.md"), &path("p.png"));
        assert_eq!(picture, Some(path("old/p.png")));
    }
}
