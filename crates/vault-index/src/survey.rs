//! Statistics over the notes of a vault, counted until a time limit.

use std::collections::HashSet;

use obsidian_note::frontmatter::body;
use obsidian_note::note_record::record_of;
use obsidian_note::word_counter::words;
use obsidian_note::{LinkIndex, NoteRecord, Resolution, VaultPath, Warning};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use vault_files::EngineError;

use crate::excluded::ExcludedFiles;
use crate::indexed_vault::IndexedVault;

/// The number of notes that are read between two checks of the time limit.
const BATCH: usize = 64;

/// Numbers of the contents of all notes together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Survey {
    /// Notes that were looked through.
    pub notes: usize,
    /// Whether these are all that are open.
    pub is_complete: bool,
    /// Different tags.
    pub tags: usize,
    /// Tasks.
    pub tasks: usize,
    /// Tasks that are not done.
    pub open_tasks: usize,
    /// Different property names.
    pub properties: usize,
    /// Links and embeds.
    pub links: usize,
    /// Different links that lead nowhere.
    pub unresolved: usize,
    /// Words.
    pub words: usize,
}

struct Counted {
    record: NoteRecord,
    words: usize,
}

impl IndexedVault<'_> {
    /// Counts over the notes among `files`, in their order. `may_go_on` is called between batches of notes and ends the
    /// count when it returns false. The index cache is not used, because it does not contain word counts.
    ///
    /// Tags and property names that differ only in case count once; those of excluded files do not count
    /// (`vault-semantics.md` §2.1). A task is open if a space is between its brackets. A link counts as resolved if it
    /// leads to one of `files`; unresolved links that differ only in case count separately. Words in the properties do
    /// not count.
    ///
    /// A note that cannot be read counts as empty, with a warning.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn survey(
        &self,
        files: &[VaultPath],
        may_go_on: &dyn Fn() -> bool,
    ) -> Result<(Survey, Vec<Warning>), EngineError> {
        let mut excluded = ExcludedFiles::read(self)?;
        let mut warnings = std::mem::take(&mut excluded.warnings);
        let notes: Vec<&VaultPath> = files.iter().filter(|path| path.is_note()).collect();
        let targets = LinkIndex::new(files.iter().cloned());
        let mut survey = Survey::default();
        let mut tags = HashSet::new();
        let mut properties = HashSet::new();
        let mut unresolved = HashSet::new();
        // Parallel within a batch only, so that the time limit is checked between batches.
        for batch in notes.chunks(BATCH) {
            if !may_go_on() {
                break;
            }
            let counted: Vec<Result<Counted, Option<Warning>>> =
                batch.par_iter().map(|path| self.count(path)).collect();
            survey.notes += batch.len();
            for (path, counted) in batch.iter().zip(counted) {
                let Counted { record, words } = match counted {
                    Ok(counted) => counted,
                    Err(warning) => {
                        warnings.extend(warning);
                        continue;
                    }
                };
                survey.words += words;
                survey.tasks += record.tasks.len();
                let open = record.tasks.iter().filter(|task| task.status == ' ');
                survey.open_tasks += open.count();
                for link in record.links {
                    survey.links += usize::try_from(link.count).unwrap_or(usize::MAX);
                    // The set is checked first: resolving a link is slower.
                    if !unresolved.contains(&link.linkpath)
                        && targets.resolve(&link.linkpath, path) == Resolution::Missing
                    {
                        unresolved.insert(link.linkpath);
                    }
                }
                if excluded.excludes(path) {
                    continue;
                }
                tags.extend(record.tags.iter().map(|tag| tag.to_lowercase()));
                let object = record.properties.map(|properties| properties.0);
                properties.extend(names(object.as_deref()));
            }
        }
        survey.is_complete = survey.notes == notes.len();
        survey.tags = tags.len();
        survey.properties = properties.len();
        survey.unresolved = unresolved.len();
        Ok((survey, warnings))
    }

    fn count(&self, path: &VaultPath) -> Result<Counted, Option<Warning>> {
        let bytes = self
            .indexed_bytes(path)
            .map_err(|problem| problem.warning(path))?;
        let (record, _) = record_of(path, &bytes);
        let words = words(body(&String::from_utf8_lossy(&bytes)));
        Ok(Counted { record, words })
    }
}

fn names(object: Option<&str>) -> Vec<String> {
    let keys = object.and_then(|text| {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
        Some(object.keys().map(|key| key.to_lowercase()).collect())
    });
    keys.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use vault_files::vault::testing::vault;
    use vault_files::{Detail, Vault};

    use super::*;

    const CASES: &str = include_str!("survey_cases.txt");

    fn files(vault: &Vault) -> Vec<VaultPath> {
        let contents = vault.contents(&VaultPath::root(), Detail::Names).unwrap();
        contents.files.into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn sums_over_all_notes() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(CASES, "sums over all notes"));
        let (survey, warnings) = IndexedVault(&vault)
            .survey(&files(&vault), &|| true)
            .unwrap();
        assert_eq!(warnings, []);
        assert_eq!(
            survey,
            Survey {
                notes: 3,
                is_complete: true,
                tags: 2,
                tasks: 2,
                open_tasks: 1,
                properties: 3,
                links: 6,
                unresolved: 2,
                // The app counts a dash as a word.
                words: 10 + 6 + 2,
            }
        );
    }

    #[test]
    fn a_closed_file_is_no_target_and_is_not_looked_through() {
        let (_folder, vault) = vault(&[("a.md", "[[b]]"), ("b.md", "secret words")]);
        let open = [VaultPath::file("a.md").unwrap()];
        let (survey, _) = IndexedVault(&vault).survey(&open, &|| true).unwrap();
        assert_eq!((survey.notes, survey.unresolved, survey.words), (1, 1, 1));
    }

    #[test]
    fn when_the_time_is_over_the_rest_is_left_out() {
        let notes: Vec<(String, &str)> = (0..BATCH * 3)
            .map(|number| (format!("{number:04}.md"), "one"))
            .collect();
        let notes: Vec<(&str, &str)> = notes
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        let (_folder, vault) = vault(&notes);
        let wanted = Cell::new(0);
        let twice = || {
            wanted.set(wanted.get() + 1);
            wanted.get() <= 2
        };
        let (survey, _) = IndexedVault(&vault).survey(&files(&vault), &twice).unwrap();
        assert_eq!((survey.notes, survey.words), (BATCH * 2, BATCH * 2));
        assert!(!survey.is_complete);
        let (nothing, _) = IndexedVault(&vault)
            .survey(&files(&vault), &|| false)
            .unwrap();
        assert_eq!(nothing, Survey::default());
    }
}
