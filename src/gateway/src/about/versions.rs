//! The installed versions, as far as files show them. Starts no process.

use std::ffi::OsStr;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::About;
use crate::list_places;
use protocol::Release;
use sandbox::Environment;

/// The installed versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Versions {
    /// This program.
    pub vault_gw: &'static str,
    /// The newest update of the app that lies in its own folder; none where there is none, since
    /// only the running app knows its version then.
    pub app: Option<String>,
    /// The official command line.
    pub cli: CliFacts,
}

/// The official command line. Its version is the installer's, which only the running app reports
/// (`official-cli.md` §5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliFacts {
    /// Whether it was found and may be run.
    pub found: bool,
    /// The kind of program: `cli`, `app` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The reason why it is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl About<'_> {
    /// Collects the installed versions. Starts no process.
    pub(super) fn versions(&self) -> Versions {
        let binary = self.backends.obsidian.binary();
        let kind = binary.as_ref().ok().map(|binary| json!(binary.kind));
        let cli = CliFacts {
            found: binary.is_ok(),
            kind: kind.and_then(|kind| kind.as_str().map(str::to_owned)),
            why: binary.err().map(|failure| failure.to_string()),
        };
        Versions {
            vault_gw: env!("CARGO_PKG_VERSION"),
            app: newest_update(&self.caller.environment).map(|release| release.to_string()),
            cli,
        }
    }
}

/// The newest update of the app. The app stores updates as `obsidian-1.12.7.asar` next to its
/// `obsidian.json`, and loads the newest one.
fn newest_update(environment: &Environment) -> Option<Release> {
    list_places(environment)
        .iter()
        .filter_map(|registry| registry.parent())
        .find_map(newest_in)
}

fn newest_in(folder: &Path) -> Option<Release> {
    let entries = fs_err::read_dir(folder).ok()?;
    entries
        .flatten()
        .filter_map(|entry| parse_release(&entry.file_name()))
        .max()
}

fn parse_release(name: &OsStr) -> Option<Release> {
    let version = name.to_str()?.strip_prefix("obsidian-")?;
    Release::parse(version.strip_suffix(".asar")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("versions_cases.txt");

    #[test]
    fn the_newest_update_is_found_by_number_and_not_by_letter() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest_in(folder.path()), None);
        for name in tables::lines(CASES, "the newest update is found by number") {
            fs_err::write(folder.path().join(name), "").unwrap();
        }
        let newest = newest_in(folder.path()).unwrap();
        assert_eq!(newest.to_string(), "1.12.7");
        assert_eq!(newest_in(&folder.path().join("none")), None);
    }
}
