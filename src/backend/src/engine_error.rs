//! Converts errors of the engine to failures. Only vault paths appear in them, never paths of this
//! machine.

use serde_json::{Value, json};
use vault_engine::{EditCandidate, EditMiss, EngineError, MissKind, VaultPath, Warning};

use super::app_error;
use allowlist::{bad_characters, name_instead, nearest, shown};
use protocol::code::Code;
use protocol::failure::{Failure, NO_DAILY_NOTE, NOT_UTF8};
use protocol::message::{Message, did_you_mean_or, either, for_person, for_program, message};

/// The `reason` of a failure because another program is writing the file.
pub const BEING_WRITTEN: &str = "being-written";

/// Returns the failure for an error: adds its code and what to do next.
#[expect(clippy::too_many_lines, reason = "one arm for each error")]
pub fn engine_failure(error: EngineError) -> Failure {
    let text = format!("{}.", sentence(&error.to_string()));
    let says = |code: Code, next: &str| code.failure(text.as_str()).hint(next);
    match error {
        EngineError::App(error) => app_error::failure(&error),
        EngineError::NotServed { command } => Code::RequiresApp
            .failure(format!("Only the running app can answer `{command}`."))
            .hint("Start Obsidian and open this vault."),
        EngineError::Root { .. } => Code::VaultNotFound.failure(
            "The vault's folder does not exist or cannot be read.",
        )
        .hint(check_vault()),
        EngineError::Path {
            reason: vault_engine::PathError::Escape,
            ..
        } => says(
            Code::PathEscape,
            "Pass a path relative to the vault's root.",
        ),
        EngineError::Path {
            reason: vault_engine::PathError::SeveralSpellings,
            ..
        } => says(Code::AmbiguousTarget, "Nothing was changed. Rename one of the files, then try again."),
        EngineError::Path {
            text: path,
            reason: vault_engine::PathError::Character(_),
        } if !bad_characters(&path).is_empty() => Code::UsageError
            .failure(format!(
                "`{}` is not a vault path: a file name cannot contain {}.",
                shown(&path),
                either(&bad_characters(&path))
            ))
            .hint(format!(
                "Pass a path such as `{}`.",
                shown(&name_instead(&path.replace('\\', "/")))
            )),
        EngineError::Path { .. } => says(Code::UsageError, "Pass a path such as `notes/a.md`."),
        EngineError::Symlink { path } => says(
            Code::PathEscape,
            "Pass the path of the symlink's target, if the target is in the vault.",
        )
        .with("path", path.as_str()),
        EngineError::NotRegular { path } => {
            says(Code::IoError, "Choose another file.")
                .with("path", path.as_str())
                .with("reason", NOT_REGULAR)
        }
        EngineError::TooLarge { path, limit } => says(
            Code::IoError,
            "Choose a smaller file, or split this file.",
        )
        .with("path", path.as_str())
        .with("limit", limit),
        EngineError::TooLargeToHold { path, size, limit } => says(
            Code::ValidationError,
            "Nothing was changed. Split the file, or read it in parts.",
        )
        .with("path", path.as_str())
        .with("size", size)
        .with("limit", limit),
        EngineError::Planned { path, .. } => Code::DraftDamaged
            .failure(text)
            .hint("The draft was left unchanged.")
            .with("path", path.as_str()),
        EngineError::Io { path, .. } => {
            says(Code::IoError, "Check the permissions of the file, and check the disk for errors.").with("path", path.as_str())
        }
        EngineError::Write { path, .. } => says(
            Code::IoError,
            "Nothing was changed. Check the permissions of the file and the free space on the disk.",
        )
        .with("path", path.as_str()),
        EngineError::Changed { path } => says(
            Code::PreconditionFailed,
            "Nothing was changed. Read the file again.",
        )
        .with("path", path.as_str()),
        EngineError::BeingWritten { path } => {
            says(Code::Busy, "Nothing was changed. Try again in a moment.")
                .with("path", path.as_str())
                .with("reason", BEING_WRITTEN)
        }
        EngineError::HalfDone { path, .. } => says(
            Code::IoError,
            "The next call restores the file from the journal.",
        )
        .with("path", path.as_str()),
        EngineError::NotText { path } => says(
            Code::UnrepresentableContent,
            if path.is_note() {
                "Nothing was changed. Convert the note to UTF-8 first."
            } else {
                "Nothing was changed. Only text files can be changed."
            },
        )
        .with("reason", NOT_UTF8)
        .with("path", path.as_str()),
        EngineError::Properties { path, .. } => Code::InvalidFrontmatter
        .failure(text)
        .hint(message!("Nothing was changed. First correct the YAML at the start of the note: use {note:edit} with `frontmatter`."))
        .with("path", path.as_str()),
        EngineError::SettingsUnusable { warning } => {
            let next = if matches!(*warning, Warning::ConfigFolderUnclear { .. }) {
                "Nothing was changed. The owner of the vault can set `config_folder` in the settings to the folder that Obsidian uses."
            } else {
                "Nothing was changed. Ask the owner of the vault to correct the file."
            };
            says(Code::ConfigInvalid, next).with("path", warning.path().as_str())
        }
        EngineError::NoTrash => says(
            Code::ValidationError,
            "Nothing was changed. To delete permanently, also pass `permanent`.",
        ),
        EngineError::PropertyValue { name, .. } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was changed. To change the type of the property, use {property:set} with `type`."))
        .with("name", name),
        EngineError::UnquotedLink { path, name, .. } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was changed. First write the links in quotes: use {property:set} with a list such as `[\"[[a]]\", \"[[b]]\"]` as `value`."))
        .with("path", path.as_str())
        .with("name", name),
        EngineError::DailyNoteMissing { path } => Code::FileNotFound
        .failure(text)
        .hint(message!("To create the daily note, use {daily:append}."))
        .with("reason", NO_DAILY_NOTE)
        .with("path", path.as_str()),
        EngineError::TaskMissing { path, tasks, .. } => {
            let failure = Code::ValidationError.failure(text).with("path", path.as_str());
            if tasks.is_empty() {
                failure.hint("The note has no tasks.")
            } else {
                let candidates: Vec<Value> = tasks.iter().map(candidate_json).collect();
                // A person sees the candidates instead.
                let hint = "`candidates` lists the nearest tasks of the note. Pass the `line` of one of them.";
                failure.hint(for_program(hint)).with("candidates", candidates)
            }
        }
        EngineError::TaskRecurs { path, line, text: task, .. } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was changed. When the task is done, the Tasks plugin writes its next instance. To only mark the task, also pass `force`. Add the next instance with {note:edit}."))
        .with("path", path.as_str())
        .with("line", line)
        .with("text", task),
        EngineError::SeriesNotDone { path } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was changed. To complete an occurrence, add its day to `complete_instances` with {property:add}, and set `scheduled` to the day of the next one with {property:set}. To set only the status, also pass `force`."))
        .with("path", path.as_str()),
        EngineError::BoardWithoutLane { path, lanes } => {
            let failure = Code::ValidationError.failure(text).with("path", path.as_str());
            if lanes.is_empty() {
                failure.hint(message!("Nothing was changed. The board has no lanes. Add one with {note:edit}: a heading of level 2."))
            } else {
                let lanes: Vec<Value> = lanes.iter().map(candidate_json).collect();
                failure
                    .hint(message!("Nothing was changed. To add a card, use {note:edit} with a lane as `heading`, `mode` set to `append`, and `content` such as `- [ ] Call Ana`."))
                    .with("candidates", lanes)
            }
        }
        EngineError::AfterDrawing { path, line } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was changed. To add text above the drawing, use {prepend}, or {note:edit} with the lines above its data."))
        .with("path", path.as_str())
        .with("line", line),
        EngineError::Argument { name, .. } => Code::UsageError.failure(text).with("name", name),
        EngineError::ListArgument(error) => {
            let place = error.key.as_deref().filter(|_| error.item.is_none());
            Code::UsageError.failure(match place {
                Some(key) => format!("`{key}` {}.", error.rule),
                None => text,
            })
        }
        EngineError::EditMiss(miss) => edit_miss(&miss),
        EngineError::BodyTooLong { path, .. } => Code::ValidationError
        .failure(text)
        .hint(message!("Read the note with {read}, or split the note."))
        .with("path", path.as_str()),
        EngineError::SectionMissing { path, id, known } => {
            let near = near_headings(&id, &known);
            let failure =
                Code::ValidationError.failure(text).hint(did_you_mean_or(&near, || {
                    message!("List the headings and their ids with {note:outline}.")
                }));
            let failure = if near.is_empty() { failure } else { failure.with("nearest", near) };
            failure.with("path", path.as_str())
        }
        EngineError::NotAnImage { path } => Code::ValidationError
        .failure(text)
        .hint(message!("To read a text file, such as an SVG image, use {read}. Other files cannot be shown."))
        .with("path", path.as_str()),
        EngineError::NoTextFile { path } => Code::ValidationError
        .failure(text)
        .hint(message!("Nothing was written. To add a file that is not text, use {attachment:add}."))
        .with("path", path.as_str()),
        EngineError::NotAnAttachment { path, .. } => {
            says(Code::ValidationError, "Nothing was written.").with("path", path.as_str())
        }
        EngineError::ImageTooLarge { path, size, limit } => says(
            Code::ValidationError,
            "Use a smaller copy of the image.",
        )
        .with("path", path.as_str())
        .with("size", size)
        .with("limit", limit),
        EngineError::Binary { path } => Code::ValidationError
        .failure(text)
        .hint(message!("To read an image, use {image:read}. Other files cannot be shown."))
        .with("path", path.as_str()),
        EngineError::ExportTooLarge { .. } => says(
            Code::ValidationError,
            "Export the notes in parts, with `limit` and `offset`.",
        ),
        EngineError::ExportTaken { paths, .. } => {
            let paths: Vec<&str> = paths.iter().map(VaultPath::as_str).collect();
            says(
                Code::FileExists,
                "Nothing was written. An export does not replace files. Pass another folder as `to`, or ask the owner of the vault to remove the old copies.",
            )
            .with("paths", paths)
        }
        EngineError::ImportTooLarge { .. } => says(
            Code::ValidationError,
            "Import the notes in parts, with `limit` and `offset`.",
        ),
        EngineError::ImportTaken { paths, .. } => {
            let paths: Vec<&str> = paths.iter().map(VaultPath::as_str).collect();
            says(
                Code::FileExists,
                "Nothing was written. An import does not replace files. Pass another folder as `path`.",
            )
            .with("paths", paths)
        }
        EngineError::NameBreaksLinks { path, instead, links } => says(
            Code::ValidationError,
            &format!("Nothing was changed. Use a name such as `{}`. To break the links, set `force`.", instead.name()),
        )
        .with("path", path.as_str())
        .with("instead", instead.as_str())
        .with("links", links),
        EngineError::FolderTaken { path, instead } => says(
            Code::FileExists,
            &format!("Pass the complete new path of the folder, such as `{instead}`."),
        )
        .with("path", path.as_str()),
        EngineError::FolderHoldsMore { path, is_limited } => {
            let (code, next) = if is_limited {
                (Code::PathDenied, "Nothing was changed. Move the notes of the folder one by one, or ask the owner of the vault.")
            } else {
                (Code::ValidationError, "Nothing was changed. Move the notes of the folder one by one, or move the folder with another program.")
            };
            says(code, next).with("path", path.as_str())
        }
        EngineError::DailyPath { .. } => says(
            Code::ValidationError,
            "Correct the folder and the date format of daily notes in Obsidian's settings.",
        ),
        EngineError::Stopped => Code::Cancelled.failure(
            "The call was cancelled. Nothing was changed.",
        ),
        EngineError::RegexTooSlow => says(
            Code::ValidationError,
            "Use a regular expression without nested repetitions such as `(a+)+`.",
        ),
        EngineError::Base { path, line, .. } => {
            says(Code::ValidationError, &format!("Correct line {line}."))
                .with("path", path.as_str())
                .with("line", line)
        }
        EngineError::BaseView { path, view, known } => {
            let near = nearest(&view, known.iter().map(String::as_str));
            let next = did_you_mean_or(&near, || {
                message!("Pass a view that {base:views} lists, or omit `view` to use the first view.")
            });
            Code::ValidationError
                .failure(text)
                .hint(next)
                .with("path", path.as_str())
                .with("views", known)
        }
        EngineError::Condition { .. } => says(
            Code::UsageError,
            "Pass an expression as in the filters of a base, such as `status == \"open\" && file.mtime > now() - \"7d\"`.",
        )
        .with("name", "where"),
        EngineError::BaseTooCostly { path } => says(
            Code::ValidationError,
            "Use simpler expressions, or a filter that matches fewer files.",
        )
        .with("path", path.as_str()),
        EngineError::Collation => Code::InternalError.failure(
            "The built-in sorting rules cannot be loaded. Please report this error.",
        ),
    }
}

/// The hint if the vault cannot be opened.
pub fn check_vault() -> Message {
    message!(
        "Check `vault` in the settings{}.",
        for_person(" or `--vault`")
    )
}

/// Returns the ids of headings that resemble `asked`, or whose id contains the heading's text:
/// `get-started` is the text in `h2-get-started-0002`.
fn near_headings(wanted: &str, known: &[String]) -> Vec<String> {
    let wanted = wanted.split_whitespace().collect::<Vec<_>>().join("-");
    let whole = nearest(&wanted, known.iter().map(String::as_str));
    if !whole.is_empty() {
        return whole;
    }
    let of_text = |id: &'_ String| {
        let (_, rest) = id.split_once('-')?;
        rest.rsplit_once('-').map(|(text, _)| text.to_owned())
    };
    let texts: Vec<String> = known.iter().filter_map(of_text).collect();
    let near = nearest(&wanted, texts.iter().map(String::as_str));
    let is_near = |id: &&String| of_text(id).is_some_and(|text| near.contains(&text));
    known
        .iter()
        .filter(is_near)
        .take(near.len())
        .cloned()
        .collect()
}

/// The `reason` of a failure because a path is not a regular file.
pub const NOT_REGULAR: &str = "not-regular";

/// The next step if a candidate is too long to be shown in full.
const DIFFERENCES: &str = "Correct the difference. In `candidates`, `sent` is your text and `note` is the text of the note. Text that ends with `…` is not complete.";

/// Suggests what to send instead of an edit whose place was not found.
fn advice(miss: &EditMiss) -> Message {
    let set_property = if miss.in_properties {
        message!("To set a property, use {property:set}. ")
    } else {
        Message::default()
    };
    match (miss.kind, &*miss.advice) {
        (MissKind::NotFound, "") if miss.candidates.iter().any(|candidate| candidate.is_cut) => {
            DIFFERENCES.into()
        }
        // A person sees the candidates instead.
        (MissKind::NotFound, "") if !miss.candidates.is_empty() => for_program(
            "`candidates` lists the most similar places. Pass the `text` of one of them.",
        )
        .into(),
        // A person sees the lines with their hash instead.
        (_, advice)
            if miss
                .candidates
                .iter()
                .any(|lines| lines.lines_hash.is_some()) =>
        {
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
        what.push_sentence(format!("{}.", sentence(&miss.to_string())));
        if !is_same {
            what.push_sentence(advice(miss));
        }
    }
    what.push_sentence("Nothing was changed.");
    let mut failure = code.failure(what);
    if is_same {
        failure.add_hint(same);
    }
    if let Some(path) = &miss.path {
        failure = failure.with("path", path.as_str());
    }
    if let Some(edit) = miss.edit {
        failure = failure.with("edit", edit);
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
    let candidates: Vec<Value> = candidates.collect();
    if candidates.is_empty() {
        return failure;
    }
    let failure = failure.with("candidates", candidates);
    if miss.more > 0 {
        failure.with("more", miss.more)
    } else {
        failure
    }
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

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
