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

const TSV: &str = "key, tab, value";

/// The rows of an output: the first of a key counts, and rows of unknown keys are passed over, for
/// a later version may have more.
struct FactRows<'a> {
    body: Body<'a>,
    rows: Vec<(usize, &'a str, &'a str)>,
    /// The only fact that the output has, without its key.
    wanted: Option<&'a str>,
}

impl<'a> FactRows<'a> {
    /// Reads the rows; only the value of the row `wanted` without its key, if there is one.
    fn from_body(
        body: Body<'a>,
        wanted: Option<&'a str>,
        separator: &str,
        pattern: &'static str,
    ) -> Result<Self, Fault> {
        let row = |(number, line): (usize, &'a str)| match line.split_once(separator) {
            Some((key, value)) => Ok((number, key, value)),
            None => Err(Fault::at_line(number, Reason::Pattern(pattern))),
        };
        let rows = match wanted {
            Some(wanted) => vec![(body.first, wanted, body.only_line()?)],
            None => body.lines().map(row).collect::<Result<_, _>>()?,
        };
        Ok(Self { body, rows, wanted })
    }

    fn tsv(body: Body<'a>) -> Result<Self, Fault> {
        Self::from_body(body, None, "\t", TSV)
    }

    /// Reads a fact; `None` if the output has only another one.
    fn shown<T>(
        &self,
        key: &'static str,
        read: impl Fn(&Self, &'static str) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let is_shown = shows(self.wanted);
        is_shown(key).then(|| read(self, key)).transpose()
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

/// Whether an output with only the fact `wanted`, or else with all facts, has this one.
fn shows(wanted: Option<&str>) -> impl Fn(&str) -> bool {
    move |key| wanted.is_none_or(|wanted| wanted == key)
}

/// All rows, or the bare value of the row `wanted`.
fn rows(all: &[(&str, Option<String>)], wanted: Option<&str>, separator: &str) -> String {
    let rows = all.iter().filter_map(|(key, value)| match wanted {
        None => Some(format!("{key}{separator}{}", value.as_ref()?)),
        Some(wanted) => value.clone().filter(|_| *key == wanted),
    });
    rows.collect::<Vec<_>>().join("\n")
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

/// Reads up to six rows.
fn parse_plugin(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let rows = FactRows::tsv(body)?;
    let optional = |key| rows.find(key).map(|(_, value)| value.to_owned());
    let (line, enabled) = rows.get("enabled")?;
    let enabled = enabled
        .parse()
        .map_err(|_| Fault::at_line(line, Reason::Pattern("true or false")))?;
    Ok(Answer::from(PluginInfo {
        kind: rows.text("type")?,
        name: rows.text("name")?,
        version: optional("version"),
        author: optional("author"),
        enabled,
        description: optional("description"),
    }))
}

/// Returns the switch that prints one count alone; the output of both switches together is not recorded.
fn count_argument(arguments: &Args) -> Option<&'static str> {
    ["words", "characters"]
        .into_iter()
        .find(|flag| on(arguments, flag))
}

/// Declares how answers are read and printed of which a call may want one fact: a row for each fact, or the bare value
/// of the wanted one.
macro_rules! facts {
    ($($parse:ident => $info:ident { $($fact:ident: $read:ident),+ },
        wants |$arguments:ident| $wanted:expr, rows $pattern:expr, $read_at:literal $printed_at:literal;)+) => {$(
        fn $parse(body: Body<'_>, $arguments: &Args) -> Result<Answer, Fault> {
            let rows = FactRows::from_body(body, $wanted, $read_at, $pattern)?;
            Ok(Answer::from($info {
                $($fact: rows.shown(stringify!($fact), FactRows::$read)?,)+
            }))
        }

        impl Printed for $info {
            fn printed(&self, _form: &AppForm, $arguments: &Args) -> String {
                let all = [$((stringify!($fact), self.$fact.as_ref().map(ToString::to_string)),)+];
                rows(&all, $wanted, $printed_at)
            }

            /// Only the facts that the call wants.
            fn printed_form(self, $arguments: &Args) -> Answer {
                let keeps = shows($wanted);
                Answer::from($info { $($fact: self.$fact.filter(|_| keeps(stringify!($fact))),)+ })
            }
        }
    )+};
}

facts! {
    parse_folder => FolderInfo { path: text, files: number, folders: number, size: number },
        wants |arguments| fact(arguments, &["files", "folders", "size"]), rows TSV, "\t" "\t";
    parse_vault => VaultInfo { name: text, path: text, files: number, folders: number, size: number },
        wants |arguments| fact(arguments, &["name", "path", "files", "folders", "size"]), rows TSV, "\t" "\t";
    parse_word_count => WordCount { words: number, characters: number },
        wants |arguments| count_argument(arguments), rows "words: 2", ":" ": ";
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
        _ => Err(body.fault(Reason::Pattern("1.12.7 (installer 1.12.7)"))),
    }
}

impl Printed for FileInfo {
    /// Six rows; `format=` is ignored (`official-cli.md` §5.1).
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        let all = [
            ("path", Some(self.path.clone())),
            ("name", Some(self.name.clone())),
            ("extension", Some(self.extension.clone())),
            ("size", Some(self.size.to_string())),
            ("created", Some(self.created.to_string())),
            ("modified", Some(self.modified.to_string())),
        ];
        rows(&all, None, "\t")
    }
}

impl Printed for PluginInfo {
    /// Up to six rows (`official-cli.md` §5.3, `plugin id=`).
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        let all = [
            ("type", Some(self.kind.clone())),
            ("name", Some(self.name.clone())),
            ("version", self.version.clone()),
            ("author", self.author.clone()),
            ("enabled", Some(self.enabled.to_string())),
            ("description", self.description.clone()),
        ];
        rows(&all, None, "\t")
    }
}

impl Printed for Version {
    /// Both versions, as in `1.12.7 (installer 1.12.7)`.
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        format!("{} (installer {})", self.version, self.installer)
    }
}
