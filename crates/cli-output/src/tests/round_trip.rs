//! Every shape, with every combination of arguments that changes its text: rendering and parsing
//! gives the answer of `as_printed`.
#![expect(clippy::too_many_lines, reason = "tables")]

use crate::{Reason, Shape, as_printed, parse, render};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::Union;
use proptest::test_runner::{Config, TestRunner};
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

fn any_answer(shape: Shape) -> BoxedStrategy<Answer> {
    let small = 0..1000_usize;
    let note = "(a|\n|\r\n|é| ){0,6}";
    match shape {
        Shape::Confirmation => confirmation().prop_map(Answer::from).boxed(),
        Shape::NoteText => (note, proptest::option::of(name()))
            .prop_map(|(content, path)| {
                Answer::from(NoteText {
                    sha256: path.clone(),
                    ..NoteText::new(path, content)
                })
            })
            .boxed(),
        Shape::RandomNote => prop_oneof![
            (name(), note).prop_map(|(path, content)| Answer::from(RandomNote::new(path, content))),
            Just(Answer::from(Total { total: 0 })),
        ]
        .boxed(),
        Shape::Path => name()
            .prop_map(|path| Answer::from(PathAnswer { path }))
            .boxed(),
        Shape::Files
        | Shape::Recents
        | Shape::Orphans
        | Shape::Deadends
        | Shape::Search
        | Shape::Bases => files().prop_map(Answer::from).boxed(),
        Shape::Folders => items(name().prop_map(|path| FolderItem { path }))
            .prop_map(Answer::from)
            .boxed(),
        Shape::FileInfo => (quotable(), name(), name(), any::<u64>(), any::<i64>())
            .prop_map(|(path, name, extension, size, created)| {
                let modified = !created;
                Answer::from(FileInfo {
                    path,
                    name,
                    extension,
                    size,
                    created,
                    modified,
                })
            })
            .boxed(),
        Shape::FolderInfo => (quotable(), small.clone(), small, any::<u64>())
            .prop_map(|(path, files, folders, size)| {
                Answer::from(FolderInfo {
                    path: Some(path),
                    files: Some(files),
                    folders: Some(folders),
                    size: Some(size),
                })
            })
            .boxed(),
        Shape::VaultInfo => (name(), name(), small, any::<u64>())
            .prop_map(|(name, path, files, size)| {
                Answer::from(VaultInfo {
                    name: Some(name),
                    path: Some(path),
                    files: Some(files),
                    folders: Some(files / 2),
                    size: Some(size),
                })
            })
            .boxed(),
        Shape::Vaults => items((name(), name()).prop_map(|(name, path)| VaultItem {
            name,
            path: Some(path),
        }))
        .prop_map(Answer::from)
        .boxed(),
        Shape::Aliases => items(
            (name(), vec(name(), 0..3)).prop_map(|(alias, paths)| AliasItem {
                alias,
                paths: Some(paths),
            }),
        )
        .prop_map(Answer::from)
        .boxed(),
        Shape::Properties | Shape::Tasks => panic!("depends on the arguments"),
        Shape::PropertyValue => vec("[a-z ]{0,3}[a-z]?", 0..4)
            .prop_map(|values| {
                Answer::from(PropertyValue {
                    name: "k".to_owned(),
                    values,
                })
            })
            .boxed(),
        Shape::Tags => items(
            (quotable(), proptest::option::of(small)).prop_map(|(tag, count)| TagItem {
                tag: format!("#{tag}"),
                count,
            }),
        )
        .prop_map(Answer::from)
        .boxed(),
        Shape::Tag => (files(), small)
            .prop_map(|(files, count)| {
                Answer::from(TagFiles {
                    tag: "#k".to_owned(),
                    count: Some(count),
                    files,
                })
            })
            .boxed(),
        Shape::Links => items(prop_oneof![
            name().prop_map(|path| LinkItem::File { path }),
            name().prop_map(|target| LinkItem::Unresolved { target }),
        ])
        .prop_map(Answer::from)
        .boxed(),
        Shape::Backlinks => items((quotable(), small).prop_map(|(path, count)| BacklinkItem {
            path,
            count: Some(count),
        }))
        .prop_map(Answer::from)
        .boxed(),
        Shape::Unresolved => items((quotable(), small, vec(quotable(), 0..3)).prop_map(
            |(link, count, sources)| UnresolvedItem {
                link,
                count: Some(count),
                sources: Some(sources),
            },
        ))
        .prop_map(Answer::from)
        .boxed(),
        Shape::Outline => items((1..7_u8, "[ -~└─│]{0,6}", small).prop_map(
            |(level, heading, line)| HeadingItem {
                level: Some(level),
                depth: None,
                heading,
                line: Some(line),
            },
        ))
        .prop_map(Answer::from)
        .boxed(),
        Shape::SearchContext => {
            let hit = (small, text()).prop_map(|(line, text)| LineMatch::new(line, text));
            items((name(), vec(hit, 0..3)))
                .prop_map(|list| {
                    // The paths must differ, as those of files do.
                    let mut number = 0;
                    Answer::from(list.map(|(path, matches)| {
                        number += 1;
                        SearchContextItem {
                            path: format!("{number}{path}"),
                            matches,
                        }
                    }))
                })
                .boxed()
        }
        Shape::WordCount => (small.clone(), small)
            .prop_map(|(words, characters)| {
                let (words, characters) = (Some(words), Some(characters));
                Answer::from(WordCount { words, characters })
            })
            .boxed(),
        Shape::BaseViews => {
            items((quotable(), name()).prop_map(|(name, kind)| BaseViewItem { name, kind }))
                .prop_map(Answer::from)
                .boxed()
        }
        Shape::BaseRows => base_rows().prop_map(Answer::from).boxed(),
        Shape::Templates => items(name().prop_map(|name| TemplateItem { name }))
            .prop_map(Answer::from)
            .boxed(),
        Shape::Plugins => items(
            (quotable(), proptest::option::of(name()))
                .prop_map(|(id, version)| PluginItem { id, version }),
        )
        .prop_map(Answer::from)
        .boxed(),
        Shape::PluginInfo => (name(), proptest::option::of(name()), any::<bool>())
            .prop_map(|(name, version, enabled)| {
                Answer::from(PluginInfo {
                    kind: "core".to_owned(),
                    name,
                    author: version.clone(),
                    description: version.clone().map(|text| format!("{text}\t{text}")),
                    version,
                    enabled,
                })
            })
            .boxed(),
        Shape::Tabs => items(
            ("[a-z-]{1,6}", name(), name()).prop_map(|(view, title, id)| TabItem {
                view,
                title,
                id: Some(id),
            }),
        )
        .prop_map(Answer::from)
        .boxed(),
        Shape::Workspaces => {
            items((name(), any::<bool>()).prop_map(|(name, active)| WorkspaceItem { name, active }))
                .prop_map(Answer::from)
                .boxed()
        }
        Shape::Commands => items(name().prop_map(|id| CommandItem { id }))
            .prop_map(Answer::from)
            .boxed(),
        Shape::Version => ("[0-9]{1,2}\\.[0-9]\\.[0-9]", "[0-9.a-z]{1,5}")
            .prop_map(|(version, installer)| Answer::from(Version { version, installer }))
            .boxed(),
        Shape::History => items(name().prop_map(|text| HistoryItem { text }))
            .prop_map(Answer::from)
            .boxed(),
        Shape::Raw => note
            .prop_map(|text| Answer::from(RawText::new(text)))
            .boxed(),
        Shape::Own(form) => panic!("{form:?} is never parsed"),
    }
}

/// Answers whose type depends on the arguments.
fn any_answer_to(shape: Shape, arguments: &Args) -> BoxedStrategy<Answer> {
    let small = 0..1000_usize;
    match shape {
        Shape::Properties if arguments.param("name").is_some() => small
            .prop_map(|count| {
                Answer::from(PropertyCount {
                    name: "k".to_owned(),
                    count,
                })
            })
            .boxed(),
        Shape::Properties if arguments.param("path").is_some() || arguments.flag("active") => map()
            .prop_map(|properties| Answer::from(NoteProperties { properties }))
            .boxed(),
        Shape::Properties => items((name(), proptest::option::of(name()), small).prop_map(
            |(name, kind, count)| PropertyItem {
                name,
                kind,
                count: Some(count),
            },
        ))
        .prop_map(Answer::from)
        .boxed(),
        Shape::Tasks => {
            let prefix = select(&["- ", "\t* ", "> + ", "1. ", "22)  "][..]);
            items((prefix, "[ x/é-]", text(), quotable(), small).prop_map(
                |(prefix, status, text, path, line)| {
                    let text = format!("{prefix}[{status}] {text}");
                    TaskItem::new(status, text).with_place(Some(path), Some(line))
                },
            ))
            .prop_map(Answer::from)
            .boxed()
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

/// The shapes that a program prints.
fn read_shapes() -> impl Iterator<Item = &'static Shape> {
    Shape::APP.iter()
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
    for shape in read_shapes() {
        let cases = any_arguments(*shape)
            .prop_flat_map(move |arguments| (any_answer_to(*shape, &arguments), Just(arguments)));
        let mut runner = TestRunner::new(Config {
            cases: 60,
            failure_persistence: None,
            ..Config::default()
        });
        let outcome = runner.run(&cases, |(answer, arguments)| {
            let text = render(&answer, *shape, &arguments);
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            let printed = as_printed(answer, *shape, &arguments);
            prop_assert_eq!(
                parse(*shape, &arguments, &text),
                Ok(printed.clone()),
                "{:?}",
                text
            );
            // A second round changes nothing more.
            let again = as_printed(printed.clone(), *shape, &arguments);
            prop_assert_eq!(again, printed);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{shape:?}: {error}"));
    }
}

/// CRLF and surrounding blank lines change nothing, except in texts that are passed on.
#[test]
fn windows_line_ends_read_the_same() {
    for shape in read_shapes() {
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
        let cases =
            any_arguments(*shape).prop_flat_map(move |args| (any_answer(*shape), Just(args)));
        let mut runner = TestRunner::new(Config {
            cases: 30,
            failure_persistence: None,
            ..Config::default()
        });
        let outcome = runner.run(&cases, |(answer, arguments)| {
            let text = render(&answer, *shape, &arguments);
            let windows = format!("\r\n{}\r\n", text.replace('\n', "\r\n"));
            let expected = parse(*shape, &arguments, &text);
            let read = parse(*shape, &arguments, &windows);
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
        .map(|shape| (Just(*shape), any_arguments(*shape)).boxed());
    let cases = (Union::new(all), texts);
    let mut runner = TestRunner::new(Config {
        cases: 4000,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&cases, |((shape, arguments), text)| {
        if let Err(error) = parse(shape, &arguments, &text) {
            let lines = text.split('\n').count() + 1;
            prop_assert!((1..=lines).contains(&error.line), "{}", error);
        }
        Ok(())
    });
    outcome.unwrap();
}
