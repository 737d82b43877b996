//! CONTRIBUTING's recipe for a command, followed to the letter in a copy of the sources.
//!
//! The files of `tests/recipe/` are what a contributor writes. The test counts what the recipe
//! touches, then builds the copy, which takes minutes:
//! `cargo test --test integration recipe:: -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A copy of the sources that a recipe is followed in.
struct Copy {
    folder: tempfile::TempDir,
    touched: Vec<String>,
}

impl Copy {
    /// Every source file; neither what was built nor what git keeps.
    fn new() -> Self {
        let copy = Self {
            folder: tempfile::tempdir().unwrap(),
            touched: Vec::new(),
        };
        let from = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in [
            "Cargo.toml",
            "Cargo.lock",
            "src",
            "crates",
            "config",
            "tests",
            "benches",
            "xtask",
            "fixtures",
            "docs",
            "schemas",
            "README.md",
            ".cargo",
        ] {
            if from.join(name).exists() {
                copy_all(&from.join(name), &copy.folder.path().join(name));
            }
        }
        copy
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs_err::read_to_string(self.path(file)).unwrap()
    }

    fn write(&mut self, file: &str, text: &str) {
        fs_err::write(self.path(file), text).unwrap();
        self.touched.push(file.to_owned());
    }

    /// Adds one line right before the first line that is `before`.
    fn add_line(&mut self, file: &str, line: &str, before: &str) {
        let text = self.read(file);
        let place = format!("\n{before}\n");
        assert!(text.contains(&place), "{file} has no line `{before}`");
        let text = text.replacen(&place, &format!("\n{line}{place}"), 1);
        self.write(file, &text);
    }

    /// Runs cargo in the copy, and gives what it printed.
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo builds the copy; this is no run of the official binary"
    )]
    fn cargo(&self, words: &[&str]) -> String {
        // One folder for all runs, so that dependencies are built once.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipe");
        let run = Command::new(env!("CARGO"))
            .args(words)
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", target)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "cargo {words:?}: {errors}");
        String::from_utf8(run.stdout).unwrap()
    }

    /// What `vault-gw` of the copy prints.
    fn gateway(&self, words: &[&str]) -> String {
        let cargo = ["run", "--quiet", "--offline", "--package", "vault-gw", "--"];
        self.cargo(&[&cargo, words].concat())
    }
}

fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs_err::copy(from, to).unwrap();
        return;
    }
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if name != "target" {
            copy_all(&from.join(&name), &to.join(&name));
        }
    }
}

/// Step by step what CONTRIBUTING says under "Add a read command".
fn add_read_command(copy: &mut Copy) {
    let catalogue = "config/allowlist.v3.toml";
    let entry = include_str!("recipe/read/entry.toml");
    copy.write(catalogue, &(copy.read(catalogue) + entry));
    let own = "crates/vault-engine/src/commands/own";
    let file = include_str!("recipe/read/lines.rs");
    copy.write(&format!("{own}/lines.rs"), file);
    let table = format!("{own}/mod.rs");
    copy.add_line(&table, "mod lines;", "mod list;");
    copy.add_line(&table, "    &lines::COMMAND,", "    &list::COMMAND,");
}

#[test]
fn a_read_command_is_an_entry_a_file_and_two_lines_of_one_list() {
    let mut copy = Copy::new();
    add_read_command(&mut copy);
    assert_eq!(
        copy.touched,
        [
            "config/allowlist.v3.toml",
            "crates/vault-engine/src/commands/own/lines.rs",
            "crates/vault-engine/src/commands/own/mod.rs",
            "crates/vault-engine/src/commands/own/mod.rs",
        ]
    );
}

#[test]
#[ignore = "builds a copy of the workspace, which takes minutes"]
fn a_read_command_of_the_recipe_is_offered_everywhere() {
    let mut copy = Copy::new();
    add_read_command(&mut copy);
    copy.cargo(&[
        "run",
        "--quiet",
        "--offline",
        "--package",
        "xtask",
        "--",
        "generate",
    ]);

    for (file, text) in [
        ("docs/commands.md", "note:lines"),
        ("docs/man/vault-gw.1", "note:lines"),
        (
            "schemas/data/note-lines.v1.json",
            "Lines of white space alone.",
        ),
    ] {
        assert!(copy.read(file).contains(text), "{file}");
    }
    assert!(
        copy.gateway(&["help", "note:lines"])
            .contains("Count the lines of a note")
    );
    let schema: Value = serde_json::from_str(&copy.gateway(&["schema", "note:lines"])).unwrap();
    assert_eq!(schema["title"], "note-lines");
    let tools = copy.gateway(&["schema", "tools"]);
    assert!(tools.contains("\"note_lines\""), "{tools}");

    let vault = copy.path("vault");
    fs_err::create_dir_all(vault.join(".obsidian")).unwrap();
    fs_err::write(vault.join("a.md"), "one\n\ntwo\n").unwrap();
    let vault = vault.to_str().unwrap();
    let told = copy.gateway(&["--vault", vault, "note:lines", "path=a.md"]);
    assert_eq!(told, "a.md\t3\t1\n");
}
