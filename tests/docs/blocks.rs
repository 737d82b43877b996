//! Every block of commands in the README and in the pages for users runs as it is written.

use std::path::Path;
use std::sync::LazyLock;

use vault_gw::gateway::Request;

use super::root;
use crate::support::{Outcome as _, Ran, World, finish};

const CASES: &str = include_str!("../data/docs_blocks.txt");

/// The pages whose blocks are run.
static PAGES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "pages"));

/// The first lines of blocks that need what a test does not have.
const NOT_RUN: [(&str, &str); 3] = [
    ("mkdir -p ~/vault-gw", "a container engine"),
    ("python3.13 -m venv", "a package of Python"),
    ("at=http://127.0.0.1:4444", "a running ContextForge"),
];

/// The beginnings of lines that a test does not run, with the reason.
static LINES_NOT_RUN: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "lines not run"));

/// Lines that end in another way than with exit status 0, with the reason.
const OTHER_ENDINGS: [(&str, i32, &str); 13] = [
    ("vault-gw setup --vault ~/Notes --agents", 0, "asks nothing"),
    ("vault-gw setup --dry-run", 0, "changes nothing"),
    ("vault-gw setup --remove", 0, "asks nothing"),
    ("vault-gw setup", 64, "asks at a terminal"),
    ("vault-gw mcp --http", SERVES, "serves until it is ended"),
    ("vault-gw review --web", 77, "needs a terminal"),
    (
        "vault-gw review --follow",
        SERVES,
        "shows calls until it is ended",
    ),
    (
        "vault-gw audit --follow",
        SERVES,
        "shows calls until it is ended",
    ),
    ("vault-gw review accept 4k7m92qx", 77, "asks at a terminal"),
    (
        "vault-gw review accept 2ed8f6db --dry-run",
        0,
        "asks nothing",
    ),
    ("vault-gw review accept", 77, "asks at a terminal"),
    (
        "vault-gw rules --test FILE",
        74,
        "the reader writes the file",
    ),
    (
        "vault-gw install claude-code --fenced",
        64,
        "`claude` is not installed",
    ),
];

/// What `timeout` exits with when it ends a program.
const SERVES: i32 = 124;

/// A block of a page.
struct Block {
    page: &'static str,
    /// Whether it has the output too, after lines that begin with `$ `.
    has_output: bool,
    lines: Vec<String>,
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    for page in PAGES.iter().copied() {
        let text = fs_err::read_to_string(root().join(page)).unwrap();
        let mut rest = text.lines();
        while let Some(line) = rest.next() {
            if !["```sh", "```console"].contains(&line) {
                continue;
            }
            let lines = rest.by_ref().take_while(|line| *line != "```");
            found.push(Block {
                page,
                has_output: line == "```console",
                lines: lines.map(str::to_owned).collect(),
            });
        }
    }
    found
}

/// A user with a vault in `~/Notes`, a change of their own, an agent with a draft, and nothing to download.
fn world() -> World {
    let world = World::with_fixture_vault()
        .set("allow_mutations = true\ndrafts = \"all\"\nbackend = \"embedded\"\nenabled = true")
        .with_tables("[agents.helper]\n");
    with_a_draft(&world);
    let home = world.home.config().parent().unwrap().to_owned();
    let notes = home.join("Notes");
    if !notes.exists() {
        fs_err::os::unix::fs::symlink(&world.vault, notes).unwrap();
    }
    world.write("Daily notes.md", "Today.\n");
    world.write("Meeting notes.md", "# Meeting\n");
    world.write("Inbox/Offer.md", "An offer.\n");
    world.run(&["daily:append", "Milk"]).ended(0);
    world.run(&["append", "Home", "more"]).ended(0);
    world
}

/// Makes the draft that docs/review.md shows.
fn with_a_draft(world: &World) {
    world.write("Plan.md", "# Plan\n\none\n\ntwo\nthree\n");
    let helper = world.agent("helper");
    for (path, text) in [
        ("Plan.md", "# Plan for May\n\none\n\ntwo\nthree\nfour\n"),
        ("Log.md", "# Log\n"),
    ] {
        let params = serde_json::json!({ "path": path, "content": text, "overwrite": true });
        let request = serde_json::json!({ "command": "create", "params": params });
        helper
            .call(&Request::from_value(&request).unwrap())
            .succeeds();
    }
}

/// Runs a line in a shell, where `vault-gw` is the program under test. What names something of the page's own vault
/// names that of this one.
fn run(world: &World, line: &str, folder: &str) -> Ran {
    let mut line = line.to_owned();
    if line.contains("2ed8f6db") || line.contains("3f2a") {
        let review = world.run_as_it_is(&["review", "-j"], b"").json();
        let draft = &review["data"]["drafts"][0];
        let text = |key: &str| draft[key].as_str().unwrap().to_owned();
        line = line
            .replace("2ed8f6db", &text("draft"))
            .replace("3f2a", &text("draft"))
            .replace("9f3c01d27ab4e856", &text("state"));
    }
    if line.contains("4k7m92qx") {
        let delete = world
            .run_as_it_is(&["-j", "delete", "path=Plan.md"], b"")
            .json();
        let call = delete["error"]["details"]["approval"].as_str().unwrap();
        line = line.replace("4k7m92qx", call);
    }
    if line.contains("RUNID") {
        let runs = world.run_as_it_is(&["undo", "--list", "-j"], b"").json();
        line = line.replace("RUNID", runs["data"]["items"][0]["runId"].as_str().unwrap());
    }
    let mut shell = world.command(Path::new("/bin/sh"));
    let program = Path::new(env!("CARGO_BIN_EXE_vault-gw")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
    let is_served = ending(&line) == SERVES;
    let line = if is_served {
        format!("timeout 2 {line}")
    } else {
        format!("{folder}{line}")
    };
    shell.env("PATH", path).args(["-c", &line]);
    finish(shell, b"")
}

/// The exit status with which the line ends.
fn ending(line: &str) -> i32 {
    let other = OTHER_ENDINGS
        .iter()
        .find(|(start, ..)| line.starts_with(start));
    other.map_or(0, |(_, status, _)| *status)
}

#[test]
fn every_line_of_the_pages_for_users_runs() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for block in blocks().into_iter().filter(|block| !block.has_output) {
        let first = block.lines.first().map_or("", String::as_str);
        if NOT_RUN.iter().any(|(start, _)| first.starts_with(start)) {
            continue;
        }
        let mut world = world();
        // Each line has a shell of its own.
        let mut folder = String::new();
        for line in &block.lines {
            if line.starts_with("cd ") {
                folder = format!("{line} && ");
            }
            if line.is_empty()
                || LINES_NOT_RUN
                    .iter()
                    .any(|(start, _)| line.starts_with(start))
            {
                continue;
            }
            if line.contains("review accept") || line.contains("review reject") {
                world = self::world();
            }
            let ran = run(&world, line, &folder);
            count += 1;
            if ran.status != Some(ending(line)) {
                wrong.push(format!("{}: {line}: {ran:?}", block.page));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "{count} lines");
}

#[test]
fn every_block_with_output_prints_it() {
    for block in blocks().into_iter().filter(|block| block.has_output) {
        let world = World::with_fixture_vault();
        let world = match block.page {
            "docs/policy.md" => world
                .set("enabled = true")
                .with_tables("agents.helper.commands.allow = [\"@reads\"]"),
            "docs/review.md" => world
                .set("enabled = true\ndrafts = \"all\"\nbackend = \"embedded\"")
                .with_tables("[agents.helper]\n"),
            _ => world,
        };
        if block.page == "docs/review.md" {
            with_a_draft(&world);
        }
        world.write_settings();
        let mut printed = Vec::new();
        for line in &block.lines {
            if let Some(line) = line.strip_prefix("$ ") {
                printed.push(format!("$ {line}"));
                let ran = run(&world, line, "");
                assert!(ran.status.is_some(), "{ran:?}");
                printed.extend(ran.text().lines().map(str::to_owned));
            }
        }
        let shown = block.lines.join("\n");
        let printed = printed.join("\n");
        assert!(
            block.lines.len() == printed.lines().count()
                && block
                    .lines
                    .iter()
                    .zip(printed.lines())
                    .all(|(shown, printed)| is_shown(&settled(shown), settled(printed).trim_end())),
            "{} shows:\n{shown}\nand this is printed:\n{printed}",
            block.page
        );
    }
}

/// Whether a line of a page shows this line; `…` at its end stands for the rest.
fn is_shown(shown: &str, printed: &str) -> bool {
    let beginning = shown.trim_end_matches('}').strip_suffix('…');
    beginning.map_or(shown == printed, |beginning| printed.starts_with(beginning))
}

/// The line with a sign in the place of each id, hash and time.
fn settled(line: &str) -> String {
    let is_sign = |character: char| character.is_ascii_hexdigit() || "-:TZ.".contains(character);
    let mut settled = String::new();
    for word in line.split_inclusive(|character: char| !is_sign(character)) {
        let bare = word.trim_end_matches(|character: char| !is_sign(character));
        let digits = bare.bytes().filter(u8::is_ascii_digit).count();
        if bare.len() >= 8 && digits > 0 {
            settled += "·";
            settled += &word[bare.len()..];
        } else {
            settled += word;
        }
    }
    settled
}

/// `cargo lab screenshots` draws it again. The scenes and calls are compared, by their letters: the picture is folded,
/// and messages may change a word without a new picture.
#[test]
fn the_picture_of_the_demo_has_its_scenes_and_calls() {
    let letters = |text: &str| -> String { text.chars().filter(|it| it.is_alphabetic()).collect() };
    let picture = fs_err::read_to_string(root().join("docs/terminal/demo.svg")).unwrap();
    let outside_of_tags = picture.split('<').filter_map(|part| part.split_once('>'));
    let picture: String = outside_of_tags.map(|(_, text)| letters(text)).collect();
    let ran = World::with_fixture_vault().run_as_it_is(&["demo"], b"");
    let (mut count, mut missing) = (0, Vec::new());
    for line in ran.text().lines() {
        let text = line.strip_prefix("# ").or(line.strip_prefix("agent> "));
        let Some(text) = text else {
            continue;
        };
        count += 1;
        if !picture.contains(&letters(text)) {
            missing.push(line);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(count > 10, "{count} lines");
}
