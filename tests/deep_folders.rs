//! Folders one in another, deeper than any vault (`threats.toml` D15).

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use serde_json::{Value, json};
use vault_gw::allowlist::{Catalogue, ParamKind};
use vault_gw::gateway::{Caller, Options};

use crate::support::{Ran, World, answer, checked, code, request, warnings};

const OPEN: &str = "backend = \"embedded\"\nallow_mutations = true\napprove = []";
/// The most names of a path.
const DEEPEST: usize = 128;
/// Much longer than a call needs on a busy machine, and much shorter than one whose work grows with the
/// square of the depth.
const SOON: Duration = Duration::from_secs(120);

/// So many folders one in another.
fn folders(depth: usize) -> String {
    vec!["d"; depth].join("/")
}

/// Makes them as another program does, each from the one above, with a note in every tenth.
fn make(top: &Path, depth: usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder: OwnedFd = openat(CWD, top, flags, Mode::empty()).unwrap();
    for level in 1..=depth {
        mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = openat(&folder, "d", flags, Mode::empty()).unwrap();
        if level % 10 == 0 {
            let new = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
            let note = openat(&folder, "n.md", new, Mode::RUSR | Mode::WUSR).unwrap();
            rustix::io::write(&note, b"[[top]] bread #deep\n").unwrap();
        }
    }
}

/// Removes them: the standard library opens one descriptor for each level.
struct Deep(World);

impl Drop for Deep {
    #[expect(
        clippy::disallowed_methods,
        reason = "the usual program does it level by level"
    )]
    fn drop(&mut self) {
        let removed = Command::new("rm")
            .arg("-rf")
            .arg(self.0.vault.join("d"))
            .status();
        assert!(removed.is_ok_and(|status| status.success()));
    }
}

fn envelope(ran: &Ran) -> Value {
    ran.json()
}

#[test]
fn d15_no_command_makes_or_moves_anything_deeper_than_a_path_can_be() {
    let world = World::empty().set(OPEN);
    world.write("a.md", "text\n");
    let (deep, deepest) = (folders(1000), folders(DEEPEST - 1));
    for words in [
        vec![format!("path={deep}/x.md"), "content=x".into()],
        vec![format!("path={deepest}/d/x.md"), "content=x".into()],
        vec![format!("name={}", "x".repeat(300))],
        // Shorter than a path may be, and with the vault's own folder longer than a system opens.
        vec![format!(
            "path={}{}/x.md",
            format!("{}/", "x".repeat(250)).repeat(16),
            "y".repeat(70)
        )],
    ] {
        let mut all = vec!["--json", "create"];
        all.extend(words.iter().map(String::as_str));
        let began = Instant::now();
        let ran = world.run(&all);
        let shown = envelope(&ran);
        let what = shown["error"]["code"].as_str().unwrap();
        assert!(
            matches!(what, "USAGE_ERROR" | "VALIDATION_ERROR"),
            "{shown:#}"
        );
        assert!(began.elapsed() < SOON, "{words:?}");
    }
    let moved = world.run(&["--json", "move", "path=a.md", &format!("to={deepest}/d/")]);
    let moved = envelope(&moved);
    assert_eq!(moved["error"]["code"], "USAGE_ERROR", "{moved:#}");
    let message = moved["error"]["message"].as_str().unwrap();
    assert!(message.contains("128"), "{message}");
    assert_eq!(world.read("a.md"), "text\n");
    assert_eq!(fs_err::read_dir(&world.vault).unwrap().count(), 2);
    let made = world.run(&[
        "--json",
        "create",
        &format!("path={deepest}/x.md"),
        "content=x",
    ]);
    assert_eq!(envelope(&made)["success"], true, "{made:?}");
    assert_eq!(world.read(&format!("{deepest}/x.md")).trim(), "x");
    let listed = world.run(&["--json", "files"]);
    assert_eq!(envelope(&listed)["data"]["total"], 2);
    assert_eq!(
        envelope(&listed)
            .get("warnings")
            .cloned()
            .unwrap_or(json!([])),
        json!([])
    );
}

/// Whatever a command calls its place.
#[test]
fn d15_every_parameter_of_a_change_that_is_a_path_has_the_bound() {
    let world = World::empty().set(OPEN);
    let gateway = world.gateway_with(Options::new(Caller::Agent));
    let deep = folders(DEEPEST + 1);
    let mut tried = 0;
    for command in Catalogue::builtin().unwrap().commands() {
        if !command.effects.is_mutation() {
            continue;
        }
        for param in &command.params {
            use ParamKind::{Destination, Folder, NoteName, Path};
            if !matches!(param.kind, Path | Folder | Destination | NoteName) {
                continue;
            }
            let path = format!("{deep}/x.md");
            let mut params: Vec<(&str, &str)> = command
                .params
                .iter()
                .filter(|other| other.required && other.name != param.name)
                .map(|other| (other.name.as_str(), "x"))
                .collect();
            params.push((&param.name, &path));
            let question = request(&command.id, &params);
            let envelope = checked(gateway.call(&question));
            assert!(
                !envelope.success,
                "{} {}: {envelope:#?}",
                command.id, param.name
            );
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
    assert_eq!(fs_err::read_dir(&world.vault).unwrap().count(), 1);
}

fn questions(depth: usize) {
    let world = World::empty().set(OPEN).set("timeout_ms = 60000");
    world.write("top.md", "# Top\n");
    make(&world.vault, depth);
    let world = Deep(world);
    let world = &world.0;
    for words in [
        &["files"][..],
        &["folders"],
        &["tags"],
        &["unresolved"],
        &["search", "query=bread"],
        &["backlinks", "path=top.md"],
        &["notes:search", "query=bread"],
        &["vault"],
        &["vault:audit"],
    ] {
        let began = Instant::now();
        let mut all = vec!["--json"];
        all.extend(words);
        let shown = envelope(&world.run(&all));
        let took = began.elapsed();
        assert_eq!(shown["success"], true, "{shown:#}");
        let codes: Vec<&str> = shown["warnings"]
            .as_array()
            .map(|all| all.iter().filter_map(|one| one["code"].as_str()).collect())
            .unwrap_or_default();
        assert!(codes.contains(&"FOLDERS_TOO_DEEP"), "{words:?}: {codes:?}");
        // A hundredth of a second on a quiet machine.
        assert!(took < SOON, "{words:?} took {took:?}");
    }
    let backlinks = world.ask("backlinks path=top.md");
    assert_eq!(
        backlinks.data.as_map()["total"],
        DEEPEST / 10,
        "{backlinks:#?}"
    );
    // One that exists, and is too deep to have a path.
    let began = Instant::now();
    let deep = format!("path={}/n.md", folders(150));
    let shown = envelope(&world.run(&["--json", "read", &deep]));
    assert_eq!(shown["error"]["code"], "USAGE_ERROR", "{shown:#}");
    let made = envelope(&world.run(&["--json", "create", "path=new.md", "content=x"]));
    assert_eq!(made["success"], true, "{made:#}");
    assert!(began.elapsed() < SOON);
}

#[test]
fn d15_a_vault_with_a_thousand_folders_one_in_another_answers_at_once() {
    questions(1_000);
}

#[test]
fn d15_a_vault_with_five_thousand_folders_one_in_another_answers_at_once() {
    questions(5_000);
}

/// A server follows the vault as far as there are paths.
#[test]
fn d15_a_server_hears_of_changes_beside_folders_that_are_too_deep() {
    let world = World::empty().set(OPEN);
    world.write("top.md", "# Top\n");
    make(&world.vault, 300);
    let world = Deep(world);
    let gateway = world.0.gateway_with(Options::new(Caller::Agent));
    for number in 0..3 {
        world
            .0
            .write(&format!("{}/s{number}.md", folders(100)), "[[top]]\n");
        let envelope = answer(&gateway, "backlinks path=top.md");
        assert_eq!(
            envelope.data.as_map()["total"],
            DEEPEST / 10 + number + 1,
            "{envelope:#?}"
        );
        assert!(warnings(&envelope).contains(&"FOLDERS_TOO_DEEP"));
        assert_eq!(code(&envelope), "OK");
    }
}
