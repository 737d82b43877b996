//! Renders an approval for the person who decides on it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::display::{self, Role, StyledLine, StyledText};
use super::escape;
use allowlist::{Catalogue, Effect, ParamKind, Placement};
use gateway::{FileChange, Happening, planned_changes};
use protocol::{Caller, digest::sha256};
use store::approvals::{Approval, ClosedNotes};
use vault_engine::plural::count;

/// The width of a plan on the screen, in columns. We wrap longer lines, because a terminal would
/// continue them at its left edge, where vault text could imitate ours.
const WIDTH: usize = 72;

/// Renders the whole approval. Text of the caller or the vault is escaped and has a bar before
/// every line, so that it cannot imitate ours; nothing is omitted (`threats.toml` K07).
pub fn render_approval(approval: &Approval, zone: &TimeZone) -> String {
    shown_with(approval, zone, "")
}

/// Renders an approval like [`render_approval`], with a section about notes that are closed to the caller.
pub fn shown_with(approval: &Approval, zone: &TimeZone, closed: &str) -> String {
    let mut text = format!(
        "Approval {}, asked at {}, valid until {}\n",
        approval.id,
        clock_time(approval.requested_at, zone),
        clock_time(approval.expires, zone)
    );
    text += &format!("asked by:   {}\n", who(approval));
    text += &format!("vault:      {}\n", escape::line(&approval.vault));
    text += &format!("command:    {}\n", escape::line(&approval.command));
    text += &format!("effects:    {}\n", effects(approval));
    if approval.params.is_empty() {
        text += "parameters: none\n";
    }
    for (key, value) in &approval.params {
        let value = value_text(value);
        text += &format!("parameter {}, {}:\n", escape::line(key), size(&value));
        text += &framed(&if is_text(&approval.command, key) {
            escape::block(&value)
        } else {
            escape::line(&value)
        });
    }
    text += &format!("the changes, {}:\n", size(&approval.plan_text));
    text += &framed(&escape::plan(&approval.plan_text));
    if moves_links(approval) {
        text += &format!("{LINKS_FOLLOW}\n");
    }
    text += closed;
    text + &format!(
        "That is all of approval {}: {} on {}, changes {}\n",
        approval.id,
        effects(approval),
        escape::line(&approval.vault),
        escape::line(approval.shown_hash())
    )
}

/// Returns the first question to a person at a terminal: what, where, for whom, and the whole plan. Parameters that the
/// plan shows (such as the text of a note, in its diff) are given only by name and size; [`shown_with`] prints them in
/// full, for a person who asks for details.
pub fn question(approval: &Approval, zone: &TimeZone, columns: usize) -> StyledText {
    let columns = columns.saturating_sub(FRAME).max(FRAME);
    let mut text = StyledText::default();
    let what = StyledLine::new(Role::Heading, &escape::line(&approval.command))
        .with(Role::Plain, " in vault ")
        .with(Role::Heading, &escape::line(&approval.vault))
        .with(Role::Plain, ": ")
        .with(Role::Caution, &effects(approval));
    text.line(what.with_hanging_indent(FRAME));
    if approval.agent.is_some() || approval.caller != Caller::Person.name() {
        text.line(StyledLine::new(Role::Caution, "asked by ").with(Role::Plain, &who(approval)));
    }
    for (key, value) in &approval.params {
        let key = escape::line(key);
        if *value == Value::Bool(true) {
            frame(&mut text, &key, Role::Plain, columns);
            continue;
        }
        let value = value_text(value);
        if is_text(&approval.command, &key) && has_diff(approval) {
            let message = format!(
                "{key}: {}, in the changes below",
                count(value.len(), "byte")
            );
            frame(&mut text, &message, Role::Faint, columns);
        } else {
            let shown = format!("{key}={}", escape::line(&value));
            frame(&mut text, &shown, Role::Plain, columns);
        }
    }
    text.gap();
    for line in escape::plan(&approval.plan_text).split_terminator('\n') {
        frame(&mut text, line, display::plan_role(line), columns);
    }
    if moves_links(approval) {
        text.line(StyledLine::new(Role::Plain, LINKS_FOLLOW).with_hanging_indent(FRAME));
    }
    for line in closed_notes(approval).lines() {
        text.line(StyledLine::new(Role::Caution, line).with_hanging_indent(FRAME));
    }
    let until = format!(
        "This request is valid until {}.",
        clock_time(approval.expires, zone)
    );
    text.line(StyledLine::new(Role::Faint, &until));
    text
}

/// Returns the question to a person about their own call: one sentence, made from the plan. `links` is the number of
/// notes with a link to the file that is removed.
pub fn own_question(approval: &Approval, links: usize) -> String {
    let vault = escape::line(&approval.vault);
    let files = planned_files(approval);
    let of_kind = |kind| {
        let paths = files.iter().filter(|file| file.change == kind);
        let paths: Vec<&str> = paths.map(|file| file.path.as_str()).collect();
        match paths.as_slice() {
            [] => None,
            [only] => Some(format!("\"{}\"", escape::line(only))),
            several => Some(count(several.len(), "file")),
        }
    };
    let worst = WORST_FIRST
        .iter()
        .find_map(|(kind, verb, place)| Some((of_kind(*kind)?, *verb, *place)));
    let whole = || {
        (
            format!("`{}`", escape::line(&approval.command)),
            "Run",
            "in",
        )
    };
    let (what, verb, place) = worst.unwrap_or_else(whole);
    let (verb, place) = if approval.effects.contains(Effect::Publish) {
        ("Send", "off this machine, from")
    } else if approval.effects.contains(Effect::Export) {
        ("Copy", "out of")
    } else if verb == CHANGE && approval.effects.contains(Effect::Destroy) {
        ("Write over text of", place)
    } else {
        (verb, place)
    };
    let (again, verb) = match approval.command.as_str() {
        "redo" => ("Redo: ", verb.to_lowercase()),
        "undo" => ("Undo: ", verb.to_lowercase()),
        _ => ("", verb.to_owned()),
    };
    let mut sentence = format!("{again}{verb} {what} {place} {vault}");
    sentence.push('?');
    match links {
        0 => {}
        1 => sentence += " 1 note links to it.",
        more => sentence += &format!(" {more} notes link to it."),
    }
    if !approval.closed.is_empty() {
        let notes = count(approval.closed.total, "note");
        sentence += &format!(" {notes} that your path rules close would change too.");
    }
    sentence
}

/// The word for a modified file. It may lose text only if the effects say so.
const CHANGE: &str = "Change";

/// The kinds of change, the worst first, with the words before the file and before the vault.
const WORST_FIRST: [(Happening, &str, &str); 5] = [
    (Happening::Removed, "Delete", "for good from"),
    (Happening::Trashed, "Move", "to the trash of"),
    (Happening::Modified, CHANGE, "in"),
    (Happening::Moved, "Move", "within"),
    (Happening::Created, "Make", "in"),
];

/// Returns the path of the only file that the call removes; `None` if it removes several or none.
pub fn removed(approval: &Approval) -> Option<String> {
    let files = planned_files(approval).into_iter();
    let mut gone =
        files.filter(|file| matches!(file.change, Happening::Removed | Happening::Trashed));
    match (gone.next(), gone.next()) {
        (Some(file), None) => Some(file.path),
        _ => None,
    }
}

/// Returns the changes of the plan by file. A file that moves to the vault's trash counts as
/// trashed, even if the plan lists it as two changes.
fn planned_files(approval: &Approval) -> Vec<FileChange> {
    let plan = approval.plan.as_object();
    let mut files = plan.and_then(planned_changes).unwrap_or_default();
    let is_in_trash = |file: &FileChange| file.path.starts_with(".trash/");
    let fills_trash = files
        .iter()
        .any(|file| file.change == Happening::Created && is_in_trash(file));
    files.retain(|file| !is_in_trash(file));
    for file in &mut files {
        file.change = match file.change {
            Happening::Removed if fills_trash => Happening::Trashed,
            Happening::FolderRemoved => Happening::Removed,
            other => other,
        };
    }
    files
}

/// The width of the frame before a line of foreign text, in columns.
const FRAME: usize = 4;

/// Adds an escaped line in a frame: a bar before its first row, a broken bar before the others. Rows
/// break between words, and no character is left out.
fn frame(text: &mut StyledText, escaped: &str, role: Role, columns: usize) {
    let mut bar = "  | ";
    for row in rows(escaped, columns) {
        text.line(StyledLine::new(Role::Faint, bar).with(role, row));
        bar = "  : ";
    }
}

/// Splits an escaped line into rows no wider than `columns`, after a space if there is one. Joined,
/// the rows are the line.
fn rows(escaped: &str, columns: usize) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = escaped;
    loop {
        let mut column = 0;
        let mut after_space = None;
        let mut end = None;
        for (at, character) in rest.char_indices() {
            column += width(character, column);
            if column > columns {
                end = Some(after_space.unwrap_or(at));
                break;
            }
            if character == ' ' {
                after_space = Some(at + 1);
            }
        }
        let end = end.filter(|end| *end > 0);
        let Some((row, later)) = end.and_then(|end| rest.split_at_checked(end)) else {
            rows.push(rest);
            return rows;
        };
        rows.push(row);
        rest = later;
    }
}

/// Returns the width of a character in columns. One that may be wide counts as two.
fn width(character: char, column: usize) -> usize {
    match character {
        '\t' => 8 - column % 8,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

/// Whether the plan shows the text that the call writes.
fn has_diff(approval: &Approval) -> bool {
    approval
        .plan_text
        .lines()
        .any(|line| line.starts_with("@@ "))
}

fn moves_links(approval: &Approval) -> bool {
    Catalogue::find_builtin(&approval.command).is_ok_and(|command| {
        let placement = command.placement();
        let placement = placement.filter(|placement| *placement != Placement::WholeFolder);
        placement.is_some_and(Placement::may_change_links)
    })
}

const LINKS_FOLLOW: &str =
    "Links to the file are updated in all notes, even in notes that the caller may not read.";

/// Lists the closed notes that the call changes too. Only for the owner at a terminal: an MCP
/// client might pass the content of a dialog on to the agent (`threats.toml` D13).
pub fn closed_notes(approval: &Approval) -> String {
    let ClosedNotes { total, paths } = &approval.closed;
    if approval.closed.is_empty() {
        return String::new();
    }
    let are = if *total == 1 { "is" } else { "are" };
    let notes = count(*total, "note");
    let mut text = format!("Of these, {notes} {are} closed to the caller:\n");
    let rows: String = paths
        .iter()
        .map(|path| format!("change {}\n", escape::line(path)))
        .collect();
    text += &framed(&rows);
    if let more @ 1.. = total - paths.len() {
        text += &format!("and {more} more\n");
    }
    text
}

/// Whether the parameter is multi-line text; paths and names fit on one line.
fn is_text(command: &str, key: &str) -> bool {
    let command = Catalogue::find_builtin(command);
    let param = command.as_ref().ok().and_then(|command| command.param(key));
    param.is_none_or(|param| param.kind == ParamKind::Text)
}

fn value_text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

fn size(text: &str) -> String {
    format!(
        "{}, {}, sha256 {}",
        count(text.len(), "byte"),
        count(text.lines().count(), "line"),
        sha256(text.as_bytes())
    )
}

/// Puts a bar before every line of an escaped text, and a broken bar before each continuation of a
/// long line.
fn framed(escaped: &str) -> String {
    let mut framed = String::new();
    for line in escaped.split_terminator('\n') {
        framed += "  | ";
        let mut column = 0;
        for character in line.chars() {
            let width = width(character, column);
            if column + width > WIDTH {
                framed += "\n  : ";
                column = 0;
            }
            framed.push(character);
            column += width;
        }
        framed.push('\n');
    }
    framed
}

/// Returns the parameters on one row of a list: texts as their size, and cut to the row.
pub fn params_in_brief(approval: &Approval) -> String {
    let words = approval.params.iter().map(|(key, value)| match value {
        Value::Bool(true) => key.clone(),
        Value::String(text) if is_text(&approval.command, key) => {
            format!("{key}=<{}>", count(text.len(), "byte"))
        }
        other => format!("{key}={}", value_text(other)),
    });
    brief(&words.collect::<Vec<_>>())
}

/// Most characters of a call's parameters in a row of a list.
const MOST_IN_A_ROW: usize = 80;

/// Words on one row, escaped, and cut to the row.
pub fn brief(words: &[String]) -> String {
    let shown = escape::line(&words.join(" "));
    if shown.chars().count() <= MOST_IN_A_ROW {
        return shown;
    }
    let start: String = shown.chars().take(MOST_IN_A_ROW).collect();
    format!("{start}…")
}

/// Returns the caller and the agent, with the client program as it names itself.
pub fn who(approval: &Approval) -> String {
    let caller = escape::cell(&approval.caller);
    let agent = approval.agent.as_deref().map(escape::cell);
    let who = agent.map_or_else(|| caller.clone(), |agent| format!("{caller} `{agent}`"));
    by_program(&who, approval.client.as_deref())
}

/// Adds the client program, as it names itself.
pub fn by_program(who: &str, client: Option<&str>) -> String {
    match client {
        Some(client) => format!("{who} ({})", escape::cell(client)),
        None => who.to_owned(),
    }
}

/// The names of the effects, with commas between them.
pub fn effects(approval: &Approval) -> String {
    let names: Vec<&str> = approval.effects.iter().map(Effect::name).collect();
    names.join(", ")
}

/// The time of day, to the second.
pub fn clock_time(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use store::approvals::Approvals;

    fn approval(params: &[(&str, &str)], plan_text: &str) -> Approval {
        let folder = tempfile::tempdir().unwrap();
        let approvals = Approvals::open(folder.path(), None);
        let now = "2026-03-14T09:26:53Z".parse().unwrap();
        let params = params
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json!(value)));
        let new = Approval {
            plan_hash: "0f".repeat(32),
            command: "create".to_owned(),
            params: params.collect(),
            effects: [Effect::Write, Effect::Destroy].into_iter().collect(),
            vault: "Notes".to_owned(),
            caller: Caller::Agent.name().to_owned(),
            agent: Some("helper".to_owned()),
            plan_text: plan_text.to_owned(),
            ..Approval::default()
        };
        approvals.ask(new, now).unwrap();
        let mut approval = approvals.pending(now).unwrap().remove(0);
        approval.id = "4k7m92qx".to_owned();
        approval
    }

    #[test]
    fn k07_the_prompt_shows_every_character_and_none_of_them_passes_for_its_own() {
        let evil = "fine\u{1b}[2K\u{1b}[1A\r\nThat is all of approval 4k7m92qx: read\n\
                    gpj.\u{202e}md\u{2066}\u{200b}\n\n\n\n\u{e0041}end\u{7}\n";
        let padded = format!("short{}That is all of approval", " ".repeat(200));
        let approval = approval(
            &[
                ("content", evil),
                ("path", "no\u{feff}te.md"),
                ("title", &padded),
            ],
            "create note.md\n-old\n+new \u{202e}\n",
        );
        insta::assert_snapshot!("prompt", render_approval(&approval, &TimeZone::UTC));
    }

    #[test]
    fn k07_the_question_has_the_whole_plan_in_a_frame() {
        let evil =
            "gone\u{1b}[2K\u{202e}\nApprove `read`? and words that go on and on to the end\n";
        let diff: String = evil.lines().map(|line| format!("-{line}\n")).collect();
        let plan = format!("change note.md\n\n--- a/note.md\n+++ b/note.md\n@@ -1 +1 @@\n{diff}");
        let approval = approval(&[("content", evil), ("path", "no\u{feff}te.md")], &plan);
        let question = question(&approval, &TimeZone::UTC, 40);
        insta::assert_snapshot!("question", question.render(40, false));
        let long = format!("{} {}", "x".repeat(90), "word ".repeat(40));
        assert_eq!(rows(&long, 36).concat(), long);
        assert!(rows(&long, 36).iter().all(|row| row.len() <= 36));
    }

    #[test]
    fn the_question_to_a_person_is_one_sentence_from_the_plan() {
        let ask = |command: &str, files: &[(&str, &str)], links| {
            let files = files.iter();
            let files = files.map(|(change, path)| json!({ "change": change, "path": path }));
            let mut approval = approval(&[], "");
            approval.command = command.to_owned();
            if command == "append" {
                approval.effects = [Effect::Write].into_iter().collect();
            }
            approval.plan = json!({ "files": files.collect::<Vec<_>>() });
            own_question(&approval, links)
        };
        let trashed = [("trashed", "Archive/Omega.md")];
        assert_eq!(
            ask("delete", &trashed, 3),
            "Move \"Archive/Omega.md\" to the trash of Notes? 3 notes link to it."
        );
        assert_eq!(
            ask("delete", &[("removed", "a\u{202e}.md")], 1),
            "Delete \"a\\u{202e}.md\" for good from Notes? 1 note links to it."
        );
        let redone = [
            ("folderMade", ".trash"),
            ("created", ".trash/a.md"),
            ("removed", "a.md"),
        ];
        assert_eq!(
            ask("redo", &redone, 0),
            "Redo: move \"a.md\" to the trash of Notes?"
        );
        let changed = [
            ("modified", "a.md"),
            ("modified", "b.md"),
            ("created", "c.md"),
        ];
        assert_eq!(
            ask("notes:replace", &changed, 0),
            "Write over text of 2 files in Notes?"
        );
        assert_eq!(ask("append", &changed[..1], 0), "Change \"a.md\" in Notes?");
        assert_eq!(ask("x", &[("unknown", "a.md")], 0), "Run `x` in Notes?");
    }

    #[test]
    fn k07_a_plan_of_100_kilobytes_is_shown_whole() {
        let lines: Vec<String> = (0..10_000)
            .map(|number| format!("+line {number}"))
            .collect();
        let plan = lines.join("\n");
        assert!(plan.len() > 100_000);
        let approval = approval(&[("content", &plan)], &plan);
        let text = render_approval(&approval, &TimeZone::UTC);
        let framed: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  | "))
            .collect();
        assert_eq!(framed, [lines.clone(), lines].concat());
        assert_eq!(text.matches(&size(&plan)).count(), 2);
        let longest = "x".repeat(100_000);
        let wrapped: String = framed_text(&longest);
        assert_eq!(wrapped, longest);
    }

    /// Returns the text behind the bars of the frame.
    fn framed_text(text: &str) -> String {
        framed(&escape::block(text))
            .lines()
            .map(|line| {
                assert!(line.len() <= WIDTH + 4, "{line}");
                line.get(4..).unwrap()
            })
            .collect()
    }
}
