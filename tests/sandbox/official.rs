//! A command line that obeys an attacker gets nowhere, and still does its work.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{NEWEST, program};
use crate::support::processes::is_gone;
use crate::support::thin::{Hostile, hostile, skipped};
use crate::support::{Ran, World, executable, finish};

/// A world with everything that an attacker would like, and this command line.
pub(super) fn world(binary: &Path) -> World {
    let world = World::with_fixture_vault().with_thin(binary);
    let key = world.home.path().join(".ssh/id_ed25519");
    fs_err::create_dir_all(key.parent().unwrap()).unwrap();
    fs_err::write(&key, "secret").unwrap();
    fs_err::create_dir_all(world.home.state().join("vault-gw/audit")).unwrap();
    world
}

/// Errors of the operating system that mean that the sandbox said no: EPERM, EACCES, EXDEV (a move
/// out of a folder), ENOSYS (a call that is not there).
pub(super) const REFUSALS: [&str; 4] = ["1", "13", "18", "38"];

/// What a path leads to in a file tree without it: ENOENT, and EROFS for a new file.
const ABSENT: [&str; 2] = ["2", "30"];

/// What only a file tree of its own closes, on kernels before Landlock's version 9.
const OPEN_WITHOUT_TREE: [&str; 2] = ["pathname-socket", "stat-ssh-key"];

/// What became of each try, by name.
pub(super) fn tries(stderr: &str) -> BTreeMap<String, String> {
    let tries = stderr.lines().filter_map(|line| {
        let (name, result) = line.strip_prefix("try ")?.split_once(' ')?;
        Some((name.to_owned(), result.to_owned()))
    });
    tries.collect()
}

/// An executable script.
pub(super) fn script(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("script");
    executable(&path, text);
    path
}

/// Whether this kernel has all that the sandbox uses. A kernel without is said loudly.
pub(super) fn kernel_is_able(confinement: &Value) -> bool {
    let is_able = confinement["state"] == "enforced";
    if !is_able {
        skipped(&format!(
            "this kernel cannot confine completely: {confinement}"
        ));
    }
    is_able
}

pub(super) fn official(envelope: &Value) -> &Value {
    &envelope["meta"]["confinement"]["official"]
}

fn read(world: &World) -> Value {
    let ran: Ran = world.run(&["read", "path=Home.md", "-j"]);
    let envelope = ran.json();
    assert_eq!(envelope["meta"]["backend"], "obsidian", "{ran:?}");
    envelope
}

pub(super) fn assert_all_fail(tries: &BTreeMap<String, String>, has_tree: bool) {
    assert_eq!(
        tries.get("end").map(String::as_str),
        Some("ok"),
        "{tries:?}"
    );
    assert!(tries.len() >= 107, "{}", tries.len());
    let is_refusal =
        |result: &str| REFUSALS.contains(&result) || has_tree && ABSENT.contains(&result);
    let open: Vec<_> = tries
        .iter()
        .filter(|(name, _)| *name != "end")
        // The status says so.
        .filter(|(name, _)| has_tree || !OPEN_WITHOUT_TREE.contains(&name.as_str()))
        .filter(|(_, result)| !is_refusal(result))
        .collect();
    assert!(
        open.is_empty(),
        "succeeded, or failed for another reason: {open:?}"
    );
}

/// Runs the tries of one form, and then ordinary calls: as this system confines it, and with
/// Landlock and filters alone.
fn nothing_gets_out(binary: &Path) {
    nothing_gets_out_of(binary, &[]);
    nothing_gets_out_of(binary, &["--no-trees"]);
}

fn nothing_gets_out_of(binary: &Path, limits: &[&str]) {
    let world = world(binary);
    let other = UnixListener::bind(world.home.path().join("other.sock")).unwrap();
    let name = SocketAddr::from_abstract_name(world.home.path().as_os_str().as_bytes()).unwrap();
    let stranger = UnixListener::bind_addr(&name).unwrap();
    let words = [limits, &["read", "path=Home.md", "-j"]].concat();
    let envelope = finish(program(&world, NEWEST, &words), b"").json();
    let confinement = official(&envelope);
    if !kernel_is_able(confinement) {
        return;
    }
    let has_tree = limits.is_empty() && confinement["notCovered"].is_null();
    if limits.is_empty() && !has_tree {
        skipped("this system lets nobody have a file tree of its own");
    }
    assert_all_fail(&tries(envelope["stderr"].as_str().unwrap()), has_tree);
    // The app's socket answers all the same.
    assert_eq!(envelope["success"], true, "{envelope:#}");
    assert_eq!(envelope["stdout"].as_str().unwrap(), world.read("Home.md"));
    assert!(!world.vault.join("planted.md").exists());
    assert!(world.home.path().join(".ssh/id_ed25519").exists());
    assert!(other.as_raw_fd() != stranger.as_raw_fd());
}

#[test]
fn g05_l02_a_hostile_command_line_gets_nowhere() {
    if let Some(binary) = hostile(Hostile::Dynamic) {
        nothing_gets_out(binary);
    }
}

#[test]
fn l04_l05_its_signals_sockets_and_system_calls_fail() {
    let Some(binary) = hostile(Hostile::Dynamic) else {
        return;
    };
    let world = world(binary);
    let name = SocketAddr::from_abstract_name(world.home.path().as_os_str().as_bytes()).unwrap();
    let _stranger = UnixListener::bind_addr(&name).unwrap();
    let envelope = read(&world);
    if !kernel_is_able(official(&envelope)) {
        return;
    }
    let tries = tries(envelope["stderr"].as_str().unwrap());
    for name in "signal-parent abstract-socket tcp udp-socket io-uring user-namespace".split(' ') {
        assert!(
            REFUSALS.contains(&tries[name].as_str()),
            "{name}: {}",
            tries[name]
        );
    }
}

#[test]
fn l10_a_static_one_is_confined_in_the_same_way() {
    if let Some(binary) = hostile(Hostile::Static) {
        nothing_gets_out(binary);
    }
}

#[test]
fn l10_one_of_40_mebibytes_is_confined_in_the_same_way() {
    let Some(binary) = hostile(Hostile::Dynamic) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large");
    let mut bytes = fs_err::read(binary).unwrap();
    bytes.resize(40 << 20, 0);
    executable(&large, bytes);
    nothing_gets_out(&large);
}

#[test]
fn l05_a_32_bit_call_ends_the_command_line() {
    let Some(binary) = hostile(Hostile::OldCalls) else {
        return;
    };
    let envelope = read(&world(binary));
    if !kernel_is_able(official(&envelope)) {
        return;
    }
    assert_eq!(envelope["success"], false, "{envelope:#}");
    assert!(!envelope.to_string().contains("old-calls"), "{envelope:#}");
}

#[test]
fn l05_one_that_ignores_its_end_is_gone_at_its_end() {
    let Some(binary) = hostile(Hostile::Lingering) else {
        return;
    };
    let world = world(binary);
    let ran = world.run(&["--timeout-ms", "1000", "read", "path=Home.md", "-j"]);
    let envelope = ran.json();
    assert_eq!(envelope["error"]["code"], "TIMEOUT", "{ran:?}");
    assert!(envelope["stderr"].as_str().unwrap().contains("try end ok"));
    let pid = envelope["meta"]["process"]["pid"].as_i64().unwrap();
    assert!(is_gone(i32::try_from(pid).unwrap()));
}

#[test]
fn l01_doctor_tries_the_sandbox() {
    let Some(binary) = hostile(Hostile::Harmless) else {
        return;
    };
    let world = world(binary);
    let known = read(&world);
    let ran = world.run(&["doctor", "-j"]);
    let text = ran.text();
    let says = |words: &str| assert!(text.contains(words), "{words}: {text}");
    if !kernel_is_able(official(&known)) {
        return;
    }
    says("Obsidian's command line is confined");
    let has_tree = official(&known)["notCovered"].is_null();
    assert_eq!(
        !text.contains("Unix sockets with a path"),
        has_tree,
        "{text}"
    );
}

#[test]
fn l01_off_is_off_and_the_envelope_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&script(
        folder.path(),
        "#!/bin/sh\ncat \"$HOME/.ssh/id_ed25519\"\n",
    ));
    let envelope = read(&world);
    assert!(
        !envelope["stdout"].as_str().unwrap().contains("secret"),
        "{envelope:#}"
    );
    let envelope = read(&world.set("sandbox = \"off\""));
    assert_eq!(*official(&envelope), json!({"state": "off"}));
    assert_eq!(envelope["stdout"], "secret", "{envelope:#}");
}

/// What an interpreter can try without C.
const PYTHON: &str = include_str!("../data/sandbox_official_python.py");

const NODE: &str = include_str!("../data/sandbox_official_node.js");

/// What a shell can try: it answers by itself, since it has no sockets.
const SHELL: &str = include_str!("../data/sandbox_official_shell.sh");

fn script_gets_nowhere(first_line: &str, text: &str, is_answered: bool) {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&script(folder.path(), &format!("{first_line}\n{text}")));
    let envelope = read(&world);
    let confinement = official(&envelope);
    if !kernel_is_able(confinement) {
        return;
    }
    let tries = tries(envelope["stderr"].as_str().unwrap());
    assert_eq!(
        tries.get("end").map(String::as_str),
        Some("ok"),
        "{first_line}: {envelope:#}"
    );
    let open: Vec<_> = tries
        .iter()
        .filter(|(name, result)| {
            *name != "end"
                && !REFUSALS.contains(&result.as_str())
                && !ABSENT.contains(&result.as_str())
        })
        .collect();
    assert!(open.is_empty(), "{first_line}: {open:?}");
    let answer = envelope["stdout"].as_str().unwrap();
    if is_answered {
        assert_eq!(answer, world.read("Home.md"), "{first_line}");
    } else {
        assert_eq!(answer, "answered\n", "{first_line}: {envelope:#}");
    }
}

/// Whether the interpreter is here; said loudly where it is not.
fn is_here(program: &str) -> bool {
    let is_here = Path::new(program).exists();
    if !is_here {
        skipped(&format!("this machine has no {program}"));
    }
    is_here
}

#[test]
fn l10_a_shell_script_is_confined_in_the_same_way() {
    for shell in ["/bin/sh", "/bin/bash"] {
        if is_here(shell) {
            script_gets_nowhere(&format!("#!{shell}"), SHELL, false);
        }
    }
}

#[test]
fn l10_a_python_script_is_confined_in_the_same_way() {
    if is_here("/usr/bin/python3") {
        script_gets_nowhere("#!/usr/bin/python3", PYTHON, true);
        script_gets_nowhere("#!/usr/bin/env python3", PYTHON, true);
    }
}

#[test]
fn l10_a_node_script_is_confined_in_the_same_way() {
    if is_here("/usr/bin/node") {
        script_gets_nowhere("#!/usr/bin/env node", NODE, true);
    }
}
