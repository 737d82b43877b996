//! The thirteen tasks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;

/// One task: its name and its calls.
type Task = (
    &'static str,
    fn(&mut Client, &Project) -> Result<(), String>,
);

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

    /// The text of an added note as it is on the disk.
    fn read(&self, name: &str) -> Result<String, String> {
        fs_err::read_to_string(self.folder.join(name)).map_err(|error| error.to_string())
    }
}

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn items(data: &Value) -> Result<&Vec<Value>, String> {
    data["items"]
        .as_array()
        .ok_or_else(|| format!("no list: {data}"))
}

fn ensure(holds: bool, what: impl Into<String>) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| what.into())
}

fn find_and_outline(client: &mut Client, _project: &Project) -> Result<(), String> {
    let found = client.call(
        "notes_search",
        &json!({ "query": "boat mast keel paint", "limit": 5 }),
    )?;
    let found = items(&found.data)?;
    ensure(found.len() == 5, "fewer than five notes")?;
    for note in found {
        client.call("outline", &json!({ "path": note["path"] }))?;
    }
    Ok(())
}

fn add_daily_task(client: &mut Client, _project: &Project) -> Result<(), String> {
    let today = client.call("daily_read", &json!({}))?;
    let edit =
        json!([{ "heading": "Tasks", "mode": "append", "content": "- [ ] call the harbour" }]);
    client.call(
        "note_edit",
        &json!({ "path": today.data["path"], "edits": edit }),
    )?;
    Ok(())
}

fn rename(client: &mut Client, project: &Project) -> Result<(), String> {
    client.call(
        "move",
        &json!({ "path": path("Mast.md"), "to": path("Main mast.md") }),
    )?;
    let links = client.call("backlinks", &json!({ "path": path("Main mast.md") }))?;
    ensure(items(&links.data)?.len() == 3, "links are lost")?;
    ensure(
        project.read("Sails.md")?.contains("[[Main mast]]"),
        "a link was not updated",
    )
}

fn tag_five(client: &mut Client, project: &Project) -> Result<(), String> {
    let names = ["Keel.md", "Main mast.md", "Sails.md", "Crew.md", "Money.md"];
    let paths: Vec<String> = names.into_iter().map(path).collect();
    client.call("tag_add", &json!({ "paths": paths, "tag": "boat" }))?;
    for name in names {
        ensure(project.read(name)?.contains("boat"), "no tag")?;
    }
    Ok(())
}

fn list_overdue(client: &mut Client, _project: &Project) -> Result<(), String> {
    let tasks = client.call("tasks", &json!({ "path": path("Sails.md"), "todo": true }))?;
    ensure(
        tasks.text.contains("2020-01-02"),
        "the overdue task is missing",
    )
}

fn write_index(client: &mut Client, _project: &Project) -> Result<(), String> {
    let notes = client.call("notes_list", &json!({ "folder": FOLDER }))?;
    let lines: Vec<String> = items(&notes.data)?
        .iter()
        .filter_map(|note| {
            Some(format!(
                "- [[{}]]\n",
                note["path"].as_str()?.strip_suffix(".md")?
            ))
        })
        .collect();
    ensure(lines.len() == 5, "the folder has five notes")?;
    client.call(
        "create",
        &json!({ "path": path("Index.md"), "content": lines.concat() }),
    )?;
    Ok(())
}

fn replace_sentence(client: &mut Client, project: &Project) -> Result<(), String> {
    let edit = json!([{ "old": "The paint is red.", "new": "The paint is blue." }]);
    client.call(
        "note_edit",
        &json!({ "path": path("Keel.md"), "edits": edit }),
    )?;
    ensure(
        project.read("Keel.md")?.contains("paint is blue"),
        "not replaced",
    )
}

fn read_five(client: &mut Client, _project: &Project) -> Result<(), String> {
    let names = [
        "Index.md",
        "Main mast.md",
        "Sails.md",
        "Crew.md",
        "Money.md",
    ];
    let notes: Vec<String> = names.into_iter().map(path).collect();
    let read = client.call("notes_read", &json!({ "notes": notes }))?;
    let is_whole = |note: &Value| note["text"].is_string() && note["sha256"].is_string();
    ensure(
        items(&read.data)?
            .iter()
            .filter(|note| is_whole(note))
            .count()
            == 5,
        "five whole notes",
    )
}

fn change_alias(client: &mut Client, project: &Project) -> Result<(), String> {
    let edit = json!([{ "old": "Pole", "new": "Stick", "frontmatter": true }]);
    let arguments = json!({ "path": path("Main mast.md")  , "edits": edit });
    client.call("note_edit", &arguments)?;
    ensure(
        project
            .read("Main mast.md")?
            .contains("  - Stick\n  - Spar"),
        "no alias",
    )
}

fn newest_with_property(client: &mut Client, _project: &Project) -> Result<(), String> {
    let arguments = json!({ "property": "status", "folder": FOLDER, "order": "modified" });
    let notes = client.call("notes_list", &arguments)?;
    ensure(items(&notes.data)?.len() == 3, "three notes have it")
}

fn tick_task(client: &mut Client, project: &Project) -> Result<(), String> {
    let edit = json!([{ "old": "- [ ] buy thread", "new": "- [x] buy thread" }]);
    client.call(
        "note_edit",
        &json!({ "path": path("Sails.md"), "edits": edit }),
    )?;
    ensure(
        project.read("Sails.md")?.contains("- [x] buy thread"),
        "not ticked",
    )
}

fn add_in_the_middle(client: &mut Client, project: &Project) -> Result<(), String> {
    let edit = json!([{ "heading": "Log", "mode": "append", "content": "- painted" }]);
    client.call(
        "note_edit",
        &json!({ "path": path("Main mast.md"), "edits": edit }),
    )?;
    ensure(
        project.read("Main mast.md")?.contains("- cut\n- painted\n"),
        "not below its heading",
    )
}

fn undo(client: &mut Client, project: &Project) -> Result<(), String> {
    client.call("undo", &json!({}))?;
    ensure(
        !project.read("Main mast.md")?.contains("painted"),
        "not undone",
    )
}
