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

    /// One of each: invalid UTF-8, so many bytes, a YAML bomb, 10,000 levels of lists, a link that leads in a
    /// circle, a pipe with the name of a note, a folder that may not be listed; and a good note.
    fn with_one_of_each(large_bytes: usize) -> Self {
        let hostile = Self::empty();
        hostile.write("good.md", b"[[latin]] #fine\n- [ ] needle\n");
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
    for (name, value) in [
        ("query", "needle"),
        ("content", ""),
        ("name", "status"),
        ("line", "1"),
        ("period", "weekly"),
    ] {
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
        // It names two files, or no note.
        Err(EngineError::Argument { .. } | EngineError::ListArgument(_))
            if ["links:path", "canvas:read", "notes:read"].contains(&command) =>
        {
            None
        }
        Err(EngineError::NotAnImage { .. }) if command == "image:read" => None,
        Err(error) => panic!("{command} fails: {error:?}"),
    }
}

#[test]
fn d14_every_command_answers_about_a_vault_with_everything() {
    let hostile = Hostile::with_everything();
    for command in commands() {
        answered(command, hostile.run(command, arguments(None)));
    }
}

/// Warnings by code and path.
type Said<'said> = Vec<(&'static str, &'said str)>;

/// What a command looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What a command looks at when it is asked about the vault, or about a good note where it must
/// have one. A new command has to be put here.
fn looks(command: &str) -> Looks {
    match command {
        "base:query" | "base:views" | "bookmarks" | "daily:path" | "daily:read" | "file"
        | "outline" | "plugin" | "plugins" | "plugins:enabled" | "property:read" | "read"
        | "recents" | "snippets" | "snippets:enabled" | "task" | "template:read" | "templates"
        | "theme" | "themes" | "vaults" | "wordcount" | "workspaces" | "note:facets"
        | "notes:read" | "note:get" | "note:outline" | "note:section" | "note:tree"
        | "periodic:path" | "periodic:read" | "note:chunks" | "note:compare" | "canvas:read"
        | "links:path" | "note:link" | "image:read" => Looks::NoBadThing,
        "notes:large" | "vault:audit" | "bases" | "files" | "folder" | "folders" | "links"
        | "random:read" | "vault" => Looks::Names,
        "search" | "search:context" => Looks::Texts,
        "aliases" | "backlinks" | "deadends" | "orphans" | "properties" | "tag" | "tags"
        | "tasks" | "unresolved" | "notes:list" | "links:broken" | "note:describe"
        | "note:related" | "notes:find" | "vault:stats" | "notes:search" | "notes:context"
        | "links:list" | "note:neighbors" | "notes:unlinked" | "vault:index" => Looks::Facts,
        other => panic!("what does `{other}` look at?"),
    }
}

impl Looks {
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
        // What the index leaves out is searched as text, as far as it can be held.
        if self == Self::Facts || self == Self::Texts && !hostile.holds_large() {
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

#[test]
fn d14_every_command_warns_once_of_each_bad_thing_that_it_looks_at() {
    let hostile = Hostile::with_one_of_each(50_000_000);
    for command in commands() {
        let mut asked = arguments(None);
        let mut set = |name: &str, value: &str| {
            asked.params.insert(name.to_owned(), value.to_owned());
        };
        match command {
            "backlinks" | "file" | "links" | "outline" | "read" | "task" | "wordcount"
            | "note:describe" | "note:related" | "note:facets" | "note:get" | "note:outline"
            | "note:section" | "note:tree" | "note:chunks" | "note:compare" | "note:link"
            | "note:neighbors" => {
                set("path", "good.md");
            }
            "folder" => set("path", "/"),
            "tag" => set("name", "fine"),
            _ => {}
        }
        if command == "task" {
            set("line", "2");
        }
        let outcome = hostile.run(command, asked);
        // The rest has no settings, no daily note, no base and no property to show.
        let Some(reply) = answered(command, outcome) else {
            let looks = looks(command);
            assert_eq!(looks, Looks::NoBadThing, "{command} has no answer");
            continue;
        };
        let mut said = said(command, &reply.warnings);
        said.sort_unstable();
        assert_eq!(said, looks(command).must_say(&hostile), "{command}");
    }
}

#[test]
fn d14_a_search_warns_of_what_its_operators_cannot_look_into() {
    let hostile = Hostile::with_one_of_each(2_500_000);
    for (query, more) in [
        ("needle", &[][..]),
        ("file:good", &[]),
        (
            "block:needle",
            &[
                ("NESTED_TOO_DEEP", "list.md"),
                ("NOTE_TOO_LARGE", "large.md"),
            ],
        ),
        (
            "tag:tag",
            &[
                ("INVALID_FRONTMATTER", "bomb.md"),
                ("NOTE_TOO_LARGE", "large.md"),
            ],
        ),
        ("[tags:x]", &[("INVALID_FRONTMATTER", "bomb.md")]),
    ] {
        for command in ["search", "search:context"] {
            let mut asked = arguments(None);
            asked.params.insert("query".to_owned(), query.to_owned());
            let reply = answered(command, hostile.run(command, asked)).unwrap();
            let mut said = said(command, &reply.warnings);
            said.sort_unstable();
            let at_all = if query == "file:good" {
                Looks::Names
            } else {
                Looks::Texts
            };
            let mut expected = at_all.must_say(&hostile);
            expected.extend(more);
            expected.sort_unstable();
            assert_eq!(said, expected, "{command} {query}");
        }
    }
}

#[test]
fn d14_a_command_about_one_bad_note_warns_of_it_once() {
    let hostile = Hostile::with_one_of_each(2_500_000);
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
            let mut asked = arguments(Some(Path::new(note)));
            asked.params.remove("name");
            let reply = answered(command, hostile.run(command, asked)).unwrap();
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
        for command in commands() {
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
                Err(EngineError::Argument { .. } | EngineError::ListArgument(_))
                    if ["links:path", "canvas:read", "notes:read"].contains(&command) => {}
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
        let hostile = Hostile::with("good.md", b"needle\n");
        for file in files {
            hostile.write(&format!(".obsidian/{file}"), bytes);
        }
        for command in commands() {
            let _reply = answered(command, hostile.run(command, arguments(None)));
        }
    }
}
