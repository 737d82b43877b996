//! `vault:export` (`contracts.md` K25): copies of notes in a folder outside of the vault.
//!
//! An export is planned here as an edit of that folder. It only creates files and never replaces
//! one. A note is exported as stored, or as a page that shows its text without interpreting it.

use std::collections::BTreeSet;

use obsidian_note::sha256::sha256;
use obsidian_note::{VaultPath, Warning, byte_order_mark};
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{Answer, AnswerItem, List, ListNumbers, OwnForm};
use vault_files::page::page_of;
use vault_files::{Args, EngineError, Refusal, Vault, Version};
use vault_index::searched_files::found_below;
use vault_index::target::folder;
use vault_index::{ListedFiles, Target};

use super::change::Change;
use super::edit_command::Edit;
use super::new_file::new_path;
use super::state::State;
use crate::Editor;

/// The answer of `vault:export`. [`plan_export`] plans it against a second folder, so it is in no
/// table of commands.
pub(super) static FORM: OwnForm = OwnForm::new::<List<ExportedNote>>("exported-notes");

/// A note of which there is a copy in the export folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedNote {
    /// The note.
    pub path: String,
    /// The copy, from the export folder on.
    pub output: String,
    /// Bytes of the copy.
    pub size: u64,
    /// Lower-case hexadecimal SHA-256 of the copy, for the audit log. It is not reported: a copy of the
    /// note as it is has the note's own hash.
    #[serde(skip)]
    pub sha256: String,
    /// Whether the copy was made now; false where the very same was there already, and where the note is
    /// left out.
    pub written: bool,
    /// The reason why there is no copy of the note; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

impl AnswerItem for ExportedNote {
    /// Note and copy, or the reason why the note was left out.
    fn cells(&self) -> Vec<String> {
        let copy = match &self.left_out {
            Some(reason) => format!("left out: {reason}"),
            None => self.output.clone(),
        };
        vec![self.path.clone(), copy]
    }
}

/// The only command that is planned here.
const EXPORT: &str = "vault:export";
/// The maximum number of notes of an export unless `limit` is given (`contracts.md` K25).
const LIMIT: usize = 50;
/// The maximum number of bytes of the notes of one export: all of them are in memory until all are written.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum number of paths that the error about taken places names.
const MOST_TAKEN_LISTED: usize = 5;

/// Whether [`plan_export`] plans this command.
pub fn exports(command: &str) -> bool {
    command == EXPORT
}

/// Plans the copies of the chosen notes as an edit of the folder `target`, without changing
/// anything. Notes that lists leave out are chosen only by their names.
///
/// Fails if a path is taken by a symlink, or by anything but an identical copy.
///
/// # Errors
///
/// If an argument is wrong, the target is not a folder outside of the vault, or a note cannot be read.
pub fn plan_export(vault: &Vault, target: &Vault, arguments: &Args) -> Result<Edit, EngineError> {
    let (notes, mut warnings) = chosen_notes(vault, arguments)?;
    let page = page_of(notes, arguments, LIMIT);
    check_size(vault, &page.items)?;
    let mut copies = Copies::from_arguments(target, arguments)?;
    let is_one = arguments.has("path") || arguments.has("file");
    let mut shown = Vec::with_capacity(page.items.len());
    let ListNumbers { total, offset, .. } = page.numbers();
    for path in page.items {
        vault.disk().cancellation().check()?;
        match vault.read_note(&path) {
            Ok(note) => {
                let bytes = if copies.is_html {
                    warnings.extend(note.not_utf8());
                    html(path.basename(), &note.text).into_bytes()
                } else {
                    note.bytes
                };
                shown.push(copies.put(&path, bytes)?);
            }
            // A single note was asked for by name, so its error is the answer.
            Err(error) if is_one => return Err(error),
            Err(error @ EngineError::Stopped) => return Err(error),
            Err(error) => {
                let reason = error.to_string();
                shown.push(ExportedNote {
                    path: path.to_string(),
                    output: copies.output(&path)?.to_string(),
                    size: 0,
                    sha256: String::new(),
                    written: false,
                    left_out: Some(reason.clone()),
                });
                warnings.push(Warning::NoteUnreadable { path, reason });
            }
        }
    }
    let changes = copies.finished()?;
    let answer = Answer::from(List::part(shown, offset, total));
    Ok(Edit::new(answer, changes, warnings))
}

/// Returns the notes to export, in byte order of their paths, with the warnings about them.
fn chosen_notes(
    vault: &Vault,
    arguments: &Args,
) -> Result<(Vec<VaultPath>, Vec<Warning>), EngineError> {
    if arguments.has("path") || arguments.has("file") {
        let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
        return Ok((vec![target.path], target.warnings));
    }
    let (mut notes, warnings): (Vec<VaultPath>, _) = if arguments.has("query") {
        let found = found_below(vault, arguments, "folder")?;
        let files = found.files.into_iter().map(|file| file.path);
        (files.collect(), found.warnings)
    } else if arguments.has("folder") {
        let folder = folder(arguments, "folder");
        let sizes = ListedFiles::read(vault)?;
        let files = sizes.files.into_iter().map(|(path, _)| path);
        let below = files.filter(|path| path.is_below(&folder));
        (below.collect(), sizes.warnings)
    } else {
        return Err(EngineError::argument(
            "path",
            "given, or `folder` or `query`; `folder=/` is the whole vault",
        ));
    };
    notes.retain(VaultPath::is_note);
    notes.sort_unstable();
    Ok((notes, warnings))
}

/// Fails if the notes are too large to be kept in memory. A note whose size cannot be read is reported when it is read.
fn check_size(vault: &Vault, notes: &[VaultPath]) -> Result<(), EngineError> {
    let size = |path| vault.facts(path).map_or(0, |facts| facts.size);
    let bytes = notes.iter().map(size).fold(0, u64::saturating_add);
    if bytes > MAX_BYTES {
        return Err(EngineError::ExportTooLarge { limit: MAX_BYTES });
    }
    Ok(())
}

fn html(title: &str, text: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n</head>\n<body>\n<pre>\n{}</pre>\n</body>\n</html>\n",
        escaped(title),
        escaped(byte_order_mark::strip(text)),
    )
}

/// Returns the text with HTML's special characters escaped.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// The steps that make the copies, and the paths that are taken.
struct Copies<'target> {
    target: &'target Vault,
    /// Whether the copies are HTML pages that show the text and run none of it, rather than the notes as stored.
    is_html: bool,
    /// The folder of this export in the target.
    top: VaultPath,
    folders: Vec<Change>,
    /// Folders that exist or are planned.
    known: BTreeSet<VaultPath>,
    files: Vec<Change>,
    taken: Vec<VaultPath>,
}

impl<'target> Copies<'target> {
    fn from_arguments(target: &'target Vault, arguments: &Args) -> Result<Self, EngineError> {
        let top = match arguments.text("to") {
            Some(name) => new_path(name)?,
            None => VaultPath::root(),
        };
        Ok(Self {
            target,
            is_html: arguments.text("as") == Some("html"),
            top,
            folders: Vec::new(),
            known: BTreeSet::new(),
            files: Vec::new(),
            taken: Vec::new(),
        })
    }

    /// Plans the copy of one note.
    fn put(&mut self, note: &VaultPath, bytes: Vec<u8>) -> Result<ExportedNote, EngineError> {
        let output = self.output(note)?;
        let version = Version::from_bytes(&bytes);
        let state = self.state(&output)?;
        let written = state == State::Absent;
        let text = ExportedNote {
            path: note.to_string(),
            output: output.to_string(),
            size: version.size,
            sha256: sha256(&bytes),
            written,
            left_out: None,
        };
        if written {
            self.files.push(Change::Create {
                path: output,
                after: bytes,
            });
        } else if state.version() != Some(version) {
            self.taken.push(output);
        }
        Ok(text)
    }

    /// Returns the path of the copy: the path of the note, below the folder of this export.
    fn output(&self, note: &VaultPath) -> Result<VaultPath, EngineError> {
        let mut name = note.name().to_owned();
        if self.is_html {
            // An extension not spelled `md` is kept, so that two notes never get the same name.
            name = format!("{}.html", name.strip_suffix(".md").unwrap_or(&name));
        }
        let parent = note.parent();
        EngineError::path_below(&self.top, parent.components().chain([name.as_str()]))
    }

    /// Returns the state at a path; plans its missing folders. If a file is in the place of a folder, returns the state
    /// of that file.
    fn state(&mut self, output: &VaultPath) -> Result<State, EngineError> {
        let parent = output.parent();
        for count in 1..=parent.components().count() {
            let folder = parent.beginning(count);
            if self.known.contains(&folder) {
                continue;
            }
            match Editor(self.target).state_at(&folder)? {
                State::Folder => {}
                State::Absent => self.folders.push(Change::MakeFolder {
                    path: folder.clone(),
                }),
                file @ State::File { .. } => return Ok(file),
            }
            self.known.insert(folder);
        }
        Editor(self.target).state_at(output)
    }

    /// Returns all steps, folders first; an error if paths are taken.
    fn finished(self) -> Result<Vec<Change>, EngineError> {
        if self.taken.is_empty() {
            return Ok(self.folders.into_iter().chain(self.files).collect());
        }
        Err(EngineError::ExportTaken {
            count: self.taken.len(),
            paths: self.taken.into_iter().take(MOST_TAKEN_LISTED).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::testing::parsed;
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::*;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("export_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    struct Folder {
        /// Keeps the folder until the end of the test.
        _place: tempfile::TempDir,
        vault: Vault,
    }

    fn folder(files: &[(&str, &str)]) -> Folder {
        let place = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = place.path().join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        let vault = Vault::open(place.path()).unwrap();
        Folder {
            _place: place,
            vault,
        }
    }

    fn plan(vault: &Vault, target: &Folder, line: &str) -> Result<Edit, EngineError> {
        let (_, arguments) = parsed(&format!("vault:export {line}"));
        plan_export(
            &without_sight_of(vault, "hidden"),
            &target.vault,
            &arguments,
        )
    }

    fn items(edit: &Edit) -> Vec<Value> {
        let data = serde_json::to_value(&edit.answer).unwrap();
        assert_eq!(data["returned"], data["items"].as_array().unwrap().len());
        data["items"].as_array().unwrap().clone()
    }

    fn outputs(edit: &Edit) -> Vec<String> {
        let output = |item: &Value| item["output"].as_str().unwrap().to_owned();
        items(edit).iter().map(output).collect()
    }

    #[test]
    fn copies_are_byte_for_byte_at_the_notes_own_places() {
        let (_place, vault) = vault(&NOTES);
        let target = folder(&[]);
        let edit = plan(&vault, &target, "folder=/ to=Mine").unwrap();
        assert_eq!(outputs(&edit), ["Mine/a.md", "Mine/b/c.md", "Mine/b/d.md"]);
        Editor(&target.vault).apply(&edit.changes, "run").unwrap();
        for (path, text) in NOTES
            .iter()
            .filter(|(path, _)| *path == "a.md" || *path == "b/c.md")
        {
            let copy = fs_err::read(target.vault.root().join("Mine").join(path)).unwrap();
            assert_eq!(copy, text.as_bytes());
        }
        assert!(!target.vault.root().join("Mine/hidden").exists());

        // The same export again has nothing to write.
        let again = plan(&vault, &target, "folder=/ to=Mine").unwrap();
        assert_eq!(again.changes, []);
        assert!(items(&again).iter().all(|item| item["written"] == false));
    }

    #[test]
    fn d13_what_is_chosen_may_be_seen_and_is_a_note() {
        let (_place, vault) = vault(&NOTES);
        let target = folder(&[]);
        let of = |line: &str| outputs(&plan(&vault, &target, line).unwrap());
        assert_eq!(of("folder=b"), ["b/c.md", "b/d.md"]);
        assert_eq!(of("query=word"), ["a.md", "b/c.md"]);
        assert_eq!(of("query=word folder=b"), ["b/c.md"]);
        assert_eq!(of("path=Archive/old.md"), ["Archive/old.md"], "by its name");
        assert_eq!(of("folder=none"), [""; 0]);
        let page = plan(&vault, &target, "folder=/ limit=1 offset=1").unwrap();
        let data = serde_json::to_value(&page.answer).unwrap();
        assert_eq!(
            [&data["total"], &data["offset"], &data["truncated"]],
            [&json!(3), &json!(1), &json!(true)]
        );
        assert_eq!(outputs(&page), ["b/c.md"]);
        for wrong in tables::lines(CASES, "d13 what is chosen may be seen") {
            assert!(plan(&vault, &target, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_shows_the_text_and_runs_nothing() {
        let (_place, vault) = vault(&[NOTES[2], ("b.MD", "x")]);
        let target = folder(&[]);
        let edit = plan(&vault, &target, "folder=/ as=html").unwrap();
        assert_eq!(outputs(&edit), ["a.html", "b.MD.html"]);
        Editor(&target.vault).apply(&edit.changes, "run").unwrap();
        let page = fs_err::read_to_string(target.vault.root().join("a.html")).unwrap();
        assert!(page.contains("<title>a</title>"), "{page}");
        let shown = "<pre>\n---\nx: 1\n---\r\nword &lt;script&gt;alert(&quot;1&quot; &amp; 2)&lt;/script&gt;</pre>";
        assert!(page.contains(shown), "{page}");
    }

    #[test]
    fn nothing_takes_the_place_of_what_is_there() {
        let (_place, vault) = vault(&NOTES);
        let target = folder(&[("b/c.md", "word"), ("a.md", "mine"), ("b/d.md/x", "mine")]);
        let error = plan(&vault, &target, "folder=/").unwrap_err();
        let EngineError::ExportTaken { count, paths } = error else {
            panic!("{error}");
        };
        assert_eq!((count, paths.len()), (2, 2));
        assert_eq!([paths[0].as_str(), paths[1].as_str()], ["a.md", "b/d.md"]);
        // A file has the name of a folder that is needed.
        let target = folder(&[("b", "mine")]);
        assert!(plan(&vault, &target, "folder=b").is_err());
        // A file that another program has created in between is kept too.
        let target = folder(&[]);
        let edit = plan(&vault, &target, "folder=/").unwrap();
        fs_err::write(target.vault.root().join("a.md"), "mine").unwrap();
        let error = Editor(&target.vault)
            .apply(&edit.changes, "run")
            .unwrap_err();
        assert!(matches!(error, EngineError::Changed { .. }), "{error}");
        let left: Vec<_> = fs_err::read_dir(target.vault.root()).unwrap().collect();
        assert_eq!(left.len(), 1, "all or nothing: {left:?}");
        assert_eq!(
            fs_err::read(target.vault.root().join("a.md")).unwrap(),
            b"mine"
        );
    }

    #[cfg(unix)]
    #[test]
    fn d03_no_copy_goes_through_a_symlink() {
        let (_place, vault) = vault(&NOTES);
        let elsewhere = tempfile::tempdir().unwrap();
        for link in ["b", "b/c.md"] {
            let target = folder(&[]);
            let place = target.vault.root().join(link);
            fs_err::create_dir_all(place.parent().unwrap()).unwrap();
            fs_err::os::unix::fs::symlink(elsewhere.path(), &place).unwrap();
            let error = plan(&vault, &target, "path=b/c.md").unwrap_err();
            assert!(matches!(error, EngineError::Symlink { .. }), "{error}");
        }
    }

    #[test]
    fn an_export_is_limited_to_what_fits_in_memory() {
        let (_place, vault) = vault(&[("a.md", "x")]);
        let large = fs_err::File::create(vault.root().join("large.md")).unwrap();
        large.set_len(MAX_BYTES).unwrap();
        let target = folder(&[]);
        let error = plan(&vault, &target, "folder=/").unwrap_err();
        assert!(
            matches!(error, EngineError::ExportTooLarge { .. }),
            "{error}"
        );
        assert_eq!(
            outputs(&plan(&vault, &target, "folder=/ limit=1").unwrap()),
            ["a.md"]
        );
    }
}
