//! The thirteen tasks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;
use crate::Fault;

/// One task: its name and its calls.
type Task = (&'static str, fn(&mut Client, &Project) -> Result<(), Fault>);

/// The tasks in their order; the last one undoes the one before it.
pub(super) const TASKS: [Task; 13] = [
    (
        "find notes on a subject, headings of five",
        find_and_outline,
    ),
    ("add a task under a heading of today's note", add_daily_task),
    ("rename a note and check its links", rename),
    ("add a tag to five notes", tag_five),
    ("list overdue tasks", list_overdue),
    ("write an index note of a folder", write_index),
    ("replace one sentence of a long note", replace_sentence),
    ("read five notes", read_five),
    ("change one alias", change_alias),
    ("notes with a property, newest first", newest_with_property),
    ("tick a task", tick_task),
    ("add under a heading in the middle", add_in_the_middle),
    ("undo that", undo),
];

/// The notes that are added to the vault.
pub(super) struct Project {
    folder: PathBuf,
}

/// The folder of the added notes.
const FOLDER: &str = "Boat project";

impl Project {
    /// Writes the notes into the vault.
    pub(super) fn write(vault: &Path) -> std::io::Result<Self> {
        let folder = vault.join(FOLDER);
        fs_err::create_dir_all(&folder)?;
        let today = jiff::Zoned::now().date();
        fs_err::write(
            vault.join(format!("{today}.md")),
            "## Tasks\n\n- [ ] water\n\n## Log\n\n- up\n",
        )?;
        let long: String = (0..200)
            .map(|line| {
                format!("Line {line} says that the keel of the boat was looked at again.\n\n")
            })
            .collect();
        let notes = [
            ("Keel.md", format!("# Keel\n\nThe paint is red.\n\n{long}")),
            ("Mast.md", "---\naliases:\n  - Pole\n  - Spar\nstatus: open\n---\n# Mast\n\n## Facts\n\nOak.\n\n## Log\n\n- cut\n\n## Links\n\n[[Keel]]\n".to_owned()),
            ("Sails.md", "---\nstatus: open\n---\n# Sails\n\n- [ ] sew \u{1f4c5} 2020-01-02\n- [ ] buy thread\n\nSee [[Mast]].\n".to_owned()),
            ("Crew.md", "---\nstatus: done\n---\n# Crew\n\nAsk [[Mast|the mast]] makers.\n".to_owned()),
            ("Money.md", "# Money\n\nThe [[Mast]] costs most.\n".to_owned()),
        ];
        for (name, text) in notes {
            fs_err::write(folder.join(name), text)?;
        }
        Ok(Self { folder })
    }

    /// Fails unless an added note holds the text on the disk.
    fn expect(&self, name: &str, text: &str) -> Result<(), Fault> {
        let note = fs_err::read_to_string(self.folder.join(name))?;
        ensure(note.contains(text), &format!("{name} lacks {text:?}"))
    }
}

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn items(data: &Value) -> Result<&Vec<Value>, Fault> {
    let items = data["items"].as_array();
    items.ok_or_else(|| format!("no list: {data}").into())
}

fn ensure(holds: bool, what: &str) -> Result<(), Fault> {
    holds.then_some(()).ok_or_else(|| what.into())
}

fn edit(client: &mut Client, path: &Value, edit: &Value) -> Result<(), Fault> {
    client.call("note_edit", &json!({ "path": path, "edits": [edit] }))?;
    Ok(())
}

fn find_and_outline(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let asked = json!({ "query": "boat mast keel paint", "limit": 5 });
    let found = client.call("notes_search", &asked)?;
    let found = items(&found.data)?;
    ensure(found.len() == 5, "fewer than five notes")?;
    for note in found {
        client.call("outline", &json!({ "path": note["path"] }))?;
    }
    Ok(())
}

fn add_daily_task(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let today = client.call("daily_read", &json!({}))?;
    let task = "- [ ] call the harbour";
    let change = json!({ "heading": "Tasks", "mode": "append", "content": task });
    edit(client, &today.data["path"], &change)
}

fn rename(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let (old, new) = (path("Mast.md"), path("Main mast.md"));
    client.call("move", &json!({ "path": old, "to": new }))?;
    let links = client.call("backlinks", &json!({ "path": new }))?;
    ensure(items(&links.data)?.len() == 3, "links are lost")?;
    project.expect("Sails.md", "[[Main mast]]")
}

fn tag_five(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let names = ["Keel.md", "Main mast.md", "Sails.md", "Crew.md", "Money.md"];
    let tagged = json!({ "paths": names.map(path), "tag": "boat" });
    client.call("tag_add", &tagged)?;
    let mut names = names.into_iter();
    names.try_for_each(|name| project.expect(name, "boat"))
}

fn list_overdue(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let tasks = client.call("tasks", &json!({ "path": path("Sails.md"), "todo": true }))?;
    let is_there = tasks.text.contains("2020-01-02");
    ensure(is_there, "the overdue task is missing")
}

fn write_index(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let notes = client.call("notes_list", &json!({ "folder": FOLDER }))?;
    let paths = items(&notes.data)?
        .iter()
        .filter_map(|note| note["path"].as_str());
    let lines: Vec<String> = paths
        .filter_map(|path| Some(format!("- [[{}]]\n", path.strip_suffix(".md")?)))
        .collect();
    ensure(lines.len() == 5, "the folder has five notes")?;
    let index = json!({ "path": path("Index.md"), "content": lines.concat() });
    client.call("create", &index)?;
    Ok(())
}

fn replace_sentence(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let change = json!({ "old": "The paint is red.", "new": "The paint is blue." });
    edit(client, &path("Keel.md").into(), &change)?;
    project.expect("Keel.md", "paint is blue")
}

fn read_five(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let names = [
        "Index.md",
        "Main mast.md",
        "Sails.md",
        "Crew.md",
        "Money.md",
    ];
    let read = client.call("notes_read", &json!({ "notes": names.map(path) }))?;
    let is_whole = |note: &&Value| note["text"].is_string() && note["sha256"].is_string();
    let whole = items(&read.data)?.iter().filter(is_whole);
    ensure(whole.count() == 5, "five whole notes")
}

fn change_alias(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let change = json!({ "old": "Pole", "new": "Stick", "frontmatter": true });
    edit(client, &path("Main mast.md").into(), &change)?;
    project.expect("Main mast.md", "  - Stick\n  - Spar")
}

fn newest_with_property(client: &mut Client, _project: &Project) -> Result<(), Fault> {
    let asked = json!({ "property": "status", "folder": FOLDER, "order": "modified" });
    let notes = client.call("notes_list", &asked)?;
    ensure(items(&notes.data)?.len() == 3, "three notes have it")
}

fn tick_task(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let change = json!({ "old": "- [ ] buy thread", "new": "- [x] buy thread" });
    edit(client, &path("Sails.md").into(), &change)?;
    project.expect("Sails.md", "- [x] buy thread")
}

fn add_in_the_middle(client: &mut Client, project: &Project) -> Result<(), Fault> {
    let change = json!({ "heading": "Log", "mode": "append", "content": "- painted" });
    edit(client, &path("Main mast.md").into(), &change)?;
    project.expect("Main mast.md", "- cut\n- painted\n")
}

fn undo(client: &mut Client, project: &Project) -> Result<(), Fault> {
    client.call("undo", &json!({}))?;
    let is_there = project.expect("Main mast.md", "painted").is_ok();
    ensure(!is_there, "not undone")
}
