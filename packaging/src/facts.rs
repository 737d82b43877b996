//! What a package says of the program. `cargo xtask dist` writes it from the metadata of Cargo and the
//! catalogue, so that no package has words of its own.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Fault;
use crate::files::Entry;
use crate::system::System;

/// The file of the facts in the folder of the parts.
const FILE: &str = "facts.json";

/// What a package says.
#[derive(Debug, Deserialize)]
pub(crate) struct Facts {
    /// Name of the package and of the program.
    pub(crate) name: String,
    /// Version, as Cargo has it.
    pub(crate) version: String,
    /// One sentence.
    pub(crate) description: String,
    /// One paragraph.
    pub(crate) about: String,
    /// SPDX expression.
    pub(crate) license: String,
    /// Words for registries.
    pub(crate) keywords: Vec<String>,
    /// Where the sources are, such as `https://github.com/OWNER/NAME`, if that is known.
    pub(crate) repository: Option<String>,
    /// `Name <address>`.
    pub(crate) maintainer: String,
    /// The time of everything in a package, in seconds since 1970: that of the commit.
    pub(crate) epoch: u32,
    /// The systems that the program was built for.
    pub(crate) targets: Vec<System>,
    /// The folder that this was read from.
    #[serde(skip)]
    folder: PathBuf,
    /// All of it, and the tools that an agent has with the settings of a new user, by the names of places in texts.
    #[serde(skip)]
    places: Places,
}

/// What places in texts stand for, such as `@NAME@`; null for what is not known.
type Places = Map<String, Value>;

impl Facts {
    /// Reads the facts of a folder of parts.
    pub(crate) fn open(parts: &Path) -> Result<Self, Fault> {
        Self::parse(&fs_err::read_to_string(parts.join(FILE))?, parts)
    }

    /// Reads the facts of the folder `parts` from the text of their file.
    pub(crate) fn parse(text: &str, parts: &Path) -> Result<Self, Fault> {
        let mut facts: Self = serde_json::from_str(text)?;
        let known: Places = serde_json::from_str(text)?;
        let maintainer = facts.maintainer.strip_suffix('>');
        let (author, address) = maintainer
            .and_then(|text| text.split_once(" <"))
            .ok_or_else(|| format!("`{}` is not `Name <address>`", facts.maintainer))?;
        let more = json!({
            "author": author,
            "address": address,
            "synopsis": facts.synopsis(),
            "server": facts.server_name(),
        });
        facts.places = with(known, more);
        facts.folder = parts.into();
        Ok(facts)
    }

    /// The program for a system.
    pub(crate) fn program(&self, system: &System) -> Result<Vec<u8>, Fault> {
        let file = self.folder.join("bin").join(&system.triple);
        Ok(fs_err::read(file.join(self.program_name(system)))?)
    }

    /// The file name of the program on a system.
    pub(crate) fn program_name(&self, system: &System) -> String {
        format!("{}{}", self.name, system.suffix())
    }

    /// A part that is the same for every system, by its path in the folder `share`.
    pub(crate) fn part(&self, path: &str) -> Result<Vec<u8>, Fault> {
        Ok(fs_err::read(self.folder.join("share").join(path))?)
    }

    /// A part that is the same for every system, as text.
    pub(crate) fn text(&self, path: &str) -> Result<String, Fault> {
        Ok(String::from_utf8(self.part(path)?)?)
    }

    /// Parts, as files that a package holds in a folder.
    pub(crate) fn entries(&self, parts: &[&str], folder: &str) -> Result<Vec<Entry>, Fault> {
        let entry = |part: &&str| Ok(Entry::file(format!("{folder}{part}"), self.part(part)?));
        parts.iter().map(entry).collect()
    }

    /// The parts in `share/completions`, by file name.
    pub(crate) fn completions(&self) -> Result<Vec<String>, Fault> {
        let mut names = Vec::new();
        for entry in fs_err::read_dir(self.folder.join("share/completions"))? {
            let name = entry?.file_name().into_string();
            names.push(name.map_err(|name| format!("{} is not Unicode", name.display()))?);
        }
        names.sort_unstable();
        Ok(names)
    }

    /// What `cargo metadata` says for a system.
    pub(crate) fn cargo_metadata(
        &self,
        system: &System,
    ) -> Result<cargo_metadata::Metadata, Fault> {
        let file = format!("metadata/{}.json", system.triple);
        let text = fs_err::read_to_string(self.folder.join(file))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The name of a package for a system, without its extension.
    pub(crate) fn stem(&self, system: &System) -> String {
        self.stem_of(&self.version, system)
    }

    /// The same name for another version.
    pub(crate) fn stem_of(&self, version: &str, system: &System) -> String {
        format!("{}-{version}-{}", self.name, system.triple)
    }

    /// A text with its places filled by the facts and by `more`, without the lines that have what is not known. A place
    /// that neither fills is an error, unless it says that it may be absent: `@NAME?@`.
    pub(crate) fn filled(&self, text: &str, more: Value) -> Result<String, Fault> {
        let places = with(self.places.clone(), more);
        let lines = text.split_inclusive('\n');
        lines
            .filter_map(|line| filled(line, &places).transpose())
            .collect()
    }

    /// JSON with its places filled in the same way. A text that is one place may become any value.
    pub(crate) fn filled_json(&self, text: &str, more: Value) -> Result<Value, Fault> {
        let mut json = serde_json::from_str(text)?;
        fill(&mut json, &with(self.places.clone(), more))?;
        Ok(json)
    }

    /// The time of everything in a package.
    pub(crate) fn time(&self) -> Result<jiff::Zoned, Fault> {
        let time = Timestamp::from_second(i64::from(self.epoch))?;
        Ok(time.to_zoned(TimeZone::UTC))
    }

    /// The description in the form that Debian, RPM and Homebrew want: without article and full stop.
    pub(crate) fn synopsis(&self) -> &str {
        let text = self.description.trim_end_matches('.');
        text.strip_prefix("The ").unwrap_or(text)
    }

    /// Where a file of the release will be, if the repository is known.
    pub(crate) fn download(&self, file: &str) -> Option<String> {
        self.download_of(&self.version, file)
    }

    /// The same address for another version.
    pub(crate) fn download_of(&self, version: &str, file: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        Some(format!("{repository}/releases/download/v{version}/{file}"))
    }

    /// The account on GitHub that owns the repository, if it is there.
    pub(crate) fn owner(&self) -> Option<&str> {
        let repository = self.repository.as_ref()?;
        let path = repository.strip_prefix("https://github.com/")?;
        Some(path.split_once('/')?.0)
    }

    /// The name of the server in the MCP registry, which proves the owner by GitHub.
    pub(crate) fn server_name(&self) -> Option<String> {
        Some(format!("io.github.{}/{}", self.owner()?, self.name))
    }
}

fn with(mut places: Places, more: Value) -> Places {
    if let Value::Object(more) = more {
        places.extend(more);
    }
    places
}

/// What a place stands for.
fn value<'facts>(place: &str, places: &'facts Places) -> Result<&'facts Value, Fault> {
    let name = place.trim_end_matches('?');
    let absent = (name != place).then_some(&Value::Null);
    let value = places.get(&name.to_lowercase()).or(absent);
    value.ok_or_else(|| format!("no fact fills `@{place}@`").into())
}

fn filled(text: &str, places: &Places) -> Result<Option<String>, Fault> {
    let mut filled = String::new();
    for (index, part) in text.split('@').enumerate() {
        if index % 2 == 0 {
            filled += part;
            continue;
        }
        match value(part, places)? {
            Value::Null => return Ok(None),
            Value::String(value) => filled += value,
            value => filled += &value.to_string(),
        }
    }
    Ok(Some(filled))
}

fn fill(json: &mut Value, places: &Places) -> Result<(), Fault> {
    match json {
        Value::String(text) => {
            let place = text
                .strip_prefix('@')
                .and_then(|text| text.strip_suffix('@'));
            *json = match place.filter(|place| !place.contains('@')) {
                Some(place) => value(place, places)?.clone(),
                None => filled(text, places)?.into(),
            };
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, places))?,
        Value::Object(items) => {
            items.values_mut().try_for_each(|item| fill(item, places))?;
            items.retain(|_, item| !item.is_null());
        }
        _ => {}
    }
    Ok(())
}

/// The facts of a release for Windows and Linux, for tests of what packages say.
#[cfg(test)]
pub(crate) fn sample() -> Facts {
    let facts = json!({
        "name": "vault-gw",
        "version": "0.1.0",
        "description": "Says \"yes\": or no.",
        "about": "One paragraph: with a colon # and a hash.",
        "license": "MIT OR Apache-2.0",
        "keywords": ["obsidian", "cli"],
        "repository": "https://github.com/owner/vault-gw",
        "maintainer": "The authors <authors@example.com>",
        "epoch": 1_800_000_000,
        "targets": ["x86_64-unknown-linux-musl", "x86_64-pc-windows-gnu"],
    });
    Facts::parse(&facts.to_string(), Path::new("parts")).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_filled_is_not_known_or_is_an_error() {
        let places = with(
            Places::new(),
            json!({"name": "n", "count": 2, "unknown": null}),
        );
        assert_eq!(
            filled("a @NAME@ @COUNT@", &places).unwrap().unwrap(),
            "a n 2"
        );
        assert_eq!(filled("@UNKNOWN@", &places).unwrap(), None);
        assert_eq!(filled("@MISSING?@", &places).unwrap(), None);
        assert!(filled("@MISSING@", &places).is_err());
        let mut object = json!({"one": "@NAME@", "two": "@MISSING?@"});
        fill(&mut object, &places).unwrap();
        assert_eq!(object, json!({"one": "n"}));
        assert!(fill(&mut json!(["@MISSING@"]), &places).is_err());
    }
}
