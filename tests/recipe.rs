//! The recipe for a command in `docs/architecture.md`, followed to the letter in a copy of the sources.
//!
//! The files of `tests/recipe/` are what a contributor writes. One test counts the edits; the other
//! builds the copy and runs what a new command can break there, which takes minutes:
//! `cargo test --test integration recipe:: -- --ignored --nocapture`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{World, finish, sources};

/// A copy of the sources that a recipe is followed in.
struct Copy {
    folder: tempfile::TempDir,
    /// What a hand has changed, one entry an edit.
    touched: Vec<String>,
}

impl Copy {
    /// Every source file; neither what was built nor what git keeps.
    fn new() -> Self {
        let copy = Self {
            folder: tempfile::tempdir().unwrap(),
            touched: Vec::new(),
        };
        copy_all(Path::new(env!("CARGO_MANIFEST_DIR")), copy.folder.path());
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

    /// Runs cargo in the copy, which must succeed; shows what it prints.
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo builds the copy; this is no run of the official binary"
    )]
    fn cargo(&self, words: &[&str]) {
        let run = Command::new(env!("CARGO"))
            .args(words)
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", target())
            .env("INSTA_UPDATE", "no")
            .status()
            .unwrap();
        assert!(run.success(), "cargo {words:?}");
    }
}

/// One folder for all runs, so that dependencies are built once.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipe")
}

fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs_err::copy(from, to).unwrap();
        return;
    }
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if name != "target" && name != ".git" && name != "node_modules" {
            copy_all(&from.join(&name), &to.join(&name));
        }
    }
}

/// Step by step the recipe "Add a read command of our own".
fn add_read_command(copy: &mut Copy) {
    let catalogue = "config/allowlist.v3.toml";
    let entry = include_str!("recipe/read/entry.toml");
    copy.write(catalogue, &(copy.read(catalogue) + entry));
    let file = include_str!("recipe/read/lines.rs");
    copy.write("crates/vault-questions/src/own/lines.rs", file);
}

/// The modules of this program that look at every command of the catalogue.
fn modules_about_all_commands() -> Vec<String> {
    let mut modules = Vec::new();
    for (path, text) in sources(&["tests"]) {
        let asks = ["Catalogue::builtin", "argument_forms::"];
        if !path.ends_with("recipe.rs") && asks.iter().any(|wanted| text.contains(wanted)) {
            let module = path.trim_start_matches("tests/").trim_end_matches(".rs");
            modules.push(format!("{}::", module.replace('/', "::")));
        }
    }
    modules.sort_unstable();
    modules
}

#[test]
fn a_read_command_is_an_entry_and_a_file() {
    let mut copy = Copy::new();
    add_read_command(&mut copy);
    assert_eq!(
        copy.touched,
        [
            "config/allowlist.v3.toml",
            "crates/vault-questions/src/own/lines.rs",
        ]
    );
}

#[test]
#[ignore = "builds a copy of the workspace, which takes minutes"]
fn a_read_command_of_the_recipe_is_offered_everywhere_and_passes_the_gates() {
    let mut copy = Copy::new();
    add_read_command(&mut copy);
    let generate = ["run", "--quiet", "--package", "xtask", "--", "generate"];
    copy.cargo(&generate);

    for (file, text) in [
        ("docs/commands.md", "note:lines"),
        ("schemas/vault-gw.v1.json", "Lines of white space alone."),
    ] {
        assert!(copy.read(file).contains(text), "{file}");
    }

    copy.cargo(&["fmt", "--all", "--check"]);
    copy.cargo(&[&generate[..], &["--check"]].concat());
    let engine = ["--package", "vault-questions", "--all-targets"];
    copy.cargo(&[&["clippy"], &engine[..], &["--", "-D", "warnings"]].concat());
    copy.cargo(&["test", "--package", "vault-gw", "--lib"]);
    let modules = modules_about_all_commands();
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    let test = [
        "test",
        "--package",
        "vault-gw",
        "--test",
        "integration",
        "--",
    ];
    copy.cargo(&[&test[..], &modules].concat());

    // The program was built for the tests.
    let world = World::empty();
    world.write("a.md", "one\n\ntwo\n");
    let mut program = world.command(&target().join("debug/vault-gw"));
    program.args(["--vault", world.vault.to_str().unwrap()]);
    program.args(["note:lines", "path=a.md"]);
    assert_eq!(finish(program, b"").text(), "a.md\t3\t1\n");
}
