//! Converts errors of the engine to failures. Only vault paths appear in them, never paths of this
//! machine.

use serde_json::{Value, json};
use vault_engine::{
    EditCandidate, EditMiss, EngineError, ListError, MissKind, PathError, VaultPath, Warning,
};

use super::app_error;
use allowlist::{bad_characters, name_instead, nearest, nearest_part, shown};
use protocol::{
    Code, Failure, Message, did_you_mean_or, either, explain,
    failure::{NO_DAILY_NOTE, NOT_UTF8},
    for_person, for_program, message,
};

/// The `reason` of a failure because another program is writing the file.
pub const BEING_WRITTEN: &str = "being-written";

/// Returns the failure for an error: adds its code and what to do next.
#[expect(clippy::too_many_lines, reason = "one row for each error")]
pub fn engine_failure(error: EngineError) -> Failure {
    let text = as_sentence(&error.to_string());
    explain! { match error {
        EngineError::NotServed { command } => RequiresApp
            "Only the running app can answer `{command}`."
            "Start Obsidian and open this vault.";
        EngineError::Root { .. } => VaultNotFound
            "The vault's folder does not exist or cannot be read."
            (check_vault());
        EngineError::Path { reason: PathError::Escape, .. } => PathEscape (text)
            ("Pass a path relative to the vault's root.");
        EngineError::Path { reason: PathError::SeveralSpellings, .. } => AmbiguousTarget (text)
            ("Nothing was changed. Rename one of the files in a file manager, then try again.");
        EngineError::Path { text: path, reason: PathError::Character(_) } if !bad_characters(&path).is_empty() => UsageError
            (format!("`{}` is not a valid path: a file name cannot contain {}.", shown(&path), either(&bad_characters(&path))))
            (format!("Pass a path such as `{}`.", shown(&name_instead(&path.replace('\\', "/")))));
        EngineError::Path { .. } => UsageError (text)
            ("Pass a path such as `notes/a.md`.");
        EngineError::Symlink { path } => PathEscape { path: path.as_str() } (text)
            ("If the symlink points to a file in the vault, pass the path of that file.");
        EngineError::NotRegular { path } => IoError { path: path.as_str(), reason: NOT_REGULAR } (text)
            ("Choose another file.");
        EngineError::TooLarge { path, limit } => IoError { path: path.as_str(), limit } (text)
            ("Choose a smaller file, or split this file.");
        EngineError::TooLargeToHold { path, size, limit } => ValidationError { path: path.as_str(), size, limit }
            (text)
            ("Nothing was changed. Split the file, or read it in parts.");
        EngineError::Planned { path, .. } => DraftDamaged { path: path.as_str() } (text)
            ("The draft was not changed.");
        EngineError::Io { path, .. } => IoError { path: path.as_str() } (text)
            ("Check the permissions of the file, and check the disk for errors.");
        EngineError::Write { path, .. } => IoError { path: path.as_str() } (text)
            ("Nothing was changed. Check the permissions of the file and the free space on the disk.");
        EngineError::Changed { path } => PreconditionFailed { path: path.as_str() } (text)
            ("Nothing was changed. Read the file again.");
        EngineError::BeingWritten { path } => Busy { path: path.as_str(), reason: BEING_WRITTEN } (text)
            ("Nothing was changed. Try again in a moment.");
        EngineError::HalfDone { path, .. } => IoError { path: path.as_str() } (text)
            ("The next call to vault-gw tries to restore the file from a saved copy.");
        EngineError::NotText { path } if path.is_note() => UnrepresentableContent { reason: NOT_UTF8, path: path.as_str() }
            (text)
            ("Nothing was changed. Convert the note to UTF-8 first.");
        EngineError::NotText { path } => UnrepresentableContent { reason: NOT_UTF8, path: path.as_str() } (text)
            ("Nothing was changed. Only text files can be changed.");
        EngineError::Properties { path, .. } => InvalidFrontmatter { path: path.as_str() } (text)
            (message!("Nothing was changed. Correct the YAML at the start of the note: use {note:edit} with `frontmatter`."));
        EngineError::PropertiesUnchangeable { path, .. } => ValidationError { path: path.as_str() } (text)
            (message!("Nothing was changed. Change the lines of the properties together: use {note:edit} with `frontmatter`."));
        EngineError::SettingsUnusable { warning } if matches!(*warning, Warning::ConfigFolderUnclear { .. }) => ConfigInvalid
            { path: warning.path().as_str() } (text)
            ("Nothing was changed, because these settings may be the wrong ones. Ask the owner of the vault to set `config_folder` to the configuration folder that Obsidian uses.");
        EngineError::SettingsUnusable { warning } => ConfigInvalid { path: warning.path().as_str() } (text)
            ("Nothing was changed. Ask the owner of the vault to correct the file.");
        EngineError::NoTrash => ValidationError (text)
            ("Nothing was changed. To delete the file permanently, also pass `permanent`.");
        EngineError::PropertyValue { name, .. } => ValidationError { name } (text)
            (message!("Nothing was changed. To change the type of the property, use {property:set} with `type`."));
        EngineError::UnquotedLink { path, name, .. } => ValidationError { path: path.as_str(), name } (text)
            (message!("Nothing was changed. First put each link in quotes: use {property:set} with a list such as `[\"[[a]]\", \"[[b]]\"]` as `value`."));
        EngineError::DailyNoteMissing { path } => FileNotFound { reason: NO_DAILY_NOTE, path: path.as_str() } (text)
            (message!("To create the daily note, use {daily:append}."));
        EngineError::TaskMissing { path, tasks, .. } if tasks.is_empty() => ValidationError { path: path.as_str() }
            (text)
            ("The note has no tasks.");
        // A person sees the candidates instead.
        EngineError::TaskMissing { path, tasks, .. } => ValidationError { path: path.as_str(), candidates: as_json(&tasks) }
            (text)
            (for_program("`candidates` lists the nearest tasks of the note. Pass the `line` of one of them."));
        EngineError::TaskRecurs { path, line, text: task, .. } => ValidationError { path: path.as_str(), line, text: task }
            (text)
            (message!("Nothing was changed. To mark only this task as done, also pass `force`. Then add the next task with {note:edit}."));
        EngineError::SeriesNotDone { path } => ValidationError { path: path.as_str() } (text)
            (message!("Nothing was changed. To mark one day as done, add its date to the property `complete_instances` with {property:add}. Then set the property `scheduled` to the next date with {property:set}. To set the status for all days, also pass `force`."));
        EngineError::BoardWithoutLane { path, lanes } if lanes.is_empty() => ValidationError { path: path.as_str() }
            (text)
            (message!("Nothing was changed. The board has no lanes. Add a lane with {note:edit}: a lane is a heading of level 2."));
        EngineError::BoardWithoutLane { path, lanes } => ValidationError { path: path.as_str(), candidates: as_json(&lanes) }
            (text)
            (message!("Nothing was changed. To add a card, use {note:edit} with a lane as `heading`, `mode` set to `append`, and `content` such as `- [ ] Call Ana`."));
        EngineError::AfterDrawing { path, line } => ValidationError { path: path.as_str(), line } (text)
            (message!("Nothing was changed. To add text above the drawing, use {prepend}."));
        EngineError::Argument { name, .. } => UsageError { name } (text);
        EngineError::ListArgument(ListError { key: Some(key), item: None, rule, .. }) => UsageError
            "`{key}` {rule}.";
        EngineError::ListArgument(_) => UsageError (text);
        EngineError::BodyTooLong { path, .. } => ValidationError { path: path.as_str() } (text)
            (message!("Read the note with {read}, or split the note."));
        EngineError::NotAnImage { path } => ValidationError { path: path.as_str() } (text)
            (message!("To read a text file, such as an SVG image, use {read}. Other files cannot be shown."));
        EngineError::NoTextFile { path } => ValidationError { path: path.as_str() } (text)
            (message!("Nothing was written. To add a file that is not text, use {attachment:add}."));
        EngineError::NotAnAttachment { path, .. } => ValidationError { path: path.as_str() } (text)
            ("Nothing was written.");
        EngineError::ImageTooLarge { path, size, limit } => ValidationError { path: path.as_str(), size, limit }
            (text)
            ("Use a smaller copy of the image.");
        EngineError::Binary { path } => ValidationError { path: path.as_str() } (text)
            (message!("To read an image, use {image:read}. Other files cannot be shown."));
        EngineError::ExportTooLarge { .. } => ValidationError (text)
            ("Export the notes in parts, with `limit` and `offset`.");
        EngineError::ExportTaken { paths, .. } => FileExists { paths: json!(paths) } (text)
            ("Nothing was written. An export does not replace files. Pass another folder as `to`.");
        EngineError::ImportTooLarge { .. } => ValidationError (text)
            ("Import the notes in parts, with `limit` and `offset`.");
        EngineError::ImportTaken { paths, .. } => FileExists { paths: json!(paths) } (text)
            ("Nothing was written. An import does not replace files. Pass another folder as `path`.");
        EngineError::NameBreaksLinks { path, instead, links } => ValidationError
            { path: path.as_str(), instead: instead.as_str(), links } (text)
            (format!("Nothing was changed. Use a name such as `{}`. To keep this name and break the links, also pass `force`.", instead.name()));
        EngineError::FolderTaken { path, instead } => FileExists { path: path.as_str() } (text)
            (format!("Pass the complete new path, such as `{instead}`."));
        EngineError::FolderHoldsMore { path, is_limited: true } => PathDenied { path: path.as_str() } (text)
            ("Nothing was changed. Move the notes of the folder one by one, or ask the owner of the vault.");
        EngineError::FolderHoldsMore { path, .. } => ValidationError { path: path.as_str() } (text)
            ("Nothing was changed. Move the notes of the folder one by one, or move the folder with another program.");
        EngineError::DailyPath { .. } => ValidationError (text)
            ("Correct the folder and the date format of daily notes in Obsidian's settings.");
        EngineError::Stopped => Cancelled
            "The call was cancelled. Nothing was changed.";
        EngineError::RegexTooSlow => ValidationError (text)
            ("Use a regular expression without nested repetitions such as `(a+)+`.");
        EngineError::Base { path, line, .. } => ValidationError { path: path.as_str(), line } (text)
            (format!("Correct line {line} of the base."));
        EngineError::Condition { .. } => UsageError { name: "where" } (text)
            ("Pass an expression as in the filters of a base, such as `status == \"open\" && file.mtime > now() - \"7d\"`.");
        EngineError::BaseTooCostly { path } => ValidationError { path: path.as_str() } (text)
            ("Use simpler expressions in the base, or a filter that matches fewer files.");
        EngineError::Collation => InternalError
            "The built-in sorting rules cannot be loaded. Please report this error.";
        EngineError::BaseView { path, view, known } => ValidationError { path: path.as_str(), views: known.as_slice() }
            (text)
            (did_you_mean_or(&nearest(&view, known.iter().map(String::as_str)), || {
                message!("Pass a view that {base:views} lists, or omit `view` to use the first view.")
            }));
    } else {
        EngineError::Refused(refusal) => app_error::failure(&refusal.into()),
        EngineError::EditMiss(miss) => edit_miss(&miss),
        EngineError::SectionMissing { path, id, known } => {
            // `get-started` is the text in `h2-get-started-0002`.
            let wanted: Vec<&str> = id.split_whitespace().collect();
            let near = nearest_part(&wanted.join("-"), &known, |id| {
                let (_, rest) = id.split_once('-').unwrap_or_default();
                rest.rsplit_once('-').unwrap_or_default().0
            });
            let next = did_you_mean_or(&near, || {
                message!("List the headings and their ids with {note:outline}.")
            });
            let failure = Code::ValidationError.failure(text).hint(next);
            let near = (!near.is_empty()).then_some(near);
            failure.with("nearest", near).with("path", path.as_str())
        },
    } }
}

fn as_json(candidates: &[EditCandidate]) -> Vec<Value> {
    candidates.iter().map(candidate_json).collect()
}

/// The hint if the vault cannot be opened.
pub fn check_vault() -> Message {
    message!(
        "Check `vault` in the settings{}.",
        for_person(" or `--vault`")
    )
}

/// The `reason` of a failure because a path is not a regular file.
pub const NOT_REGULAR: &str = "not-regular";

/// The next step if a candidate is too long to be shown in full.
const DIFFERENCES: &str = "Correct your text. In `candidates`, `sent` is a part of your text, and `note` is the text in the note. A `…` at the end means that the text continues.";

/// Suggests what to send instead of an edit whose place was not found.
fn advice(miss: &EditMiss) -> Message {
    let set_property = if miss.in_properties {
        message!("To set a property, use {property:set}. ")
    } else {
        Message::default()
    };
    let has = |is_it: fn(&EditCandidate) -> bool| miss.candidates.iter().any(is_it);
    match (miss.kind, &*miss.advice) {
        (MissKind::NotFound, "") if has(|candidate| candidate.is_cut) => DIFFERENCES.into(),
        // A person sees the candidates instead.
        (MissKind::NotFound, "") if !miss.candidates.is_empty() => for_program(
            "`candidates` lists the most similar places. Pass the `text` of one of them.",
        )
        .into(),
        // A person sees the lines with their hash instead.
        (_, advice) if has(|lines| lines.lines_hash.is_some()) => {
            message!("{}{}", set_property, for_program(advice))
        }
        (_, "") if miss.in_properties => set_property,
        (_, "") => "Read the note again.".into(),
        (_, advice) => message!("{}{}", set_property, advice),
    }
}

/// Returns the failure of edits whose places were not found, with the nearest places as `candidates`. Each candidate
/// has the number of its edit if there are several edits.
fn edit_miss(miss: &EditMiss) -> Failure {
    let code = match miss.kind {
        MissKind::NotFound => Code::TargetNotFound,
        MissKind::Ambiguous => Code::AmbiguousTarget,
        MissKind::Unfit => Code::ValidationError,
    };
    let all = || std::iter::once(miss).chain(&*miss.others);
    let same = advice(miss);
    let is_same = all().all(|miss| advice(miss) == same);
    let mut what = Message::default();
    for miss in all() {
        what.push_sentence(as_sentence(&miss.to_string()));
        if !is_same {
            what.push_sentence(advice(miss));
        }
    }
    what.push_sentence("Nothing was changed.");
    let mut failure = code.failure(what);
    if is_same {
        failure.add_hint(same);
    }
    let candidates = all().flat_map(|one| {
        one.candidates.iter().map(|candidate| {
            let mut shown = candidate_json(candidate);
            if let Some(edit) = one.edit.filter(|_| !miss.others.is_empty()) {
                shown["edit"] = json!(edit);
            }
            shown
        })
    });
    let candidates = Some(candidates.collect::<Vec<Value>>()).filter(|all| !all.is_empty());
    let more = (miss.more > 0 && candidates.is_some()).then_some(miss.more);
    failure
        .with("path", miss.path.as_ref().map(VaultPath::as_str))
        .with("edit", miss.edit)
        .with("candidates", candidates)
        .with("more", more)
}

/// Returns a candidate as JSON. A shortened text has another key than `text`, because it cannot be sent.
fn candidate_json(candidate: &EditCandidate) -> Value {
    let key = if candidate.is_cut { "begins" } else { "text" };
    let mut shown = json!({ "line": candidate.line, key: candidate.text });
    if let Some(difference) = &candidate.difference {
        shown["sent"] = json!(difference.sent);
        shown["note"] = json!(difference.present);
    }
    if let Some(hash) = &candidate.lines_hash {
        shown["linesHash"] = json!(hash);
    }
    shown
}

/// Returns words as a sentence.
pub(super) fn as_sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(char::to_uppercase);
    let end = if words.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    let first = first.into_iter().flatten();
    first.chain(rest).chain(end.chars()).collect()
}
