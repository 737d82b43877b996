//! A person reviews drafts: acceptance and rejection of notes and hunks (`design/review.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use seeded_random::Random;
use serde_json::{Value, json};
use vault_engine::{Change, Editor};
use vault_gw::gateway::{
    Control, Envelope, FileWarning, Gateway, Happening, Review, ReviewWarning, WaitingDraft,
    WaitingFile, WarningReason, Written,
};
use vault_gw::tiers::ApprovalChannel;

use crate::notes_change::DeadFrom;
use crate::support::{
    Outcome as _, World, answer, asked, call, code, detail, files_below, has, lacks, warnings,
};

const CASES: &str = include_str!("data/review.txt");

const NOTE: &str = "# A\n\none\n\ntwo\n\nthree\n\nfour\n";

fn world() -> World {
    world_with("[agents.helper]\n[agents.other]\n")
}

fn world_with(tables: &str) -> World {
    let world = World::drafting(tables);
    world.write("a.md", NOTE);
    world.write("b.md", "See [[a]].\n\nEnd.\n");
    world
}

/// The answer to a call of the helper.
fn helper(world: &World, line: &str) -> Envelope {
    world.agent("helper").call(&asked(line))
}

/// Makes a call of the helper, which goes into its draft.
#[track_caller]
fn drafted(world: &World, line: &str) {
    assert_drafted(&helper(world, line));
}

/// Replaces a note in the draft of the helper.
#[track_caller]
fn replaced(world: &World, path: &str, text: &str) {
    let params = json!({ "path": path, "content": text, "overwrite": true });
    assert_drafted(&call(&world.agent("helper"), "create", params));
}

#[track_caller]
fn assert_drafted(envelope: &Envelope) {
    let is_drafted = envelope.success && envelope.meta.draft.is_some();
    assert!(is_drafted, "{envelope:?}");
}

fn waiting(world: &World) -> Vec<WaitingDraft> {
    let (drafts, warnings) = world.person().drafts().waiting_drafts().unwrap();
    assert_eq!(warnings, []);
    drafts
}

fn first(world: &World) -> WaitingDraft {
    waiting(world).remove(0)
}

fn paths(draft: &WaitingDraft) -> Vec<&str> {
    let files = draft.files.iter();
    files.map(|file| file.file.path.as_str()).collect()
}

fn file<'a>(draft: &'a WaitingDraft, path: &str) -> &'a WaitingFile {
    let mut files = draft.files.iter();
    files.find(|file| file.file.path == path).unwrap()
}

fn diff(file: &WaitingFile) -> &str {
    file.file.diff.as_deref().unwrap()
}

/// The notes of the only group.
#[track_caller]
fn members(draft: &WaitingDraft) -> Vec<&str> {
    assert_eq!(draft.groups.len(), 1, "{:#?}", draft.groups);
    let members = draft.groups[0].members.iter();
    members.map(|member| member.note.as_str()).collect()
}

/// The decisions of the person, as the helper reads them.
fn decisions(world: &World) -> Vec<Value> {
    let status = serde_json::to_value(helper(world, "draft:status")).unwrap();
    status["data"]["answers"].as_array().unwrap().clone()
}

fn all(accept: bool, draft: &WaitingDraft) -> Review {
    Review {
        confirmed: true,
        channel: Some(ApprovalChannel::Yes),
        ..Review::of_draft(draft, accept)
    }
}

fn part(accept: bool, draft: &WaitingDraft, note: &str, hunks: &[usize]) -> Review {
    Review {
        notes: BTreeMap::from([(note.to_owned(), hunks.iter().copied().collect())]),
        comment: Some("because".to_owned()),
        ..all(accept, draft)
    }
}

/// The same without the answer to warnings.
fn unconfirmed(review: Review) -> Review {
    Review {
        confirmed: false,
        ..review
    }
}

fn with_state(review: Review, state: Option<&str>) -> Review {
    Review {
        state: state.map(str::to_owned),
        ..review
    }
}

fn review(world: &World, review: &Review) -> Envelope {
    world.person().review(review, false)
}

/// Accepts hunks of a note of the first draft; without any, the whole note.
fn accept(world: &World, note: &str, hunks: &[usize]) -> Envelope {
    review(world, &part(true, &first(world), note, hunks))
}

fn reject(world: &World, note: &str, hunks: &[usize]) -> Envelope {
    review(world, &part(false, &first(world), note, hunks))
}

fn accept_all(world: &World) -> Envelope {
    review(world, &all(true, &first(world)))
}

fn reject_all(world: &World) -> Envelope {
    review(world, &all(false, &first(world)))
}

#[track_caller]
fn undo(world: &World) {
    world.person().undo(None, false).succeeds();
}

/// Every file, with its text.
fn files(world: &World) -> BTreeMap<String, String> {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let files = files_below(&world.vault).into_iter();
    files.map(|(path, bytes)| (path, text(bytes))).collect()
}

fn all_lines(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let lines = files.values().flat_map(|text| text.lines());
    lines.map(str::to_owned).collect()
}

/// Edits lines of a note in the draft: the line `old` becomes `new`.
fn edit(world: &World, lines: &[(&str, &str)]) {
    let text = helper(world, "read path=a.md").stdout;
    let text = lines
        .iter()
        .fold(text, |text, (old, new)| text.replace(old, new));
    replaced(world, "a.md", &text);
}

#[test]
fn hunks_are_accepted_and_rejected_one_by_one() {
    let world = world();
    let changes = [("one", "ONE"), ("two", "TWO"), ("three", "THREE")];
    edit(&world, &changes);
    let draft = &first(&world);
    assert_eq!(draft.agent.as_deref(), Some("helper"));
    assert_eq!(draft.files[0].file.hunks, [1, 2, 3]);
    review(&world, &part(true, draft, "a.md", &[2])).succeeds();
    assert_eq!(world.read("a.md"), NOTE.replace("two", "TWO"));
    reject(&world, "a.md", &[1]).succeeds();
    assert_eq!(world.read("a.md"), NOTE.replace("two", "TWO"));
    let rest = &first(&world).files[0];
    assert_eq!(rest.file.hunks, [1]);
    has(&diff(rest), &["+THREE"]);
    // The agent reads what became of it, and its own view has no rejected hunk.
    let decisions = decisions(&world);
    for (index, what, accepted) in [(0, "-two\n+TWO\n", true), (1, "-one\n+ONE\n", false)] {
        assert_eq!(decisions[index]["what"], what);
        assert_eq!(decisions[index]["accepted"], accepted, "{what}");
    }
    assert_eq!(decisions[1]["comment"], "because");
    let text = helper(&world, "read path=a.md").stdout;
    assert_eq!(text, NOTE.replace("two", "TWO").replace("three", "THREE"));
}

#[test]
fn the_next_answer_says_once_that_a_person_answered() {
    let world = world();
    edit(&world, &[("one", "ONE"), ("three", "THREE")]);
    let helper = world.agent("helper");
    let is_reported = |gateway: &Gateway, line: &str| {
        let mut warnings = gateway.call(&asked(line)).warnings.into_iter();
        let shown = warnings.find(|warning| warning.code == "REVIEWED");
        shown.map(|warning| warning.message.text())
    };
    assert_eq!(is_reported(&helper, "files"), None);
    accept(&world, "a.md", &[1]).succeeds();
    reject(&world, "a.md", &[1]).succeeds();
    assert_eq!(is_reported(&world.agent("other"), "files"), None);
    // A person who calls under the rules of the agent does not get its news.
    let person = world.run(&["--agent", "helper", "files"]);
    person.ended(0);
    person.omits("accepted 1");
    let message = "The person accepted 1 and rejected 1 of your drafted changes. The person left \
        2 comments. `draft:status` lists these decisions, oldest first.";
    let shown = is_reported(&helper, "capabilities command=read");
    assert_eq!(shown.as_deref(), Some(message));
    // Once, also to another process of the agent.
    for gateway in [&helper, &world.agent("helper")] {
        assert_eq!(is_reported(gateway, "files"), None);
    }
    // An answer that the agent asks for is not reported.
    edit(&world, &[("two", "TWO")]);
    accept(&world, "a.md", &[1]).succeeds();
    assert_eq!(is_reported(&helper, "draft:status"), None);
    assert_eq!(is_reported(&helper, "files"), None);
}

#[test]
fn an_agent_learns_once_that_its_accepted_change_was_undone() {
    let world = world();
    edit(&world, &[("one", "ONE"), ("three", "THREE")]);
    let state = &first(&world).state;
    let draft = waiting(&world)[0].draft.to_string();
    let accepted = ["review", "accept", &draft, "--state", state, "--yes"];
    world.run(&accepted).ended(0);
    let news = || {
        let mut issues = helper(&world, "files").warnings.into_iter();
        let issue = issues.find(|issue| issue.code == "REVIEWED");
        issue.map(|issue| issue.message.text())
    };
    let of = |text| {
        Some(format!(
            "{text} `draft:status` lists these decisions, oldest first."
        ))
    };
    let is_accepted = of("The person accepted 2 and rejected 0 of your drafted changes.");
    assert_eq!(news(), is_accepted);
    world.run(&["undo", "--yes"]).ended(0);
    assert_eq!(world.read("a.md"), NOTE);
    let undone = "The person undid 2 accepted changes.";
    assert_eq!(news(), of(undone));
    assert_eq!(news(), None);
    let status = helper(&world, "draft:status").stdout;
    let undone = "undone after it was accepted  a.md  -";
    has(&status, &[&format!("\n{undone}one\n{undone}three")]);
    world.run(&["redo", "--yes"]).ended(0);
    assert_eq!(news(), is_accepted);
}

#[test]
fn the_agent_sees_both_texts_of_a_conflict() {
    let world = world();
    edit(&world, &[("one", "AGENT")]);
    world.write("a.md", NOTE.replace("one", "PERSON"));
    let helper = world.agent("helper");
    let refused = answer(&helper, "append path=a.md content=x").fails_with("DRAFT_CONFLICT");
    let message = refused.error.unwrap().to_string();
    has(
        &message,
        &["`draft:show` shows the original text and both changes."],
    );
    let shown = answer(&helper, "draft:show path=a.md");
    let sides = json!([{ "line": 3, "base": "one\n", "draft": "AGENT\n", "vault": "PERSON\n" }]);
    assert_eq!(shown.data.as_map()["conflicts"][0]["sides"], sides);
}

#[test]
fn a_person_edits_the_text_before_accepting_it_and_the_agent_reads_how() {
    let world = world();
    edit(&world, &[("one", "ONE"), ("three", "THREE")]);
    drafted(&world, "create path=new.md content=text");
    drafted(&world, "move path=b.md to=c.md");
    drafted(&world, "append path=c.md content=more");
    let draft = &first(&world);
    let person = world.person();
    let proposed = |note: &str| {
        let text = person
            .drafts()
            .proposed_text(draft.draft, &draft.state, note);
        text.unwrap()
    };
    let agents = NOTE.replace("one", "ONE").replace("three", "THREE");
    assert_eq!(proposed("a.md"), agents);
    let own = agents.replace("THREE", "Three") + "mine\n";
    let edited = BTreeMap::from([
        ("a.md".to_owned(), own.clone()),
        ("c.md".to_owned(), proposed("c.md") + "\nmoved\n"),
        ("new.md".to_owned(), "text".to_owned()),
    ]);
    let whole = Review {
        edited,
        ..all(true, draft)
    };
    review(&world, &with_state(whole.clone(), None)).fails_with("USAGE_ERROR");
    let hunk = Review {
        notes: part(true, draft, "a.md", &[1]).notes,
        ..whole.clone()
    };
    review(&world, &hunk).fails_with("USAGE_ERROR");
    let before = files(&world);
    review(&world, &whole).succeeds();
    assert_eq!(world.read("a.md"), own);
    assert_eq!(world.read("c.md"), "See [[a]].\n\nEnd.\n\nmore\nmoved\n");
    assert!(waiting(&world).is_empty());
    let decisions = decisions(&world);
    let shown = decisions
        .iter()
        .map(|one| json!([one["path"], one["what"]]));
    let expected = json!([["a.md", "text"], ["c.md", "text"], ["new.md", "new note"]]);
    assert_eq!(shown.collect::<Value>(), expected);
    let diff = decisions[0]["edited"].as_str().unwrap();
    has(&diff, &["-THREE\n+Three\n", "+mine\n"]);
    lacks(&diff, &["-one"]);
    assert_eq!(decisions[2]["edited"], Value::Null);
    let status = helper(&world, "draft:status").stdout;
    has(&status, &["accepted with changes of the person  a.md"]);
    undo(&world);
    assert_eq!(files(&world), before);
}

#[test]
fn only_a_text_of_the_state_that_was_shown_is_edited() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    drafted(&world, "delete path=b.md");
    let draft = &first(&world);
    let edited = |note: &str| Review {
        edited: BTreeMap::from([(note.to_owned(), "mine\n".to_owned())]),
        ..part(true, draft, note, &[])
    };
    review(&world, &edited("b.md")).fails_with("USAGE_ERROR");
    drafted(&world, "append path=a.md content=more");
    review(&world, &edited("a.md")).fails_with("PRECONDITION_FAILED");
    let person = world.person();
    let refused = person
        .drafts()
        .proposed_text(draft.draft, &draft.state, "a.md");
    assert_eq!(refused.unwrap_err().code.name(), "PRECONDITION_FAILED");
    assert_eq!(world.read("a.md"), NOTE);
}

#[test]
fn d13_changes_of_a_person_in_a_note_that_is_closed_are_not_shown() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    let draft = &first(&world);
    let edited = BTreeMap::from([("a.md".to_owned(), "#private\nSECRET\n".to_owned())]);
    let whole = Review {
        edited,
        ..all(true, draft)
    };
    review(&world, &whole).succeeds();
    let status = |world: &World| serde_json::to_string(&helper(world, "draft:status")).unwrap();
    assert!(status(&world).contains("SECRET"));
    let closed = world.set("paths.deny_tags = [\"private\"]");
    assert!(!status(&closed).contains("SECRET"), "{}", status(&closed));
}

#[test]
fn one_step_accepts_some_hunks_rejects_others_and_leaves_the_rest() {
    let world = world();
    edit(
        &world,
        &[("one", "ONE"), ("two", "TWO"), ("three", "THREE")],
    );
    edit(&world, &[("four", "FOUR")]);
    drafted(&world, "move path=b.md to=c.md");
    drafted(&world, "create path=new.md content=text");
    let draft = &first(&world);
    let hunks = |of: &[(&str, &[usize])]| -> BTreeMap<String, BTreeSet<usize>> {
        of.iter()
            .map(|(note, hunks)| ((*note).to_owned(), hunks.iter().copied().collect()))
            .collect()
    };
    let comments = BTreeMap::from([(("a.md".to_owned(), 2), "keep two".to_owned())]);
    let both = Review {
        notes: hunks(&[("a.md", &[1, 3])]),
        rejected: hunks(&[("a.md", &[2]), ("c.md", &[0])]),
        comments,
        ..all(true, draft)
    };
    let twice = Review {
        rejected: hunks(&[("a.md", &[3])]),
        ..both.clone()
    };
    review(&world, &twice).fails_with("USAGE_ERROR");
    review(&world, &both).succeeds();
    let text = NOTE.replace("one", "ONE").replace("three", "THREE");
    assert_eq!(world.read("a.md"), text);
    assert!(world.vault.join("b.md").exists());
    let rest = &first(&world);
    assert_eq!(paths(rest), ["a.md", "new.md"]);
    has(&diff(&rest.files[0]), &["-four\n+FOUR\n"]);
    lacks(&diff(&rest.files[0]), &["TWO"]);
    let mut decisions = decisions(&world);
    decisions.retain(|one| one["accepted"] == false);
    let comments = decisions.iter().map(|one| one["comment"].clone());
    assert_eq!(comments.collect::<Value>(), json!(["keep two", null]));
}

#[test]
fn a_rename_takes_all_links_along_and_an_undo_gives_back_every_byte() {
    let world = world();
    let before = files(&world);
    drafted(&world, "move path=a.md to=c.md");
    let text = helper(&world, "read path=b.md").stdout;
    replaced(&world, "b.md", &format!("{text}\n\nMore."));
    let draft = first(&world);
    let changes = draft.files.into_iter().map(|file| file.file);
    let changes: Vec<_> = changes.map(|file| (file.path, file.hunks)).collect();
    let expected = [("b.md", vec![1, 2]), ("c.md", vec![0])];
    assert_eq!(
        changes,
        expected.map(|(path, hunks)| (path.to_owned(), hunks))
    );
    // The hunk with the link belongs to the rename, the other one waits.
    accept(&world, "c.md", &[]).succeeds();
    assert_eq!(world.read("b.md"), "See [[c]].\n\nEnd.\n");
    assert_eq!(world.read("c.md"), NOTE);
    let rest = &first(&world);
    assert_eq!(paths(rest), ["b.md"]);
    lacks(&diff(&rest.files[0]), &["-See"]);
    review(&world, &all(true, rest)).succeeds();
    assert_eq!(world.read("b.md"), "See [[c]].\n\nEnd.\n\n\nMore.");
    assert!(waiting(&world).is_empty());
    undo(&world);
    undo(&world);
    assert_eq!(files(&world), before);
}

#[test]
fn d13_an_accepted_rename_takes_along_links_in_notes_that_the_rules_close_for_everyone() {
    let rules = "[paths]\nwrite = [\"Open/**\"]\ndeny = [\"Secret/**\"]\ndeny_tags = [\"private\"]";
    let world = World::drafting(&format!("{rules}\n[agents.helper]\n"));
    world.write("Open/a.md", NOTE);
    world.write("Secret/s.md", "[[a]]\n");
    world.write("Diary.md", "[[a]] #private\n");
    drafted(&world, "rename path=Open/a.md name=z");
    accept_all(&world).succeeds();
    assert_eq!(world.read("Open/z.md"), NOTE);
    assert_eq!(world.read("Secret/s.md"), "[[z]]\n");
    assert_eq!(world.read("Diary.md"), "[[z]] #private\n");
}

#[test]
fn a_rename_and_its_link_changes_are_one_group() {
    let world = world();
    world.write("sub/x.md", "");
    let text = "Up: [[a]]\n\nMine.\n\n[[a#Part|shown]] and [x](b.md)\n\nRest\n";
    world.write("d.md", text);
    drafted(&world, "move path=a.md to=sub/c.md");
    drafted(&world, "move path=b.md to=sub/e.md");
    let text = helper(&world, "read path=d.md").stdout;
    let text = text.replace("Mine.", "Yours.");
    replaced(&world, "d.md", &text.replace("Rest", "See [[none]]"));
    edit_line(&world, "sub/e.md", "End.", "[[nowhere]]");
    let draft = &first(&world);
    let groups = serde_json::to_value(&draft.groups).unwrap();
    assert_eq!(
        groups,
        json!([{ "id": "sub/c.md", "because": [
            { "reason": "renamed", "from": "a.md", "to": "sub/c.md" },
            { "reason": "renamed", "from": "b.md", "to": "sub/e.md" },
        ], "members": [
            { "note": "d.md", "hunks": [1, 3] },
            { "note": "sub/c.md", "hunks": [0] },
            { "note": "sub/e.md", "hunks": [0, 1] },
        ] }])
    );
    let warnings = draft.files.iter().flat_map(|file| &file.warnings);
    assert_eq!(warnings.count(), 0, "{draft:#?}");
}

/// An embed that follows the note which it shows publishes nothing new; one of another note or place does.
#[test]
fn k04_an_embed_in_a_published_note_is_warned_of_if_it_shows_something_else() {
    let world = world();
    let text = "---\npublish: true\n---\n![[a]]\n\nText\n\n![[a#Part]]\n";
    world.write("p.md", text);
    world.write("sub/c.md", "Other.\n");
    drafted(&world, "rename path=a.md name=c");
    let now = helper(&world, "read path=p.md").stdout;
    assert!(now.contains("![[./c]]") || now.contains("![[c]]"), "{now}");
    let warned = || {
        let draft = first(&world);
        let warnings = file(&draft, "p.md").warnings.iter();
        let lines = warnings.filter_map(|warning| warning.line);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(warned(), [0; 0]);
    let shown = helper(&world, "draft:show path=p.md");
    let found = &serde_json::to_value(shown.data).unwrap()["files"][0]["findings"];
    assert_eq!(*found, json!(null));
    replaced(&world, "p.md", &now.replace("#Part", "#Private"));
    assert_eq!(warned(), [8]);
    let other = now.lines().nth(3).unwrap();
    replaced(&world, "p.md", &now.replace(other, "![[sub/c]]"));
    assert_eq!(warned(), [4]);
    replaced(&world, "p.md", &now.replace("Text", "![[b]]"));
    assert_eq!(warned(), [6]);
}

#[test]
fn h16_the_answer_says_which_folders_stay() {
    for file in [".kept", "own.md"] {
        folder_stays_with(file);
    }
}

fn folder_stays_with(file: &str) {
    let world = world();
    world.write("dir/x.md", "x\n");
    drafted(&world, "folder:move path=dir to=new");
    world.write(&format!("dir/{file}"), "");
    let kept = |envelope: &Envelope| {
        let issues = envelope.warnings.iter();
        let kept = issues.filter(|issue| issue.code == "FOLDER_NOT_REMOVED");
        let kept = kept.map(|issue| issue.path.clone().unwrap());
        kept.collect::<Vec<_>>()
    };
    let folders = |envelope: &Envelope| {
        let changes = envelope.meta.changes.iter();
        let folders = changes.filter(|file| file.change == Happening::FolderRemoved);
        folders.map(|file| file.path.clone()).collect::<Vec<_>>()
    };
    let accepted = accept_all(&world).succeeds();
    assert_eq!(kept(&accepted), ["dir"]);
    assert_eq!(folders(&accepted), [""; 0]);
    lacks(&accepted.stdout, &["remove folder  dir"]);
    lacks(&accepted.to_json(), &["folderRemoved"]);
    // The folder that stays is no reason to refuse an undo.
    world.write("new/mine.md", "mine\n");
    let planned = world.person().undo(None, true).succeeds();
    let undone = world.person().undo(None, false).succeeds();
    for envelope in [planned, undone] {
        assert_eq!(kept(&envelope), ["new"]);
        assert_eq!(folders(&envelope), [""; 0]);
        let lines = envelope.stdout.lines();
        let named = lines.filter(|line| line.ends_with(" dir") || line.ends_with(" new"));
        assert_eq!(named.count(), 0, "{}", envelope.stdout);
    }
    assert_eq!(world.read("dir/x.md"), "x\n");
    assert_eq!(world.read("new/mine.md"), "mine\n");
}

#[test]
fn links_to_notes_that_swap_their_paths_belong_to_the_renames() {
    let world = world();
    world.write("l.md", "[[a]] [[b]]\n");
    drafted(&world, "move path=a.md to=t.md");
    drafted(&world, "move path=b.md to=a.md");
    drafted(&world, "move path=t.md to=b.md");
    let draft = &first(&world);
    assert_eq!(members(draft), ["a.md", "b.md", "l.md"]);
    // Without the renames, the links would lead to the wrong notes.
    review(&world, &part(true, draft, "l.md", &[1])).fails_with("DRAFT_CONFLICT");
    assert_eq!(world.read("l.md"), "[[a]] [[b]]\n");
    world.write("late.md", "[[a]] [b](b.md)\n");
    let done = accept_all(&world).succeeds();
    let changes = done.meta.changes.iter();
    let moved = changes.filter(|file| file.change == Happening::Moved);
    let moved = moved.map(|file| json!([file.from, file.path]));
    assert_eq!(
        moved.collect::<Value>(),
        json!([["b.md", "a.md"], ["a.md", "b.md"]])
    );
    assert_eq!(world.read("l.md"), "[[b]] [[a]]\n");
    assert_eq!(world.read("late.md"), "[[b]] [a](a.md)\n");
    assert_eq!(world.read("a.md"), "See [[b]].\n\nEnd.\n");
}

#[test]
fn links_in_a_canvas_belong_to_their_rename() {
    let world = world();
    let card = |file: &str, text: &str| {
        format!(
            "{{\n\t\"nodes\":[\n\t\t{{\"id\":\"1\",\"type\":\"file\",\"file\":\"{file}\",\"x\":0,\"y\":0,\"width\":9,\"height\":9}},\n\t\t{{\"id\":\"2\",\"type\":\"text\",\"text\":\"See\\n[[{text}]]\",\"x\":0,\"y\":9,\"width\":9,\"height\":9}}\n\t]\n}}"
        )
    };
    world.write("Board.canvas", card("a.md", "a"));
    drafted(&world, "move path=a.md to=c.md");
    let draft = &first(&world);
    let groups = serde_json::to_value(&draft.groups).unwrap();
    assert_eq!(
        groups,
        json!([{ "id": "c.md", "because": [{ "reason": "renamed", "from": "a.md", "to": "c.md" }], "members": [
            { "note": "Board.canvas", "hunks": [1] },
            { "note": "b.md", "hunks": [1] },
            { "note": "c.md", "hunks": [0] },
        ] }])
    );
    // Without the rename, the card would lead to no file.
    let refused = accept(&world, "Board.canvas", &[1]).fails_with("DRAFT_CONFLICT");
    assert_eq!(detail(&refused, "with"), json!(["b.md", "c.md"]));
    review(&world, &part(true, draft, "c.md", &[])).succeeds();
    assert_eq!(world.read("Board.canvas"), card("c.md", "c"));
    assert!(waiting(&world).is_empty());
}

#[test]
fn a_link_that_leads_nowhere_now_is_a_warning() {
    let world = world();
    edit_line(&world, "b.md", "See [[a]].", "See [[gone]] and [[a]].");
    let draft = first(&world);
    let warnings = serde_json::to_value(&draft.files[0].warnings).unwrap();
    let expected = json!([{ "hunk": 1, "line": 1, "reason": "brokenLink", "link": "[[gone]]" }]);
    assert_eq!(warnings, expected);
    let hunks = |hunks: &[usize]| {
        let notes = BTreeMap::from([("b.md".to_owned(), hunks.iter().copied().collect())]);
        draft.warnings_about(&notes).len()
    };
    assert_eq!((hunks(&[]), hunks(&[1]), hunks(&[2])), (1, 1, 0));
}

/// The warnings of this reason about the file at this path, as sentences.
fn sentences(
    draft: &WaitingDraft,
    path: &str,
    is_of: impl Fn(&WarningReason) -> bool,
) -> Vec<String> {
    let warnings = file(draft, path).warnings.iter();
    let warnings = warnings.filter(|warning| is_of(&warning.reason));
    warnings.map(ReviewWarning::sentence).collect()
}

fn is_of_backlinks(reason: &WarningReason) -> bool {
    matches!(reason, WarningReason::BrokenBacklinks { .. })
}

#[test]
fn i24_a_deletion_names_the_files_whose_links_break() {
    for delete in ["delete path=a.md", "delete path=a.md permanent"] {
        let world = world();
        let card = r#"{"nodes":[{"id":"1","type":"file","file":"a.md"}]}"#;
        world.write("Board.canvas", card);
        world.write("embed.md", "![[a#Part]]\n");
        world.write("markdown.md", "[a](a.md)\n");
        world.write("property.md", "---\nup: \"[[a]]\"\n---\n");
        world.write("gone.md", "[[a]]\n");
        world.write("none.md", "[[b]] [[none]]\n");
        drafted(&world, delete);
        drafted(&world, "delete path=gone.md");
        let draft = first(&world);
        let expected = "The change breaks links to this file in 5 files: Board.canvas, b.md, embed.md and 2 more.";
        assert_eq!(sentences(&draft, "a.md", is_of_backlinks), [expected]);
        assert_eq!(sentences(&draft, "gone.md", is_of_backlinks), [""; 0]);
        // The list, the question and the refusal of an acceptance without one name them.
        let list = world.run(&["review", "--list"]);
        list.shows(&format!("  ! {expected}"));
        let review_of = part(true, &draft, "a.md", &[]);
        review(&world, &unconfirmed(review_of.clone())).fails_with("APPROVAL_REQUIRED");
        // Accepted by itself, the link of the other note breaks too.
        let plan = world.person().drafts().plan_review(&review_of).unwrap();
        let lines: Vec<String> = plan.warnings.iter().map(FileWarning::line).collect();
        assert_eq!(lines.len(), 2);
        let broken = expected.replace("5 files", "6 files").replace('2', "3");
        assert_eq!(lines[1], format!("a.md: {broken}"));
    }
}

#[test]
fn i24_a_deletion_breaks_no_link_that_leads_to_another_file_or_is_changed() {
    let world = world();
    world.write("x/y.md", "");
    world.write("z/y.md", "");
    world.write("image.png", "");
    world.write("see.md", "[[y]]\n\n![[image.png]]\n");
    drafted(&world, "delete path=a.md");
    drafted(&world, "delete path=x/y.md");
    drafted(&world, "delete path=image.png");
    edit_line(&world, "b.md", "[[a]]", "a");
    let draft = first(&world);
    assert_eq!(sentences(&draft, "a.md", is_of_backlinks), [""; 0]);
    assert_eq!(sentences(&draft, "x/y.md", is_of_backlinks), [""; 0]);
    let image = sentences(&draft, "image.png", is_of_backlinks);
    assert_eq!(
        image,
        ["The change breaks links to this file in 1 file: see.md."]
    );
    // Without the change of the link, the deletion breaks it.
    let alone = unconfirmed(part(true, &draft, "a.md", &[]));
    let refused = detail(&review(&world, &alone), "warnings");
    let expected =
        json!({ "path": "a.md", "reason": "brokenBacklinks", "files": ["b.md"], "count": 1 });
    assert_eq!(refused[1], expected, "{refused}");
}

#[test]
fn i24_a_move_without_its_links_names_the_files_whose_links_break() {
    for (updates, expected) in [
        ("true", &[][..]),
        (
            "false",
            &["The change breaks links to this file in 1 file: b.md."],
        ),
    ] {
        let world = world();
        let settings = format!("{{\"alwaysUpdateLinks\": {updates}}}");
        world.write(".obsidian/app.json", settings);
        drafted(&world, "move path=a.md to=c.md");
        let warned = sentences(&first(&world), "c.md", is_of_backlinks);
        assert_eq!(warned, expected, "{updates}");
    }
}

/// Links to the note cannot follow to a name that no link can contain.
#[test]
fn i24_a_rename_to_a_name_that_links_cannot_contain_names_the_files_whose_links_break() {
    for (name, breaks) in [("a#1", true), ("[[a]]", true), ("a^1", false)] {
        let world = world();
        let to = format!("{name}.md");
        drafted(&world, &format!("move path=a.md to={to} force"));
        let draft = first(&world);
        let expected: &[&str] = if breaks {
            &["The change breaks links to this file in 1 file: b.md."]
        } else {
            &[]
        };
        assert_eq!(sentences(&draft, &to, is_of_backlinks), expected, "{name}");
        let review_of = all(true, &draft);
        let is_accepted = review(&world, &unconfirmed(review_of.clone())).success;
        assert_eq!(is_accepted, !breaks, "{name}");
        assert_eq!(review(&world, &review_of).success, breaks, "{name}");
        assert_eq!(dead_links(&world).is_empty(), !breaks, "{name}");
    }
}

/// Edits a line of a note in the draft.
fn edit_line(world: &World, path: &str, old: &str, new: &str) {
    let text = call(&world.agent("helper"), "read", json!({ "path": path })).stdout;
    replaced(world, path, &text.replace(old, new));
}

#[test]
fn new_and_removed_notes_are_accepted_as_a_whole() {
    let world = world();
    drafted(&world, "create path=x/new.md content=text");
    drafted(&world, "create path=y.md content=text");
    drafted(&world, "delete path=b.md");
    drafted(&world, "delete path=a.md permanent");
    let draft = &first(&world);
    assert_eq!(draft.waiting, 4);
    review(&world, &part(true, draft, "x/new.md", &[1])).fails_with("USAGE_ERROR");
    for diff in draft
        .files
        .iter()
        .filter_map(|file| file.file.diff.as_ref())
    {
        has(diff, &["@@ hunk 0\n"]);
    }
    review(&world, &part(false, draft, "y.md", &[0])).succeeds();
    accept_all(&world).succeeds();
    let names: Vec<String> = files(&world).into_keys().collect();
    assert_eq!(names, [".trash/b.md", "x/new.md"]);
    undo(&world);
    assert_eq!(world.read("a.md"), NOTE);
    assert_eq!(files(&world).len(), 2);
}

#[test]
fn h24_what_a_person_changed_meanwhile_is_merged_or_shown_and_never_lost() {
    let world = world();
    edit(&world, &[("one", "ONE"), ("four", "FOUR")]);
    world.write("a.md", NOTE.replace("three", "3"));
    // At another place: both are in the agent's view, and the answer says so.
    let helper = world.agent("helper");
    let read = helper.call(&asked("read path=a.md"));
    let both = NOTE.replace("one", "ONE").replace("four", "FOUR");
    assert_eq!(read.stdout, both.replace("three", "3"));
    assert!(warnings(&read).contains(&"DRAFT_MERGED"));
    // At the same place: nothing is guessed.
    let edited = NOTE.replace("three", "3").replace("one", "1");
    world.write("a.md", &edited);
    let refused = accept(&world, "a.md", &[1]).fails_with("DRAFT_CONFLICT");
    let sides = json!([{ "line": 3, "base": "one\n", "draft": "ONE\n", "vault": "1\n" }]);
    assert_eq!(detail(&refused, "conflicts"), sides);
    assert_eq!(world.read("a.md"), edited);
    // The message says what a person does.
    assert!(refused.advice.is_empty());
    answer(&helper, "append path=a.md content=x").fails_with("DRAFT_CONFLICT");
    assert!(waiting(&world)[0].files[0].file.conflict);
    answer(&helper, "draft:withdraw path=a.md").succeeds();
    let read = helper.call(&asked("read path=a.md"));
    assert_eq!(read.stdout, world.read("a.md"));
}

#[test]
fn h24_a_note_that_is_gone_or_taken_is_a_conflict() {
    let world = world();
    drafted(&world, "append path=a.md content=x");
    drafted(&world, "delete path=b.md");
    drafted(&world, "create path=new.md content=agent");
    drafted(&world, "create path=same.md content=same");
    fs_err::remove_file(world.vault.join("a.md")).unwrap();
    world.write("b.md", "changed\n");
    world.write("new.md", "person");
    world.write("same.md", "same");
    let draft = &first(&world);
    assert_eq!(paths(draft), ["a.md", "b.md", "new.md"]);
    assert!(draft.files.iter().all(|file| file.file.conflict));
    for path in ["a.md", "b.md", "new.md"] {
        review(&world, &part(true, draft, path, &[])).fails_with("DRAFT_CONFLICT");
    }
    let found = files(&world);
    assert_eq!(found["b.md"], "changed\n");
    assert_eq!(found["new.md"], "person");
    assert!(!found.contains_key("a.md"));
    review(&world, &all(false, draft)).succeeds();
    assert_eq!(files(&world), found);
}

#[test]
fn h24_the_links_of_a_rename_wait_if_its_note_is_gone() {
    for to in [None, Some("moved.md")] {
        let world = world();
        drafted(&world, "rename path=a.md name=z");
        let old = world.vault.join("a.md");
        match to {
            Some(to) => fs_err::rename(old, world.vault.join(to)).unwrap(),
            None => fs_err::remove_file(old).unwrap(),
        }
        assert_eq!(members(&first(&world)), ["b.md", "z.md"]);
        accept_all(&world).fails_with("DRAFT_CONFLICT");
        assert_eq!(world.read("b.md"), "See [[a]].\n\nEnd.\n");
    }
}

#[test]
fn h24_a_file_in_the_place_of_a_folder_or_a_folder_in_that_of_a_file_holds_up_only_its_file() {
    let file = |path: PathBuf| fs_err::write(path, "person").unwrap();
    let folder = |path: PathBuf| {
        drop(fs_err::remove_file(&path));
        fs_err::create_dir(path).unwrap();
    };
    for (line, made, make, conflict) in [
        (
            "create path=X/y.md content=agent",
            "X",
            file as fn(PathBuf),
            "X/y.md",
        ),
        (
            "create path=new/X/z/y.md content=agent",
            "new",
            file,
            "new/X/z/y.md",
        ),
        (
            "create path=old/X/y.md content=agent",
            "old/X",
            file,
            "old/X/y.md",
        ),
        ("move path=b.md to=X/b.md", "X", file, "X/b.md"),
        ("folder:move path=old to=X/old", "X", file, "X/old/n.md"),
        ("folder:create path=X", "X", file, "X"),
        ("delete path=b.md", ".trash", file, "b.md"),
        ("create path=n.md content=agent", "n.md", folder, "n.md"),
        ("move path=b.md to=n.md", "n.md", folder, "n.md"),
        ("append path=b.md content=agent", "b.md", folder, "b.md"),
    ] {
        let world = world();
        world.write("old/n.md", "n\n");
        drafted(&world, line);
        drafted(&world, "append path=a.md content=More.");
        make(world.vault.join(made));
        let draft = waiting(&world).remove(0);
        let shown = draft.files.iter().filter(|file| file.file.conflict);
        let shown: Vec<_> = shown.map(|file| file.file.path.as_str()).collect();
        assert_eq!(shown, [conflict], "{line}");
        review(&world, &part(true, &draft, conflict, &[])).fails_with("DRAFT_CONFLICT");
        let accepted = review(&world, &all(true, &draft)).succeeds();
        assert_eq!(accepted.data.as_map()["conflicts"][0]["path"], conflict);
        assert!(world.read("a.md").ends_with("More."), "{line}");
        assert!(world.vault.join(made).exists());
        // The agent reads on, and withdraws it.
        let helper = world.agent("helper");
        call(&helper, "read", json!({ "path": "a.md" })).succeeds();
        let withdrawn = json!({ "path": conflict });
        call(&helper, "draft:withdraw", withdrawn).succeeds();
        assert_eq!(waiting(&world), [], "{line}");
    }
}

/// No content of a file that is only moved is needed.
#[test]
fn a_large_file_is_moved_and_holds_up_nothing_else() {
    let world = world();
    for name in ["big.bin", "large.md"] {
        let file = fs_err::File::create(world.vault.join(name)).unwrap();
        file.file().set_len((32 << 20) + 1).unwrap();
    }
    drafted(&world, "move path=big.bin to=x/big.bin");
    drafted(&world, "rename path=large.md name=larger");
    drafted(&world, "append path=a.md content=More.");
    let draft = waiting(&world).remove(0);
    review(&world, &all(true, &draft)).succeeds();
    assert!(world.read("a.md").ends_with("More."));
    assert!(world.vault.join("x/big.bin").exists() && world.vault.join("larger.md").exists());
    assert_eq!(waiting(&world), []);
}

/// The agent moves a file away and makes a folder with its name: one acceptance cannot make both.
#[test]
fn a_folder_takes_the_path_of_a_file_after_that_is_accepted() {
    for line in [
        "move path=Z to=b",
        "delete path=Z",
        "delete path=Z permanent",
    ] {
        let world = world();
        world.write("Z", "z");
        drafted(&world, line);
        drafted(&world, "create path=Z/y.md content=agent");
        let draft = waiting(&world).remove(0);
        let conflicts = draft.files.iter().filter(|file| file.file.conflict);
        let conflicts: Vec<_> = conflicts.map(|file| file.file.path.as_str()).collect();
        assert_eq!(conflicts, ["Z/y.md"], "{line}");
        review(&world, &all(true, &draft)).succeeds();
        assert!(!world.vault.join("Z").exists(), "{line}");
        let draft = waiting(&world).remove(0);
        review(&world, &all(true, &draft)).succeeds();
        assert_eq!(world.read("Z/y.md"), "agent", "{line}");
        assert_eq!(waiting(&world), [], "{line}");
    }
}

#[test]
fn h24_a_file_that_a_person_moved_or_removed_too_is_not_guessed_about() {
    // The same move: nothing is left of it, and the text of the draft stays.
    let moved = || {
        let world = world();
        edit(&world, &[("one", "ONE")]);
        drafted(&world, "move path=a.md to=c.md");
        drafted(&world, "move path=b.md to=d.md");
        for name in ["a.md", "b.md"] {
            fs_err::remove_file(world.vault.join(name)).unwrap();
        }
        world
    };
    let conflicts = |world: &World| {
        // Looking twice changes nothing.
        assert_eq!(waiting(world), waiting(world));
        let drafts = waiting(world);
        let files = drafts.iter().flat_map(|draft| draft.files.clone());
        files
            .map(|file| (file.file.path, file.file.hunks, file.file.conflict))
            .collect::<Vec<_>>()
    };
    let world = moved();
    world.write("c.md", NOTE);
    world.write("d.md", "See [[c]].\n\nEnd.\n");
    assert_eq!(conflicts(&world), [("c.md".to_owned(), vec![1], false)]);
    // Other files at the new paths are not those that moved.
    let world = moved();
    world.write("c.md", "other\n");
    world.write("d.md", "other\n");
    let shown = conflicts(&world);
    assert!(shown.iter().all(|(.., conflict)| *conflict), "{shown:?}");
    assert_eq!(shown.len(), 2);
    // A note that is already removed needs no removal.
    let world = self::world();
    drafted(&world, "delete path=b.md");
    fs_err::remove_file(world.vault.join("b.md")).unwrap();
    assert_eq!(conflicts(&world), []);
}

#[test]
fn a_rename_is_accepted_with_some_of_its_hunks() {
    let world = world();
    edit(&world, &[("one", "ONE"), ("three", "THREE")]);
    drafted(&world, "move path=a.md to=c.md");
    let draft = &first(&world);
    let mut chosen = part(true, draft, "c.md", &[0, 2]);
    review(&world, &chosen).fails_with("DRAFT_CONFLICT");
    chosen.notes.insert("b.md".to_owned(), BTreeSet::from([1]));
    review(&world, &chosen).succeeds();
    assert_eq!(world.read("c.md"), NOTE.replace("three", "THREE"));
    let rest = first(&world);
    assert_eq!(paths(&rest), ["c.md"]);
    assert!(!rest.files[0].file.conflict);
    has(&diff(&rest.files[0]), &["+ONE"]);
    lacks(&diff(&rest.files[0]), &["THREE\n+"]);
}

#[test]
fn an_answer_is_about_the_state_that_was_seen() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    let draft = &first(&world);
    drafted(&world, "append path=b.md content=late");
    review(&world, &all(true, draft)).fails_with("PRECONDITION_FAILED");
    assert_eq!(world.read("a.md"), NOTE);
    let unbound = with_state(all(true, draft), None);
    world.person().review(&unbound, true).succeeds();
    assert_eq!(world.read("a.md"), NOTE);
}

#[test]
fn i24_an_acceptance_says_what_was_seen() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    let draft = &first(&world);
    for review_of in [all(true, draft), part(true, draft, "a.md", &[])] {
        let review_of = with_state(review_of, None);
        review(&world, &review_of).fails_with("USAGE_ERROR");
        // What would be accepted can be asked at any time.
        world.person().review(&review_of, true).succeeds();
    }
    for accept in [true, false] {
        let hunk = with_state(part(accept, draft, "a.md", &[1]), None);
        review(&world, &hunk).fails_with("USAGE_ERROR");
        let short = with_state(all(accept, draft), Some(&draft.state[..15]));
        review(&world, &short).fails_with("USAGE_ERROR");
    }
    assert_eq!(world.read("a.md"), NOTE);
    let short = with_state(all(true, draft), Some(draft.short_state()));
    review(&world, &short).succeeds();
    assert_eq!(world.read("a.md"), NOTE.replace("one", "ONE"));
}

#[test]
fn i24_the_printed_command_accepts_only_what_was_printed() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    let list = world.run(&["review", "--list"]);
    let mut parts = list.text().split('`');
    let command = parts.find(|part| part.starts_with("vault-gw review accept"));
    let words = command.unwrap().split(' ').skip(1);
    let words: Vec<&str> = words.chain(["--yes"]).collect();
    assert!(words.contains(&"--state"), "{words:?}");
    // The agent goes on between the two.
    edit(&world, &[("two", "TWO")]);
    drafted(&world, "delete path=b.md");
    let hunk = ["--note", "a.md", "--hunk", "1"];
    for more in [&[], &hunk[..2], &hunk] {
        world.run(&[&words[..], more].concat()).ended(75);
        assert_eq!(world.read("a.md"), NOTE);
    }
    for more in [&[][..], &["--hunk", "1"]] {
        let unbound = ["review", "accept", words[2], "--yes", "--note", "a.md"];
        let ran = world.run(&[&unbound[..], more].concat());
        ran.ended(64);
        ran.reports("`vault-gw review --list`");
    }
    assert_eq!(world.read("a.md"), NOTE);
    assert!(world.vault.join("b.md").exists());
}

#[test]
fn i24_what_has_a_warning_needs_a_confirmation_of_its_own() {
    let world = world();
    edit(&world, &[("one", "![](https://example.org/a.png)")]);
    edit(&world, &[("four", "FOUR")]);
    drafted(&world, "delete path=b.md");
    let draft = &first(&world);
    let plan = |review_of: &Review| world.person().drafts().plan_review(review_of).unwrap();
    for review_of in [all(true, draft), part(true, draft, "b.md", &[0])] {
        let refused = review(&world, &unconfirmed(review_of.clone()));
        let refused = refused.fails_with("APPROVAL_REQUIRED");
        assert_eq!(
            detail(&refused, "warnings"),
            json!(plan(&review_of).warnings)
        );
    }
    let warnings = plan(&all(true, draft)).warnings;
    let lines: Vec<String> = warnings.iter().map(FileWarning::line).collect();
    assert_eq!(lines.len(), 2);
    has(&lines[0], &["when the note is opened: a.md:3  https:"]);
    assert_eq!(lines[1], "b.md: The change moves the note to the trash.");
    let accept = |state: &str, more: &str| {
        let line = format!("review accept {} --state {state} --yes {more}", draft.draft);
        world.run_line(&line)
    };
    let ran = accept(draft.short_state(), "");
    ran.ended(77);
    ran.reports("`--confirm-warnings`");
    assert!(world.vault.join("b.md").exists());
    // A hunk without a warning needs none, and neither does a rejection.
    review(&world, &unconfirmed(part(true, draft, "a.md", &[2]))).succeeds();
    let rest = &first(&world);
    review(&world, &unconfirmed(part(false, rest, "b.md", &[]))).succeeds();
    accept(first(&world).short_state(), "--confirm-warnings").ended(0);
    assert!(world.read("a.md").contains("a.png"));
}

#[test]
fn a_rename_is_not_taken_apart_from_its_links() {
    for before in ["See [[a]].\n\nEnd.\n", "| x |\n| --- |\n| [[a\\|A]] |\n"] {
        let world = world();
        world.write("b.md", before);
        drafted(&world, "move path=a.md to=c.md");
        let draft = &first(&world);
        for (accept, note, hunk, with) in [(true, "b.md", 1, "c.md"), (false, "c.md", 0, "b.md")] {
            let refused = review(&world, &part(accept, draft, note, &[hunk]));
            assert_eq!(
                detail(&refused.fails_with("DRAFT_CONFLICT"), "with"),
                json!([with])
            );
        }
        // Either file is enough to name both.
        for accept in [false, true] {
            for note in ["b.md", "c.md"] {
                let review_of = part(accept, &first(&world), note, &[]);
                review(&world, &unconfirmed(review_of)).succeeds();
                assert!(waiting(&world).is_empty());
                let link = if accept { "[[c" } else { "[[a" };
                assert_eq!(world.read("b.md"), before.replace("[[a", link));
                if accept {
                    undo(&world);
                }
                drafted(&world, "move path=a.md to=c.md");
            }
        }
    }
}

/// Records that the program of the helper moved these files.
#[track_caller]
fn moved_in_the_fence(world: &World, moves: &[(&str, &str)]) {
    let path = |path: &str| vault_engine::VaultPath::file(path).unwrap();
    let helper = world.agent("helper");
    let vault = helper.seen_vault().unwrap();
    let written = moves.iter().map(|(from, to)| {
        let folder = Change::MakeFolder {
            path: path(to).parent(),
        };
        let folder = to.contains('/').then_some(folder);
        let version = Editor(&vault).planned_version(&path(from)).unwrap();
        let change = Change::Move {
            from: path(from),
            to: path(to),
            version,
        };
        Written {
            path: path(to),
            changes: folder.into_iter().chain([change]).collect(),
            started_from: None,
        }
    });
    let (answered, refused) = helper.record_written(&written.collect::<Vec<_>>());
    answered.succeeds();
    assert_eq!(refused.len(), 0);
}

#[test]
fn links_follow_files_that_a_program_moves_also_in_files_of_the_draft() {
    let world = world();
    world.write("c.md", "[[a]] [b](./b.md)\n\n[[b]]\n");
    world.write("d.md", "[[a]]\n");
    drafted(&world, "append path=b.md content='[[c]]'");
    moved_in_the_fence(&world, &[("c.md", "x/c2.md")]);
    // The program may have updated a link itself.
    let text = "See [[a]].\n\nEnd.\n[[c2]] [[none]]\n";
    replaced(&world, "b.md", text);
    moved_in_the_fence(&world, &[("a.md", "z.md")]);
    let draft = &first(&world);
    assert_eq!(paths(draft), ["b.md", "x/c2.md", "z.md"]);
    assert_eq!(members(draft), ["b.md", "x/c2.md", "z.md"]);
    let seen = helper(&world, "read path=b.md").stdout;
    assert_eq!(seen, text.replace("[[a]]", "[[z]]"));
    review(&world, &unconfirmed(all(true, draft))).succeeds();
    assert_eq!(world.read("b.md"), seen);
    assert_eq!(world.read("x/c2.md"), "[[z]] [b](../b.md)\n\n[[b]]\n");
    assert_eq!(world.read("d.md"), "[[z]]\n");
    undo(&world);
    assert_eq!(world.read("c.md"), "[[a]] [b](./b.md)\n\n[[b]]\n");
}

#[test]
fn a_rename_to_a_name_without_an_extension_is_accepted() {
    for (from, to) in [
        ("a.md", "LICENSE"),
        ("LICENSE", "a.b/LICENCE"),
        ("a.md", "x/y"),
        ("LICENSE", "l.md"),
    ] {
        let world = world();
        if from == "LICENSE" {
            world.write(from, "free\n");
        }
        let text = world.read(from);
        moved_in_the_fence(&world, &[(from, to)]);
        accept_all(&world).succeeds();
        assert_eq!(world.read(to), text, "{from} {to}");
        assert!(!world.vault.join(from).exists(), "{from} {to}");
        assert_eq!(waiting(&world), [], "{from} {to}");
    }
}

#[test]
fn a_conflict_shows_both_sides_and_holds_up_nothing_else() {
    let world = world();
    edit(&world, &[("one", "AGENT")]);
    drafted(&world, "create path=new.md content=text");
    drafted(&world, "move path=b.md to=c.md");
    drafted(&world, "create path=b.md content='new b'");
    world.write("a.md", NOTE.replace("one", "PERSON"));
    let list = world.run(&["review", "--list"]);
    list.shows("(conflict)");
    list.shows("before, from line 3:\n      one");
    list.shows("in the draft:\n      AGENT");
    list.shows("in the vault:\n      PERSON");
    let accepted = accept_all(&world).succeeds();
    assert_eq!(world.read("new.md"), "text");
    let conflict = &accepted.data.as_map()["conflicts"][0];
    assert_eq!(conflict["sides"][0]["vault"], "PERSON\n");
    assert_eq!(waiting(&world)[0].files.len(), 1);
    // What needs a file that waits, waits too.
    let world = self::world();
    drafted(&world, "move path=a.md to=z.md");
    drafted(&world, "create path=a.md content=new");
    world.write("z.md", "taken");
    accept_all(&world).fails_with("DRAFT_CONFLICT");
    assert_eq!(world.read("a.md"), NOTE);
    assert_eq!(world.read("b.md"), "See [[a]].\n\nEnd.\n");
}

#[test]
fn k07_the_list_names_the_client_and_shows_misleading_letters() {
    let world = world();
    world.write("x\u{200d}y.md", "text\n");
    let gateway = world.gateway();
    let control = Control {
        client: Some("Client 1.2\n|  9 files".to_owned()),
        ..Control::default()
    };
    for line in ["create path=Pl\u{430}n.md", "append path=x\u{200d}y.md"] {
        let request = asked(&format!("{line} content=x"));
        assert_drafted(&gateway.answer_with(&request, &control));
    }
    let list = world.run(&["review", "--list"]);
    list.shows("agents without a name (Client 1.2\\u{a}| \\u{20}9 files)  2 files, last changed");
    list.shows("create  Pl\\u{430}n.md\n");
    list.shows("change  x\\u{200d}y.md\n");
    let draft = &first(&world);
    assert_eq!(draft.client.as_deref(), Some("Client 1.2\n|  9 files"));
    lacks(&draft.changed, &["."]);
    lacks(&draft.created, &["."]);
}

#[test]
fn i22_no_agent_accepts() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    let draft = &first(&world);
    let id = draft.draft;
    for name in ["helper", "other"] {
        let gateway = world.agent(name);
        for command in ["review:accept", "review", "accept", "draft:accept"] {
            let answered = gateway.call(&asked(&format!("{command} draft={id}")));
            assert!(!answered.success, "{command}");
        }
        assert!(!gateway.review(&all(true, draft), false).success);
        assert!(gateway.drafts().waiting_drafts().is_err());
    }
    let accept = format!("review accept {id} --state {}", draft.short_state());
    // Without a terminal nobody has answered.
    for line in [format!("--agent helper {accept} --yes"), accept] {
        assert_ne!(world.run_line(&line).status, Some(0), "{line}");
    }
    assert_eq!(world.read("a.md"), NOTE);
    let strict = world.set("approve_by = [\"dialog\"]");
    review(&strict, &all(true, draft)).fails_with("APPROVAL_REQUIRED");
}

#[test]
fn i22_a_draft_is_accepted_only_in_the_ways_of_its_agent() {
    for (table, ways) in [
        ("approve_by = [\"terminal\"]", [true, false]),
        ("[agents.\"*\"]\napprove_by = [\"--yes\"]", [false, true]),
        ("approve_by = []", [false, false]),
    ] {
        let world = world_with(&format!("[agents.helper]\n{table}"));
        edit(&world, &[("one", "ONE")]);
        let draft = &first(&world);
        let channels = [ApprovalChannel::Terminal, ApprovalChannel::Yes];
        for (channel, is_open) in channels.into_iter().zip(ways) {
            let answer = Review {
                channel: Some(channel),
                ..all(true, draft)
            };
            // Only the last way may be open, because an acceptance empties the draft.
            let expected = if is_open { "OK" } else { "APPROVAL_REQUIRED" };
            let answered = review(&world, &answer);
            assert_eq!(code(&answered), expected, "{table} {channel:?}");
            if is_open {
                break;
            }
        }
    }
}

/// The comparison pairs the heading of the one note with that of the other, so the merged text is in two hunks.
#[test]
fn all_of_a_merged_text_is_accepted_together() {
    for after in ["", "append path=a.md content=later"] {
        let world = world();
        world.write("a.md", "# A\ntext\n\n");
        world.write("b.md", "B one\nB two\n\nB three\n\n# A\n\nB four\n");
        drafted(&world, "note:merge path=b.md into=a.md position=start");
        if !after.is_empty() {
            drafted(&world, after);
        }
        accept(&world, "b.md", &[]).succeeds();
        let lines = ["B one", "B two", "B three", "B four", "text"];
        has(&world.read("a.md"), &lines);
    }
}

/// A hunk that stayed in the draft after the exchange would change the other file.
#[test]
fn files_that_exchange_their_paths_are_accepted_with_all_their_changes() {
    let world = world();
    let common = "1\n2\n3\n4\n5\n6\n";
    world.write("a.md", format!("A\n{common}"));
    world.write("b.md", format!("B\n{common}"));
    exchanged(&world, "helper");
    drafted(&world, "append path=b.md content=\"more of A\"");
    accept(&world, "a.md", &[]).succeeds();
    assert!(world.read("a.md").starts_with("B\n") && !world.read("a.md").contains("more"));
    assert_eq!(world.read("b.md"), format!("A\n{common}\nmore of A"));
    assert!(waiting(&world).is_empty());
}

/// Commands after which one file has the path of another one, the files that a person decides together, and files of the
/// vault after an acceptance.
type PathTaken = (
    &'static [&'static str],
    [&'static str; 2],
    &'static [(&'static str, &'static str)],
);

const PATHS_TAKEN: [PathTaken; 3] = [
    (
        &["move path=x.md to=z.md", "move path=y.md to=x.md"],
        ["x.md", "z.md"],
        &[("x.md", "y"), ("z.md", "x")],
    ),
    // The notes exchange their paths.
    (
        &[
            "move path=x.md to=t.md",
            "move path=y.md to=x.md",
            "move path=t.md to=y.md",
        ],
        ["x.md", "y.md"],
        &[("x.md", "y"), ("y.md", "x")],
    ),
    (
        &["delete path=x.md permanent", "create path=X.md content=new"],
        ["X.md", "x.md"],
        &[("X.md", "new"), ("y.md", "y")],
    ),
];

#[test]
fn h24_files_that_take_the_paths_of_others_are_accepted_together() {
    for (commands, members, expected) in PATHS_TAKEN {
        for named in members {
            let world = world();
            world.write("x.md", "x");
            world.write("y.md", "y");
            world.write("l.md", "[[b]]");
            let before = files(&world);
            let in_draft = || {
                for command in commands {
                    drafted(&world, command);
                }
                // Another file has the path that a note had in between.
                world.write("t.md", "t");
                first(&world)
            };
            let draft = in_draft();
            assert_eq!(self::members(&draft), members);
            review(&world, &part(false, &draft, named, &[])).succeeds();
            assert_eq!(waiting(&world), []);
            fs_err::remove_file(world.vault.join("t.md")).unwrap();
            assert_eq!(files(&world), before);

            review(&world, &part(true, &in_draft(), named, &[])).succeeds();
            assert_eq!(waiting(&world), []);
            let after = files(&world);
            for (path, text) in expected {
                assert_eq!(after[*path], *text, "{path} {after:?}");
            }
            assert_eq!(after.len(), before.len() + 1, "{after:?}");
            undo(&world);
            fs_err::remove_file(world.vault.join("t.md")).unwrap();
            assert_eq!(files(&world), before);
        }
    }
}

#[test]
fn h24_a_path_that_is_used_twice_gets_what_the_agent_sees() {
    let delete = "delete path=x.md";
    for leave in [
        delete,
        "delete path=x.md permanent",
        "move path=x.md to=z.md",
    ] {
        let world = world();
        world.write("x.md", "old\n");
        drafted(&world, leave);
        drafted(&world, "create path=x.md content='new\n'");
        let before = files(&world);
        let done = accept(&world, "x.md", &[]);
        assert!(done.success, "{leave}: {done:?}");
        assert_eq!(world.read("x.md"), "new\n", "{leave}");
        match leave {
            "move path=x.md to=z.md" => assert_eq!(world.read("z.md"), "old\n"),
            _ if leave == delete => assert_eq!(world.read(".trash/x.md"), "old\n"),
            _ => {}
        }
        assert_eq!(waiting(&world), [], "{leave}");
        undo(&world);
        assert_eq!(files(&world), before, "{leave}");
    }
}

#[test]
fn h24_links_are_accepted_as_the_agent_saw_them() {
    for (path, to) in [("d", "new"), ("d/s/n.md", "a/n.md"), ("d/s/n.md", "z/n.md")] {
        let world = world();
        world.write("d/c.md", "c\n");
        world.write("a/x.md", "");
        world.write("z/x.md", "");
        world.write("d/s/n.md", "[[../c]] and [c](../c.md)\n");
        let command = if path == "d" { "folder:move" } else { "move" };
        drafted(&world, &format!("{command} path={path} to={to}"));
        let note = if path == "d" { "new/s/n.md" } else { to };
        let read = call(&world.agent("helper"), "read", json!({ "path": note }));
        accept_all(&world).succeeds();
        assert_eq!(world.read(note), read.stdout, "{to}");
        assert_eq!(waiting(&world), [], "{to}");
    }
}

#[test]
fn h24_a_time_proves_nothing_to_a_review() {
    let world = world();
    let file = world.vault.join("a.md");
    edit(&world, &[("one", "AGENT")]);
    let modified = fs_err::metadata(&file).unwrap().modified().unwrap();
    world.write("a.md", NOTE.replace("one", "ONE"));
    let opened = fs_err::OpenOptions::new().write(true).open(&file).unwrap();
    opened.file().set_modified(modified).unwrap();
    let draft = first(&world);
    assert!(draft.files[0].file.conflict);
    review(&world, &all(true, &draft)).fails_with("DRAFT_CONFLICT");
    assert!(world.read("a.md").contains("ONE"));
}

#[cfg(unix)]
#[test]
fn h24_what_is_no_file_of_the_vault_holds_up_nothing_else() {
    let world = world();
    edit(&world, &[("one", "ONE")]);
    drafted(&world, "append path=b.md content=more");
    let file = world.vault.join("a.md");
    fs_err::rename(&file, world.vault.join("real.md")).unwrap();
    fs_err::os::unix::fs::symlink("real.md", &file).unwrap();
    let draft = first(&world);
    let conflicts: Vec<_> = draft.files.iter().map(|file| file.file.conflict).collect();
    assert_eq!(conflicts, [true, false]);
    let accepted = review(&world, &all(true, &draft)).succeeds();
    assert_eq!(accepted.data.as_map()["conflicts"][0]["path"], "a.md");
    assert!(world.read("b.md").ends_with("more"));
    reject_all(&world).succeeds();
    assert_eq!(waiting(&world), []);
    assert_eq!(world.read("real.md"), NOTE);
}

#[test]
fn a_new_folder_goes_with_the_last_change_in_it() {
    for rejected in [true, false] {
        let world = world();
        drafted(&world, "move path=a.md to=new/deep/a.md");
        drafted(&world, "folder:create path=empty");
        let gone = if rejected {
            reject(&world, "new/deep/a.md", &[])
        } else {
            helper(&world, "draft:withdraw path=new/deep/a.md")
        };
        gone.succeeds();
        assert_eq!(paths(&first(&world)), ["empty"]);
        lacks(&helper(&world, "folders").stdout, &["new"]);
        reject_all(&world).succeeds();
        assert!(waiting(&world).is_empty());
    }
}

#[test]
fn a_link_of_a_new_note_belongs_to_the_rename_that_it_needs() {
    let world = world();
    drafted(&world, "create path=new.md content=[[b]]");
    drafted(&world, "create path=other.md content=[[a]]");
    drafted(&world, "move path=b.md to=c.md");
    assert_eq!(members(&first(&world)), ["c.md", "new.md"]);
    // So does a new link in an old note, but not one that leads there anyway.
    edit(&world, &[("one", "[[c]]"), ("four", "[[new]]")]);
    edit_line(&world, "c.md", "End.", "[[other]]");
    let draft = &first(&world);
    assert_eq!(members(draft), ["a.md", "c.md", "new.md"]);
    let hunks = ["a.md", "c.md"].map(|note| draft.groups[0].hunks_of(note).unwrap());
    assert_eq!(hunks, [&BTreeSet::from([1]), &BTreeSet::from([0])]);
    helper(&world, "draft:withdraw path=new.md").succeeds();
    assert_eq!(paths(&first(&world)), ["a.md", "b.md", "other.md"]);
    let added = diff(file(&first(&world), "a.md")).to_owned();
    lacks(&added, &["[[c]]"]);
}

#[test]
fn a_file_that_is_not_text_is_decided_with_its_rename_and_not_with_others() {
    let world = world();
    let bytes = |link: &str| [b"caf\xe9 [[", link.as_bytes(), b"]]\n"].concat();
    fs_err::write(world.vault.join("latin1.md"), bytes("a")).unwrap();
    let is_now = |link: &str| fs_err::read(world.vault.join("latin1.md")).unwrap() == bytes(link);
    let drafted_again = || {
        drafted(&world, "rename path=a.md name=z");
        drafted(&world, "create path=new.md content=text");
    };
    drafted_again();
    assert_eq!(members(&first(&world)), ["b.md", "latin1.md", "z.md"]);
    accept(&world, "new.md", &[]).succeeds();
    assert!(is_now("a"));
    helper(&world, "draft:withdraw path=z.md").succeeds();
    assert_eq!(waiting(&world), []);
    undo(&world);
    drafted_again();
    reject(&world, "latin1.md", &[]).succeeds();
    assert_eq!(paths(&first(&world)), ["new.md"]);
    drafted(&world, "rename path=a.md name=z");
    accept(&world, "z.md", &[]).succeeds();
    assert!(is_now("z"));
    let decided = decisions(&world);
    let of_file = decided.iter().filter(|one| one["path"] == "latin1.md");
    let parts = of_file.map(|one| (&one["what"], one["accepted"] == true));
    let content = json!("content");
    assert_eq!(
        parts.collect::<Vec<_>>(),
        [(&content, false), (&content, true)]
    );
}

#[test]
fn two_drafts_that_give_headings_the_same_name_get_a_warning() {
    let world = world();
    world.write("n.md", "# One\n\na\n\n# Two\n\nb\n");
    for (agent, old) in [("helper", "One"), ("other", "Two")] {
        let line = format!("heading:rename path=n.md heading={old} to=Same");
        assert_drafted(&world.agent(agent).call(&asked(&line)));
    }
    let is_of = |reason: &WarningReason| matches!(reason, WarningReason::SameHeading { .. });
    for draft in waiting(&world) {
        assert_eq!(sentences(&draft, "n.md", is_of), [""; 0]);
    }
    assert!(accept_all(&world).success);
    let second = first(&world);
    let expected = "Several headings of the note are named Same, so a link to this name can lead \
        to the wrong heading.";
    assert_eq!(sentences(&second, "n.md", is_of), [expected]);
}

#[test]
fn folders_of_other_parts_are_not_made() {
    let world = world();
    world.write("q/n.md", "n\n");
    drafted(&world, "folder:move path=q to=q3");
    edit(&world, &[("one", "ONE")]);
    accept(&world, "a.md", &[]).succeeds();
    assert!(!world.vault.join("q3").exists());
    accept_all(&world).succeeds();
    assert_eq!(world.read("q3/n.md"), "n\n");
}

#[test]
fn d13_answers_about_notes_that_were_closed_are_not_reported() {
    let world = world();
    edit(&world, &[("one", "SECRET")]);
    reject(&world, "a.md", &[]).succeeds();
    let shown = |world: &World| helper(world, "draft:status").stdout;
    assert!(shown(&world).contains("a.md"));
    let closed = world.set("paths.deny = [\"a.md\"]");
    assert!(!shown(&closed).contains("a.md"), "{}", shown(&closed));
}

/// Makes the same call, cut off at each of its writes. `look` is what is checked after each.
fn cut_off_everywhere(
    reset: impl Fn(),
    run: impl Fn(std::sync::Arc<DeadFrom>) -> Envelope,
    look: impl Fn(usize),
) {
    reset();
    let counter = DeadFrom::call(usize::MAX);
    run(counter.clone()).succeeds();
    let calls = counter.calls.load(Ordering::SeqCst);
    assert!(calls > 8, "{calls}");
    for dead in 0..calls {
        reset();
        drop(run(DeadFrom::call(dead)));
        look(dead);
    }
}

#[test]
fn h23_a_change_that_is_cut_off_is_in_the_draft_or_not() {
    let world = world();
    let reset = || {
        drop(fs_err::remove_dir_all(world.state()));
        edit(&world, &[("one", "ONE")]);
    };
    let run = |dead: std::sync::Arc<DeadFrom>| {
        let helper = world.agent("helper").with_failpoints(dead);
        answer(&helper, "append path=a.md content=more")
    };
    let old = NOTE.replace("one", "ONE");
    cut_off_everywhere(reset, run, |dead| {
        let text = helper(&world, "read path=a.md").stdout;
        let is_whole = text == old || text == format!("{old}\nmore");
        assert!(is_whole, "{dead}: {text:?}");
        assert_eq!(world.read("a.md"), NOTE);
        assert_eq!(waiting(&world).len(), 1, "{dead}");
    });
}

/// Accepts what `make` drafts, cut off at each of its writes, and accepts it again: the vault then has these files. A
/// person changes this text in the notes in between.
fn accepted_again_everywhere(
    world: &World,
    make: impl Fn(&World),
    edited: Option<(&str, &str)>,
    after: &[(&str, &str)],
) {
    let before = files(world);
    let reset = || {
        drop(fs_err::remove_dir_all(world.state()));
        for name in files(world).keys() {
            fs_err::remove_file(world.vault.join(name)).unwrap();
        }
        for folder in ["dir", "new"] {
            drop(fs_err::remove_dir_all(world.vault.join(folder)));
        }
        for (name, text) in &before {
            world.write(name, text);
        }
        make(world);
    };
    let run = |dead: std::sync::Arc<DeadFrom>| {
        let gateway = world.person().with_failpoints(dead);
        let drafts = gateway.drafts().waiting_drafts().map(|(drafts, _)| drafts);
        match drafts {
            Ok(drafts) => gateway.review(&all(true, &drafts[0]), false),
            Err(failure) => Envelope::from_failure("review", failure),
        }
    };
    let after = after
        .iter()
        .map(|(name, text)| (name.to_string(), text.to_string()));
    let after: BTreeMap<String, String> = after.collect();
    cut_off_everywhere(reset, run, |dead| {
        if let Some((old, new)) = edited {
            let notes = files(world).into_iter();
            for (name, text) in notes.filter(|(name, _)| is_note(name)) {
                world.write(&name, text.replace(old, new));
            }
        }
        // The next call of anybody recovers what was cut off.
        answer(&world.person(), "files").succeeds();
        let found = files(world);
        let is_whole = edited.is_some() || found == before || found == after;
        assert!(is_whole, "{dead}: {found:#?}");
        if let [draft] = waiting(world).as_slice() {
            let again = review(world, &all(true, draft));
            assert!(again.success, "{dead}: {again:#?}");
        }
        assert_eq!(files(world), after, "{dead}");
        assert!(waiting(world).is_empty(), "{dead}");
    });
}

#[test]
fn h23_an_acceptance_that_is_cut_off_is_made_or_not_and_can_be_made_again() {
    let text = NOTE.replace("one", "ONE").replace("three", "THREE");
    let make = |world: &World| {
        edit(world, &[("one", "ONE"), ("three", "THREE")]);
        drafted(world, "move path=a.md to=c.md");
        drafted(world, "create path=new.md content=text");
    };
    let b = "See [[c]].\n\nEnd.\n";
    let after = [("b.md", b), ("c.md", &text), ("new.md", "text")];
    accepted_again_everywhere(&world(), make, None, &after);
    let with_folder = || {
        let world = world();
        world.write("dir/x.md", "[[y]]\n\nhere\n\nend\n");
        world.write("dir/y.md", "y\n");
        world.write("z.md", "[[dir/x]]\n");
        world
    };
    let make = |world: &World| {
        drafted(world, "folder:move path=dir to=new");
        drafted(world, "append path=new/x.md content=more");
    };
    let after = [
        ("a.md", NOTE),
        ("b.md", "See [[a]].\n\nEnd.\n"),
        ("new/x.md", "[[y]]\n\nhere\n\nend\n\nmore"),
        ("new/y.md", "y\n"),
        ("z.md", "[[new/x]]\n"),
    ];
    accepted_again_everywhere(&with_folder(), make, None, &after);
    let after = after.map(|(name, text)| (name, text.replace("here", "HERE")));
    let after = after.each_ref().map(|(name, text)| (*name, text.as_str()));
    accepted_again_everywhere(&with_folder(), make, Some(("here", "HERE")), &after);
}

/// Moves `a.md` and `b.md` to each other's paths, in the draft of this agent.
fn exchanged(world: &World, agent: &str) {
    let moves = [("a.md", "t.md"), ("b.md", "a.md"), ("t.md", "b.md")];
    let steps =
        moves.map(|(from, to)| json!({ "command": "move", "params": { "path": from, "to": to } }));
    let params = json!({ "changes": steps });
    assert_drafted(&call(&world.agent(agent), "notes:change", params));
}

#[test]
fn h23_an_exchange_that_is_cut_off_is_not_made_twice() {
    let after = [("a.md", "See [[b]].\n\nEnd.\n"), ("b.md", NOTE)];
    accepted_again_everywhere(&world(), |world| exchanged(world, "helper"), None, &after);
}

#[test]
fn h24_an_exchange_that_another_draft_made_is_not_made_again() {
    let world = world();
    exchanged(&world, "other");
    exchanged(&world, "helper");
    drafted(&world, "append path=b.md content=more");
    let mut drafts = waiting(&world);
    drafts.sort_by_key(|draft| draft.agent.clone());
    let [helper, other] = [0, 1].map(|at| &drafts[at]);
    assert!(review(&world, &all(true, other)).success);
    let exchanged = files(&world);
    // The agent and the person see what is left.
    let shown = self::helper(&world, "draft:show path=b.md").stdout;
    has(&shown, &["change  b.md\n", "+more"]);
    let left = first(&world);
    assert_eq!(left.draft, helper.draft);
    assert_eq!(paths(&left), ["b.md"]);
    assert_eq!(left.files[0].file.change, Happening::Modified);
    assert!(review(&world, &all(true, &left)).success);
    let mut expected = exchanged;
    *expected.get_mut("b.md").unwrap() += "\nmore";
    assert_eq!(files(&world), expected);
    assert!(waiting(&world).is_empty());
}

/// Two agents and a person change the same notes, and the person accepts and rejects at random.
struct History {
    world: World,
    random: Random,
    /// The lines that must be in the vault, wherever it is: those of the person, and what was accepted.
    kept: BTreeSet<String>,
    /// The lines that only agents wrote.
    offered: BTreeSet<String>,
    count: usize,
}

const NAMES: [&str; 3] = ["a.md", "b.md", "c.md"];

impl History {
    fn new(seed: u64) -> Self {
        let world = World::drafting("[agents.helper]\n[agents.other]\n");
        for name in NAMES {
            let lines: String = (0..9).map(|line| format!("{name} {line}\n\n")).collect();
            world.write(name, lines);
        }
        Self {
            world,
            random: Random::new(seed),
            kept: BTreeSet::new(),
            offered: BTreeSet::new(),
            count: 0,
        }
    }

    fn token(&mut self, who: &str) -> String {
        self.count += 1;
        format!("{who}-{}", self.count)
    }

    /// The text with a new line at a random place between its paragraphs.
    fn with_line(&mut self, text: &str, line: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = self.random.below(lines.len() + 1);
        let line = format!("{line}\n");
        lines.insert(at, &line);
        // The last line may have no end.
        let before: String = lines[..at].concat();
        let gap = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{before}{gap}{}", lines[at..].concat())
    }

    fn agent_changes(&mut self) {
        let name = *self.random.pick(&["helper", "other"]);
        let gateway = self.world.agent(name);
        let path = *self.random.pick(&NAMES);
        let text = call(&gateway, "read", json!({ "path": path }));
        match self.random.below(8) {
            0 => {
                let to = format!("m{}.md", self.random.below(3));
                call(&gateway, "move", json!({ "path": path, "to": to }));
            }
            1 => {
                let token = self.token(name);
                let path = format!("n{}.md", self.random.below(3));
                let params = json!({ "path": path, "content": format!("{token}\n") });
                let made = call(&gateway, "create", params);
                self.offered.extend(made.success.then_some(token));
            }
            2 => drop(call(&gateway, "delete", json!({ "path": path }))),
            _ if text.success => {
                let token = self.token(name);
                let text = self.with_line(&text.stdout, &token);
                let params = json!({ "path": path, "content": text, "overwrite": true });
                let made = call(&gateway, "create", params);
                self.offered.extend(made.success.then_some(token));
            }
            _ => {}
        }
    }

    fn person_changes(&mut self) {
        let path = *self.random.pick(&NAMES);
        if !self.world.vault.join(path).exists() {
            return;
        }
        let token = self.token("person");
        let text = self.world.read(path);
        let text = self.with_line(&text, &token);
        self.world.write(path, text);
        self.kept.insert(token);
    }

    fn person_reviews(&mut self) {
        let drafts = waiting(&self.world);
        if drafts.is_empty() {
            return;
        }
        let draft = self.random.pick(&drafts);
        let file = self.random.pick(&draft.files);
        let mut hunks = Vec::new();
        if !self.random.percent(50) {
            hunks.push(*self.random.pick(&file.file.hunks));
        }
        let accept = self.random.percent(70);
        let before = files(&self.world);
        let done = review(&self.world, &part(accept, draft, &file.file.path, &hunks));
        let after = files(&self.world);
        if !(accept && done.success) {
            assert_eq!(after, before, "{done:?}");
            assert!(done.success || code(&done) == "DRAFT_CONFLICT", "{done:?}");
            return;
        }
        if after != before && self.random.percent(30) {
            undo(&self.world);
            assert_eq!(files(&self.world), before);
            return;
        }
        // Exactly the accepted lines are new.
        let diff = file.file.diff.clone().unwrap_or_default();
        for line in all_lines(&after).difference(&all_lines(&before)) {
            assert!(self.offered.contains(line), "{line:?} of {done:?}");
            assert!(diff.contains(&format!("+{line}\n")), "{line:?} in {diff}");
            self.kept.insert(line.clone());
        }
    }

    /// Accepts something of a list that was shown, perhaps long ago, in one of the ways that people and scripts have.
    /// Returns whether it was accepted.
    fn accepts_what_was_shown(&mut self, shown: &[WaitingDraft]) -> bool {
        let mut draft = self.random.pick(shown).clone();
        let mut review_of = all(true, &draft);
        match self.random.below(6) {
            // The command that the list prints.
            0 => review_of.state = Some(draft.short_state().to_owned()),
            // A script that took the state from the list as data.
            1 => {}
            // One without a state, or with that of another list.
            2 => review_of.state = None,
            3 => review_of.state = Some(self.random.pick(shown).state.clone()),
            // The command at a terminal: it shows, the person answers, and the agent is faster or slower.
            _ => {
                review_of.state = None;
                let Ok(plan) = self.world.person().drafts().plan_review(&review_of) else {
                    return false;
                };
                draft = plan.draft;
                review_of.state = Some(draft.state.clone());
                if self.random.percent(50) {
                    self.agent_changes();
                }
            }
        }
        let file = self.random.pick(&draft.files).clone();
        let hunk = *self.random.pick(&file.file.hunks);
        match self.random.below(3) {
            0 => {}
            1 => review_of.notes = [(file.file.path, BTreeSet::new())].into(),
            _ => review_of.notes = [(file.file.path, BTreeSet::from([hunk]))].into(),
        }
        let before = files(&self.world);
        let done = review(&self.world, &review_of);
        let after = files(&self.world);
        if !done.success {
            assert_eq!(after, before, "{done:?}");
            return false;
        }
        let seen = review_of.state.unwrap();
        let mut drafts = shown.iter().chain([&draft]);
        let draft = drafts.find(|draft| draft.state.starts_with(&seen));
        let notes = &review_of.notes;
        let mut chosen: Vec<&WaitingFile> = draft.unwrap().files.iter().collect();
        chosen.retain(|file| notes.is_empty() || notes.contains_key(&file.file.path));
        for line in all_lines(&after).difference(&all_lines(&before)) {
            let number = notes.values().flatten().next();
            let is_shown = chosen.iter().any(|file| {
                let diff = file.file.diff.as_deref().unwrap_or_default();
                let mut hunks = diff.split("@@ -").filter(|hunk| {
                    number.is_none_or(|number| hunk.contains(&format!("@@ hunk {number}\n")))
                });
                hunks.any(|hunk| hunk.contains(&format!("+{line}\n")))
            });
            assert!(is_shown, "{line:?} was not shown: {chosen:#?}");
            self.kept.insert(line.clone());
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            let goes = |file: &&WaitingFile| {
                let is_gone = matches!(file.file.change, Happening::Trashed | Happening::Removed);
                file.file.from.as_ref() == Some(name) || is_gone && file.file.path == **name
            };
            let is_shown = chosen.iter().any(goes);
            assert!(is_shown, "{name} goes, which was not shown: {chosen:#?}");
        }
        true
    }

    fn check(&self) {
        let found = files(&self.world);
        let lines = all_lines(&found);
        for line in &self.kept {
            assert!(lines.contains(line), "{line} is lost: {found:#?}");
        }
        for line in self.offered.difference(&self.kept) {
            assert!(!lines.contains(line), "{line} was not accepted");
        }
    }

    fn run(mut self, steps: usize) {
        for _ in 0..steps {
            match self.random.below(6) {
                0..=2 => self.agent_changes(),
                3 => self.person_changes(),
                _ => self.person_reviews(),
            }
            self.check();
        }
    }
}

#[test]
fn h24_random_histories_lose_nothing_and_write_only_what_was_accepted() {
    for seed in 0..12 {
        History::new(seed).run(24);
    }
}

#[test]
fn i24_no_interleaving_accepts_what_was_not_shown() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0.. {
        let mut history = History::new(seed);
        let mut shown = Vec::new();
        for _ in 0..40 {
            match history.random.below(8) {
                0..=1 => history.agent_changes(),
                2 => history.person_changes(),
                3 => shown.extend(waiting(&history.world)),
                _ if shown.is_empty() => {}
                _ if history.accepts_what_was_shown(&shown) => accepted += 1,
                _ => refused += 1,
            }
            history.check();
        }
        if accepted + refused >= 1_000 {
            break;
        }
    }
    assert!(accepted > 50 && refused > 300, "{accepted} {refused}");
}

#[test]
#[ignore = "takes hours: run it by hand"]
fn h24_twenty_thousand_random_histories() {
    for seed in 1_000..21_000 {
        History::new(seed).run(16);
    }
}

const SECRET: &str = "[paths]\ndeny = [\"Secret/**\"]\n[agents.helper]\n";

/// Notes in which text and headings are moved. `Secret` is closed to agents.
fn moving_world() -> World {
    let world = World::drafting(SECRET);
    let text = "# A\n\nintro\n\n## Part\n\ntext of the part ^id\n\n## Last\n\nend\n";
    world.write("a.md", text);
    world.write("b.md", "See [[a#Part]].\n\nMore.\n");
    world.write("c.md", "# C\n\nabout [[b]]\n");
    world.write("Secret/s.md", "[[a#Part]] [[a#^id|x]] [[a]]\n");
    world
}

/// Commands that make files depend on each other, with the files that they change, the reason, and what a closed note
/// links to afterwards.
type Together = (&'static str, Vec<&'static str>, &'static str, &'static str);
static TOGETHER: LazyLock<Vec<Together>> = LazyLock::new(|| tables::typed(CASES, "together"));

/// The lines without a link that are not headings.
fn lines_of(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut lines = all_lines(files);
    lines.retain(|line| !line.contains("[[") && !line.starts_with('#'));
    lines
}

/// The links that lead to no file, heading or block.
fn dead_links(world: &World) -> Vec<String> {
    let audit = world.person().call(&asked("vault:audit severity=warning"));
    let codes = ["UNRESOLVED_LINK", "MISSING_HEADING", "MISSING_BLOCK"];
    let dead = audit
        .violations
        .iter()
        .filter(|found| codes.contains(&found.code));
    dead.map(|found| format!("{:?}: {}", found.path, found.message.text()))
        .collect()
}

#[test]
fn i25_what_a_command_moved_is_accepted_rejected_and_withdrawn_together() {
    for (command, members, reason, closed) in TOGETHER.iter().cloned() {
        for named in &members {
            let world = moving_world();
            let before = files(&world);
            let in_draft = || {
                drafted(&world, command);
                let draft = first(&world);
                assert_eq!(self::members(&draft), *members, "{command}");
                assert_eq!(draft.groups[0].in_words(), reason);
                draft
            };
            let draft = in_draft();
            let list = world.run(&["review", "--list"]);
            list.shows(&format!(": {reason}\n"));
            let status = helper(&world, "draft:status").stdout;
            let line = format!("Together: {} ({reason})\n", members.join(", "));
            has(&status, &[&line]);
            // A part of it alone.
            let first = file(&draft, named).file.hunks[0];
            for accept in [true, false] {
                let refused = review(&world, &part(accept, &draft, named, &[first]));
                assert_eq!(code(&refused), "DRAFT_CONFLICT", "{command} {named}");
            }
            let line = format!("draft:withdraw path={named} hunk={first}");
            let refused = helper(&world, &line);
            assert_eq!(code(&refused), "DRAFT_CONFLICT", "{command} {named}");
            // One file names all.
            let withdrawn = helper(&world, &format!("draft:withdraw path={named}"));
            withdrawn.succeeds();
            assert!(waiting(&world).is_empty());
            review(&world, &part(false, &in_draft(), named, &[])).succeeds();
            assert!(waiting(&world).is_empty());
            assert_eq!(files(&world), before);
            review(&world, &part(true, &in_draft(), named, &[])).succeeds();
            assert!(waiting(&world).is_empty());
            let after = files(&world);
            assert_eq!(lines_of(&after), lines_of(&before), "{command} {named}");
            assert_eq!(after["Secret/s.md"], closed, "{command}");
            assert_eq!(dead_links(&world), [""; 0], "{command}");
            undo(&world);
            assert_eq!(files(&world), before);
        }
    }
}

#[test]
fn i25_a_conflict_holds_up_all_that_belongs_together() {
    for (command, members, ..) in TOGETHER.iter().cloned() {
        let world = moving_world();
        drafted(&world, "create path=other.md content=other");
        drafted(&world, command);
        edit_line(&world, "b.md", "More.", "Agent.");
        world.write("b.md", world.read("b.md").replace("More.", "Person."));
        let before = files(&world);
        let draft = &first(&world);
        for named in members {
            let refused = review(&world, &part(true, draft, named, &[]));
            assert_eq!(code(&refused), "DRAFT_CONFLICT", "{command} {named}");
        }
        review(&world, &all(true, draft)).succeeds();
        let mut after = files(&world);
        assert_eq!(after.remove("other.md").as_deref(), Some("other"));
        assert_eq!(after, before, "{command}");
        reject_all(&world).succeeds();
        assert!(waiting(&world).is_empty());
    }
}

#[test]
fn i25_commands_with_a_common_file_are_one_group_and_closed_notes_follow_all_of_them() {
    let world = moving_world();
    let before = files(&world);
    drafted(&world, "note:extract path=a.md heading=Part to=n.md");
    drafted(&world, "heading:rename path=n.md heading=Part to=Section");
    drafted(&world, "rename path=n.md name=m");
    drafted(&world, "rename path=a.md name=z");
    drafted(&world, "note:merge path=c.md into=z.md");
    // A person links to it in the meantime.
    world.write("late.md", "[[a#Part]]\n");
    let draft = &first(&world);
    assert_eq!(draft.groups.len(), 1, "{:#?}", draft.groups);
    review(&world, &part(true, draft, "m.md", &[])).succeeds();
    assert!(waiting(&world).is_empty());
    let links = "[[m#Section]] [[m#^id|x]] [[z]]\n";
    assert_eq!(world.read("Secret/s.md"), links);
    assert_eq!(world.read("late.md"), "[[m#Section]]\n");
    assert_eq!(dead_links(&world), [""; 0]);
    assert_eq!(lines_of(&files(&world)), lines_of(&before));
}

#[test]
fn i25_a_link_follows_text_through_a_note_that_only_the_draft_had() {
    for (between, name) in [
        (None, "n"),
        (
            Some("heading:rename path=n.md heading=Part to=Section"),
            "n",
        ),
        (Some("rename path=n.md name=m"), "m"),
    ] {
        let world = moving_world();
        drafted(&world, "note:extract path=a.md heading=Part to=n.md");
        if let Some(command) = between {
            drafted(&world, command);
        }
        drafted(&world, &format!("note:merge path={name}.md into=c.md"));
        world.write("late.md", "[[a#Part]] [[a#^id]]\n");
        accept_all(&world).succeeds();
        let late = world.read("late.md");
        let is_followed = late.starts_with("[[c#") && late.ends_with(" [[c#^id]]\n");
        assert!(is_followed, "{between:?} {late}");
        assert_eq!(dead_links(&world), [""; 0], "{between:?}");
    }
}

#[test]
fn i25_links_that_a_person_adds_to_files_of_the_draft_follow_too() {
    for [command, expected] in tables::section(CASES, "i25 links that a person adds to files") {
        let world = moving_world();
        world.write("b.md", "See [[a#Part]].\n\nMore.\n\nLast.\n");
        world.write("d.md", "D\n\nMore.\n");
        drafted(&world, command);
        drafted(&world, "prepend path=d.md content=Agent");
        for note in ["b.md", "d.md"] {
            world.write(note, world.read(note).replace("More.", "More. [[a#Part]]"));
        }
        if !command.starts_with("note:merge") {
            world.write("a.md", world.read("a.md").replace("end", "end [[#Part]]"));
        }
        // The link in the other note leads to its place only with the command.
        let draft = &first(&world);
        let members = members(draft);
        assert!(members.contains(&"d.md"), "{command}: {members:?}");
        review(&world, &all(true, draft)).succeeds();
        for note in ["b.md", "d.md"] {
            has(&world.read(note), &[&format!("More. {expected}")]);
        }
        assert_eq!(dead_links(&world), [""; 0], "{command}");
    }
}

#[test]
fn links_that_a_person_adds_to_files_of_a_draft_follow_its_renames() {
    let world = world();
    world.write("sub/m.md", "M\n");
    world.write("d.md", "D\n\nMore.\n");
    drafted(&world, "move path=a.md to=sub/z.md");
    drafted(&world, "move path=sub/m.md to=n.md");
    drafted(&world, "prepend path=d.md content=Agent");
    world.write("a.md", NOTE.replace("four", "four [[sub/m]]"));
    world.write("b.md", "See [[a]].\n\nEnd.\n\nLater [[a]] and [[sub/m]].\n");
    world.write("d.md", "D\n\nMore. [[a]]\n");
    world.write("sub/m.md", "M [x](../b.md)\n");
    let draft = first(&world);
    assert_eq!(members(&draft), ["b.md", "d.md", "n.md", "sub/z.md"]);
    let members = draft.groups[0].members.iter();
    let hunks: Value = members.map(|member| json!(member.hunks)).collect();
    assert_eq!(hunks, json!([[1, 2], [2], [0, 1], [0, 1]]));
    let before = files(&world);
    review(&world, &part(true, &draft, "sub/z.md", &[])).succeeds();
    let text = "See [[z]].\n\nEnd.\n\nLater [[z]] and [[n]].\n";
    assert_eq!(world.read("b.md"), text);
    assert_eq!(world.read("d.md"), "D\n\nMore. [[z]]\n");
    assert_eq!(world.read("n.md"), "M [x](./b.md)\n");
    assert!(world.read("sub/z.md").contains("four [[n]]\n"));
    assert_eq!(dead_links(&world), [""; 0]);
    let rest = &first(&world);
    assert_eq!(rest.files.len(), 1);
    review(&world, &all(true, rest)).succeeds();
    assert_eq!(world.read("d.md"), "Agent\nD\n\nMore. [[z]]\n");
    undo(&world);
    undo(&world);
    assert_eq!(files(&world), before);
}

#[test]
fn i25_later_edits_of_other_lines_are_decided_by_themselves() {
    for (command, members, ..) in TOGETHER.iter().cloned() {
        let world = moving_world();
        drafted(&world, command);
        let after_command = first(&world).groups;
        edit_line(&world, "b.md", "More.", "Agent.");
        let draft = first(&world);
        assert_eq!(draft.groups, after_command, "{command}");
        assert_eq!(file(&draft, "b.md").file.hunks, [1, 2], "{command}");
        review(&world, &part(true, &draft, "b.md", &[2])).succeeds();
        let text = "See [[a#Part]].\n\nAgent.\n";
        assert_eq!(world.read("b.md"), text, "{command}");
        assert_eq!(dead_links(&world), [""; 0], "{command}");
        // The notes between which the command moved text still belong together.
        assert_eq!(self::members(&first(&world)), *members, "{command}");
        accept(&world, members[0], &[]).succeeds();
        assert_eq!(waiting(&world), [], "{command}");
        assert_eq!(dead_links(&world), [""; 0], "{command}");
    }
    // The other way round: the command is rejected, or accepted alone.
    for accept in [true, false] {
        let world = moving_world();
        drafted(&world, "heading:rename path=a.md heading=Part to=Section");
        edit_line(&world, "a.md", "intro", "Intro");
        let draft = first(&world);
        review(&world, &part(accept, &draft, "b.md", &[])).succeeds();
        let rest = first(&world);
        assert_eq!((rest.files.len(), rest.groups.len()), (1, 0));
        world.write("late.md", "[[a#Part]]\n");
        review(&world, &all(true, &rest)).succeeds();
        let heading = if accept { "Section" } else { "Part" };
        has(&world.read("a.md"), &[&format!("Intro\n\n## {heading}\n")]);
        // The rest does not rename the heading again.
        assert_eq!(world.read("late.md"), "[[a#Part]]\n");
    }
}

#[test]
fn a_link_to_a_file_that_left_since_the_draft_began_is_a_warning() {
    let world = world();
    let other = |line: &str| assert_drafted(&world.agent("other").call(&asked(line)));
    other("append path=b.md content='[[a#Part]] [[later]]'");
    other("create path=new.md content='New\n[[a]]'");
    assert_eq!(waiting(&world)[0].files[0].warnings, []);
    drafted(&world, "rename path=a.md name=z");
    let drafts = waiting(&world);
    let mut drafts = drafts.iter();
    let of_helper = drafts.find(|draft| draft.agent.as_deref() == Some("helper"));
    review(&world, &all(true, of_helper.unwrap())).succeeds();
    let draft = first(&world);
    let warnings = draft.files.iter().flat_map(|file| {
        let warnings = file.warnings.iter();
        warnings.map(|warning| warning.line_about(&file.file.path))
    });
    let missing = |link| format!("The new link {link} points to a file that does not exist.");
    let expected = [("b.md, line 5", "[[a#Part]]"), ("new.md, line 2", "[[a]]")];
    let expected = expected.map(|(place, link)| format!("{place}: {}", missing(link)));
    assert_eq!(warnings.collect::<Vec<_>>(), expected);
    review(&world, &unconfirmed(all(true, &draft))).fails_with("APPROVAL_REQUIRED");
}

#[test]
fn steps_that_move_lines_belong_together_and_others_do_not() {
    let world = moving_world();
    let steps = |steps: &Value| {
        let params = json!({ "changes": steps });
        assert_drafted(&call(&world.agent("helper"), "notes:change", params));
        first(&world)
    };
    let set = |path: &str| json!({ "command": "property:set", "params": { "path": path, "name": "status", "value": "done" } });
    let draft = steps(&json!([set("a.md"), set("b.md"), set("c.md")]));
    assert_eq!(draft.groups, []);
    review(&world, &part(true, &draft, "b.md", &[])).succeeds();
    assert_eq!(waiting(&world)[0].files.len(), 2);
    let draft = steps(&json!([
        { "command": "append", "params": { "path": "c.md", "content": "intro" } },
        { "command": "note:edit", "params": { "path": "a.md", "edits": [{ "old": "intro\n", "new": "" }] } },
    ]));
    let words = draft.groups[0].in_words();
    assert_eq!(words, "moved lines from a.md to c.md");
    review(&world, &part(true, &draft, "a.md", &[])).succeeds();
    assert_eq!(world.read("c.md").lines().last(), Some("intro"));
}

fn is_note(path: &str) -> bool {
    Path::new(path).extension() == Some("md".as_ref())
}

/// Random commands of an agent that move text, and an acceptance of some of them.
fn moved_and_accepted_at_random(seed: u64) -> [usize; 2] {
    let mut random = Random::new(seed);
    let world = World::drafting(SECRET);
    let names = ["a", "b", "c", "d"];
    let shift = random.below(names.len());
    for name in names {
        let sections = (0..3).map(|at| {
            let other = names[(shift + at) % names.len()];
            format!("## {name}{at}\n\nline {name}{at}\n\n[[{other}#{other}{at}]] [[{other}]]\n\n")
        });
        let text: String = sections.collect();
        world.write(&format!("{name}.md"), &text);
        let secret = text.replace("## ", "## s").replace("line", "secret");
        world.write(&format!("Secret/{name}.md"), secret);
    }
    assert_eq!(dead_links(&world), [""; 0]);
    let helper = world.agent("helper");
    let (mut count, mut made, mut accepted) = (0, 0, 0);
    let mut removed = BTreeSet::new();
    for _ in 0..3 {
        for _ in 0..3 {
            let listed = helper.call(&asked("files")).stdout;
            let notes: Vec<&str> = listed.lines().filter(|path| is_note(path)).collect();
            let (note, other) = (*random.pick(&notes), *random.pick(&notes));
            let text = call(&helper, "read", json!({ "path": note })).stdout;
            let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
            let headings: Vec<&str> = headings.collect();
            count += 1;
            let heading = if headings.is_empty() {
                "none"
            } else {
                *random.pick(&headings)
            };
            let (command, mut params) = match random.below(7) {
                0 => (
                    "note:extract",
                    json!({ "heading": heading, "to": format!("n{count}.md") }),
                ),
                1 => ("note:merge", json!({ "into": other })),
                2 => (
                    "heading:rename",
                    json!({ "heading": heading, "to": format!("h{count}") }),
                ),
                3 => ("rename", json!({ "name": format!("r{count}") })),
                4 => ("move", json!({ "to": format!("x/m{count}.md") })),
                5 => ("append", json!({ "content": format!("line new{count}") })),
                _ => {
                    let lines = text.lines().filter(|line| line.starts_with("line "));
                    let lines: Vec<&str> = lines.collect();
                    if lines.is_empty() {
                        continue;
                    }
                    let line = *random.pick(&lines);
                    removed.insert(line.to_owned());
                    let text = text.replace(&format!("{line}\n"), "");
                    ("create", json!({ "content": text, "overwrite": true }))
                }
            };
            params["path"] = json!(note);
            made += usize::from(call(&helper, command, params).success);
        }
        let before = lines_of(&files(&world));
        while let Some(draft) = waiting(&world).first() {
            let file = random.pick(&draft.files);
            let accept = random.percent(60);
            let hunk = *random.pick(&file.file.hunks);
            let single = random.percent(50);
            let hunks: &[usize] = if single { &[hunk] } else { &[] };
            let done = review(&world, &part(accept, draft, &file.file.path, hunks));
            let refused = !done.success && code(&done) == "DRAFT_CONFLICT";
            assert!(done.success || refused && single, "{seed}: {done:?}");
            accepted += usize::from(accept && done.success);
            let found = files(&world);
            assert_eq!(dead_links(&world), [""; 0], "{seed}: {found:#?}");
            let lines = lines_of(&found);
            let lost = &(&before - &lines) - &removed;
            assert_eq!(lost, BTreeSet::new(), "{seed}: {found:#?}");
        }
    }
    [made, accepted]
}

#[test]
fn i25_random_moves_of_text_that_are_accepted_in_part_lose_nothing() {
    let mut total = [0, 0];
    for seed in 0..8 {
        let [made, accepted] = moved_and_accepted_at_random(seed);
        total = [total[0] + made, total[1] + accepted];
    }
    assert!(total[0] > 40 && total[1] > 12, "{total:?}");
}
