//! How a draft is written in its JSON file. Whatever is read is checked: a path as paths of callers
//! are, a hash as it is the name of a file.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vault_engine::{Overlay, PlannedBytes, PlannedFile, VaultPath, Version};

use super::{Base, Draft, MOST_ANSWERS, ReviewAnswer};
use crate::private_dir::Unsafe;
use crate::records::journal::hash_text;

/// The version of the form.
const VERSION: u32 = 1;

/// The contents of a draft by their SHA-256.
pub(super) type Contents = BTreeMap<[u8; 32], Arc<Vec<u8>>>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DraftForm {
    version: u32,
    id: Uuid,
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    created: Timestamp,
    changed: Timestamp,
    files: BTreeMap<PathText, FileForm>,
    folders: BTreeMap<PathText, bool>,
    bases: BTreeMap<PathText, BaseForm>,
    answers: Vec<AnswerForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum FileForm {
    Bytes(BytesForm),
    From(PathText),
    Gone,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BytesForm {
    #[serde(with = "hash_text")]
    sha256: [u8; 32],
    size: u64,
    origin: Option<PathText>,
    modified: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BaseForm {
    #[serde(with = "hash_text")]
    sha256: [u8; 32],
    size: u64,
    modified: Option<i64>,
    /// Whether its bytes are kept.
    kept: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AnswerForm {
    path: PathText,
    what: String,
    accepted: bool,
    comment: Option<String>,
    at: Timestamp,
}

impl From<AnswerForm> for ReviewAnswer {
    fn from(form: AnswerForm) -> Self {
        Self {
            path: form.path.0,
            what: form.what,
            accepted: form.accepted,
            comment: form.comment,
            at: form.at,
        }
    }
}

/// A path as text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
struct PathText(VaultPath);

impl TryFrom<String> for PathText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let path = VaultPath::file(&text).map_err(|_| "not a path in a vault")?;
        // Two spellings of one path would be one entry, and the other one would be lost.
        let is_plain = path.as_str() == text;
        is_plain.then_some(Self(path)).ok_or("not a plain path")
    }
}

impl DraftForm {
    /// The form of a draft, and the contents that it names, each once. An empty draft has only its
    /// answers.
    pub(super) fn from_draft(draft: &Draft) -> (Self, BTreeMap<[u8; 32], &[u8]>) {
        let text = |path: &VaultPath| PathText(path.clone());
        let mut contents = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (path, file) in &draft.overlay.files {
            let form = match file {
                PlannedFile::Bytes(planned) => {
                    let version = Version::from_bytes(&planned.bytes);
                    contents.insert(version.sha256, planned.bytes.as_slice());
                    FileForm::Bytes(BytesForm {
                        sha256: version.sha256,
                        size: version.size,
                        origin: planned.origin.as_ref().map(text),
                        modified: planned.modified,
                    })
                }
                PlannedFile::From(origin) => FileForm::From(text(origin)),
                PlannedFile::Gone => FileForm::Gone,
            };
            files.insert(text(path), form);
        }
        let mut bases = BTreeMap::new();
        for (path, base) in draft.bases.iter().filter(|_| !draft.is_empty()) {
            if let Some(bytes) = &base.bytes {
                contents.insert(base.sha256, bytes.as_slice());
            }
            let form = BaseForm {
                sha256: base.sha256,
                size: base.size,
                modified: base.modified,
                kept: base.bytes.is_some(),
            };
            bases.insert(text(path), form);
        }
        let over = draft.answers.len().saturating_sub(MOST_ANSWERS);
        let answers = draft.answers.iter().skip(over).map(|answer| AnswerForm {
            path: text(&answer.path),
            what: answer.what.clone(),
            accepted: answer.accepted,
            comment: answer.comment.clone(),
            at: answer.at,
        });
        let folders = draft.overlay.folders.iter();
        let form = Self {
            version: VERSION,
            id: draft.id,
            agent: draft.agent.clone(),
            client: draft.client.clone(),
            created: draft.created,
            changed: draft.changed,
            files,
            folders: folders.map(|(path, made)| (text(path), *made)).collect(),
            bases,
            answers: answers.collect(),
        };
        (form, contents)
    }

    pub(super) fn to_json(&self) -> Result<Vec<u8>, Unsafe> {
        serde_json::to_vec(self).map_err(|error| Unsafe::Io(io::Error::from(error)))
    }

    /// Reads a form; `None` if it is damaged or of another version.
    pub(super) fn from_json(bytes: &[u8]) -> Option<Self> {
        let form: Self = serde_json::from_slice(bytes).ok()?;
        (form.version == VERSION).then_some(form)
    }

    /// The agent's name.
    pub(super) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// What a person said.
    pub(super) fn into_answers(self) -> impl Iterator<Item = ReviewAnswer> {
        self.answers.into_iter().map(ReviewAnswer::from)
    }

    /// SHA-256 and length of each content that it names, each once.
    pub(super) fn contents(&self) -> BTreeMap<[u8; 32], u64> {
        let files = self.files.values().filter_map(|file| match file {
            FileForm::Bytes(form) => Some((form.sha256, form.size)),
            FileForm::From(_) | FileForm::Gone => None,
        });
        let bases = self.bases.values().filter(|base| base.kept);
        files.chain(bases.map(|base| (base.sha256, base.size))).collect()
    }

    /// The bytes of all contents.
    pub(super) fn bytes(&self) -> u64 {
        let lengths = self.contents().into_values();
        lengths.fold(0, u64::saturating_add)
    }

    /// How many files the draft changes: those of the folder, and new ones.
    pub(super) fn files(&self) -> u64 {
        let is_new =
            |file: &&FileForm| matches!(file, FileForm::Bytes(form) if form.origin.is_none());
        let new = self.files.values().filter(is_new).count();
        u64::try_from(self.bases.len().saturating_add(new)).unwrap_or(u64::MAX)
    }

    /// The draft with these contents; `None` if one is not there.
    pub(super) fn into_draft(self, contents: &Contents) -> Option<Draft> {
        let mut overlay = Overlay::default();
        for (path, form) in self.files {
            let file = match form {
                FileForm::Bytes(form) => PlannedFile::Bytes(Arc::new(PlannedBytes {
                    bytes: contents.get(&form.sha256)?.to_vec(),
                    origin: form.origin.map(|origin| origin.0),
                    modified: form.modified,
                })),
                FileForm::From(origin) => PlannedFile::From(origin.0),
                FileForm::Gone => PlannedFile::Gone,
            };
            overlay.files.insert(path.0, file);
        }
        let folders = self.folders.into_iter();
        overlay.folders = folders.map(|(path, made)| (path.0, made)).collect();
        let mut bases = BTreeMap::new();
        for (path, form) in self.bases {
            let bytes =
                if form.kept { Some(Arc::clone(contents.get(&form.sha256)?)) } else { None };
            let base =
                Base { bytes, sha256: form.sha256, size: form.size, modified: form.modified };
            bases.insert(path.0, base);
        }
        let answers = self.answers.into_iter().map(ReviewAnswer::from);
        Some(Draft {
            id: self.id,
            agent: self.agent,
            client: self.client,
            created: self.created,
            changed: self.changed,
            overlay,
            bases,
            answers: answers.collect(),
        })
    }
}
