//! The code of the page for plugin authors works as it is, if Node is installed.

use std::path::Path;
use std::process::Command;

use super::root;
use crate::support::{World, finish};

/// The blocks of code of the page, one after the other.
fn code() -> String {
    let page = fs_err::read_to_string(root().join("docs/plugin-authors.md")).unwrap();
    let blocks = page.split("```ts\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    blocks.collect::<Vec<_>>().join("\n")
}

/// Node of this machine, in the environment of the user.
#[expect(
    clippy::disallowed_methods,
    reason = "Node is where the machine has it, not where the user of the test has programs"
)]
fn node(world: &World) -> Command {
    let mut command = world.command(Path::new("node"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

#[test]
fn the_code_for_plugin_authors_works() {
    let world = World::empty();
    let mut version = node(&world);
    if !version
        .arg("--version")
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        eprintln!("skipped: Node is not installed");
        return;
    }
    world.write("Home.md", "Hello\n");
    let world = world.set("drafts = \"closed\"").set("enabled = true");
    world.write_settings();
    // The types of its parameters follow from their defaults, so that the code is JavaScript too.
    let head = "const [vault, program] = process.argv.slice(2);\n";
    let file = world.scratch().join("plugin.mjs");
    let run = |code: &str, program: &str| {
        fs_err::write(&file, format!("{head}{code}")).unwrap();
        let mut command = node(&world);
        command.arg(&file).arg(&world.vault).arg(program);
        finish(command, b"")
    };
    let program = env!("CARGO_BIN_EXE_vault-gw");
    let ran = run(&code(), program);
    ran.ended(0);
    insta::assert_snapshot!(ran.text(), @r"
    true Hello

    drafted 1
    false COMMAND_REFUSED
    ");
    world
        .run_as_it_is(&["review", "--list"], b"")
        .shows("agent my-plugin");
    // Calls that are made at once have their own answers, and a program that is missing is an error of each call.
    let calls = "const { obsidianCli, stop } = startVaultGw(vault, program);\n\
        const calls = [...Array(20).keys()].map((n) => obsidianCli(n % 2 ? \"read\" : \"file\", { path: \"Home.md\" }));\n\
        const ended = await Promise.allSettled(calls);\n\
        console.log(ended.map(({ value, reason }) => value?.command ?? reason.code).join(\" \"));\n\
        stop();\n";
    let start = code();
    let start = start.split("\nconst {").next().unwrap();
    let code = format!("{start}{calls}");
    let ran = run(&code, program);
    assert_eq!(ran.text().trim(), ["file read"; 10].join(" "), "{ran:?}");
    let ran = run(&code, "/gone/vault-gw");
    assert_eq!(ran.text().trim(), ["ENOENT"; 20].join(" "), "{ran:?}");
}
