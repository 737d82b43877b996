//! Weekly, monthly, quarterly and yearly notes, by the settings of the community plugin `periodic-notes`.
//!
//! Both forms of its settings are read: an object for each period (version 0), and `calendarSets`
//! (version 1). Without settings the plugin's own defaults apply.

use jiff::Zoned;
use jiff::civil::Date;
use obsidian_note::{VaultPath, Warning};
use serde_json::{Map, Value};

use crate::args::Args;
use crate::config_file::ConfigKeys;
use crate::daily::DailyNotes;
use crate::error::EngineError;
use crate::vault::Vault;

/// The path of the plugin's settings, relative to the configuration folder.
pub const SETTINGS: &str = "plugins/periodic-notes/data.json";

/// The spans of time that a note may cover: the value of `period=`, which is also the key of the settings in version 0,
/// the key in version 1, and the default format.
const PERIODS: [(&str, &str, &str); 4] = [
    ("weekly", "week", "gggg-[W]ww"),
    ("monthly", "month", "YYYY-MM"),
    ("quarterly", "quarter", "YYYY-[Q]Q"),
    ("yearly", "year", "YYYY"),
];

/// The settings for the period that a call names, and a moment within that period.
pub struct PeriodicNote {
    /// Folder, format and template of the notes.
    pub settings: DailyNotes,
    /// Now, or the same time of the day `date`.
    pub moment: Zoned,
    /// The warning that notes of this period are turned off. The settings are used anyway.
    pub turned_off: Option<Warning>,
}

impl PeriodicNote {
    /// Reads the settings for `period=` and the day `date=`.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn from_arguments(
        vault: &Vault,
        arguments: &Args,
        now: &Zoned,
    ) -> Result<Self, EngineError> {
        let wanted = arguments.text("period");
        let period = PERIODS.into_iter().find(|(word, ..)| wanted == Some(*word));
        let (old_key, new_key, format) = period.ok_or_else(|| {
            EngineError::argument("period", "one of weekly, monthly, quarterly, yearly")
        })?;
        let moment = match arguments.text("date") {
            None => now.clone(),
            Some(text) => moment_of(text, now)
                .ok_or_else(|| EngineError::argument("date", "a day such as 2026-03-14"))?,
        };
        let mut file = ConfigKeys::read(vault, SETTINGS)?;
        file.value = settings_of(&file.value, old_key, new_key)
            .cloned()
            .unwrap_or_default();
        let is_off = file.value.get("enabled") == Some(&Value::Bool(false));
        let path = file.path.clone();
        let settings = DailyNotes::from_keys(file, format, &["templatePath", "template"]);
        let turned_off = is_off.then(|| Warning::ConfigIgnored {
            path,
            reason: "notes of this period are turned off".to_owned(),
        });
        Ok(Self {
            settings,
            moment,
            turned_off,
        })
    }

    /// Returns the warnings about the settings.
    pub fn warnings(&self) -> Vec<Warning> {
        let warnings = self.settings.warnings.iter();
        warnings.chain(&self.turned_off).cloned().collect()
    }
}

impl Vault {
    /// Returns the path of the note of a week, month, quarter or year: of `period=` and the day `date=`, or of `now`.
    /// The note need not exist.
    ///
    /// # Errors
    ///
    /// If the arguments name no period or no day, if the settings cannot be read, or if they do not give a path inside
    /// the vault.
    pub fn periodic_path(&self, arguments: &Args, now: &Zoned) -> Result<VaultPath, EngineError> {
        let note = PeriodicNote::from_arguments(self, arguments, now)?;
        note.settings.path(&note.moment)
    }
}

fn moment_of(text: &str, now: &Zoned) -> Option<Zoned> {
    let day: Date = text
        .parse()
        .ok()
        .filter(|_| text.len() == "2026-03-14".len())?;
    day.to_datetime(now.time())
        .to_zoned(now.time_zone().clone())
        .ok()
}

/// Returns the object with the settings of a period.
fn settings_of<'file>(
    value: &'file Map<String, Value>,
    old: &str,
    new: &str,
) -> Option<&'file Map<String, Value>> {
    let sets = value.get("calendarSets").and_then(Value::as_array);
    let Some(sets) = sets else {
        return value.get(old)?.as_object();
    };
    let active = value.get("activeCalendarSet");
    let is_active = |set: &&Value| active.is_some() && set.get("id") == active;
    let set = sets.iter().find(is_active).or_else(|| sets.first())?;
    set.get(new)?.as_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arguments, surroundings};
    use crate::vault::testing::vault;

    const CASES: &str = include_str!("periodic_cases.txt");

    const FILE: &str = ".obsidian/plugins/periodic-notes/data.json";

    fn place(settings: Option<&str>, words: &str) -> String {
        let files: Vec<(&str, &str)> = settings.map(|text| (FILE, text)).into_iter().collect();
        let (_folder, vault) = vault(&files);
        let note = PeriodicNote::from_arguments(
            &vault,
            &arguments("periodic:path", words.split(' ')),
            &surroundings().now,
        )
        .unwrap();
        note.settings.path(&note.moment).unwrap().to_string()
    }

    #[test]
    fn without_settings_the_defaults_of_the_plugin_hold() {
        for (period, expected) in [
            ("weekly", "2026-W11.md"),
            ("monthly", "2026-03.md"),
            ("quarterly", "2026-Q1.md"),
            ("yearly", "2026.md"),
        ] {
            assert_eq!(
                place(None, &format!("period={period} date=2026-03-14")),
                expected
            );
        }
        // Week 1 contains January 1, and weeks begin on Sunday.
        assert_eq!(place(None, "period=weekly date=2025-12-31"), "2026-W01.md");
    }

    #[test]
    fn both_versions_of_the_settings_are_read() {
        let old = r#"{"weekly":{"format":"","folder":"W","template":"T/Week","enabled":true}}"#;
        assert_eq!(
            place(Some(old), "period=weekly date=2026-03-14"),
            "W/2026-W11.md"
        );
        let new = r#"{"calendarSets":[{"id":"x","month":{"folder":"X"}},
            {"id":"y","month":{"enabled":true,"folder":"M/","format":"YYYY/MM MMMM","templatePath":"T"}}],
            "activeCalendarSet":"y"}"#;
        assert_eq!(
            place(Some(new), "period=monthly date=2026-03-14"),
            "M/2026/03 March.md"
        );
        for odd in tables::lines(CASES, "both versions of the settings are read") {
            assert_eq!(
                place(Some(odd), "period=weekly date=2026-03-14"),
                "2026-W11.md",
                "{odd}"
            );
        }
    }

    #[test]
    fn d01_settings_cannot_lead_out_of_the_vault() {
        let (_folder, vault) = vault(&[(FILE, r#"{"yearly":{"folder":"../out"}}"#)]);
        let words = Args::default().with("period", "yearly");
        let note = PeriodicNote::from_arguments(&vault, &words, &surroundings().now).unwrap();
        assert!(matches!(
            note.settings.path(&note.moment),
            Err(EngineError::DailyPath { .. })
        ));
        for wrong in [
            "period=daily",
            "period=yearly date=2026-02-30",
            "period=yearly date=today",
        ] {
            let words = arguments("periodic:path", wrong.split(' '));
            assert!(
                PeriodicNote::from_arguments(&vault, &words, &surroundings().now).is_err(),
                "{wrong}"
            );
        }
    }
}
