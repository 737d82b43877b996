//! Links, tags, tasks and headings as the commands print them.

use std::sync::LazyLock;

use cli_output::{AppError, Shape, as_printed, parse, render};
use vault_answers::{Answer, Total};
use vault_files::disk::trace;
use vault_files::{Args, EngineError, Surroundings, Vault, testing};
use vault_index::IndexedVault;
use vault_questions::answer;

use crate::shape;

const CASES: &str = include_str!("graph_cases.txt");

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
    let cache = folder.path().join("cache");
    Fixture {
        vault: Vault::open(&root).unwrap().with_cache(cache),
        surroundings: testing::surroundings(),
        _folder: folder,
    }
}

fn parsed(line: &str) -> (String, Args) {
    let mut words = line.split('|').map(str::trim);
    let command = words.next().unwrap().to_owned();
    let arguments = testing::arguments(&command, words);
    (command, arguments)
}

impl Fixture {
    fn run(&self, line: &str) -> Result<Answer, EngineError> {
        let (command, arguments) = parsed(line);
        answer(&self.vault, &command, &arguments, &self.surroundings)
    }

    /// The printed text, after checking that it parses back to the same answer.
    fn text(&self, line: &str) -> String {
        let (command, arguments) = parsed(line);
        let answer = self.run(line).unwrap();
        let text = render(&answer, shape(&command), &arguments);
        let printed = as_printed(answer, shape(&command), &arguments);
        assert_eq!(
            parse(shape(&command), &arguments, &text).unwrap(),
            printed,
            "{line}"
        );
        text
    }

    /// Compares the texts of a table: the calls, and what they print.
    #[track_caller]
    fn check(&self, table: &str) {
        for [line, text] in tables::rows(table) {
            assert_eq!(self.text(line), text, "{line}");
        }
    }

    fn error(&self, line: &str) -> String {
        match self.run(line).unwrap_err() {
            EngineError::Refused(refusal) => AppError::from(refusal).to_string(),
            other => other.to_string(),
        }
    }
}

/// Rule 6 of `vault-semantics.md` §2.3: files below the note's folder come first, at any depth.
#[test]
fn every_command_finds_the_file_below_the_notes_folder() {
    let base = "filters: file.name == \"Dup\"\nviews:\n  - type: table\n    order: [file.path, file.backlinks]\n";
    let (folder, vault) = vault_files::vault::testing::vault(&[
        (
            "src/N.md",
            "---\nto: \"[[Dup]]\"\n---\n[[Dup]] ![[Dup]] [x](Dup.md)",
        ),
        ("src/a/c/Dup.md", ""),
        ("b/Dup.md", ""),
        ("Top.md", "[[Dup]]"),
        ("all.base", base),
    ]);
    let fixture = Fixture {
        vault,
        surroundings: testing::surroundings(),
        _folder: folder,
    };
    fixture.check(tables::text(CASES, "every command finds the file below"));
    let rows = fixture.run("base:query|path=all.base").unwrap();
    let rows = serde_json::to_value(&rows).unwrap().to_string();
    for row in [
        r#""path":"src/a/c/Dup.md","file path":"src/a/c/Dup.md","file backlinks":"[[src/N.md|N]]""#,
        r#""path":"b/Dup.md","file path":"b/Dup.md","file backlinks":"[[Top.md|Top]]""#,
    ] {
        assert!(rows.contains(row), "{rows}");
    }
}

#[test]
fn links_go_out_by_code_unit_each_place_once() {
    let fixture = fixture();
    fixture.check(
        r"
        links|path=Index.md ¦ Index.md\nNone (unresolved)\nNotes/a.md\nNotes/b.png\nnone (unresolved)\n
        links|file=index|total ¦ 5\n
        links|path=map.canvas ¦ Notes/B.md\nNotes/a.md\ngone (unresolved)\n
        ",
    );
    for path in ["Notes/B.md", "Notes/b.png"] {
        assert_eq!(
            fixture.text(&format!("links|path={path}")),
            "No links found.\n"
        );
    }
}

#[test]
fn backlinks_count_references() {
    let fixture = fixture();
    fixture.check(tables::text(CASES, "backlinks count references"));
}

#[test]
fn unresolved_links_keep_their_casing() {
    let fixture = fixture();
    fixture.check(
        r"
        unresolved ¦ gone\nNone\nnone\n
        unresolved|verbose ¦ gone\t1\tmap.canvas\nNone\t1\tIndex.md\nnone\t2\tIndex.md, Notes/a.md\n
        unresolved|counts|format=csv ¦ gone,1\nNone,1\nnone,2\n
        unresolved|total ¦ 3\n
        ",
    );
}

/// `vault-semantics.md` §2.3, §2.4; live captures.
#[test]
fn a_file_without_an_extension_is_no_target_and_no_ending_reports_missing_links_apart() {
    let (_folder, vault) = vault_files::vault::testing::vault(&tables::typed::<(&str, &str)>(
        CASES,
        "a file without an extension is no target",
    ));
    let print = |line: &str| {
        let (command, arguments) = parsed(line);
        let answer = answer(&vault, &command, &arguments, &testing::surroundings()).unwrap();
        render(&answer, shape(&command), &arguments)
    };
    assert_eq!(
        print("unresolved|verbose"),
        "Gone\t3\tBoard.canvas, note.md\nLICENSE\t1\tnote.md\nsub/Gone.MD\t1\tnote.md\nwiki/Gone\t1\tBoard.canvas\n"
    );
    assert_eq!(print("unresolved|total"), "4\n");
    assert_eq!(
        print("links|path=note.md"),
        "Gone (unresolved)\nLICENSE (unresolved)\nSub/v1.2\nsub/Gone.MD (unresolved)\n"
    );
    assert_eq!(print("orphans"), "Board.canvas\nLICENSE\nnote.md\n");
    assert_eq!(print("deadends"), "Board.canvas\nLICENSE\nSub/v1.2\n");
    assert_eq!(
        IndexedVault(&vault).resolve("LICENSE").unwrap().resolution,
        obsidian_note::Resolution::Missing
    );
}

#[test]
fn orphans_and_dead_ends_are_of_every_extension() {
    let fixture = fixture();
    fixture.check(
        r"
        orphans ¦ Archive/old.md\nbin/setup.sh\nDaily/2026-03-07.md\nmap.canvas\n
        orphans|total ¦ 4\n
        deadends ¦ bin/setup.sh\nDaily/2026-03-07.md\nNotes/a.md\nNotes/B.md\nNotes/b.png\n
        deadends|total ¦ 5\n
        ",
    );
}

#[test]
fn the_outline_of_a_note_in_every_form() {
    let fixture = fixture();
    fixture.check(
        r"
        outline|path=Index.md ¦ ├── One\n│   └── Two\n└── Three\n
        outline|path=Index.md|format=md ¦ # One\n## Two\n# Three\n
        outline|path=Index.md|total ¦ 3\n
        ",
    );
    let json = fixture.text("outline|file=index|format=json");
    assert!(
        json.contains("\"level\": 2,\n    \"heading\": \"Two\",\n    \"line\": 2"),
        "{json}"
    );
    for line in ["outline|path=Notes/B.md", "outline|path=Notes/B.md|total"] {
        assert_eq!(fixture.text(line), "No headings found.\n");
    }
    assert_eq!(
        fixture.error("outline|path=map.canvas"),
        "Error: File is not a markdown file."
    );
    assert_eq!(
        fixture.error("outline|path=none.canvas"),
        "Error: File \"none.canvas\" not found."
    );
}

#[test]
fn tags_of_the_vault_are_merged_and_rolled_up_without_excluded_files() {
    let fixture = fixture();
    fixture.check(
        r"
        tags|counts ¦ #today\t1\n#Work\t3\n#Work/Deep\t1\n
        tags|counts|sort=count ¦ #Work\t3\n#today\t1\n#Work/Deep\t1\n
        tags ¦ #today\n#Work\n#Work/Deep\n
        tags|total ¦ 3\n
        ",
    );
}

#[test]
fn tags_of_a_note_are_as_written() {
    let fixture = fixture();
    assert_eq!(
        fixture.text("tags|path=Notes/a.md|counts"),
        "#Work\t1\n#work\t1\n#Work/Deep\t1\n"
    );
    assert_eq!(fixture.text("tags|path=Archive/old.md"), "#hidden\n#Work\n");
    for line in ["tags|path=Notes/B.md", "tags|path=Notes/b.png|format=json"] {
        assert_eq!(fixture.text(line), "No tags found.\n");
    }
}

#[test]
fn a_tag_is_found_in_its_shown_casing_and_lists_its_own_files() {
    let fixture = fixture();
    assert_eq!(fixture.text("tag|name=Work"), "Notes/a.md\n");
    assert_eq!(
        fixture.text("tag|name=#Work|verbose"),
        "#Work\t3\nNotes/a.md\n"
    );
    assert_eq!(
        fixture.run("tag|name=Work|total").unwrap(),
        Answer::from(Total { total: 3 })
    );
    for name in ["work", "hidden", "nope"] {
        assert_eq!(
            fixture.error(&format!("tag|name={name}")),
            format!("Error: Tag \"#{name}\" not found.")
        );
    }
    assert!(
        fixture
            .error("tag")
            .starts_with("Error: Missing required parameter: name=<tag>\n")
    );
}

#[test]
fn tasks_are_listed_by_file_and_line() {
    let fixture = fixture();
    fixture.check(tables::text(CASES, "tasks are listed by file and line"));
    let json = fixture.text("tasks|path=Archive/old.md|format=json");
    assert!(
        json.contains("\"file\": \"Archive/old.md\",\n    \"line\": \"2\""),
        "{json}"
    );
    assert!(json.contains("\"text\": \"- [ ] old\""), "{json}");
    for line in ["tasks|path=Notes/B.md", "tasks|status=?|format=json"] {
        assert_eq!(fixture.text(line), "No tasks found.\n");
    }
    let verbose = render(
        &fixture.run("tasks|daily|verbose").unwrap(),
        Shape::Tasks,
        &parsed("tasks|daily|verbose").1,
    );
    assert!(
        verbose.starts_with("Daily/2026-03-07.md\n2\t- [ ] call\n"),
        "{verbose}"
    );
}

#[test]
fn a_task_is_shown_by_its_line() {
    let fixture = fixture();
    for line in [
        "task|ref=Daily/2026-03-07.md:3",
        "task|path=Daily/2026-03-07.md|line=3",
        "task|file=2026-03-07|line=3",
        "task|daily|line=3",
    ] {
        assert_eq!(fixture.text(line), "- [x] write\n", "{line}");
    }
    assert_eq!(
        fixture.error("task|daily|line=1"),
        "line 1 of `Daily/2026-03-07.md` is not a task"
    );
    for line in ["task|daily", "task|path=Index.md"] {
        assert!(fixture.error(line).contains("line=<n>"), "{line}");
    }
    assert!(fixture.error("task|line=3").contains("No active file"));
    for change in ["toggle", "done", "todo", "status=-"] {
        let result = fixture.run(&format!("task|daily|line=2|{change}"));
        assert!(matches!(result, Err(EngineError::NotServed { .. })));
    }
}

#[test]
fn missing_files_are_the_apps_errors() {
    let fixture = fixture();
    for command in ["links", "backlinks", "outline", "tags", "tasks"] {
        for (argument, error) in [
            ("path=none.md", "Error: File \"none.md\" not found."),
            ("file=none", "Error: File \"none\" not found."),
            ("path=Notes", "Error: \"Notes\" is a folder, not a file."),
        ] {
            assert_eq!(fixture.error(&format!("{command}|{argument}")), error);
        }
    }
    for line in tables::lines(CASES, "missing files are the apps errors") {
        assert!(fixture.error(line).contains("No active file"), "{line}");
    }
    let tomorrow = Surroundings {
        now: fixture.surroundings.now.tomorrow().unwrap(),
        ..fixture.surroundings.clone()
    };
    let (_, arguments) = parsed("tasks|daily");
    assert!(matches!(
        answer(&fixture.vault, "tasks", &arguments, &tomorrow),
        Err(EngineError::DailyNoteMissing { .. })
    ));
}

#[test]
fn questions_about_one_file_read_that_file_alone() {
    let fixture = fixture();
    for (line, listings, files) in
        tables::typed::<(&str, usize, usize)>(CASES, "questions about one file read that file")
    {
        let (result, listed, read) = trace::count(|| fixture.run(line));
        assert_eq!((listed, read), (listings, files), "{line}");
        drop(result);
    }
}
