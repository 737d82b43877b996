//! Path scopes on answers: what lies outside the readable folders never leaves the gateway
//! (`faults.md` D13).
//!
//! A list is filtered and the rest counted. An answer that does not say which files it comes from
//! cannot be filtered, so under a restricted scope such a command is refused before it runs.

use cli_output::{Answer, List, Shape, Total};
use vault_engine::VaultPath;

use super::envelope::Envelope;
use super::target::Aimed;
use crate::allowlist::{Call, Target, Value};
use crate::backend::{Captured, PinnedVault, Plan, Produced};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::tiers::Policy;

/// Makes the call print what the filter needs: the files behind every row.
#[expect(
    clippy::unnested_or_patterns,
    reason = "the shapes of our own commands are listed once, elsewhere"
)]
pub(super) fn narrow(aimed: Aimed, policy: &Policy) -> Result<Plan, Failure> {
    let Aimed {
        call,
        note,
        warnings,
    } = aimed;
    let mut plan = Plan {
        asked: call.as_cli_arguments(),
        call,
        note,
        warnings,
    };
    // Our own commands are handed what may be read (`Sight`).
    if policy.reads_everything()
        || plan.call.command.is_ours()
        || tells_of_one_note_only(&plan.call)
    {
        return Ok(plan);
    }
    let arguments = &mut plan.call.arguments;
    match plan.call.command.output {
        Shape::Files
        | Shape::Folders
        | Shape::Recents
        | Shape::Orphans
        | Shape::Deadends
        | Shape::Bases
        | Shape::Search
        | Shape::SearchContext
        | Shape::RandomNote => {
            arguments.flags.remove("total");
        }
        Shape::Aliases | Shape::Unresolved => {
            arguments.flags.remove("total");
            arguments.flags.insert("verbose".to_owned());
        }
        Shape::Tasks => {
            arguments.flags.remove("total");
            arguments
                .values
                .insert("format".to_owned(), Value::Text("json".to_owned()));
        }
        Shape::Tag => {
            arguments.flags.remove("total");
            arguments.flags.remove("verbose");
        }
        // The total counts links, several of which may stand in one note.
        Shape::Backlinks if arguments.flags.remove("total") => {
            arguments.flags.insert("counts".to_owned());
        }
        // `random` shows any note and prints its path.
        Shape::Confirmation if plan.call.acts_on() == Target::Vault => {
            return Err(unlimited(&plan.call));
        }
        // These say nothing of what notes hold, or name the file in every row.
        Shape::Backlinks
        | Shape::Links
        | Shape::Confirmation
        | Shape::Path
        | Shape::VaultInfo
        | Shape::Vaults
        | Shape::Version
        | Shape::Plugins
        | Shape::PluginInfo
        | Shape::Commands => {}
        Shape::NoteText
        | Shape::FileInfo
        | Shape::FolderInfo
        | Shape::Properties
        | Shape::PropertyValue
        | Shape::Tags
        | Shape::Outline
        | Shape::WordCount
        | Shape::BaseViews
        | Shape::BaseRows
        | Shape::Templates
        | Shape::Tabs
        | Shape::Workspaces
        | Shape::History
        | Shape::Raw
        | cli_output::our_shapes!() => return Err(unlimited(&plan.call)),
    }
    Ok(plan)
}

fn unlimited(call: &Call) -> Failure {
    let instead = if call.acts_on() != Target::Note && call.command.param("file").is_some() {
        "Name one note with `path=`."
    } else {
        "Read the notes that are open to you one by one; `files` lists them."
    };
    Failure::new(
        Code::PathDenied,
        format!(
            "`{}` answers for more than the folders that are open to you and cannot be limited to them. {instead}",
            call.command.id
        ),
    )
}

/// Whether all that the answer tells stands in the one note whose path the gate has checked. Links
/// lead to other notes, and a base shows the properties of any note.
fn tells_of_one_note_only(call: &Call) -> bool {
    if matches!(
        call.command.output,
        Shape::Links | Shape::Backlinks | Shape::BaseRows
    ) {
        return false;
    }
    match call.acts_on() {
        Target::DailyNote | Target::Note | Target::NewFile | Target::ActiveFile | Target::None => {
            true
        }
        Target::NoteOrVault | Target::Folder | Target::Vault | Target::App => false,
    }
}

/// Drops what may not be read, and prints the answer anew if anything was dropped or if it was
/// made to print more than was asked.
pub(super) fn filter(
    mut produced: Produced,
    plan: &Plan,
    vault: &PinnedVault,
    policy: &Policy,
    hide_other_vaults: bool,
) -> Result<Produced, Failure> {
    if plan.call.command.is_ours() {
        return Ok(produced);
    }
    let needs_filter = !policy.reads_everything() && !tells_of_one_note_only(&plan.call);
    let Ok(outcome) = &mut produced.outcome else {
        return Ok(if needs_filter {
            without_output(produced)
        } else {
            produced
        });
    };
    let mut dropped = 0;
    let mut changed = plan.call.as_cli_arguments() != plan.asked;
    if hide_other_vaults && plan.call.command.output == Shape::Vaults && outcome.is_none() {
        return Err(withheld());
    }
    if let Some(Answer::Vaults(vaults)) = outcome
        && hide_other_vaults
    {
        let here = vault.root().to_string_lossy();
        for item in &mut vaults.items {
            if item.path.as_deref().is_some_and(|path| path != here) {
                item.path = None;
                changed = true;
            }
        }
    }
    if !policy.reads_everything() {
        match outcome {
            Some(answer) => match retain(answer, policy) {
                Ok(count) => dropped = count,
                Err(Withheld) => return Err(withheld()),
            },
            // Text that could not be read as an answer cannot be filtered either.
            None if needs_filter => return Err(withheld()),
            None => {}
        }
    }
    if let Some(answer) = outcome
        && plan.asked.flag("total")
        && let Some(total) = count(answer)
    {
        *answer = Answer::Total(Total { total });
    }
    if let Some(answer) = outcome
        && (dropped > 0 || changed)
    {
        let text = cli_output::render(answer, plan.call.command.output, &printable(answer, plan));
        let omitted = produced.stdout.omitted();
        produced.stdout = Captured::of(text.into_bytes(), usize::MAX);
        // What was cut before stays missing.
        produced.stdout.total += omitted;
        produced.exact_text = None;
    }
    if dropped > 0 {
        produced.warnings.push(
            Issue::new(
                "OUTSIDE_SCOPE",
                format!(
                    "{dropped} results outside the folders that are open to you were left out."
                ),
            )
            .with("dropped", dropped),
        );
    }
    Ok(produced)
}

/// What was asked, without what the narrowed answer cannot tell: how often a tag occurs in notes that
/// are closed is nobody's business, and no number would be true.
fn printable(answer: &Answer, plan: &Plan) -> cli_output::Arguments {
    let mut asked = plan.asked.clone();
    if matches!(answer, Answer::TagFiles(tag) if tag.count.is_none()) {
        asked.flags.remove("verbose");
    }
    asked
}

/// Drops what would be told of notes that may not be read: to the caller they are not there, so
/// nothing can be wrong with them.
pub(super) fn hide_what_is_closed(envelope: &mut Envelope, policy: &Policy) {
    if policy.reads_everything() {
        return;
    }
    for issues in [
        &mut envelope.warnings,
        &mut envelope.violations,
        &mut envelope.advice,
    ] {
        issues.retain(|issue| may_be_told(issue, policy));
    }
}

fn may_be_told(issue: &Issue, policy: &Policy) -> bool {
    // A name that is no path of the vault is closed by no rule, and opened by none.
    if issue.code == "NAME_UNUSABLE" {
        return false;
    }
    let Some(path) = &issue.path else {
        return true;
    };
    match issue.code {
        // About the vault's settings, whose folder nobody may read and everybody knows.
        "CONFIG_IGNORED" => true,
        "FOLDER_UNREADABLE" => VaultPath::folder(path).is_ok_and(|folder| policy.may_list(&folder)),
        _ => VaultPath::file(path).is_ok_and(|file| policy.may_read(&file)),
    }
}

/// The one path an answer is about may not be read.
struct Withheld;

fn withheld() -> Failure {
    Failure::new(
        Code::PathDenied,
        "The answer comes from outside the folders that are open to you and was withheld.",
    )
}

/// A failed run may have printed rows before it failed, and nobody can filter half an answer.
fn without_output(produced: Produced) -> Produced {
    Produced {
        stdout: Captured::default(),
        stderr: Captured::default(),
        exact_text: None,
        ..produced
    }
}

/// Keeps the rows whose file is readable; tells how many went.
fn retain(answer: &mut Answer, policy: &Policy) -> Result<usize, Withheld> {
    let readable = |path: &str| VaultPath::file(path).is_ok_and(|path| policy.may_read(&path));
    let listable = |path: &str| VaultPath::folder(path).is_ok_and(|path| policy.may_list(&path));
    Ok(match answer {
        Answer::Files(list) => keep(list, |item| readable(&item.path)),
        Answer::Folders(list) => keep(list, |item| listable(&item.path)),
        Answer::Backlinks(list) => keep(list, |item| readable(&item.path)),
        Answer::SearchContext(list) => keep(list, |item| readable(&item.path)),
        Answer::TagFiles(tag) => {
            tag.count = None;
            keep(&mut tag.files, |item| readable(&item.path))
        }
        Answer::Links(list) => keep(list, |item| match item {
            cli_output::LinkItem::File { path } => readable(path),
            cli_output::LinkItem::Unresolved { .. } => true,
        }),
        Answer::Tasks(list) => keep(list, |item| item.path.as_deref().is_none_or(readable)),
        Answer::Aliases(list) => {
            for item in &mut list.items {
                item.paths
                    .get_or_insert_default()
                    .retain(|path| readable(path));
            }
            keep(list, |item| {
                item.paths.as_ref().is_some_and(|paths| !paths.is_empty())
            })
        }
        Answer::Unresolved(list) => {
            for item in &mut list.items {
                item.count = None;
                item.sources
                    .get_or_insert_default()
                    .retain(|path| readable(path));
            }
            keep(list, |item| {
                item.sources
                    .as_ref()
                    .is_some_and(|sources| !sources.is_empty())
            })
        }
        Answer::RandomNote(note) if !readable(&note.path) => return Err(Withheld),
        Answer::RandomNote(_)
        | Answer::Confirmation(_)
        | Answer::NoteText(_)
        | Answer::Path(_)
        | Answer::FileInfo(_)
        | Answer::FolderInfo(_)
        | Answer::VaultInfo(_)
        | Answer::Vaults(_)
        | Answer::PropertyNames(_)
        | Answer::PropertyCount(_)
        | Answer::NoteProperties(_)
        | Answer::PropertyValue(_)
        | Answer::Tags(_)
        | Answer::Outline(_)
        | Answer::WordCount(_)
        | Answer::BaseViews(_)
        | Answer::BaseRows(_)
        | Answer::Templates(_)
        | Answer::Plugins(_)
        | Answer::PluginInfo(_)
        | Answer::Tabs(_)
        | Answer::Workspaces(_)
        | Answer::Commands(_)
        | Answer::Version(_)
        | Answer::History(_)
        | Answer::Raw(_)
        | Answer::Total(_)
        | Answer::Ours(_) => 0,
    })
}

fn keep<T>(list: &mut List<T>, wanted: impl FnMut(&T) -> bool) -> usize {
    let before = list.items.len();
    list.items.retain(wanted);
    let dropped = before - list.items.len();
    list.total = list.total.saturating_sub(dropped);
    list.returned = list.items.len();
    dropped
}

/// The rows of a list that was asked for its `total` and made to print its rows.
fn count(answer: &Answer) -> Option<usize> {
    if let Answer::Backlinks(list) = answer {
        return list.items.iter().map(|item| item.count).sum();
    }
    let object = serde_json::to_value(answer).ok()?;
    object
        .get("total")
        .or_else(|| object.pointer("/files/total"))?
        .as_u64()?
        .try_into()
        .ok()
}
