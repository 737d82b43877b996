//! Vaults made to break their reader: every command of the engine answers, about the whole vault
//! and about each bad note, with one warning for each thing that is wrong (`faults.md` D03, D14).

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use cli_output::Arguments;
use jiff::civil::date;
use jiff::tz::TimeZone;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use vault_engine::{EngineError, Registry, Reply, Surroundings, Vault, Warning, commands, reply};

/// A command that needs longer than this hangs: each takes well under a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command that reads all notes must say about each of these notes, once.
const READ_WITH_A_WARNING: [&str; 2] = ["bomb.md", "latin.md"];

/// The commands that read the properties and the text of all notes. A search for words reads
/// neither as such: it finds bytes, and has nothing to leave out.
const WHOLE_VAULT: [&str; 7] = [
    "aliases",
    "deadends",
    "orphans",
    "properties",
    "tags",
    "tasks",
    "unresolved",
];

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
        ("list.md", format!("{}needle\n", "- ".repeat(10_000)).into()),
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
}

impl Hostile {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("Notes");
        fs_err::create_dir_all(root.join(".obsidian")).unwrap();
        Self { root, folder }
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        let hostile = Self::empty();
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
        hostile.write("good.md", b"[[latin]] #fine\n- [ ] needle\n");
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

    fn set_mode(&self, name: &str, mode: u32) {
        fs_err::set_permissions(self.root.join(name), std::fs::Permissions::from_mode(mode))
            .unwrap();
    }

    /// Whether the system keeps us out of the locked folder; it lets the superuser in.
    fn keeps_us_out(&self) -> bool {
        fs_err::read_dir(self.root.join("locked")).is_err()
    }

    /// The command's outcome, from a thread of its own.
    fn run(&self, command: &'static str, arguments: Arguments) -> Result<Reply, EngineError> {
        let root = self.root.clone();
        let (sender, receiver) = channel();
        let shown = format!("{command} {arguments:?}");
        let worker = std::thread::spawn(move || {
            let vault = Vault::open(&root).unwrap();
            let outcome = reply(&vault, command, &arguments, &surroundings());
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
        random: 3,
        registry: Registry::parse("{}").unwrap(),
    }
}

/// What any command may need; a command ignores the parameters of the others.
fn arguments(path: Option<&Path>) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in [("query", "needle"), ("name", "status"), ("line", "1")] {
        arguments.params.insert(name.to_owned(), value.to_owned());
    }
    if let Some(path) = path {
        let path = path.to_str().unwrap().to_owned();
        arguments.params.insert("path".to_owned(), path);
    }
    arguments
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
fn answered(command: &str, outcome: Result<Reply, EngineError>) -> Option<Reply> {
    match outcome {
        Ok(reply) => {
            said(command, &reply.warnings);
            Some(reply)
        }
        Err(
            EngineError::App(_)
            | EngineError::DailyNoteMissing { .. }
            | EngineError::TaskMissing { .. },
        ) => None,
        Err(error) => panic!("{command} fails: {error:?}"),
    }
}

#[test]
fn d14_every_command_answers_about_a_vault_with_everything() {
    for command in commands() {
        let hostile = Hostile::with_everything();
        let Some(reply) = answered(command, hostile.run(command, arguments(None))) else {
            continue;
        };
        let said = said(command, &reply.warnings);
        if WHOLE_VAULT.contains(&command) {
            for note in READ_WITH_A_WARNING {
                let count = said.iter().filter(|(_, path)| *path == note).count();
                assert_eq!(count, 1, "{command} about {note}: {said:?}");
            }
        }
    }
}

#[test]
fn d14_listings_warn_once_about_links_pipes_and_locked_folders() {
    let hostile = Hostile::with_everything();
    let mut expected = vec![
        ("SPECIAL_FILES_SKIPPED", "x.md"),
        ("SYMLINKS_SKIPPED", "first.md"),
    ];
    if hostile.keeps_us_out() {
        expected.insert(0, ("FOLDER_UNREADABLE", "locked"));
    }
    for command in ["files", "folders", "vault"] {
        let reply = answered(command, hostile.run(command, arguments(None))).unwrap();
        let mut said = said(command, &reply.warnings);
        said.sort_unstable();
        assert_eq!(said, expected, "{command}");
    }
}

#[test]
fn d14_every_command_answers_about_each_bad_note() {
    for (name, bytes) in bad_notes() {
        for command in commands() {
            let hostile = Hostile::with(name, &bytes);
            let outcome = hostile.run(command, arguments(Some(Path::new(name))));
            let reply = answered(command, outcome);
            if command == "read" {
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
    let hostile = Hostile::with_everything();
    for command in commands() {
        for name in ["x.md", "first.md", "loop/good.md"] {
            match hostile.run(command, arguments(Some(Path::new(name)))) {
                // Commands about the whole vault, or about another note, do not look at it.
                Ok(reply) => drop(said(command, &reply.warnings)),
                Err(EngineError::NotRegular { path }) => assert_eq!(path.as_str(), "x.md"),
                Err(EngineError::Symlink { path }) => {
                    assert_ne!(path.as_str(), "x.md", "{command}");
                }
                Err(EngineError::App(_) | EngineError::DailyNoteMissing { .. }) => {}
                Err(error) => panic!("{command} {name}: {error:?}"),
            }
        }
    }
    let error = hostile.run("read", arguments(Some(Path::new("x.md"))));
    assert!(matches!(error, Err(EngineError::NotRegular { .. })));
    let error = hostile.run("read", arguments(Some(Path::new("loop/good.md"))));
    assert!(matches!(error, Err(EngineError::Symlink { .. })));
}

#[test]
fn every_command_answers_about_a_note_of_8_megabytes() {
    let paragraph =
        "A needle in [[a note|another]] with #tag/nested and **text**.\n- [ ] Task 📅\n\n";
    let large = paragraph.repeat(8 * 1024 * 1024 / paragraph.len());
    for command in commands() {
        for path in [None, Some(Path::new("large.md"))] {
            let hostile = Hostile::with("large.md", large.as_bytes());
            let reply = answered(command, hostile.run(command, arguments(path)));
            if command == "read" && path.is_some() {
                let bytes = reply.unwrap().bytes.unwrap();
                assert_eq!(bytes.len(), large.len());
            }
        }
    }
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
    let files = [
        "app.json",
        "appearance.json",
        "bookmarks.json",
        "community-plugins.json",
        "core-plugins.json",
        "daily-notes.json",
        "templates.json",
        "types.json",
        "workspace.json",
        "workspaces.json",
        "plugins/a/manifest.json",
        "themes/b/manifest.json",
    ];
    for bytes in garbage {
        for command in commands() {
            let hostile = Hostile::with("good.md", b"needle\n");
            for file in files {
                hostile.write(&format!(".obsidian/{file}"), bytes);
            }
            let _reply = answered(command, hostile.run(command, arguments(None)));
        }
    }
}
