//! Changes on Windows: what they leave in the folder, and that they can be taken back.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use fake_obsidian::home::copy_folder;
use serde_json::{Value, json};

use super::Found;
use super::desk::{Desk, code, expect, request};
use crate::Fault;
use crate::everyday::client::Client;

const OPEN: &str = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n";

/// Every file of a folder, by its path.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes of every kind, equal to those of Linux, and undone to the last byte.
pub(super) fn write_and_undo(desk: &Desk) -> Found {
    desk.set(OPEN)?;
    let notes = [
        (
            "Home.md",
            "# Home\n\n- [ ] task\n[[Plan]] and [[Sub/Plan|a plan]]\n",
        ),
        (
            "Sub/Plan.md",
            "---\nstatus: new\n---\n# Plan\n\nBack to [[Home]].\n",
        ),
        ("Sub/日本 é.md", "text\n"),
    ];
    let changes = [
        request(
            "create",
            &json!({ "path": "New/Deep/Note.md", "content": "one\ntwo" }),
        ),
        request("append", &json!({ "path": "Home.md", "content": "last" })),
        request(
            "prepend",
            &json!({ "path": "Sub/Plan.md", "content": "first" }),
        ),
        request(
            "property:set",
            &json!({ "path": "Sub/Plan.md", "name": "status", "value": "done" }),
        ),
        request(
            "task",
            &json!({ "path": "Home.md", "line": 3, "toggle": true }),
        ),
        request(
            "rename",
            &json!({ "path": "Sub/日本 é.md", "name": "Umlaut ü" }),
        ),
        request(
            "move",
            &json!({ "path": "Sub/Plan.md", "to": "New/Plan.md" }),
        ),
    ];
    let vault = desk.vault(r"C:\vaults\write", &notes)?;
    let twin = desk.vault(r"C:\vaults\twin", &notes)?;
    let before = files(&vault)?;
    let answers = desk.call(&["--vault", r"C:\vaults\write"], &changes)?;
    let twin_path = twin.to_str().unwrap_or_default();
    let on_linux = desk.call_on_linux(OPEN, &["--vault", twin_path], &changes)?;
    for (request, (answer, other)) in changes.iter().zip(answers.iter().zip(&on_linux)) {
        expect(answer, "OK", &request.to_string())?;
        expect(other, "OK", &request.to_string())?;
    }
    if files(&vault)? != files(&twin)? {
        return Err("the folders differ from those that Linux left".into());
    }
    for _ in &changes {
        let undone = desk.envelope(["--vault", r"C:\vaults\write", "undo"])?;
        expect(&undone, "OK", "undo")?;
    }
    if files(&vault)? == before {
        let changes = changes.len();
        Ok(format!(
            "{changes} changes, as on Linux, undone byte for byte"
        ))
    } else {
        Err("the folder is not as it was".into())
    }
}

/// Notes with carriage returns, and a byte order mark.
pub(super) fn carriage_returns(desk: &Desk) -> Found {
    desk.set(OPEN)?;
    let notes = [
        (
            "a.md",
            "---\r\nk: v\r\n---\r\n# A\r\n\r\n- [ ] one\r\n[[b]]\r\n",
        ),
        ("b.md", "\u{feff}first\r\nlast"),
    ];
    let requests = [
        request("read", &json!({ "path": "a.md" })),
        request("tasks", &json!({})),
        request("note:outline", &json!({ "path": "a.md" })),
        request("append", &json!({ "path": "a.md", "content": "end" })),
        request("append", &json!({ "path": "b.md", "content": "end" })),
        request(
            "property:set",
            &json!({ "path": "a.md", "name": "k", "value": "w" }),
        ),
        request(
            "task",
            &json!({ "path": "a.md", "line": 6, "toggle": true }),
        ),
        request("rename", &json!({ "path": "b.md", "name": "c" })),
        request("read", &json!({ "path": "a.md" })),
    ];
    let vault = desk.vault(r"C:\vaults\crlf", &notes)?;
    let twin = desk.place(r"C:\vaults\crlf twin");
    copy_folder(&vault, &twin)?;
    let here = desk.call_on_linux(
        OPEN,
        &["--vault", twin.to_str().unwrap_or_default()],
        &requests,
    )?;
    let there = desk.call(&["--vault", r"C:\vaults\crlf"], &requests)?;
    for (request, (here, there)) in requests.iter().zip(here.iter().zip(&there)) {
        if (&here["data"], code(here)) != (&there["data"], code(there)) {
            return Err(format!("{request}: {here} but {there}").into());
        }
    }
    if files(&vault)? == files(&twin)? {
        Ok(format!(
            "{} answers and both notes as on Linux",
            requests.len()
        ))
    } else {
        Err("the notes differ from those that Linux left".into())
    }
}

/// The protocol, its tools, a search and a write.
pub(super) fn mcp(desk: &Desk) -> Found {
    desk.set(OPEN)?;
    let vault = desk.vault(
        r"C:\vaults\mcp",
        &[("Boat.md", "The red boat needs paint.\n"), ("b.md", "b\n")],
    )?;
    let mut command = desk.command(["--vault", r"C:\vaults\mcp", "mcp"]);
    let mut client = Client::shake_hands(&mut command)?;
    let listed = client.list_tools()?;
    let found = client.call("notes_search", &json!({ "query": "red boat" }))?;
    if !found.data.to_string().contains("Boat.md") {
        return Err(format!("notes:search: {}", found.data).into());
    }
    client.call("append", &json!({ "path": "b.md", "content": "more" }))?;
    let now = fs_err::read_to_string(vault.join("b.md"))?;
    if now == "b\n\nmore" {
        Ok(format!("{} tools, a search, a write", listed.tools))
    } else {
        Err(format!("append left {now:?}").into())
    }
}

/// Two processes that append to one note at the same time.
pub(super) fn two_writers(desk: &Desk) -> Found {
    const LINES: usize = 15;
    desk.set(OPEN)?;
    let vault = desk.vault(r"C:\vaults\two", &[("log.md", "log\n")])?;
    let start = |name: char| {
        let mut child = desk
            .command(["--vault", r"C:\vaults\two", "call"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let lines: String = (0..LINES)
            .map(|line| {
                let content = format!("{name}{line}.");
                let params = json!({ "path": "log.md", "content": content });
                format!("{}\n", request("append", &params))
            })
            .collect();
        let mut input = child.stdin.take().ok_or("no standard input")?;
        input.write_all(lines.as_bytes())?;
        Ok::<_, Fault>(child)
    };
    let children = [start('a')?, start('b')?];
    let mut kept = 0;
    for (name, child) in ['a', 'b'].into_iter().zip(children) {
        let output = child.wait_with_output()?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let note = fs_err::read_to_string(vault.join("log.md"))?;
        for (line, answer) in stdout.lines().enumerate() {
            let answer: Value = serde_json::from_str(answer)?;
            let is_there = note.contains(&format!("{name}{line}.\n"))
                || note.ends_with(&format!("{name}{line}."));
            if (code(&answer) == "OK") != is_there {
                return Err(
                    format!("line {name}{line}: {answer}, and the note has {note:?}").into(),
                );
            }
            kept += usize::from(is_there);
        }
    }
    Ok(format!(
        "{kept} of {} appends kept, each as it was told",
        2 * LINES
    ))
}

/// Changes of a note that another program has open without sharing it, and an undo of one: each is
/// refused and leaves every name and byte as it was (`faults.md` H15).
pub(super) fn held_notes(desk: &Desk) -> Found {
    desk.set(&format!("{OPEN}approve = []\n"))?;
    let notes = [
        ("held.md", "held\n"),
        ("links.md", "[[held]]\n"),
        ("Sub/other.md", "\n"),
    ];
    let vault = desk.vault(r"C:\vaults\held", &notes)?;
    let words = ["--vault", r"C:\vaults\held"];
    let before = files(&vault)?;
    let requests = [
        request("rename", &json!({ "path": "held.md", "name": "new" })),
        request("move", &json!({ "path": "held.md", "to": "Sub/held.md" })),
        request("delete", &json!({ "path": "held.md" })),
        request("delete", &json!({ "path": "held.md", "permanent": true })),
        request("append", &json!({ "path": "held.md", "content": "x" })),
    ];
    let held = desk.holder_of(r"C:\vaults\held\held.md")?;
    let answers = desk.call(&words, &requests)?;
    for (request, answer) in requests.iter().zip(&answers) {
        expect(answer, "BUSY", &request.to_string())?;
    }
    expect_files(&before, &vault)?;
    drop(held);

    let renamed = desk.call(&words, &requests[..1])?;
    expect(&renamed[0], "OK", "rename of the note when it is free")?;
    let after = files(&vault)?;
    let held = desk.holder_of(r"C:\vaults\held\new.md")?;
    let undone = desk.envelope(["--vault", r"C:\vaults\held", "undo"])?;
    if code(&undone) == "OK" {
        return Err(format!("undo of a held note: {undone}").into());
    }
    expect_files(&after, &vault)?;
    drop(held);
    let undone = desk.envelope(["--vault", r"C:\vaults\held", "undo"])?;
    expect(&undone, "OK", "undo when the note is free")?;
    expect_files(&before, &vault)?;
    Ok(format!(
        "{} changes and an undo refused and nothing left behind; both done when it was free",
        requests.len()
    ))
}

/// A note with the read-only attribute moves and goes as on other systems, keeps the attribute, and
/// comes back.
pub(super) fn read_only_notes(desk: &Desk) -> Found {
    desk.set(&format!("{OPEN}approve = []\n"))?;
    let vault = desk.vault(r"C:\vaults\fixed", &[("a.md", "a\n"), ("b.md", "b\n")])?;
    let words = ["--vault", r"C:\vaults\fixed"];
    for name in ["a.md", "b.md"] {
        set_read_only(&vault.join(name))?;
    }
    let before = files(&vault)?;
    let requests = [
        request("append", &json!({ "path": "a.md", "content": "x" })),
        request("rename", &json!({ "path": "a.md", "name": "c" })),
        request("delete", &json!({ "path": "c.md" })),
        request("delete", &json!({ "path": "b.md", "permanent": true })),
    ];
    let answers = desk.call(&words, &requests)?;
    expect(&answers[0], "IO_ERROR", "append to a read-only note")?;
    for (request, answer) in requests.iter().zip(&answers).skip(1) {
        expect(answer, "OK", &request.to_string())?;
    }
    let left: Vec<String> = files(&vault)?.into_keys().collect();
    if left != [".trash/c.md"] {
        return Err(format!("left: {left:?}").into());
    }
    let kept = fs_err::metadata(vault.join(".trash/c.md"))?;
    if !kept.permissions().readonly() {
        return Err("the attribute is gone".into());
    }
    for _ in 0..3 {
        let undone = desk.envelope(["--vault", r"C:\vaults\fixed", "undo"])?;
        expect(&undone, "OK", "undo")?;
    }
    expect_files(&before, &vault)?;
    Ok("moved, trashed and deleted, with the attribute; all undone".to_owned())
}

fn set_read_only(file: &Path) -> Result<(), Fault> {
    let mut permissions = fs_err::metadata(file)?.permissions();
    permissions.set_readonly(true);
    Ok(fs_err::set_permissions(file, permissions)?)
}

/// Fails unless the vault has these files and no other.
fn expect_files(wanted: &Files, vault: &Path) -> Result<(), Fault> {
    let found = files(vault)?;
    if found == *wanted {
        return Ok(());
    }
    let names: Vec<&String> = found.keys().collect();
    Err(format!("the vault has {names:?}, or other bytes in them").into())
}

/// Every file below a folder.
pub(super) fn files(folder: &Path) -> Result<Files, Fault> {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs_err::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                let bytes = fs_err::read(&path)?;
                found.insert(name.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    Ok(found)
}
