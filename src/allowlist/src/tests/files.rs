//! Catalogue files: every mistake is refused with file, line and hint.

use std::path::PathBuf;

use super::*;

/// A valid entry with one example to accept.
fn entry(id: &str, example: &str) -> String {
    format!(
        r#"[[command]]
id = "{id}"
group = "files"
task = "read"
summary = "Read a file."
effects = ["read"]
target = "none"
output = "note-text"
backends = ["obsidian"]
since = "1.12.0"
accept = ["{example}"]
"#
    )
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/invalid")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = fs_err::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Loads a file after a valid one, whose `read` it must not list again.
fn load(name: &str, part: CatalogueSection, text: &str) -> Result<Catalogue, CatalogueError> {
    let good = CatalogueFile {
        name: "good.toml",
        part: CatalogueSection::Tier(Tier::V0),
        text: &entry("read", "read"),
    };
    Catalogue::load(&[good, CatalogueFile { name, part, text }])
}

#[test]
fn a11_every_mistake_is_refused_with_file_line_and_hint() {
    let mut messages = Vec::new();
    let mut shifted = Vec::new();
    for name in names() {
        let text = fs_err::read_to_string(folder().join(&name)).unwrap();
        let part = if name.starts_with("refused_") {
            CatalogueSection::Refused
        } else {
            CatalogueSection::Tier(Tier::V1)
        };
        let error = load(&name, part, &text).expect_err(&name);
        // The wrong line contains `# here`, so that the test notices a shifted line number.
        let line = text.lines().nth(error.line - 1).unwrap_or_default();
        if !line.contains("# here") {
            shifted.push(format!("{error}: {line}"));
        }
        messages.push(error.to_string());
    }
    assert!(shifted.is_empty(), "{shifted:#?}");
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn every_kind_of_mistake_has_a_file() {
    let kinds = |problem: &CatalogueProblem| match problem {
        CatalogueProblem::Form { .. } => "form",
        CatalogueProblem::Id(_) => "id",
        CatalogueProblem::DuplicateId { .. } => "duplicate id",
        CatalogueProblem::Name(_) => "name",
        CatalogueProblem::Reserved(_) => "reserved",
        CatalogueProblem::DuplicateName(..) => "duplicate name",
        CatalogueProblem::EmptyText(..) => "empty text",
        CatalogueProblem::NoEffects(_) => "no effects",
        CatalogueProblem::Execute(_) => "execute",
        CatalogueProblem::Kind(..) => "kind",
        CatalogueProblem::Target(..) => "target",
        CatalogueProblem::Command(..) => "command",
        CatalogueProblem::UnknownExclusive { .. } => "unknown exclusive",
        CatalogueProblem::ExampleForm(..) => "example form",
        CatalogueProblem::AcceptRefused(..) => "accept refused",
        CatalogueProblem::RefuseAccepted(..) => "refuse accepted",
    };
    let mut seen: Vec<&str> = names()
        .iter()
        .map(|name| {
            let text = fs_err::read_to_string(folder().join(name)).unwrap();
            let part = if name.starts_with("refused_") {
                CatalogueSection::Refused
            } else {
                CatalogueSection::Tier(Tier::V1)
            };
            kinds(&load(name, part, &text).expect_err(name).problem)
        })
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 16, "{seen:?}");
}

#[test]
fn a11_a_wrong_example_refuses_the_whole_catalogue() {
    let wrong = load(
        "wrong.toml",
        CatalogueSection::Tier(Tier::V1),
        &entry("file", "file path=a.md"),
    );
    let error = wrong.unwrap_err();
    assert!(matches!(error.problem, CatalogueProblem::AcceptRefused(..)));
    assert_eq!((error.file.as_str(), error.line), ("wrong.toml", 1));
    let other = load(
        "wrong.toml",
        CatalogueSection::Tier(Tier::V1),
        &entry("file", "read"),
    );
    assert!(matches!(
        other.unwrap_err().problem,
        CatalogueProblem::ExampleForm(..)
    ));
}

#[test]
fn a09_an_empty_catalogue_allows_nothing() {
    let empty_file = |part| CatalogueFile {
        name: "empty.toml",
        part,
        text: "# Nothing.\n",
    };
    let empty_list = CatalogueFile {
        name: "empty.toml",
        part: CatalogueSection::Tier(Tier::V0),
        text: "command = []\n",
    };
    for files in [
        vec![],
        vec![
            empty_file(CatalogueSection::Tier(Tier::V3)),
            empty_file(CatalogueSection::Refused),
        ],
        vec![empty_list],
    ] {
        let catalogue = Catalogue::load(&files).unwrap();
        assert_eq!(catalogue.commands().count(), 0);
        for command in builtin().commands() {
            assert!(matches!(
                catalogue.lookup(&command.id),
                Lookup::Unknown { nearest } if nearest.is_empty()
            ));
        }
    }
    assert!(builtin().commands().count() > 51);
}

#[test]
fn a02_reading_one_entry_and_reading_all_agree() {
    let offered = builtin().commands().map(|command| command.id.as_str());
    let refused = builtin()
        .refused()
        .iter()
        .map(|command| command.id.as_str());
    let odd = [
        "",
        "bogus",
        "Read",
        "read\"\ngroup = \"files",
        "read ",
        "id",
    ];
    for id in offered.chain(refused).chain(odd) {
        match (Catalogue::find_builtin(id), builtin().find(id)) {
            (Ok(alone), Ok(whole)) => assert_eq!(format!("{alone:?}"), format!("{whole:?}")),
            (Err(alone), Err(whole)) => assert_eq!(alone, whole),
            (alone, whole) => panic!("{id:?}: {alone:?}, {whole:?}"),
        }
    }
}

#[test]
fn tiers_order_the_list_whatever_the_order_of_the_files() {
    let files = [
        CatalogueFile {
            name: "late.toml",
            part: CatalogueSection::Tier(Tier::V2),
            text: &entry("read", "read"),
        },
        CatalogueFile {
            name: "early.toml",
            part: CatalogueSection::Tier(Tier::V1),
            text: &entry("earlier", "earlier"),
        },
    ];
    let catalogue = Catalogue::load(&files).unwrap();
    let ids: Vec<&str> = catalogue
        .commands()
        .map(|command| command.id.as_str())
        .collect();
    assert_eq!(ids, ["earlier", "read"]);
}
