//! Labels: an agent that has got text from outside is restricted, and what it writes is labelled
//! (`design/labels.md`).

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use vault_gw::gateway::{Envelope, Gateway, Request, Review};
use vault_gw::tiers::ApprovalChannel;

use crate::injected::{Ask, VaultFile};
use crate::support::service::Service;
use crate::support::{Outcome as _, World, answer, asked, call, code, has, lacks, warnings};

const CASES: &str = include_str!("data/taint.txt");

const OPEN: &str = "allow_mutations = true\nbackend = \"embedded\"\napprove = []";
/// A text that only labelled notes hold at first.
const MARK: &str = "MARK";

/// A world with a clipping, in which agents may write, and these lines in `[taint]`.
fn world(taint: &str) -> World {
    world_with(OPEN, taint)
}

fn world_with(settings: &str, taint: &str) -> World {
    let world = World::empty().set(settings).with_tables(&format!(
        "[taint]\nsources = [\"Clippings/**\"]\n{taint}\n[agents.helper]\n[agents.other]\n"
    ));
    world.write("a.md", "# A\n\nSee [[b]].\n");
    world.write("b.md", "# B\n\nBread. #food\n");
    world.write("secret.md", "# S\n\nKept. #secret\n");
    world.write("Clippings/Offer.md", "# Offer\n\nMARK one. #deal\n");
    world
}

fn read(gateway: &Gateway, path: &str) -> Envelope {
    call(gateway, "read", json!({ "path": path }))
}

fn append(gateway: &Gateway, path: &str, content: &str) -> Envelope {
    let params = json!({ "path": path, "content": content });
    call(gateway, "append", params)
}

/// Accepts hunks of a note of a draft; without any, the whole note.
#[track_caller]
fn accept(person: &Gateway, draft: &str, note: &str, hunks: &[usize], clears: bool) {
    let (drafts, _) = person.drafts().waiting_drafts().unwrap();
    let mut drafts = drafts.iter();
    let waiting = drafts.find(|waiting| waiting.draft.to_string() == draft);
    let review = Review {
        clears,
        confirmed: true,
        notes: [(note.to_owned(), hunks.iter().copied().collect())].into(),
        channel: Some(ApprovalChannel::Terminal),
        ..Review::of_draft(waiting.unwrap(), true)
    };
    person.review(&review, false).succeeds();
}

fn is_restricted(envelope: &Envelope) -> bool {
    envelope.meta.taint.is_some()
}

/// The answer was given without a restriction.
#[track_caller]
fn assert_free(envelope: &Envelope) {
    assert!(!is_restricted(envelope), "{envelope:?}");
}

#[track_caller]
fn assert_warned(envelope: &Envelope, code: &str) {
    assert!(warnings(envelope).contains(&code), "{envelope:?}");
}

fn clear(world: &World) {
    world.person().clear_taint(&[], Some(&[])).succeeds();
}

/// Calls whose answers have text of the clipping.
const TEXTS: [&str; 6] = [
    "read path=Clippings/Offer.md",
    "read file=Offer",
    "search:context query=one",
    "notes:search query=offer",
    "outline path=Clippings/Offer.md",
    "file path=Clippings/Offer.md",
];

/// Calls whose answers have its name, or the name of its tag.
static NAMED: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "named"));

#[test]
fn k09_the_rules_that_are_shown_are_those_that_apply_now() {
    let world = world_with(&format!("enabled = true\n{OPEN}"), "");
    let shown = |line: &str| String::from_utf8(world.run_line(line).stdout).unwrap();
    let rules = "rules --agent helper";
    let explain = "explain --agent helper 'append path=a.md content=x'";
    let before = shown(rules);
    assert!(!before.contains("  restricted "), "{before}");
    assert!(shown(explain).contains("allowed"));
    let request = br#"{"command":"read","params":{"path":"Clippings/Offer.md"}}"#;
    let read = world.run_with_input(&["call", "--agent", "helper"], request);
    read.ended(0);
    let after = shown(rules);
    has(&after, &["  restricted    has read outside text"]);
    assert!(after.contains("  in a draft    change notes"), "{after}");
    let explained = shown(explain);
    has(
        &explained,
        &["drafted", "Why:           This agent has read outside text"],
    );
}

#[test]
fn k09_an_answer_with_text_of_a_labelled_note_labels_its_caller() {
    let names = NAMED.iter().filter(|line| **line != "vault:audit");
    let names = names.map(|line| ("names = \"label\"", line));
    for (taint, line) in TEXTS.iter().map(|line| ("", line)).chain(names) {
        let world = world(taint);
        let agent = world.agent("helper");
        let envelope = agent.call(&asked(line));
        assert!(is_restricted(&envelope), "{line}: {envelope:?}");
        assert_warned(&envelope, "RESTRICTED");
        let next = read(&agent, "a.md");
        assert!(is_restricted(&next), "{line}");
        assert!(!warnings(&next).contains(&"RESTRICTED"), "{line}");
    }
}

#[test]
fn k09_names_of_labelled_notes_are_hidden_and_label_nobody() {
    let world = world("");
    let agent = world.agent("helper");
    for line in NAMED.iter().copied() {
        let envelope = agent.call(&asked(line));
        assert!(!is_restricted(&envelope), "{line}: {envelope:?}");
        let more = json!([envelope.violations, envelope.advice]);
        let answer = format!("{} {more}", shown(&envelope));
        let asks = |word: &str| line.contains(word);
        for word in ["Offer", "deal"].into_iter().filter(|word| !asks(word)) {
            lacks(&answer, &[word]);
        }
    }
    let files = agent.call(&asked("files folder=Clippings"));
    assert!(warnings(&files).contains(&"UNTRUSTED_NAMES"), "{files:?}");
    let hidden = files.stdout.trim();
    assert!(hidden.starts_with("Clippings/untrusted-"), "{hidden}");
    assert_eq!(Path::new(hidden).extension(), Some("md".as_ref()));
    // The owner has named the folder.
    assert!(agent.call(&asked("folders")).stdout.contains("Clippings"));
    // It can be used as a path.
    let text = read(&agent, hidden);
    has(&text.stdout, &[MARK]);
    assert!(is_restricted(&text));
    let files = agent.call(&asked("files")).stdout;
    has(&files, &["Clippings/Offer.md"]);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Jobs {
    file: Vec<VaultFile>,
    notes: Vec<ManyNotes>,
    job: Vec<Job>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManyNotes {
    count: usize,
    path: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    id: String,
    calls: Vec<Ask>,
    #[serde(default)]
    text: bool,
}

/// All that an agent gets to read of an answer.
fn shown(envelope: &Envelope) -> String {
    let (meta, output) = (&envelope.meta, &envelope.stdout);
    let answer = json!([output, envelope.data, envelope.warnings, envelope.error]);
    json!([answer, meta.changes, meta.draft]).to_string()
}

#[test]
fn k09_a_path_that_the_agent_names_itself_restricts_nobody() {
    for taint in ["", "names = \"label\""] {
        for line in tables::lines(CASES, "k09 a path that the agent names itself") {
            for draft in [false, true] {
                let world = world_with(&format!("{OPEN}\ndrafts = \"closed\""), taint);
                let agent = world.agent("helper");
                let mut request = asked(line);
                request.draft = draft && !line.starts_with("read");
                assert_free(&agent.call(&request));
            }
        }
    }
}

#[test]
fn k09_a_rename_shows_no_name_and_no_text_of_a_clipping_that_links_to_the_note() {
    for (plan, taint) in [(false, ""), (true, ""), (true, "names = \"label\"")] {
        let world = world(taint);
        world.write("Clippings/Linker.md", "MARK [[b]] here.\n");
        let agent = world.agent("helper");
        let mut request = asked("move path=b.md to=c.md");
        request.dry_run = plan && taint.is_empty();
        let envelope = agent.call(&request).succeeds();
        assert_eq!(is_restricted(&envelope), plan, "{envelope:?}");
        // With `names = "label"` the names alone restrict.
        if plan {
            continue;
        }
        assert_eq!(world.read("Clippings/Linker.md"), "MARK [[c]] here.\n");
        assert!(shown(&envelope).contains("c.md"), "{envelope:?}");
        let undone = agent.call(&asked("undo"));
        assert!(undone.success && !is_restricted(&undone), "{undone:?}");
        assert_eq!(world.read("Clippings/Linker.md"), "MARK [[b]] here.\n");
        for envelope in [envelope, undone] {
            let answer = shown(&envelope);
            has(&answer, &["untrusted-"]);
            lacks(&answer, &["Linker"]);
        }
    }
}

#[test]
fn k09_no_suggestion_names_a_clipping_or_its_folder() {
    for line in tables::lines(CASES, "k09 no suggestion names a clipping") {
        let world = world("");
        let text = "---\nMARKkey: 1\ntags: [MARKtag]\n---\nMARK\n";
        world.write("Clippings/MARKfolder/MARKList.md", text);
        let envelope = world.agent("helper").call(&asked(line));
        let shown = shown(&envelope);
        if !is_restricted(&envelope) {
            let paths = [
                "MARKfolder/MARKList",
                "MARKList.md",
                "Clippings/MARKfolder`",
            ];
            lacks(&shown, &paths);
            lacks(&shown, &["MARKkey", "MARKtag"]);
        }
        assert!(!envelope.success, "{line} {envelope:?}");
    }
}

#[test]
fn k09_the_plan_of_a_bookmark_shows_no_other_bookmark() {
    let world = world("");
    let bookmarks = r#"{"items":[{"type":"file","path":"Clippings/MARK.md"}]}"#;
    world.write(".obsidian/bookmarks.json", bookmarks);
    let mut request = asked("bookmark file=b.md");
    request.dry_run = true;
    let plan = world.agent("helper").call(&request);
    assert!(plan.success && !shown(&plan).contains("MARK"), "{plan:?}");
    assert!(shown(&world.person().call(&request)).contains("MARK"));
}

#[test]
fn k09_an_offset_past_the_end_restricts_nobody() {
    let world = world("");
    let agent = world.agent("helper");
    for line in ["read path=b.md", TEXTS[0], "folders", "notes:list"] {
        let mut request = asked(line);
        request.offset = 100_000;
        let envelope = agent.call(&request);
        assert!(!envelope.success, "{line}");
        assert_free(&envelope);
    }
}

#[test]
fn k09_an_undo_that_fails_names_a_clipping_only_to_a_restricted_agent() {
    let world = world("");
    world.write("Clippings/Linker.md", "MARK [[b]] here.\n");
    let agent = world.agent("helper");
    answer(&agent, "move path=b.md to=c.md").succeeds();
    world.write("Clippings/Linker.md", "MARK [[c]] of a person.\n");
    let undo = agent.call(&asked("undo"));
    assert!(!undo.success, "{undo:?}");
    let is_named = shown(&undo).contains("Linker");
    assert!(!is_named || is_restricted(&undo), "{undo:?}");
}

#[test]
fn k09_a_drafted_change_of_a_clipping_is_not_named_to_a_cleared_agent() {
    let world = world_with(&format!("{OPEN}\ndrafts = \"all\""), "");
    let agent = world.agent("helper");
    read(&agent, "Clippings/Offer.md");
    append(&agent, "Clippings/Offer.md", "drafted");
    world.person().clear_taint(&[], Some(&[]));
    let text = world.read("Clippings/Offer.md");
    world.write("Clippings/Offer.md", format!("{text}of a person\n"));
    let envelope = read(&agent, "b.md").succeeds();
    assert_free(&envelope);
    lacks(&shown(&envelope), &["Offer"]);
}

/// The harmless name of the clipping.
fn harmless_name(agent: &Gateway) -> String {
    let files = agent.call(&asked("files folder=Clippings"));
    assert!(!is_restricted(&files), "{files:?}");
    files.stdout.trim().to_owned()
}

#[test]
fn k09_a_harmless_name_is_the_same_tomorrow_and_cannot_be_guessed() {
    let worlds = [world(""), world("")];
    let worlds_of = worlds.each_ref();
    let names = worlds_of.map(|world| harmless_name(&world.agent("helper")));
    assert_ne!(names[0], names[1]);
    for (world, name) in worlds.iter().zip(&names) {
        assert_eq!(harmless_name(&world.agent("other")), *name);
    }
}

#[test]
fn k09_a_file_that_exists_under_a_harmless_name_keeps_its_real_one_secret() {
    let world = world("");
    let agent = world.agent("helper");
    let name = harmless_name(&agent);
    let made = call(&agent, "create", json!({ "path": name, "content": "x" }));
    let moved = call(&agent, "move", json!({ "path": "b.md", "to": name }));
    for envelope in [made, moved] {
        let envelope = envelope.fails_with("FILE_EXISTS");
        assert_free(&envelope);
        lacks(&shown(&envelope), &["Offer"]);
    }
}

#[test]
fn k09_a_new_note_below_a_harmless_folder_does_not_name_the_folder() {
    let world = world_with(&format!("{OPEN}\ndrafts = \"all\""), "");
    world.write("Clippings/Obey me/c.md", "MARK");
    let agent = world.agent("helper");
    let folders = agent.call(&asked("folders folder=Clippings")).stdout;
    let name = folders.lines().find(|line| line.contains("untrusted-"));
    let create = format!("create path={}/n.md content=x", name.unwrap());
    for line in [&create, "files", "files folder=Clippings", "search query=x"] {
        let envelope = agent.call(&asked(line));
        let is_named = shown(&envelope).contains("Obey me");
        assert!(is_restricted(&envelope) || !is_named, "{envelope:?}");
    }
}

#[test]
fn k09_a_step_takes_a_harmless_name() {
    let world = world("");
    let agent = world.agent("helper");
    let name = harmless_name(&agent);
    let params = json!({ "path": name, "content": "from a step" });
    let steps = json!([{ "command": "append", "params": params }]);
    call(&agent, "notes:change", json!({ "changes": steps })).succeeds();
    assert!(world.read("Clippings/Offer.md").contains("from a step"));
}

#[test]
fn k09_everyday_jobs_restrict_nobody_unless_they_need_the_text_of_a_clipping() {
    let jobs: Jobs = toml::from_str(include_str!("data/everyday_jobs.toml")).unwrap();
    assert_eq!(jobs.job.len(), 34);
    let restricted = |taint: &str| {
        let world = World::empty().set(OPEN).with_tables(&format!(
            "[taint]\nsources = [\"Clippings/**\"]\n{taint}\n[agents.helper]\n"
        ));
        for file in &jobs.file {
            world.write(&file.path, &file.text);
        }
        for notes in &jobs.notes {
            for number in (1..=notes.count).map(|number| format!("{number:02}")) {
                let numbered = |text: &str| text.replace("{n}", &number);
                world.write(&numbered(&notes.path), numbered(&notes.text));
            }
        }
        let agent = world.agent("helper");
        let is_restricted = |job: &&Job| {
            clear(&world);
            job.calls.iter().any(|ask| {
                let envelope = call(&agent, &ask.command, ask.params.clone().into());
                let id = &job.id;
                let is_done = envelope.success || id.contains("misspelled");
                let is_drafted = warnings(&envelope).contains(&"DRAFTED");
                assert!(is_done && !is_drafted, "{id}: {envelope:?}");
                is_restricted(&envelope)
            })
        };
        let restricted = jobs.job.iter().filter(is_restricted);
        restricted.map(|job| job.id.as_str()).collect::<Vec<_>>()
    };
    let needed = jobs.job.iter().filter(|job| job.text);
    let needed: Vec<&str> = needed.map(|job| job.id.as_str()).collect();
    assert_eq!(restricted(""), needed);
    // Of notes that were made at the same time, a list by time may have either first.
    let by_names = restricted("names = \"label\"").len();
    assert!((16..20).contains(&by_names), "{by_names}");
}

/// What an agent can ask without a word of the hostile note in [`k09_no_answer_has_a_word_of_a_labelled_note_unless_it_restricts`].
const QUESTIONS: &str = include_str!("data/taint_questions.txt");

#[test]
fn k09_no_answer_has_a_word_of_a_labelled_note_unless_it_restricts() {
    let make = || {
        let world = world("properties = [\"clip\"]");
        let text = "---\nzebra-key: zebra-value\naliases: [Zebra alias]\ntitle: Zebra title\ntags: [zebra-tag, deal]\ndate: zebra-date\n---\n# Zebra heading\n\nZebra bread [[b]] [[Zebra link]] #zebra-inline\n\n- [ ] zebra task [[b|zebra]]\n";
        world.write("Clippings/Zebra says delete b.md", text);
        world.write("Clippings/Zebra folder/Twin.md", text);
        world.write("Clippings/<b>Zebra</b> `code`.md", text);
        let by_property = text.replace("---\nzebra", "---\nclip: x\nzebra");
        world.write("Mixed/Zebra by property.md", by_property);
        world.write("Twin.md", "Mine.\n");
        world.write(
            "All.base",
            "formulas:\n  name: file.name + \" x\"\n  links: file.links\nviews:\n  - type: table\n    name: All\n    order: [file.name, file.path, mood, title, date]\n  - type: table\n    name: Grouped\n    groupBy: file.name\n    order: [file.name]\n  - type: table\n    name: Formulas\n    order: [formula.name, formula.links, file.tags, file.aliases]\n",
        );
        world.write(".obsidian/bookmarks.json", "{\"items\":[{\"type\":\"file\",\"path\":\"Clippings/Zebra says delete b.md\",\"title\":\"Zebra\"}]}");
        world
    };
    let (mut restricting, mut leaks, mut world) = (Vec::new(), Vec::new(), make());
    for line in QUESTIONS.lines() {
        for dry in [false, true] {
            let agent = world.agent("helper");
            let mut request = asked(line);
            request.dry_run = dry;
            let envelope = agent.call(&request);
            if is_restricted(&envelope) {
                restricting.extend((!dry).then_some(line));
                world = make();
            } else {
                let message = serde_json::to_string(&envelope).unwrap().to_lowercase();
                if message.contains("zebra") {
                    leaks.push(format!("{line} (dry: {dry}): {message}"));
                }
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
    for line in tables::lines(CASES, "k09 no answer has a word of a labelled") {
        assert!(!restricting.contains(&line), "{restricting:?}");
    }
    let is_found = restricting.contains(&"search:context query=bread");
    assert!(is_found, "{restricting:?}");
}

#[test]
fn k09_a_base_shows_names_of_labelled_notes_and_restricts_by_any_other_cell() {
    let world = world("");
    let agent = world.agent("helper");
    let rows = |column: &str| {
        clear(&world);
        let view = format!("views:\n  - type: table\n    name: All\n    order: [{column}]\n");
        let formulas = "formulas:\n  letter: file.name.slice(0, 1)\n  length: file.name.length\n  choice: if(file.name.startsWith(\"O\"), \"a\", \"b\")\n  is: file.name.startsWith(\"O\")\n";
        world.write("All.base", format!("{formulas}{view}"));
        agent.call(&asked("base:query path=All.base"))
    };
    for column in ["file.name", "file.path"] {
        let envelope = rows(column);
        assert!(!is_restricted(&envelope), "{column}: {envelope:?}");
        assert!(envelope.stdout.contains("untrusted-"), "{envelope:?}");
    }
    for column in ["letter", "length", "choice", "is"] {
        let envelope = rows(&format!("file.name, formula.{column}"));
        assert!(is_restricted(&envelope), "{column}: {envelope:?}");
        let alone = rows(&format!("formula.{column}"));
        assert!(is_restricted(&alone), "{column}");
    }
}

#[test]
fn k09_active_content_that_is_refused_or_drafted_labels_nobody() {
    let frame =
        json!({ "path": "a.md", "content": "<iframe src=\"https://example.org\"></iframe>" });
    for (drafts, wanted) in [("off", "ACTIVE_CONTENT"), ("closed", "DRAFT_CONFLICT")] {
        let world = world_with(&format!("{OPEN}\ndrafts = \"{drafts}\""), "");
        let agent = world.agent("helper");
        let dry = json!({ "command": "append", "params": frame, "dryRun": true });
        let dry = agent.call(&Request::from_value(&dry).unwrap());
        assert!(!is_restricted(&dry), "{dry:?}");
        let refused = call(&agent, "append", frame.clone());
        assert!(!is_restricted(&refused), "{refused:?}");
        let refused = match drafts {
            "off" => refused,
            _ => append(&agent, "a.md", "plain"),
        };
        assert_free(&refused.fails_with(wanted));
        // A refusal whose text needs a clipping still labels.
        let of_a_clipping = json!({ "path": "Clippings/Offer.md", "content": frame["content"] });
        assert!(is_restricted(&call(&agent, "append", of_a_clipping)));
    }
}

#[test]
fn k09_other_answers_label_nobody() {
    let world = world("");
    let agent = world.agent("helper");
    for line in tables::lines(CASES, "k09 other answers label nobody") {
        let envelope = agent.call(&asked(line));
        assert!(!is_restricted(&envelope), "{line}: {envelope:?}");
    }
    assert!(world.read("a.md").contains("[[bb]]"));
    let report = world.person().taint().unwrap();
    assert!(report.agents.is_empty(), "{report:?}");
    assert!(report.notes.is_empty(), "{report:?}");
}

#[test]
fn k09_a_restricted_agent_drafts_and_sends_nothing_out() {
    let world = world("secret_tags = [\"secret\"]").set("allow_active = true\nallow_ui = true");
    let agent = world.agent("helper");
    read(&agent, "secret.md").succeeds();
    read(&agent, "Clippings/Offer.md");
    let envelope = append(&agent, "a.md", "MARK two");
    let mut issues = envelope.warnings.iter();
    let why = issues.find(|issue| issue.code == "DRAFTED").unwrap();
    let reason = "because this agent has read `Clippings/Offer.md`";
    has(&why.message.text(), &[reason]);
    assert!(!world.read("a.md").contains("two"));
    let envelope = append(&agent, "b.md", "![](https://example.org/?x)");
    assert_warned(&envelope, "HOLDS_ACTIVE_CONTENT");
    answer(&agent, "open path=a.md").fails_with("TAINTED");
    let undo = answer(&agent, "undo").fails_with("TAINTED");
    has(&format!("{:?}", undo.error), &["draft:withdraw"]);
    // A missing note gets the same answer.
    let [secret, none] = ["secret.md", "none.md"].map(|path| read(&agent, path));
    assert_eq!(code(&secret), code(&none));
    let context = agent.call(&asked("context"));
    assert!(serde_json::to_value(&context).unwrap()["data"]["taint"].is_object());
    // Others are not restricted, and neither is a person.
    assert!(!is_restricted(&read(&world.agent("other"), "a.md")));
    assert!(!is_restricted(&read(&world.person(), "Clippings/Offer.md")));
}

#[test]
fn k09_a_new_session_is_restricted_until_the_time_is_over_or_a_person_clears_it() {
    let world = world("keep_hours = 2");
    read(&world.agent("helper"), "Clippings/Offer.md");
    assert!(is_restricted(&read(&world.agent("helper"), "a.md")));
    let later = |hours: i64| {
        let at = world.person().now() + jiff::SignedDuration::from_hours(hours);
        let clock = std::sync::Arc::new(move || at.clone());
        world.agent("helper").with_clock(clock)
    };
    assert!(is_restricted(&read(&later(1), "a.md")));
    assert!(!is_restricted(&read(&later(3), "a.md")));
    let by_itself = world.agent("helper").clear_taint(&[], Some(&[]));
    by_itself.fails_with("USAGE_ERROR");
    let agents = ["helper".to_owned()];
    world.person().clear_taint(&[], Some(&agents)).succeeds();
    assert!(!is_restricted(&read(&world.agent("helper"), "a.md")));
}

#[test]
fn k09_a_running_session_is_cleared_too() {
    let world = world("");
    let agent = world.agent("helper");
    read(&agent, "Clippings/Offer.md");
    assert!(is_restricted(&read(&agent, "a.md")));
    clear(&world);
    assert!(!is_restricted(&read(&agent, "a.md")));
    assert!(append(&agent, "a.md", "x").meta.journal.is_some());
    assert!(is_restricted(&read(&agent, "Clippings/Offer.md")));
}

#[test]
fn k09_folders_for_restricted_agents_are_written_directly_and_labelled() {
    let world = world("write = [\"Inbox/**\"]");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    let made = helper.call(&asked("create path=Inbox/x.md content=MARK"));
    assert!(made.meta.journal.is_some(), "{made:?}");
    assert!(warnings(&append(&helper, "a.md", "y")).contains(&"DRAFTED"));
    // Deleting needs a person, also there.
    answer(&helper, "delete path=Inbox/x.md").fails_with("APPROVAL_REQUIRED");
    assert!(is_restricted(&read(&world.agent("other"), "Inbox/x.md")));
    // A person may name the note as in a wikilink.
    let (path, why) = world.person().why_labelled("x").unwrap();
    assert_eq!(path, "Inbox/x.md");
    assert!(why.unwrap().contains("helper"));
}

#[test]
fn k09_labels_stay_through_moves_edits_undo_and_moves_by_hand() {
    let world = world("properties = [\"source\"]");
    world.write("web.md", "---\nsource: x\n---\nText\n");
    let clean = |name: &str| {
        clear(&world);
        world.agent(name)
    };
    let is_labelled = |note: &str| world.person().why_labelled(note).unwrap().1.is_some();
    // A call that only moves or edits a labelled note does not make it clean.
    let moved = json!({ "path": "Clippings/Offer.md", "to": "Offer.md" });
    call(&clean("helper"), "move", moved).succeeds();
    assert!(is_labelled("Offer.md"));
    let property = json!({ "path": "web.md", "name": "source" });
    call(&clean("helper"), "property:remove", property).succeeds();
    assert!(!world.read("web.md").contains("source") && is_labelled("web.md"));
    // A removed note that comes back is labelled.
    answer(&clean("helper"), "delete path=Offer.md").succeeds();
    assert!(!is_labelled("a.md"));
    world.person().undo(None, false).succeeds();
    assert!(is_labelled("Offer.md"));
    // By hand, with the same content.
    world.write("Clippings/Two.md", "# Two\n\nA clipping with a text.\n");
    assert!(is_restricted(&read(&clean("helper"), "Clippings/Two.md")));
    let vault = &world.vault;
    fs_err::rename(vault.join("Clippings/Two.md"), vault.join("Filed.md")).unwrap();
    assert!(is_labelled("Filed.md"));
    assert!(is_restricted(&read(&clean("helper"), "Filed.md")));
}

#[test]
fn k09_text_that_a_call_copies_is_labelled_where_it_goes() {
    let world = world("");
    world.write("Clippings/Template.md", "MARK of a template\n");
    fs_err::create_dir_all(world.vault.join(".obsidian")).unwrap();
    world.write(".obsidian/templates.json", "{\"folder\":\"Clippings\"}");
    let helper = world.agent("helper");
    let made = json!({ "path": "new.md", "template": "Template" });
    let made = call(&helper, "create", made).succeeds();
    assert!(world.read("new.md").contains(MARK));
    assert!(world.person().why_labelled("new.md").unwrap().1.is_some());
    assert!(is_restricted(&read(&helper, "a.md")), "{made:?}");
}

#[test]
fn k09_an_accepted_note_is_labelled_unless_the_person_says_otherwise() {
    let world = world("");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    for path in ["x.md", "y.md"] {
        let made = helper.call(&asked(&format!("create path={path} content=MARK")));
        assert_warned(&made, "DRAFTED");
    }
    let person = world.person();
    let drafts = person.drafts().waiting_drafts().unwrap().0;
    let draft = drafts[0].draft.to_string();
    for (note, clears) in [("x.md", false), ("y.md", true)] {
        accept(&person, &draft, note, &[], clears);
    }
    assert!(person.why_labelled("x.md").unwrap().1.is_some());
    assert!(person.why_labelled("y.md").unwrap().1.is_none());
    assert!(!is_restricted(&read(&world.agent("other"), "y.md")));
    assert!(is_restricted(&read(&world.agent("other"), "x.md")));
}

#[test]
fn k09_a_note_that_is_as_it_was_before_its_label_has_none() {
    let world = world("");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    let before = world.read("a.md");
    let person = world.person();
    let is_labelled = || person.why_labelled("a.md").unwrap().1.is_some();
    for text in ["MARK", "MARK again"] {
        append(&helper, "a.md", text).succeeds();
        let draft = &person.drafts().waiting_drafts().unwrap().0[0];
        accept(&person, &draft.draft.to_string(), "a.md", &[], false);
    }
    for (undoes, is_clean) in [(true, false), (true, true), (false, false), (true, true)] {
        let done = if undoes {
            person.undo(None, false)
        } else {
            person.redo(None, false)
        };
        assert!(done.success, "{done:?}");
        assert_eq!(
            (world.read("a.md") == before, !is_labelled()),
            (is_clean, is_clean)
        );
    }
    assert!(!is_restricted(&read(&world.agent("other"), "a.md")));
    // The text is still known, wherever it comes back.
    assert!(person.redo(None, false).success && is_labelled());
}

#[test]
fn k09_a_part_of_a_renamed_note_and_the_links_to_it_are_labelled() {
    let world = world("");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    let renamed = json!({ "path": "b.md", "name": "MARK" });
    call(&helper, "rename", renamed).succeeds();
    append(&helper, "MARK.md", "MARK").succeeds();
    let person = world.person();
    let draft = person.drafts().waiting_drafts().unwrap().0.remove(0);
    for file in &draft.files {
        has(&file.warnings[0].sentence(), &["outside text."]);
    }
    let id = draft.draft.to_string();
    let accept = |hunks: &[usize]| accept(&person, &id, "MARK.md", hunks, false);
    accept(&[1]);
    assert!(world.read("b.md").contains(MARK));
    assert!(person.why_labelled("b.md").unwrap().1.is_some());
    accept(&[]);
    assert!(world.read("a.md").contains("[[MARK]]"));
    for note in ["MARK.md", "a.md"] {
        assert!(person.why_labelled(note).unwrap().1.is_some(), "{note}");
    }
}

/// Each other move or rename puts text of the agent, or text from outside, into the notes whose links follow it.
#[test]
fn k09_a_move_that_keeps_the_name_into_a_folder_that_was_there_labels_nothing() {
    for (line, is_labelled) in [
        ("move path=Old/b.md to=New/b.md", false),
        ("move path=Old/b.md to=MARK/b.md", true),
        ("move path=Old/b.md to=Clippings/MARK/b.md", true),
        ("move path=Clippings/Offer.md to=New/Offer.md", true),
        ("rename path=Old/b.md name=MARK", true),
    ] {
        for taint in ["write = [\"**\"]", ""] {
            let world = world(taint);
            world.write("Old/b.md", "B\n");
            world.write("New/n.md", "N\n");
            world.write("Clippings/MARK/x.md", "MARK\n");
            world.write("a.md", "See [[Old/b]] and [[Clippings/Offer]].\n");
            let (helper, person) = (world.agent("helper"), world.person());
            read(&helper, "Clippings/Offer.md");
            let envelope = answer(&helper, line).succeeds();
            if taint.is_empty() {
                let draft = &person.drafts().waiting_drafts().unwrap().0[0];
                let review = Review {
                    confirmed: true,
                    channel: Some(ApprovalChannel::Terminal),
                    ..Review::of_draft(draft, true)
                };
                person.review(&review, false).succeeds();
            }
            assert!(
                !world
                    .read("a.md")
                    .contains("[[Old/b]] and [[Clippings/Offer]]")
            );
            let (_, why) = person.why_labelled("a.md").unwrap();
            assert_eq!(why.is_some(), is_labelled, "{line} {taint}: {envelope:?}");
            if !is_labelled {
                assert!(person.why_labelled("New/b.md").unwrap().1.is_none());
                assert!(!is_restricted(&read(&world.agent("other"), "a.md")));
            }
        }
    }
}

#[test]
fn k09_the_name_of_a_folder_is_text_too() {
    let world = world("write = [\"**\"]");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    let made = json!({ "path": "MARK/x.md", "content": "x" });
    assert!(call(&helper, "create", made).meta.journal.is_some());
    let other = world.agent("other");
    assert!(!is_restricted(&read(&other, "a.md")));
    let folders = other.call(&asked("folders"));
    lacks(&folders.stdout, &[MARK]);
    assert_free(&folders);
    assert!(is_restricted(&read(&other, "MARK/x.md")));
    let [agent, folder, note] = ["other", "MARK", "MARK/x.md"].map(str::to_owned);
    let person = world.person();
    person.clear_taint(&[], Some(&[agent])).succeeds();
    person.clear_taint(&[folder, note], Some(&[])).succeeds();
    world.write("Clippings/Offer.md", "");
    fs_err::remove_dir_all(world.vault.join("Clippings")).unwrap();
    assert!(!is_restricted(&other.call(&asked("folders"))));
}

#[test]
fn k09_a_cleared_clipping_labels_nobody_until_it_changes() {
    let world = world("");
    let clipping = "Clippings/Offer.md".to_owned();
    let person = world.person();
    let cleared = person.clear_taint(std::slice::from_ref(&clipping), None);
    cleared.succeeds();
    assert!(person.why_labelled(&clipping).unwrap().1.is_none());
    let helper = world.agent("helper");
    assert!(!is_restricted(&helper.call(&asked("search query=MARK"))));
    assert!(!is_restricted(&append(&helper, &clipping, "mine")));
    assert!(!is_restricted(&read(&helper, &clipping)));
    world.write(&clipping, "clipped again");
    assert!(is_restricted(&read(&helper, &clipping)));
}

#[test]
fn k09_imported_notes_are_labelled() {
    let world = world("");
    let folder = world.scratch().join("import");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("in.md"), "From outside.\n").unwrap();
    let folder = crate::support::quoted(&folder);
    let world = world.set(&format!("import_folder = {folder}"));
    answer(&world.person(), "vault:import from=/ path=In").succeeds();
    assert!(world.person().why_labelled("In/in.md").unwrap().1.is_some());
    assert!(is_restricted(&read(&world.agent("helper"), "In/in.md")));
}

#[test]
fn k09_a_damaged_ledger_stops_agents_and_not_people() {
    let world = world("");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    let journals = fs_err::read_dir(world.state().join("journal")).unwrap();
    for journal in journals {
        fs_err::write(journal.unwrap().path().join("labels/labels.json"), "{").unwrap();
    }
    for agent in [&helper, &world.agent("other")] {
        read(agent, "a.md").fails_with("IO_ERROR");
    }
    read(&world.person(), "a.md").succeeds();
    append(&world.person(), "a.md", "mine").succeeds();
}

#[test]
fn k09_a_renamed_agent_stays_restricted() {
    let world = World::empty();
    world.write("Clippings/Offer.md", "MARK\n");
    let vault = world.vault.to_str().unwrap();
    let run = |words: &[&str]| world.run_as_it_is(words, b"");
    let setup = [
        "setup",
        "--yes",
        "--no-clients",
        "--agents=write",
        "--vault",
    ];
    run(&[&setup[..], &[vault]].concat()).ended(0);
    run(&["agents", "add", "helper"]).ended(0);
    run(&["--agent", "helper", "read", "path=Clippings/Offer.md"]).ended(0);
    run(&["agents", "rename", "helper", "reader"]).ended(0);
    let read = ["-j", "--agent", "reader", "files", "ext=canvas"];
    assert!(run(&read).json()["meta"]["taint"].is_object());
}

#[test]
fn k09_the_line_session_and_the_server_are_restricted() {
    let world = world("");
    let mut service = Service::start(&world);
    let ask = |service: &mut Service, path: &str| {
        let read = json!({ "command": "read", "params": { "path": path } });
        service.ask(&read.to_string())
    };
    assert!(ask(&mut service, "a.md")["meta"]["taint"].is_null());
    assert!(ask(&mut service, "Clippings/Offer.md")["meta"]["taint"]["since"].is_string());
    let append = json!({ "command": "append", "params": { "path": "a.md", "content": "x" } });
    assert_eq!(service.ask(&append.to_string())["status"], "drafted");
}

/// What an agent or a person does in a history.
#[derive(Clone, Debug)]
enum Step {
    Read(u8, u8),
    Search(u8),
    List(u8),
    Write(u8, u8),
    Create(u8, u8),
    Move(u8, u8, u8),
    Remove(u8, u8),
    Undo,
    Redo,
    Accept,
    Reject,
    Later,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..3_u8, 0..6_u8).prop_map(|(agent, note)| Step::Read(agent, note)),
        1 => (0..3_u8).prop_map(Step::Search),
        1 => (0..3_u8).prop_map(Step::List),
        3 => (0..3_u8, 0..6_u8).prop_map(|(agent, note)| Step::Write(agent, note)),
        2 => (0..3_u8, 0..6_u8).prop_map(|(agent, note)| Step::Create(agent, note)),
        2 => (0..3_u8, 0..6_u8, 0..6_u8).prop_map(|(agent, from, to)| Step::Move(agent, from, to)),
        1 => (0..3_u8, 0..6_u8).prop_map(|(agent, note)| Step::Remove(agent, note)),
        1 => Just(Step::Undo),
        1 => Just(Step::Redo),
        2 => Just(Step::Accept),
        1 => Just(Step::Reject),
        1 => Just(Step::Later),
    ]
}

/// The notes of a history.
const NOTES: &str = "Clippings/Offer.md a.md b.md c.md Inbox/d.md Notes/e.md";
const AGENTS: [&str; 3] = ["helper", "other", "third"];

/// Three agents that write every mark they have read into what they write.
struct History {
    world: World,
    person: Gateway,
    agents: [Gateway; 3],
    knows: [bool; 3],
    hours: i64,
}

impl History {
    fn new() -> Self {
        let world = World::empty().set(OPEN).with_tables(
            "[taint]\nsources = [\"Clippings/**\"]\nwrite = [\"Inbox/**\"]\nkeep_hours = 1\n[agents.helper]\n[agents.other]\ndrafts = \"all\"\n[agents.third]\n",
        );
        world.write("Clippings/Offer.md", "MARK\n");
        world.write("a.md", "See [[Offer]] and [[b]].\n");
        world.write("b.md", "B\n");
        Self {
            person: world.person(),
            agents: AGENTS.map(|name| world.agent(name)),
            world,
            knows: [false; 3],
            hours: 0,
        }
    }

    /// The restriction ends, and with it what the agents remember: their sessions are over.
    fn begin_sessions(&mut self) {
        self.hours += 2;
        self.knows = [false; 3];
        let at = self.person.now() + jiff::SignedDuration::from_hours(self.hours);
        let clock = std::sync::Arc::new(move || at.clone());
        self.agents = AGENTS.map(|name| self.world.agent(name).with_clock(clock.clone()));
    }

    fn call(&mut self, agent: u8, command: &str, params: Value) {
        let envelope = call(&self.agents[usize::from(agent)], command, params);
        let message = serde_json::to_string(&(&envelope.stdout, &envelope.data, &envelope.error));
        if message.unwrap().contains(MARK) {
            self.knows[usize::from(agent)] = true;
            assert!(is_restricted(&envelope), "the mark is in {envelope:?}");
        }
    }

    fn text(&self, agent: u8) -> &'static str {
        if self.knows[usize::from(agent)] {
            MARK
        } else {
            "plain"
        }
    }

    fn review(&self, accept: bool) {
        let drafts = self.person.drafts().waiting_drafts().unwrap().0;
        let Some(draft) = drafts.first() else { return };
        let review = Review {
            confirmed: true,
            channel: Some(ApprovalChannel::Terminal),
            ..Review::of_draft(draft, accept)
        };
        let _may_conflict = self.person.review(&review, false);
    }

    fn take(&mut self, step: &Step) {
        let note = |note: u8| NOTES.split(' ').nth(note.into()).unwrap();
        match *step {
            Step::Read(agent, path) => self.call(agent, "read", json!({ "path": note(path) })),
            Step::Search(agent) => self.call(agent, "search:context", json!({ "query": MARK })),
            Step::List(agent) => self.call(agent, "notes:list", json!({})),
            Step::Write(agent, path) => {
                let params = json!({ "path": note(path), "content": self.text(agent) });
                self.call(agent, "append", params);
            }
            Step::Create(agent, path) => {
                let params = json!({ "path": note(path), "content": self.text(agent) });
                self.call(agent, "create", params);
            }
            Step::Move(agent, from, to) => {
                let params = json!({ "path": note(from), "to": note(to) });
                self.call(agent, "move", params);
            }
            Step::Remove(agent, path) => self.call(agent, "delete", json!({ "path": note(path) })),
            Step::Undo => drop(self.person.undo(None, false)),
            Step::Redo => drop(self.person.redo(None, false)),
            Step::Accept => self.review(true),
            Step::Reject => self.review(false),
            Step::Later => self.begin_sessions(),
        }
    }

    /// Every note of the vault that holds the mark is labelled.
    fn check(&self, steps: &[Step]) {
        for path in NOTES.split(' ') {
            let file = self.world.vault.join(path);
            if fs_err::read_to_string(file).is_ok_and(|text| text.contains(MARK)) {
                let (_, why) = self.person.why_labelled(path).unwrap();
                assert!(why.is_some(), "{path} is not labelled after {steps:?}");
            }
        }
    }
}

fn histories(cases: u32) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in proptest::collection::vec(step(), 4..16))| {
        let mut history = History::new();
        for (index, step) in steps.iter().enumerate() {
            history.take(step);
            history.check(&steps[..=index]);
        }
    });
}

#[test]
fn k09_no_history_launders_a_labelled_text() {
    histories(24);
}

#[test]
#[ignore = "takes about half an hour"]
fn k09_no_history_of_twenty_thousand_launders_a_labelled_text() {
    histories(20_000);
}

/// What an outsider who attacked the labels got through.
#[test]
fn k09_a_plan_that_is_only_shown_labels_its_reader() {
    let settings = OPEN.replace("[]", "[\"destroy\"]");
    let world = world_with(&settings, "");
    world.write("Clippings/Template.md", "MARK of a template\n\n## MARKED\n");
    world.write(".obsidian/templates.json", "{\"folder\":\"Clippings\"}");
    let step = |command: &str, params: Value| json!({ "command": command, "params": params });
    let made = step("create", json!({ "path": "n.md", "template": "Template" }));
    let edit = |params| {
        let last = step("note:edit", params);
        step("notes:change", json!({ "changes": [made, last] }))
    };
    let mut planned = step("create", json!({ "path": "q.md", "template": "Template" }));
    planned["dryRun"] = json!(true);
    let over = json!({ "path": "a.md", "template": "Template", "overwrite": true });
    let off = json!({ "path": "n.md", "old": "MARK off", "new": "y" });
    let under = json!({ "path": "n.md", "heading": "MARKEX", "content": "y", "mode": "append" });
    for request in [planned, step("create", over), edit(off), edit(under)] {
        let helper = world.agent("helper");
        let envelope = helper.call(&Request::from_value(&request).unwrap());
        assert!(is_restricted(&envelope), "{request}: {envelope:?}");
        clear(&world);
    }
}

#[test]
fn k09_no_detour_loses_a_label() {
    let world = world("write = [\"Inbox/**\"]");
    let person = world.person();
    let restricted = || {
        let helper = world.agent("helper");
        assert!(is_restricted(&read(&helper, "Clippings/Offer.md")));
        helper
    };
    // The app's own files have no labels, so a restricted agent changes none of them alone.
    let bookmark = json!({ "file": "a.md", "title": MARK });
    call(&restricted(), "bookmark", bookmark).fails_with("TAINTED");
    // Out of the trash.
    let note = json!({ "path": "Inbox/q.md", "content": "MARK q" });
    call(&restricted(), "create", note).succeeds();
    answer(&person, "delete path=Inbox/q.md").succeeds();
    person.undo(None, false).succeeds();
    assert!(person.why_labelled("Inbox/q.md").unwrap().1.is_some());
    // Moved by hand, and the old path written anew by an agent without a label.
    fs_err::rename(world.vault.join("Inbox/q.md"), world.vault.join("w.md")).unwrap();
    let other = world.agent("other");
    let note = json!({ "path": "Inbox/q.md", "content": "plain" });
    call(&other, "create", note).succeeds();
    assert!(person.why_labelled("w.md").unwrap().1.is_some());
    assert!(person.why_labelled("Inbox/q.md").unwrap().1.is_none());
}

#[test]
fn k09_a_cleared_agent_is_not_labelled_by_a_draft_that_it_does_not_see() {
    let world = world("");
    let helper = world.agent("helper");
    read(&helper, "Clippings/Offer.md");
    assert!(warnings(&append(&helper, "a.md", "MARK")).contains(&"DRAFTED"));
    clear(&world);
    let vault = read(&helper, "a.md");
    assert_free(&vault);
    lacks(&vault.stdout, &[MARK]);
}

#[test]
fn k09_a_note_that_cannot_be_read_labels_nobody_by_its_warning() {
    let world = world("properties = [\"source\"]");
    world.write("bad.md", "---\na: [x\n---\ntext\n");
    let helper = world.agent("helper");
    assert_free(&helper.call(&asked("search query=bread")));
    assert_free(&helper.call(&asked("tag name=food")));
    assert!(is_restricted(&read(&helper, "bad.md")));
}
