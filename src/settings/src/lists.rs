//! The owner's lists in files of their own, next to the settings file (`design/catalogue.md`).

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::load::{MAX_FILE_BYTES, display_name, read_text};
use super::model::Settings;
use crate::error::Error;
use allowlist::{OwnList, shown};
use protocol::{Code, Failure, checked_text};
use sandbox::{Unsafe, private_dir};

/// The maximum number of bytes of the name of a list.
const MAX_NAME_BYTES: usize = 128;

/// The name of a file next to the settings file that contains an owner's list: without folders,
/// ending with `.toml`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ListName(String);

checked_text!(ListName, &'static str);

/// The bytes of a settings file and of the lists that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsFiles {
    settings: Vec<u8>,
    lists: Vec<(ListName, Vec<u8>)>,
}

impl ListName {
    /// Checks the name of a list.
    ///
    /// # Errors
    ///
    /// If it is not a plain file name that ends with `.toml`, or is too long.
    pub fn new(name: &str) -> Result<Self, &'static str> {
        let is_plain =
            !name.contains(['/', '\\', ':']) && vault_engine::forbidden_in_id(name).is_none();
        if name.starts_with('.')
            || Path::new(name).extension() != Some(OsStr::new("toml"))
            || !is_plain
            || name.len() > MAX_NAME_BYTES
        {
            return Err("a list is the name of a `.toml` file next to the settings file");
        }
        Ok(Self(name.to_owned()))
    }
}

impl SettingsFiles {
    /// Reads a settings file and the lists that it names.
    ///
    /// # Errors
    ///
    /// As [`Settings::load`], except for mistakes in the content of the settings.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let settings = Settings::read_file(path)?;
        // The parser of the settings reports a mistake in them, so the lists do not matter then.
        let names = read_text(&settings, &display_name(path)).map(|settings| settings.list_names());
        let lists = names.unwrap_or_default().into_iter();
        let lists = lists.map(|name| Ok((name.clone(), read_list(path, &name)?)));
        Ok(Self {
            lists: lists.collect::<Result<_, Failure>>()?,
            settings,
        })
    }
}

impl Settings {
    /// Parses the bytes of these files; `path` is the path of the settings file.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` with the file and the line of the first mistake.
    pub fn from_files(path: &Path, files: &SettingsFiles) -> Result<Self, Failure> {
        Self::from_bytes(path, &files.settings, |name| {
            let found = files.lists.iter().find(|(known, _)| known == name);
            found
                .map(|(_, bytes)| bytes.clone())
                .ok_or_else(|| not_read(name))
        })
    }

    /// Parses the bytes of a settings file, and the lists that it names, which `read` reads.
    fn from_bytes(
        path: &Path,
        bytes: &[u8],
        read: impl Fn(&ListName) -> Result<Vec<u8>, Failure>,
    ) -> Result<Self, Failure> {
        let mut settings = Self {
            file: Some(path.to_owned()),
            ..read_text(bytes, &display_name(path))?
        };
        for name in settings.list_names() {
            let list = parse_list(name.as_str(), &read(&name)?)?;
            settings.lists.insert(name, Arc::new(list));
        }
        Ok(settings)
    }

    /// Parses the bytes of the settings file at `path`, and the lists next to it that it names.
    pub(super) fn with_lists(path: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        Self::from_bytes(path, bytes, |name| read_list(path, name))
    }

    /// Returns the files of the lists that the settings name.
    pub fn list_files(&self) -> Vec<PathBuf> {
        let names = self.list_names().into_iter();
        let folder = self.file.as_deref().and_then(Path::parent);
        names
            .filter_map(|name| Some(folder?.join(name.as_str())))
            .collect()
    }

    fn list_names(&self) -> BTreeSet<ListName> {
        let of_agents = self.agents.values().map(|agent| &agent.allowlist);
        let named = std::iter::once(&self.allowlist).chain(of_agents);
        named.flatten().cloned().collect()
    }

    /// Returns the list that a key names.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if these settings were parsed without their lists.
    pub(super) fn list(&self, name: Option<&ListName>) -> Result<Option<Arc<OwnList>>, Failure> {
        let found = name.map(|name| self.lists.get(name).cloned().ok_or_else(|| not_read(name)));
        found.transpose()
    }
}

/// Reads a list next to a settings file.
fn read_list(settings: &Path, name: &ListName) -> Result<Vec<u8>, Failure> {
    let file = settings.with_file_name(name.as_str());
    private_dir::read(&file, MAX_FILE_BYTES).map_err(|reason| match reason {
        // `CONFIG_MISSING` would mean that the settings file is missing, and the defaults allow more.
        Unsafe::Missing => Error::NoList(shown(name.as_str())).into(),
        reason => {
            let code = match reason {
                Unsafe::Io(_) => Code::IoError,
                _ => Code::ConfigInvalid,
            };
            Failure::from(Error::UnusableList(shown(name.as_str()), reason)).with_code(code)
        }
    })
}

/// Parses the bytes of a list. `name` is the name of its file in messages.
///
/// # Errors
///
/// `CONFIG_INVALID` with the line of the first mistake.
pub fn parse_list(name: &str, bytes: &[u8]) -> Result<OwnList, Failure> {
    let name = shown(name);
    let invalid = |line, what| Error::MistakeInList(name.clone(), line, what);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = super::line_of(bytes, error.valid_up_to());
        invalid(line, "This line is not UTF-8 text.".to_owned())
    })?;
    Ok(OwnList::parse(text).map_err(|mistake| invalid(mistake.line, mistake.what))?)
}

fn not_read(name: &ListName) -> Failure {
    Error::ListNotRead(shown(name.as_str())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use allowlist::Catalogue;
    use protocol::Caller;

    fn settings(text: &str, list: Option<&str>) -> Result<Settings, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs_err::write(&path, text).unwrap();
        if let Some(list) = list {
            fs_err::write(folder.path().join("mine.toml"), list).unwrap();
        }
        let loaded = Settings::load_or_default(&path);
        // A confined server gets the bytes from another process.
        let sent = SettingsFiles::read(&path).and_then(|files| Settings::from_files(&path, &files));
        assert_eq!(loaded, sent);
        loaded
    }

    fn code_of(settings: &Settings, agent: Option<&str>, id: &str, words: &[&str]) -> Option<Code> {
        let policy = settings.policy(Caller::Agent, agent).unwrap();
        let call = Catalogue::builtin().unwrap().admit_words(id, words);
        policy
            .check(&call.unwrap())
            .failure()
            .map(|failure| failure.code)
    }

    #[test]
    fn a14_a_list_narrows_everyone_and_one_agent() {
        let list = r#"
            [[command]]
            id = "read"
            params = [{ name = "path" }]
            [[command]]
            id = "tags"
            params = [{ name = "format", choices = ["json"] }]
            flags = [{ name = "counts" }]
        "#;
        for (settings, agent) in [
            (settings("allowlist = \"mine.toml\"", Some(list)), None),
            (
                settings("[agents.x]\nallowlist = \"mine.toml\"", Some(list)),
                Some("x"),
            ),
        ] {
            let settings = settings.unwrap();
            let code = |id: &str, words: &[&str]| code_of(&settings, agent, id, words);
            for (id, words) in [
                ("read", &["path=a.md"][..]),
                ("tags", &[]),
                ("tags", &["format=json", "counts"]),
            ] {
                assert_eq!(code(id, words), None, "{id} {words:?}");
            }
            for (id, words) in [
                ("read", &["file=a"][..]),
                ("tags", &["format=tsv"]),
                ("tags", &["total"]),
                ("search", &["query=a"]),
            ] {
                assert_eq!(code(id, words), Some(Code::CommandDenied), "{id} {words:?}");
            }
            if agent.is_some() {
                assert_eq!(code_of(&settings, None, "search", &["query=a"]), None);
            }
        }
    }

    #[test]
    fn a14_what_two_lists_leave_is_what_both_leave() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs_err::write(
            &path,
            "allowlist = \"a.toml\"\n[agents.x]\nallowlist = \"b.toml\"",
        )
        .unwrap();
        let tags = |rest: &str| format!("[[command]]\nid = \"tags\"\n{rest}\n");
        let read = "[[command]]\nid = \"read\"\nparams = [{ name = \"path\" }]\n";
        let first = tags(
            "params = [{ name = \"format\", choices = [\"json\", \"tsv\"] }]\nflags = [{ name = \"counts\" }]",
        ) + read;
        let second = tags(
            "params = [{ name = \"format\", choices = [\"tsv\", \"csv\"] }]\nflags = [{ name = \"counts\" }, { name = \"total\" }]",
        );
        fs_err::write(folder.path().join("a.toml"), first).unwrap();
        fs_err::write(folder.path().join("b.toml"), second).unwrap();
        let settings = Settings::load(&path).unwrap();
        let policy = settings.policy(Caller::Agent, Some("x")).unwrap();
        let form = |id: &str| {
            let command = Catalogue::find_builtin(id).unwrap();
            policy.form_of(&command).map(|form| form.usage())
        };
        assert_eq!(form("tags").unwrap(), "tags [format=tsv] [counts]");
        assert_eq!(form("read"), None);
    }

    #[test]
    fn a14_a_list_that_cannot_be_read_is_never_no_list() {
        let named = "allowlist = \"mine.toml\"";
        let list = "[[command]]\nid = \"raed\"";
        for (text, list, message) in [
            (
                named,
                None,
                "The setting `allowlist` names the file `mine.toml`, which does not exist. Create the file in the folder of the settings file. `vault-gw allowlist show` prints an example with all commands.",
            ),
            (
                named,
                Some(list),
                "mine.toml, line 2: There is no command `raed`. Did you mean `read`?",
            ),
            (
                named,
                Some("command = 1"),
                "mine.toml, line 1: Invalid allowlist: invalid type: integer `1`, expected a sequence.",
            ),
            (
                "allowlist = \"../mine.toml\"",
                None,
                "settings.toml, line 1: `allowlist` cannot be this value. The setting takes the name of a file next to the settings file such as \"my-list.toml\", in quotes.",
            ),
            (
                "allowlist = \"mine\"",
                None,
                "settings.toml, line 1: `allowlist` cannot be `\"mine\"`. The setting takes the name of a file next to the settings file such as \"my-list.toml\", in quotes.",
            ),
        ] {
            let failure = settings(text, list).unwrap_err();
            assert_eq!(
                (failure.code, failure.to_string().as_str()),
                (Code::ConfigInvalid, message)
            );
        }
        // An empty list leaves nothing, and settings parsed without their list open nothing.
        let empty = settings(named, Some("")).unwrap();
        assert_eq!(
            code_of(&empty, None, "vault", &[]),
            Some(Code::CommandDenied)
        );
        let unread = Settings::parse("settings.toml", named).unwrap();
        assert_eq!(
            unread.policy(Caller::Person, None).unwrap_err().code,
            Code::ConfigInvalid
        );
    }
}
