use jiff::civil::date;
use jiff::tz::TimeZone;
use obsidian_note::VaultPath;
use serde_json::{Value, json};
use vault_answers::BaseRows;
use vault_files::testing::given;
use vault_files::vault::testing::{path, vault};
use vault_files::{EngineError, Registry, Sight, Surroundings, Vault};
use vault_index::IndexedVault;

use crate::Reply;
use crate::reply;

const CASES: &str = include_str!("cases.txt");

pub(super) fn surroundings() -> Surroundings {
    let now = date(2026, 6, 10).at(17, 17, 8, 0).to_zoned(TimeZone::UTC);
    Surroundings {
        now: now.unwrap(),
        random: 7,
        registry: Registry::default(),
    }
}

fn ask(vault: &Vault, params: &[(&str, &str)]) -> Result<Reply, EngineError> {
    let arguments = given("base:query", params, &[]);
    reply(vault, "base:query", &arguments, &surroundings())
}

fn rows(vault: &Vault, params: &[(&str, &str)]) -> Value {
    data(&ask(vault, params).unwrap())["items"].take()
}

/// Returns the paths of the rows, one per line.
fn paths(vault: &Vault, params: &[(&str, &str)]) -> String {
    let rows = rows(vault, params);
    let paths = rows.as_array().unwrap().iter().map(|row| &row["path"]);
    paths
        .map(|path| path.as_str().unwrap().to_owned() + "\n")
        .collect()
}

fn data(reply: &Reply) -> Value {
    serde_json::to_value(&reply.answer).unwrap()
}

const BASE: &str = include_str!("notes.base");

const NOTES: &[(&str, &str)] = &[
    ("Books.base", BASE),
    (
        "Emma.md",
        "---\ntags: [book]\nstatus: open\nprice: 12.5\ndue: 2026-07-01\nauthor: \"[[Jane Austen]]\"\n---\n[[Persuasion]] ![[cover.png]]\n",
    ),
    (
        "x/Persuasion.md",
        "---\ntags: book\nstatus: open\nprice: 20\nauthor: \"[[Jane Austen]]\"\n---\n",
    ),
    (
        "Dracula.md",
        "---\nstatus: open\nauthor: \"[[Bram Stoker]]\"\n---\n#book | \"quoted\", text\n",
    ),
    ("Old.md", "---\ntags: [book]\nstatus: done\n---\n"),
    ("Jane Austen.md", "# Jane\n"),
    ("cover.png", "png"),
    (
        "map.canvas",
        r#"{"nodes":[{"id":"1","type":"file","file":"x/Persuasion.md"}]}"#,
    ),
];

#[test]
fn rows_have_the_columns_groups_and_summaries_of_the_view() {
    let (_folder, vault) = vault(NOTES);
    let arguments = [("path", "Books.base")];
    let reply = ask(&vault, &arguments).unwrap();
    assert!(reply.warnings.is_empty(), "{:?}", reply.warnings);
    assert_eq!(
        data(&reply)["items"],
        json!([
            {
                "path": "Dracula.md", "file name": "Dracula", "price": null, "due in": "never",
                "author": "[[Bram Stoker]]", "file backlinks": null,
            },
            {
                "path": "x/Persuasion.md", "file name": "Persuasion", "price": "20", "due in": "never",
                "author": "[[Jane Austen]]", "file backlinks": "[[Emma.md|Emma]], [[map.canvas|map]]",
            },
            {
                "path": "Emma.md", "file name": "Emma", "price": "12.5", "due in": "21 days",
                "author": "[[Jane Austen]]", "file backlinks": null,
            },
        ])
    );
    let view = &data(&reply)["view"];
    assert_eq!(
        *view,
        json!({
            "name": "Open", "type": "table", "matching": 3,
            "columns": [
                {"id": "file.name", "name": "file name", "type": "string"},
                {"id": "note.price", "name": "price", "type": "number"},
                {"id": "formula.due in", "name": "due in", "type": "string"},
                {"id": "note.author", "name": "author", "type": "link"},
                {"id": "file.backlinks", "name": "file backlinks", "type": "list"},
            ],
            "groups": [
                {"value": "[[Bram Stoker]]", "rows": 1, "summaries": [{"column": "price", "name": "Sum", "value": "0"}]},
                {"value": "[[Jane Austen]]", "rows": 2, "summaries": [{"column": "price", "name": "Sum", "value": "32.5"}]},
            ],
            "summaries": [{"column": "price", "name": "Sum", "value": "32.5"}],
        })
    );
}

#[test]
fn views_go_by_name_and_bases_by_file_or_block() {
    let (_folder, vault) = vault(
        &[
            NOTES,
            &[
                ("Note.md", "# N\n\n```base\nfilters: file == this\nviews: [{type: table}]\n```\n\n```base\nviews:\n  - {type: list, name: All, limit: 2, filters: file.ext == 'md'}\n```\n"),
                ("Plain.md", "nothing"),
                ("Views.base", "views: x"),
                ("Empty.base", ""),
            ],
        ]
        .concat(),
    );
    let items = |wanted: &[(&str, &str)]| paths(&vault, wanted);
    assert_eq!(
        items(&[("path", "Books.base"), ("view", "Paths")]),
        "Dracula.md\nEmma.md\nOld.md\nx/Persuasion.md\n"
    );
    assert_eq!(items(&[("path", "Note.md")]), "Note.md\n");
    assert_eq!(
        items(&[("file", "Note"), ("view", "All")]),
        "Dracula.md\nEmma.md\n"
    );
    assert!(items(&[("path", "Empty.base")]).contains("cover.png\n"));
    let fails = |wanted: &[(&str, &str)]| ask(&vault, wanted).unwrap_err().to_string();
    assert_eq!(
        fails(&[("path", "Books.base"), ("view", "open")]),
        "`Books.base` has no view `open`"
    );
    assert_eq!(fails(&[("path", "Plain.md")]), "`Plain.md` is not a base");
    assert_eq!(fails(&[("path", "cover.png")]), "`cover.png` is not a base");
    assert_eq!(
        fails(&[("path", "none.base")]),
        "the base `none.base` does not exist"
    );
    assert_eq!(
        fails(&[("path", "Views.base")]),
        "`Views.base` is not a valid base (line 1: `views` must be a list, not a text)"
    );
    assert!(matches!(ask(&vault, &[]), Err(EngineError::Refused(_))));
}

/// `vault-semantics.md` §5.1: a fault in one view is a warning on that view.
#[test]
fn a_view_that_cannot_be_read_is_a_warning_on_that_view() {
    let (_folder, vault) = vault(&[
        NOTES,
        &[(
            "Views.base",
            "views:\n  - {type: table, filters: a ==}\n  - {type: list, filters: a.b()}\n  - {type: cards, limit: x, filters: price > 15}\n  - {type: map, filters: {or: [a ==, price > 15]}}\n  - {type: gallery, filters: \"status.contains('do') || author.contains(link('Bram Stoker'))\"}\n",
        )],
    ].concat());
    for [view, found, expected] in tables::section(CASES, "a view that cannot be read is a warning")
    {
        let arguments = [("path", "Views.base"), ("view", view)];
        let reply = ask(&vault, &arguments).unwrap();
        let message: Vec<_> = reply.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(message.join("\n"), expected);
        assert_eq!(paths(&vault, &arguments), found, "{view}");
    }
}

/// `vault-semantics.md` §5.3: since 1.13.2 the size of a picture is not the display text of its
/// link.
#[test]
fn the_size_of_a_picture_is_no_display_text() {
    let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
        CASES,
        "the size of a picture is no display text",
    ));
    assert_eq!(
        rows(&vault, &[("path", "X.base")]),
        json!([{
            "path": "a.md",
            "links": "[[pic.png|pic.png]], [[a|300]], [[pic.png|pic.png]], [[pic.png|A cat]], [[pic.png|A dog]]",
            "file embeds": "[[pic.png|pic.png]], [[pic.png|A cat]], [[pic.png|A dog]]",
        }])
    );
}

struct Without(&'static str);

impl Sight for Without {
    fn sees_file(&self, file: &VaultPath) -> bool {
        !file.as_str().starts_with(self.0)
    }

    fn sees_folder(&self, _folder: &VaultPath) -> bool {
        true
    }
}

#[test]
fn d13_a_closed_note_is_in_no_row_no_link_and_no_count() {
    let (_folder, whole) = vault(
        &[
            NOTES,
            &[(
                "All.base",
                "formulas: {seen: 'file(\"Emma\")', has: 'file.hasLink(\"Persuasion\")', broken: 'file.x'}\nviews: [{type: table, order: [file.backlinks, file.links, formula.seen, formula.has, author], filters: 'file.x || true'}]",
            )],
        ]
        .concat(),
    );
    let limited = IndexedVault(&whole.clone())
        .limited_to(std::sync::Arc::new(Without("Emma")))
        .unwrap();
    let all = rows(&limited, &[("path", "All.base")]);
    assert!(!all.to_string().contains("Emma"), "{all}");
    let gone = vault(
        &NOTES
            .iter()
            .filter(|(name, _)| *name != "Emma.md")
            .copied()
            .chain([(
                "All.base",
                &*fs_err::read_to_string(whole.root().join("All.base")).unwrap(),
            )])
            .collect::<Vec<_>>(),
    );
    assert_eq!(all, rows(&gone.1, &[("path", "All.base")]));
    let closed = IndexedVault(&whole)
        .limited_to(std::sync::Arc::new(Without("Books")))
        .unwrap();
    let refused = ask(&closed, &[("path", "Books.base")]).unwrap_err();
    assert_eq!(refused.to_string(), "the base `Books.base` does not exist");
    assert!(closed.sees(&path("All.base")));
}

#[test]
fn excluded_files_are_no_rows() {
    let settings = [(".obsidian/app.json", r#"{"userIgnoreFilters":["x/"]}"#)];
    let (_folder, vault) = vault(&[NOTES, &settings].concat());
    let all = paths(&vault, &[("path", "Books.base"), ("view", "Paths")]);
    assert_eq!(all, "Dracula.md\nEmma.md\nOld.md\n");
}

#[test]
fn types_json_says_what_is_a_date() {
    let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
        CASES,
        "types json says what is a date",
    ));
    let reply = ask(&vault, &[("path", "X.base")]).unwrap();
    let rows: BaseRows = reply.answer.downcast().unwrap();
    let cells = &rows.rows.items[0].cells;
    assert_eq!(
        (&cells["a"], &cells["b"], &cells["c"]),
        (&json!("true"), &json!("true"), &json!("true"))
    );
}
