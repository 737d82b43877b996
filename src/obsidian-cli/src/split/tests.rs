//! The splitter against a model of the app that damages texts the way the app does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use vault_engine::{Arg, Args};

use super::*;
use allowlist::{Catalogue, Command, EffectSet, Param, ParamKind};
use protocol::Code;

const WIDE: ArgumentLimits = ArgumentLimits::LINUX;

/// So small that even short texts need several messages.
const NARROW: ArgumentLimits = ArgumentLimits {
    element: 700,
    message: 900,
};

fn call(id: &str, params: &[(&str, &str)], flags: &[&str]) -> Call {
    let param = |name: &&str| Param {
        name: (*name).to_owned(),
        kind: ParamKind::Text,
        summary: String::new(),
        required: false,
        effects: EffectSet::EMPTY,
        escapes: *name == "content",
        sensitive: false,
        may_be_empty: false,
        backend: None,
        with: None,
    };
    let names = ["content", "path", "name", "file", "template", "value"];
    let known = Catalogue::find_builtin(id).unwrap();
    let command = Command {
        params: names.iter().map(param).collect(),
        flags: Vec::new(),
        ..Command::clone(&known)
    };
    let values = params
        .iter()
        .map(|(key, value)| ((*key).to_owned(), Arg::Text((*value).to_owned())))
        .collect();
    let flags: BTreeSet<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    Call {
        command: Arc::new(command),
        arguments: Args { values, flags },
    }
}

fn sender(limits: ArgumentLimits) -> Sender<'static> {
    Sender {
        binary: Path::new("/opt/Obsidian/obsidian-cli"),
        vault: "Notes",
        limits,
    }
}

/// A model of the app (`official-cli.md` §4 and `vault-semantics.md` §7.3), written independently
/// of the splitter.
#[derive(Clone, Default)]
struct App {
    files: BTreeMap<String, String>,
    unescapes: bool,
}

impl App {
    fn text(&self, content: &str) -> String {
        if self.unescapes {
            content.replace("\\n", "\n").replace("\\t", "\t")
        } else {
            content.to_owned()
        }
    }

    /// Runs one call and returns the path of its confirmation.
    fn run(&mut self, command: &str, arguments: &Args) -> String {
        let content = self.text(arguments.param("content").unwrap());
        assert!(!content.is_empty(), "the app refuses empty content");
        let separator = if arguments.flag("inline") { "" } else { "\n" };
        let path = arguments.param("path").unwrap_or("daily.md").to_owned();
        match command {
            "create" => {
                let taken = self.files.contains_key(&path);
                let path = if taken && !arguments.flag("overwrite") {
                    path.replace(".md", " 1.md")
                } else {
                    path
                };
                self.files.insert(path.clone(), content);
                path
            }
            "append" | "daily:append" => {
                let note = self.files.entry(path.clone()).or_default();
                *note = format!("{note}{separator}{content}");
                path
            }
            "prepend" | "daily:prepend" => {
                let note = self.files.entry(path.clone()).or_default();
                let at = frontmatter_end(note);
                note.insert_str(at, &format!("{content}{separator}"));
                path
            }
            _ => panic!("{command}"),
        }
    }
}

/// Returns the end of a terminated frontmatter block as a byte offset, or 0.
fn frontmatter_end(note: &str) -> usize {
    let mut at = 0;
    for (index, line) in note.split_inclusive('\n').enumerate() {
        let is_fence = line.trim_end() == "---";
        match index {
            0 if !is_fence => return 0,
            0 => {}
            _ if is_fence => return at + line.len(),
            _ => {}
        }
        at += line.len();
    }
    0
}

/// Runs the steps on a copy of the app. Returns that copy and the number of steps.
fn replay(app: &App, call: &Call, limits: ArgumentLimits) -> (App, usize) {
    let steps = steps(call, sender(limits)).unwrap();
    assert!(steps.len() <= MOST_STEPS);
    let mut app = App {
        unescapes: true,
        ..app.clone()
    };
    let mut first: Option<String> = None;
    let count = steps.len();
    for step in steps {
        let step = match (step.needs_path, &first) {
            (true, Some(path)) => step.on_path(path),
            (true, None) => panic!("the first step must be complete"),
            (false, _) => step,
        };
        let size = sender(limits).size(&step.command, &step.arguments).unwrap();
        assert_eq!(size.check(limits), Ok(()), "{step:?}");
        let path = app.run(&step.command, &step.arguments);
        first.get_or_insert(path);
    }
    (app, count)
}

/// The result of an app that damages nothing.
fn wished(app: &App, call: &Call) -> App {
    let mut app = App {
        unescapes: false,
        ..app.clone()
    };
    app.run(&call.command.id, &call.arguments);
    app
}

#[test]
fn b05_latex_and_windows_paths_are_sent_in_pieces() {
    let text = r"$\nabla \times x$ and C:\new\table";
    let create = call("create", &[("path", "a.md"), ("content", text)], &["open"]);
    let got = steps(&create, sender(WIDE)).unwrap();
    let pieces: Vec<_> = got
        .iter()
        .map(|step| step.arguments.param("content").unwrap())
        .collect();
    assert_eq!(
        pieces,
        ["$\\", "nabla \\", "times x$ and C:\\", "new\\", "table"]
    );
    assert_eq!(got[0].command, "create");
    assert!(!got[0].needs_path && got[0].arguments.flag("open"));
    for step in &got[1..] {
        assert_eq!(step.command, "append");
        assert!(step.needs_path);
        assert!(step.arguments.flag("inline") && !step.arguments.flag("open"));
    }
}

#[test]
fn b05_create_goes_on_in_the_note_it_really_made() {
    let mut app = App::default();
    app.files.insert("a.md".into(), "old".into());
    let create = call("create", &[("path", "a.md"), ("content", r"x\ny")], &[]);
    let (app, count) = replay(&app, &create, WIDE);
    assert_eq!(count, 2);
    assert_eq!(app.files["a.md"], "old");
    assert_eq!(app.files["a 1.md"], r"x\ny");
}

#[test]
fn b05_real_line_breaks_and_tabs_need_no_second_call() {
    let text = "a\n\tb\r\nc\\ n \\\\ \\r \\N";
    let create = call("create", &[("path", "a.md"), ("content", text)], &[]);
    assert_eq!(steps(&create, sender(WIDE)).unwrap().len(), 1);
}

#[test]
fn b05_what_cannot_be_sent_in_parts_is_refused() {
    for id in ["base:create", "unique", "bookmark"] {
        let failure = steps(&call(id, &[("content", r"a\nb")], &[]), sender(WIDE)).unwrap_err();
        assert_eq!(failure.code, Code::UnrepresentableContent, "{id}");
        let long = "x".repeat(WIDE.message);
        let failure = steps(&call(id, &[("content", &long)], &[]), sender(WIDE)).unwrap_err();
        assert_eq!(failure.code, Code::ArgumentTooLarge, "{id}");
    }
    let template = [("path", "a.md"), ("template", "t"), ("content", r"a\nb")];
    let failure = steps(&call("create", &template, &[]), sender(WIDE)).unwrap_err();
    assert_eq!(failure.code, Code::UnrepresentableContent);
    // The app does not touch pairs in other parameters.
    let value = call("property:set", &[("value", r"a\nb")], &[]);
    assert_eq!(steps(&value, sender(WIDE)).unwrap().len(), 1);
    let long = "x".repeat(WIDE.message);
    let failure = steps(
        &call("append", &[("path", &long), ("content", "x")], &[]),
        sender(WIDE),
    );
    assert_eq!(failure.unwrap_err().code, Code::ArgumentTooLarge);
}

#[test]
fn b05_more_than_64_pieces_are_refused() {
    let of = |pairs: usize| {
        let text = r"\n".repeat(pairs);
        steps(
            &call("append", &[("path", "a.md"), ("content", &text)], &[]),
            sender(WIDE),
        )
    };
    assert_eq!(of(MOST_STEPS - 1).unwrap().len(), MOST_STEPS);
    assert_eq!(
        of(MOST_STEPS).unwrap_err().code,
        Code::UnrepresentableContent
    );
    let message = of(MOST_STEPS).unwrap_err().to_string();
    assert!(
        message.contains("would need 65 parts, and the limit is 64"),
        "{message}"
    );
    let huge = "x".repeat(MOST_STEPS * WIDE.message);
    let append = call("append", &[("path", "a.md"), ("content", &huge)], &[]);
    let failure = steps(&append, sender(WIDE)).unwrap_err();
    assert_eq!(failure.code, Code::ArgumentTooLarge);
    assert!(failure.details["size"].as_u64() > failure.details["limit"].as_u64());
}

#[test]
fn b06_long_texts_are_cut_between_characters() {
    let text = "ü😀\"\u{1}\n".repeat(3_000);
    for limits in [ArgumentLimits::MACOS, ArgumentLimits::WINDOWS] {
        let append = call(
            "append",
            &[("path", "a.md"), ("content", &text)],
            &["inline"],
        );
        let app = App::default();
        let (done, count) = replay(&app, &append, limits);
        assert!(count > 1);
        assert_eq!(done.files, wished(&app, &append).files);
    }
}

#[test]
fn b06_at_the_cap_one_call_past_it_two() {
    let of = |length: usize| {
        let text = "x".repeat(length);
        let append = call("append", &[("path", "a.md"), ("content", &text)], &[]);
        steps(&append, sender(WIDE)).unwrap().len()
    };
    let append = call("append", &[("path", "a.md"), ("content", "")], &[]);
    let empty = sender(WIDE).size("append", &append.arguments).unwrap();
    let cap = WIDE.message - empty.message();
    assert_eq!((of(cap - 1), of(cap), of(cap + 1)), (1, 1, 2));
}

#[test]
fn a_prepended_piece_is_never_taken_for_frontmatter() {
    let fence = format!("{}\n---\nb\n---\nc", "a".repeat(300));
    for before in 0..40 {
        let text = format!("{}{fence}", "z".repeat(before));
        let prepend = call("prepend", &[("path", "a.md"), ("content", &text)], &[]);
        let mut app = App::default();
        app.files.insert("a.md".into(), "old".into());
        let (done, _) = replay(&app, &prepend, NARROW);
        assert_eq!(done.files, wished(&app, &prepend).files);
    }
}

fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("\\n".to_owned()),
        Just("\\t".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        Just("---\n".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("n".to_owned()),
        "[a-z\"é😀\u{1}]{1,40}",
    ];
    proptest::collection::vec(word, 1..60).prop_map(|words| words.concat())
}

fn notes() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("old\n".to_owned()),
        Just("---\na: 1\n---\nold".to_owned()),
        Just("---\nnot closed".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn b05_the_steps_together_store_exactly_what_was_sent(
        text in texts(),
        note in notes(),
        command in prop_oneof![
            Just("create"), Just("append"), Just("prepend"),
            Just("daily:append"), Just("daily:prepend"),
        ],
        inline in any::<bool>(),
        narrow in any::<bool>(),
    ) {
        let daily = command.starts_with("daily");
        let mut params = vec![("content", text.as_str())];
        if !daily {
            params.push(("path", "a.md"));
        }
        let flags: &[&str] = if inline && command != "create" { &["inline"] } else { &[] };
        let call = call(command, &params, flags);
        let mut app = App::default();
        app.files.insert(if daily { "daily.md" } else { "a.md" }.into(), note);
        let limits = if narrow { NARROW } else { WIDE };
        if steps(&call, sender(limits)).is_ok() {
            let (done, _) = replay(&app, &call, limits);
            prop_assert_eq!(done.files, wished(&app, &call).files);
        } else {
            let pairs = text.matches("\\n").count() + text.matches("\\t").count();
            prop_assert!(pairs + text.len() / 20 > MOST_STEPS, "refused without need");
        }
    }
}
