//! Vaults made to break their reader: every read command of the engine answers, about the whole vault
//! and about each bad note, with one warning for each thing that is wrong (`threats.toml` D03, D14).
//!
//! The commands are those of the catalogue, asked as in its examples.

#![expect(clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use jiff::civil::date;
use jiff::tz::TimeZone;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use vault_engine::{
    Arg, Args, EngineError, Registry, Reply, Surroundings, Vault, VaultPath, Warning, reply,
};
use vault_gw::allowlist::{Call, Catalogue, Command, ListKind, ParamKind, Target};

use crate::argument_forms::{answered_by_the_engine, examples};
use crate::support::new_folder;

const CASES: &str = include_str!("data/hostile.txt");

/// A command that needs longer than this hangs: each takes well under a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every bad note with its bytes.
fn bad_notes() -> Vec<(&'static str, Vec<u8>)> {
    let mut latin = b"---\nstatus: caf\xe9\n---\n# Caf\xe9\n\n".to_vec();
    latin.extend(b"[[caf\xe9]] #caf\xe9 - [ ] needle\n- [ ] t\xe2\x82\n\xf0\x9f\n".repeat(50));
    // Every name stands for nine of the one before: a billion scalars.
    let mut bomb = "---\na0: &a0 [lol, lol, lol]\n".to_owned();
    for level in 1..=9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    bomb += "tags: *a9\n---\nneedle\n";
    let levels: String = (0..600)
        .map(|level| format!("{}- [ ] needle\n", "\t".repeat(level)))
        .collect();
    let open = format!(
        "{}\n{}\n{}\n%%\n$$\n<!--\n<div>\n{}\n```\nneedle",
        "[[".repeat(20_000),
        "![a](".repeat(20_000),
        "**_`~~".repeat(20_000),
        "|".repeat(20_000),
    );
    vec![
        ("bomb.md", bomb.into_bytes()),
        (
            "colons.md",
            format!("---\n{}\n---\n", "a: ".repeat(10_000)).into(),
        ),
        ("controls.md", (0..=255).cycle().take(64 * 1024).collect()),
        ("empty.md", Vec::new()),
        (
            "flow.md",
            format!("---\ntags: {}\n---\n", "[".repeat(10_000)).into(),
        ),
        ("fence.md", "```\n".repeat(9_999).into()),
        ("latin.md", latin),
        ("levels.md", levels.into()),
        (
            "list.md",
            format!("{}x\nneedle\n", "- ".repeat(10_000)).into(),
        ),
        (
            "numbers.md",
            format!("{}needle\n", "1. ".repeat(10_000)).into(),
        ),
        ("open.md", open.into()),
        (
            "quotes.md",
            format!("{}needle\n", "> ".repeat(10_000)).into(),
        ),
        (
            "tags.md",
            format!("#{}\n#{}\n", "a/".repeat(30_000), "#a".repeat(30_000)).into(),
        ),
        ("unclosed.md", "---\nstatus: [\n".into()),
    ]
}

/// A vault in a folder of its own, which its owner can remove again.
struct Hostile {
    root: PathBuf,
    folder: tempfile::TempDir,
    /// Whether what is known of a note is kept for the next command, as the gateway keeps it.
    is_cached: bool,
}

impl Hostile {
    fn empty() -> Self {
        let folder = new_folder();
        let root = folder.path().join("Notes");
        fs_err::create_dir_all(root.join(".obsidian")).unwrap();
        Self {
            root,
            folder,
            is_cached: false,
        }
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        let mut hostile = Self::empty();
        hostile.is_cached = true;
        hostile.write(name, bytes);
        hostile
    }

    /// All bad notes, links that lead in circles, a pipe, a name that is not Unicode (where the
    /// file system takes it) and a folder that may not be listed.
    fn with_everything() -> Self {
        let hostile = Self::empty();
        for (name, bytes) in bad_notes() {
            hostile.write(name, &bytes);
        }
        hostile.write("good.md", b"[[latin]] #project/alpha\n- [ ] needle\n");
        hostile.write("board.canvas", b"{\"nodes\":[{\"type\":\"file\"");
        hostile.write("view.base", b"views: [");
        symlink(".", hostile.root.join("loop")).unwrap();
        symlink("second.md", hostile.root.join("first.md")).unwrap();
        symlink("first.md", hostile.root.join("second.md")).unwrap();
        let pipe = hostile.root.join("x.md");
        mknodat(CWD, pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        hostile.write("locked/secret.md", b"needle");
        hostile.set_mode("locked", 0o000);
        hostile
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }

    /// One of each: invalid UTF-8, so many bytes, a YAML bomb, 10,000 levels of lists, a link that leads in a
    /// circle, a pipe with the name of a note, a folder that may not be listed; and a good note.
    fn with_one_of_each(large_bytes: usize) -> Self {
        let hostile = Self::empty();
        hostile.write("good.md", b"[[latin]] #project/alpha\n- [ ] needle\n");
        for (name, bytes) in bad_notes() {
            if matches!(name, "bomb.md" | "latin.md" | "list.md") {
                hostile.write(name, &bytes);
            }
        }
        let paragraph = "Words in [[a note|another]], #tag/nested.\n- [ ] Task\n\n";
        let large = paragraph.repeat(large_bytes / paragraph.len() + 1);
        hostile.write("large.md", format!("needle\n\n{large}").as_bytes());
        symlink(".", hostile.root.join("loop")).unwrap();
        let pipe = hostile.root.join("x.md");
        mknodat(CWD, pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        hostile.write("locked/secret.md", b"needle");
        hostile.set_mode("locked", 0o000);
        hostile
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs_err::set_permissions(self.root.join(name), std::fs::Permissions::from_mode(mode))
            .unwrap();
    }

    /// Whether the large note can be held at once.
    fn holds_large(&self) -> bool {
        let size = fs_err::metadata(self.root.join("large.md")).unwrap().len();
        size <= vault_engine::MAX_WHOLE_BYTES
    }

    /// Whether the system keeps us out of the locked folder; it lets the superuser in.
    fn keeps_us_out(&self) -> bool {
        fs_err::read_dir(self.root.join("locked")).is_err()
    }

    /// The command's outcome, from a thread of its own.
    fn run(&self, command: &Command, arguments: Args) -> Result<Reply, EngineError> {
        let root = self.root.clone();
        let cache = self.is_cached.then(|| self.folder.path().join("cache"));
        let (sender, receiver) = channel();
        let command = command.id.clone();
        let shown = format!("{command} {arguments:?}");
        let worker = std::thread::spawn(move || {
            let mut vault = Vault::open(&root).unwrap();
            if let Some(cache) = cache {
                vault = vault.with_cache(cache);
            }
            let outcome = reply(&vault, &command, &arguments, &surroundings());
            // Nobody listens once patience is over.
            drop(sender.send(outcome));
        });
        match receiver.recv_timeout(PATIENCE) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => panic!("{shown} hangs"),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("{shown} panicked: {:?}", worker.join().err())
            }
        }
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        if self.root.join("locked").exists() {
            self.set_mode("locked", 0o700);
        }
        assert!(self.folder.path().exists(), "no command removes the vault");
    }
}

fn surroundings() -> Surroundings {
    let now = date(2026, 3, 7).at(9, 0, 0, 0).to_zoned(TimeZone::UTC);
    Surroundings {
        now: now.unwrap(),
        // Draws the good note of [`Hostile::with_one_of_each`], its second one.
        random: u64::MAX / 10 * 3,
        registry: Registry::parse("{}").unwrap(),
    }
}

/// A command of the app by its id.
fn command(id: &str) -> Arc<Command> {
    Catalogue::builtin().unwrap().find(id).unwrap()
}

fn first_example(command: &Command) -> Call {
    examples(command).next().unwrap()
}

/// The first example of a command, without its flags, about this note. Without a note it is about the
/// whole vault, or about the good note if the command needs one.
fn arguments(command: &Command, note: Option<&str>) -> Args {
    let mut values = first_example(command).arguments.values;
    let path = note.unwrap_or("good.md");
    let file = VaultPath::file(path).unwrap();
    for param in &command.params {
        let is_given = values.contains_key(&param.name);
        let value = match (param.name.as_str(), &param.kind) {
            ("query", _) => "needle".into(),
            ("path", ParamKind::Path) if command.target == Target::Note || note.is_some() => {
                Arg::from(&file)
            }
            (_, ParamKind::Path) if is_given => Arg::from(&file),
            (_, ParamKind::Folder) if is_given => Arg::Path(VaultPath::root()),
            (_, ParamKind::TaskRef) if is_given => Arg::Line {
                path: file.clone(),
                line: 2,
            },
            (_, ParamKind::List(ListKind::Notes | ListKind::Paths)) if is_given => {
                Arg::List(vec![json!(path)])
            }
            _ => continue,
        };
        values.insert(param.name.clone(), value);
    }
    Args {
        values,
        ..Args::default()
    }
}

/// Whether a command is about files of another kind than notes, and so refuses notes.
fn is_about_other_files(command: &Command) -> bool {
    let is_file = |name: &str| {
        command
            .param(name)
            .is_some_and(|param| param.kind == ParamKind::Path)
    };
    let call = first_example(command);
    let mut files = call.paths().into_iter().filter(|(name, _)| is_file(name));
    files.any(|(_, path)| !path.is_note())
}

/// Codes and paths of the warnings; no sentence is said twice.
fn said<'said>(command: &str, warnings: &'said [Warning]) -> Vec<(&'static str, &'said str)> {
    let sentences: BTreeSet<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(sentences.len(), warnings.len(), "{command}: {warnings:?}");
    warnings
        .iter()
        .map(|warning| (warning.code(), warning.path().as_str()))
        .collect()
}

/// An answer, or what the app says where there is none. Everything else would be a bad note that
/// fails a command.
fn answered(command: &Command, outcome: Result<Reply, EngineError>) -> Option<Reply> {
    match outcome {
        Ok(reply) => {
            said(&command.id, &reply.warnings);
            Some(reply)
        }
        Err(
            EngineError::Refused(_)
            | EngineError::DailyNoteMissing { .. }
            | EngineError::TaskMissing { .. },
        ) => None,
        // A property cannot be read from broken YAML.
        Err(EngineError::Properties { .. }) if command.id == "property:read" => None,
        Err(EngineError::Argument { .. } | EngineError::NotAnImage { .. })
            if is_about_other_files(command) =>
        {
            None
        }
        Err(error) => panic!("{} fails: {error:?}", command.id),
    }
}

#[test]
fn d14_every_command_answers_about_a_vault_with_everything() {
    let hostile = Hostile::with_everything();
    for command in answered_by_the_engine() {
        answered(command, hostile.run(command, arguments(command, None)));
    }
}

/// Warnings by code and path.
type Said<'said> = Vec<(&'static str, &'said str)>;

/// What a command looks at, each of which includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Looks {
    /// At settings, or at one good note.
    NoBadThing,
    /// At the names of all files.
    Names,
    /// At the text of all notes.
    Texts,
    /// At what all notes mean.
    Facts,
}

impl Looks {
    const ALL: [Self; 4] = [Self::NoBadThing, Self::Names, Self::Texts, Self::Facts];

    fn must_say(self, hostile: &Hostile) -> Said<'static> {
        let mut must = Vec::new();
        if self != Self::NoBadThing {
            must.extend([
                ("SPECIAL_FILES_SKIPPED", "x.md"),
                ("SYMLINKS_SKIPPED", "loop"),
            ]);
            must.extend(
                hostile
                    .keeps_us_out()
                    .then_some(("FOLDER_UNREADABLE", "locked")),
            );
        }
        if matches!(self, Self::Texts | Self::Facts) {
            must.push(("NOT_UTF8", "latin.md"));
        }
        if matches!(self, Self::Texts | Self::Facts) && !hostile.holds_large() {
            must.push(("NOTE_TOO_LARGE", "large.md"));
        }
        if self == Self::Facts {
            must.extend([
                ("INVALID_FRONTMATTER", "bomb.md"),
                ("NESTED_TOO_DEEP", "list.md"),
            ]);
        }
        must.sort_unstable();
        must
    }
}

/// A note that every command would find that looks for one.
const RICH: &str = "---\naliases: [Start, good]\ntags: [fine, project/alpha, a, b]\nstatus: open\n\
     ---\n# A\n\n[[good]] needle\n\n- [ ] task #idea\n";

impl Hostile {
    /// Changes whatever a command does not look at that looks at no more than this.
    fn change_all_beyond(&self, looks: Looks) {
        let notes = ["bomb.md", "large.md", "latin.md", "list.md"];
        match looks {
            Looks::Facts => {}
            // Each match stands where it stood, in a well-formed note.
            Looks::Texts => {
                for name in ["bomb.md", "list.md"] {
                    let text = fs_err::read_to_string(self.root.join(name)).unwrap();
                    self.rewrite(name, &text.replace("---", "===").replace("- ", "x "));
                }
            }
            Looks::Names => notes.iter().for_each(|name| self.rewrite(name, RICH)),
            Looks::NoBadThing => {
                for name in notes.iter().chain(&["loop", "x.md"]) {
                    fs_err::remove_file(self.root.join(name)).unwrap();
                }
                self.set_mode("locked", 0o700);
                self.write("rich.md", RICH.as_bytes());
            }
        }
    }

    /// Gives a note another text, and leaves its size and time.
    fn rewrite(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        let metadata = fs_err::metadata(&path).unwrap();
        fs_err::write(&path, text).unwrap();
        let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(metadata.len()).unwrap();
        let modified = std::fs::FileTimes::new().set_modified(metadata.modified().unwrap());
        file.file().set_times(modified).unwrap();
    }
}

/// A command says that it looks at something by a warning of each bad thing there. That it looks at
/// no more is seen from its answer, which stays the same when the rest of the vault changes.
#[test]
fn d14_every_command_warns_once_of_each_bad_thing_that_it_looks_at() {
    let hostile = Hostile::with_one_of_each(50_000_000);
    let ask = |command: &Command| answered(command, hostile.run(command, arguments(command, None)));
    let mut shown = Vec::new();
    for command in answered_by_the_engine() {
        // The rest has no settings, no daily note, no base and no property to show.
        let reply = ask(command);
        let warnings = reply.as_ref().map_or(&[][..], |reply| &reply.warnings);
        let mut said = said(&command.id, warnings);
        said.sort_unstable();
        let looks = Looks::ALL
            .into_iter()
            .find(|looks| looks.must_say(&hostile) == said);
        let looks = looks.unwrap_or_else(|| panic!("{} says {said:?}", command.id));
        shown.push((command, looks, reply.map(|reply| reply.answer)));
    }
    // An audit tells of bad notes in its findings.
    shown.retain(|(command, ..)| command.output.name() != "audit");
    for looks in [Looks::Texts, Looks::Names, Looks::NoBadThing] {
        hostile.change_all_beyond(looks);
        for (command, _, before) in shown.iter().filter(|(_, said, _)| *said == looks) {
            let now = ask(command).map(|reply| reply.answer);
            assert_eq!(now, *before, "{} looks at more than it says", command.id);
        }
    }
}

#[test]
fn d14_a_search_warns_of_what_its_operators_cannot_look_into() {
    let hostile = Hostile::with_one_of_each(2_000);
    for (query, more) in [
        ("needle", &[][..]),
        ("file:good", &[]),
        ("block:needle", &[("NESTED_TOO_DEEP", "list.md")]),
        ("tag:tag", &[("INVALID_FRONTMATTER", "bomb.md")]),
        ("[tags:x]", &[("INVALID_FRONTMATTER", "bomb.md")]),
    ] {
        for command in ["search", "search:context"].map(command) {
            let wanted = arguments(&command, None).with("query", query);
            let reply = answered(&command, hostile.run(&command, wanted)).unwrap();
            let mut said = said(&command.id, &reply.warnings);
            said.sort_unstable();
            let at_all = if query == "file:good" {
                Looks::Names
            } else {
                Looks::Texts
            };
            let mut expected = at_all.must_say(&hostile);
            expected.extend(more);
            expected.sort_unstable();
            assert_eq!(said, expected, "{} {query}", command.id);
        }
    }
}

#[test]
fn d14_a_command_about_one_bad_note_warns_of_it_once() {
    let hostile = Hostile::with_one_of_each(34_000_000);
    let structure = ["aliases", "links", "properties", "tags", "tasks"];
    for (note, code, tell) in [
        (
            "latin.md",
            "NOT_UTF8",
            &["outline", "read", "wordcount"][..],
        ),
        ("bomb.md", "INVALID_FRONTMATTER", &[]),
        ("list.md", "NESTED_TOO_DEEP", &[]),
        ("large.md", "NOTE_TOO_LARGE", &["outline"]),
    ] {
        for command in ["file", "outline", "read", "wordcount"]
            .iter()
            .chain(&structure)
        {
            // The gateway shows such a note in parts, and only its beginning is counted.
            if note == "large.md" && matches!(*command, "read" | "wordcount") {
                continue;
            }
            let wanted = self::command(command);
            let reply = answered(
                &wanted,
                hostile.run(&wanted, arguments(&wanted, Some(note))),
            )
            .unwrap();
            let said = said(command, &reply.warnings);
            let of_it: Said<'_> = said
                .iter()
                .copied()
                .filter(|(_, path)| *path == note)
                .collect();
            // Properties and aliases have nothing to do with lists.
            let reads_lists = note != "list.md" || !matches!(*command, "aliases" | "properties");
            let tells = tell.contains(command) || structure.contains(command) && reads_lists;
            let expected = if tells { vec![(code, note)] } else { vec![] };
            assert_eq!(of_it, expected, "{command} {note}");
            let others = said.len() - of_it.len();
            assert!(
                others == 0 || *command == "links",
                "{command} {note}: {said:?}"
            );
        }
    }
}

#[test]
fn d14_every_command_answers_about_each_bad_note() {
    for (name, bytes) in bad_notes() {
        let hostile = Hostile::with(name, &bytes);
        for command in answered_by_the_engine() {
            let outcome = hostile.run(command, arguments(command, Some(name)));
            let reply = answered(command, outcome);
            if command.id == "read" {
                let reply = reply.unwrap();
                assert_eq!(reply.bytes.as_ref(), Some(&bytes), "{name}");
                let lossy = std::str::from_utf8(&bytes).is_err();
                let codes: Vec<_> = reply.warnings.iter().map(Warning::code).collect();
                assert_eq!(codes, if lossy { &["NOT_UTF8"][..] } else { &[] }, "{name}");
            }
        }
    }
}

#[test]
fn d03_d14_a_pipe_or_link_asked_for_by_name_is_refused_without_waiting() {
    let mut hostile = Hostile::with_everything();
    hostile.is_cached = true;
    for command in answered_by_the_engine() {
        for name in ["x.md", "first.md", "loop/good.md"] {
            match hostile.run(command, arguments(command, Some(name))) {
                // Commands about the whole vault, or about another note, do not look at it.
                Ok(reply) => drop(said(&command.id, &reply.warnings)),
                Err(EngineError::NotRegular { path }) => assert_eq!(path.as_str(), "x.md"),
                Err(EngineError::Symlink { path }) => {
                    assert_ne!(path.as_str(), "x.md", "{}", command.id);
                }
                Err(EngineError::Refused(_) | EngineError::DailyNoteMissing { .. }) => {}
                Err(EngineError::Argument { .. } | EngineError::NotAnImage { .. })
                    if is_about_other_files(command) => {}
                Err(error) => panic!("{} {name}: {error:?}", command.id),
            }
        }
    }
    let read = command("read");
    let error = hostile.run(&read, arguments(&read, Some("x.md")));
    assert!(matches!(error, Err(EngineError::NotRegular { .. })));
    let error = hostile.run(&read, arguments(&read, Some("loop/good.md")));
    assert!(matches!(error, Err(EngineError::Symlink { .. })));
}

#[test]
fn settings_files_that_are_garbage_fail_no_command() {
    let garbage: [&[u8]; 5] = [
        b"\xff\xfe{",
        &b"[".repeat(100_000),
        b"{\"items\":3,\"types\":[],\"folder\":{},\"format\":1,\"userIgnoreFilters\":[1,\"/(/\"]}",
        b"null",
        b"",
    ];
    let files = tables::lines(CASES, "settings files that are garbage fail");
    for bytes in garbage {
        let hostile = Hostile::with("good.md", b"needle\n");
        for file in &files {
            hostile.write(&format!(".obsidian/{file}"), bytes);
        }
        for command in answered_by_the_engine() {
            let _reply = answered(command, hostile.run(command, arguments(command, None)));
        }
    }
}
