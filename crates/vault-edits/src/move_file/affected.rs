//! Finds the files in which links may have to change, from the index.

use obsidian_note::{CancellationToken, VaultPath};
use vault_files::EngineError;
use vault_index::LinkTexts;

use super::shift::Shift;

/// Returns every note and canvas with a link that may have to change, in byte order. A moved file with links is one,
/// because from its new folder they may resolve differently. [`EngineError::Stopped`] after a cancellation.
pub(super) fn sources<'files>(
    shift: &Shift,
    files: &'files [VaultPath],
    links: &LinkTexts,
    stop: &CancellationToken,
) -> Result<Vec<&'files VaultPath>, EngineError> {
    let affected = links.files_with(|id, linkpath| {
        // After a cancellation the result is dropped, so this only ends the search early.
        if stop.is_cancelled() {
            return true;
        }
        let source = files.get(id);
        source.is_some_and(|source| match shift.moved_to(source) {
            Some(to) => keeps_kind(source, to),
            None => may_change(shift, linkpath, source),
        })
    });
    stop.check()?;
    Ok(affected
        .into_iter()
        .filter_map(|id| files.get(id))
        .collect())
}

fn may_change(shift: &Shift, linkpath: &str, source: &VaultPath) -> bool {
    if !shift.concerns(linkpath, source, source) {
        return false;
    }
    // File nodes of a canvas contain whole paths, and follow their files even if a link would still resolve.
    let follows = |target: &VaultPath| !source.is_note() && shift.moved_to(target).is_some();
    let target = shift.target_before(linkpath, source);
    target.is_some_and(|target| shift.places_of(&target).is_some() || follows(&target))
        || shift.lost(linkpath, source, source).is_some()
}

/// Whether a moved file has the same links afterwards: a note that becomes a text file has none.
pub(super) fn keeps_kind(from: &VaultPath, to: &VaultPath) -> bool {
    let kind = |path: &VaultPath| (path.is_note(), path.is_indexed());
    kind(from) == kind(to)
}

#[cfg(test)]
mod tests {
    use vault_files::LinkFormat;
    use vault_files::vault::testing::{path, vault};
    use vault_index::IndexedVault;

    use super::*;

    const CASES: &str = include_str!("affected_cases.txt");

    fn affected(files: &[(&str, &str)], from: &str, to: &str) -> Vec<String> {
        let (_folder, vault) = vault(files);
        let indexed = IndexedVault(&vault).column::<LinkTexts>().unwrap();
        let moved = [(path(from), path(to), &[][..])];
        let shift = Shift::for_files(&indexed.files, LinkFormat::Shortest, moved);
        sources(
            &shift,
            &indexed.files,
            &indexed.column,
            &CancellationToken::default(),
        )
        .unwrap()
        .into_iter()
        .map(ToString::to_string)
        .collect()
    }

    #[test]
    fn only_files_whose_links_would_lead_elsewhere_are_looked_at() {
        let files = tables::typed::<(&str, &str)>(CASES, "only files whose links would lead");
        assert_eq!(
            affected(&files, "a/Old.md", "New.md"),
            ["canvas.canvas", "links.md", "stolen.md"]
        );
        assert_eq!(affected(&files, "a/Old.md", "Old.md"), ["canvas.canvas"]);
        assert_eq!(affected(&files, "x.md", "a/x.md"), ["x.md"]);
        assert_eq!(affected(&files, "x.md", "x.txt"), ["links.md", "other.md"]);
    }

    #[test]
    fn e10_files_are_not_looked_at_once_the_call_is_over() {
        let (_folder, vault) = vault(&[("Old.md", ""), ("a.md", "[[Old]]")]);
        let indexed = IndexedVault(&vault).column::<LinkTexts>().unwrap();
        let files = &indexed.files;
        let format = LinkFormat::Shortest;
        let shift = Shift::for_files(files, format, [(path("Old.md"), path("New.md"), &[][..])]);
        let stop = CancellationToken::default();
        assert_eq!(
            sources(&shift, files, &indexed.column, &stop)
                .unwrap()
                .len(),
            1
        );
        stop.cancel();
        let stopped = sources(&shift, files, &indexed.column, &stop);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
    }
}
