//! `where=`: a condition in the expression language of bases, for lists of notes (`design/questions.md`).

use std::collections::HashSet;

use bases::{Base, Expression, Notes as _, Query, This};
use obsidian_note::{VaultPath, Warning};
use vault_files::{Args, EngineError, Surroundings, Vault};

use crate::bases::{BaseNotes, Refused, budget, evaluate_all_files, moment};

/// The notes that meet a condition.
pub(super) struct Condition {
    /// The paths of these notes; `None` without `where=`, which lets every note through.
    paths: Option<HashSet<String>>,
    pub(super) warnings: Vec<Warning>,
}

impl Condition {
    /// Evaluates the condition for every file of the vault.
    pub(super) fn evaluate(
        vault: &Vault,
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        let Some(text) = arguments.text("where") else {
            return Ok(Self {
                paths: None,
                warnings: Vec::new(),
            });
        };
        let expression = Expression::parse(text).map_err(|error| EngineError::Condition {
            reason: error.to_string(),
        })?;
        let base = Base::from_filter(expression);
        let Some(of_base) = base.views().first() else {
            return Err(EngineError::Condition {
                reason: "nothing can be asked".to_owned(),
            });
        };
        let notes = BaseNotes::read(vault, &base.filter_inputs(of_base))?;
        let (moment, budget) = (moment(surroundings), budget(vault));
        // No file is active here, so `this` is an error that says so.
        let query = Query::new(&base, of_base, &notes, &moment, This::Unknown, &budget);
        let refused = |refused| match refused {
            Refused::Stopped => EngineError::Stopped,
            Refused::TooCostly => EngineError::Condition {
                reason: "it takes too long for the files of this vault".to_owned(),
            },
        };
        let kept = evaluate_all_files(&query, &notes, vault).map_err(refused)?;
        let failed = kept.failed.map(|failed| Warning::ConditionFailed {
            path: VaultPath::file(notes.path(failed.first)).unwrap_or_else(|_| VaultPath::root()),
            count: failed.count,
            reason: failed.reason,
        });
        let paths = kept.files.iter().map(|file| notes.path(*file).to_owned());
        let paths = Some(paths.collect());
        let mut warnings = notes.finish()?;
        warnings.extend(failed);
        Ok(Self { paths, warnings })
    }

    /// Whether this note meets the condition.
    pub(super) fn holds(&self, path: &VaultPath) -> bool {
        let paths = self.paths.as_ref();
        paths.is_none_or(|paths| paths.contains(path.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, reply};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("condition_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    #[test]
    fn a_condition_keeps_the_notes_for_which_it_holds() {
        let (_folder, vault) = vault(&NOTES);
        for (condition, expected) in [
            (r#"status == "open""#, json!(["a.md", "b.md"])),
            (r#"status == "open" && rating > 3"#, json!(["a.md"])),
            (r#"file.hasTag("x")"#, json!(["a.md"])),
            (r#"file.mtime < now() - "100y""#, json!([])),
            (
                r#"file.backlinks.length > 0 || status == "done""#,
                json!(["b.md", "c.md"]),
            ),
            ("true", json!(["a.md", "b.md", "c.md"])),
        ] {
            let found = ask(
                &vault,
                &format!(
                    "notes:list order=path fields=path where={}",
                    condition.replace(' ', "_")
                ),
            );
            let paths: Vec<_> = found["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["path"].clone())
                .collect();
            assert_eq!(json!(paths), expected, "{condition}");
        }
        assert_eq!(
            ask(&vault, "notes:list total where=rating>1 tag=x"),
            json!({"total": 1})
        );
        let (found, _) = ask_without(
            &vault,
            "a.md",
            "notes:list fields=path where=file.backlinks.length>0",
        );
        assert_eq!(found["total"], 0);
    }

    #[test]
    fn a_condition_that_is_none_says_why() {
        let (_folder, vault) = vault(&NOTES);
        fails(&vault, "notes:list where=status_==");
        let shown = |line: &str| -> Vec<String> {
            let warnings = reply(&vault, line).unwrap().warnings;
            warnings.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            shown("notes:list where=rating.nope>1"),
            [
                "`where` failed for 2 files, which are left out. The first is `a.md`: Cannot find \"nope\" on type Number"
            ]
        );
        let active = shown("notes:list where=this.file==file");
        assert!(active[0].contains("only the app knows"), "{active:?}");
    }
}
