//! Every shape, with every combination of arguments that changes its text: rendering and parsing
//! gives the answer of `as_printed`.
#![expect(clippy::too_many_lines, reason = "tables")]

use crate::{Reason, Shape, as_printed, parse, render};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::Union;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Map, Value};
use vault_answers::{
    AliasItem, Answer, BacklinkItem, BaseRow, BaseRows, BaseViewItem, CommandItem, Confirmation,
    FileInfo, FileItem, FolderInfo, FolderItem, HeadingItem, HistoryItem, LineMatch, LinkItem,
    List, NoteProperties, NoteText, PathAnswer, PluginInfo, PluginItem, PropertyCount,
    PropertyItem, PropertyValue, RandomNote, RawText, SearchContextItem, TabItem, TagFiles,
    TagItem, TaskItem, TemplateItem, Total, UnresolvedItem, VaultInfo, VaultItem, Version,
    WordCount, WorkspaceItem, WrittenType,
};
use vault_files::Args;

const CASES: &str = include_str!("round_trip_cases.txt");

/// Arguments that change the text of a shape.
fn any_arguments(shape: Shape) -> BoxedStrategy<Args> {
    let (flags, params): (&'static [&str], &'static [(&str, &[&str])]) = match shape {
        Shape::Properties => (
            &["total", "counts", "active"],
            &[
                ("format", &["yaml", "json", "tsv", "x"]),
                ("path", &["a.md"]),
                ("name", &["k"]),
            ],
        ),
        Shape::Tags | Shape::Backlinks | Shape::Unresolved | Shape::Tasks | Shape::Plugins => (
            &["total", "counts", "verbose", "versions"],
            &[("format", &["json", "tsv", "csv", "text", "x"])],
        ),
        Shape::Outline => (&["total"], &[("format", &["tree", "md", "json", "x"])]),
        Shape::BaseRows => (
            &[],
            &[("format", &["json", "csv", "tsv", "md", "paths", "x"])],
        ),
        Shape::FolderInfo | Shape::VaultInfo => (
            &[],
            &[("info", &["name", "path", "files", "folders", "size", "x"])],
        ),
        Shape::WordCount => (&["words", "characters"], &[]),
        Shape::Confirmation => (&[], &[("url", &["x"])]),
        _ => (
            &["total", "verbose", "ids"],
            &[("format", &["json", "text", "csv"]), ("name", &["k", "#k"])],
        ),
    };
    let values: Vec<_> = params
        .iter()
        .map(|(key, values)| proptest::option::of(select(*values).prop_map(|value| (*key, value))))
        .collect();
    (subsequence(flags, 0..=flags.len()), values)
        .prop_map(move |(flags, params)| {
            let arguments = flags.into_iter().fold(Args::default(), Args::with_flag);
            let params = params.into_iter().flatten();
            let arguments = params.fold(arguments, |arguments, (key, value)| {
                arguments.with(key, value)
            });
            // The parser needs this argument, because the answers repeat it.
            if matches!(shape, Shape::Tag | Shape::PropertyValue) && !arguments.has("name") {
                arguments.with("name", "k")
            } else {
                arguments
            }
        })
        .boxed()
}

/// A name on one line, without those that no text form can represent (see the crate's
/// documentation), and without those that some form parses differently.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 _./#|\"'\\[\\](){},;é漢😀-]{0,8}[a-z\"é]"
        .prop_filter("two paths would be read", |name| !name.contains(", "))
}

/// A path that may contain a tab, for forms that quote it.
fn quotable() -> impl Strategy<Value = String> {
    prop_oneof![
        name(),
        "[a-z\t,\"]{1,6}[a-z]".prop_filter("", |name| !name.contains(", "))
    ]
}

fn text() -> impl Strategy<Value = String> {
    "[a-zé:\"|\\[\\]\\\\ -]{0,12}"
}

fn items<S>(item: S) -> impl Strategy<Value = List<S::Value>>
where
    S: Strategy + 'static,
{
    vec(item, 0..5).prop_map(List::new)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~é\n\t]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((name(), inner), 0..3).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn map() -> impl Strategy<Value = Map<String, Value>> {
    vec((name(), value()), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn files() -> impl Strategy<Value = List<FileItem>> {
    items(name().prop_map(|path| FileItem { path }))
}

fn confirmation() -> impl Strategy<Value = Confirmation> {
    let two = || (name(), name()).prop_filter("a move to another path", |(from, to)| from != to);
    prop_oneof![
        name().prop_map(|path| Confirmation::Created { path }),
        name().prop_map(|path| Confirmation::Overwrote { path }),
        name().prop_map(|path| Confirmation::Appended { path }),
        name().prop_map(|path| Confirmation::Prepended { path }),
        name().prop_map(|path| Confirmation::Trashed { path }),
        name().prop_map(|path| Confirmation::Deleted { path }),
        two().prop_map(|(path, destination)| Confirmation::Moved { path, destination }),
        two().prop_map(|(path, destination)| Confirmation::Renamed { path, destination }),
        (name(), "(a\n|[a-z: ]){0,6}[a-z]").prop_map(|(property, value)| {
            Confirmation::PropertySet {
                property,
                value,
                kind: WrittenType::Text,
                notes: None,
            }
        }),
        name().prop_map(|path| Confirmation::AlreadyThere { path }),
        name().prop_map(|property| Confirmation::PropertyRemoved { property }),
        text().prop_map(|query| Confirmation::OpenedSearch {
            query: query.trim().to_owned()
        }),
        Just(Confirmation::OpenedTab),
        name().prop_map(|view| Confirmation::OpenedView { view }),
        name().prop_map(|id| Confirmation::Executed { id }),
        name().prop_map(|workspace| Confirmation::WorkspaceSaved { workspace }),
        name().prop_map(|workspace| Confirmation::WorkspaceLoaded { workspace }),
        name().prop_map(|workspace| Confirmation::WorkspaceDeleted { workspace }),
        Just(Confirmation::Reloading),
    ]
}

fn maybe_name() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(name())
}

/// Answers of this type.
fn answer<S>(data: S) -> BoxedStrategy<Answer>
where
    S: Strategy<Value: Into<Answer>> + 'static,
{
    data.prop_map(Into::into).boxed()
}

/// Answers that are lists of such items.
fn list<S>(item: S) -> BoxedStrategy<Answer>
where
    S: Strategy + 'static,
    List<S::Value>: Into<Answer>,
{
    answer(items(item))
}

fn any_answer(shape: Shape) -> BoxedStrategy<Answer> {
    let small = 0..1000_usize;
    let note = "(a|\n|\r\n|é| ){0,6}";
    match shape {
        Shape::Confirmation => answer(confirmation()),
        Shape::NoteText => answer((note, maybe_name()).prop_map(|(content, path)| NoteText {
            sha256: path.clone(),
            ..NoteText::new(path, content)
        })),
        Shape::RandomNote => prop_oneof![
            answer((name(), note).prop_map(|(path, content)| RandomNote::new(path, content))),
            answer(Just(Total { total: 0 })),
        ]
        .boxed(),
        Shape::Path => answer(name().prop_map(|path| PathAnswer { path })),
        Shape::Files
        | Shape::Recents
        | Shape::Orphans
        | Shape::Deadends
        | Shape::Search
        | Shape::Bases => answer(files()),
        Shape::Folders => list(name().prop_map(|path| FolderItem { path })),
        Shape::FileInfo => {
            let facts = (quotable(), name(), name(), any::<u64>(), any::<i64>());
            answer(
                facts.prop_map(|(path, name, extension, size, created)| FileInfo {
                    path,
                    name,
                    extension,
                    size,
                    created,
                    modified: !created,
                }),
            )
        }
        Shape::FolderInfo => {
            let facts = (quotable(), small.clone(), small, any::<u64>());
            answer(facts.prop_map(|(path, files, folders, size)| FolderInfo {
                path: Some(path),
                files: Some(files),
                folders: Some(folders),
                size: Some(size),
            }))
        }
        Shape::VaultInfo => {
            let facts = (name(), name(), small, any::<u64>());
            answer(facts.prop_map(|(name, path, files, size)| VaultInfo {
                name: Some(name),
                path: Some(path),
                files: Some(files),
                folders: Some(files / 2),
                size: Some(size),
            }))
        }
        Shape::Vaults => list((name(), name()).prop_map(|(name, path)| VaultItem {
            name,
            path: Some(path),
        })),
        Shape::Aliases => list(
            (name(), vec(name(), 0..3)).prop_map(|(alias, paths)| AliasItem {
                alias,
                paths: Some(paths),
            }),
        ),
        Shape::Properties | Shape::Tasks => panic!("depends on the arguments"),
        Shape::PropertyValue => {
            let name = "k".to_owned();
            answer(
                vec("[a-z ]{0,3}[a-z]?", 0..4).prop_map(move |values| PropertyValue {
                    name: name.clone(),
                    values,
                }),
            )
        }
        Shape::Tags => {
            let tags = (quotable(), proptest::option::of(small));
            list(tags.prop_map(|(tag, count)| TagItem {
                tag: format!("#{tag}"),
                count,
            }))
        }
        Shape::Tag => answer((files(), small).prop_map(|(files, count)| TagFiles {
            tag: "#k".to_owned(),
            count: Some(count),
            files,
        })),
        Shape::Links => list(prop_oneof![
            name().prop_map(|path| LinkItem::File { path }),
            name().prop_map(|target| LinkItem::Unresolved { target }),
        ]),
        Shape::Backlinks => list((quotable(), small).prop_map(|(path, count)| BacklinkItem {
            path,
            count: Some(count),
        })),
        Shape::Unresolved => {
            let links = (quotable(), small, vec(quotable(), 0..3));
            list(links.prop_map(|(link, count, sources)| UnresolvedItem {
                link,
                count: Some(count),
                sources: Some(sources),
            }))
        }
        Shape::Outline => {
            let headings = (1..7_u8, "[ -~└─│]{0,6}", small);
            list(headings.prop_map(|(level, heading, line)| HeadingItem {
                level: Some(level),
                depth: None,
                heading,
                line: Some(line),
            }))
        }
        Shape::SearchContext => {
            let hit = (small, text()).prop_map(|(line, text)| LineMatch::new(line, text));
            let hits = items((name(), vec(hit, 0..3)));
            answer(hits.prop_map(|list| {
                // The paths must differ, as those of files do.
                let mut number = 0;
                list.map(|(path, matches)| {
                    number += 1;
                    let path = format!("{number}{path}");
                    SearchContextItem { path, matches }
                })
            }))
        }
        Shape::WordCount => answer((small.clone(), small).prop_map(|(words, characters)| {
            let (words, characters) = (Some(words), Some(characters));
            WordCount { words, characters }
        })),
        Shape::BaseViews => {
            list((quotable(), name()).prop_map(|(name, kind)| BaseViewItem { name, kind }))
        }
        Shape::BaseRows => answer(base_rows()),
        Shape::Templates => list(name().prop_map(|name| TemplateItem { name })),
        Shape::Plugins => {
            list((quotable(), maybe_name()).prop_map(|(id, version)| PluginItem { id, version }))
        }
        Shape::PluginInfo => {
            let facts = (name(), maybe_name(), any::<bool>());
            answer(facts.prop_map(|(name, version, enabled)| PluginInfo {
                kind: "core".to_owned(),
                name,
                author: version.clone(),
                description: version.clone().map(|text| format!("{text}\t{text}")),
                version,
                enabled,
            }))
        }
        Shape::Tabs => {
            let tabs = ("[a-z-]{1,6}", name(), name());
            list(tabs.prop_map(|(view, title, id)| TabItem {
                view,
                title,
                id: Some(id),
            }))
        }
        Shape::Workspaces => {
            let spaces = (name(), any::<bool>());
            list(spaces.prop_map(|(name, active)| WorkspaceItem { name, active }))
        }
        Shape::Commands => list(name().prop_map(|id| CommandItem { id })),
        Shape::Version => answer(
            ("[0-9]{1,2}\\.[0-9]\\.[0-9]", "[0-9.a-z]{1,5}")
                .prop_map(|(version, installer)| Version { version, installer }),
        ),
        Shape::History => list(name().prop_map(|text| HistoryItem { text })),
        Shape::Raw => answer(note.prop_map(RawText::new)),
        Shape::Own(form) => panic!("{form:?} is never parsed"),
    }
}

/// Answers whose type depends on the arguments.
fn any_answer_to(shape: Shape, arguments: &Args) -> BoxedStrategy<Answer> {
    let small = 0..1000_usize;
    match shape {
        Shape::Properties if arguments.param("name").is_some() => {
            let name = "k".to_owned();
            answer(small.prop_map(move |count| PropertyCount {
                name: name.clone(),
                count,
            }))
        }
        Shape::Properties if arguments.param("path").is_some() || arguments.flag("active") => {
            answer(map().prop_map(|properties| NoteProperties { properties }))
        }
        Shape::Properties => {
            let properties = (name(), maybe_name(), small);
            list(properties.prop_map(|(name, kind, count)| PropertyItem {
                name,
                kind,
                count: Some(count),
            }))
        }
        Shape::Tasks => {
            let prefix = select(&["- ", "\t* ", "> + ", "1. ", "22)  "][..]);
            let tasks = (prefix, "[ x/é-]", text(), quotable(), small);
            list(tasks.prop_map(|(prefix, status, text, path, line)| {
                let text = format!("{prefix}[{status}] {text}");
                TaskItem::new(status, text).with_place(Some(path), Some(line))
            }))
        }
        _ => any_answer(shape),
    }
}

/// Rows of one view: the same columns in each.
fn base_rows() -> impl Strategy<Value = BaseRows> {
    let columns = proptest::collection::vec("[a-zé| \\\\\"]{0,6}", 1..4);
    let cell = || proptest::option::of(text());
    let row = (name(), proptest::collection::vec(cell(), 4));
    (columns, proptest::collection::vec(row, 0..4)).prop_map(|(columns, rows)| {
        let rows = rows.into_iter().map(|(path, row)| {
            let path = ("path".to_owned(), Value::from(path));
            let cells = columns.iter().zip(row);
            let cells = cells.map(|(column, cell)| (format!("{column}x"), Value::from(cell)));
            BaseRow {
                cells: std::iter::once(path).chain(cells).collect(),
            }
        });
        BaseRows {
            rows: List::new(rows.collect()),
            ..BaseRows::default()
        }
    })
}

/// Runs a test with so many cases.
fn run<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), TestError<S::Value>> {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(strategy, test)
}

#[test]
fn own_shapes_of_the_gateway_are_never_parsed() {
    static OWN: vault_answers::OwnForm = vault_answers::OwnForm {
        name: "own",
        has_total: true,
        has_text_pages: false,
        budget: None,
        text: vault_answers::OwnText::Summary,
        schema: |_| schemars::Schema::default(),
    };
    for (text, arguments) in [
        ("", Args::default()),
        ("3\n", Args::default().with_flag("total")),
        ("{}", Args::default().with_flag("json")),
    ] {
        let error = parse(Shape::Own(&OWN), &arguments, text).unwrap_err();
        assert_eq!(error.reason, Reason::NotPrinted);
    }
}

#[test]
fn what_is_rendered_reads_back_as_printed() {
    for &shape in Shape::APP {
        let cases = any_arguments(shape)
            .prop_flat_map(move |arguments| (any_answer_to(shape, &arguments), Just(arguments)));
        let outcome = run(60, &cases, |(answer, arguments)| {
            let text = render(&answer, shape, &arguments);
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            let printed = as_printed(answer, shape, &arguments);
            let read = parse(shape, &arguments, &text);
            prop_assert_eq!(read, Ok(printed.clone()), "{:?}", text);
            // A second round changes nothing more.
            let again = as_printed(printed.clone(), shape, &arguments);
            prop_assert_eq!(again, printed);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{shape:?}: {error}"));
    }
}

/// CRLF and surrounding blank lines change nothing, except in texts that are passed on.
#[test]
fn windows_line_ends_read_the_same() {
    for &shape in Shape::APP {
        if matches!(
            shape,
            Shape::NoteText
                | Shape::RandomNote
                | Shape::Raw
                | Shape::PropertyValue
                | Shape::Confirmation
                | Shape::Tasks
                | Shape::BaseRows
                | Shape::Properties
        ) {
            continue;
        }
        let cases = any_arguments(shape).prop_flat_map(move |args| (any_answer(shape), Just(args)));
        let outcome = run(30, &cases, |(answer, arguments)| {
            let text = render(&answer, shape, &arguments);
            let windows = format!("\r\n{}\r\n", text.replace('\n', "\r\n"));
            let expected = parse(shape, &arguments, &text);
            let read = parse(shape, &arguments, &windows);
            prop_assert_eq!(read, expected);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{shape:?}: {error}"));
    }
}

/// Any text is parsed or refused at one of its lines, without a panic.
#[test]
fn any_text_is_read_or_refused() {
    let words = select(tables::lines(CASES, "any text is read or refused"));
    let texts = vec(words, 0..10).prop_map(|words| words.concat());
    let all = Shape::APP
        .iter()
        .map(|&shape| (Just(shape), any_arguments(shape)).boxed());
    let cases = (Union::new(all), texts);
    let outcome = run(4000, &cases, |((shape, arguments), text)| {
        if let Err(error) = parse(shape, &arguments, &text) {
            let lines = text.split('\n').count() + 1;
            prop_assert!((1..=lines).contains(&error.line), "{}", error);
        }
        Ok(())
    });
    outcome.unwrap();
}
