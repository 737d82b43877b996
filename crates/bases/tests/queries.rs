//! Whole bases over a small vault.

use bases::{Base, BaseError, Cell, NoteLink, Place, Table};
use serde_json::json;

use crate::notes::{File, Vault, books, note, table};

const CASES: &str = include_str!("queries_cases.txt");

fn rows(table: &Table) -> Vec<String> {
    let text = |cell: &Cell| cell.text.clone().unwrap_or_default();
    let row = |row: &bases::Row| row.cells.iter().map(text).collect::<Vec<_>>().join(" | ");
    table.rows.iter().map(row).collect()
}

/// The table of a base with this text.
fn shown(text: &str) -> Table {
    table(&books(), &Base::parse(text).unwrap(), "table")
}

fn labels(table: &Table) -> Vec<&str> {
    let columns = table.columns.iter();
    columns.map(|column| column.label.as_str()).collect()
}

/// The values of summaries.
fn values(summaries: &[bases::Summary]) -> Vec<Option<&str>> {
    let values = summaries.iter().map(|summary| summary.value.as_deref());
    values.collect()
}

/// The rows of a table: ` => ` is between the cells, in which `\n` stands for the end of a line.
fn rows_of<const CELLS: usize>(table: &str) -> impl Iterator<Item = [String; CELLS]> {
    let cells = |row: &str| {
        let cells = row.trim().split(" => ");
        let cells: Vec<String> = cells.map(|cell| cell.replace("\\n", "\n")).collect();
        cells.try_into().unwrap()
    };
    table.trim().lines().map(cells)
}

const BASE: &str = include_str!("books.base");

#[test]
fn rows_columns_and_summaries() {
    let base = Base::parse(BASE).unwrap();
    assert_eq!(base.views().len(), 3);
    assert_eq!(base.views()[2].name, "list");
    // `not: [price.nothing]` fails for every file with a price, and the note without one stays.
    let all = table(&books(), &base, "All");
    assert_eq!(rows(&all), ["Jane Austen | open |  | NaN |  |  | "]);
    let base = Base::parse(&BASE.replace("not: [price.nothing]", "not: [price > 15]")).unwrap();
    let all = table(&books(), &base, "All");
    let columns = all.columns.iter();
    let columns = columns.map(|column| {
        format!(
            "{} | {} | {}",
            column.id,
            column.label,
            column.kind.as_str()
        )
    });
    let summaries = all.summaries.iter();
    let summaries = summaries.map(|one| format!("{} | {} | {:?}", one.column, one.name, one.value));
    let shown: Vec<String> = rows(&all)
        .into_iter()
        .chain(columns)
        .chain(summaries)
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    Emma | open | 12.5 | 3.13 |  | [[Jane Austen]] | Error: Cannot find "nothing" on type Number
    Dracula | done | 8 | 4.00 | late | [[Bram Stoker|Stoker]] | Error: Cannot find "nothing" on type Number
    Jane Austen | open |  | NaN |  |  | 
    file.name | file name | string
    note.status | State | string
    note.price | price | number
    formula.ppu | Per year | string
    formula.late | late | string
    note.author | author | link
    formula.broken | broken | error
    2 | Sum | Some("20.5")
    3 | Filled | Some("3")
    1 | Unique | Some("2")
    2 | Sum | Some("20.5")
    "#);
}

#[test]
fn groups_have_summaries_of_their_own() {
    let base = BASE.replace("not: [price.nothing]", "file.name");
    let base = Base::parse(&base).unwrap();
    let grouped = table(&books(), &base, "Grouped");
    assert_eq!(
        rows(&grouped),
        [
            "Books/Emma.md | 12.5 | 2026-07-01 | open",
            "Books/Old/Persuasion.md | 20 |  | open",
            "Books/Dracula.md | 8 | 2026-06-01 | done",
        ]
    );
    let failing = Some("Error: Cannot find \"nothing\" on type List");
    for (group, (value, rows, mean)) in grouped.groups.iter().zip([
        ("[[Jane Austen]]", 2, "16.3"),
        ("[[Bram Stoker|Stoker]]", 1, "8"),
    ]) {
        assert_eq!((group.value.as_deref(), group.rows), (Some(value), rows));
        let expected = [Some(mean), Some("a few seconds"), failing];
        assert_eq!(values(&group.summaries), expected);
    }
    assert_eq!(grouped.groups.len(), 2);
    let all = [Some("13.5"), Some("a month"), failing];
    assert_eq!(values(&grouped.summaries), all);
}

#[test]
fn a_failing_statement_counts_unless_another_holds() {
    let base = BASE.replace("not: [price.nothing]", "file.name");
    let base = Base::parse(&base).unwrap();
    let list = table(&books(), &base, "list");
    assert_eq!((rows(&list), list.total), (vec!["Emma".to_owned()], 2));
}

#[test]
fn columns_have_names_of_their_own() {
    let text = "views: [{type: table, order: [path, file.path, note.a, formula.a]}]\nformulas: {a: '1'}\nproperties: {file.path: {displayName: path}}";
    let expected = ["note.path", "file.path", "a", "formula.a"];
    assert_eq!(labels(&shown(text)), expected);
}

#[test]
fn what_is_empty_comes_last_either_way() {
    for (direction, expected) in [
        ("ASC", ["8", "12.5", "20", "", "", ""]),
        ("DESC", ["20", "12.5", "8", "", "", ""]),
    ] {
        let text = format!(
            "views: [{{type: table, order: [price], sort: [{{property: price, direction: {direction}}}]}}]"
        );
        assert_eq!(rows(&shown(&text)), expected);
    }
}

#[test]
fn what_is_no_base_says_where() {
    for [text, expected] in rows_of(tables::text(CASES, "what is no base says")) {
        let error = Base::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&expected), "{text}: {error}");
    }
    assert!(Base::parse(&"[".repeat(100_000)).is_err());
    assert!(Base::parse(&"a".repeat(2_000_000)).is_err());
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]";
    let message = Base::parse(bomb).unwrap_err().message;
    assert!(message.contains("more than 20000 values"), "{message}");
    for text in ["", "# nothing", "views:", "filters: {and: []}\nviews: []"] {
        assert!(Base::parse(text).unwrap().views().is_empty(), "{text}");
    }
}

#[test]
fn ignored_parts_of_a_view_are_reported_with_their_place() {
    let text = "filter: a\ndisplay: {b: B}\nformulas:\n  a: formula.b\n  b: formula.a + formula.none\n  c: 1 +\n  d: toUpper(x).shout() + round(x)\nviews:\n  - limit: 0\n    filters: 'a =='\n    summaries: {a: Mode}\n";
    let base = Base::parse_from_line(text, 11).unwrap();
    assert_eq!(
        describe(base.diagnostics()),
        [
            "11:1 a base does not have the key \"filter\", so it is ignored",
            "14:6 The formula \"a\" refers to itself",
            "15:6 There is no formula \"none\"",
            "15:6 The formula \"b\" refers to itself",
            "16:6 a formula \"c\" is not an expression: The expression ends where a value is expected (at character 4)",
            "17:6 Cannot find function \"toUpper\"; if a plugin adds it, only the app can evaluate it",
            "17:6 Cannot find function \"shout\"; if a plugin adds it, only the app can evaluate it",
            "17:6 Cannot find function \"round\"; write it behind a value, as in \"value.round()\"",
        ]
    );
    assert_eq!(
        describe(base.views()[0].diagnostics()),
        [
            "1:1 There is no summary \"Mode\", for which view \"table\" asks",
            "19:12 a limit of 0 has no effect",
        ]
    );
    let broken = base.broken_filters(&base.views()[0]);
    assert_eq!((broken.len(), broken[0].place.line), (1, 20));
}

fn describe(found: &[BaseError]) -> Vec<String> {
    let shown = found.iter().map(|found| {
        let Place { line, column } = found.place;
        format!("{line}:{column} {}", found.message)
    });
    shown.collect()
}

/// `vault-semantics.md` §5.1: what cannot be read of one view is told with that view, and no other
/// view is without it.
#[test]
fn a_view_that_cannot_be_read_keeps_no_other_from_being_shown() {
    for [view, rows, expected] in rows_of(tables::text(CASES, "a view that cannot be read keeps")) {
        let text = format!("views:\n  - {{type: list, name: Good}}\n  - {view}\n");
        let base = Base::parse(&text).unwrap();
        assert!(base.diagnostics().is_empty() && base.views()[0].diagnostics().is_empty());
        assert_eq!(describe(base.views()[1].diagnostics()).join("\n"), expected);
        assert_eq!(table(&books(), &base, "Good").rows.len(), 6);
        let found = table(&books(), &base, "table").rows.len();
        assert_eq!(found.to_string(), rows, "{view}");
    }
    let base = Base::parse("views:\n  - 1\n  - type: table").unwrap();
    let wrong = ["2:5 a view must be keys with values, not a text"];
    assert_eq!(describe(base.views()[0].diagnostics()), wrong);
    assert!(base.views()[1].diagnostics().is_empty());
}

/// `vault-semantics.md` §5.1: `column` and `display` are older names, which published bases have.
#[test]
fn older_names_are_read() {
    let text = "display: {note.price: Cost, note.status: old}\nproperties: {status: {displayName: State}}\nviews: [{type: table, order: [file.name, price, status], sort: [{column: note.price, direction: DESC}]}]";
    let base = Base::parse(text).unwrap();
    assert!(base.diagnostics().is_empty());
    let found = table(&books(), &base, "table");
    assert_eq!(labels(&found), ["file name", "Cost", "State"]);
    let first = "Persuasion | 20 | open\nEmma | 12.5 | open\nDracula | 8 | done";
    assert_eq!(rows(&found)[..3].join("\n"), first);
}

/// `vault-semantics.md` §5.2: the app's own labels.
#[test]
fn columns_of_files_are_headed_as_in_the_app() {
    let names = tables::typed::<(&str, &str)>(CASES, "columns of files are headed");
    let (names, expected): (Vec<&str>, Vec<&str>) = names.into_iter().unzip();
    let order = names.join(", file.");
    let found = shown(&format!("views: [{{type: table, order: [file.{order}]}}]"));
    assert_eq!(labels(&found), expected);
    // Files have no tasks: the column is empty, and no error.
    let tasks = &found.columns[14];
    assert_eq!(tasks.id, "file.tasks");
    assert_eq!(tasks.kind.as_str(), "empty");
}

/// `vault-semantics.md` §5.2: without a sort, rows stand in the order of their files' names.
#[test]
fn rows_without_a_sort_are_ordered_by_name() {
    let vault = Vault {
        files: ["A/z.md", "B/a.md", "D/b.md", "E/a.md", "c.md"]
            .map(|path| note(path, json!({"same": 1})))
            .to_vec(),
        ..Vault::default()
    };
    let paths = |view: &str| {
        let text = format!("views: [{{type: table, order: [file.path]{view}}}]");
        rows(&table(&vault, &Base::parse(&text).unwrap(), "table"))
    };
    let by_name = ["B/a.md", "E/a.md", "D/b.md", "c.md", "A/z.md"];
    assert_eq!(paths(""), by_name);
    assert_eq!(paths(", sort: []"), by_name);
    let group = ", groupBy: {property: same, direction: DESC}";
    assert_eq!(paths(group), by_name);
    assert_eq!(paths(", limit: 2"), by_name[..2]);
    let by_path = ["A/z.md", "B/a.md", "D/b.md", "E/a.md", "c.md"];
    let sort = ", sort: [{property: same, direction: DESC}]";
    assert_eq!(paths(sort), by_path);
}

/// `vault-semantics.md` §5.2: items apart by a comma and a space, tags with their `#`.
#[test]
fn cells_of_lists_and_tags() {
    let picture = |display: &str| NoteLink {
        target: "pic.png".to_owned(),
        display: Some(display.to_owned()),
    };
    let shown = ["pic.png", "300", "300x200", "A cat|300", "A cat", "x300"].map(picture);
    let document = NoteLink {
        target: "300.md".to_owned(),
        display: Some("300".to_owned()),
    };
    let vault = Vault {
        files: vec![File {
            tags: vec!["a".to_owned(), "#b/c".to_owned()],
            links: [&shown[..], &[document]].concat(),
            embeds: shown.to_vec(),
            ..note("n.md", json!({"tags": ["a"], "list": ["x", ["y"], 2]}))
        }],
        ..Vault::default()
    };
    let text = "formulas: {joined: 'file.tags.join(\" \")'}\nviews: [{type: table, order: [file.tags, tags, list, formula.joined, file.links], groupBy: {property: tags, direction: ASC}}]";
    let found = table(&vault, &Base::parse(text).unwrap(), "table");
    assert_eq!(
        rows(&found),
        [
            "#a, #b/c | #a | x, y, 2 | a b/c | [[pic.png|pic.png]], [[pic.png|pic.png]], [[pic.png|pic.png]], [[pic.png|A cat]], [[pic.png|A cat]], [[pic.png|x300]], [[300.md|300]]"
        ]
    );
    assert_eq!(found.groups[0].value.as_deref(), Some("#a"));
}
