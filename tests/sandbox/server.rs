//! Code that has taken over a server gets nowhere, and the server still does its work.

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use super::official::{REFUSALS, assert_all_fail, kernel_is_able, official, script, tries, world};
use super::{NEWEST, program};
use crate::support::processes::{children_of, comes_true};
use crate::support::service::Service;
use crate::support::thin::{Hostile, hostile, skipped};
use crate::support::{Outcome as _, Ran, World, executable, finish};

const CASES: &str = include_str!("../data/sandbox_server.txt");

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
        .set("backend = \"embedded\"\nenabled = true")
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
            "chmod-open-note",
            "thread-chmod-open-note",
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
    finish(program(&world, NEWEST, &["mcp", "--http", &address]), b"").ended(74);
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
    // Without a file tree of its own, and the same for a server, which needs none.
    let lacks =
        tables::typed::<(Vec<&str>, bool)>(CASES, "l01 the status is true for each version");
    for (version, (lacks, server_is_whole)) in lacks.iter().enumerate() {
        let version = version.to_string();
        let ran = finish(
            program(
                &world,
                &version,
                &["--no-trees", "read", "path=Home.md", "-j"],
            ),
            b"",
        );
        let envelope = ran.json();
        let found = official(&envelope);
        let missing = found.get("missing").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(missing, json!(lacks), "{version}: {ran:?}");
        assert_eq!(envelope["stdout"], "answered\n", "{version}");
        let strict = [
            "--no-trees",
            "--sandbox",
            "require",
            "read",
            "path=Home.md",
            "-j",
        ];
        let ran = finish(program(&world, &version, &strict), b"");
        let server = ["--sandbox", "require", "call"];
        let from_server = finish(
            program(&world, &version, &server),
            READ_AND_WRITE.as_bytes(),
        );
        if lacks.is_empty() {
            ran.json().succeeds();
        } else {
            ran.json().fails_with("SANDBOX_UNAVAILABLE");
        }
        let status = if *server_is_whole { 0 } else { 69 };
        from_server.ended(status);
    }
}

#[test]
fn l01_a_file_tree_of_its_own_closes_abstract_sockets_on_older_kernels() {
    let Some(binary) = hostile(Hostile::Dynamic) else {
        return;
    };
    let world = world(binary);
    let name = SocketAddr::from_abstract_name(world.home.path().as_os_str().as_bytes()).unwrap();
    let _stranger = UnixListener::bind_addr(&name).unwrap();
    let words = ["--sandbox", "require", "read", "path=Home.md", "-j"];
    let envelope = finish(program(&world, "5", &words), b"").json();
    if envelope["success"] != true {
        assert_eq!(
            envelope["error"]["code"], "SANDBOX_UNAVAILABLE",
            "{envelope:#}"
        );
        skipped("this system lets nobody have a file tree of its own");
        return;
    }
    assert_eq!(
        *official(&envelope),
        json!({"state": "enforced", "landlockAbi": 5})
    );
    let tries = tries(envelope["stderr"].as_str().unwrap());
    for name in ["abstract-socket", "signal-parent", "signal-all"] {
        assert_ne!(tries[name], "ok", "{name}");
    }
    assert_eq!(envelope["stdout"], world.read("Home.md"));
}

#[test]
fn l08_nobody_reads_the_memory_of_a_server_or_its_helpers() {
    let Some(binary) = hostile(Hostile::Harmless) else {
        return;
    };
    let world = world(binary).set("enabled = true");
    world.write_settings();
    // Root may read everything, so nobody here has its rights.
    let without_rights = |program: &str, words: &[&str]| {
        let mut command = world.stand_in("without-rights");
        command.arg(program).args(words);
        command
    };
    let stand_in = world.stand_in("spy");
    let spied = |pid: u32| {
        let words = ["spy", &pid.to_string()];
        let spy = without_rights(stand_in.get_program().to_str().unwrap(), &words);
        finish(spy, b"").text().trim().to_owned()
    };
    let other = without_rights("/bin/cat", &[]).spawn().unwrap();
    let mut server = without_rights(env!("CARGO_BIN_EXE_vault-gw"), &["call"]);
    let (mut other, mut server) = (Ending(other), Ending(server.spawn().unwrap()));
    server.ask(r#"{"command":"read","params":{"path":"Home.md"}}"#);
    other.ask("ready");
    assert_eq!(spied(other.0.id()), "read", "the spy can spy");
    let number = |pid: i32| u32::try_from(pid).unwrap();
    let runner = number(children_of(server.0.id())[0]);
    // The guardian, and the helper that waits for the next run.
    assert!(comes_true(|| children_of(runner).len() == 2));
    let others = children_of(runner).into_iter().map(number);
    for pid in [server.0.id(), runner].into_iter().chain(others) {
        assert!(comes_true(|| spied(pid) == "refused"), "{pid}");
    }
    let limits = fs_err::read_to_string(format!("/proc/{}/limits", server.0.id())).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let numbers: Vec<&str> = core.unwrap().split_whitespace().skip(4).take(2).collect();
    assert_eq!(numbers, ["0", "0"]);
}

/// A process that answers lines. Ends when dropped.
struct Ending(std::process::Child);

impl Ending {
    /// Sends a line and waits for one.
    fn ask(&mut self, line: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = [0; 1];
        self.0
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut answer)
            .unwrap();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn l09_a_hook_in_a_server_over_http_gets_nowhere_and_the_server_answers() {
    let world = engine("allow_mutations = false");
    let mut command = program(
        &world,
        NEWEST,
        &["--hostile", "mcp", "--http", "127.0.0.1:0"],
    );
    let mut child = command.spawn().unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    while !(said.contains("http://") && said.contains("try end")) {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    let line = said.lines().find(|line| line.contains("http://")).unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .unwrap()
        .split("/mcp")
        .next()
        .unwrap();
    let token = fs_err::read_to_string(line.rsplit(" in ").next().unwrap().trim()).unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "obsidianCli", "arguments": {"command": "read", "params": {"path": "Home.md"}}}})
    .to_string();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        token.trim(),
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        answer.contains("\"isError\":false") || answer.contains("# Home"),
        "{answer}"
    );
    if !answer.contains("\"state\":\"enforced\"") {
        skipped("this kernel cannot confine a server completely");
        return;
    }
    let open: Vec<_> = tries(&said)
        .into_iter()
        .filter(|(name, result)| name != "end" && !REFUSALS.contains(&result.as_str()))
        .collect();
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn l09_a_server_outlives_its_runner_and_says_what_to_do() {
    let Some(binary) = hostile(Hostile::Harmless) else {
        return;
    };
    let confined = world(binary);
    let mut service = Service::start(&confined);
    let read = r#"{"command":"read","params":{"path":"Home.md"}}"#;
    assert_eq!(service.ask(read)["success"], true);
    let runner = *children_of(service.pid()).first().unwrap();
    let runner = Pid::from_raw(runner).unwrap();
    rustix::process::kill_process(runner, Signal::KILL).unwrap();
    let answer = service.ask(read);
    assert_eq!(answer["success"], false, "{answer:#}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Restart the server"),
        "{answer:#}"
    );
    let own = service.ask(r#"{"command":"capabilities"}"#);
    assert_eq!(own["success"], true, "{own:#}");
}

#[test]
fn l06_after_confined_runs_the_server_still_runs_writes_and_records() {
    let Some(binary) = hostile(Hostile::Dynamic) else {
        return;
    };
    let world = world(binary).set("allow_mutations = true\nenabled = true");
    let _other = UnixListener::bind(world.home.path().join("other.sock")).unwrap();
    let name = SocketAddr::from_abstract_name(world.home.path().as_os_str().as_bytes()).unwrap();
    let _stranger = UnixListener::bind_addr(&name).unwrap();
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
            // From the second run on by a helper that has waited.
            let has_tree = official(answer)["notCovered"].is_null();
            assert_all_fail(&tries(answer["stderr"].as_str().unwrap()), has_tree);
        }
    }
    let read = answers[3]["stdout"].as_str().unwrap();
    assert_eq!(read.trim_end(), world.read("new.md").trim_end());
    world.run(&["audit", "verify", "-j"]).ended(0);
    world.run(&["audit", "-j"]).shows("append");
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

#[test]
fn c02_an_interpreter_that_others_could_change_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    fs_err::create_dir(&open).unwrap();
    let interpreter = open.join("sh");
    executable(&interpreter, fs_err::read("/bin/sh").unwrap());
    let binary = folder.path().join("script");
    executable(&binary, format!("#!{}\nexit 0\n", interpreter.display()));
    let read = || world(&binary).run(&["read", "path=Home.md", "-j"]).json();
    let fine = read();
    assert_ne!(fine["error"]["code"], "SANDBOX_UNAVAILABLE", "{fine:#}");
    fs_err::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    let refused = read();
    assert_eq!(
        refused["error"]["code"], "SANDBOX_UNAVAILABLE",
        "{refused:#}"
    );
    assert_eq!(refused["error"]["details"]["started"], false);
}
