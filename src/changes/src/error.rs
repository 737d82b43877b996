//! The errors of requests, plans and the evidence of changes.

use std::path::PathBuf;

use super::request::MAX_REQUEST_BYTES;
use allowlist::paging::OFFSET;
use protocol::{
    Message, Part, errors,
    failure::{NOTHING_LEFT, OTHER_FILES},
    message,
};
use uuid::Uuid;
use vault_engine::VaultPath;
use vault_engine::plural;

errors! {
    pub(crate) enum Error {
        // The request.
        RequestTooLarge(size: usize) => UsageError { size, limit: MAX_REQUEST_BYTES }
            "The request has {size} bytes. The limit is {MAX_REQUEST_BYTES} bytes.";
        NotUtf8(offset: usize) => UsageError { offset }
            "The request is not valid UTF-8.";
        ByteOrderMark => UsageError
            "The request starts with a byte order mark."
            "Send UTF-8 without a byte order mark.";
        NotAnObject => UsageError
            ("The request must be one JSON object, such as `{\"command\":\"read\",\"params\":{\"path\":\"Home.md\"}}`.");
        NotOfSchema(error: String, place: Message) => UsageError
            "The request is not valid: {error}."
            (place);
        FieldNotOfSchema(field: String, error: String) => UsageError { field }
            "The value of `{field}` is not valid: {error}.";
        Misfits(sentences: Message) => UsageError
            (sentences);
        RunIdVersion => UsageError
            (message!("{runId} must be a UUID of version 4."));
        NoBudget => UsageError
            "`budget` must be at least 1 byte.";
        IdLength(key: &'static str, length: usize) => UsageError { length }
            (message!("{} must have 1 to 128 characters.", Part::Key(key.to_owned())));
        IdCharacters(key: &'static str) => UsageError
            (message!("{} must not contain white space or control characters.", Part::Key(key.to_owned())));
        OffsetIsParameter(command: String) => UsageError { argument: OFFSET }
            "For `{command}`, pass `offset` as a parameter of the command, not as an option.";
        OffsetByPath(command: String) => UsageError { argument: OFFSET }
            "`{command}` does not take `offset`, because each call returns another note."
            (message!("To read more of the last note, use {read} with `offset` and the `path` of that note."));
        NoOffset(command: String) => UsageError { argument: OFFSET }
            "`{command}` does not take `offset`, because its answer cannot be split into parts.";
        PastTheEnd(offset: usize, total: usize, unit: String) => UsageError { argument: OFFSET }
            (format!("`offset` {offset} is past the end: the answer has {}.", plural::count(total, &unit)))
            ("Pass a smaller `offset`, or omit it.");
        BeyondKept => ArgumentTooLarge { argument: OFFSET }
            "Obsidian's output was too long, so vault-gw kept only the first part. `offset` is past the end of this part."
            "Use a smaller `offset`.";
        ClosedFolder(name: String, around: Option<PathBuf>) => VaultNotFound
            "The folder `{name}` and the folders in it cannot be a vault."
            "Pass the top folder of the vault."
            (around.map_or_else(String::new, |around| format!("The folder `{name}` is in `{}`.", around.display())));

        // The note as the caller knows it.
        NoHashOf => UsageError
            (message!("{ifHash} works only for a command that changes one existing note, which you pass as `path` or `file`."));
        NoteGone(path: VaultPath) => PreconditionFailed { path: path.as_str() }
            (message!("Nothing was changed. {ifHash} needs an existing note, but this note does not exist."))
            (message!("To create the note, omit {ifHash}."));
        NoteChanged(path: VaultPath) => PreconditionFailed { path: path.as_str() }
            (message!("The note has changed since you read it: its hash is no longer the value of {ifHash}. Nothing was changed."))
            ("Read the whole note again, and pass its new hash.");

        // The plan.
        ActiveContentTable(error: String) => InternalError
            "The table of active content cannot be read: {error}";
        NameTaken(path: VaultPath, twin: Option<VaultPath>, replace: &'static str) => FileExists
            { path: path.as_str() }
            (format!("`{path}` already exists{}.", twin.map_or_else(String::new, |twin| format!(" as `{twin}`"))))
            (message!("To add text to the note, use {append}."))
            (replace)
            ("To create a note with a number after the name, such as `Note 1`, set the flag `number`.");
        NewFileClosed => PathDenied { reason: "new-file" }
            "Nothing was changed. The settings do not allow you to create files in this folder."
            "Pass a full path in a folder where you may create files.";
        OtherFilesClosed => PathDenied { reason: OTHER_FILES }
            "Nothing was changed. The call would also change other files, such as notes with links to this note, but you may not write to them. The owner of the vault can make the change.";
        NoPlan => InternalError
            "This call failed because of a bug in vault-gw. Nothing was changed. Please report it.";

        // The evidence.
        NoActiveNote => CliReportedError { reason: "active-file" }
            "Nothing was inserted, because Obsidian did not report which note is open.";
        UnclearAnswer(command: String) => CliReportedError
            "Obsidian's answer to `{command}` cannot be used: it is too large, is not text, or may be an error.";
        NotChanged => CliReportedError { reason: READ_BACK }
            "Obsidian confirmed the change, but the vault did not change.";
        ChangedDifferently => CliReportedError { reason: READ_BACK }
            "Obsidian reported success, but the vault does not contain the requested result. `meta.changes` lists what changed."
            "Read the note before you continue.";
        NotVerified => CliReportedError { reason: READ_BACK }
            "Obsidian confirmed the change, but vault-gw could not check whether the vault changed."
            "Read the note before you continue.";

        // The contents that the journal has.
        InvalidName(name: String, error: String) => ValidationError
            "The file name `{name}` cannot be used: {error}.";
        NothingKept(run: Uuid) => UsageError { reason: NOTHING_LEFT }
            "vault-gw kept no earlier content from the run {run}.";
        OnlyMoved(path: VaultPath, to: VaultPath, run: Uuid) => UsageError { reason: NOTHING_LEFT }
            "vault-gw has no copy of `{path}` from before the run {run}, because the run only moved the file to `{to}`.";
        FileNotKept(path: VaultPath, run: Uuid, candidates: Vec<String>) => FileNotFound
            { runId: run.to_string(), candidates }
            (format!("vault-gw kept no earlier content of `{path}` from the run {run}. It kept earlier content of these files: `{}`.", candidates.join("`, `")));
        SeveralFiles(run: Uuid, candidates: Vec<String>) => AmbiguousTarget
            { runId: run.to_string(), candidates }
            (format!("The run {run} changed several files. Pass one of them as `path`: `{}`.", candidates.join("`, `")));
    }
}

/// `details.reason` if the files of the vault contradict the app's confirmation.
const READ_BACK: &str = "read-back";
