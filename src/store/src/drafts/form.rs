//! The JSON form of a draft. All of it is checked when it is read: a path like paths of callers, a
//! hash because it is the name of a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vault_engine::{Bond, Overlay, PlannedBytes, PlannedContent, PlannedFile, VaultPath, Version};

use super::{Base, Draft, MOST_ANSWERS, ReviewAnswer};
use crate::journal::hash_text;

/// The version of the JSON form of a draft.
const VERSION: u32 = 2;

/// The contents of a draft by their SHA-256.
pub(super) type Contents<'draft> = BTreeMap<[u8; 32], &'draft PlannedContent>;
/// Positions of contents in the pack, in bytes, by hash.
pub(super) type Places = BTreeMap<[u8; 32], u64>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DraftForm {
    version: u32,
    id: Uuid,
    pub(super) agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    created: Timestamp,
    changed: Timestamp,
    /// The number of the pack with the contents; `None` without contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pack: Option<u64>,
    files: BTreeMap<VaultPath, FileForm>,
    folders: BTreeMap<VaultPath, bool>,
    bases: BTreeMap<VaultPath, BaseForm>,
    /// Drafts of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bonds: Vec<Bond>,
    /// The answers of a person.
    pub(super) answers: Vec<ReviewAnswer>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum FileForm {
    Bytes(BytesForm),
    From(VaultPath),
    Gone,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BytesForm {
    #[serde(with = "hash_text")]
    sha256: [u8; 32],
    size: u64,
    /// Position in the pack, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    origin: Option<VaultPath>,
    modified: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BaseForm {
    #[serde(with = "hash_text")]
    sha256: [u8; 32],
    size: u64,
    modified: Option<i64>,
    /// Whether the bytes of the content are kept.
    kept: bool,
    /// Position in the pack, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
}

/// Returns the contents that a draft needs, each once. An empty draft has only its answers.
pub(super) fn contents_of(draft: &Draft) -> Contents<'_> {
    let planned = draft.overlay.files.values().filter_map(|file| match file {
        PlannedFile::Bytes(planned) => Some(&planned.content),
        PlannedFile::From(_) | PlannedFile::Gone => None,
    });
    let bases = draft.bases.values().filter(|_| !draft.is_empty());
    let bases = bases.filter_map(|base| base.content.as_deref());
    planned
        .chain(bases)
        .map(|content| (content.version().sha256, content))
        .collect()
}

impl DraftForm {
    /// Returns the form of a draft whose contents are at these places of the pack with this number.
    pub(super) fn from_draft(draft: &Draft, pack: u64, places: &Places) -> Self {
        let mut files = BTreeMap::new();
        for (path, file) in &draft.overlay.files {
            let form = match file {
                PlannedFile::Bytes(planned) => {
                    let Version { size, sha256 } = planned.content.version();
                    FileForm::Bytes(BytesForm {
                        sha256,
                        size,
                        at: places.get(&sha256).copied(),
                        origin: planned.origin.clone(),
                        modified: planned.modified,
                    })
                }
                PlannedFile::From(origin) => FileForm::From(origin.clone()),
                PlannedFile::Gone => FileForm::Gone,
            };
            files.insert(path.clone(), form);
        }
        let bases = draft
            .bases
            .iter()
            .filter(|_| !draft.is_empty())
            .map(|(path, base)| {
                let kept = base.content.is_some();
                let form = BaseForm {
                    sha256: base.sha256,
                    size: base.size,
                    modified: base.modified,
                    kept,
                    at: places.get(&base.sha256).filter(|_| kept).copied(),
                };
                (path.clone(), form)
            });
        let over = draft.answers.len().saturating_sub(MOST_ANSWERS);
        Self {
            version: VERSION,
            id: draft.id,
            agent: draft.agent.clone(),
            client: draft.client.clone(),
            created: draft.created,
            changed: draft.changed,
            pack: (!places.is_empty()).then_some(pack),
            files,
            folders: draft.overlay.folders.clone(),
            bases: bases.collect(),
            bonds: draft.bonds.clone(),
            answers: draft.answers.iter().skip(over).cloned().collect(),
        }
    }

    /// Parses the JSON form of a draft; `None` if it is damaged or of another version.
    pub(super) fn from_json(bytes: &[u8]) -> Option<Self> {
        let form: Self = serde_json::from_slice(bytes).ok()?;
        let has_all = form.contents().all(|(_, at)| at.is_some())
            && (form.pack.is_some() || form.contents().next().is_none());
        (form.version == VERSION && has_all).then_some(form)
    }

    /// Each content that it names, with its place in the pack.
    pub(super) fn contents(&self) -> impl Iterator<Item = (Version, Option<u64>)> {
        let files = self.files.values().filter_map(|file| match file {
            FileForm::Bytes(BytesForm {
                sha256, size, at, ..
            }) => Some((
                Version {
                    size: *size,
                    sha256: *sha256,
                },
                *at,
            )),
            FileForm::From(_) | FileForm::Gone => None,
        });
        let bases = self.bases.values().filter(|base| base.kept).map(|base| {
            let version = Version {
                size: base.size,
                sha256: base.sha256,
            };
            (version, base.at)
        });
        files.chain(bases)
    }

    /// Returns the positions of the contents in the pack.
    pub(super) fn places(&self) -> Places {
        self.contents()
            .filter_map(|(version, at)| Some((version.sha256, at?)))
            .collect()
    }

    /// Returns the bytes of all contents, each counted once.
    pub(super) fn bytes(&self) -> u64 {
        let lengths = self
            .contents()
            .map(|(version, _)| (version.sha256, version.size));
        let lengths: BTreeMap<_, _> = lengths.collect();
        lengths.into_values().fold(0, u64::saturating_add)
    }

    /// Number of files that the draft changes: files of the folder, and new ones.
    pub(super) fn files(&self) -> u64 {
        let is_new =
            |file: &&FileForm| matches!(file, FileForm::Bytes(form) if form.origin.is_none());
        let new = self.files.values().filter(is_new).count();
        u64::try_from(self.bases.len().saturating_add(new)).unwrap_or(u64::MAX)
    }

    /// Builds the draft with the contents that `content` returns; `None` if a content is missing.
    pub(super) fn into_draft(
        self,
        content: impl Fn(Version, Option<u64>) -> Option<PlannedContent>,
    ) -> Option<Draft> {
        let mut overlay = Overlay::default();
        for (path, form) in self.files {
            let file = match form {
                FileForm::Bytes(BytesForm {
                    sha256,
                    size,
                    at,
                    origin,
                    modified,
                }) => PlannedFile::Bytes(Arc::new(PlannedBytes {
                    content: content(Version { size, sha256 }, at)?,
                    origin,
                    modified,
                })),
                FileForm::From(origin) => PlannedFile::From(origin),
                FileForm::Gone => PlannedFile::Gone,
            };
            overlay.files.insert(path, file);
        }
        overlay.folders = self.folders;
        let mut bases = BTreeMap::new();
        for (
            path,
            BaseForm {
                sha256,
                size,
                modified,
                kept,
                at,
            },
        ) in self.bases
        {
            let content = if kept {
                Some(Arc::new(content(Version { size, sha256 }, at)?))
            } else {
                None
            };
            bases.insert(
                path,
                Base {
                    content,
                    sha256,
                    size,
                    modified,
                },
            );
        }
        Some(Draft {
            id: self.id,
            agent: self.agent,
            client: self.client,
            created: self.created,
            changed: self.changed,
            overlay,
            bases,
            bonds: self.bonds,
            answers: self.answers,
        })
    }
}
