use std::sync::LazyLock;

use vault_answers::List;

use super::super::reply;
use proptest::prelude::*;

use obsidian_note::VaultPath;
use vault_files::testing;

use super::*;

const CASES: &str = include_str!("cases.txt");

static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "files"));

struct Fixture {
    folder: tempfile::TempDir,
    vault: Vault,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES.iter().copied() {
        testing::write(folder.path(), name, text);
    }
    let vault = Vault::open(folder.path()).unwrap();
    Fixture { folder, vault }
}

impl Fixture {
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs_err::write(self.folder.path().join(name), bytes).unwrap();
    }

    fn reply(&self, command: &str, arguments: &Args) -> Result<Reply, EngineError> {
        reply(&self.vault, command, arguments, &testing::surroundings())
    }

    /// The files, lines or number that were found, one per line; or the error.
    fn found(&self, command: &str, query: &str, others: &[&str]) -> String {
        let answer = match self.reply(command, &arguments(query, others)) {
            Ok(reply) => reply.answer,
            Err(error @ EngineError::Refused(_)) => return error.to_string(),
            Err(other) => panic!("{other}"),
        };
        if let Some(files) = answer.downcast_ref::<List<FileItem>>() {
            let paths = files.items.iter().map(|file| file.path.clone());
            return paths.collect::<Vec<_>>().join("\n");
        }
        let Some(files) = answer.downcast_ref::<List<SearchContextItem>>() else {
            return answer.to_json()["total"].to_string();
        };
        let lines = files.items.iter().flat_map(|file| {
            let hits = file.matches.iter();
            let name = file.matches.is_empty().then(|| file.path.clone());
            let hits = hits.map(|hit| format!("{}:{}: {}", file.path, hit.line, hit.text));
            name.into_iter().chain(hits)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn search(&self, query: &str, others: &[&str]) -> Vec<String> {
        self.found("search", query, others)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

fn arguments(query: &str, others: &[&str]) -> Args {
    testing::arguments("search", others).with("query", query)
}

#[test]
fn notes_by_text_and_name_in_the_apps_order() {
    let fixture = fixture();
    assert_eq!(
        fixture.search("bread", &[]),
        [
            "Bakery.md",
            "Baking/Bread.md",
            "Baking/deep/Rye.MD",
            "Pantry/Bread list.md"
        ]
    );
    assert_eq!(
        fixture.search("token", &[]),
        ["Fix/a.md", "Fixtures/b.md", "notes9.md", "notes10.md"]
    );
    assert_eq!(fixture.search("BREAD", &["case"]), ["Baking/deep/Rye.MD"]);
    assert_eq!(fixture.search("\"such thing\"", &[]), ["_templates/Day.md"]);
    assert_eq!(
        fixture.search("/^flour/", &[]),
        ["Baking/Bread.md", "Pantry/Bread list.md"]
    );
}

#[test]
fn the_folder_filter_is_of_whole_names_in_their_case() {
    let fixture = fixture();
    assert_eq!(fixture.search("token", &["path=Fix"]), ["Fix/a.md"]);
    assert_eq!(fixture.search("token", &["path=Fix/"]), ["Fix/a.md"]);
    assert_eq!(
        fixture.search("bread", &["path=Baking/deep"]),
        ["Baking/deep/Rye.MD"]
    );
    assert_eq!(fixture.search("bread", &["path=Bakery.md"]), ["Bakery.md"]);
    assert_eq!(fixture.search("bread", &["path=/"]).len(), 4);
    for folder in [
        "path=none",
        "path=.obsidian",
        "path=Bak",
        "path=Baking/Bread.md/x",
    ] {
        assert_eq!(fixture.search("bread", &[folder]), [""; 0], "{folder}");
    }
    #[cfg(target_os = "linux")]
    assert_eq!(fixture.search("bread", &["path=baking"]), [""; 0]);
}

#[test]
fn excluded_files_are_not_searched() {
    let fixture = fixture();
    fixture.write(
        ".obsidian/app.json",
        r#"{"userIgnoreFilters":["Baking/","/^Bakery/"]}"#,
    );
    assert_eq!(fixture.search("bread", &[]), ["Pantry/Bread list.md"]);
    assert_eq!(fixture.search("bread", &["path=Baking"]), [""; 0]);
    assert_eq!(fixture.search("bread", &["path=Bakery.md"]), [""; 0]);
}

#[test]
fn operators_ask_the_scanner_and_the_properties() {
    let fixture = fixture();
    fixture.write(
        "tagged.md",
        "---\ntags: [work/boat]\nrating: 4\n---\n- [ ] caulk #hull\n- [x] paint\n\n`#code`\n",
    );
    for query in tables::lines(CASES, "operators ask the scanner") {
        assert_eq!(fixture.search(query, &[]), ["tagged.md"], "{query}");
    }
    for query in [
        "tag:code",
        "[rating:>4]",
        "task-done:caulk",
        "block:(caulk paint)",
    ] {
        assert!(fixture.search(query, &[]).is_empty(), "{query}");
    }
    assert_eq!(
        fixture.found("search:context", "tag:hull OR task-done:\"\"", &[]),
        "tagged.md:5: - [ ] caulk #hull\ntagged.md:6: - [x] paint"
    );
}

#[test]
fn limits_count_files_after_matching_and_totals_ignore_them() {
    let fixture = fixture();
    assert_eq!(
        fixture.search("token", &["limit=2"]),
        ["Fix/a.md", "Fixtures/b.md"]
    );
    for limit in ["limit=0", "limit=-1"] {
        assert_eq!(fixture.search("token", &[limit]).len(), 4, "{limit}");
    }
    assert_eq!(fixture.found("search", "token", &["limit=1", "total"]), "4");
    let reply = fixture
        .reply("search", &arguments("token", &["limit=3"]))
        .unwrap();
    let list: List<FileItem> = reply.answer.downcast().unwrap();
    assert_eq!(list.numbers(), vault_answers::ListNumbers::new(4, 0, 3));
}

#[test]
fn matches_are_listed_by_file_and_line() {
    let fixture = fixture();
    assert_eq!(fixture.found("search", "token", &["path=Fix"]), "Fix/a.md");
    assert_eq!(
        fixture.found("search:context", "bread", &[]),
        "Bakery.md:1: bread\n\
         Baking/Bread.md:2: Bread, and more bread\n\
         Baking/Bread.md:2: Bread, and more bread\n\
         Baking/deep/Rye.MD:1: about BREAD\n\
         Pantry/Bread list.md"
    );
    assert_eq!(
        fixture.found("search:context", "token", &["limit=1"]),
        "Fix/a.md:1: token\nFix/a.md:2: token token\nFix/a.md:2: token token"
    );
    assert_eq!(
        fixture.found("search:context", "path:pantry", &[]),
        "Pantry/Bread list.md"
    );
    for command in ["search", "search:context"] {
        assert_eq!(fixture.found(command, "whale", &[]), "");
    }
}

#[test]
fn what_cannot_be_searched_for() {
    let fixture = fixture();
    for query in ["(", "foo:bar", "/(/", "   "] {
        assert_eq!(
            fixture.found("search", query, &[]),
            "the search query is not valid",
            "{query}"
        );
    }
    let missing = fixture
        .reply("search:context", &Args::default())
        .unwrap_err();
    assert_eq!(
        missing.to_string(),
        "the parameter `query=<text>` is missing. Usage: \
         search:context query=<text> [path=<folder>] [limit=<n>] [case] [format=text|json]"
    );
}

#[test]
fn a_note_that_is_not_utf8_is_searched_with_one_warning() {
    let fixture = fixture();
    fixture.write("bytes.md", b"caf\xe9 whale\n\xff\xfe whale");
    let reply = fixture
        .reply("search:context", &arguments("whale", &[]))
        .unwrap();
    let path = VaultPath::file("bytes.md").unwrap();
    assert_eq!(reply.warnings, [Warning::NotUtf8 { path }]);
    assert_eq!(
        fixture.found("search:context", "whale", &[]),
        "bytes.md:1: caf\u{fffd} whale\nbytes.md:2: \u{fffd}\u{fffd} whale"
    );
}

#[test]
fn invalid_properties_are_reported_if_they_are_queried() {
    let fixture = fixture();
    fixture.write("bad.md", "---\nstatus: [whale\n---\nwhale");
    assert!(fixture.search("[status]", &[]).is_empty());
    let warnings = |query: &str| {
        let reply = fixture.reply("search", &arguments(query, &[])).unwrap();
        reply.warnings.iter().map(Warning::code).collect::<Vec<_>>()
    };
    assert_eq!(warnings("[status:whale]"), ["INVALID_FRONTMATTER"]);
    assert_eq!(warnings("whale"), [] as [&str; 0]);
}

#[test]
fn j04_one_long_line_with_thousands_of_hits_does_not_fill_the_memory() {
    let fixture = fixture();
    fixture.write("long.md", "whale ".repeat(20_000));
    let reply = fixture
        .reply("search:context", &arguments("whale", &[]))
        .unwrap();
    let list: List<SearchContextItem> = reply.answer.downcast().unwrap();
    let rows = list.items[0].matches.len();
    assert_eq!(rows, MAX_FILE_BYTES / (120_000 - 1 + LINE_BYTES));
    let path = VaultPath::file("long.md").unwrap();
    let count = 20_000 - rows;
    assert_eq!(reply.warnings, [Warning::HitsLeftOut { path, count }]);
}

#[test]
fn a_hostile_expression_costs_one_note_or_the_search_but_never_the_thread() {
    let fixture = fixture();
    fixture.write("whale.md", format!("{}!", "a".repeat(200)));
    let reply = fixture
        .reply("search", &arguments(r"/(a+)+\1$/", &[]))
        .unwrap();
    let path = VaultPath::file("whale.md").unwrap();
    assert_eq!(reply.warnings, [Warning::SearchGaveUp { path }]);
    assert_eq!(fixture.search("/(a+)+$/ path:whale", &[]), [""; 0]);
    for index in 0..110 {
        fixture.write(&format!("{index}.md"), "a".repeat(60) + "!");
    }
    let error = fixture
        .reply("search", &arguments(r"/(a+)+\1$/", &[]))
        .unwrap_err();
    assert!(matches!(error, EngineError::RegexTooSlow), "{error}");
}

#[cfg(unix)]
#[test]
fn d03_d14_links_pipes_and_unreadable_notes_do_not_stop_a_search() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = fixture();
    let root = fixture.folder.path();
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("secret.md"), "bread").unwrap();
    symlink(outside.path().join("secret.md"), root.join("link.md")).unwrap();
    fixture.write("closed.md", "bread");
    fs_err::set_permissions(root.join("closed.md"), PermissionsExt::from_mode(0o000)).unwrap();
    let found = fixture.search("bread", &[]);
    assert!(!found.contains(&"link.md".to_owned()));
    assert!(found.contains(&"Bakery.md".to_owned()));
    let reply = fixture.reply("search", &arguments("bread", &[])).unwrap();
    let unreadable = Warning::NoteUnreadable {
        path: VaultPath::file("closed.md").unwrap(),
        reason: "Permission denied (os error 13)".into(),
    };
    // The superuser can read it in spite of its mode.
    let is_read = found.contains(&"closed.md".to_owned());
    assert_eq!(reply.warnings.contains(&unreadable), !is_read);
}

#[test]
fn a_flat_folder_of_many_notes_is_read_in_parallel() {
    let fixture = fixture();
    for index in 0..300 {
        let word = if index % 7 == 0 { "whale" } else { "eel" };
        fixture.write(&format!("n{index}.md"), word);
    }
    assert_eq!(fixture.search("whale", &[]).len(), 43);
    assert_eq!(
        fixture.search("whale", &[])[..3],
        ["n0.md", "n7.md", "n14.md"]
    );
    assert_eq!(fixture.search("file:n29", &[]).len(), 11);
}

#[test]
fn a_file_with_many_hits_leaves_room_for_the_others() {
    assert_eq!(level(10, &[]), usize::MAX);
    assert_eq!(level(10, &[3, 4]), usize::MAX);
    assert_eq!(level(10, &[100, 2, 3]), 5);
    assert_eq!(level(10, &[100, 2, 50]), 4);
    assert_eq!(level(2, &[1, 1, 1, 1]), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn shares_fit_and_waste_nothing(
        costs in proptest::collection::vec(0_usize..50, 0..8),
        room in 0_usize..200,
    ) {
        let share = level(room, &costs);
        let used: usize = costs.iter().map(|cost| (*cost).min(share)).sum();
        prop_assert!(used <= room);
        let left_out = costs.iter().filter(|cost| **cost > share).count();
        prop_assert!(left_out == 0 || room - used < left_out);
    }
}
