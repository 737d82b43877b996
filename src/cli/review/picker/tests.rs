use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use uuid::Uuid;

use super::decisions::{Edited, Kept, Restored};
use super::list::WaitingApproval;
use super::session::{Outcome, Session};
use frontend::{Role, StyledLine};
use gateway::{
    ChangeGroup, ConflictSides, DraftedFile, GroupMember, GroupReason, Happening, PropertyChange,
    Review, ReviewWarning, WaitingDraft, WaitingFile, WarningReason,
};
use vault_engine::BondKind;

const CASES: &str = include_str!("cases.txt");

const SIZES: [(u16, u16); 3] = [(60, 16), (80, 24), (120, 40)];

fn file(path: &str, change: Happening, hunks: &[usize], diff: &str) -> WaitingFile {
    let count = |sign: char| diff.lines().filter(|line| line.starts_with(sign)).count();
    WaitingFile {
        file: DraftedFile {
            path: path.to_owned(),
            change,
            from: (change == Happening::Moved).then(|| format!("Old {path}")),
            hunks: hunks.to_vec(),
            conflict: false,
            findings: Vec::new(),
            diff: (!diff.is_empty()).then(|| diff.to_owned()),
            left_out: 0,
        },
        added: count('+'),
        removed: count('-'),
        warnings: Vec::new(),
        properties: Vec::new(),
        links_added: Vec::new(),
        links_removed: Vec::new(),
        conflict_reason: None,
        sides: Vec::new(),
    }
}

fn draft(files: Vec<WaitingFile>) -> WaitingDraft {
    WaitingDraft {
        draft: Uuid::nil(),
        agent: Some("helper".to_owned()),
        client: Some("Claude Code 2.1".to_owned()),
        created: "2026-11-28T09:00:00Z".to_owned(),
        changed: "2026-11-28T09:00:00Z".to_owned(),
        state: "0123456789abcdef".to_owned(),
        waiting: files.len(),
        groups: Vec::new(),
        files,
    }
}

fn warning(hunk: Option<usize>, line: Option<usize>, reason: WarningReason) -> ReviewWarning {
    ReviewWarning { hunk, line, reason }
}

const PARAGRAPHS: &str = include_str!("paragraphs.txt");

fn normal() -> WaitingDraft {
    let mut plan = file("Projects/Plan.md", Happening::Modified, &[1, 2], PARAGRAPHS);
    plan.properties.push(PropertyChange {
        name: "status".to_owned(),
        before: Some("\"open\"".to_owned()),
        after: Some("\"done\"".to_owned()),
    });
    plan.links_added.push("[[Room]]".to_owned());
    let log = file(
        "Log.md",
        Happening::Created,
        &[0],
        "@@ -0,0 +1,2 @@ hunk 1\n+# Log\n+First entry.\n",
    );
    draft(vec![log, plan])
}

fn warned() -> WaitingDraft {
    let mut plan = file("Plan.md", Happening::Modified, &[1, 2], PARAGRAPHS);
    plan.warnings.push(warning(
        Some(2),
        Some(14),
        WarningReason::LongWebLinks { count: 1 },
    ));
    let mut gone = file(
        "Gone.md",
        Happening::Trashed,
        &[0],
        "@@ -1 +0,0 @@ hunk 1\n-All of it.\n",
    );
    gone.warnings
        .push(warning(None, None, WarningReason::Trashed));
    let log = file(
        "Log.md",
        Happening::Created,
        &[0],
        "@@ -0,0 +1 @@ hunk 1\n+# Log\n",
    );
    draft(vec![gone, log, plan])
}

fn group() -> WaitingDraft {
    let links =
        "@@ -3 +3 @@ hunk 1\n-See [[Old New.md]].\n+See [[New]].\n@@ -9 +9 @@ hunk 2\n-one\n+two\n";
    let mut moved = draft(vec![
        file("Index.md", Happening::Modified, &[1, 2], links),
        file("New.md", Happening::Moved, &[0], ""),
    ]);
    let member = |note: &str, hunk| GroupMember {
        note: note.to_owned(),
        hunks: BTreeSet::from([hunk]),
    };
    moved.groups.push(ChangeGroup {
        id: "New.md".to_owned(),
        because: vec![GroupReason {
            reason: BondKind::Renamed,
            from: "Old New.md".to_owned(),
            to: "New.md".to_owned(),
        }],
        members: vec![member("Index.md", 1), member("New.md", 0)],
    });
    moved
}

fn conflict() -> WaitingDraft {
    let mut plan = file(
        "Plan.md",
        Happening::Modified,
        &[1],
        "@@ -1 +1 @@ hunk 1\n-one\n+ONE\n",
    );
    plan.file.conflict = true;
    plan.conflict_reason = Some("the same lines were changed in the vault".to_owned());
    plan.sides.push(ConflictSides {
        line: 1,
        base: "one\n".to_owned(),
        draft: "ONE\n".to_owned(),
        vault: "1\n".to_owned(),
    });
    draft(vec![plan])
}

fn long() -> WaitingDraft {
    let lines: String = (1..=5000)
        .map(|line| format!("+Line {line} of a long note.\n"))
        .collect();
    let diff = format!("@@ -0,0 +1,5000 @@ hunk 1\n{lines}");
    draft(vec![file(
        "A folder/with/quite/a/long/path/to/the note.md",
        Happening::Created,
        &[0],
        &diff,
    )])
}

fn approval() -> WaitingApproval {
    WaitingApproval {
        id: "k3x9".to_owned(),
        title: "delete, for agent `helper`".to_owned(),
        lines: vec![
            StyledLine::new(Role::Plain, "delete path=Old.md"),
            StyledLine::new(Role::Removed, "-Everything in it"),
        ],
    }
}

fn session(draft: WaitingDraft) -> Session {
    Session::new(vec![draft], Vec::new(), Kept::new()).0
}

fn screen(session: &mut Session, (columns, rows): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| session.draw(frame, false)).unwrap();
    let mut text = String::new();
    for row in terminal
        .backend()
        .buffer()
        .content()
        .chunks(usize::from(columns))
    {
        let mut at = 0;
        while let Some(cell) = row.get(at) {
            text += cell.symbol();
            at += cell.symbol().width().max(1);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// Presses keys, each after the screen was drawn.
fn press(session: &mut Session, keys: &str) -> Outcome {
    let mut outcome = Outcome::Stay;
    for key in keys.chars() {
        screen(session, (80, 24));
        let code = match key {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '<' => KeyCode::Esc,
            'v' => KeyCode::Down,
            '^' => KeyCode::Up,
            other => KeyCode::Char(other),
        };
        outcome = session.key_pressed(KeyEvent::from(code));
        if outcome == Outcome::Plan {
            let reviews = session.reviews();
            let planned = reviews.iter().flat_map(|review| {
                let (draft, _) = session.named((0, 0)).unwrap();
                draft.warnings_about(&review.notes)
            });
            let lines = planned.map(|(file, warning)| warning.line_about(&file.file.path));
            let lines: Vec<String> = lines.collect();
            session.ask_to_finish(&lines);
            outcome = Outcome::Stay;
        }
    }
    outcome
}

/// Presses keys and carries the decisions out.
fn carried_out(session: &mut Session, keys: &str) -> Vec<Review> {
    assert_eq!(
        press(session, &format!("{keys}f vvvvvvvvy")),
        Outcome::CarryOut,
        "{}",
        screen(session, (80, 24))
    );
    session.reviews()
}

fn hunks(of: &[(&str, &[usize])]) -> BTreeMap<String, BTreeSet<usize>> {
    let notes = of
        .iter()
        .map(|(note, hunks)| ((*note).to_owned(), hunks.iter().copied().collect()));
    notes.collect()
}

/// The screens of a draft after these keys, at all sizes.
fn screens(draft: &WaitingDraft, keys: &str) -> String {
    let screens = SIZES.map(|size| {
        let mut session = session(draft.clone());
        press(&mut session, keys);
        format!("{}x{}\n{}", size.0, size.1, screen(&mut session, size))
    });
    screens.join("\n")
}

#[test]
fn screen_of_a_list() {
    insta::assert_snapshot!("list", screens(&normal(), ""));
}

#[test]
fn screen_of_a_change() {
    insta::assert_snapshot!("change", screens(&normal(), "vv\nan"));
}

#[test]
fn screen_of_a_warning() {
    insta::assert_snapshot!("warning", screens(&warned(), ""));
    insta::assert_snapshot!("confirm", screens(&warned(), "a"));
    insta::assert_snapshot!("finish", screens(&warned(), "ay\tggavvvvvf"));
}

#[test]
fn screen_of_a_move_with_its_links() {
    insta::assert_snapshot!("group", screens(&group(), "\n"));
}

#[test]
fn screen_of_a_conflict() {
    insta::assert_snapshot!("conflict", screens(&conflict(), "a\n"));
}

#[test]
fn screen_of_a_long_note() {
    insta::assert_snapshot!("long", screens(&long(), "\nG"));
}

#[test]
fn screen_of_the_help() {
    insta::assert_snapshot!("help", screens(&normal(), "?"));
}

#[test]
fn every_size_has_a_screen_and_the_keys() {
    for columns in (20..130).step_by(11).chain(58..62) {
        for rows in (5..45).step_by(6).chain(15..18) {
            for keys in ["", "?", "a\n", "af", "c"] {
                let mut session = session(warned());
                press(&mut session, keys);
                let screen = screen(&mut session, (columns, rows));
                let is_large = columns >= 60 && rows >= 16;
                assert_eq!(
                    screen.contains("too"),
                    !is_large,
                    "{columns}x{rows}\n{screen}"
                );
                assert!(
                    !is_large || !keys.is_empty() || screen.contains("? help"),
                    "{screen}"
                );
            }
        }
    }
}

#[test]
fn hunks_notes_and_drafts_are_accepted_and_rejected() {
    let (log, plan) = ("Log.md", "Projects/Plan.md");
    let one = &carried_out(&mut session(normal()), "vv\nar")[0];
    assert!(one.accept);
    assert_eq!(one.notes, hunks(&[(plan, &[1])]));
    assert_eq!(one.rejected, hunks(&[(plan, &[2])]));
    assert_eq!(one.state.as_deref(), Some("0123456789abcdef"));
    let all = &carried_out(&mut session(normal()), "ga")[0];
    assert_eq!(all.notes, hunks(&[(log, &[0]), (plan, &[1, 2])]));
    let none = &carried_out(&mut session(normal()), "gr")[0];
    assert!(!none.accept);
    assert_eq!(none.notes, hunks(&[(log, &[0]), (plan, &[1, 2])]));
    // Pressed twice on a heading, it changes nothing more.
    let mut twice = session(normal());
    press(&mut twice, "gaa");
    assert_eq!(twice.decided(), 2 + 1);
    press(&mut twice, "u");
    assert_eq!(twice.decided(), 0);
    // A heading leaves what is decided below it.
    for (keys, is_accepted) in [("rga", false), ("agr", true)] {
        let mixed = &carried_out(&mut session(normal()), keys)[0];
        let (first, rest) = (hunks(&[(log, &[0])]), hunks(&[(plan, &[1, 2])]));
        let expected = if is_accepted {
            (first, rest)
        } else {
            (rest, first)
        };
        assert_eq!(
            (mixed.notes.clone(), mixed.rejected.clone()),
            expected,
            "{keys}"
        );
    }
}

#[test]
fn keys_typed_before_another_question_is_drawn_are_not_about_it() {
    for (keys, is_new) in tables::typed::<(&str, bool)>(CASES, "keys typed before another question")
    {
        let mut session = session(if keys == "Gkka" { warned() } else { normal() });
        press(&mut session, keys);
        assert_eq!(session.has_new_question(), is_new, "{keys}");
        assert!(!session.has_new_question());
    }
    let mut commenting = session(normal());
    press(&mut commenting, "rc");
    let shown = screen(&mut commenting, (80, 24));
    assert!(shown.contains("Comment on Projects/Plan.md"), "{shown}");
}

#[test]
fn a_comment_goes_with_the_answer_and_paste_presses_no_key() {
    let mut session = session(normal());
    press(&mut session, "vv\n");
    session.pasted("afy");
    assert_eq!(session.decided(), 0);
    press(&mut session, "ckeep");
    session.pasted(" the\nroom");
    press(&mut session, "\nr");
    let review = &carried_out(&mut session, "")[0];
    let comments = BTreeMap::from([(
        ("Projects/Plan.md".to_owned(), 1),
        "keep the room".to_owned(),
    )]);
    assert_eq!(review.comments, comments);
    assert_eq!(review.notes, hunks(&[("Projects/Plan.md", &[1])]));
}

#[test]
fn a_decision_is_undone() {
    let mut session = session(normal());
    press(&mut session, "vv\nau");
    assert_eq!(session.decided(), 0);
    press(&mut session, "u");
    assert!(screen(&mut session, (80, 24)).contains("nothing to undo"));
}

#[test]
fn a_warning_is_confirmed_by_itself_and_named_in_the_last_question() {
    let mut session = session(warned());
    // All of the draft: what has a warning is left.
    press(&mut session, "ga");
    assert_eq!(session.decided(), 1);
    assert!(screen(&mut session, (80, 24)).contains("Decide on 2 entries one by one"));
    press(&mut session, "f");
    assert!(screen(&mut session, (80, 24)).contains("You did not see all of 1 file: Log.md"));
    // A note with a warning asks, and Esc lets it wait.
    press(&mut session, "<vva");
    assert!(screen(&mut session, (80, 24)).contains(
        "Gone.md: The change moves the note to the \
        trash."
    ));
    press(&mut session, "<");
    assert_eq!(session.decided(), 1);
    press(&mut session, "ay");
    assert_eq!(session.decided(), 2);
    press(&mut session, "f");
    let question = screen(&mut session, (80, 24));
    assert!(
        question.contains("! Gone.md: The change moves the note to the trash."),
        "{question}"
    );
    // The hunk without a warning asks nothing.
    let mut harmless = super::tests::session(warned());
    press(&mut harmless, "G\na");
    assert_eq!(harmless.decided(), 1);
    press(&mut harmless, "a");
    assert_eq!(harmless.decided(), 1);
    press(&mut harmless, "y");
    assert_eq!(harmless.decided(), 2);
}

#[test]
fn a_question_is_answered_only_after_its_end_was_shown() {
    let mut many = warned();
    many.files[0].warnings = (1..60)
        .map(|line| warning(None, Some(line), WarningReason::LongWebLinks { count: 1 }))
        .collect();
    let mut session = session(many);
    press(&mut session, "ay");
    assert_eq!(session.decided(), 0);
    assert!(screen(&mut session, (80, 24)).contains("below"));
    press(&mut session, "          y");
    assert_eq!(session.decided(), 1);
}

#[test]
fn a_group_is_decided_as_one_also_by_one_of_its_changes() {
    for keys in ["a", "\na", "\nna", "\nra"] {
        let both = &carried_out(&mut session(group()), keys)[0];
        assert!(both.accept && both.rejected.is_empty(), "{keys:?}");
        assert_eq!(both.notes, hunks(&[("Index.md", &[1]), ("New.md", &[0])]));
    }
}

#[test]
fn a_conflict_and_what_is_not_shown_cannot_be_accepted() {
    let mut session = session(conflict());
    press(&mut session, "a\na");
    assert_eq!(session.decided(), 0);
    assert!(screen(&mut session, (80, 24)).contains("cannot be accepted"));
    press(&mut session, "r");
    assert_eq!(session.decided(), 1);
    let mut cut = normal();
    cut.files[1].file.left_out = 1;
    cut.files[1].file.hunks = vec![1, 2, 3];
    let mut cut = super::tests::session(cut);
    press(&mut cut, "ga");
    assert_eq!(cut.decided(), 1);
    press(&mut cut, "vvvv\naaa");
    assert_eq!(cut.decided(), 3);
    assert!(screen(&mut cut, (80, 24)).contains("too large to be shown"));
}

#[test]
fn the_person_s_own_text_is_accepted_as_a_whole() {
    let mut session = session(normal());
    let Outcome::Edit(place) = press(&mut session, "vv\ne") else {
        panic!("no edit");
    };
    session.put_edited(place, Some(Edited::new("theirs\n", "mine\n".to_owned())));
    assert!(screen(&mut session, (80, 24)).contains("+ mine"));
    let kept = session.kept();
    let (mut again, restored) = Session::new(vec![normal()], Vec::new(), kept);
    assert!(restored.notices.is_empty() && restored.outdated.is_empty());
    for session in [&mut session, &mut again] {
        let review = &carried_out(session, "")[0];
        assert_eq!(review.notes, hunks(&[("Projects/Plan.md", &[1, 2])]));
        assert_eq!(
            review.edited,
            BTreeMap::from([("Projects/Plan.md".to_owned(), "mine\n".to_owned())])
        );
    }
    // A hunk of it is not decided by itself, and the text comes back with `u`.
    press(&mut session, "r");
    assert!(session.reviews()[0].edited.is_empty());
    press(&mut session, "u");
    assert!(!session.reviews()[0].edited.is_empty());
    press(&mut session, "u");
    assert!(session.reviews().is_empty());
}

#[test]
fn an_edited_text_with_warnings_is_accepted_after_a_question() {
    for (answer, accepted) in [("y", 1), ("<", 0)] {
        let mut session = session(warned());
        let Outcome::Edit(place) = press(&mut session, "G\ne") else {
            panic!("no edit");
        };
        session.put_edited(place, Some(Edited::new("theirs\n", "mine\n".to_owned())));
        assert!(session.reviews().is_empty());
        assert!(screen(&mut session, (80, 24)).contains("Accept this?"));
        press(&mut session, answer);
        assert_eq!(session.reviews().len(), accepted);
        assert!(session.decisions.edited(place).is_some());
    }
}

/// A session with these decisions, which were stored and are taken up again for this draft.
fn again(mut session: Session, draft: WaitingDraft) -> (Session, Restored) {
    let bytes = serde_json::to_vec(&session.kept()).unwrap();
    let kept = serde_json::from_slice::<Kept>(&bytes).unwrap();
    Session::new(vec![draft], Vec::new(), kept)
}

/// The normal draft after the agent changed the plan in it.
fn changed() -> WaitingDraft {
    let mut draft = normal();
    draft.state = "other".to_owned();
    draft.files[1].file.diff = Some(PARAGRAPHS.replace("large", "huge"));
    draft
}

#[test]
fn decisions_are_kept_as_far_as_the_files_are_the_same_and_the_others_are_named() {
    let decided = || {
        let mut session = session(normal());
        press(&mut session, "aa");
        session
    };
    let (session, restored) = again(decided(), normal());
    assert_eq!((session.decided(), restored.notices.len()), (3, 0));
    let (session, restored) = again(decided(), changed());
    assert_eq!(session.decided(), 1);
    let named =
        "The draft changed after your decision. Decide again on Projects/Plan.md, changes 1, 2.";
    assert_eq!(restored.notices, [named]);
    let mut gone = normal();
    gone.state = "other".to_owned();
    gone.files.remove(0);
    let (session, restored) = again(decided(), gone);
    assert_eq!(session.decided(), 2);
    assert_eq!(restored.notices, ["The draft no longer contains Log.md."]);
}

#[test]
fn what_was_seen_stays_seen() {
    let mut session = session(normal());
    press(&mut session, "vv\na<a");
    let (mut again, _) = again(session, normal());
    press(&mut again, "f");
    assert!(!screen(&mut again, (80, 24)).contains("did not see"));
    // Accepted without a look at it.
    let mut unseen = super::tests::session(normal());
    press(&mut unseen, "ga");
    let (mut unseen, _) = super::tests::again(unseen, normal());
    press(&mut unseen, "f");
    let screen = screen(&mut unseen, (80, 24));
    assert!(
        screen.contains("You did not see all of 1 file: Projects/Plan.md"),
        "{screen}"
    );
}

#[test]
fn nothing_that_a_person_wrote_is_lost_if_the_agent_changes_the_note() {
    let written = || {
        let mut session = session(normal());
        let Outcome::Edit(place) = press(&mut session, "vv\ne") else {
            panic!("no edit")
        };
        session.put_edited(place, Some(Edited::new("theirs\n", "mine\n".to_owned())));
        press(&mut session, "ctoo loud\n<gcfirst\n");
        (session, place)
    };
    // The note waits with another text.
    let (session, place) = written();
    let (session, restored) = again(session, changed());
    assert_eq!(session.decided(), 0);
    assert_eq!(restored.outdated, [place]);
    assert_eq!(session.decisions.edited(place).unwrap().text, "mine\n");
    let comments: Vec<_> = (0..3).map(|item| session.decisions.comment(item)).collect();
    assert_eq!(comments, [Some("first"); 3]);
    assert!(restored.written.is_empty());
    // The note, or its draft, no longer waits.
    for is_draft_gone in [false, true] {
        let mut other = changed();
        if is_draft_gone {
            other.draft = Uuid::max();
        } else {
            other.files.truncate(1);
        }
        let (_, restored) = again(written().0, other);
        let plan = |text: &str| ("Projects/Plan.md".to_owned(), text.to_owned());
        for text in ["mine\n", "first\nfirst"] {
            assert!(
                restored.written.contains(&plan(text)),
                "{:?}",
                restored.written
            );
        }
    }
}

#[test]
fn a_text_that_did_not_land_with_its_note_is_left() {
    for (key, left) in [("", 0), ("r", 1)] {
        let mut session = session(normal());
        let Outcome::Edit(place) = press(&mut session, "vv\ne") else {
            panic!("no edit")
        };
        session.put_edited(place, Some(Edited::new("theirs\n", "mine\n".to_owned())));
        press(&mut session, key);
        let draft = session.reviews()[0].draft.clone();
        session.decisions.settle(&session.list, &draft);
        let mut other = changed();
        other.files.truncate(1);
        let (_, restored) = again(session, other);
        assert_eq!(restored.written.len(), left, "{key}");
        assert!(restored.notices.is_empty(), "{key}: {:?}", restored.notices);
    }
}

#[test]
fn approvals_are_answered_in_the_same_place() {
    let mut session = Session::new(vec![normal()], vec![approval()], Kept::new()).0;
    assert!(screen(&mut session, (80, 24)).contains("Everything in it"));
    press(&mut session, "a");
    assert_eq!(session.answers(), []);
    press(&mut session, "y");
    assert_eq!(session.answers(), [("k3x9".to_owned(), true)]);
    let mut denied = Session::new(Vec::new(), vec![approval()], Kept::new()).0;
    press(&mut denied, "r");
    assert_eq!(denied.answers(), [("k3x9".to_owned(), false)]);
    // Only calls wait, and nobody has decided about a draft.
    assert!(denied.reviews().is_empty() && denied.kept().is_empty());
}

#[test]
fn leaving_is_always_possible() {
    for keys in ["", "?", "a", "c", "af"] {
        let mut session = session(warned());
        press(&mut session, keys);
        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(session.key_pressed(control_c), Outcome::Leave, "{keys}");
    }
    // The comment that was typed stays.
    let mut typing = session(normal());
    press(&mut typing, "cloud");
    typing.key_pressed(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(typing.decisions.comment(0), Some("loud"));
    assert_eq!(press(&mut session(warned()), "q"), Outcome::Leave);
}

#[test]
fn nothing_is_decided_in_a_window_that_is_too_small() {
    for keys in ["", "a", "\n", "af"] {
        let mut session = session(normal());
        press(&mut session, keys);
        let before = session.reviews();
        for key in "arcaefy".chars() {
            screen(&mut session, (59, 15));
            let outcome = session.key_pressed(KeyEvent::from(KeyCode::Char(key)));
            assert_eq!(outcome, Outcome::Stay, "{keys} {key}");
        }
        assert_eq!(session.reviews(), before, "{keys}");
        assert_eq!(
            session.key_pressed(KeyEvent::from(KeyCode::Char('q'))),
            Outcome::Leave
        );
    }
}

#[test]
fn changed_words_are_marked_without_colour() {
    let mut session = session(normal());
    press(&mut session, "vv\n");
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    terminal.draw(|frame| session.draw(frame, false)).unwrap();
    let cells = terminal.backend().buffer().content().iter();
    let marked = cells.filter(|cell| cell.modifier.contains(Modifier::UNDERLINED));
    let marked: String = marked.map(ratatui::buffer::Cell::symbol).collect();
    assert_eq!(marked, "MondaysmallTuesdaylarge");
}

#[test]
fn a_long_name_is_shortened_in_the_list_and_whole_in_the_change() {
    let name = format!("first {} last.md", "x".repeat(200));
    let diff = "@@ -0,0 +1 @@ hunk 1\n+a\n";
    let mut session = session(draft(vec![file(&name, Happening::Created, &[0], diff)]));
    let list: Vec<String> = screen(&mut session, (80, 24))
        .lines()
        .map(|row| row.chars().take_while(|letter| *letter != '│').collect())
        .collect();
    let rows = list.iter().filter(|row| row.contains("xxx")).count();
    assert!(
        rows <= 3 && list.iter().any(|row| row.trim() == "…"),
        "{list:#?}"
    );
    assert!(list.iter().any(|row| row.contains("last.md")), "{list:#?}");
    let rows = all_rows(&mut session, (60, 16)).replace(['\n', ' '], "");
    assert!(rows.contains(&name.replace(' ', "")), "{rows}");
}

/// Everything of the change, scrolled through row by row.
fn all_rows(session: &mut Session, size: (u16, u16)) -> String {
    let mut all = String::new();
    press(session, "\n");
    for _ in 0..400 {
        let screen = screen(session, size);
        for row in screen.lines() {
            let text: String = row.chars().skip(3).collect();
            all += text.trim_end();
            all.push('\n');
        }
        session.key_pressed(KeyEvent::from(KeyCode::Down));
    }
    all
}

#[test]
fn text_behind_spaces_and_characters_without_width_are_shown() {
    let line = format!(
        "+harmless{}SECRET\u{200b}\u{202e}end\u{301}",
        " ".repeat(400)
    );
    let diff = format!("@@ -0,0 +1,2 @@ hunk 1\n{line}\n+\u{301}first\n");
    let mut session = session(draft(vec![file(
        "a\u{200b}.md",
        Happening::Created,
        &[0],
        &diff,
    )]));
    let rows = all_rows(&mut session, (60, 16));
    for shown in [
        "harmless",
        "SECRET\\u{200b}\\u{202e}end\u{301}",
        "◌\u{301}first",
        "a\\u{200b}.md",
    ] {
        assert!(rows.contains(shown), "{shown} in {rows}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every change that can be accepted is visible.
    #[test]
    fn every_changed_character_is_on_the_screen(
        removed in "[a-c 漢é\u{301}]{0,150}", added in "[a-c 漢é\u{301}]{0,150}", columns in 60_u16..130, rows in 16_u16..40,
    ) {
        let diff = format!("@@ -1 +1 @@ hunk 1\n-{removed}\n+{added}\n");
        let mut session = session(draft(vec![file("a.md", Happening::Modified, &[1], &diff)]));
        press(&mut session, "\n");
        let screen = screen(&mut session, (columns, rows.max(30)));
        let list = if columns < 76 { 0 } else { usize::from((columns / 3).clamp(26, 44)) + 1 };
        let of = |sign: char| -> String {
            let rows = screen.lines().filter_map(|row| {
                let row: String = row.chars().scan(0, |at, letter| {
                    *at += letter.width().unwrap_or(0);
                    Some((*at, letter))
                }).filter(|(at, _)| *at > list).map(|(_, letter)| letter).collect();
                let text = row.strip_prefix(['▌', ' '])?.strip_prefix(sign)?;
                Some(text.to_owned())
            });
            rows.collect::<String>().chars().filter(|letter| !matches!(letter, ' ' | '·' | '◌')).collect()
        };
        let solid = |text: &str| text.replace(' ', "");
        prop_assert_eq!(of('-'), solid(&removed));
        prop_assert_eq!(of('+'), solid(&added));
    }
}
