//! Names that Windows reads otherwise than they are written.

use std::collections::BTreeMap;

use serde_json::json;

use super::Found;
use super::desk::{Desk, code, expect, request};
use super::writes::files;
use crate::Fault;

const OPEN: &str = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n";

/// The case of a name opens nothing that is closed, and replaces nothing.
pub(super) fn case(desk: &Desk) -> Found {
    desk.set(&format!("{OPEN}\n[paths]\ndeny = [\"Secret/**\"]\n"))?;
    let vault = desk.vault(
        r"C:\vaults\case",
        &[
            ("Home.md", "home\n"),
            ("Secret/Key.md", "key\n"),
            ("b.md", "[[Home]]\n"),
        ],
    )?;
    let closed = [
        "Secret/Key.md",
        "SECRET/KEY.md",
        "secret/key.md",
        "Secret/Key.MD",
    ];
    let mut requests: Vec<_> = closed
        .iter()
        .flat_map(|path| {
            [
                request("read", &json!({ "path": path })),
                request("append", &json!({ "path": path, "content": "x" })),
                request("create", &json!({ "path": path, "content": "x" })),
            ]
        })
        .collect();
    let refused = requests.len();
    requests.push(request(
        "create",
        &json!({ "path": "HOME.md", "content": "x" }),
    ));
    requests.push(request("move", &json!({ "path": "b.md", "to": "home.md" })));
    for command in ["read", "note:outline", "backlinks"] {
        requests.push(request(command, &json!({ "path": "HOME.md" })));
    }
    requests.push(request(
        "append",
        &json!({ "path": "HOME.md", "content": "x" }),
    ));
    let others = requests.len();
    requests.push(request(
        "rename",
        &json!({ "path": "Home.md", "name": "home" }),
    ));
    let before = files(&vault)?;
    let answers = desk.call(&["--vault", r"C:\vaults\case"], &requests)?;
    folders_in_another_case(desk)?;
    for (request, answer) in requests.iter().zip(&answers).take(others) {
        if code(answer) == "OK" {
            return Err(format!("{request}: {answer}").into());
        }
    }
    let after = files(&vault)?;
    let same = |name: &str| before.get(name) == after.get(name);
    let respelled = match code(&answers[others]) {
        "OK" if after.get("home.md") == before.get("Home.md") => "done",
        // Wine 8 takes it for a rename to itself.
        "IO_ERROR" if same("Home.md") => "refused by Wine, and told so",
        _ => return Err(format!("{}: {:?}", answers[others], after.keys()).into()),
    };
    if !same("Secret/Key.md") {
        return Err("the closed note was changed".into());
    }
    Ok(format!(
        "{refused} tries at a closed note, 2 at a taken name and 4 at a name in another case refused; a rename in case alone {respelled}"
    ))
}

/// A folder in another case holds nothing, and a new note that goes into it can be undone.
fn folders_in_another_case(desk: &Desk) -> Result<(), Fault> {
    desk.set(OPEN)?;
    let vault = desk.vault(
        r"C:\vaults\folders",
        &[("Open/a.md", "a\n"), ("b.md", "b\n")],
    )?;
    let words = ["--vault", r"C:\vaults\folders"];
    let before = files(&vault)?;
    let read = [
        request("folder", &json!({ "path": "OPEN" })),
        request("vault:audit", &json!({ "folder": "OPEN" })),
    ];
    for (request, answer) in read.iter().zip(desk.call(&words, &read)?) {
        expect(&answer, "FOLDER_NOT_FOUND", &request.to_string())?;
    }
    let written = [
        request("create", &json!({ "path": "OPEN/n.md", "content": "n" })),
        request("move", &json!({ "path": "b.md", "to": "OPEN/b.md" })),
    ];
    for (request, answer) in written.iter().zip(desk.call(&words, &written)?) {
        expect(&answer, "OK", &request.to_string())?;
    }
    for _ in &written {
        let undone = desk.envelope(["--vault", r"C:\vaults\folders", "undo"])?;
        expect(&undone, "OK", "undo in a folder in another case")?;
    }
    if files(&vault)? == before {
        Ok(())
    } else {
        Err("what was done in a folder in another case was not undone".into())
    }
}

/// Devices, streams, and endings that Windows drops.
pub(super) fn devices(desk: &Desk) -> Found {
    const NAMES: [&str; 24] = [
        "CON",
        "con.md",
        "NUL",
        "NUL.md",
        "aux.md",
        "Sub/aux.txt",
        "PRN.md",
        "COM1.md",
        "com9",
        "COM¹.md",
        "LPT³.md",
        "LPT1",
        "CONIN$",
        "conout$.md",
        "nul .md",
        "a.md.",
        "a.md ",
        "a.md...",
        "a.md:stream",
        "a.md::$DATA",
        "a*.md",
        "a?.md",
        "OBSIDI~1/app.json",
        "Sub./a.md",
    ];
    desk.set(OPEN)?;
    let vault = desk.vault(r"C:\vaults\names", &[("a.md", "a\n"), ("Sub/a.md", "a\n")])?;
    let before = files(&vault)?;
    let requests: Vec<_> = NAMES
        .iter()
        .flat_map(|path| {
            [
                request("read", &json!({ "path": path })),
                request("create", &json!({ "path": path, "content": "x" })),
                request("append", &json!({ "path": path, "content": "x" })),
                request(
                    "move",
                    &json!({ "path": "a.md", "to": format!("{path}.md") }),
                ),
            ]
        })
        .collect();
    let answers = desk.call(&["--vault", r"C:\vaults\names"], &requests)?;
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for (request, answer) in requests.iter().zip(&answers) {
        // `a.md..md` and its like are names of their own, once `.md` is behind them.
        if code(answer) == "OK" && request["command"] != "move" {
            return Err(format!("{request}: {answer}").into());
        }
        *codes.entry(code(answer)).or_default() += 1;
    }
    for path in ["a.md", "Sub/a.md"] {
        if files(&vault)?
            .get(path)
            .is_some_and(|now| Some(now) != before.get(path))
        {
            return Err(format!("{path} was changed").into());
        }
    }
    Ok(format!("{} names, {codes:?}", NAMES.len()))
}

/// Drive letters, shares and backslashes lead nowhere.
pub(super) fn ways_out(desk: &Desk) -> Found {
    const PATHS: [&str; 16] = [
        r"C:\windows\win.ini",
        r"C:/windows/win.ini",
        "C:win.ini",
        "c:",
        r"\windows\win.ini",
        "/windows/win.ini",
        r"..\outside.md",
        r"Sub\..\..\outside.md",
        "../outside.md",
        r"\\localhost\c$\windows\win.ini",
        "//localhost/c$/windows/win.ini",
        r"\\?\C:\windows\win.ini",
        r"\\.\pipe\obsidian",
        "//?/C:/windows/win.ini",
        r"Sub\a.md",
        r"Sub\\..\\a.md",
    ];
    desk.set(OPEN)?;
    let vault = desk.vault(r"C:\vaults\out", &[("a.md", "a\n"), ("Sub/a.md", "a\n")])?;
    super::desk::write(&desk.place(r"C:\vaults\outside.md"), "outside\n")?;
    let before = files(&vault)?;
    let requests: Vec<_> = PATHS
        .iter()
        .flat_map(|path| {
            [
                request("read", &json!({ "path": path })),
                request("append", &json!({ "path": path, "content": "x" })),
                request("create", &json!({ "path": path, "content": "x" })),
                request("move", &json!({ "path": "a.md", "to": path })),
                request("files", &json!({ "folder": path })),
            ]
        })
        .collect();
    let answers = desk.call(&["--vault", r"C:\vaults\out"], &requests)?;
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for (request, answer) in requests.iter().zip(&answers) {
        if code(answer) == "OK" {
            return Err(format!("{request}: {answer}").into());
        }
        *codes.entry(code(answer)).or_default() += 1;
    }
    if files(&vault)? == before {
        Ok(format!("{} paths in five commands, {codes:?}", PATHS.len()))
    } else {
        Err("the folder was changed".into())
    }
}

/// Paths of more than 260 characters.
pub(super) fn long_paths(desk: &Desk) -> Found {
    desk.set(OPEN)?;
    let vault = desk.vault(r"C:\vaults\long", &[("a.md", "[[deep]]\n")])?;
    let folders = ["a folder with a long name, no. 1"; 11].join("/");
    let path = format!("{folders}/deep.md");
    let requests = [
        request("create", &json!({ "path": path, "content": "a deep word" })),
        request("append", &json!({ "path": path, "content": "and more" })),
        request("read", &json!({ "path": path })),
        request("backlinks", &json!({ "path": path })),
        request("search", &json!({ "query": "deep word" })),
        request("rename", &json!({ "path": path, "name": "deeper" })),
    ];
    let answers = desk.call(&["--vault", r"C:\vaults\long"], &requests)?;
    for (request, answer) in requests.iter().zip(&answers) {
        expect(answer, "OK", &request.to_string())?;
    }
    let note = fs_err::read_to_string(vault.join(&folders).join("deeper.md"))?;
    let mended = fs_err::read_to_string(vault.join("a.md"))?;
    if note != "a deep word\nand more" || mended != "[[deeper]]\n" {
        return Err(format!("left {note:?} and {mended:?}").into());
    }
    for _ in 0..3 {
        expect(
            &desk.envelope(["--vault", r"C:\vaults\long", "undo"])?,
            "OK",
            "undo",
        )?;
    }
    if vault.join(folders).join("deep.md").exists() {
        return Err("the note is still there after undo".into());
    }
    Ok(format!(
        "{} characters: created, read, found, renamed, undone",
        path.len() + 15
    ))
}
