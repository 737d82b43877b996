//! Code that has taken over a server gets nowhere, and the server still does its work.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Command;

use serde_json::{Value, json};

use super::official::{REFUSALS, kernel_is_able, official, script, tries, world};
use crate::support::thin::{Linking, hostile};
use crate::support::{Ran, World, finish};

/// The newest version of Landlock, whatever that is.
const NEWEST: &str = "99";

/// The program, with its kernel's Landlock at most of this version.
fn program(world: &World, landlock: &str, words: &[&str]) -> Command {
    world.write_settings();
    let mut command = world.stand_in("program");
    command.arg(landlock).args(words);
    command
}

fn lines(ran: &Ran) -> Vec<Value> {
    let text = ran.text().lines();
    text.map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn server_of(envelope: &Value) -> &Value {
    &envelope["meta"]["confinement"]["gateway"]
}

/// A vault that the engine answers for, and what an attacker would like.
fn engine(more: &str) -> World {
    let world = World::with_fixture_vault()
        .set("enabled = true")
        .set("backend = \"embedded\"")
        .set(more);
    let key = world.home.path().join(".ssh/id_ed25519");
    fs_err::create_dir_all(key.parent().unwrap()).unwrap();
    fs_err::write(&key, "secret").unwrap();
    world
}

/// What became of the tries of a hook in this server, and what the server answered.
fn hooked(world: &World, words: &[&str], input: &str) -> (Vec<(String, String)>, Ran) {
    let _other = UnixListener::bind(world.home.path().join("other.sock")).unwrap();
    let name = SocketAddr::from_abstract_name(world.home.path().as_os_str().as_bytes()).unwrap();
    let _stranger = UnixListener::bind_addr(&name).unwrap();
    let all = [&["--hostile"], words].concat();
    let ran = finish(program(world, NEWEST, &all), input.as_bytes());
    let tries = tries(&ran.stderr);
    assert_eq!(tries.get("end").map(String::as_str), Some("ok"), "{ran:?}");
    assert!(tries.len() > 50, "{}", tries.len());
    let open = tries
        .into_iter()
        .filter(|(name, result)| name != "end" && !REFUSALS.contains(&result.as_str()));
    (open.collect(), ran)
}

const READ_AND_WRITE: &str = "{\"command\":\"read\",\"params\":{\"path\":\"Home.md\"}}\n\
     {\"command\":\"create\",\"params\":{\"path\":\"new.md\",\"content\":\"x\"}}\n";

#[test]
fn l09_a_hook_in_a_server_of_a_read_only_vault_gets_nowhere() {
    let world = engine("allow_mutations = false");
    let (open, ran) = hooked(&world, &["call"], READ_AND_WRITE);
    let answers = lines(&ran);
    if !kernel_is_able(server_of(&answers[0])) {
        return;
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(answers[0]["stdout"], world.read("Home.md"));
    assert_eq!(answers[1]["error"]["code"], "MUTATION_DISABLED");
    assert!(world.home.path().join(".ssh/id_ed25519").exists());
}

#[test]
fn l09_a_hook_in_a_server_of_a_writable_vault_reaches_the_vault_alone() {
    let world = engine("allow_mutations = true");
    let (open, ran) = hooked(&world, &["call"], READ_AND_WRITE);
    let answers = lines(&ran);
    if !kernel_is_able(server_of(&answers[0])) {
        return;
    }
    let names: Vec<&str> = open.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "thread-truncate-note",
            "thread-write-vault",
            "truncate-note",
            "write-vault"
        ]
    );
    assert_eq!(answers[1]["success"], true, "{ran:?}");
    assert_eq!(world.read("new.md"), "x");
}

#[test]
fn l09_the_mcp_server_is_confined_on_stdio_and_over_http() {
    let world = engine("allow_mutations = false");
    let (open, _ran) = hooked(&world, &["mcp"], "");
    let known = program(&world, NEWEST, &["call"]);
    let answer = lines(&finish(known, READ_AND_WRITE.as_bytes())).remove(0);
    if !kernel_is_able(server_of(&answer)) {
        return;
    }
    assert!(open.is_empty(), "{open:?}");
    // The address is taken before the sandbox closes sockets, so the second server cannot have it.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = finish(program(&world, NEWEST, &["mcp", "--http", &address]), b"");
    assert_eq!(ran.status, Some(74), "{ran:?}");
}

#[test]
fn l01_the_status_is_true_for_each_version_and_require_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&script(folder.path(), "#!/bin/sh\necho answered\n")).set("enabled = true");
    let newest = lines(&finish(
        program(&world, NEWEST, &["call"]),
        READ_AND_WRITE.as_bytes(),
    ));
    if !kernel_is_able(server_of(&newest[0])) {
        return;
    }
    let lacks: [&[&str]; 7] = [
        &[
            "files",
            "truncation",
            "device-control",
            "signals",
            "abstract-sockets",
        ],
        &[
            "truncation",
            "device-control",
            "signals",
            "abstract-sockets",
        ],
        &[
            "truncation",
            "device-control",
            "signals",
            "abstract-sockets",
        ],
        &["device-control", "signals", "abstract-sockets"],
        &["device-control", "signals", "abstract-sockets"],
        &["signals", "abstract-sockets"],
        &[],
    ];
    for (version, lacks) in lacks.iter().enumerate() {
        let version = version.to_string();
        let ran = finish(
            program(&world, &version, &["read", "path=Home.md", "-j"]),
            b"",
        );
        let envelope = ran.json();
        let found = official(&envelope);
        let missing = found.get("missing").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(missing, json!(lacks), "{version}: {ran:?}");
        assert_eq!(envelope["stdout"], "answered\n", "{version}");
        let strict = ["--sandbox", "require", "read", "path=Home.md", "-j"];
        let ran = finish(program(&world, &version, &strict), b"");
        let server = ["--sandbox", "require", "call"];
        let from_server = finish(
            program(&world, &version, &server),
            READ_AND_WRITE.as_bytes(),
        );
        if lacks.is_empty() {
            assert_eq!(ran.json()["success"], true, "{ran:?}");
            assert_eq!(from_server.status, Some(0), "{from_server:?}");
        } else {
            assert_eq!(
                ran.json()["error"]["code"],
                "SANDBOX_UNAVAILABLE",
                "{version}"
            );
            assert_eq!(from_server.status, Some(69), "{version}: {from_server:?}");
        }
    }
}

#[test]
fn l06_after_confined_runs_the_server_still_runs_writes_and_records() {
    let Some(binary) = hostile(Linking::Dynamic) else {
        return;
    };
    let world = world(binary)
        .set("enabled = true")
        .set("allow_mutations = true");
    let input = READ_AND_WRITE.to_owned()
        + "{\"command\":\"append\",\"params\":{\"path\":\"new.md\",\"content\":\"y\"}}\n"
        + "{\"command\":\"read\",\"params\":{\"path\":\"new.md\"}}\n";
    let ran = finish(program(&world, NEWEST, &["call"]), input.as_bytes());
    let answers = lines(&ran);
    assert_eq!(answers.len(), 4, "{ran:?}");
    for answer in &answers {
        assert_eq!(answer["success"], true, "{answer:#}");
        assert_eq!(answer["meta"]["backend"], "obsidian");
        if kernel_is_able(official(answer)) {
            let tries = tries(answer["stderr"].as_str().unwrap());
            assert_eq!(
                tries.get("end").map(String::as_str),
                Some("ok"),
                "{tries:?}"
            );
        }
    }
    let read = answers[3]["stdout"].as_str().unwrap();
    assert_eq!(read.trim_end(), world.read("new.md").trim_end());
    let verified = world.run(&["audit", "verify", "-j"]);
    assert_eq!(verified.status, Some(0), "{verified:?}");
    let recorded = world.run(&["audit", "-j"]);
    assert!(recorded.text().contains("append"), "{recorded:?}");
}

#[test]
fn l07_what_cannot_be_confined_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs_err::read("/bin/sh").unwrap();
    let Some(at) = bytes.windows(3).position(|three| three == b"/ld") else {
        return;
    };
    // Its loader, which it must be able to execute, is not there.
    bytes[at + 1] = b'x';
    let binary = folder.path().join("no-loader");
    fs_err::write(&binary, bytes).unwrap();
    let world = world(&binary);
    let envelope = world.run(&["read", "path=Home.md", "-j"]).json();
    assert_eq!(
        envelope["error"]["code"], "SANDBOX_UNAVAILABLE",
        "{envelope:#}"
    );
    assert_eq!(envelope["error"]["details"]["started"], false);
}
