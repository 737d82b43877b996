//! The file or folder that a command names.

use std::collections::BTreeSet;

use obsidian_note::{MAX_WHOLE_BYTES, Resolution, VaultPath, Warning};
use serde_json::Value;
use vault_files::vault::whole_characters;
use vault_files::{Args, EngineError, Refusal, Surroundings, Vault};

use crate::indexed_vault::IndexedVault;

/// The file that a command names.
pub struct Target {
    /// Its path.
    pub path: VaultPath,
    /// The text that the caller gave; errors repeat it.
    pub requested: String,
    /// Warnings about the search for it.
    pub warnings: Vec<Warning>,
}

impl Target {
    /// Returns the file from `path=`, which is exact, or else from `file=`, which is resolved like a link. There is no
    /// active file here, so one of them is required (`official-cli.md` §1).
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn from_arguments(vault: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        if let Some(path) = arguments.path("path") {
            let twins = vault.disk().has_twins(path).then(|| path.clone());
            let warnings = twins.map(|path| Warning::SpellingsCollide { path });
            return Ok(Self {
                warnings: warnings.into_iter().collect(),
                ..Self::exact(path.clone())
            });
        }
        let Some(wanted) = arguments.text("file") else {
            return Err(EngineError::Refused(Refusal::NoActiveFile));
        };
        let lookup = IndexedVault(vault).resolve(wanted)?;
        match lookup.resolution {
            Resolution::Found(found) => Ok(Self {
                path: found.path,
                requested: wanted.to_owned(),
                warnings: lookup.warnings,
            }),
            Resolution::Missing => Err(EngineError::file_not_found(wanted)),
        }
    }

    /// As [`Self::from_arguments`], for a note; `refusal` is the error for any other file.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn note(vault: &Vault, arguments: &Args, refusal: Refusal) -> Result<Self, EngineError> {
        Self::of_kind(vault, arguments, refusal, VaultPath::is_note)
    }

    /// As [`Self::note`], for a file of this kind.
    ///
    /// # Errors
    ///
    /// As [`Self::note`].
    pub fn of_kind(
        vault: &Vault,
        arguments: &Args,
        refusal: Refusal,
        is_of_kind: impl Fn(&VaultPath) -> bool,
    ) -> Result<Self, EngineError> {
        Self::from_arguments(vault, arguments)?.must_be(vault, refusal, is_of_kind)
    }

    /// Returns the same file if it is of this kind; `refusal` is the app's error for any other file.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file, or if it is of another kind.
    pub fn must_be(
        self,
        vault: &Vault,
        refusal: Refusal,
        is_of_kind: impl Fn(&VaultPath) -> bool,
    ) -> Result<Self, EngineError> {
        if is_of_kind(&self.path) {
            return Ok(self);
        }
        self.must_exist(vault)?;
        Err(EngineError::Refused(refusal))
    }

    /// Returns the notes of a list of paths, in byte order and without duplicates; without a list the note of
    /// [`Self::note`].
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn notes(
        vault: &Vault,
        arguments: &Args,
        refusal: Refusal,
    ) -> Result<Vec<Self>, EngineError> {
        let Some(paths) = arguments.list("paths") else {
            return Self::note(vault, arguments, refusal).map(|note| vec![note]);
        };
        let mut notes = BTreeSet::new();
        for wanted in paths.iter().filter_map(Value::as_str) {
            let path = file_path(wanted)?;
            if !path.is_note() {
                vault.facts_of_target(&path, wanted)?;
                return Err(EngineError::Refused(refusal));
            }
            notes.insert(path);
        }
        Ok(notes.into_iter().map(Self::exact).collect())
    }

    /// Returns the file with this path, whether or not it exists.
    pub fn exact(path: VaultPath) -> Self {
        Self {
            requested: path.to_string(),
            path,
            warnings: Vec::new(),
        }
    }

    /// Returns the path of today's daily note, whether or not it exists.
    pub(crate) fn daily(vault: &Vault, surroundings: &Surroundings) -> Result<Self, EngineError> {
        let settings = vault.daily_notes()?;
        let path = settings.path(&surroundings.now)?;
        Ok(Self {
            requested: path.to_string(),
            path,
            warnings: settings.warnings,
        })
    }

    /// The file that is named to a command about a vault or a file; `None` for the vault.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn if_given(vault: &Vault, arguments: &Args) -> Result<Option<Self>, EngineError> {
        is_about_one(arguments)
            .then(|| Self::from_arguments(vault, arguments))
            .transpose()
    }

    /// Fails if there is no such file.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn must_exist(&self, vault: &Vault) -> Result<(), EngineError> {
        vault
            .facts_of_target(&self.path, &self.requested)
            .map(|_| ())
    }

    /// Returns the bytes of the file; `None`, with a warning, if it is too large to be indexed.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn indexed_bytes(&mut self, vault: &Vault) -> Result<Option<Vec<u8>>, EngineError> {
        let bytes = vault.read_up_to(&self.path, &self.requested, MAX_WHOLE_BYTES)?;
        if bytes.is_none() {
            self.warnings.push(Warning::NoteTooLarge {
                path: self.path.clone(),
                limit: MAX_WHOLE_BYTES,
            });
        }
        Ok(bytes)
    }

    /// Returns the text if it is indexed, as [`Self::indexed_bytes`]; with a warning if it is not UTF-8.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn indexed_text(&mut self, vault: &Vault) -> Result<Option<String>, EngineError> {
        let bytes = self.indexed_bytes(vault)?;
        Ok(bytes.map(|bytes| self.decoded(bytes)))
    }

    fn decoded(&mut self, bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap_or_else(|error| {
            self.warnings.push(Warning::NotUtf8 {
                path: self.path.clone(),
            });
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })
    }

    /// As [`Self::text`], up to the limit for holding it in memory; with a warning if there is
    /// more.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn beginning(&mut self, vault: &Vault) -> Result<String, EngineError> {
        let mut file = vault.pieces_of_target(&self.path, &self.requested)?;
        let size = file.size();
        let most = size.min(MAX_WHOLE_BYTES);
        let mut bytes = file.read(0, usize::try_from(most).unwrap_or(usize::MAX))?;
        if size > MAX_WHOLE_BYTES {
            bytes.truncate(whole_characters(&bytes));
            self.warnings.push(Warning::TextLeftOut {
                path: self.path.clone(),
                size,
                limit: MAX_WHOLE_BYTES,
            });
        }
        Ok(self.decoded(bytes))
    }

    /// Returns the whole text with its byte order mark; with a warning if it is not UTF-8.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn text(&mut self, vault: &Vault) -> Result<String, EngineError> {
        let bytes = vault.read_target(&self.path, &self.requested)?;
        Ok(self.decoded(bytes))
    }
}

/// Whether a command about a vault or a file names one file. `active` without a name counts too,
/// and is then an error, because no file is active here.
pub fn is_about_one(arguments: &Args) -> bool {
    arguments.has("path") || arguments.has("file") || arguments.flag("active")
}

/// A required parameter, which must not be empty; `usage` is the app's usage line of the command.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn required<'arguments>(
    arguments: &'arguments Args,
    name: &str,
    usage: &str,
) -> Result<&'arguments str, EngineError> {
    arguments.text(name).ok_or_else(|| missing(name, usage))
}

/// Returns the error for a required parameter that is missing, with the parameter as the usage line has it:
/// `id=<plugin-id>`.
pub fn missing(name: &str, usage: &str) -> EngineError {
    let is_wanted = |word: &&str| word.split_once('=').is_some_and(|(key, _)| key == name);
    let name = usage.split(' ').find(is_wanted).unwrap_or(name).to_owned();
    EngineError::Refused(Refusal::MissingParameter {
        name,
        usage: usage.to_owned(),
    })
}

/// Returns the path of a file as a caller wrote it.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn file_path(wanted: &str) -> Result<VaultPath, EngineError> {
    VaultPath::file(wanted).map_err(|reason| EngineError::path(wanted, reason))
}

/// Returns the path of a folder as a caller wrote it.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn folder_path(wanted: &str) -> Result<VaultPath, EngineError> {
    VaultPath::folder(wanted).map_err(|reason| EngineError::path(wanted, reason))
}

/// Returns a folder parameter; the root if it is not given.
pub fn folder(arguments: &Args, name: &str) -> VaultPath {
    arguments
        .path(name)
        .cloned()
        .unwrap_or_else(VaultPath::root)
}
