//! `unique` (`vault-semantics.md` §6.4).

use jiff::SignedDuration;
use obsidian_note::VaultPath;
use vault_answers::RawText;
use vault_files::extension::with_extension;
use vault_files::{Call, ConfigKeys, EngineError, Refusal, Surroundings, Vault};

use super::append::{Addition, End};
use super::daily::from_template;
use super::edit_command::{Edit, EditCommand};
use super::new_file::{made, new_text_path};
use crate::Editor;

pub(super) const UNIQUE: EditCommand = EditCommand::new("unique", unique);

const FILE: &str = "zk-prefixer.json";
const DEFAULT_FORMAT: &str = "YYYYMMDDHHmm";
/// The number of minutes ahead in which a free name is searched: a whole day.
const MINUTES: i64 = 24 * 60;

/// Creates a note named by the present time. If that exists, it gets the name of the next free
/// minute.
fn unique(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments, surroundings) = (call.vault, call.arguments, call.surroundings);
    let mut settings = ConfigKeys::read_for_change(vault, FILE)?;
    let folder = settings.text("folder").to_owned();
    let format = match settings.text("format") {
        "" => DEFAULT_FORMAT.to_owned(),
        format => format.to_owned(),
    };
    let path = match arguments.text("name") {
        Some(name) if name.contains('/') => {
            return Err(EngineError::Refused(Refusal::NameContainsSlash));
        }
        Some(name) => {
            let wanted = below(&folder, &with_extension(name))?;
            Editor(vault).path_for_name(wanted, &mut settings.warnings)?
        }
        None => next_free(vault, &folder, &format, surroundings)?,
    };
    let template = settings.text("template").to_owned();
    let note = from_template(
        vault,
        (&template, FILE),
        (&path, &surroundings.now),
        &mut settings.warnings,
    )?;
    // It is not recorded what the app does with both a template and a text; here both are kept.
    let note = match arguments.text("content").unwrap_or_default() {
        "" => note,
        content if note.is_empty() => content.into(),
        content => Addition::line(content).put(End::Last, &note, &path)?,
    };
    let changes = made(vault, &path, note)?;
    let answer = RawText::new(format!("Created: {path}\n"));
    Ok(Edit::new(answer, changes, settings.warnings))
}

/// Returns the first free path from now on; a numbered one if a whole day is taken, as with a
/// format without a time.
fn next_free(
    vault: &Vault,
    folder: &str,
    format: &str,
    surroundings: &Surroundings,
) -> Result<VaultPath, EngineError> {
    let first = below(
        folder,
        &format!("{}.md", moment_format::format(&surroundings.now, format)),
    )?;
    let mut previous = None;
    for minutes in 0..MINUTES {
        let Ok(time) = surroundings
            .now
            .checked_add(SignedDuration::from_mins(minutes))
        else {
            break;
        };
        let path = below(
            folder,
            &format!("{}.md", moment_format::format(&time, format)),
        )?;
        // A format without minutes gives the same name many times; it is checked only once.
        if previous.as_ref() != Some(&path) && Editor(vault).free_path(&path)? == path {
            return Ok(path);
        }
        previous = Some(path);
    }
    Editor(vault).free_path(&first)
}

/// Returns a path below the folder of the settings, in which `/` at either end is ignored.
fn below(folder: &str, name: &str) -> Result<VaultPath, EngineError> {
    let joined = format!("{folder}/{name}");
    let parts: Vec<&str> = joined.split('/').filter(|part| !part.is_empty()).collect();
    new_text_path(&parts.join("/"))
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::testing::{done, error};

    fn made_by(vault: &Vault, params: &[(&str, &str)]) -> (String, String) {
        let edit = done(vault, "unique", params, &["open"]);
        let RawText { text, .. } = edit.answer.downcast().unwrap();
        let path = text
            .trim_end()
            .strip_prefix("Created: ")
            .unwrap()
            .to_owned();
        let content = fs_err::read_to_string(vault.root().join(&path)).unwrap();
        (path, content)
    }

    #[test]
    fn the_name_is_the_time_or_the_next_free_minute() {
        let (_folder, vault) = vault(&[]);
        for (params, expected) in [
            (vec![], ("202603070905.md", "")),
            (vec![("content", "x")], ("202603070906.md", "x")),
            (vec![("name", "Idea"), ("content", "x")], ("Idea.md", "x")),
            (vec![("name", "idea")], ("idea 1.md", "")),
            (vec![("name", ""), ("content", "")], ("202603070907.md", "")),
        ] {
            let (path, content) = made_by(&vault, &params);
            assert_eq!((path.as_str(), content.as_str()), expected);
        }
        let binary = error(&vault, "unique", &[("name", "a.docx")], &[]);
        assert!(matches!(binary, EngineError::NoTextFile { .. }), "{binary}");
        let slash = error(&vault, "unique", &[("name", "a/b")], &[]);
        assert_eq!(slash.to_string(), Refusal::NameContainsSlash.to_string());
    }

    #[test]
    fn settings_give_folder_format_and_template() {
        let settings = r#"{"folder":"/Z/","format":"YYYY/MMDD","template":"T/Unique"}"#;
        let (_folder, vault) = vault(&[
            (".obsidian/zk-prefixer.json", settings),
            ("T/Unique.md", "# {{title}}"),
        ]);
        for (params, path, content) in [
            (vec![], "Z/2026/0307.md", "# 0307"),
            // The next day's name near midnight, then numbers, because the format has no time.
            (vec![("content", "x")], "Z/2026/0308.md", "# 0308\nx"),
            (vec![], "Z/2026/0307 1.md", "# 0307 1"),
        ] {
            assert_eq!(
                made_by(&vault, &params),
                (path.to_owned(), content.to_owned())
            );
        }
    }

    #[test]
    fn d01_settings_cannot_lead_out_of_the_vault() {
        for settings in [
            r#"{"folder":"../out"}"#,
            r#"{"folder":".obsidian"}"#,
            r#"{"format":"HH:mm"}"#,
        ] {
            let (_folder, vault) = vault(&[(".obsidian/zk-prefixer.json", settings)]);
            let refused = error(&vault, "unique", &[], &[]);
            assert!(matches!(refused, EngineError::Path { .. }), "{refused}");
        }
    }

    #[test]
    fn odd_settings_are_defaults() {
        for settings in ["{", r#"{"folder":7,"format":"","template":null}"#] {
            let (_folder, vault) = vault(&[(".obsidian/zk-prefixer.json", settings)]);
            assert_eq!(made_by(&vault, &[]).0, "202603070905.md");
        }
        let (_folder, vault) = vault(&[(".obsidian/zk-prefixer.json", r#"{"template":"none"}"#)]);
        let edit = done(&vault, "unique", &[], &[]);
        assert_eq!(edit.warnings.len(), 1);
    }
}
