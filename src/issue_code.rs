//! The stable codes of warnings, violations and advice, each with its explanation. Error codes are
//! in [`code`](crate::code).

use schemars::JsonSchema;
use serde::Serialize;

/// The explanation of an issue code, for people and agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueCode {
    /// The name in envelopes, such as `NOTE_TOO_LARGE`.
    pub issue: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to do, and who can do it.
    pub remedy: &'static str,
}

const fn issue(issue: &'static str, meaning: &'static str, remedy: &'static str) -> IssueCode {
    IssueCode {
        issue,
        meaning,
        remedy,
    }
}

impl IssueCode {
    /// Every code, sorted by name.
    pub const ALL: &[Self] = &[
        issue(
            "AMBIGUOUS_NAME",
            "Several notes have the name that was given, and one of them was taken as the app would.",
            "Send `path=` with one of `details.candidates`.",
        ),
        issue(
            "AMBIGUOUS_OUTPUT",
            "A note's text begins like an error of the app, and was taken for the note's own.",
            "Nothing, unless the note should not be there; the embedded backend leaves no doubt.",
        ),
        issue(
            "APP_CLI_DISABLED",
            "Obsidian runs, but its command line interface is switched off, so the embedded engine answered.",
            "Turn it on in Obsidian under Settings > General > Advanced, or set the backend to `embedded`.",
        ),
        issue(
            "APP_INSTANCE_CHANGED",
            "Another Obsidian answered than before the run.",
            "After a write, read the note before you go on.",
        ),
        issue(
            "AUDIT_BEGINNING_CUT_OFF",
            "The oldest records of the audit log are missing, and were not forgotten by age.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_CHAIN_BROKEN",
            "A record of the audit log does not follow the one before it: something was changed, taken out or put in.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_END_CUT_OFF",
            "Records are missing that were once the end of the audit log.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_GAP_CHANGED",
            "A record says that it came after something unreadable, which is gone or another now.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_KEPT_CHANGED",
            "Records that were kept of older files of the audit log were changed, removed or added.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_LINE_CHANGED",
            "The text of an audit record has not the hash that it states.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_LINE_TORN",
            "A record of the audit log was cut off by a crash.",
            "Nothing; the next record begins a line of its own.",
        ),
        issue(
            "AUDIT_LINE_UNREADABLE",
            "A line of the audit log is no record.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_LOST_WITH_POWER",
            "Records of reads are missing that were not on the disk yet when the machine was restarted.",
            "Nothing, where the machine lost its power; records of changes are on the disk before the change.",
        ),
        issue(
            "AUDIT_MARK_BROKEN",
            "What is kept apart about the end of the audit log is missing or does not fit the log.",
            "The owner of the vault has to find out who can write to the log.",
        ),
        issue(
            "AUDIT_UNWRITABLE",
            "This call could not be recorded in the audit log.",
            "Check that the disk is not full and that the state folder is your own; changes are refused until then.",
        ),
        issue(
            "CHANGED_BEYOND_PLAN",
            "The app changed files that the plan does not name.",
            "Look at `details.paths`; `undo` does not put these back.",
        ),
        issue(
            "CHANGED_DESPITE_ERROR",
            "A command of the app failed, and files changed while it ran.",
            "Look at `meta.changes` before you go on; the journal entry that `meta.journal` names can be undone.",
        ),
        issue(
            "CHANGE_UNDER_WAY",
            "Another process was changing the vault while it was read, so the answer may hold some files before that change and some after it.",
            "Ask again in a moment.",
        ),
        issue(
            "CLI_VERSION_OLD",
            "The running Obsidian, or the installer it came with, is older than 1.12.7.",
            "Update Obsidian with its installer; `min_version` in the settings refuses an old one.",
        ),
        issue(
            "CONFIG_IGNORED",
            "A settings file of the vault, or one key of it, is not what it should be; the default was used.",
            "Mend it in Obsidian's settings, or the file that the message names.",
        ),
        issue(
            "DEEP_BUDGET_EXCEEDED",
            "The time for `context` with `deep` was over before all notes were looked through.",
            "Raise `timeout_ms` where it is under 10 seconds; else take the counts for those of the first notes.",
        ),
        issue(
            "FOLDER_NOT_REMOVED",
            "An undo left a folder that something uses by now.",
            "Remove it by hand if nothing needs it.",
        ),
        issue(
            "FOLDER_UNREADABLE",
            "A folder could not be listed; nothing below it is in the answer.",
            "Check its permissions.",
        ),
        issue(
            "HARD_LINK",
            "A file that is changed is the same file as another one, perhaps outside of the vault: a hard link.",
            "Look whether the other one shall change too; a copy in its place parts them.",
        ),
        issue(
            "HITS_LEFT_OUT",
            "A note has so many hits, or so long lines, that some are left out.",
            "Search for something rarer, or read the note.",
        ),
        issue(
            "INVALID_BASE",
            "A base is malformed and counts as one without views.",
            "Mend the file at the line that the message names.",
        ),
        issue(
            "INVALID_CANVAS",
            "A canvas is malformed and counts as empty.",
            "Mend it in Obsidian.",
        ),
        issue(
            "INVALID_FRONTMATTER",
            "The properties of a note are malformed; it counts as a note without properties.",
            "Mend the block between the two `---` lines.",
        ),
        issue(
            "ITEM_LEFT_OUT",
            "One item of a list is longer than the whole answer may be; it is left out, and the next `offset` passes it.",
            "Go on at the next `offset`, or raise `max_output_bytes` or the budget of the request.",
        ),
        issue(
            "JOURNAL_ENTRY_SKIPPED",
            "An entry of the journal cannot be read, so that run cannot be undone.",
            "Restore the note from a backup if you need it.",
        ),
        issue(
            "JOURNAL_NOT_CLOSED",
            "An undo was done, and could not be noted as done.",
            "Check that the disk is not full; the next write sees to it.",
        ),
        issue(
            "JOURNAL_UNFINISHED",
            "A write was done, and could not be noted as done.",
            "Check that the disk is not full; the next write sees to it.",
        ),
        issue(
            "LINKS_NOT_UPDATED",
            "A file was moved, and the links to it stay as they are, because the settings say so.",
            "Set `update_links`, or change the links by hand.",
        ),
        issue(
            "LINKS_UNWRITABLE",
            "Links lead elsewhere after a move and could not be rewritten safely.",
            "Change them by hand in the file that the message names.",
        ),
        issue(
            "NAME_NOT_UNICODE",
            "A file's name on disk is not Unicode; it is listed, read and changed under a name with U+FFFD for what is not.",
            "Rename it; its content is not touched.",
        ),
        issue(
            "NAME_UNUSABLE",
            "An entry of a folder has a path that is too long, or on Windows a name that opens another file; it is left out.",
            "Rename it.",
        ),
        issue(
            "NESTED_TOO_DEEP",
            "Lists or quotes of a note are nested too deep; what is deeper counts as running text.",
            "Make the note flatter.",
        ),
        issue(
            "NOTE_TOO_LARGE",
            "A note is too large to be looked through, as in the app.",
            "Split it, or read it with `read`.",
        ),
        issue(
            "NOTE_UNREADABLE",
            "A note could not be read; nothing of it is in the answer.",
            "Check its permissions.",
        ),
        issue(
            "NOT_AS_PLANNED",
            "The app wrote the change in another form than was worked out beforehand, such as another layout of the properties or another style of links.",
            "See in `meta.changes` what is there now; `undo` puts back what was there before.",
        ),
        issue(
            "NOT_AS_STORED",
            "The text differs from the file on disk: the app may hold unsaved changes.",
            "Read again before you write with `ifHash`.",
        ),
        issue(
            "NOT_PUT_BACK",
            "A file changed in the run that is undone, and what it held before is not known.",
            "Restore it from a backup or from the app's file recovery.",
        ),
        issue(
            "NOT_UTF8",
            "A note is not UTF-8; what is not was replaced in the text.",
            "Convert the note; do not write this text back.",
        ),
        issue(
            "OTHER_WRITERS_UNSEEN",
            "Another user of this machine can write a note that was changed, and the open files of that user's programs cannot be looked at.",
            "Where another user's program may have been writing the note, read it again.",
        ),
        issue(
            "REMEDY",
            "What to do about the error, as advice apart from its message.",
            "Do it; `details.retryable` tells whether trying again may help by itself.",
        ),
        issue(
            "RUN_INTERRUPTED",
            "An earlier run was cut off; the message tells what became of it.",
            "Look at the notes that the message names.",
        ),
        issue(
            "SEARCH_GAVE_UP",
            "A regular expression takes too long for a note, which is left out.",
            "Use a simpler expression.",
        ),
        issue(
            "SETTINGS_NOT_RELOADED",
            "The settings file cannot be used as it is now; the last good settings stay in force.",
            "Correct the file; the message tells what is wrong with it.",
        ),
        issue(
            "SIZE_UNKNOWN",
            "The size of a file could not be read; it counts as 0 bytes.",
            "Check its permissions.",
        ),
        issue(
            "SPECIAL_FILES_SKIPPED",
            "Pipes, sockets and devices in the vault were left out.",
            "Move them out of the vault.",
        ),
        issue(
            "SPELLINGS_COLLIDE",
            "Two names differ only in how accents are written; one of them is left out.",
            "Rename one of them.",
        ),
        issue(
            "STARTUP_NOISE",
            "The official CLI printed start-up lines: Obsidian's installer is out of date.",
            "Update Obsidian with its installer.",
        ),
        issue(
            "SYMLINKS_SKIPPED",
            "Symlinks in the vault were not followed.",
            "The owner of the vault can let reading follow those to folders with `follow_symlinks = true`.",
        ),
        issue(
            "UNPARSED_OUTPUT",
            "What the official CLI printed is not of the known form; `data` is empty.",
            "Read `stdout`; a newer version of this program may know the form.",
        ),
    ];

    /// An additional hint for people at a terminal. Agents never see it.
    pub fn at_terminal(&self) -> Option<&'static str> {
        Some(match self.issue {
            "AUDIT_CHAIN_BROKEN"
            | "AUDIT_GAP_CHANGED"
            | "AUDIT_LINE_CHANGED"
            | "AUDIT_LINE_UNREADABLE" => "`vault-gw audit verify` names the file and the line.",
            "RUN_INTERRUPTED" => {
                "`vault-gw undo --list` shows what can be undone; `vault-gw undo --forget RUNID` ends the warnings about a run that cannot be put right."
            }
            _ => return None,
        })
    }

    /// Looks up a code by name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.issue == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_explained() {
        assert!(IssueCode::ALL.is_sorted_by(|left, right| left.issue < right.issue));
        for code in IssueCode::ALL {
            assert!(
                code.meaning.ends_with('.') && code.remedy.ends_with('.'),
                "{code:?}"
            );
            assert_eq!(IssueCode::named(code.issue), Some(*code));
        }
        assert_eq!(IssueCode::named("NO_SUCH"), None);
    }
}
