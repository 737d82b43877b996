//! All keys of the settings file: their types, and suggestions for mistyped keys.

use super::model::{BackendChoice, TaintNames};
use allowlist::{Effect, Tier};
use tiers::{ApprovalChannel, CommandPattern, Drafts, PathPattern, PropertyName, TagName};

/// Maximum `timeout_ms`: one hour.
pub const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Valid `timeout_ms`: up to one hour. Zero would end every call before it starts (`threats.toml`
/// E16).
const TIMEOUT_MS: (i64, i64) = (1, MAX_TIMEOUT_MS.cast_signed());
/// Valid `max_output_bytes`: up to 1 GiB, because both streams are kept in memory.
const OUTPUT_BYTES: (i64, i64) = (1, 1 << 30);
/// Valid `audit.max_bytes`: 64 KiB to 1 GiB. A smaller log would rotate every few calls.
const LOG_BYTES: (i64, i64) = (1 << 16, 1 << 30);
/// Valid `audit.max_files`: 1 to 1000 rotated files, besides the current one.
const LOG_FILES: (i64, i64) = (1, 1000);
/// Valid `taint.keep_hours`: up to a year.
const TAINT_HOURS: (i64, i64) = (1, 8760);
/// Valid `journal.max_bytes`: 1 MiB to 1 TiB. A smaller journal could not keep useful undo data.
const JOURNAL_BYTES: (i64, i64) = (1 << 20, 1 << 40);
/// Valid `journal.max_age_days`: up to ten years.
const JOURNAL_DAYS: (i64, i64) = (1, 3650);
/// Valid `journal.max_file_bytes`: up to 1 GiB, because undo keeps the restored file in memory.
const JOURNAL_FILE_BYTES: (i64, i64) = (1, 1 << 30);

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingKind {
    Switch,
    /// A whole number: its unit in a sentence, such as ` of bytes`, and the smallest and the largest valid one.
    Number(&'static str, (i64, i64)),
    Program,
    Version,
    Vault,
    ConfigFolder,
    Folder,
    Tier,
    ListFile,
    Effects,
    Channels,
    Patterns,
    Commands,
    Tags,
    Properties,
    /// One word of this list.
    Word(&'static [&'static str]),
}

/// One key of the settings, at the top level of the file, in a table, or in an agent's table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// The dotted name, such as `paths.read`.
    pub(super) name: &'static str,
    pub(super) kind: SettingKind,
    /// Whether it is also valid in an agent's table.
    pub(super) for_agents: bool,
    /// The name of the key in document 003, for suggestions.
    document_name: Option<&'static str>,
}

const fn key(name: &'static str, kind: SettingKind) -> Key {
    Key {
        name,
        kind,
        for_agents: false,
        document_name: None,
    }
}

const fn policy_key(name: &'static str, kind: SettingKind) -> Key {
    Key {
        for_agents: true,
        ..key(name, kind)
    }
}

impl Key {
    const fn called(self, document_name: &'static str) -> Self {
        Self {
            document_name: Some(document_name),
            ..self
        }
    }
}

/// A setting, as the commented default file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedSetting {
    /// The dotted key.
    pub key: String,
    /// The default, as it is written in the file.
    pub default: String,
    /// The first sentence of its comment; of the comment of its table if it has none of its own.
    pub about: String,
}

/// Returns all settings in the order of [`DEFAULT_FILE`](super::DEFAULT_FILE), which describes them.
pub fn described() -> Vec<DescribedSetting> {
    let mut found = Vec::new();
    let (mut prefix, mut about_table, mut comment) = (String::new(), String::new(), String::new());
    for line in super::DEFAULT_FILE.lines() {
        if let Some(table) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            prefix = format!("{table}.");
            about_table = std::mem::take(&mut comment);
            continue;
        }
        let Some(text) = line.strip_prefix("# ") else {
            // After an empty line, a setting without a comment is one of its table.
            comment.clear();
            continue;
        };
        let setting = text.split_once(" = ").and_then(|(name, default)| {
            let key = format!("{prefix}{name}");
            names().any(|known| known == key).then_some((key, default))
        });
        match setting {
            Some((key, default)) => found.push(DescribedSetting {
                key,
                default: default.to_owned(),
                about: first_sentence(if comment.is_empty() {
                    &about_table
                } else {
                    &comment
                }),
            }),
            None if comment.is_empty() => text.clone_into(&mut comment),
            None => comment = format!("{comment} {text}"),
        }
    }
    found
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text).to_owned()
}

/// All keys, in the order of the default file.
pub(super) const KEYS: [Key; 51] = {
    use SettingKind::{
        Channels, Commands, ConfigFolder, Effects, Folder, ListFile, Number, Patterns, Program,
        Properties, Switch, Tags, Tier, Vault, Version, Word,
    };
    [
        policy_key("enabled", Switch).called("enableObsidianCliBridge"),
        key("obsidian_path", Program).called("obsidianCliPath"),
        key("min_version", Version),
        key("timeout_ms", Number(" of milliseconds", TIMEOUT_MS)).called("obsidianCliTimeoutMs"),
        policy_key("allow_mutations", Switch).called("obsidianCliAllowMutations"),
        policy_key("drafts", Word(&Drafts::WORDS)),
        key("vault", Vault),
        key("config_folder", ConfigFolder),
        policy_key("tier", Tier),
        policy_key("allowlist", ListFile),
        key("backend", Word(&BackendChoice::WORDS)),
        key("max_output_bytes", Number(" of bytes", OUTPUT_BYTES)),
        policy_key("allow_ui", Switch),
        policy_key("allow_publish", Switch),
        key("export_folder", Folder),
        key("import_folder", Folder),
        policy_key("allow_active", Switch),
        policy_key("allow_active_file", Switch),
        policy_key("follow_symlinks", Switch),
        key("probe_app", Switch),
        key("open_vault", Switch),
        key("sandbox", Word(&["require", "best-effort", "off"])),
        key("property_style", Word(&["preserve", "compat"])),
        key("update_links", Word(&["vault", "always", "never"])),
        policy_key("approve", Effects),
        policy_key("approve_by", Channels),
        key("audit.max_bytes", Number(" of bytes", LOG_BYTES)),
        key("audit.max_files", Number("", LOG_FILES)),
        key("audit.required_for_reads", Switch),
        key("http.shared_token", Switch),
        key("run.app_folder", Switch),
        policy_key("paths.read", Patterns),
        policy_key("paths.write", Patterns),
        policy_key("paths.deny", Patterns),
        policy_key("paths.deny_tags", Tags),
        policy_key("paths.deny_properties", Properties),
        policy_key("paths.allow_hard_links", Switch),
        key("paths.direct", Patterns),
        key("paths.everyone", Switch),
        policy_key("commands.allow", Commands),
        policy_key("commands.deny", Commands),
        key("taint.sources", Patterns),
        key("taint.properties", Properties),
        key("taint.write", Patterns),
        key("taint.secret", Patterns),
        key("taint.secret_tags", Tags),
        key("taint.names", Word(&TaintNames::WORDS)),
        key("taint.keep_hours", Number("", TAINT_HOURS)),
        key("journal.max_bytes", Number(" of bytes", JOURNAL_BYTES)),
        key("journal.max_age_days", Number(" of days", JOURNAL_DAYS)),
        key(
            "journal.max_file_bytes",
            Number(" of bytes", JOURNAL_FILE_BYTES),
        ),
    ]
};

impl SettingKind {
    /// Returns the accepted values, as the rest of a sentence that starts with "It takes".
    pub(super) fn takes(self) -> String {
        match self {
            Self::Switch => format!("`{}`", self.words().join("` or `")),
            Self::Number(unit, (smallest, largest)) => {
                format!("a whole number{unit} from {smallest} to {largest}")
            }
            Self::Tier | Self::Word(_) => format!("one of \"{}\"", self.words().join("\", \"")),
            Self::Effects | Self::Channels => {
                format!("a list of \"{}\"", self.words().join("\", \""))
            }
            Self::Program => "the name of a program or its absolute path, in quotes".into(),
            Self::Version => r#"a version such as "1.12.7", in quotes"#.into(),
            Self::Vault => {
                "the name of a vault or the absolute path of its folder, in quotes".into()
            }
            Self::ConfigFolder => {
                r#"the name of a folder that starts with a dot, such as ".obsidian", in quotes"#
                    .into()
            }
            Self::Folder => "the absolute path of a folder, in quotes".into(),
            Self::ListFile => {
                r#"the name of a file next to the settings file such as "my-list.toml", in quotes"#
                    .into()
            }
            Self::Patterns => r#"a list of globs such as ["notes/**"]"#.into(),
            Self::Commands => {
                r#"a list of commands, globs and sets such as ["daily:*", "@links", "@reads"]"#
                    .into()
            }
            Self::Tags => r#"a list of tags without `#` such as ["private"]"#.into(),
            Self::Properties => r#"a list of properties such as ["confidential"]"#.into(),
        }
    }

    /// Whether the value is a list of texts.
    pub(super) fn is_list(self) -> bool {
        self.explains_elements() || matches!(self, Self::Effects | Self::Channels)
    }

    /// Whether the error of a bad element of the list says what is wrong with it.
    pub(super) fn explains_elements(self) -> bool {
        matches!(
            self,
            Self::Patterns | Self::Commands | Self::Tags | Self::Properties
        )
    }

    /// Returns the error of an element of the list; `None` if the element is valid.
    pub(super) fn element_error(self, text: &str) -> Option<String> {
        match self {
            Self::Patterns => PathPattern::new(text).err().map(|error| error.to_string()),
            Self::Commands => CommandPattern::new(text)
                .err()
                .map(|error| error.to_string()),
            Self::Tags => TagName::new(text).err().map(|error| error.to_string()),
            Self::Properties => PropertyName::new(text).err().map(|error| error.to_string()),
            Self::Channels if ApprovalChannel::is_word(text) => None,
            _ if self.words().iter().any(|word| word == text) => None,
            _ => Some(self.takes()),
        }
    }

    /// Returns the words that it accepts; empty if it accepts any text or number.
    pub(super) fn words(self) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Switch => owned(&["true", "false"]),
            Self::Tier => owned(&Tier::WORDS),
            Self::Effects => owned(&Effect::WORDS),
            Self::Channels => owned(&ApprovalChannel::WORDS),
            Self::Word(words) => owned(words),
            _ => Vec::new(),
        }
    }
}

/// Returns the value that enables a setting, to show in an instruction for people. A word in capitals is a placeholder.
pub fn opening_value(name: &str) -> &'static str {
    let key = KEYS.into_iter().find(|key| key.name == name);
    match key.map(|key| key.kind) {
        Some(SettingKind::Folder) => "/PATH/OF/A/FOLDER",
        Some(SettingKind::Patterns) => "FOLDER/**",
        // The first word restricts nothing.
        Some(SettingKind::Word(words)) => words.first().copied().unwrap_or_default(),
        _ => "true",
    }
}

/// Whether the dotted key, also one of an agent's table, is a list of rules for commands or names one: no single
/// value opens it.
pub fn is_rule_list(key: &str) -> bool {
    let lists = KEYS
        .iter()
        .filter(|known| matches!(known.kind, SettingKind::Commands | SettingKind::ListFile));
    let mut names = lists.map(|known| known.name);
    names.any(|name| {
        let table = key.strip_suffix(name);
        table.is_some_and(|table| table.is_empty() || table.ends_with('.'))
    })
}

/// Returns the dotted names of all settings.
pub fn names() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().map(|key| key.name)
}

/// Finds a key by its path, such as `["agents", "helper", "tier"]`.
pub(super) fn find(path: &[String]) -> Option<Key> {
    let (rest, in_agent) = within_agent(path);
    let name = rest.join(".");
    KEYS.into_iter()
        .find(|key| key.name == name && (key.for_agents || !in_agent))
}

/// Whether the path names a valid table.
pub(super) fn is_table(path: &[String]) -> bool {
    match path.first().map(String::as_str) {
        Some("agents") if path.len() <= 2 => true,
        _ => match within_agent(path) {
            ([table], in_agent) => tables(in_agent).any(|known| known == table),
            _ => false,
        },
    }
}

/// Returns the full dotted keys of a table.
pub(super) fn of_table(path: &[String]) -> Vec<String> {
    let table = match path {
        [agents] if agents == "agents" => ["agents", "NAME"].map(str::to_owned).to_vec(),
        _ => path.to_vec(),
    };
    let (rest, in_agent) = within_agent(&table);
    let dotted = |parts: &[String]| {
        parts
            .iter()
            .map(|part| format!("{part}."))
            .collect::<String>()
    };
    let (table, inner) = (dotted(&table), dotted(rest));
    KEYS.iter()
        .filter(|key| key.for_agents || !in_agent)
        .filter_map(|key| key.name.strip_prefix(&inner))
        .map(|key| format!("{table}{key}"))
        .collect()
}

/// Whether the key exists but is not valid in an agent's table.
pub(super) fn is_for_everyone_only(path: &[String]) -> bool {
    let (rest, in_agent) = within_agent(path);
    let name = rest.join(".");
    let is_table = |in_agent| tables(in_agent).any(|table| table == name);
    in_agent && (names().any(|known| known == name) || is_table(false) && !is_table(true))
}

/// Returns the closest known key or table, as a full dotted name.
pub(super) fn nearest(path: &[String]) -> Option<String> {
    let (rest, in_agent) = within_agent(path);
    let wanted = rest.join(".");
    let keys = KEYS
        .iter()
        .filter(|key| key.for_agents || !in_agent)
        .map(|key| (distance(&wanted, key), key.name));
    let tables = tables(in_agent)
        .filter(|_| !wanted.contains('.'))
        .map(|table| (edits(&wanted, table), table));
    // Prefer the name in the same table among equally near names.
    let is_beside = |name: &str| name.split('.').next() == wanted.split('.').next();
    let (distance, name) = keys
        .chain(tables)
        .min_by_key(|(distance, name)| (*distance, !is_beside(name)))?;
    let close_enough = distance <= (wanted.chars().count() / 3).max(1);
    let prefix = if in_agent {
        format!("{}.", path[..2].join("."))
    } else {
        String::new()
    };
    close_enough.then(|| format!("{prefix}{name}"))
}

/// Returns the names of the tables at the top level, or in an agent's table, some of them several times.
fn tables(in_agent: bool) -> impl Iterator<Item = &'static str> {
    let keys = KEYS.iter().filter(move |key| key.for_agents || !in_agent);
    let tables = keys.filter_map(|key| Some(key.name.split_once('.')?.0));
    tables.chain(["agents"].into_iter().filter(move |_| !in_agent))
}

fn within_agent(path: &[String]) -> (&[String], bool) {
    match path {
        [agents, _, rest @ ..] if agents == "agents" => (rest, true),
        _ => (path, false),
    }
}

/// Returns the edit distance to a key. Compares the whole text and its last part with the key, the
/// last part of the key, and its name in document 003.
fn distance(wanted: &str, key: &Key) -> usize {
    let last_wanted = wanted.rsplit('.').next().unwrap_or_default();
    let last = key.name.rsplit('.').next().unwrap_or_default();
    [Some(key.name), Some(last), key.document_name]
        .into_iter()
        .flatten()
        .flat_map(|name| [edits(wanted, name), edits(last_wanted, name)])
        .min()
        .unwrap_or(usize::MAX)
}

/// Returns the edit distance between two names, ignoring letter case and separators.
fn edits(one: &str, other: &str) -> usize {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|character| character.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    strsim::damerau_levenshtein(&plain(one), &plain(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    const CASES: &str = include_str!("keys_cases.txt");

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn what_opens_a_key_is_of_its_kind() {
        assert_eq!(opening_value("allow_mutations"), "true");
        assert_eq!(opening_value("export_folder"), "/PATH/OF/A/FOLDER");
        assert_eq!(opening_value("paths.read"), "FOLDER/**");
    }

    #[test]
    fn the_table_names_exactly_the_fields_of_the_types() {
        let schema = serde_json::to_value(schemars::schema_for!(Settings)).unwrap();
        let names = |properties: &serde_json::Value, prefix: &str| -> Vec<String> {
            properties
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| !tables(false).any(|table| table == *name))
                .map(|name| format!("{prefix}{name}"))
                .collect()
        };
        let mut everyone = names(&schema["properties"], "");
        let audit = &schema["$defs"]["AuditSettings"]["properties"];
        everyone.extend(names(audit, "audit."));
        let http = &schema["$defs"]["HttpSettings"]["properties"];
        everyone.extend(names(http, "http."));
        let run = &schema["$defs"]["RunSettings"]["properties"];
        everyone.extend(names(run, "run."));
        everyone.extend(names(&schema["$defs"]["Paths"]["properties"], "paths."));
        let commands = &schema["$defs"]["Commands"]["properties"];
        everyone.extend(names(commands, "commands."));
        let taint = &schema["$defs"]["TaintSettings"]["properties"];
        everyone.extend(names(taint, "taint."));
        let journal = &schema["$defs"]["JournalSettings"]["properties"];
        everyone.extend(names(journal, "journal."));
        assert_eq!(everyone, KEYS.map(|key| key.name));

        let mut agents = names(&schema["$defs"]["AgentSettings"]["properties"], "");
        for (table, prefix) in [("AgentPaths", "paths."), ("AgentCommands", "commands.")] {
            agents.extend(names(&schema["$defs"][table]["properties"], prefix));
        }
        agents.sort();
        let mut expected: Vec<&str> = KEYS
            .iter()
            .filter(|key| key.for_agents)
            .map(|key| key.name)
            .collect();
        expected.sort_unstable();
        assert_eq!(agents, expected);
    }

    #[test]
    fn the_default_file_describes_every_key() {
        let described = described();
        let keys: Vec<&str> = described.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, KEYS.map(|key| key.name));
        for DescribedSetting { key, about, .. } in &described {
            assert!(about.ends_with(['.', ':']), "{key}: {about}");
        }
        let of = |name: &str| described.iter().find(|it| it.key == name).unwrap();
        let shown = ["enabled", "paths.deny", "taint.secret_tags"].map(|name| {
            let DescribedSetting {
                key,
                default,
                about,
            } = of(name);
            format!("{key} = {default}: {about}\n")
        });
        insta::assert_snapshot!(shown.concat(), @r"
        enabled = false: Whether agents may make calls.
        paths.deny = []: Paths that are closed to agents, as globs, even if `read` and `write` list them.
        taint.secret_tags = []: Tags, without `#`, of notes that a restricted agent cannot read.
        ");
    }

    #[test]
    fn mistyped_keys_lead_to_the_right_one() {
        for [wanted, meant] in tables::section(CASES, "mistyped keys lead to the right one") {
            assert_eq!(nearest(&path(wanted)).as_deref(), Some(meant), "{wanted}");
        }
        assert_eq!(nearest(&path("colour")), None);
    }

    #[test]
    fn every_table_names_keys_that_can_be_set() {
        for table in "audit http paths journal agents.helper agents.helper.paths".split(' ') {
            let keys = of_table(&path(table));
            assert!(!keys.is_empty(), "{table}");
            for key in keys {
                assert!(
                    key.starts_with(&format!("{table}.")) && find(&path(&key)).is_some(),
                    "{key}"
                );
            }
        }
        assert!(of_table(&path("agents")).contains(&"agents.NAME.paths.read".to_owned()));
    }

    #[test]
    fn agents_have_policy_keys_only() {
        assert!(find(&path("agents.helper.paths.read")).is_some());
        assert!(find(&path("agents.helper.timeout_ms")).is_none());
        assert!(is_for_everyone_only(&path("agents.helper.timeout_ms")));
        assert!(is_table(&path("agents.helper.paths")) && is_table(&path("paths")));
        assert!(is_table(&path("journal")) && !is_table(&path("agents.helper.journal")));
        assert!(is_for_everyone_only(&path(
            "agents.helper.journal.max_bytes"
        )));
        assert!(!is_table(&path("agents.helper.tier")) && !is_table(&path("path")));
    }
}
