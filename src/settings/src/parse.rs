//! Parses a settings file and reports each mistake with its line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys;
use super::model::Settings;
use crate::error::Error;
use allowlist::shown;
use protocol::Failure;

/// Maximum length of a quotation from the file in a message, in characters.
const QUOTED: usize = 40;

/// A mistake in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsMistake {
    /// The line in the file, counted from 1.
    pub(super) line: usize,
    /// The dotted key, if the mistake belongs to one.
    pub(super) key: Option<String>,
    /// The mistake, as a sentence.
    pub(super) what: String,
    /// The way to fix it, as a sentence.
    pub(super) hint: String,
}

impl SettingsMistake {
    /// Returns a mistake at this byte of the text.
    fn at(text: &str, byte: usize, key: Option<String>, what: String, hint: String) -> Self {
        Self {
            line: line_of(text.as_bytes(), byte),
            key,
            what,
            hint,
        }
    }

    /// Converts to a failure. `file` is the file's name without folders.
    pub(super) fn into_failure(self, file: &str) -> Failure {
        Error::Mistake(file.to_owned(), self.line, self.what, self.hint, self.key).into()
    }
}

/// Parses the text, or returns its first mistake.
pub(super) fn parse(text: &str) -> Result<Settings, SettingsMistake> {
    let table = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let mut unknown = Vec::new();
    find_unknown(table.get_ref(), &mut Vec::new(), &mut unknown);
    // Report the mistake that comes first in the file, not the one that is visited first.
    if let Some((path, span)) = unknown.into_iter().min_by_key(|(_, span)| span.start) {
        return Err(unknown_key(text, &path, span.start));
    }
    let settings: Settings = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        bad_value(text, table.get_ref(), start, error.message())
    })?;
    if let Some(start) = number_out_of_range(table.get_ref()) {
        return Err(bad_value(
            text,
            table.get_ref(),
            start,
            "the number is out of range",
        ));
    }
    let mistake = pointless_rule(text, table.get_ref(), &settings);
    match mistake.or_else(|| agents_alike(text, table.get_ref())) {
        Some(mistake) => Err(mistake),
        None => Ok(settings),
    }
}

/// Returns the position of the first number that is outside its range.
fn number_out_of_range(table: &DeTable<'_>) -> Option<usize> {
    let numbers = keys::KEYS.iter().filter_map(|key| {
        let keys::SettingKind::Number(_, (smallest, largest)) = key.kind else {
            return None;
        };
        let path: Vec<String> = key.name.split('.').map(str::to_owned).collect();
        let value = value_at(table, &path)?;
        let integer = value.get_ref().as_integer()?;
        let number = i64::from_str_radix(integer.as_str(), integer.radix());
        let is_valid = number.is_ok_and(|number| (smallest..=largest).contains(&number));
        (!is_valid).then_some(value.span().start)
    });
    numbers.min()
}

/// Returns the mistake of two agents whose names differ only in letter case, at the second name: their owner could
/// confuse the two.
fn agents_alike(text: &str, table: &DeTable<'_>) -> Option<SettingsMistake> {
    let agents = value_at(table, &["agents".to_owned()])?;
    let DeValue::Table(agents) = agents.get_ref() else {
        return None;
    };
    let mut names: Vec<_> = agents.keys().collect();
    names.sort_by_key(|name| name.span().start);
    let mut seen = BTreeSet::new();
    let second = names
        .into_iter()
        .find(|name| !seen.insert(name.get_ref().to_lowercase()))?;
    let name = shown(second.get_ref());
    let what = format!("Another agent has the name `{name}` in a different letter case.");
    let hint = "Rename one of the two agents.".to_owned();
    let key = Some(format!("agents.{name}"));
    let byte = second.span().start;
    Some(SettingsMistake::at(text, byte, key, what, hint))
}

/// Returns the first rule for commands that has no effect: its owner expects one.
fn pointless_rule(text: &str, table: &DeTable<'_>, settings: &Settings) -> Option<SettingsMistake> {
    let everyone = [(vec![], settings.commands.rules(""))];
    let agents = settings.agents.iter();
    let agents = agents.map(|(name, agent)| {
        let path = vec!["agents".to_owned(), name.clone()];
        (path, agent.commands.rules(""))
    });
    let mistakes = everyone
        .into_iter()
        .chain(agents)
        .filter_map(|(mut path, rules)| {
            let found = rules.ok()?.pointless()?;
            let list = if found.in_deny { "deny" } else { "allow" };
            path.extend(["commands".to_owned(), list.to_owned()]);
            let element = value_at(table, &path)?
                .get_ref()
                .as_array()?
                .get(found.index)?;
            let pattern = shown(element.get_ref().as_str()?);
            let dotted = path.join(".");
            let what = format!("`{pattern}` in `{dotted}` has no effect: {}.", found.reason);
            let hint = "Remove this pattern.".to_owned();
            let byte = element.span().start;
            Some(SettingsMistake::at(text, byte, Some(dotted), what, hint))
        });
    mistakes.min_by_key(|mistake| mistake.line)
}

/// Returns the value of a key, by its path.
fn value_at<'t, 'i>(
    table: &'t DeTable<'i>,
    path: &[String],
) -> Option<&'t toml::Spanned<DeValue<'i>>> {
    let (name, rest) = path.split_first()?;
    let value = table.iter().find(|(key, _)| key.get_ref() == name)?.1;
    match (rest, value.get_ref()) {
        ([], _) => Some(value),
        (rest, DeValue::Table(inner)) => value_at(inner, rest),
        _ => None,
    }
}

/// Returns the 1-based line of a setting in the text of a settings file, by its dotted key; `None` if the file does not
/// set it.
pub fn line_of_setting(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let path = toml_edit::Key::parse(key).ok()?;
    let path: Vec<String> = path.iter().map(|part| part.get().to_owned()).collect();
    let value = value_at(table.get_ref(), &path)?;
    Some(line_of(text.as_bytes(), value.span().start))
}

/// Returns the 1-based line number of a byte offset.
pub fn line_of(text: &[u8], byte: usize) -> usize {
    let before = &text[..byte.min(text.len())];
    before.split(|byte| *byte == b'\n').count()
}

fn syntax(text: &str, error: &toml::de::Error) -> SettingsMistake {
    let what = format!("This is not valid TOML: {}.", error.message());
    let hint = "Write each setting on its own line, as `key = value`.".to_owned();
    let byte = error.span().map_or(0, |span| span.start);
    SettingsMistake::at(text, byte, None, what, hint)
}

fn find_unknown(
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Range<usize>)>,
) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let is_agent = path.len() == 2 && path[0] == "agents";
        if is_agent && !is_agent_name(&path[1]) {
            found.push((path.clone(), key.span()));
        } else if keys::is_table(path) {
            if let DeValue::Table(inner) = value.get_ref() {
                find_unknown(inner, path, found);
            }
        } else if keys::find(path).is_none() {
            found.push((path.clone(), key.span()));
        }
        path.pop();
    }
}

/// Whether the name is usable in logs and on command lines.
fn is_agent_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= 128 && vault_engine::forbidden_in_id(name).is_none()
}

fn unknown_key(text: &str, path: &[String], start: usize) -> SettingsMistake {
    let dotted = path.join(".");
    let (what, hint) = if path.len() == 2 && path[0] == "agents" {
        (
            "This is not a valid name for an agent.".to_owned(),
            "The name must have 1 to 128 bytes of printable text.".to_owned(),
        )
    } else if keys::is_for_everyone_only(path) {
        let policy: Vec<String> = keys::KEYS
            .iter()
            .filter(|key| key.for_agents)
            .map(|key| format!("`{}`", key.name))
            .collect();
        (
            format!("`{dotted}` cannot be set, because this setting is the same for everyone."),
            format!("The table of one agent can have {}.", policy.join(", ")),
        )
    } else {
        (
            format!("`{dotted}` is not a setting."),
            keys::nearest(path).map_or_else(
                || "Check the spelling of the key.".to_owned(),
                |meant| format!("Did you mean `{meant}`?"),
            ),
        )
    };
    SettingsMistake::at(text, start, Some(dotted), what, hint)
}

/// Returns the mistake in the value at this byte offset. `message` is the parser's own sentence about it.
fn bad_value(text: &str, table: &DeTable<'_>, start: usize, message: &str) -> SettingsMistake {
    let Some((path, value)) = key_at(table, start, &[]) else {
        let what = format!("A value is invalid: {message}.");
        let hint = "Compare the value with the default settings file.".to_owned();
        return SettingsMistake::at(text, start, None, what, hint);
    };
    let dotted = path.join(".");
    let kind = keys::find(&path).map(|key| key.kind);
    let element = kind.and_then(|kind| bad_element(kind, value.get_ref()));
    let (span, verb) = match element {
        Some(span) => (span, "contain"),
        None => (value.span(), "be"),
    };
    let byte = span.start;
    let found = quote(text.get(span).unwrap_or_default());
    let (what, hint) = match kind {
        Some(kind) if verb == "contain" && kind.explains_elements() => (
            format!("`{dotted}` cannot contain {found}: {}", sentence(message)),
            format!("The setting takes {}.", kind.takes()),
        ),
        Some(kind) => (
            format!("`{dotted}` cannot {verb} {found}."),
            format!("The setting takes {}.", kind.takes()),
        ),
        None => (
            format!("`{dotted}` cannot be {found}."),
            format!(
                "The setting is a table. Write `[{dotted}]` on its own line, and its keys on the lines below."
            ),
        ),
    };
    SettingsMistake::at(text, byte, Some(dotted), what, hint)
}

/// Returns the first invalid element of a list. The parser reports only the position of the whole
/// list.
fn bad_element(kind: keys::SettingKind, value: &DeValue<'_>) -> Option<Range<usize>> {
    let elements = value.as_array().filter(|_| kind.is_list())?;
    let fits = |text: &str| kind.element_error(text).is_none();
    elements
        .iter()
        .find(|element| !element.get_ref().as_str().is_some_and(fits))
        .map(Spanned::span)
}

/// Returns the innermost key whose value contains the byte offset, with that value.
fn key_at<'t, 'i>(
    table: &'t DeTable<'i>,
    byte: usize,
    above: &[String],
) -> Option<(Vec<String>, &'t Spanned<DeValue<'i>>)> {
    let path = |key: &Spanned<Cow<'_, str>>| {
        let mut path = above.to_vec();
        path.push(key.get_ref().to_string());
        path
    };
    let inner = table.iter().find_map(|(key, value)| {
        let DeValue::Table(inner) = value.get_ref() else {
            return None;
        };
        key_at(inner, byte, &path(key))
    });
    inner.or_else(|| {
        table
            .iter()
            .find(|(_, value)| value.span().contains(&byte))
            .map(|(key, value)| (path(key), value))
    })
}

/// Returns the text with a full stop, unless it ends as a sentence.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Quotes a piece of the file, truncated. Text that looks like a path outside the vault is not
/// quoted, because agents see these messages.
fn quote(text: &str) -> String {
    if ["\"/", "'/", "~", ":", "\\", "./"]
        .iter()
        .any(|outside| text.contains(outside))
    {
        return "this value".to_owned();
    }
    let line: String = text
        .chars()
        .take_while(|character| *character != '\n')
        .collect();
    if line.chars().count() > QUOTED || line.len() < text.len() {
        let start: String = line.chars().take(QUOTED).collect();
        format!("`{start}…`")
    } else {
        format!("`{line}`")
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use protocol::Code;

    use super::*;
    use crate::DEFAULT_FILE;
    use crate::load::read_text;

    const CASES: &str = include_str!("parse_cases.txt");

    /// Checks one file for each mistake; a new file gets a snapshot automatically.
    #[test]
    fn h01_every_mistake_is_reported_with_its_line_and_a_hint() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invalid");
        let mut files: Vec<_> = fs_err::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "toml")
            })
            .collect();
        files.sort();
        assert!(files.len() >= 30, "only {} files", files.len());
        let mut messages = String::new();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = fs_err::read(&file).unwrap();
            let failure = read_text(&bytes, &name).expect_err(&name);
            assert_eq!(failure.code, Code::ConfigInvalid, "{name}");
            assert_eq!(failure.details["file"], name);
            let expected = 1 + bytes
                .split(|byte| *byte == b'\n')
                .position(|line| line.windows(9).any(|window| window == b"# mistake"))
                .unwrap_or_else(|| panic!("{name} marks no line with `# mistake`"));
            assert_eq!(failure.details["line"], expected, "{name}: {failure}");
            assert!(!failure.details["hint"].as_str().unwrap().is_empty());
            writeln!(messages, "{failure}").unwrap();
        }
        insta::assert_snapshot!("invalid", messages);
    }

    #[test]
    fn paths_outside_the_vault_are_not_shown() {
        for text in tables::lines(CASES, "paths outside the vault are not shown") {
            let mistake = parse(text).unwrap_err();
            for piece in ["home", "secret"] {
                assert!(!mistake.what.contains(piece), "{}", mistake.what);
            }
        }
    }

    #[test]
    fn e16_ranges_hold_at_their_ends() {
        for (key, smallest, largest) in [
            ("timeout_ms", 1_u64, 3_600_000_u64),
            ("max_output_bytes", 1, 1 << 30),
        ] {
            for good in [smallest, largest] {
                assert!(parse(&format!("{key} = {good}")).is_ok(), "{key} = {good}");
            }
            for bad in [
                "0".to_owned(),
                "-1".to_owned(),
                (largest + 1).to_string(),
                i64::MAX.to_string(),
                u64::MAX.to_string(),
                "1e3".to_owned(),
            ] {
                let mistake = parse(&format!("{key} = {bad}")).unwrap_err();
                assert_eq!(mistake.key.as_deref(), Some(key), "{bad}");
                assert!(mistake.hint.contains(&format!("from 1 to {largest}")));
            }
        }
    }

    #[test]
    fn the_default_file_states_the_defaults() {
        assert_eq!(parse(DEFAULT_FILE), Ok(Settings::default()));
        let mut uncommented = String::new();
        let mut names = Vec::new();
        let mut table = String::new();
        for line in DEFAULT_FILE.lines() {
            let statement = line.strip_prefix("# ").filter(|rest| {
                rest.split_once(" = ").is_some_and(|(key, _)| {
                    !key.is_empty()
                        && key
                            .bytes()
                            .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
                })
            });
            if let Some((key, _)) = statement.and_then(|statement| statement.split_once(" = ")) {
                names.push(format!("{table}{key}"));
            }
            if let Some(name) = line.strip_prefix('[') {
                table = format!("{}.", name.trim_end_matches(']'));
            }
            writeln!(uncommented, "{}", statement.unwrap_or(line)).unwrap();
        }
        assert_eq!(names, keys::KEYS.map(|key| key.name));
        assert_eq!(parse(&uncommented), Ok(Settings::default()));
    }

    #[test]
    fn a_whole_file_is_read() {
        let settings = parse(
            r#"
            enabled = true
            obsidian_path = "/opt/obsidian"
            vault = "Notes"
            tier = "v1"
            backend = "embedded"
            approve = []
            [paths]
            read = []
            [agents.helper]
            allow_mutations = false
            paths.deny = ["a/**"]
            "#,
        )
        .unwrap();
        assert!(settings.enabled && settings.approve.is_empty());
        assert_eq!(settings.vault.as_deref(), Some("Notes"));
        assert!(settings.paths.read.is_empty() && settings.paths.write.len() == 1);
        let helper = &settings.agents["helper"];
        assert_eq!(helper.allow_mutations, Some(false));
        assert!(helper.paths.read.is_none() && helper.paths.deny.is_some());
    }
}
