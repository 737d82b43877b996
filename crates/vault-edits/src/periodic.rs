//! `periodic:append` and `periodic:prepend`: as `daily:append` and `daily:prepend`, for weekly to
//! yearly notes.

use vault_files::periodic::SETTINGS;
use vault_files::{Call, EngineError, PeriodicNote};

use super::append::{Addition, End};
use super::daily::{NewNotes, changed};
use super::edit_command::{Edit, EditCommand};

/// Adds text at the end of the note of a period, which is created if it is missing.
pub(super) const APPEND: EditCommand = EditCommand::new("periodic:append", |call| {
    let usage = "periodic:append period=<period> content=<text> [date=<day>] [inline]";
    to_period(call, usage, End::Last)
});
/// Adds text at the start of the note of a period, below its properties.
pub(super) const PREPEND: EditCommand = EditCommand::new("periodic:prepend", |call| {
    let usage = "periodic:prepend period=<period> content=<text> [date=<day>] [inline]";
    to_period(call, usage, End::First)
});

fn to_period(call: &Call<'_>, usage: &str, end: End) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let addition = Addition::from_arguments(arguments, usage)?;
    let note = PeriodicNote::from_arguments(vault, arguments, &call.surroundings.now)?;
    let notes = NewNotes {
        settings: &note.settings,
        notice: note.turned_off.as_ref(),
        file: SETTINGS,
        now: &note.moment,
    };
    changed(vault, &notes, addition, end)
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use crate::apply::testing::picture;
    use crate::testing::{confirmation, done, error};

    #[test]
    fn the_note_of_a_period_is_made_from_its_template_and_then_added_to() {
        let settings = r#"{"monthly":{"folder":"M","template":"T/Month"}}"#;
        let (_folder, vault) = vault(&[
            (".obsidian/plugins/periodic-notes/data.json", settings),
            ("T/Month.md", "---\nm: 1\n---\n# {{title}}\n"),
        ]);
        let period = ("period", "monthly");
        let day = ("date", "2026-03-14");
        let edit = done(
            &vault,
            "periodic:append",
            &[period, day, ("content", "- x")],
            &[],
        );
        assert_eq!(confirmation(&edit), "appended: M/2026-03.md");
        done(
            &vault,
            "periodic:prepend",
            &[period, day, ("content", "top")],
            &[],
        );
        assert_eq!(
            fs_err::read_to_string(vault.root().join("M/2026-03.md")).unwrap(),
            "---\nm: 1\n---\ntop\n# 2026-03\n\n- x"
        );
        error(&vault, "periodic:append", &[period], &[]);
        error(&vault, "periodic:append", &[("content", "x")], &[]);
    }

    #[test]
    fn d06_settings_cannot_put_the_note_where_no_note_is() {
        for folder in ["../out", ".obsidian/plugins", "a/.git"] {
            let settings = format!("{{\"yearly\":{{\"folder\":\"{folder}\"}}}}");
            let (_folder, vault) =
                vault(&[(".obsidian/plugins/periodic-notes/data.json", &settings)]);
            let before = picture(vault.root());
            let arguments = [("period", "yearly"), ("content", "x")];
            error(&vault, "periodic:append", &arguments, &[]);
            assert_eq!(picture(vault.root()), before);
        }
    }
}
