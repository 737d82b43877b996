//! `daily:append` and `daily:prepend` (`vault-semantics.md` §6.2, §7.3).

use jiff::Zoned;
use obsidian_note::name::check_new_name;
use obsidian_note::{Resolution, VaultPath, Warning};
use vault_files::{Call, DailyNotes, EngineError, Refusal, Vault};
use vault_index::IndexedVault;
use vault_index::template;

use super::append::{Addition, End};
use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::made;

/// Adds text at the end of today's note, which is created if it is missing.
pub(super) const APPEND: EditCommand = EditCommand::new("daily:append", |call| {
    let usage = "daily:append content=<text> [inline] [open] [paneType=tab|split|window]";
    to_today(call, usage, End::Last)
});
/// Adds text at the start of today's note, below its properties.
pub(super) const PREPEND: EditCommand = EditCommand::new("daily:prepend", |call| {
    let usage = "daily:prepend content=<text> [inline] [open] [paneType=tab|split|window]";
    to_today(call, usage, End::First)
});

fn to_today(call: &Call<'_>, usage: &str, end: End) -> Result<Edit, EngineError> {
    let addition = Addition::from_arguments(call.arguments, usage)?;
    let notes = NewNotes {
        settings: &call.vault.daily_notes()?,
        notice: None,
        file: "daily-notes.json",
        now: &call.surroundings.now,
    };
    changed(call.vault, &notes, addition, end)
}

/// The path of a moment's note, and how to create it if it is missing.
pub(super) struct NewNotes<'a> {
    pub(super) settings: &'a DailyNotes,
    /// A warning that does not put the settings in doubt.
    pub(super) notice: Option<&'a Warning>,
    /// The file with these settings, relative to the configuration folder.
    pub(super) file: &'static str,
    pub(super) now: &'a Zoned,
}

/// Adds text to the note of a moment, which is created if it is missing.
pub(super) fn changed(
    vault: &Vault,
    notes: &NewNotes<'_>,
    addition: Addition<'_>,
    end: End,
) -> Result<Edit, EngineError> {
    vault.ensure_settings_usable(&notes.settings.warnings)?;
    let path = notes.settings.path(notes.now)?;
    let warnings = notes.settings.warnings.iter().chain(notes.notice);
    let mut warnings: Vec<Warning> = warnings.cloned().collect();
    let changes = match vault.read_bytes(&path) {
        Ok(before) => {
            let after = addition.put(end, &before, &path)?;
            vec![Change::modify(path.clone(), before, after)]
        }
        Err(EngineError::Refused(Refusal::FileNotFound { .. })) if !path.is_hidden() => {
            check_new_name(path.name()).map_err(|reason| EngineError::DailyPath {
                text: path.to_string(),
                reason,
            })?;
            let note = from_template(
                vault,
                (&notes.settings.template, notes.file),
                (&path, notes.now),
                &mut warnings,
            )?;
            made(vault, &path, addition.put(end, &note, &path)?)?
        }
        Err(error) => return Err(error),
    };
    let done = end.confirmation(path.to_string());
    Ok(Edit::new(done, changes, warnings))
}

/// Returns the text of a new note at this path from the template that the settings in this file of the configuration
/// folder name, if they do. If it is missing, the app creates an empty note, and so does this, with a warning.
pub(super) fn from_template(
    vault: &Vault,
    (template, file): (&str, &str),
    (path, now): (&VaultPath, &Zoned),
    warnings: &mut Vec<Warning>,
) -> Result<Vec<u8>, EngineError> {
    if template.is_empty() {
        return Ok(Vec::new());
    }
    let Resolution::Found(found) = IndexedVault(vault).resolve(template)?.resolution else {
        warnings.push(Warning::TemplateIgnored {
            path: vault.config(file)?.0,
            reason: template::missing(vault, template),
        });
        return Ok(Vec::new());
    };
    let (text, more) = template::filled_from(vault, &found.path, path.basename(), now)?;
    warnings.extend(more);
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{confirmation, done, error};

    const SETTINGS: (&str, &str) = (
        ".obsidian/daily-notes.json",
        r#"{"folder":"Daily","format":"YYYY/MM-DD","template":"T/Day"}"#,
    );

    #[test]
    fn todays_note_is_made_from_its_template_and_then_added_to() {
        let files = [
            SETTINGS,
            (".obsidian/templates.json", r#"{"dateFormat":"D.M.YYYY"}"#),
            (
                "T/Day.md",
                "---\nday: {{date}}\n---\n# {{title}} {{time}}\n",
            ),
        ];
        let (_folder, vault) = vault(&files);
        let edit = done(
            &vault,
            "daily:append",
            &[("content", "- [ ] Milk")],
            &["open"],
        );
        assert_eq!(confirmation(&edit), "appended: Daily/2026/03-07.md");
        assert_eq!(edit.changes.len(), 3);
        let edit = done(&vault, "daily:prepend", &[("content", "Hello")], &[]);
        assert_eq!(confirmation(&edit), "prepended: Daily/2026/03-07.md");
        assert_eq!(edit.warnings, []);
        assert_eq!(
            fs_err::read_to_string(vault.root().join("Daily/2026/03-07.md")).unwrap(),
            "---\nday: 7.3.2026\n---\nHello\n# 03-07 09:05\n\n- [ ] Milk"
        );
    }

    #[test]
    fn d19_a_change_that_depends_on_settings_that_cannot_be_used_is_refused_if_they_are_needed() {
        let app = (".obsidian/app.json", "{}");
        let work = (".obs-work/daily-notes.json", r#"{"folder":"Work"}"#);
        let daily = |text| (".obsidian/daily-notes.json", text);
        let with_template = daily(r#"{"template":"T"}"#);
        let settings = "plugins/periodic-notes/data.json";
        let content = ("content", "x");
        for (files, command, arguments) in [
            (&[daily("{")][..], "daily:append", &[content][..]),
            (&[daily("[]")], "daily:prepend", &[content]),
            (&[daily(r#"{"folder":7}"#)], "daily:append", &[content]),
            (&[app, work], "daily:append", &[content]),
            (
                &[
                    with_template,
                    ("T.md", "{{date}}"),
                    (".obsidian/templates.json", "{"),
                ],
                "daily:append",
                &[content],
            ),
            (
                &[(".obsidian/templates.json", "{"), ("T/a.md", "")],
                "create",
                &[("name", "n"), ("template", "a")],
            ),
            (&[(".obsidian/zk-prefixer.json", "{")], "unique", &[content]),
            (
                &[(".obsidian/types.json", "{"), ("a.md", "")],
                "property:set",
                &[("path", "a.md"), ("name", "p"), ("value", "1")],
            ),
            (
                &[(".obsidian/types.json", "{"), ("a.md", "")],
                "property:set",
                &[
                    ("path", "a.md"),
                    ("name", "p"),
                    ("value", "1"),
                    ("type", "number"),
                ],
            ),
        ] {
            let (_folder, vault) = vault(files);
            let before = picture(vault.root());
            let mut needed = vault.clone();
            needed.needs_settings = true;
            let refused = error(&needed, command, arguments, &[]);
            assert!(
                matches!(refused, EngineError::SettingsUnusable { .. }),
                "{files:?} {command}: {refused}"
            );
            assert_eq!(picture(vault.root()), before);
            // For a person it is a warning. A template cannot be found without the folder of templates, and a value has
            // a type by itself.
            if command != "create" {
                let edit = done(&vault, command, arguments, &[]);
                let is_typed = command == "property:set" && arguments.len() == 3;
                assert!(is_typed || !edit.warnings.is_empty(), "{files:?} {command}");
            }
        }
        // A change that does not depend on the file, or whose file can be used, is made.
        let types = r#"{"types":{"odd":"rating"}}"#;
        let off = r#"{"weekly":{"enabled":false}}"#;
        let file = format!(".obsidian/{settings}");
        let files = [
            daily("{"),
            (".obsidian/types.json", types),
            (&file, off),
            ("a.md", ""),
        ];
        let (_folder, mut needed) = vault(&files);
        needed.needs_settings = true;
        done(&needed, "append", &[("path", "a.md"), content], &[]);
        let number = [("path", "a.md"), ("name", "p"), ("value", "1")];
        done(&needed, "property:set", &number, &[]);
        done(
            &needed,
            "periodic:append",
            &[("period", "weekly"), content],
            &[],
        );
    }

    #[test]
    fn a_missing_template_is_an_empty_note_and_a_warning() {
        let (_folder, vault) = vault(&[SETTINGS]);
        let edit = done(&vault, "daily:append", &[("content", "x")], &["inline"]);
        assert_eq!(picture(vault.root())["Daily/2026/03-07.md"].1, "x");
        assert!(matches!(
            edit.warnings.as_slice(),
            [Warning::TemplateIgnored { path, .. }] if path.as_str() == SETTINGS.0
        ));
    }

    #[test]
    fn without_settings_the_note_is_in_the_root() {
        let (_folder, vault) = vault(&[("2026-03-07.md", "a\r\n")]);
        done(&vault, "daily:append", &[("content", "x")], &[]);
        assert_eq!(picture(vault.root())["2026-03-07.md"].1, r"a\r\n\r\nx");
        let missing = error(&vault, "daily:append", &[], &[]);
        assert!(missing.to_string().ends_with(
            "`content=<text>` is missing. Usage: daily:append content=<text> [inline] [open] [paneType=tab|split|window]"
        ));
    }

    #[test]
    fn the_settings_make_no_name_that_no_new_note_may_have() {
        let settings = (".obsidian/daily-notes.json", r#"{"format":"YYYY-MM[?]"}"#);
        let (_folder, vault) = vault(&[settings]);
        let refused = error(&vault, "daily:append", &[("content", "x")], &[]);
        assert!(
            matches!(refused, EngineError::DailyPath { .. }),
            "{refused}"
        );
        // An existing note is still written to.
        fs_err::write(vault.root().join("2026-03?.md"), "a").unwrap();
        done(&vault, "daily:append", &[("content", "x")], &[]);
        assert_eq!(picture(vault.root())["2026-03?.md"].1, r"a\nx");
    }

    #[test]
    fn d06_settings_cannot_put_the_note_where_no_note_is() {
        for folder in ["../out", ".obsidian/plugins", "a/.git"] {
            let settings = format!("{{\"folder\":\"{folder}\"}}");
            let (_folder, vault) = vault(&[(".obsidian/daily-notes.json", &settings)]);
            let before = picture(vault.root());
            error(&vault, "daily:append", &[("content", "x")], &[]);
            assert_eq!(picture(vault.root()), before);
        }
    }
}
