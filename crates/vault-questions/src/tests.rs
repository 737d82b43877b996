use std::sync::LazyLock;

use jiff::civil::date;
use jiff::tz::TimeZone;
use vault_answers::{
    Answer, AnswerData, FileInfo, FileItem, FolderInfo, FolderItem, List, NoteText, PathAnswer,
    RandomNote, Total, VaultInfo, VaultItem,
};
use vault_files::disk::trace;
use vault_files::{Args, Refusal, Registry, Surroundings, Vault, testing};

use super::*;

const CASES: &str = include_str!("cases.txt");

static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "files"));

struct Fixture {
    vault: Vault,
    surroundings: Surroundings,
    _folder: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Notes");
    for (name, text) in FILES.iter().copied() {
        testing::write(&root, name, text);
    }
    let registry = r#"{"vaults":{"b":{"path":"/v/Work"},"a":{"path":"/v/Notes"}}}"#;
    Fixture {
        vault: Vault::open(&root).unwrap(),
        surroundings: Surroundings {
            registry: Registry::parse(registry).unwrap(),
            ..testing::surroundings()
        },
        _folder: folder,
    }
}

/// Parses `read path=a.md total` into a command and its arguments.
fn parsed(line: &str) -> (String, Args) {
    let mut words = line.split(' ');
    let command = words.next().unwrap().to_owned();
    let arguments = testing::arguments(&command, words);
    (command, arguments)
}

impl Fixture {
    fn run(&self, line: &str) -> Result<Answer, EngineError> {
        let (command, arguments) = parsed(line);
        answer(&self.vault, &command, &arguments, &self.surroundings)
    }

    fn app_error(&self, line: &str) -> String {
        match self.run(line) {
            Err(EngineError::Refused(error)) => error.to_string(),
            other => panic!("{line}: {other:?}"),
        }
    }

    /// Returns the answer, which must be of this type.
    fn typed<T: AnswerData>(&self, line: &str) -> T {
        self.run(line).unwrap().downcast().unwrap()
    }

    fn files(&self, line: &str) -> Vec<String> {
        let list: List<FileItem> = self.typed(line);
        list.items
            .into_iter()
            .map(|FileItem { path }| path)
            .collect()
    }

    fn folders(&self, line: &str) -> Vec<String> {
        let list: List<FolderItem> = self.typed(line);
        list.items
            .into_iter()
            .map(|FolderItem { path }| path)
            .collect()
    }

    fn text(&self, line: &str) -> (String, String) {
        let NoteText { path, content, .. } = self.typed(line);
        (path.unwrap(), content)
    }
}

fn pair(path: &str, content: &str) -> (String, String) {
    (path.into(), content.into())
}

#[test]
fn files_are_listed_in_the_apps_order() {
    let fixture = fixture();
    for [line, expected] in tables::rows(
        "
        files ¦ _templates/Daily.md AGENTS.md Daily/2026-03-06.md Daily/2026-03-07.md photo.PNG Projects/deep/board.canvas Projects/deep/note.md Projects/us1-5kb.md Projects/us1-12kb.md
        files folder=Projects ext=.md ¦ Projects/deep/note.md Projects/us1-5kb.md Projects/us1-12kb.md
        files ext=PNG ¦ photo.PNG
        ",
    ) {
        assert_eq!(fixture.files(line).join(" "), expected, "{line}");
    }
    assert_eq!(
        fixture.run("files folder=Daily/ total").unwrap(),
        Answer::from(Total { total: 2 })
    );
}

#[test]
fn files_of_nothing_are_no_error() {
    let fixture = fixture();
    for line in [
        "files folder=none",
        "files ext=png",
        "files folder=.obsidian",
        "files folder=AGENTS.md",
    ] {
        assert_eq!(fixture.files(line), [] as [String; 0], "{line}");
    }
}

#[test]
fn folders_begin_with_the_requested_one() {
    let fixture = fixture();
    for (line, expected) in [
        ("folders", "/ _templates Daily Projects Projects/deep"),
        ("folders folder=Projects", "Projects Projects/deep"),
    ] {
        assert_eq!(fixture.folders(line).join(" "), expected, "{line}");
    }
    assert_eq!(
        fixture.run("folders total").unwrap(),
        Answer::from(Total { total: 5 })
    );
    assert_eq!(
        fixture.app_error("folders folder=x"),
        "the folder `x` does not exist"
    );
}

#[test]
fn folder_counts_everything_below_and_not_itself() {
    let fixture = fixture();
    let info = FolderInfo {
        path: Some("Projects".into()),
        files: Some(4),
        folders: Some(1),
        size: Some(16),
    };
    assert_eq!(
        fixture.run("folder path=Projects").unwrap(),
        Answer::from(info)
    );
    let size = FolderInfo {
        size: Some(6),
        ..FolderInfo::default()
    };
    assert_eq!(
        fixture.run("folder path=Projects/deep info=size").unwrap(),
        Answer::from(size)
    );
    let root = FolderInfo {
        folders: Some(4),
        ..FolderInfo::default()
    };
    assert_eq!(
        fixture.run("folder path=/ info=folders").unwrap(),
        Answer::from(root)
    );
}

#[test]
fn folder_says_what_the_app_says() {
    let fixture = fixture();
    for [line, expected] in tables::rows(
        r"
        folder path=none ¦ the folder `none` does not exist
        folder path=none/deeper ¦ the folder `none/deeper` does not exist
        folder path=AGENTS.md ¦ `AGENTS.md` is a file
        folder ¦ the parameter `path=<path>` is missing. Usage: folder path=<path> [info=files|folders|size]
        ",
    ) {
        assert_eq!(fixture.app_error(line), expected, "{line}");
    }
}

#[test]
fn read_takes_the_exact_path_before_a_name() {
    let fixture = fixture();
    for [line, path, content] in tables::rows(
        r"
        read path=AGENTS.md ¦ AGENTS.md ¦ agents
        read file=agents ¦ AGENTS.md ¦ agents
        read file=NOTE ¦ Projects/deep/note.md ¦ deep
        read path=AGENTS.md file=note ¦ AGENTS.md ¦ agents
        ",
    ) {
        assert_eq!(fixture.text(line), pair(path, content), "{line}");
    }
    for [line, expected] in tables::section(CASES, "read takes the exact path before a name") {
        assert_eq!(fixture.app_error(line), expected, "{line}");
    }
    assert_eq!(fixture.app_error("read"), Refusal::NoActiveFile.to_string());
}

#[test]
fn file_gives_the_facts() {
    let fixture = fixture();
    let info: FileInfo = fixture.typed("file path=Projects/us1-5kb.md");
    assert_eq!(
        (
            info.path.as_str(),
            info.name.as_str(),
            info.extension.as_str(),
            info.size
        ),
        ("Projects/us1-5kb.md", "us1-5kb", "md", 4)
    );
    let photo: FileInfo = fixture.typed("file file=photo.png");
    assert_eq!(
        (photo.path.as_str(), photo.extension.as_str()),
        ("photo.PNG", "PNG")
    );
    assert_eq!(fixture.app_error("file"), Refusal::NoActiveFile.to_string());
}

#[test]
fn daily_path_and_read_go_by_the_settings() {
    let fixture = fixture();
    let path = PathAnswer {
        path: "Daily/2026-03-07.md".into(),
    };
    assert_eq!(fixture.run("daily:path").unwrap(), Answer::from(path));
    assert_eq!(
        fixture.text("daily:read"),
        pair("Daily/2026-03-07.md", "today")
    );
}

#[test]
fn daily_read_of_a_missing_note_is_an_error_and_creates_nothing() {
    let mut fixture = fixture();
    fixture.surroundings.now = date(2027, 1, 1).to_zoned(TimeZone::UTC).unwrap();
    let before = fixture.files("files");
    match fixture.run("daily:read") {
        Err(EngineError::DailyNoteMissing { path }) => {
            assert_eq!(path.as_str(), "Daily/2027-01-01.md");
        }
        other => panic!("{other:?}"),
    }
    assert!(fixture.run("daily:path").is_ok());
    assert_eq!(fixture.files("files"), before);
}

#[test]
fn questions_about_one_file_do_not_walk_the_vault() {
    let fixture = fixture();
    for (line, listed, opened) in
        tables::typed::<(&str, usize, usize)>(CASES, "questions about one file do not walk")
    {
        let (result, listings, files) = trace::count(|| fixture.run(line));
        assert!(result.is_ok(), "{line}");
        assert_eq!((listings, files), (listed, opened), "{line}");
    }
    let (_, listings, _) = trace::count(|| fixture.run("files folder=Daily"));
    assert_eq!(listings, 1);
}

#[test]
fn random_read_can_reach_every_note_and_nothing_else() {
    let mut fixture = fixture();
    let mut seen = std::collections::BTreeSet::new();
    for step in 0..70 {
        fixture.surroundings.random = u64::MAX / 70 * step;
        seen.insert(fixture.typed::<RandomNote>("random:read").path);
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.iter().all(|path| !path.starts_with('.')));
    let note: RandomNote = fixture.typed("random:read folder=Projects/deep");
    assert_eq!(
        (note.path.as_str(), note.content.as_str()),
        ("Projects/deep/note.md", "deep")
    );
    for line in ["random:read folder=none", "random:read folder=.trash"] {
        assert_eq!(fixture.run(line).unwrap(), Answer::from(Total { total: 0 }));
    }
}

#[test]
fn vault_and_vaults() {
    let fixture = fixture();
    let info = VaultInfo {
        name: Some("Notes".into()),
        path: Some(fixture.vault.root().display().to_string()),
        files: Some(9),
        folders: Some(4),
        size: Some(6 + 5 + 9 + 6 + 4 + 4 + 2 + 8 + 3),
    };
    assert_eq!(fixture.run("vault").unwrap(), Answer::from(info));
    let files = VaultInfo {
        files: Some(9),
        ..VaultInfo::default()
    };
    assert_eq!(
        fixture.run("vault info=files").unwrap(),
        Answer::from(files)
    );
    let names: Vec<VaultItem> = ["Work", "Notes"]
        .map(|name| VaultItem {
            name: name.into(),
            path: None,
        })
        .into();
    assert_eq!(
        fixture.run("vaults").unwrap(),
        Answer::from(List::new(names))
    );
    assert_eq!(
        fixture.run("vaults total").unwrap(),
        Answer::from(Total { total: 2 })
    );
    let verbose: List<VaultItem> = fixture.typed("vaults verbose");
    assert_eq!(verbose.items[1].path.as_deref(), Some("/v/Notes"));
}

#[test]
fn a_reply_holds_the_exact_bytes_and_the_warnings() {
    let fixture = fixture();
    fs_err::write(fixture.vault.root().join("latin.md"), b"caf\xe9").unwrap();
    let (command, arguments) = parsed("read path=latin.md");
    let reply = reply(&fixture.vault, &command, &arguments, &fixture.surroundings).unwrap();
    assert_eq!(reply.bytes.as_deref(), Some(&b"caf\xe9"[..]));
    assert_eq!(reply.warnings.len(), 1);
    assert_eq!(reply.warnings[0].code(), "NOT_UTF8");
}

#[cfg(target_os = "linux")]
#[test]
fn d08_a_name_of_two_files_is_a_warning() {
    let fixture = fixture();
    for (name, expected) in [
        ("\u{e9}.md", [""; 0].as_slice()),
        ("e\u{301}.md", &["SPELLINGS_COLLIDE"]),
    ] {
        fs_err::write(fixture.vault.root().join(name), name).unwrap();
        let (command, arguments) = parsed(&format!("read path={name}"));
        let reply = reply(&fixture.vault, &command, &arguments, &fixture.surroundings).unwrap();
        assert_eq!(reply.bytes.as_deref(), Some("\u{e9}.md".as_bytes()));
        let codes: Vec<&str> = reply
            .warnings
            .iter()
            .map(obsidian_note::Warning::code)
            .collect();
        assert_eq!(codes, expected);
    }
}

#[test]
fn malformed_daily_settings_are_a_warning_beside_the_answer() {
    let fixture = fixture();
    fs_err::write(fixture.vault.root().join(".obsidian/daily-notes.json"), "{").unwrap();
    let reply = reply(
        &fixture.vault,
        "daily:path",
        &Args::default(),
        &fixture.surroundings,
    );
    let reply = reply.unwrap();
    assert_eq!(
        reply.answer,
        Answer::from(PathAnswer {
            path: "2026-03-07.md".into()
        })
    );
    assert_eq!(reply.warnings[0].code(), "CONFIG_IGNORED");
}

#[test]
fn everything_else_is_not_served() {
    let fixture = fixture();
    for command in ["eval", "daily", "daily:append", "", "read "] {
        assert!(!serves(command));
        let (_, arguments) = parsed("x");
        let result = answer(&fixture.vault, command, &arguments, &fixture.surroundings);
        assert!(
            matches!(result, Err(EngineError::NotServed { .. })),
            "{command}"
        );
    }
    assert!(COMMANDS.is_sorted_by(|left, right| left.0 < right.0));
    assert!(COMMANDS.iter().all(|(command, _)| serves(command)));
}
