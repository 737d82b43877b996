//! The path of the daily note (`vault-semantics.md` §6.2).

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use obsidian_note::path::PathError;
use obsidian_note::{VaultPath, Warning};

use crate::config_file::ConfigKeys;
use crate::error::EngineError;

/// The app's default format of names.
pub(crate) const DEFAULT_FORMAT: &str = "YYYY-MM-DD";

/// The settings of the daily notes plugin, `daily-notes.json` (`vault-semantics.md` §1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyNotes {
    /// The folder of daily notes; empty or `/` for the vault's root.
    pub folder: String,
    /// Moment format of a note's path below `folder`, without extension; may contain `/`.
    pub format: String,
    /// The template of new daily notes, usually without `.md`; empty for none.
    pub template: String,
    /// Warnings about settings that could not be used.
    pub warnings: Vec<Warning>,
}

impl Default for DailyNotes {
    fn default() -> Self {
        Self {
            folder: String::new(),
            format: DEFAULT_FORMAT.to_owned(),
            template: String::new(),
            warnings: Vec::new(),
        }
    }
}

impl DailyNotes {
    /// Returns the settings in these keys. A malformed one has its default, as in the app, and is named in `warnings`.
    /// The first of `template_keys` with a text names the template.
    pub(crate) fn from_keys(
        mut file: ConfigKeys,
        default_format: &str,
        template_keys: &[&str],
    ) -> Self {
        let folder = file.take_text("folder").unwrap_or_default();
        let format = file.take_text("format").filter(|format| !format.is_empty());
        let template = template_keys.iter().find_map(|key| file.take_text(key));
        Self {
            folder,
            format: format.unwrap_or_else(|| default_format.to_owned()),
            template: template.unwrap_or_default(),
            warnings: file.warnings,
        }
    }

    /// Returns the path of the note of that day, in the time zone of `now`. The note need not exist.
    ///
    /// # Errors
    ///
    /// Fails with [`EngineError::DailyPath`] if folder and format do not give a path inside the vault.
    pub fn path(&self, now: &Zoned) -> Result<VaultPath, EngineError> {
        let joined = format!(
            "{}/{}",
            self.folder,
            moment_format::format(now, &self.format)
        );
        let components: Vec<&str> = joined.split('/').filter(|part| !part.is_empty()).collect();
        let text = format!("{}.md", components.join("/"));
        let path = VaultPath::file(&text).and_then(|path| {
            if path.is_absolute_elsewhere() {
                return Err(PathError::Escape);
            }
            Ok(path)
        });
        path.map_err(|reason| EngineError::DailyPath { text, reason })
    }

    /// Whether a note has the place and the name of a daily note.
    pub fn is_one(&self, path: &VaultPath) -> bool {
        self.day_of(path).is_some()
    }

    /// Returns the day of a daily note: the day whose formatted form is the note's place and name. `None` for any other
    /// note, and with a format without day, month and year.
    pub fn day_of(&self, path: &VaultPath) -> Option<Date> {
        let folder = self.folder.trim_matches('/');
        let path_text = path.as_str();
        let below = if folder.is_empty() {
            Some(path_text)
        } else {
            let below = path_text.strip_prefix(folder);
            below.and_then(|below| below.strip_prefix('/'))
        };
        let name = below.and_then(|below| below.strip_suffix(".md"))?;
        let name_of = |day: Date| {
            let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
            Some(moment_format::format(&noon, &self.format))
        };
        let mut days = days_of_years_in(name).peekable();
        // The names of all days have the same number of folders, so one day is enough to rule out most other notes.
        let folders = |name: &str| name.matches('/').count();
        let first = name_of(*days.peek()?)?;
        if folders(&first) != folders(name) {
            return None;
        }
        days.find(|day| name_of(*day).as_deref() == Some(name))
    }
}

/// Returns the days that a text with a four-digit year may name: the day whose month and day follow in digits, or else
/// every day of that year.
fn days_of_years_in(text: &str) -> impl Iterator<Item = Date> {
    let digits: Vec<i16> = text
        .split(|character: char| !character.is_ascii_digit())
        .filter(|run| !run.is_empty() && run.len() <= 8)
        .flat_map(|run| match run.len() {
            8 => vec![&run[..4], &run[4..6], &run[6..]],
            _ => vec![run],
        })
        .filter_map(|run| run.parse().ok())
        .collect();
    let named: Vec<Date> = digits
        .windows(3)
        .filter_map(|run| {
            let [year, month, day] = run else { return None };
            Date::new(*year, i8::try_from(*month).ok()?, i8::try_from(*day).ok()?).ok()
        })
        .collect();
    let year = digits
        .iter()
        .copied()
        .find(|year| (1000..=9999).contains(year));
    let first = year.and_then(|year| Date::new(year, 1, 1).ok());
    let all = first.into_iter().flat_map(|first| {
        let next = move |day: &Date| day.tomorrow().ok().filter(|day| day.year() == first.year());
        std::iter::successors(Some(first), next)
    });
    named.into_iter().chain(all)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::config_file::ConfigFile;

    const CASES: &str = include_str!("daily_cases.txt");

    fn now() -> Zoned {
        date(2026, 3, 7)
            .at(23, 59, 59, 0)
            .to_zoned(TimeZone::UTC)
            .unwrap()
    }

    fn parse(text: &str) -> DailyNotes {
        let path = VaultPath::file(".obsidian/daily-notes.json").unwrap();
        let file = ConfigFile::parse(path, Some(text.as_bytes()));
        DailyNotes::from_keys(file, DEFAULT_FORMAT, &["template"])
    }

    fn place(text: &str) -> String {
        let settings = parse(text);
        assert_eq!(settings.warnings, []);
        settings.path(&now()).unwrap().to_string()
    }

    #[test]
    fn folder_and_format_give_the_path() {
        assert_eq!(place("{}"), "2026-03-07.md");
        assert_eq!(place(r#"{"folder":"Daily"}"#), "Daily/2026-03-07.md");
        assert_eq!(
            place(r#"{"folder":"/Daily//Notes/","format":""}"#),
            "Daily/Notes/2026-03-07.md"
        );
        assert_eq!(place(r#"{"folder":"/"}"#), "2026-03-07.md");
        assert_eq!(
            place(r#"{"folder":"J","format":"YYYY/MM-MMMM/[day] D","autorun":true}"#),
            "J/2026/03-March/day 7.md"
        );
        assert_eq!(place("\u{feff}{\"format\":\"DDD\"}"), "66.md");
        assert_eq!(parse(r#"{"template":"T/Daily"}"#).template, "T/Daily");
    }

    #[test]
    fn daily_notes_are_known_by_their_name() {
        for (settings, path, expected) in
            tables::typed::<(&str, &str, bool)>(CASES, "daily notes are known by their name")
        {
            let path_of = VaultPath::file(path).unwrap();
            assert_eq!(
                parse(settings).is_one(&path_of),
                expected,
                "{settings} {path}"
            );
        }
    }

    #[test]
    fn malformed_settings_are_defaults_with_a_warning() {
        for text in ["", "{", "[]", "\"x\""] {
            let settings = parse(text);
            assert_eq!(settings.warnings.len(), 1, "{text}");
            assert_eq!(settings.path(&now()).unwrap().as_str(), "2026-03-07.md");
        }
        let settings = parse(r#"{"folder":7,"format":"YYYY"}"#);
        assert_eq!(settings.warnings.len(), 1);
        assert_eq!(settings.path(&now()).unwrap().as_str(), "2026.md");
    }

    #[test]
    fn d01_settings_cannot_lead_out_of_the_vault() {
        for folder in ["../out", "a/../../b", "C:\\\\x"] {
            let error = parse(&format!("{{\"folder\":\"{folder}\"}}"))
                .path(&now())
                .unwrap_err();
            assert!(
                matches!(
                    error,
                    EngineError::DailyPath {
                        reason: PathError::Escape,
                        ..
                    }
                ),
                "{folder}: {error}"
            );
        }
        // Such a note cannot be created here, but may exist on Linux.
        let odd = parse(r#"{"format":"HH:mm"}"#).path(&now());
        assert_eq!(odd.is_ok(), cfg!(unix));
    }
}
