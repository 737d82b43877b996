//! Key and value rows about one thing.

use std::str::FromStr;

use vault_answers::{Answer, FileInfo, FolderInfo, PluginInfo, VaultInfo, Version, WordCount};
use vault_files::Args;

use crate::app_form::{AppForm, Printed};
use crate::text::body::{Body, whole};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;

pub(crate) static FILE_INFO: AppForm = AppForm::new::<FileInfo>("file-info", parse_file);
pub(crate) static FOLDER_INFO: AppForm = AppForm::new::<FolderInfo>("folder-info", parse_folder);
pub(crate) static VAULT_INFO: AppForm = AppForm::new::<VaultInfo>("vault-info", parse_vault);
pub(crate) static PLUGIN_INFO: AppForm = AppForm::new::<PluginInfo>("plugin-info", parse_plugin);
pub(crate) static WORD_COUNT: AppForm = AppForm::new::<WordCount>("word-count", parse_word_count);
pub(crate) static VERSION: AppForm = AppForm::new::<Version>("version", parse_version);

/// The rows of an output: the first of a key counts, and rows of unknown keys are passed over, for
/// a later version may have more.
struct FactRows<'a> {
    body: Body<'a>,
    rows: Vec<(usize, &'a str, &'a str)>,
}

impl<'a> FactRows<'a> {
    fn from_body(body: Body<'a>, separator: &str, pattern: &'static str) -> Result<Self, Fault> {
        let row = |(number, line): (usize, &'a str)| match line.split_once(separator) {
            Some((key, value)) => Ok((number, key, value)),
            None => Err(Fault::at_line(number, Reason::Pattern { pattern })),
        };
        let rows = body.lines().map(row).collect::<Result<_, _>>()?;
        Ok(Self { body, rows })
    }

    fn tsv(body: Body<'a>) -> Result<Self, Fault> {
        Self::from_body(body, "\t", "key, tab, value")
    }

    fn find(&self, key: &str) -> Option<(usize, &'a str)> {
        self.rows
            .iter()
            .find(|row| row.1 == key)
            .map(|row| (row.0, row.2))
    }

    fn get(&self, key: &'static str) -> Result<(usize, &'a str), Fault> {
        let line = self.body.first + self.rows.len();
        self.find(key)
            .ok_or_else(|| Fault::at_line(line, Reason::MissingRow { key }))
    }

    fn text(&self, key: &'static str) -> Result<String, Fault> {
        self.get(key).map(|(_, value)| value.to_owned())
    }

    fn number<N: FromStr>(&self, key: &'static str) -> Result<N, Fault> {
        let (line, value) = self.get(key)?;
        whole(value).map_err(|reason| Fault::at_line(line, reason))
    }
}

fn rows(rows: &[(&str, Option<String>)]) -> String {
    let line = |(key, value): &(&str, Option<String>)| {
        value.as_ref().map(|value| format!("{key}\t{value}"))
    };
    rows.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// All rows, or the bare value of the row that is `asked` for.
fn rows_or_one<const ROWS: usize>(
    all: [(&str, Option<String>); ROWS],
    wanted: Option<&str>,
) -> String {
    let Some(wanted) = wanted else {
        return rows(&all);
    };
    let one = all.into_iter().find(|(key, _)| *key == wanted);
    one.and_then(|(_, value)| value).unwrap_or_default()
}

/// The text of a value for its row; `None` without a value.
fn to_text(value: Option<&impl ToString>) -> Option<String> {
    value.map(ToString::to_string)
}

/// Parses the six rows about a file.
fn parse_file(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let rows = FactRows::tsv(body)?;
    Ok(Answer::from(FileInfo {
        path: rows.text("path")?,
        name: rows.text("name")?,
        extension: rows.text("extension")?,
        size: rows.number("size")?,
        created: rows.number("created")?,
        modified: rows.number("modified")?,
    }))
}

/// The one fact that `info=` asks for; an unknown one is taken for none.
fn fact<'a>(arguments: &'a Args, known: &[&str]) -> Option<&'a str> {
    arguments.param("info").filter(|fact| known.contains(fact))
}

const FOLDER_FACTS: &[&str] = &["files", "folders", "size"];

/// Reads four rows, or one number.
fn parse_folder(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let mut info = FolderInfo::default();
    match fact(arguments, FOLDER_FACTS) {
        Some("files") => info.files = Some(bare(body)?),
        Some("folders") => info.folders = Some(bare(body)?),
        Some("size") => info.size = Some(bare(body)?),
        _ => {
            let rows = FactRows::tsv(body)?;
            info = FolderInfo {
                path: Some(rows.text("path")?),
                files: Some(rows.number("files")?),
                folders: Some(rows.number("folders")?),
                size: Some(rows.number("size")?),
            };
        }
    }
    Ok(Answer::from(info))
}

fn bare<N: FromStr>(body: Body<'_>) -> Result<N, Fault> {
    whole(body.only_line()?).map_err(|reason| body.fault(reason))
}

const VAULT_FACTS: &[&str] = &["name", "path", "files", "folders", "size"];

/// Reads five rows, or one value.
fn parse_vault(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let mut info = VaultInfo::default();
    match fact(arguments, VAULT_FACTS) {
        Some("name") => info.name = Some(body.only_line()?.to_owned()),
        Some("path") => info.path = Some(body.only_line()?.to_owned()),
        Some("files") => info.files = Some(bare(body)?),
        Some("folders") => info.folders = Some(bare(body)?),
        Some("size") => info.size = Some(bare(body)?),
        _ => {
            let rows = FactRows::tsv(body)?;
            info = VaultInfo {
                name: Some(rows.text("name")?),
                path: Some(rows.text("path")?),
                files: Some(rows.number("files")?),
                folders: Some(rows.number("folders")?),
                size: Some(rows.number("size")?),
            };
        }
    }
    Ok(Answer::from(info))
}

/// Reads up to six rows.
fn parse_plugin(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let rows = FactRows::tsv(body)?;
    let optional = |key| rows.find(key).map(|(_, value)| value.to_owned());
    let (line, enabled) = rows.get("enabled")?;
    let enabled = enabled.parse().map_err(|_| {
        Fault::at_line(
            line,
            Reason::Pattern {
                pattern: "true or false",
            },
        )
    })?;
    Ok(Answer::from(PluginInfo {
        kind: rows.text("type")?,
        name: rows.text("name")?,
        version: optional("version"),
        author: optional("author"),
        enabled,
        description: optional("description"),
    }))
}

/// Reads both counts, or the requested one.
fn parse_word_count(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    Ok(Answer::from(match count_argument(arguments) {
        Some("words") => WordCount {
            words: Some(bare(body)?),
            characters: None,
        },
        Some(_) => WordCount {
            words: None,
            characters: Some(bare(body)?),
        },
        None => {
            let rows = FactRows::from_body(body, ":", "words: 2")?;
            let words = Some(rows.number("words")?);
            WordCount {
                words,
                characters: Some(rows.number("characters")?),
            }
        }
    }))
}

/// Returns the switch that prints one count alone; the output of both switches together is not recorded.
fn count_argument(arguments: &Args) -> Option<&'static str> {
    ["words", "characters"]
        .into_iter()
        .find(|flag| on(arguments, flag))
}

/// Parses the versions of the app and of its installer.
fn parse_version(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let line = body.only_line()?.trim();
    let parts = line
        .strip_suffix(')')
        .and_then(|line| line.split_once(" (installer "));
    let is_version = |text: &str| {
        text.split('.').count() == 3
            && text
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match parts {
        Some((version, installer)) if is_version(version) && !installer.is_empty() => {
            let (version, installer) = (version.to_owned(), installer.to_owned());
            Ok(Answer::from(Version { version, installer }))
        }
        _ => Err(body.fault(Reason::Pattern {
            pattern: "1.12.7 (installer 1.12.7)",
        })),
    }
}

impl Printed for FileInfo {
    /// Six rows; `format=` is ignored (`official-cli.md` §5.1).
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        rows(&[
            ("path", Some(self.path.clone())),
            ("name", Some(self.name.clone())),
            ("extension", Some(self.extension.clone())),
            ("size", Some(self.size.to_string())),
            ("created", Some(self.created.to_string())),
            ("modified", Some(self.modified.to_string())),
        ])
    }
}

impl Printed for FolderInfo {
    /// Four rows, or the bare number of `info=`.
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        let all = [
            ("path", self.path.clone()),
            ("files", to_text(self.files.as_ref())),
            ("folders", to_text(self.folders.as_ref())),
            ("size", to_text(self.size.as_ref())),
        ];
        rows_or_one(all, fact(arguments, FOLDER_FACTS))
    }

    /// Only what `info=` asks for.
    fn printed_form(self, arguments: &Args) -> Answer {
        let wanted = fact(arguments, FOLDER_FACTS);
        let keeps = |key| wanted.is_none_or(|wanted| wanted == key);
        Answer::from(FolderInfo {
            path: self.path.filter(|_| keeps("path")),
            files: self.files.filter(|_| keeps("files")),
            folders: self.folders.filter(|_| keeps("folders")),
            size: self.size.filter(|_| keeps("size")),
        })
    }
}

impl Printed for VaultInfo {
    /// Five rows, or the bare value of `info=`.
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        let all = [
            ("name", self.name.clone()),
            ("path", self.path.clone()),
            ("files", to_text(self.files.as_ref())),
            ("folders", to_text(self.folders.as_ref())),
            ("size", to_text(self.size.as_ref())),
        ];
        rows_or_one(all, fact(arguments, VAULT_FACTS))
    }

    /// Only what `info=` asks for.
    fn printed_form(self, arguments: &Args) -> Answer {
        let wanted = fact(arguments, VAULT_FACTS);
        let keeps = |key| wanted.is_none_or(|wanted| wanted == key);
        Answer::from(VaultInfo {
            name: self.name.filter(|_| keeps("name")),
            path: self.path.filter(|_| keeps("path")),
            files: self.files.filter(|_| keeps("files")),
            folders: self.folders.filter(|_| keeps("folders")),
            size: self.size.filter(|_| keeps("size")),
        })
    }
}

impl Printed for PluginInfo {
    /// Up to six rows (`official-cli.md` §5.3, `plugin id=`).
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        rows(&[
            ("type", Some(self.kind.clone())),
            ("name", Some(self.name.clone())),
            ("version", self.version.clone()),
            ("author", self.author.clone()),
            ("enabled", Some(self.enabled.to_string())),
            ("description", self.description.clone()),
        ])
    }
}

impl Printed for WordCount {
    /// `words: 2` and `characters: 11`, or one bare number.
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        let WordCount { words, characters } = self;
        match count_argument(arguments) {
            Some("words") => to_text(words.as_ref()).unwrap_or_default(),
            Some(_) => to_text(characters.as_ref()).unwrap_or_default(),
            None => {
                let words = words.map(|words| format!("words: {words}"));
                let characters = characters.map(|characters| format!("characters: {characters}"));
                words
                    .into_iter()
                    .chain(characters)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
        }
    }

    /// Only the count asked for.
    fn printed_form(self, arguments: &Args) -> Answer {
        Answer::from(match count_argument(arguments) {
            Some("words") => WordCount {
                characters: None,
                ..self
            },
            Some(_) => WordCount {
                words: None,
                ..self
            },
            None => self,
        })
    }
}

impl Printed for Version {
    /// Both versions, as in `1.12.7 (installer 1.12.7)`.
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        format!("{} (installer {})", self.version, self.installer)
    }
}
