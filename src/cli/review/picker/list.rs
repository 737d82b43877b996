//! The waiting changes, as the rows of the list and the items that the person decides.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use vault_engine::plural::count;

use super::document::{is_shown, only};
use frontend::{StyledLine, approval_text, escape};
use gateway::{ChangeGroup, GroupReason, Happening, WaitingDraft, WaitingFile};
use store::journal::short_id;
use vault_engine::BondKind;

/// A file: its draft and its place there.
pub(super) type Place = (usize, usize);

/// Something that the person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A hunk of a file; 0 is the file as a whole.
    Hunk {
        /// The place of the file in the list of drafts.
        place: Place,
        /// The number of the hunk.
        number: usize,
    },
    /// A call that needs an approval.
    Approval(usize),
}

/// A call that needs an approval.
#[derive(Clone, Debug)]
pub(super) struct WaitingApproval {
    /// The id of the approval.
    pub(super) id: String,
    /// The command and who sent it.
    pub(super) title: String,
    /// The text of the call and its plan.
    pub(super) lines: Vec<StyledLine>,
}

/// A row of the list of changes.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The kind of the row.
    pub(super) kind: EntryKind,
    /// The text of the row.
    pub(super) label: String,
    /// The items that it represents.
    pub(super) items: Range<usize>,
    /// Whether an item has a warning.
    pub(super) has_warning: bool,
}

/// The kind of a row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A draft with all its files.
    Draft,
    /// The heading above all approvals, or above the changes of one kind.
    Heading,
    /// A file, or changes that belong together.
    Change {
        /// Whether these are changes that belong together.
        is_group: bool,
    },
    /// An approval, by its index.
    Approval(usize),
}

impl Entry {
    fn new(kind: EntryKind, label: String, items: Range<usize>) -> Self {
        Self {
            kind,
            label,
            items,
            has_warning: false,
        }
    }

    /// Whether its changes belong together.
    pub(super) fn is_group(&self) -> bool {
        self.kind == EntryKind::Change { is_group: true }
    }

    /// Whether it is decided as one, and is not a heading.
    pub(super) fn is_decidable(&self) -> bool {
        matches!(self.kind, EntryKind::Change { .. } | EntryKind::Approval(_))
    }
}

/// All drafts and approvals that wait for a person.
pub(super) struct List {
    pub(super) drafts: Vec<WaitingDraft>,
    pub(super) approvals: Vec<WaitingApproval>,
    pub(super) items: Vec<Item>,
    pub(super) entries: Vec<Entry>,
}

impl List {
    pub(super) fn new(drafts: Vec<WaitingDraft>, approvals: Vec<WaitingApproval>) -> Self {
        let items = (0..approvals.len()).map(Item::Approval).collect();
        let mut entries = Vec::new();
        if !approvals.is_empty() {
            let all = 0..approvals.len();
            let label = format!("Calls to approve ({})", all.len());
            entries.push(Entry::new(EntryKind::Heading, label, all));
        }
        entries.extend((0..).zip(&approvals).map(|(at, approval)| {
            Entry::new(EntryKind::Approval(at), approval.title.clone(), at..at + 1)
        }));
        let mut list = Self {
            drafts,
            approvals,
            items,
            entries,
        };
        for draft in 0..list.drafts.len() {
            list.add_draft(draft);
        }
        list
    }

    fn add_draft(&mut self, draft: usize) {
        let Some(waiting) = self.drafts.get(draft) else {
            return;
        };
        let place_of: BTreeMap<&str, usize> = (0..)
            .zip(&waiting.files)
            .map(|(at, file)| (file.file.path.as_str(), at))
            .collect();
        let mut grouped = BTreeSet::new();
        let mut changes: Vec<(Kind, EntryKind, String, Vec<Item>)> = Vec::new();
        for group in &waiting.groups {
            let members = group.members.iter().filter_map(|member| {
                let file = *place_of.get(member.note.as_str())?;
                Some(member.hunks.iter().map(move |number| (file, *number)))
            });
            let mut hunks: Vec<(usize, usize)> = members.flatten().collect();
            // The moves first.
            hunks.sort_by_key(|(_, number)| *number != 0);
            grouped.extend(hunks.iter().copied());
            let label = group_label(waiting, group, &hunks);
            let has_conflict = hunks.iter().any(|(file, _)| {
                waiting
                    .files
                    .get(*file)
                    .is_some_and(|file| file.file.conflict)
            });
            let kind = if has_conflict {
                Kind::Conflict
            } else {
                Kind::Moved
            };
            let items = hunks
                .iter()
                .map(|(file, number)| hunk(draft, *file, *number))
                .collect();
            changes.push((kind, EntryKind::Change { is_group: true }, label, items));
        }
        for (at, file) in (0..).zip(&waiting.files) {
            let hunks = file
                .file
                .hunks
                .iter()
                .filter(|number| !grouped.contains(&(at, **number)));
            let items: Vec<Item> = hunks.map(|number| hunk(draft, at, *number)).collect();
            if !items.is_empty() {
                let kind = EntryKind::Change { is_group: false };
                changes.push((Kind::of(file), kind, file_label(file), items));
            }
        }
        changes.sort_by_key(|(kind, ..)| *kind);
        let start = self.items.len();
        let first = self.entries.len();
        self.entries.push(Entry::new(
            EntryKind::Draft,
            draft_label(waiting),
            start..start,
        ));
        let mut heading: Option<(Kind, usize)> = None;
        for (kind, entry, label, items) in changes {
            let start = self.items.len();
            if heading.is_none_or(|(last, _)| last != kind) {
                heading = Some((kind, self.entries.len()));
                let title = kind.title().to_owned();
                self.entries
                    .push(Entry::new(EntryKind::Heading, title, start..start));
            }
            self.items.extend(items);
            let end = self.items.len();
            let has_warning = !self.warnings(start..end).is_empty();
            self.entries.push(Entry {
                kind: entry,
                label,
                items: start..end,
                has_warning,
            });
            for at in heading.map(|(_, at)| at).into_iter().chain([first]) {
                if let Some(heading) = self.entries.get_mut(at) {
                    heading.items.end = end;
                    heading.has_warning |= has_warning;
                }
            }
        }
    }

    pub(super) fn file(&self, (draft, file): Place) -> Option<&WaitingFile> {
        self.drafts.get(draft)?.files.get(file)
    }

    /// Returns the draft of a file.
    pub(super) fn draft(&self, (draft, _): Place) -> Option<&WaitingDraft> {
        self.drafts.get(draft)
    }

    /// Returns the items of a file.
    pub(super) fn items_of(&self, wanted: Place) -> Vec<usize> {
        let is_of = |at: &usize| matches!(self.items.get(*at), Some(Item::Hunk { place, .. }) if *place == wanted);
        (0..self.items.len()).filter(is_of).collect()
    }

    /// Returns the items that are decided with these: all of a group, if one of them is in it.
    pub(super) fn decided_with(&self, items: &[usize]) -> Vec<usize> {
        let is_touched = |entry: &&Entry| {
            entry.is_group() && items.iter().any(|item| entry.items.contains(item))
        };
        let groups = self.entries.iter().filter(is_touched);
        let with_groups = groups.flat_map(|entry| entry.items.clone());
        let all: BTreeSet<usize> = with_groups.chain(items.iter().copied()).collect();
        all.into_iter().collect()
    }

    /// Returns the approval of an item; `None` if the item is not an approval.
    pub(super) fn approval(&self, item: usize) -> Option<&WaitingApproval> {
        match self.items.get(item)? {
            Item::Approval(at) => self.approvals.get(*at),
            Item::Hunk { .. } => None,
        }
    }

    /// Returns the path of the file of an item, or the title of the call.
    pub(super) fn name(&self, item: usize) -> String {
        match self.items.get(item) {
            Some(Item::Hunk { place, .. }) => self
                .file(*place)
                .map(|file| escape::line(&file.file.path))
                .unwrap_or_default(),
            _ => self
                .approval(item)
                .map(|approval| approval.title.clone())
                .unwrap_or_default(),
        }
    }

    /// Returns the warnings about these items, each once and with the name of its file.
    pub(super) fn warnings(&self, items: Range<usize>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut last = None;
        for item in items {
            let Some(Item::Hunk { place, number }) = self.items.get(item).copied() else {
                continue;
            };
            let Some(file) = self.file(place) else {
                continue;
            };
            let is_first = last.replace(place) != Some(place);
            let about = file.warnings.iter().filter(|warning| match warning.hunk {
                None => is_first,
                Some(_) => warning.is_about(&only(number)),
            });
            found.extend(about.map(|warning| escape::plan(&warning.line_about(&file.file.path))));
        }
        found
    }

    /// Returns the reason why an item cannot be accepted; `None` if it can.
    pub(super) fn refusal(&self, item: usize) -> Option<String> {
        let Item::Hunk { place, number } = *self.items.get(item)? else {
            return None;
        };
        let file = self.file(place)?;
        let path = escape::line(&file.file.path);
        if file.file.conflict {
            let why = file
                .conflict_reason
                .as_deref()
                .unwrap_or("the file was also changed in the vault");
            return Some(format!(
                "The change to {path} cannot be accepted: {why}. Reject the change, or edit the note yourself."
            ));
        }
        (!is_shown(file, number)).then(|| {
            format!("The change to {path} is too large to be shown, so you cannot accept it here.")
        })
    }
}

const fn hunk(draft: usize, file: usize, number: usize) -> Item {
    Item::Hunk {
        place: (draft, file),
        number,
    }
}

/// The kinds of changes, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Conflict,
    Moved,
    Removed,
    New,
    Changed,
    Folder,
}

impl Kind {
    fn of(file: &WaitingFile) -> Self {
        match file.file.change {
            _ if file.file.conflict => Self::Conflict,
            Happening::Moved => Self::Moved,
            Happening::Created => Self::New,
            Happening::Removed | Happening::Trashed => Self::Removed,
            Happening::FolderMade | Happening::FolderRemoved => Self::Folder,
            Happening::Modified | Happening::Touched | Happening::Unknown => Self::Changed,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Conflict => "In conflict",
            Self::Moved => "Moved",
            Self::Removed => "Deleted",
            Self::New => "New",
            Self::Changed => "Changed",
            Self::Folder => "Folders",
        }
    }
}

/// Returns the name of the draft with its agent.
fn draft_label(draft: &WaitingDraft) -> String {
    let agent = match &draft.agent {
        Some(agent) => escape::line(agent),
        None => "agents without a name".to_owned(),
    };
    let agent = approval_text::by_program(&agent, draft.client.as_deref());
    format!("{agent}, draft {}", short_id(draft.draft))
}

/// Returns the path of a file in the list, of a moved one with the old path.
fn file_label(file: &WaitingFile) -> String {
    let path = escape::line(&file.file.path);
    match &file.file.from {
        Some(from) => format!("{} → {path}", escape::line(from)),
        None => path,
    }
}

/// Returns the reasons of a group. Of renames alone it names the moves, and how many notes have links that follow them.
fn group_label(waiting: &WaitingDraft, group: &ChangeGroup, hunks: &[(usize, usize)]) -> String {
    let is_rename = |reason: &GroupReason| reason.reason == BondKind::Renamed;
    if !group.because.iter().all(is_rename) {
        let files = count(group.members.len(), "file");
        return format!("{}, in {files}", escape::plan(&group.in_words()));
    }
    let (mut moves, mut notes) = (Vec::new(), BTreeSet::new());
    for (file, number) in hunks {
        match (waiting.files.get(*file), number) {
            (Some(file), 0) => moves.push(file_label(file)),
            _ => drop(notes.insert(file)),
        }
    }
    format!(
        "{}, with links in {}",
        moves.join(", "),
        count(notes.len(), "note")
    )
}

/// Returns the change of a file, in one line.
pub(super) fn title(file: &WaitingFile) -> String {
    let word = match file.file.change {
        Happening::Created => "new",
        Happening::Moved => "move",
        Happening::Trashed => "to the trash",
        Happening::Removed => "delete",
        Happening::FolderMade => "new folder",
        Happening::FolderRemoved => "remove folder",
        Happening::Modified | Happening::Touched | Happening::Unknown => "change",
    };
    let lines = match (file.added, file.removed) {
        (0, 0) => String::new(),
        (added, removed) => format!("  +{added} −{removed}"),
    };
    format!("{word}  {}{lines}", file_label(file))
}
