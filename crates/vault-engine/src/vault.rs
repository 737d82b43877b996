//! A vault: a folder of notes.

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Zoned;

use crate::contents::{Contents, Detail};
use crate::daily::DailyNotes;
use crate::disk::{Disk, Entry, Obstacle, changed_time, list};
use crate::error::EngineError;
use crate::index::{Index, Progress, Snapshot};
use crate::path::VaultPath;
use crate::registry::last_segment;
use crate::resolve::{Found, LinkIndex, Resolution, Rule};
use crate::warning::Warning;

/// Where the app keeps a vault's settings unless told otherwise.
const DEFAULT_CONFIG_FOLDER: &str = ".obsidian";
/// A settings file of a plugin is a few kilobytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// A vault, opened on its folder. The folder is held: should it be renamed, this is still it.
#[derive(Clone)]
pub struct Vault {
    root: PathBuf,
    disk: Arc<Disk>,
    config_folder: VaultPath,
    cache_folder: Option<PathBuf>,
    progress: Option<Arc<dyn Progress>>,
    snapshot: Option<Arc<Snapshot>>,
}

/// A note as it stands on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its path.
    pub path: VaultPath,
    /// Its exact bytes.
    pub bytes: Vec<u8>,
    /// Its text, a byte order mark included; what is not UTF-8 is U+FFFD.
    pub text: String,
    /// Whether `text` had to replace bytes. Such a note must not be written back from its text.
    pub lossy: bool,
}

/// Facts about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Bytes.
    pub size: u64,
    /// When it was made, or last changed where that is unknown: milliseconds since 1970.
    pub created: i64,
    /// When its content last changed: milliseconds since 1970.
    pub modified: i64,
}

/// What a text given as `file=` leads to, and what could not be looked at on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The file.
    pub resolution: Resolution,
    /// What the walk left out; empty where no walk was needed.
    pub warnings: Vec<Warning>,
}

impl Vault {
    /// Opens the vault in the existing folder `root`. Reads nothing of what is in it.
    pub fn open(root: &Path) -> Result<Self, EngineError> {
        let (disk, canonical) = Disk::open(root).map_err(|source| EngineError::Root {
            path: root.to_owned(),
            source,
        })?;
        Ok(Self {
            root: canonical,
            disk: Arc::new(disk),
            config_folder: Self::config_folder_named(DEFAULT_CONFIG_FOLDER)?,
            cache_folder: None,
            progress: None,
            snapshot: None,
        })
    }

    /// The same vault with its index remembered in the folder `folder`, a path of the machine
    /// outside of the vault. It is made, for its owner alone, when there is something to remember;
    /// where that fails the index is made anew each time.
    #[must_use]
    pub fn with_cache(self, folder: PathBuf) -> Self {
        Self {
            cache_folder: Some(folder),
            ..self
        }
    }

    /// The same vault, telling `progress` how far the reading of notes for the index has come.
    #[must_use]
    pub fn with_progress(self, progress: Arc<dyn Progress>) -> Self {
        Self {
            progress: Some(progress),
            ..self
        }
    }

    /// The same vault with its settings in another dot-folder (the app's "override config
    /// folder").
    pub fn with_config_folder(self, name: &str) -> Result<Self, EngineError> {
        Ok(Self {
            config_folder: Self::config_folder_named(name)?,
            ..self
        })
    }

    fn config_folder_named(name: &str) -> Result<VaultPath, EngineError> {
        VaultPath::file(name)
            .ok()
            .filter(|path| path.is_hidden() && path.parent().is_root())
            .ok_or_else(|| EngineError::ConfigFolder {
                name: name.to_owned(),
            })
    }

    /// The vault's name: the last segment of its folder.
    pub fn name(&self) -> String {
        last_segment(&self.root)
    }

    /// The vault's folder, canonical: a path of the machine.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The exact bytes of a file of any extension. Files that are not part of the vault (below a
    /// name that starts with a dot) are not found.
    pub fn read_bytes(&self, path: &VaultPath) -> Result<Vec<u8>, EngineError> {
        self.read_target(path, path.as_str())
    }

    /// A note with its text.
    pub fn read_note(&self, path: &VaultPath) -> Result<Note, EngineError> {
        self.note(path, path.as_str())
    }

    /// Size and times of a file.
    pub fn facts(&self, path: &VaultPath) -> Result<FileFacts, EngineError> {
        self.facts_of_target(path, path.as_str())
    }

    /// Everything below a folder, read now.
    pub fn contents(&self, folder: &VaultPath, detail: Detail) -> Result<Contents, EngineError> {
        self.contents_of_target(folder, &folder.to_string(), detail)
    }

    /// The file that `file=<linkpath>` means (`vault-semantics.md` §2.3 with an empty source).
    ///
    /// Needs no walk where the text is, in its exact case, a file's whole path with or without
    /// `.md`: the app then always takes that file, and `others` is empty without having been
    /// looked for. Else one walk.
    pub fn resolve(&self, linkpath: &str) -> Result<Lookup, EngineError> {
        if let Some(path) = self.whole_path(linkpath) {
            return Ok(Lookup {
                resolution: Resolution::Found(Found {
                    path,
                    rule: Rule::ExactPath,
                    others: Vec::new(),
                    unstable: false,
                }),
                warnings: Vec::new(),
            });
        }
        let (index, warnings) = self.link_index()?;
        Ok(Lookup {
            resolution: index.resolve(linkpath, &VaultPath::root()),
            warnings,
        })
    }

    /// What all notes hold: everything that the cache knows, or else every note read now. Commands
    /// ask for the part of it that they need.
    pub fn index(&self) -> Result<Index, EngineError> {
        crate::index::load(self).map(Index::of)
    }

    /// The settings of the daily notes plugin; the defaults where there is no such file.
    pub fn daily_notes(&self) -> Result<DailyNotes, EngineError> {
        let (file, bytes) = self.config("daily-notes.json")?;
        Ok(match bytes {
            Some(bytes) => DailyNotes::parse(&bytes, &file),
            None => DailyNotes::default(),
        })
    }

    /// Where the daily note of that day is; it need not exist. Settings that had to be ignored
    /// are in [`Self::daily_notes`].
    pub fn daily_path(&self, now: &Zoned) -> Result<VaultPath, EngineError> {
        self.daily_notes()?.path(now)
    }

    /// Where the template of this name can be: as it is and with `.md`, below the folder in
    /// `templates.json` (`vault-semantics.md` §6.3). None where no folder is set, because the app
    /// then has no templates; the files need not exist.
    pub fn template_paths(&self, name: &str) -> Result<Vec<VaultPath>, EngineError> {
        let (_, bytes) = self.config("templates.json")?;
        let settings: Option<serde_json::Value> =
            bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let folder = settings
            .as_ref()
            .and_then(|settings| settings.get("folder")?.as_str())
            .map(|folder| folder.trim_matches('/'));
        let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
            return Ok(Vec::new());
        };
        [format!("{folder}/{name}"), format!("{folder}/{name}.md")]
            .into_iter()
            .map(|text| VaultPath::file(&text).map_err(|reason| EngineError::Path { text, reason }))
            .collect()
    }

    /// The files by the names that links use, and what the walk for them left out.
    pub(crate) fn link_index(&self) -> Result<(Arc<LinkIndex>, Vec<Warning>), EngineError> {
        if let Some(snapshot) = &self.snapshot {
            let index = Arc::clone(snapshot.link_index());
            return Ok((index, snapshot.left_out().to_vec()));
        }
        let contents = self.contents(&VaultPath::root(), Detail::Names)?;
        let index = LinkIndex::new(contents.files.into_iter().map(|file| file.path));
        Ok((Arc::new(index), contents.warnings))
    }

    /// The same vault, answering about the whole of it from this snapshot.
    pub(crate) fn with_snapshot(&self, snapshot: Arc<Snapshot>) -> Self {
        Self {
            snapshot: Some(snapshot),
            ..self.clone()
        }
    }

    /// What is known of the whole vault without looking.
    pub(crate) fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_deref()
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(crate) fn cache_folder(&self) -> Option<&Path> {
        self.cache_folder.as_deref()
    }

    pub(crate) fn progress(&self) -> Option<&dyn Progress> {
        self.progress.as_deref()
    }

    /// The bytes of a file, none where there are more than `limit`; errors name `target`.
    pub(crate) fn read_up_to(
        &self,
        path: &VaultPath,
        target: &str,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        let file = self.open_file(path, target)?;
        up_to(file, limit).map_err(|source| failed(path, source))
    }

    /// As [`Self::read_bytes`]; errors name `target`, which is what was asked for.
    pub(crate) fn read_target(
        &self,
        path: &VaultPath,
        target: &str,
    ) -> Result<Vec<u8>, EngineError> {
        let mut file = self.open_file(path, target)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|source| failed(path, source))?;
        Ok(bytes)
    }

    /// As [`Self::read_note`]; errors name `target`.
    pub(crate) fn note(&self, path: &VaultPath, target: &str) -> Result<Note, EngineError> {
        let bytes = self.read_target(path, target)?;
        let (text, lossy) = match std::str::from_utf8(&bytes) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => (String::from_utf8_lossy(&bytes).into_owned(), true),
        };
        Ok(Note {
            path: path.clone(),
            bytes,
            text,
            lossy,
        })
    }

    /// As [`Self::facts`]; errors name `target`.
    pub(crate) fn facts_of_target(
        &self,
        path: &VaultPath,
        target: &str,
    ) -> Result<FileFacts, EngineError> {
        let metadata = self
            .open_file(path, target)?
            .metadata()
            .map_err(|source| failed(path, source))?;
        let modified = metadata.modified().map_err(|source| failed(path, source))?;
        Ok(FileFacts {
            size: metadata.len(),
            created: milliseconds(created(&metadata).unwrap_or(modified)),
            modified: milliseconds(modified),
        })
    }

    /// As [`Self::contents`]; errors name `target`.
    pub(crate) fn contents_of_target(
        &self,
        folder: &VaultPath,
        target: &str,
        detail: Detail,
    ) -> Result<Contents, EngineError> {
        if folder.is_hidden() {
            return Err(EngineError::folder_not_found(target));
        }
        Contents::read(&self.disk, folder, target, detail)
    }

    fn open_file(&self, path: &VaultPath, target: &str) -> Result<std::fs::File, EngineError> {
        if path.is_root() {
            return Err(EngineError::App(cli_output::AppError::NotAFile {
                target: target.to_owned(),
            }));
        }
        if path.is_hidden() {
            return Err(EngineError::file_not_found(target));
        }
        self.disk
            .file(path)
            .map_err(|blocked| EngineError::of_file(target, blocked))
    }

    /// The file whose whole path is `linkpath`, with or without `.md`.
    fn whole_path(&self, linkpath: &str) -> Option<VaultPath> {
        let wanted = linkpath.trim();
        [wanted.to_owned(), format!("{wanted}.md")]
            .iter()
            .filter_map(|text| VaultPath::file(text).ok())
            .find(|path| !path.is_hidden() && !wanted.is_empty() && self.disk.has_file(path))
    }

    /// What is in a folder of the configuration folder, in the order of the names' bytes; nothing
    /// where it is not there.
    pub(crate) fn config_entries(
        &self,
        name: &str,
    ) -> Result<(VaultPath, Vec<Entry>), EngineError> {
        let path = self
            .config_folder
            .join(name)
            .map_err(|reason| EngineError::path(name, reason))?;
        let folder = match self.disk.folder(&path) {
            Ok(folder) => folder,
            Err(blocked) => match blocked.obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => return Ok((path, Vec::new())),
                Obstacle::IsFolder | Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                    return Err(EngineError::of_folder(path.as_str(), &path, blocked));
                }
            },
        };
        let mut entries = list(&folder).map_err(|source| failed(&path, source))?;
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok((path, entries))
    }

    /// A file of the configuration folder; no bytes where it is not there.
    pub(crate) fn config(&self, name: &str) -> Result<(VaultPath, Option<Vec<u8>>), EngineError> {
        let path = self
            .config_folder
            .join(name)
            .map_err(|reason| EngineError::path(name, reason))?;
        let file = match self.disk.file(&path) {
            Ok(file) => file,
            Err(blocked) => match blocked.obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => return Ok((path, None)),
                Obstacle::IsFolder => return Err(EngineError::NotRegular { path }),
                Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                    return Err(EngineError::of_file(path.as_str(), blocked));
                }
            },
        };
        match up_to(file, MAX_CONFIG_BYTES).map_err(|source| failed(&path, source))? {
            Some(bytes) => Ok((path, Some(bytes))),
            None => Err(EngineError::TooLarge {
                path,
                limit: MAX_CONFIG_BYTES,
            }),
        }
    }
}

/// The rest of a file; none where it has more than `limit` bytes.
fn up_to(file: std::fs::File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = file.take(limit + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(read).is_ok_and(|read| read <= limit);
    Ok(fits.then_some(bytes))
}

fn failed(path: &VaultPath, source: io::Error) -> EngineError {
    EngineError::Io {
        path: path.clone(),
        source,
    }
}

fn created(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok().or_else(|| changed_time(metadata))
}

/// Milliseconds since 1970, rounded to the nearest as JavaScript rounds.
fn milliseconds(time: SystemTime) -> i64 {
    let nanoseconds = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX / 2),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX / 2),
    };
    i64::try_from((nanoseconds + 500_000).div_euclid(1_000_000)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cli_output::AppError;
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::disk::trace;

    fn vault(files: &[(&str, &str)]) -> (tempfile::TempDir, Vault) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("My Notes");
        fs_err::create_dir(&root).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let vault = Vault::open(&root).unwrap();
        (folder, vault)
    }

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn found(vault: &Vault, linkpath: &str) -> Option<String> {
        match vault.resolve(linkpath).unwrap().resolution {
            Resolution::Found(found) => Some(found.path.to_string()),
            Resolution::Missing => None,
        }
    }

    #[test]
    fn opening_reads_nothing_and_needs_a_folder() {
        let ((folder, vault), listings, files) = trace::of(|| vault(&[("a.md", "")]));
        assert_eq!((vault.name().as_str(), listings, files), ("My Notes", 0, 0));
        assert!(vault.root().is_absolute());
        for bad in ["none", "My Notes/a.md"] {
            let error = Vault::open(&folder.path().join(bad)).err().unwrap();
            assert!(matches!(error, EngineError::Root { .. }));
            assert!(!error.to_string().contains("Notes"), "{error}");
        }
    }

    #[test]
    fn bytes_and_text_are_exact() {
        let (_folder, vault) = vault(&[("bom.md", "\u{feff}a\r\nb")]);
        fs_err::write(vault.root().join("latin.md"), b"caf\xe9").unwrap();
        let note = vault.read_note(&path("bom.md")).unwrap();
        assert_eq!((note.text.as_str(), note.lossy), ("\u{feff}a\r\nb", false));
        let note = vault.read_note(&path("latin.md")).unwrap();
        assert_eq!((note.text.as_str(), note.lossy), ("caf\u{fffd}", true));
        assert_eq!(note.bytes, b"caf\xe9");
        assert_eq!(vault.read_bytes(&path("latin.md")).unwrap(), b"caf\xe9");
    }

    #[test]
    fn d07_hidden_files_are_not_found_in_any_case() {
        let (_folder, vault) = vault(&[
            (".obsidian/app.json", "{}"),
            (".OBSIDIAN/x.md", ""),
            (".ob\u{17f}idian/x.md", ""),
            ("a/.hidden/x.md", ""),
        ]);
        for name in [
            ".obsidian/app.json",
            ".OBSIDIAN/x.md",
            ".ob\u{17f}idian/x.md",
            "a/.hidden/x.md",
        ] {
            let error = vault.read_bytes(&path(name)).unwrap_err();
            assert!(
                matches!(&error, EngineError::App(AppError::FileNotFound { target }) if target == name),
                "{error}"
            );
        }
        assert!(vault.contents(&path(".obsidian"), Detail::Names).is_err());
        assert_eq!(found(&vault, ".OBSIDIAN/x"), None);
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_symlink_is_named_and_not_read() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink("/etc", vault.root().join("etc")).unwrap();
        let error = vault.read_bytes(&path("etc/passwd")).unwrap_err();
        assert!(matches!(&error, EngineError::Symlink { path } if path.as_str() == "etc"));
        assert_eq!(found(&vault, "etc/passwd"), None);
    }

    #[test]
    fn a_whole_path_is_resolved_without_a_walk() {
        let (_folder, vault) = vault(&[("a/Note.md", ""), ("Top.md", ""), ("b/Other.md", "")]);
        for (linkpath, expected) in [
            ("Top", "Top.md"),
            ("a/Note", "a/Note.md"),
            ("Top.md", "Top.md"),
        ] {
            let (path, listings, _) = trace::of(|| found(&vault, linkpath));
            assert_eq!((path.as_deref(), listings), (Some(expected), 0));
        }
        let (path, listings, _) = trace::of(|| found(&vault, "other"));
        assert_eq!((path.as_deref(), listings), (Some("b/Other.md"), 3));
        assert_eq!(found(&vault, "none"), None);
        assert_eq!(found(&vault, ""), None);
        assert_eq!(found(&vault, "../Top"), None);
        assert_eq!(found(&vault, "/Top"), Some("Top.md".into()));
    }

    #[test]
    fn one_look_at_the_disk_agrees_with_the_index() {
        let (_folder, vault) = vault(&[
            ("readme", ""),
            ("README.md", ""),
            ("x/a.b", ""),
            ("a.b.md", ""),
        ]);
        let contents = vault.contents(&VaultPath::root(), Detail::Names).unwrap();
        let index = LinkIndex::new(contents.files.into_iter().map(|file| file.path));
        for linkpath in ["readme", "README", "Readme", "a.b", "x/a.b", "A.B"] {
            let indexed = index.resolve(linkpath, &VaultPath::root());
            let (Resolution::Found(quick), Resolution::Found(indexed)) =
                (vault.resolve(linkpath).unwrap().resolution, indexed)
            else {
                panic!("{linkpath}");
            };
            assert_eq!(
                (quick.path, quick.rule),
                (indexed.path, indexed.rule),
                "{linkpath}"
            );
        }
    }

    #[test]
    fn daily_settings_come_from_the_config_folder() {
        let files = [
            (".obsidian/daily-notes.json", r#"{"folder":"Daily"}"#),
            (".obsidian-work/daily-notes.json", r#"{"folder":"Work"}"#),
        ];
        let (_folder, vault) = vault(&files);
        let now = date(2026, 1, 2).to_zoned(TimeZone::UTC).unwrap();
        assert_eq!(
            vault.daily_path(&now).unwrap().as_str(),
            "Daily/2026-01-02.md"
        );
        let vault = vault.with_config_folder(".obsidian-work").unwrap();
        assert_eq!(
            vault.daily_path(&now).unwrap().as_str(),
            "Work/2026-01-02.md"
        );
        let vault = vault.with_config_folder(".none").unwrap();
        assert_eq!(vault.daily_path(&now).unwrap().as_str(), "2026-01-02.md");
        for name in ["config", "../.x", ".a/b", ""] {
            let error = Vault::open(vault.root())
                .unwrap()
                .with_config_folder(name)
                .err();
            assert!(
                matches!(error, Some(EngineError::ConfigFolder { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn d14_settings_that_are_huge_or_linked_are_errors() {
        let (_folder, vault) = vault(&[(".obsidian/daily-notes.json", "")]);
        let file = vault.root().join(".obsidian/daily-notes.json");
        fs_err::File::create(&file)
            .unwrap()
            .set_len(MAX_CONFIG_BYTES + 1)
            .unwrap();
        assert!(matches!(
            vault.daily_notes(),
            Err(EngineError::TooLarge { .. })
        ));
        fs_err::remove_file(&file).unwrap();
        assert_eq!(vault.daily_notes().unwrap(), DailyNotes::default());
        fs_err::create_dir(&file).unwrap();
        assert!(matches!(
            vault.daily_notes(),
            Err(EngineError::NotRegular { .. })
        ));
        #[cfg(unix)]
        {
            fs_err::remove_dir(&file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            assert!(matches!(
                vault.daily_notes(),
                Err(EngineError::Symlink { .. })
            ));
        }
    }

    #[test]
    fn times_are_rounded_milliseconds() {
        let (_folder, vault) = vault(&[("a.md", "12345")]);
        let modified = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_600_000);
        let file = fs_err::OpenOptions::new()
            .write(true)
            .open(vault.root().join("a.md"))
            .unwrap();
        file.file().set_modified(modified).unwrap();
        let facts = vault.facts(&path("a.md")).unwrap();
        assert_eq!((facts.size, facts.modified), (5, 1_700_000_000_124));
        assert!(facts.created > 1_700_000_000_124);
        let before = SystemTime::UNIX_EPOCH - Duration::from_micros(1_400);
        assert_eq!(milliseconds(before), -1);
    }
}
