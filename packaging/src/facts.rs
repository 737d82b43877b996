//! What a package says of the program. `cargo xtask dist` writes it from the metadata of Cargo and the
//! catalogue, so that no package has words of its own.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::Fault;
use crate::files::Entry;
use crate::system::System;

/// The file of the facts in the folder of the parts.
const FILE: &str = "facts.json";

/// What a package says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
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
    pub(crate) targets: Vec<String>,
    /// The tools that an agent has, each with its name and description, with the settings of a new user.
    pub(crate) tools: Vec<serde_json::Value>,
    /// The folder that this was read from.
    #[serde(skip)]
    folder: PathBuf,
}

impl Facts {
    /// Reads the facts of a folder of parts.
    pub(crate) fn open(parts: &Path) -> Result<Self, Fault> {
        let text = fs_err::read_to_string(parts.join(FILE))?;
        let facts: Self = serde_json::from_str(&text)?;
        Ok(Self {
            folder: parts.to_owned(),
            ..facts
        })
    }

    /// The systems that the program was built for.
    pub(crate) fn systems(&self) -> Result<Vec<&'static System>, Fault> {
        self.targets.iter().map(|it| System::of(it)).collect()
    }

    /// The program for a system.
    pub(crate) fn program(&self, system: &System) -> Result<Vec<u8>, Fault> {
        let file = self.folder.join("bin").join(system.triple);
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

    /// A part, as a file that a package holds at `path`.
    pub(crate) fn entry(&self, part: &str, path: &str) -> Result<Entry, Fault> {
        Ok(Entry::file(path, self.part(part)?))
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
        format!("{}-{}-{}", self.name, self.version, system.triple)
    }

    /// A text with what the facts say in its places, such as `@NAME@`.
    pub(crate) fn filled(&self, text: &str) -> String {
        let repository = self.repository.as_deref().unwrap_or_default();
        text.replace("@NAME@", &self.name)
            .replace("@VERSION@", &self.version)
            .replace("@DESCRIPTION@", &self.description)
            .replace("@LICENSE@", &self.license)
            .replace("@MAINTAINER@", &self.maintainer)
            .replace("@REPOSITORY@", repository)
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

    /// Name and address of the maintainer.
    pub(crate) fn maintainer_parts(&self) -> Result<(&str, &str), Fault> {
        let parts = self.maintainer.strip_suffix('>');
        let parts = parts.and_then(|text| text.split_once(" <"));
        parts.ok_or_else(|| format!("`{}` is not `Name <address>`", self.maintainer).into())
    }

    /// Where a file of the release will be, if the repository is known.
    pub(crate) fn download(&self, file: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        let version = &self.version;
        Some(format!("{repository}/releases/download/v{version}/{file}"))
    }

    /// The name of the server in the MCP registry, which proves the owner by GitHub.
    pub(crate) fn server_name(&self) -> Option<String> {
        let path = self
            .repository
            .as_ref()?
            .strip_prefix("https://github.com/")?;
        let (owner, _) = path.split_once('/')?;
        Some(format!("io.github.{owner}/{}", self.name))
    }
}
