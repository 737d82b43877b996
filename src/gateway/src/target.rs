//! Resolves the target note of a call.
//!
//! `file=` names a note as a wikilink does. It is resolved here, once, and passed on as `path=`, so
//! that policy and both backends see the same note (`design/path-rules.md`). If several notes match, a read
//! follows the app's rule and warns; a write is refused.

use std::collections::BTreeSet;

use cli_output::Shape;
use vault_engine::{Arg, Editor, EngineError, IndexedVault, Resolution, VaultPath};

use crate::error::Error;
use crate::written_name;
use allowlist::{Call, Effect, EffectSet, ParamKind, Placement, Target};
use backend::{PinnedVault, ResolvedCall, engine_failure};
use protocol::{Failure, Issue, message};
use tiers::{Policy, named_templates, placed_file};

/// Resolves the target: `file=`, or today's daily note. Checks policy for the paths that the app's settings choose: of
/// daily and periodic notes and of templates; the caller checks the other paths. Only to an owner of these settings
/// does a refusal name such a path.
pub(super) fn aim(
    call: Call,
    (vault, policy, is_owner): (&PinnedVault, &Policy, bool),
) -> Result<ResolvedCall, Failure> {
    let mut resolved = ResolvedCall {
        note: None,
        warnings: Vec::new(),
        call,
    };
    if let Some(name) = note_name(&resolved.call) {
        let path = by_name(&name, &mut resolved, vault, policy)?;
        let values = &mut resolved.call.arguments.values;
        values.remove("file");
        values.insert("path".to_owned(), Arg::Path(path));
    }
    spell_out_new_path(&mut resolved.call);
    // `choose` checked new names before the probe. After a rename by `file=` the new path is known
    // only now, so it is checked again.
    refuse_new_name(&resolved.call, vault)?;
    let effects = resolved.call.effects();
    let allowed = |path: &VaultPath, what: &str, effects: EffectSet| {
        policy.check_path(path, effects).map_err(|refused| {
            if is_owner || policy.may_read(path) {
                refused
            } else {
                unnamed(refused, what)
            }
        })
    };
    let templates = templates(&resolved.call, vault, policy, &allowed)?;
    resolved.note = match resolved.call.acts_on() {
        Target::DailyNote => {
            let daily = vault
                .engine
                .daily_path(&vault.now)
                .map_err(engine_failure)?;
            allowed(&daily, "today's daily note", effects)?;
            Some(daily)
        }
        Target::Vault if resolved.call.command.param("period").is_some() => {
            // The command itself reports wrong arguments.
            if let Ok(note) = vault
                .engine
                .periodic_path(&resolved.call.arguments, &vault.now)
            {
                allowed(&note, "the note of this period", effects)?;
            }
            None
        }
        Target::Note => {
            let paths = resolved.call.paths();
            let named = paths.iter().find(|(argument, _)| *argument == "path");
            named.or(paths.first()).map(|(_, path)| path.clone())
        }
        Target::NoteOrVault
        | Target::NewFile
        | Target::Folder
        | Target::Vault
        | Target::ActiveFile
        | Target::App
        | Target::None => None,
    };
    refuse_symlinks(&resolved, templates, vault)?;
    // A read must not write. The app creates today's note if `daily:read` does not find it, and its
    // other reads of a missing daily note are not recorded, so all of them need an existing note.
    // `daily:path` only computes a path.
    let reads_daily = resolved.call.acts_on() == Target::DailyNote
        && !effects.is_mutation()
        && resolved.call.command.output != Shape::Path;
    if let Some(note) = resolved.note.as_ref().filter(|_| reads_daily) {
        vault
            .engine
            .facts(note)
            .map_err(|error| missing_daily(error, note))?;
    }
    Ok(resolved)
}

/// Returns the candidate files for the template of a call, limited to readable ones; fails if there are only closed
/// ones. Refuses a new file whose folder the app chooses if path rules limit where files may be created.
fn templates(
    call: &Call,
    vault: &PinnedVault,
    policy: &Policy,
    allowed: &dyn Fn(&VaultPath, &str, EffectSet) -> Result<(), Failure>,
) -> Result<Vec<VaultPath>, Failure> {
    let mut found = Vec::new();
    let read = EffectSet::from_iter([Effect::Read]);
    if call.command.output == Shape::Templates
        && let Some(folder) = vault.engine.settings().template_folder
        && let Ok(folder) = VaultPath::folder(&folder)
        && !policy.may_list(&folder)
    {
        allowed(&folder, "the template folder", read)?;
    }
    for name in named_templates(call) {
        found.extend(vault.engine.template_paths(name).map_err(engine_failure)?);
    }
    // A base itself decides where its new notes go (`vault-semantics.md` §1.2), so naming it does
    // not help.
    if call.command.placement() == Some(Placement::AppFolder) && !policy.is_unrestricted() {
        let error = Failure::from(Error::FolderOfTheApp(call.command.id.clone()));
        return Err(error.closed_by(policy.settings_of_lists()));
    }
    if let Some(first) = found.first()
        && !found.iter().any(|template| policy.may_read(template))
    {
        allowed(first, "this template", read)?;
    }
    found.retain(|template| policy.may_read(template) && vault.engine.sees(template));
    Ok(found)
}

/// Returns a refusal without the path, which only the app's settings name: it may be in a closed folder (`threats.toml`
/// D13).
fn unnamed(mut refused: Failure, what: &str) -> Failure {
    refused.details.remove("path");
    // The changes that open a path name it.
    refused
        .closed_by(Vec::new())
        .say(format!("The path rules do not allow {what}."))
        .hint(
            "The owner of the vault can change the path rules, or choose another folder or \
            template in Obsidian's settings.",
        )
}

/// Replaces the arguments that the app would complete by the full path of the new file, with its
/// extension. The app adds no `.md` to a name with a dot in it (`official-cli.md` §5.1), and the
/// completed path could name a symlink that was never checked.
fn spell_out_new_path(call: &mut Call) {
    let (Some(placement), Some(path)) = (call.command.placement(), placed_file(call)) else {
        return;
    };
    let values = &mut call.arguments.values;
    match placement {
        Placement::AsNamed => {
            values.remove("name");
            values.insert("path".to_owned(), Arg::Path(path));
        }
        Placement::NewName => {
            values.insert("name".to_owned(), Arg::Text(path.name().to_owned()));
        }
        // Without a dot in it the app would take the path for a folder.
        Placement::Destination if !path.as_str().contains('.') => {}
        Placement::Destination | Placement::PartOfNote => {
            values.insert("to".to_owned(), Arg::Path(path));
        }
        Placement::AppFolder
        | Placement::Planned
        | Placement::WholeFolder
        | Placement::IntoNote => {}
    }
}

/// Whether the call has a name that [`check_names`] checks.
pub(super) fn has_names(call: &Call) -> bool {
    let is_name = |key: &String| {
        let kind = call.command.param(key).map(|param| &param.kind);
        matches!(kind, Some(ParamKind::NoteName | ParamKind::Template))
    };
    !call.paths().is_empty()
        || call.arguments.values.keys().any(is_name)
        || placed_file(call).is_some()
}

/// Refuses invalid names, both to look up (`threats.toml` B10, D01, D09, D10) and for new files. Runs
/// before any process starts.
pub(super) fn check_names(call: &Call, vault: &PinnedVault) -> Result<(), Failure> {
    for (_, path) in call.paths() {
        vault
            .engine
            .check_requested(&path)
            .map_err(engine_failure)?;
    }
    for (key, value) in &call.arguments.values {
        let kind = call.command.param(key).map(|param| &param.kind);
        let (Some(ParamKind::NoteName | ParamKind::Template), Arg::Text(name)) = (kind, value)
        else {
            continue;
        };
        let is_found = || match kind {
            Some(ParamKind::Template) => vault
                .engine
                .template_paths(name)
                .is_ok_and(|paths| paths.iter().any(|path| vault.engine.is_there(path))),
            _ => vault.file_named(name).is_some(),
        };
        if let Ok(path) = VaultPath::file(name)
            && let Err(error) = vault.engine.check_requested(&path)
            && !is_found()
        {
            return Err(engine_failure(error));
        }
    }
    refuse_new_name(call, vault)
}

/// Refuses names that a new file or folder may not have, on both backends alike
/// (`vault-semantics.md` §7.2, `threats.toml` B10, D09). An existing file keeps its name when it is
/// moved or overwritten, even if a new file could not have that name.
fn refuse_new_name(call: &Call, vault: &PinnedVault) -> Result<(), Failure> {
    let Some(path) = placed_file(call) else {
        return Ok(());
    };
    let keeps_its_name = call.command.moves_a_file()
        && call.paths().iter().any(|(argument, from)| {
            *argument == "path" && from.name().to_lowercase() == path.name().to_lowercase()
        });
    let writes_over = call.arguments.flags.contains("overwrite") && vault.engine.is_there(&path);
    if keeps_its_name || writes_over {
        return Ok(());
    }
    Editor(&vault.engine)
        .check_new_path(&path)
        .map_err(engine_failure)
}

/// The value of `file=` if the command takes a note name there.
fn note_name(call: &Call) -> Option<String> {
    let param = call.command.param("file")?;
    let name = call
        .arguments
        .param("file")
        .filter(|_| param.kind == ParamKind::NoteName);
    name.map(str::to_owned)
}

/// Returns the file of this name. In the commands about bases a name may leave out `.base`, and then means the base
/// rather than a note of the name.
fn resolve_name(name: &str, call: &Call, vault: &PinnedVault) -> Result<Resolution, Failure> {
    let find = |name: &str| {
        let lookup = IndexedVault(&vault.engine)
            .resolve(name)
            .map_err(engine_failure)?;
        Ok::<_, Failure>(lookup.resolution)
    };
    if let Some(extension) = own_extension(call) {
        let found = find(&format!("{name}{extension}"))?;
        if matches!(found, Resolution::Found(_)) {
            return Ok(found);
        }
    }
    find(name)
}

/// Returns the extension of the files that `file` names, if the command is about bases or canvases.
pub(super) fn own_extension(call: &Call) -> Option<&'static str> {
    match (call.command.group.as_str(), call.command.output.name()) {
        ("bases", _) => Some(".base"),
        (_, "canvas") => Some(".canvas"),
        _ => None,
    }
}

fn by_name(
    name: &str,
    resolved: &mut ResolvedCall,
    vault: &PinnedVault,
    policy: &Policy,
) -> Result<VaultPath, Failure> {
    let resolution = resolve_name(name, &resolved.call, vault)?;
    let found = match resolution {
        Resolution::Found(found) => found,
        Resolution::Missing => {
            // A name never finds a hidden file, whether the file exists or not.
            if let Ok(path) = VaultPath::file(name)
                && path.is_hidden()
            {
                policy.check_path(&path, resolved.call.effects())?;
            }
            // Nor does it find a symlink, a pipe, a socket or a device.
            let named = [name.to_owned(), format!("{name}.md")];
            let named = named.iter().filter_map(|name| VaultPath::file(name).ok());
            for path in named.filter(|path| policy.may_read(path)) {
                refuse_symlink(&path, false, vault)?;
            }
            let is_folder = VaultPath::folder(name)
                .is_ok_and(|path| vault.engine.is_there(&path) && policy.may_list(&path));
            let other = written_name::instead(name);
            let own = own_extension(&resolved.call);
            let next = if is_folder {
                message!(
                    "A folder has this name. To list the files of the folder, use {files} with `folder`."
                )
            } else if let Some(other) = other {
                other
            } else if name.contains('*') {
                message!(
                    "The path cannot contain `*`. List the files with {notes:list}, then pass the path of each file."
                )
            } else if own == Some(".base") {
                message!("Look up the exact path with {bases}.")
            } else {
                message!("Find the note with {notes:search}, then pass its exact `path`.")
            };
            let kind = if name.contains('.') {
                "file"
            } else {
                own.map_or("note", |own| own.trim_start_matches('.'))
            };
            return Err(Error::NoSuchFile(kind, name.to_owned(), next).into());
        }
    };
    let path = found.path;
    if found.others.is_empty() {
        return Ok(path);
    }
    let candidates = found.others.iter().chain([&path]);
    let candidates: BTreeSet<String> = candidates.map(VaultPath::to_string).collect();
    let candidates: Vec<String> = candidates.into_iter().collect();
    if found.unstable || resolved.call.effects().has_plan() {
        return Err(Error::SeveralNotes(candidates).into());
    }
    resolved.warnings.push(
        Issue::new(
            "AMBIGUOUS_NAME",
            format!(
                "{} notes have this name. vault-gw used the note with the shortest path, as the \
                app does.",
                candidates.len()
            ),
        )
        .with_path(path.as_str())
        .with("candidates", candidates.clone()),
    );
    Ok(path)
}

/// Refuses a path that leads through a symlink, which the app would follow out of the vault
/// (`threats.toml` D03). With `follow_symlinks` on, only changes are refused. A read of a pipe, a socket or a device is
/// refused too. The backend reports a path that does not exist.
fn refuse_symlinks(
    resolved: &ResolvedCall,
    templates: Vec<VaultPath>,
    vault: &PinnedVault,
) -> Result<(), Failure> {
    let named = resolved.call.paths().into_iter().map(|(_, path)| path);
    let paths: BTreeSet<VaultPath> = named
        .chain(resolved.note.clone())
        .chain(templates)
        .collect();
    let writes = resolved.call.effects().is_mutation();
    let mut paths = paths.iter();
    paths.try_for_each(|path| refuse_symlink(path, writes, vault))
}

/// As [`refuse_symlinks`], for one path.
fn refuse_symlink(path: &VaultPath, writes: bool, vault: &PinnedVault) -> Result<(), Failure> {
    let looked = if writes {
        vault.engine.refuse_symlinks(path)
    } else {
        vault.engine.facts(path).map(|_| ())
    };
    match looked {
        Err(error @ (EngineError::Symlink { .. } | EngineError::NotRegular { .. })) => {
            Err(engine_failure(error))
        }
        _ => Ok(()),
    }
}

fn missing_daily(error: EngineError, note: &VaultPath) -> Failure {
    match error {
        EngineError::Refused(_) => {
            engine_failure(EngineError::DailyNoteMissing { path: note.clone() })
        }
        other => engine_failure(other),
    }
}
