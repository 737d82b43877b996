//! One contract, with or without the app: the same request gives the same answer from both
//! backends, but for the differences in `docs/backends.md`, and in the catalogue.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cli_output::Shape;
use fake_obsidian::scenario::Scenario;
use jiff::Zoned;
use serde_json::Value;
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Status};
use vault_gw::settings::BackendChoice;

use crate::argument_forms::{
    Form, answered_twice, borrowed, forms_of, furnish, has_active_file, required, the_file,
};
use crate::support::{
    NOW, Outcome as _, World, checked, code, detail, everything_below, files_below,
    name_no_absent_warnings, request, warnings,
};

const CASES: &str = include_str!("data/parity.txt");

type Params<'a> = &'a [(&'a str, &'a str)];

/// The fixture vault, the fake's clock set to the gateway's.
fn fixture() -> World {
    World::with_fixture_vault().with_fake(&at(NOW))
}

/// A logged fake that believes it is `now`.
fn at(now: &str) -> Scenario {
    Scenario {
        now: Some(now.parse().unwrap()),
        ..Scenario::logged()
    }
}

/// One gateway for each backend, on the same vault at the same time.
pub(crate) struct Both {
    embedded: Gateway,
    pub(crate) official: Gateway,
}

impl Both {
    pub(crate) fn new(world: &World) -> Self {
        Self::of(world, NOW, Caller::Agent)
    }

    fn of(world: &World, now: &str, caller: Caller) -> Self {
        let now: Zoned = now.parse().unwrap();
        let through = |backend| {
            let mut options = Options::new(caller);
            options.backend = Some(backend);
            let now = now.clone();
            world
                .gateway_with(options)
                .with_clock(Arc::new(move || now.clone()))
        };
        Self {
            embedded: through(BackendChoice::Embedded),
            official: through(BackendChoice::Obsidian),
        }
    }

    fn ask(&self, command: &str, params: Params<'_>) -> (Envelope, Envelope) {
        let request = request(command, params);
        (
            checked(self.embedded.call(&request)),
            checked(self.official.call(&request)),
        )
    }

    /// Asks both, demands the same envelope but for what `docs/backends.md` excepts for every command,
    /// and returns it.
    fn same(&self, command: &str, params: Params<'_>) -> Envelope {
        self.same_after(command, params, |_| {})
    }

    /// The same, after `adjust` has changed both envelopes.
    pub(crate) fn same_after(
        &self,
        command: &str,
        params: Params<'_>,
        adjust: impl Fn(&mut Value),
    ) -> Envelope {
        let (embedded, official) = self.ask(command, params);
        let what = format!("{command} {params:?}");
        let mut wanted = comparable(&embedded);
        let mut shown = comparable(&official);
        if embedded.success && prints_a_note(command) && !embedded.stdout.is_empty() {
            let mut printed = embedded.stdout.clone();
            add_line_feed(&mut printed);
            wanted["stdout"] = printed.into();
        }
        if warnings(&embedded).contains(&"NOT_UTF8") {
            // The engine prints the bytes as they are; the app has replaced them before.
            assert_eq!(embedded.meta.lossy, ["stdout"], "{what}");
            wanted["meta"]["lossy"].take();
            shown["meta"]["lossy"].take();
        }
        let issues = shown["warnings"].as_array_mut().unwrap();
        if embedded.stdout.contains("Error: ") {
            // A text that begins like an error is doubtful only where it was printed by a process.
            issues.retain(|issue| issue["code"] != "AMBIGUOUS_OUTPUT");
        }
        // What the engine leaves out it warns of; the app says nothing.
        let issues = issues.clone();
        let left_out = |issue: &Value| issue["code"] == "INVALID_FRONTMATTER";
        let known = wanted["warnings"].as_array_mut().unwrap();
        known.retain(|issue| !left_out(issue) || issues.contains(issue));
        name_no_absent_warnings(&mut wanted);
        name_no_absent_warnings(&mut shown);
        forget_view(&mut wanted["data"]);
        adjust(&mut wanted);
        adjust(&mut shown);
        assert_eq!(wanted, shown, "{what}\n{embedded:#?}\n{official:#?}");
        embedded
    }

    /// The same failure from both.
    fn fails(&self, wanted: &str, command: &str, params: Params<'_>) {
        let envelope = self.same(command, params);
        assert_eq!(code(&envelope), wanted, "{command} {params:?}");
    }
}

/// The app prints the rows of a base alone; the engine knows their columns too (`docs/commands.md`).
fn forget_view(data: &mut Value) {
    if let Some(data) = data
        .as_object_mut()
        .filter(|data| data.contains_key("items"))
    {
        data.remove("view");
    }
}

/// An envelope without what tells who answered, when and how fast.
fn comparable(envelope: &Envelope) -> Value {
    let mut value: Value = serde_json::from_str(&envelope.to_json()).unwrap();
    for key in ["runId", "durationMs"] {
        value.as_object_mut().unwrap().remove(key).unwrap();
    }
    let meta = value["meta"].as_object_mut().unwrap();
    for key in ["backend", "backendReason", "confinement", "process"] {
        meta.remove(key);
    }
    value
}

fn prints_a_note(command: &str) -> bool {
    Catalogue::find_builtin(command).is_ok_and(|command| command.output == Shape::NoteText)
}

/// What the app's server does (`official-cli.md` §3).
fn add_line_feed(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The vault paths of all files that the app shows.
fn shown_files(world: &World) -> Vec<String> {
    let files = files_below(&world.vault).into_keys();
    files
        .filter(|path| !path.starts_with('.') && !path.contains("/."))
        .collect()
}

fn is_note(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|kind| kind == "md")
}

#[test]
fn every_file_reads_the_same() {
    let world = fixture();
    let both = Both::new(&world);
    let files = shown_files(&world);
    assert!(files.len() > 25, "the fixture vault is there");
    for path in &files {
        let envelope = both.same("read", &[("path", path)]).succeeds();
        let bytes = fs_err::read(world.vault.join(path)).unwrap();
        let is_text = std::str::from_utf8(&bytes).is_ok();
        let expected: &[&str] = if is_text { &[] } else { &["NOT_UTF8"] };
        assert_eq!(warnings(&envelope), expected, "{path}");
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(envelope.data.as_map()["content"], *text, "{path}");
        assert_eq!(envelope.data.as_map()["path"], **path);
    }
    let wanted: Vec<String> = files
        .iter()
        .map(|path| format!("vault=Notes read path={path}"))
        .collect();
    assert_eq!(world.runs(), wanted, "one run each");
}

#[test]
fn every_file_has_the_same_facts() {
    let world = fixture();
    let both = Both::new(&world);
    for path in shown_files(&world) {
        let envelope = both.same("file", &[("path", &path)]).succeeds();
        let size = fs_err::metadata(world.vault.join(&path)).unwrap().len();
        assert_eq!(envelope.data.as_map()["size"], size, "{path}");
    }
}

#[test]
fn every_name_leads_to_the_same_file() {
    let world = fixture();
    let both = Both::new(&world);
    let mut doubtful = BTreeSet::new();
    for path in shown_files(&world) {
        let name = Path::new(&path).file_stem().unwrap().to_str().unwrap();
        let envelope = both.same("file", &[("file", name)]);
        if warnings(&envelope) == ["AMBIGUOUS_NAME"] {
            doubtful.insert(name.to_owned());
        } else if envelope.success {
            assert_eq!(envelope.warnings, [], "{name}");
        } else {
            // Only notes go by their bare name.
            assert_eq!(code(&envelope), "FILE_NOT_FOUND", "{name}");
            assert!(!is_note(&path), "{path}");
        }
    }
    assert!(doubtful.contains("Log"), "{doubtful:?}");
    // What was sent is the path that was found, never the name.
    assert!(world.runs().iter().all(|run| run.contains(" path=")));
}

#[test]
fn failures_are_the_same() {
    let world = fixture();
    world.write("A/Twin.md", "a");
    world.write("B/Twin.md", "b");
    let both = Both::new(&world);
    for command in ["read", "file"] {
        for path in "Nope.md Projects/Nope.md home.md Home No/Folder/x.md".split(' ') {
            both.fails("FILE_NOT_FOUND", command, &[("path", path)]);
        }
        both.fails("VALIDATION_ERROR", command, &[("path", "Projects")]);
        both.fails("FILE_NOT_FOUND", command, &[("file", "Nope")]);
        for hidden in ".obsidian/app.json|.trash/Old plan.md|Projects/.x/y.md".split('|') {
            both.fails("PATH_DENIED", command, &[("path", hidden)]);
        }
        both.fails("FILE_NOT_FOUND", command, &[("file", "Old plan")]);
        both.fails("AMBIGUOUS_TARGET", command, &[("file", "Twin")]);
        for outside in ["../x.md", "/etc/passwd", "a/../../x.md"] {
            let (embedded, official) = both.ask(command, &[("path", outside)]);
            assert_eq!(embedded.error, official.error);
            assert!(!embedded.success);
        }
    }
    for (command, key) in [("folder", "path"), ("folders", "folder")] {
        both.fails("FOLDER_NOT_FOUND", command, &[(key, "Nope")]);
        both.fails("VALIDATION_ERROR", command, &[(key, "Home.md")]);
        both.fails("PATH_DENIED", command, &[(key, ".obsidian")]);
    }
    both.fails("PATH_DENIED", "files", &[("folder", ".trash")]);
    both.fails("USAGE_ERROR", "folder", &[]);
    both.fails(
        "USAGE_ERROR",
        "folder",
        &[("path", "Projects"), ("info", "name")],
    );
    both.fails("USAGE_ERROR", "vault", &[("info", "owner")]);
    both.fails("USAGE_ERROR", "files", &[("format", "json")]);
}

#[test]
fn lists_and_counts_are_the_same() {
    let world = fixture();
    for name in "us1-12kb.md|us1-5kb.md|Äpfel.md|apfel.md|Zebra.MD|no extension".split('|') {
        world.write(&format!("Order/{name}"), "");
    }
    fs_err::create_dir_all(world.vault.join("Order/empty")).unwrap();
    let both = Both::new(&world);
    let total = ("total", "true");
    let mut cases: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("folder", vec![("path", "/")]),
        ("folder", vec![("path", "Order/empty")]),
        ("folder", vec![("path", "Projects/")]),
    ];
    for folder in ["", "Projects", "Order", "Order/empty", "/"] {
        let within = [("folder", folder)][usize::from(folder.is_empty())..].to_vec();
        for command in ["files", "folders"] {
            cases.push((command, within.clone()));
            cases.push((command, [within.as_slice(), &[total]].concat()));
        }
        for extension in ["md", ".md", "MD", "canvas", "none"] {
            let of_kind = [within.as_slice(), &[("ext", extension)]].concat();
            cases.push(("files", [of_kind.as_slice(), &[total]].concat()));
            cases.push(("files", of_kind));
        }
    }
    for info in ["files", "folders", "size"] {
        cases.push(("folder", vec![("path", "Projects"), ("info", info)]));
        cases.push(("vault", vec![("info", info)]));
    }
    cases.extend([
        ("folder", vec![("path", "Projects")]),
        ("vault", vec![]),
        ("vault", vec![("info", "name")]),
        ("vault", vec![("info", "path")]),
        // To the app a missing folder is an empty one here (`official-cli.md` §5.1).
        ("files", vec![("folder", "Nope")]),
        ("files", vec![("folder", "Nope"), total]),
        ("files", vec![("folder", "Home.md")]),
    ]);
    for (command, params) in &cases {
        both.same(command, params).succeeds();
    }
    let order = both.same("files", &[("folder", "Order"), ("ext", "md")]);
    let items = order.data.as_map()["items"].as_array().unwrap().iter();
    let paths: Vec<&str> = items.map(|item| item["path"].as_str().unwrap()).collect();
    let wanted = ["apfel", "Äpfel", "us1-5kb", "us1-12kb"].map(|name| format!("Order/{name}.md"));
    assert_eq!(paths, wanted);
    let none = both.same("files", &[("folder", "Nope")]);
    assert_eq!(none.status, Status::NoMatches);
}

#[test]
fn the_list_of_vaults_is_the_same() {
    let world = fixture();
    let others = ["Work", "notes 2"].map(|name| world.scratch().join(name));
    let folders = [&others[1], &world.vault, &others[0]].map(PathBuf::as_path);
    world.home.register(folders).unwrap();
    for caller in [Caller::Agent, Caller::Person] {
        let both = Both::of(&world, NOW, caller);
        let names = both.same("vaults", &[]);
        assert_eq!(names.stdout, "notes 2\nNotes\nWork\n");
        let total = both.same("vaults", &[("total", "true")]);
        assert_eq!(total.data.as_map()["total"], 3);
        let verbose = both.same("vaults", &[("verbose", "true")]);
        // Where a person keeps other vaults is no business of an agent's.
        let shown = verbose.to_json().contains(others[0].to_str().unwrap());
        assert_eq!(shown, caller == Caller::Person);
        both.same("vaults", &[("verbose", "true"), ("total", "true")]);
    }
}

#[test]
fn random_notes_are_real_notes_of_one_shape() {
    let world = fixture();
    let both = Both::new(&world);
    for folder in [&[][..], &[("folder", "Projects")]] {
        let (embedded, official) = both.ask("random:read", folder);
        let mut keys = Vec::new();
        for envelope in [embedded, official] {
            assert!(envelope.success, "{envelope:#?}");
            let path = envelope.data.as_map()["path"].as_str().unwrap();
            assert!(is_note(path) && !path.starts_with('.'), "{path}");
            assert!(folder.is_empty() || path.starts_with("Projects/"), "{path}");
            assert_eq!(envelope.data.as_map()["content"], world.read(path));
            let printed = format!("{path}\n\n{}", world.read(path));
            let [reported, wanted] =
                [&envelope.stdout, &printed].map(|text| text.trim_end_matches('\n'));
            assert_eq!(reported, wanted);
            keys.push(envelope.data.as_map().keys().cloned().collect::<Vec<_>>());
        }
        assert_eq!(keys[0], keys[1]);
    }
    // With one note to choose, chance has no say.
    both.same("random:read", &[("folder", "Attic")]).succeeds();
    world.write("One/No end.md", "no final line feed");
    both.same("random:read", &[("folder", "One")]).succeeds();
    for none in ["Assets", "Nope", "Home.md"] {
        let envelope = both.same("random:read", &[("folder", none)]);
        assert_eq!(envelope.status, Status::NoMatches, "{none}");
    }
}

#[test]
fn the_daily_note_is_at_the_same_place_on_every_day() {
    let table = tables::typed::<(&str, &str, &str)>(CASES, "the daily note is at the same place");
    for (now, settings, path) in table {
        let mut world = World::empty().with_fake(&at(now));
        world.install(&at(now));
        world.write("T.md", "from the template");
        if !settings.is_empty() {
            world.write(".obsidian/daily-notes.json", settings);
        }
        let both = Both::of(&world, now, Caller::Agent);
        assert_eq!(both.same("daily:path", &[]).data.as_map()["path"], path);
        assert_eq!(world.runs(), ["vault=Notes daily:path"]);

        // The app would make the note; the gateway does not let it come to that.
        let before = everything_below(&world.vault);
        let absent = both.same("daily:read", &[]).fails_with("FILE_NOT_FOUND");
        assert_eq!(detail(&absent, "path"), path);
        assert_eq!(absent.exit_code, None);
        assert_eq!(
            everything_below(&world.vault),
            before,
            "nothing is made by a read"
        );
        assert_eq!(world.runs().len(), 1, "nothing is started for it");

        world.write(path, "today");
        let there = both.same("daily:read", &[]);
        assert_eq!(there.data.as_map()["content"], "today");
        assert_eq!(there.data.as_map()["path"], path);
        assert_eq!(world.runs()[1..], ["vault=Notes daily:read"]);
        assert_eq!(world.read(path), "today");
    }
}

#[test]
fn settings_that_lead_nowhere_fail_the_same() {
    let world = World::empty().with_fake(&at(NOW));
    world.write(".obsidian/daily-notes.json", r#"{"folder":"../out"}"#);
    let both = Both::new(&world);
    both.fails("VALIDATION_ERROR", "daily:path", &[]);
    both.fails("VALIDATION_ERROR", "daily:read", &[]);
    assert_eq!(world.argvs(), Vec::<Vec<String>>::new());
}

/// A colon may be in the name of a note that is there (`threats.toml` B10), and not in a new name.
#[cfg(unix)]
#[test]
fn b10_a_daily_note_with_a_colon_is_read_and_never_made() {
    let world = World::empty().with_fake(&at(NOW));
    let world = world.set("allow_mutations = true");
    world.write(".obsidian/daily-notes.json", r#"{"format":"[a:b]"}"#);
    let both = Both::new(&world);
    both.fails("FILE_NOT_FOUND", "daily:read", &[]);
    let made = world.ask("daily:append content=x");
    assert!(!made.success, "{made:?}");
    world.write("a:b.md", "here\n");
    both.fails("OK", "daily:read", &[]);
}

/// Questions beside the forms of the catalogue: those whose answer is an error or nothing at all,
/// and searches that use what the language has.
const MORE: &str = include_str!("data/parity_more.txt");

/// A few workers, each with gateways of its own: a run of the fake leaves a processor idle.
const WORKERS: usize = 4;

#[test]
fn every_question_is_answered_alike_in_every_form() {
    let world = fixture();
    furnish(&world);
    let mut questions: Vec<Form> = answered_twice()
        .flat_map(|command| forms_of(command))
        .collect();
    questions.extend(MORE.trim().lines().map(Form::of_line));
    let workers: Vec<Both> = (0..WORKERS).map(|_| Both::new(&world)).collect();
    let questions = &questions;
    std::thread::scope(|scope| {
        for (number, both) in workers.into_iter().enumerate() {
            scope.spawn(move || {
                for form in questions.iter().skip(number).step_by(WORKERS) {
                    both.same(&form.command, &borrowed(&form.arguments));
                }
            });
        }
    });
    assert_eq!(world.runs().len(), questions.len(), "one run each");
}

#[test]
fn the_app_answers_for_its_active_file_as_the_engine_does_for_its_path() {
    let mut world = fixture();
    furnish(&world);
    world = world.set("allow_active_file = true");
    for command in answered_twice() {
        let Some(active) = has_active_file(command) else {
            continue;
        };
        let file = the_file(command);
        world.install(&Scenario {
            active_file: Some(file.clone()),
            ..at(NOW)
        });
        let both = Both::new(&world);
        let wanted = Form {
            command: command.id.clone(),
            arguments: [required(command), active].concat(),
        };
        let official = checked(both.official.call(&wanted.request()));
        let mut named = wanted.clone();
        named.arguments.retain(|(name, _)| name != "active");
        named.arguments.push(("path".to_owned(), file.clone()));
        let mut embedded = checked(both.embedded.call(&named.request())).succeeds();
        if command.output == Shape::NoteText {
            // Which note is active is not known to the gateway.
            let mut data = std::mem::take(&mut embedded.data).into_map();
            for key in ["path", "sha256"] {
                data.remove(key);
            }
            embedded.data = data.into();
            add_line_feed(&mut embedded.stdout);
        }
        let mut known = Value::from(embedded.data.clone());
        forget_view(&mut known);
        assert_eq!(Value::from(official.data), known, "{wanted:?}");
        assert_eq!(official.stdout, embedded.stdout, "{wanted:?}");
        assert_eq!(official.status, embedded.status, "{wanted:?}");

        // Without the app there is no active file.
        let alone = checked(both.embedded.call(&wanted.request()));
        assert_eq!(code(&alone), "USAGE_ERROR", "{wanted:?} {alone:#?}");
    }
}
