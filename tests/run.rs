//! The fence of `vault-gw run`: what a program in it sees, and that nothing of it stays.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::support::processes::comes_true;
use crate::support::pty::{Pty, Session};
use crate::support::thin::skipped;
use crate::support::{Ran, World, executable, finish, has, lacks, write_private};

const CASES: &str = include_str!("data/run.txt");

/// How a system lets us fence a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With a file tree and processes of its own.
    Tree,
    /// With rules for files alone.
    Rules,
}

/// The program, fencing a line of shell in this way.
fn fencing(world: &World, way: Way, options: &[&str], script: &str) -> Command {
    let mut command = fencing_program(world, way, options, Path::new("/bin/sh"));
    command.args(["-c", script]);
    command
}

fn fencing_program(world: &World, way: Way, options: &[&str], program: &Path) -> Command {
    world.write_settings();
    let mut command = world.stand_in("program");
    if way == Way::Rules {
        command.arg("--no-trees");
    }
    command.args(["99", "run"]).args(options);
    command.arg("--").arg(program);
    command
}

fn fenced(world: &World, way: Way, options: &[&str], script: &str) -> Ran {
    finish(fencing(world, way, options, script), b"typed\n")
}

/// The ways that there are here, tried once for all tests. Prints those that there are not.
fn ways() -> Vec<Way> {
    static WAYS: OnceLock<Vec<Way>> = OnceLock::new();
    let ways = WAYS.get_or_init(|| {
        let world = World::with_fixture_vault().set("enabled = true");
        let mut ways = vec![Way::Tree, Way::Rules];
        ways.retain(|way| {
            let ran = fenced(&world, *way, &[], "true");
            let falls_short = *way == Way::Tree && ran.stderr.contains("no file tree of its own");
            let works = ran.status == Some(0) && !falls_short;
            if !works {
                let is_closed = ran.stderr.contains("SANDBOX_UNAVAILABLE");
                assert!(falls_short || is_closed, "{ran:?}");
                let why = &ran.stderr;
                skipped(&format!("this system has no fence by {way:?}: {why}"));
            }
            works
        });
        ways
    });
    ways.clone()
}

/// Whether a process with this word on its command line runs.
fn runs(word: &str) -> bool {
    let processes = fs_err::read_dir("/proc").unwrap().flatten();
    let lines = processes.map(|entry| fs_err::read_to_string(entry.path().join("cmdline")));
    let mut lines = lines.filter_map(Result::ok);
    lines.any(|line| line.split('\0').any(|it| it == word))
}

/// A number of seconds that no other test sleeps.
fn long_time(name: &str) -> String {
    let own = std::process::id();
    format!("98765{}{own}", name.len())
}

#[test]
fn a_program_sees_the_copy_and_nothing_else_of_the_user() {
    for way in ways() {
        let world = World::with_fixture_vault().set("enabled = true");
        fs_err::write(world.scratch().join("secret"), "secret").unwrap();
        let home = world.read("Home.md");
        let vault = world.vault.display();
        let secret = world.scratch().join("secret").display().to_string();
        let settings = world.write_settings().display().to_string();
        let (secret, own_settings) = (secret.as_str(), settings.as_str());
        let note = format!("{vault}/Home.md");
        let is_kept = || assert_eq!(fs_err::read_to_string(secret).unwrap(), "secret", "{way:?}");
        for path in [secret, own_settings, "/proc/1/environ", "/etc/shadow"] {
            fenced(&world, way, &[], &format!("cat '{path}'")).prints("");
        }
        let ran = fenced(&world, way, &[], "cat Home.md");
        ran.ended(0);
        ran.prints(&home);
        let ran = fenced(&world, way, &[], &format!("cat '{note}'"));
        assert_eq!(ran.status == Some(0), way == Way::Tree, "{ran:?}");
        let change =
            format!("echo changed >Home.md; echo changed >'{note}'; echo x >'{secret}'; true");
        let ran = fenced(&world, way, &[], &change);
        ran.ended(0);
        assert_eq!(world.read("Home.md"), home, "{way:?}");
        is_kept();
        let script = format!("cat '{secret}'; echo x >'{secret}'");
        let ran = fenced(&world, way, &["--allow-read", secret], &script);
        ran.prints("secret");
        is_kept();
        for path in [note.as_str(), own_settings] {
            fenced(&world, way, &["--allow-read", path], "true").ended(64);
        }
    }
}

#[test]
fn a_folder_around_what_is_closed_opens_only_the_rest() {
    let world = World::with_fixture_vault().set("enabled = true");
    fs_err::write(world.scratch().join("other"), "other").unwrap();
    let around = world.vault.parent().unwrap().display().to_string();
    for way in ways() {
        let script = format!(
            "find '{around}' -name settings.toml; cat '{}/other'; cat '{}/Home.md'",
            world.scratch().display(),
            world.vault.display(),
        );
        let ran = fenced(&world, way, &["--allow-read", &around], &script);
        let text = String::from_utf8(ran.stdout).unwrap();
        assert!(text.starts_with("other"), "{way:?} {text:?} {}", ran.stderr);
        let copy = (way == Way::Tree).then(|| world.read("Home.md"));
        assert_eq!(text["other".len()..], copy.unwrap_or_default(), "{way:?}");
        // With the right to write, a program could rename a folder above what is closed.
        let ran = fenced(&world, way, &["--allow-write", &around], "true");
        ran.ended(64);
        ran.reports("pass a folder in it");
        let scratch = world.scratch().display().to_string();
        let ran = fenced(&world, way, &["--allow-write", &scratch], "true");
        ran.ended(0);
        // A settings file that is replaced would be closed no longer.
        let named = world.scratch().join("named.toml");
        fs_err::rename(world.write_settings(), &named).unwrap();
        let settings = named.display().to_string();
        let options = ["--settings", &settings, "--allow-read", &scratch];
        fenced(&world, way, &options, "true").ended(64);
    }
}

#[test]
fn what_the_gateway_makes_during_a_run_is_closed_too() {
    let world = World::with_fixture_vault().set("enabled = true");
    let around = world.home.cache().display().to_string();
    let cache = world.home.cache().join("vault-gw");
    for way in ways() {
        // That of an earlier run does not count.
        fs_err::create_dir_all(&cache).unwrap();
        fs_err::remove_dir_all(&cache).unwrap();
        let time = long_time("cache");
        let script = format!(
            "sleep {time} & while test -e go.md; do sleep 0.1; done; cat '{}/made'",
            cache.display()
        );
        world.write("go.md", "");
        let outer = fencing(&world, way, &["--allow-read", &around], &script).spawn();
        assert!(comes_true(|| runs(&time)), "{way:?}");
        fs_err::write(cache.join("made"), "closed").unwrap();
        fs_err::remove_file(world.vault.join("go.md")).unwrap();
        let ran = outer.unwrap().wait_with_output().unwrap();
        assert!(ran.stdout.is_empty(), "{way:?} {ran:?}");
    }
}

#[test]
fn settings_hold_while_a_program_runs_and_a_typo_does_not_end_it() {
    let mut world = World::empty().set("backend = \"embedded\"\nenabled = true");
    world.write("closed.md", "closed\n");
    for way in ways() {
        let (first, second) = (long_time("one"), long_time("second"));
        let script = format!(
            "sleep {first} & while ! test -e go.md; do sleep 0.1; done; sleep {second} & \
             while test -e closed.md; do sleep 0.1; done; echo left"
        );
        let outer = fencing(&world, way, &[], &script).spawn();
        assert!(comes_true(|| runs(&first)), "{way:?}");
        let file = world.write_settings();
        // At once: calls are turned off in a file that is still empty.
        let new = file.with_extension("new");
        let replace = |text: &str| {
            write_private(&new, text);
            fs_err::rename(&new, &file).unwrap();
        };
        replace("enabled = tru");
        world.write("go.md", "");
        assert!(comes_true(|| runs(&second)), "{way:?}");
        let open = world.settings.clone();
        world.settings += "\n[paths]\ndeny = [\"closed.md\"]\n";
        replace(&world.settings);
        let ran = outer.unwrap().wait_with_output().unwrap();
        assert_eq!(ran.stdout, b"left\n", "{way:?} {ran:?}");
        world.settings = open;
        fs_err::remove_file(world.vault.join("go.md")).unwrap();
    }
}

#[test]
fn options_of_the_run_hold_inside() {
    let world = World::empty().set("backend = \"embedded\"\nenabled = true");
    world.write("a.md", "alpha\n");
    if !ways().contains(&Way::Tree) {
        return;
    }
    let script = "vault-gw read path=a.md; vault-gw --tier v1 read path=a.md; \
        vault-gw search query=alpha 2>/dev/null || echo closed; \
        vault-gw --tier v3 search query=alpha 2>/dev/null || echo refused";
    fenced(&world, Way::Tree, &["--tier", "v1"], script).prints("alpha\nalpha\nclosed\nrefused\n");
}

/// Fences a program with this name, which is a line of shell.
fn fenced_as(world: &World, way: Way, name: &str, script: &str) -> Ran {
    let program = world.scratch().join(name);
    executable(&program, format!("#!/bin/sh\n{script}\n"));
    finish(fencing_program(world, way, &[], &program), b"")
}

#[test]
fn the_home_of_a_program_is_its_own() {
    let world = World::with_fixture_vault().set("enabled = true");
    let home = world.home.path();
    let settings = home.join(".claude");
    fs_err::create_dir_all(settings.join("projects")).unwrap();
    fs_err::write(settings.join("settings.json"), "{}").unwrap();
    fs_err::write(settings.join("projects/x.jsonl"), "closed").unwrap();
    let named = || {
        let entries = fs_err::read_dir(&settings).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let tokens = r#"{"x":{"accessToken":"old"}}"#;
    let real = home.display();
    for way in ways() {
        let fenced = |script: &str| fenced_as(&world, way, "claude", script);
        fs_err::write(settings.join(".credentials.json"), tokens).unwrap();
        let ran = fenced("cat ~/.claude/settings.json ~/.claude/.credentials.json");
        ran.prints(&format!("{{}}{tokens}"));
        let closed = ".claude/projects/x.jsonl";
        fenced(&format!("cat '{real}/{closed}' ~/{closed}")).prints("");
        // What it leaves stays in its own home, whatever it leads to.
        let ran = fenced(&format!(
            "echo x >~/.claude/settings.json; echo x >~/.claude/settings.local.json; echo x >'{real}/.claude/CLAUDE.md'; \
             mkdir -p ~/.claude/hooks; echo kept >~/.claude/kept; cat ~/.claude/kept; \
             echo '{{\"x\":{{\"accessToken\":\"new\"}}}}' >~/.claude/.credentials.json; true"
        ));
        ran.prints("kept\n");
        assert_eq!(named(), [".credentials.json", "projects", "settings.json"]);
        assert_eq!(fs_err::read(settings.join("settings.json")).unwrap(), b"{}");
        // They may be those of another account, so only a person at a terminal brings them back.
        let tokens = fs_err::read_to_string(settings.join(".credentials.json")).unwrap();
        assert!(tokens.contains("old"), "{way:?} {tokens} {ran:?}");
        ran.reports("stay in its own home");
        let ran = fenced("cat ~/.claude/.credentials.json");
        ran.shows("new");
        // Another program has another home.
        let script = "cat ~/.claude/kept ~/.claude/.credentials.json";
        fenced_as(&world, way, "other", script).prints("");
        assert_eq!(fenced("cat ~/.claude/kept").stdout, b"kept\n", "{way:?}");
        let traps = [
            format!("ln -s '/.vault-gw-old{real}/.claude' ~/.claude"),
            format!("ln -s '{real}/.claude' ~/.claude"),
            "mkdir ~/.claude; ln -s /etc/passwd ~/.claude/settings.json".into(),
            "echo x >~/.claude".into(),
        ];
        for (number, trap) in traps.iter().enumerate() {
            let trap = format!("mkdir -p ~/x; mv ~/.claude ~/x/{way:?}{number} && {trap}");
            let ran = fenced(&trap);
            ran.ended(0);
            fenced("cat ~/.claude/settings.json").prints("{}");
            assert_eq!(named(), [".credentials.json", "projects", "settings.json"]);
        }
    }
}

#[test]
fn without_namespaces_no_other_program_answers() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !ways().contains(&Way::Rules) || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    for (line, closed) in
        tables::typed::<(&str, bool)>(CASES, "without namespaces no other program")
    {
        let ran = fenced(&world, Way::Rules, &[], &format!("python3 -c \"{line}\""));
        assert_eq!(ran.status, Some(i32::from(closed)), "{line} {ran:?}");
    }
}

#[test]
fn streams_and_the_exit_status_pass_through() {
    let world = World::with_fixture_vault().set("enabled = true");
    for way in ways() {
        for (script, status, printed) in
            tables::typed::<(&str, i32, &str)>(CASES, "streams and the exit status pass through")
        {
            let mut command = fencing(&world, way, &[], script);
            command.envs(["SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "DISPLAY"].map(|name| (name, "/x")));
            let ran = finish(command, b"typed\n");
            ran.ended(status);
            ran.prints(printed);
        }
    }
}

/// A shell that leads the session of a terminal, and runs a script with the words of a command.
fn at_a_terminal(world: &World, script: &str, inner: &Command) -> Option<Session> {
    let programs = ["/usr/bin/setsid", "/bin/bash"];
    if !programs.iter().all(|program| Path::new(program).exists()) {
        skipped("this machine has no setsid or no bash to take a terminal with");
        return None;
    }
    let mut shell = world.command(Path::new("/usr/bin/setsid"));
    shell.args(["-c", "-w", "/bin/bash", "-c", script, "bash"]);
    shell.arg(inner.get_program()).args(inner.get_args());
    Some(Pty::sized(77, 33).start(shell))
}

#[test]
fn m06_the_terminal_is_left_as_it_was() {
    let world = World::with_fixture_vault().set("enabled = true");
    for way in ways() {
        let script = "test -t 0 && test -t 1 && test -t 2 && stty size </dev/tty; stty raw -echo; \
            printf '\\033[?1049h\\033[?1000h\\033[?25l\\033[8m\\033]2;title'";
        let inner = fencing(&world, way, &[], script);
        let outer = "\"$@\"; echo ended; stty -a; sleep 0";
        let Some(mut session) = at_a_terminal(&world, outer, &inner) else {
            return;
        };
        session.wait_for("echoke");
        let (_, screen, _) = session.finish();
        let screen = String::from_utf8(screen).unwrap();
        let (before, after) = screen.split_once("ended\r\n").unwrap();
        let undo = "\u{18}\x1b\\\x1b[?1049l\x1b[?1000l\x1b[?25h\x1b[0m\x1b[23;0t";
        has(&before, &["33 77\r\n\x1b[22;0t\x1b[?1049h", undo]);
        let after: Vec<&str> = after.split_ascii_whitespace().collect();
        for mode in ["icanon", "echo", "isig", "opost"] {
            assert!(after.contains(&mode), "{way:?} {mode} {after:?}");
        }
    }
}

#[test]
fn m06_what_is_typed_at_the_shell_is_not_for_a_program_in_the_background() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !Path::new("/usr/bin/python3").exists() {
        skipped("there is no python3");
        return;
    }
    let script = "python3 -c \"import os, signal
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
tty = os.open('/dev/tty', 2)
os.tcsetpgrp(tty, os.getpid())
print('taken', flush=True)
print('stolen', os.read(tty, 9), flush=True)\"";
    for way in ways() {
        let inner = fencing(&world, way, &[], script);
        let shell = "set -m; \"$@\" & read -r line; echo \"got $line\"; kill -KILL %1; wait";
        let Some(mut session) = at_a_terminal(&world, shell, &inner) else {
            return;
        };
        session.when("taken", "hello\n");
        session.wait_for("got hello");
        let (_, screen, _) = session.finish();
        lacks(&String::from_utf8_lossy(&screen), &["stolen"]);
    }
}

#[test]
fn a_program_in_a_pipeline_gets_the_keyboard_when_it_reads() {
    let world = World::with_fixture_vault().set("enabled = true");
    for way in ways() {
        let script = "read -r line </dev/tty; echo \"read $line\"";
        let inner = fencing(&world, way, &[], script);
        let outer = "set -m; echo ready; \"$@\" | cat";
        let Some(mut session) = at_a_terminal(&world, outer, &inner) else {
            return;
        };
        session.when("ready", "keys\n");
        session.wait_for("read keys");
        assert_eq!(session.finish().0, Some(0), "{way:?}");
    }
}

#[test]
fn no_right_can_come_back() {
    let world = World::with_fixture_vault().set("enabled = true");
    if ways().contains(&Way::Tree) {
        fenced(&world, Way::Tree, &[], "grep CapBnd /proc/self/status")
            .prints("CapBnd:\t0000000000000000\n");
    }
}

#[test]
fn nothing_stays_when_the_program_ends() {
    let world = World::with_fixture_vault().set("enabled = true");
    let time = long_time("ends");
    for way in ways() {
        let script = format!(
            "sleep {time} & setsid sleep {time} & (setsid sh -c 'sleep {time} & sleep {time}' &); exit 3"
        );
        fenced(&world, way, &[], &script).ended(3);
        assert!(!runs(&time), "{way:?}");
    }
}

#[test]
fn nothing_stays_when_this_program_is_killed() {
    let world = World::with_fixture_vault().set("enabled = true");
    let time = long_time("killed");
    for way in ways() {
        let script = format!("setsid sleep {time} & sleep {time}");
        let mut outer = fencing(&world, way, &[], &script).spawn().unwrap();
        assert!(comes_true(|| runs(&time)), "{way:?}");
        outer.kill().unwrap();
        outer.wait().unwrap();
        assert!(comes_true(|| !runs(&time)), "{way:?}");
    }
}

#[test]
fn a_request_to_end_reaches_the_program() {
    let world = World::with_fixture_vault().set("enabled = true");
    let time = long_time("a request");
    for way in ways() {
        let script = format!("trap 'exit 5' TERM; sleep {time} & wait");
        let mut outer = fencing(&world, way, &[], &script).spawn().unwrap();
        assert!(comes_true(|| runs(&time)), "{way:?}");
        let pid = rustix::process::Pid::from_child(&outer);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(outer.wait().unwrap().code(), Some(5), "{way:?}");
        assert!(!runs(&time), "{way:?}");
    }
}

#[test]
fn other_sandboxes_start_inside() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !ways().contains(&Way::Tree) {
        return;
    }
    for line in [
        "unshare -Urmp --fork sh -c 'mount -t tmpfs x /mnt || mount -t tmpfs x /tmp; echo in'",
        "bwrap --ro-bind / / --dev /dev --unshare-pid --unshare-net --tmpfs /tmp echo in",
    ] {
        let program = line.split(' ').next().unwrap();
        if !Path::new("/usr/bin").join(program).exists() {
            skipped(&format!("there is no {program}"));
            continue;
        }
        fenced(&world, Way::Tree, &[], line).prints("in\n");
    }
}

#[test]
fn without_a_network_nothing_answers() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !Path::new("/bin/bash").exists() {
        skipped("there is no bash");
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let script = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached");
    for way in ways() {
        let named = port.to_string();
        // A service of the person is closed unless its port is named.
        for (options, printed) in [
            (&["--network", "on", "--port", &named][..], "reached\n"),
            (&["--network", "on"], ""),
            (&["--network", "off"], ""),
        ] {
            fenced(&world, way, options, &script).prints(printed);
        }
        for (port, printed) in [(named.as_str(), "reached\n"), ("40009", "")] {
            let options = ["--network", "loopback", "--port", port];
            let ran = fenced(&world, way, &options, &script);
            let printed = if way == Way::Tree { printed } else { "" };
            ran.prints(printed);
        }
    }
}

#[test]
fn m04_only_named_hosts_answer_through_the_proxy() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !ways().contains(&Way::Tree) || !Path::new("/bin/bash").exists() {
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let ask = |target: &str| {
        format!(
            "bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf \"CONNECT {target} HTTP/1.1\\r\\n\\r\\n\" >&3; head -c 12 <&3; echo'; "
        )
    };
    let named = format!("localhost:{port}");
    let targets = [named.as_str(), "other.example:443", "localhost:1"];
    let script = targets.map(ask).concat();
    let direct = format!(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached; echo $HTTPS_PROXY"
    );
    let network = format!("allow:{named},127.0.0.1:{port}");
    let options = ["--network", network.as_str()];
    let ran = fenced(&world, Way::Tree, &options, &(script + &direct));
    let answers = "HTTP/1.1 200\nHTTP/1.1 403\nHTTP/1.1 403\nhttp://127.0.0.1:3128\n";
    ran.prints(answers);
    ran.reports("did not reach other.example:443 (1 time)");
    for wrong in ["allow:", "allow:http://a", "some"] {
        fenced(&world, Way::Tree, &["--network", wrong], "true").ended(64);
    }
}

#[test]
fn m04_a_folder_for_reading_shows_no_sockets_and_no_pipes() {
    let world = World::with_fixture_vault().set("enabled = true");
    let folder = world.scratch().join("shown");
    fs_err::create_dir_all(folder.join("below")).unwrap();
    fs_err::write(folder.join("below/file"), "text").unwrap();
    let _bound = std::os::unix::net::UnixListener::bind(folder.join("below/socket")).unwrap();
    let pipe = folder.join("below/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let shown = folder.display().to_string();
    for way in ways() {
        let script = format!(
            "cat '{shown}/below/file'; test -e '{shown}/below/socket' && echo socket; \
             (echo x 1<>'{shown}/below/pipe') && echo written"
        );
        let ran = fenced(&world, way, &["--allow-read", &shown], &script);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.starts_with("text"), "{way:?} {ran:?}");
        lacks(&text, &["written"]);
        // Rules close the socket, and cannot hide that it is there.
        let is_shown = text.contains("socket");
        assert!(way == Way::Rules || !is_shown, "{way:?} {ran:?}");
        for path in [pipe.display().to_string().as_str(), "/dev", "/proc"] {
            fenced(&world, way, &["--allow-read", path], "true").ended(64);
        }
        let ran = fenced(&world, way, &["--allow-read", "/run"], "true");
        ran.ended(0);
        let has_no_tree = ran.stderr.contains("no file tree of its own");
        assert_eq!(has_no_tree, way == Way::Rules, "{ran:?}");
    }
}

#[test]
fn a_vault_below_the_folder_of_devices_has_a_tree_too() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        skipped("there is no /dev/shm");
        return;
    };
    let mut world = World::empty().set("backend = \"embedded\"\nenabled = true");
    if !ways().contains(&Way::Tree) {
        return;
    }
    world.vault = fs_err::canonicalize(folder.path()).unwrap();
    fs_err::create_dir(world.vault.join(".obsidian")).unwrap();
    world.write("a.md", "alpha\n");
    let script = "cat a.md; ls -A /dev/shm; echo x >/dev/null";
    let vault = world.vault.display().to_string();
    let ran = fenced(&world, Way::Tree, &["--vault", &vault], script);
    // Only the vault is there, and the home of the program if this world is in memory.
    let scratch = world.scratch();
    let own = [folder.path(), scratch.parent().unwrap()];
    let mut lines = ran.text().lines();
    assert_eq!(lines.next(), Some("alpha"), "{ran:?}");
    let is_own = |name| own.iter().any(|own| own.ends_with(name));
    assert!(lines.all(is_own), "{ran:?}");
    ran.omits("no file tree");
}

#[test]
fn the_summary_names_what_waits_and_what_is_left_out() {
    let world = World::empty()
        .set("enabled = true")
        .set("backend = \"embedded\"\ndrafts = \"all\"\nallow_mutations = true")
        .with_tables("[agents.helper]\n");
    for way in ways() {
        world.write("a.md", "alpha\n");
        let script = format!(
            "echo {way:?} >>a.md; echo t >t.md; ln -s a.md l.md; echo x >.env; sleep 1; rm t.md; sleep 1"
        );
        let ran = fenced(&world, way, &["--agent", "helper"], &script);
        ran.ended(0);
        let vault = world.vault.display();
        ran.reports(&format!("vault {vault}, agent helper, network on"));
        ran.reports("1 change of the program in the draft");
        ran.reports("change  a.md");
        ran.reports("l.md was not taken over");
        ran.reports(".env was not taken over");
        ran.omits("t.md");
        // A look is not kept out by a run that works.
        let time = long_time("looked at");
        let script = format!("rm l.md .env; sleep {time}");
        let outer = fencing(&world, way, &["--agent", "helper"], &script).spawn();
        assert!(comes_true(|| runs(&time)), "{way:?}");
        world.run_line("--agent helper run --status").ended(0);
        fenced(&world, way, &["--agent", "helper"], "true")
            .reports("add another agent to the settings");
        let mut outer = outer.unwrap();
        outer.kill().unwrap();
        outer.wait().unwrap();
        assert!(comes_true(|| !runs(&time)), "{way:?}");
    }
    let helper = ["--agent", "helper"];
    fenced(&world, Way::Rules, &helper, "ln -s a.md l.md").ended(0);
    let status = world.run_line("--agent helper run --status");
    status.shows("not taken over: l.md: it is a symbolic link");
    for [line, expected] in tables::section(CASES, "the summary names what waits") {
        let ran = world.run_line(line);
        ran.ended(64);
        ran.reports(expected);
    }
}

#[test]
fn the_summary_is_true_of_what_is_in_the_draft() {
    let world = World::empty().set("enabled = true\nbackend = \"embedded\"");
    world.write("a.md", "alpha\n");
    world.write("b/c.md", "gamma\n");
    for way in ways() {
        for [script, expected, not] in tables::section(CASES, "the summary is true of what") {
            let ran = fenced(&world, way, &[], script);
            ran.reports(expected);
            ran.omits(not);
        }
        world.run_line("run --discard").ended(0);
    }
}

#[test]
fn a_shell_of_a_login_finds_the_gateway() {
    let world = World::with_fixture_vault().set("enabled = true");
    let git = "[user]\nname = A\n[github]\ntoken = secret\n";
    fs_err::write(world.home.path().join(".gitconfig"), git).unwrap();
    if !ways().contains(&Way::Tree) || !Path::new("/bin/bash").exists() {
        return;
    }
    let script = "bash -lc 'command -v vault-gw'; cat ~/.gitconfig";
    let ran = fenced(&world, Way::Tree, &[], script);
    ran.prints("/.vault-gw/vault-gw\n[user]\n\tname = A\n");
}

#[test]
fn m05_nothing_in_the_kernel_but_addresses_is_configured() {
    let world = World::with_fixture_vault().set("enabled = true");
    if !Path::new("/usr/bin/python3").exists() {
        skipped("there is no python3");
        return;
    }
    for way in ways() {
        for (line, closed) in
            tables::typed::<(&str, bool)>(CASES, "m05 nothing in the kernel but addresses")
        {
            let script = format!("python3 -c \"import socket; {line}\" 2>&1");
            let ran = fenced(&world, way, &[], &script);
            ran.ended(i32::from(closed));
            let is_refused = ran.text().contains("Operation not permitted");
            assert!(!closed || is_refused, "{line} {ran:?}");
        }
    }
}

/// Without namespaces nothing but the filter divides processes of one user. As root the kernel refuses this anyway, so
/// this is about the program's own process, named by its id.
#[test]
fn m03_without_namespaces_only_its_own_priority_is_changed() {
    let world = World::with_fixture_vault().set("enabled = true");
    for way in ways() {
        for (line, works) in [
            ("nice -n 5 true", true),
            ("renice -n 5 -p $$", way == Way::Tree),
            ("renice -n 5 -u $(id -u)", way == Way::Tree),
            ("taskset -p 1 $$", way == Way::Tree),
            ("ionice -c 3 -p $$", way == Way::Tree),
        ] {
            let program = line.split(' ').next().unwrap();
            let script = format!("command -v {program} >/dev/null || exit 77; {line}");
            let ran = fenced(&world, way, &[], &script);
            let is_done = ran.status == Some(0);
            let is_missing = ran.status == Some(77);
            assert!(is_missing || is_done == works, "{way:?} {line} {ran:?}");
        }
    }
}

#[test]
fn what_a_program_writes_waits_in_the_draft_of_its_agent() {
    let world = World::empty()
        .set("backend = \"embedded\"\npaths.deny = [\"Private/**\"]\nenabled = true")
        .with_tables("[agents.helper]\n");
    world.write("a.md", "alpha\n");
    world.write("b.md", "beta\n");
    world.write("Private/s.md", "secret marker\n");
    if !ways().contains(&Way::Tree) {
        return;
    }
    // A call comes after what the program wrote before.
    let script = "ls; echo more >>a.md; mv b.md c.md; vault-gw read path=c.md; echo last >>a.md; \
        vault-gw append path=a.md content=asked >/dev/null; vault-gw review 2>&1; \
        vault-gw create path=x.md content=@/etc/passwd 2>&1; vault-gw search query=marker; \
        vault-gw read path=Private/s.md 2>&1; \
        grep -r marker . /tmp; exit 7";
    let ran = fenced(&world, Way::Tree, &["--agent", "helper"], script);
    ran.ended(7);
    assert!(ran.text().starts_with("a.md\nb.md\nbeta\n"), "{ran:?}");
    ran.shows("cannot use this command");
    ran.shows("to read text from a file");
    ran.shows("sets the path rules");
    ran.shows_not("settings show");
    ran.shows_not("secret");
    // Nor does an agent without a name read a file of the outside, or approve its own call.
    let script = "vault-gw create path=x.md content=@/etc/passwd 2>&1; vault-gw delete path=a.md permanent 2>&1";
    let ran = fenced(&world, Way::Tree, &[], script);
    ran.shows("to read text from a file");
    ran.shows("Drafted: ");
    assert_eq!(world.read("a.md"), "alpha\n");
    assert_eq!(world.read("b.md"), "beta\n");
    let (drafts, _) = world.person().drafts().waiting_drafts().unwrap();
    let drafts = serde_json::to_value(&drafts).unwrap();
    let mut drafts = drafts.as_array().unwrap().iter();
    let of_helper = drafts.find(|draft| draft["agent"] == "helper");
    let files = of_helper.unwrap()["files"].as_array().unwrap();
    let changes = files
        .iter()
        .map(|file| format!("{} {}", file["change"], file["path"]));
    let expected = [r#""modified" "a.md""#, r#""moved" "c.md""#];
    assert_eq!(changes.collect::<Vec<_>>(), expected, "{files:#?}");
    let diff = files[0]["diff"].as_str().unwrap();
    has(&diff, &["+more\n+last\n+\n+asked"]);
    // Each request to a server comes after that too, not only the first one.
    let script = "mkfifo /tmp/requests; vault-gw call </tmp/requests & exec 3>/tmp/requests; \
        for n in 1 2 3; do echo $n >n$n.md; \
        echo '{\"command\":\"read\",\"params\":{\"path\":\"n'$n'.md\"}}' >&3; sleep 1; done; exec 3>&-; wait";
    let ran = fenced(&world, Way::Tree, &["--agent", "helper"], script);
    assert_eq!(ran.text().matches("\"success\":true").count(), 3, "{ran:?}");
}

#[test]
fn the_launcher_of_a_client_starts_it_in_the_fence() {
    let world = World::empty().set("backend = \"embedded\"\nenabled = false");
    world.write("a.md", "alpha\n");
    if !ways().contains(&Way::Tree) {
        return;
    }
    let bin = world.scratch().join("bin");
    fs_err::create_dir(&bin).unwrap();
    // The entry of a client names its settings, which the run has already.
    let settings = world.write_settings();
    let script = format!(
        "#!/bin/sh\nls\necho \"$@\"\necho more >>a.md\nsleep 1\nvault-gw --settings '{}' read path=a.md\n",
        settings.display()
    );
    executable(&bin.join("claude"), &script);
    let run = |program: &Path, words: &[&str]| {
        let mut command = world.command(program);
        let path = [bin.as_os_str(), "/usr/bin".as_ref(), "/bin".as_ref()];
        let path = std::env::join_paths(path).unwrap();
        command.args(words).env("PATH", path);
        finish(command, b"")
    };
    let own = |words: &[&str]| run(Path::new(env!("CARGO_BIN_EXE_vault-gw")), words);
    let install = ["install", "claude-code", "--fenced"];
    let launcher = world.home.path().join(".local/bin/claude-notes");
    // It is shown in full before it is written.
    let planned = own(&[&install[..], &["--dry-run"]].concat());
    planned.ended(0);
    assert!(!launcher.exists(), "{planned:?}");
    let ran = own(&install);
    ran.ended(0);
    let script = fs_err::read_to_string(&launcher).unwrap();
    for line in script.lines() {
        planned.shows(line);
        ran.reports(line);
    }
    ran.shows("Agents may call now");
    let ran = own(&[&["-j"], &install[..]].concat());
    assert_eq!(ran.json()["data"]["action"], "unchanged", "{ran:?}");
    let ran = run(&launcher, &["two words", "-p"]);
    ran.prints("a.md\ntwo words -p\nalpha\nmore\n");
    assert_eq!(world.read("a.md"), "alpha\n");
    // Another program of that name is left alone.
    let ran = own(&[&install[..], &["--remove"]].concat());
    assert!(ran.status == Some(0) && !launcher.exists(), "{ran:?}");
    executable(&launcher, "#!/bin/sh\n");
    for words in [&install[..], &[&install[..], &["--remove"]].concat()] {
        own(words).reports("is not a launcher of vault-gw");
        assert_eq!(fs_err::read_to_string(&launcher).unwrap(), "#!/bin/sh\n");
    }
    // It would start itself.
    let ran = own(&[&install[..], &["--name", "claude"]].concat());
    ran.ended(64);
    assert_eq!(ran.stderr.matches("--name").count(), 1, "{ran:?}");
    own(&["install", "cursor", "--fenced"]).reports("works with claude-code, codex.");
}

#[test]
fn the_folder_of_the_app_is_there_for_reading_if_the_owner_says_so() {
    let mut world = World::empty()
        .set("backend = \"embedded\"\nenabled = true")
        .with_tables("[run]\napp_folder = false\n");
    world.write("a.md", "alpha\n");
    world.write(".obsidian/app.json", "{}\n");
    world.write(".obsidian/plugins/x/data.json", "{\"key\":\"secret\"}\n");
    world.write(".obsidian/plugins/x/manifest.json", "{}\n");
    world.write(".obsidian/workspace.json", "{}\n");
    if !ways().contains(&Way::Tree) {
        return;
    }
    // It leaves a trap in its copy.
    let script = "ls -A; ln -s / .obsidian";
    let ran = fenced(&world, Way::Tree, &[], script);
    ran.prints("a.md\n");
    let open = "app_folder = true";
    world.settings = world.settings.replace("app_folder = false", open);
    let script = "find .obsidian -type f | sort; ls -A; cat .obsidian/app.json; echo x >.obsidian/new || echo x >>.obsidian/app.json || \
        mv .obsidian moved || rm .obsidian/app.json || echo closed";
    let ran = fenced(&world, Way::Tree, &[], script);
    let found = ".obsidian/app.json\n.obsidian/plugins/x/manifest.json\n";
    ran.prints(&format!("{found}.obsidian\na.md\n{{}}\nclosed\n"));
    assert_eq!(world.read(".obsidian/app.json"), "{}\n");
    // A link could lead anywhere.
    let (real, moved) = (world.vault.join(".obsidian"), world.scratch().join("app"));
    fs_err::rename(&real, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &real).unwrap();
    let ran = fenced(&world, Way::Tree, &[], "cat .obsidian/app.json");
    ran.prints("");
    ran.reports("`.obsidian` is not shown");
    // A program that closes its copy does not keep it.
    let closes = "mkdir -p x/y; chmod 000 x .";
    drop(fenced(&world, Way::Tree, &[], closes));
    // It goes while calls are turned off too, and claims nothing.
    world.settings = world.settings.replace("enabled = true", "enabled = false");
    for shown in ["are gone", "There was no working copy"] {
        let ran = world.run(&["run", "--discard"]);
        ran.ended(0);
        ran.shows(shown);
    }
}

/// The same answers as if the closed notes were not there, and the notes themselves stay. Not yet for a file that
/// the program moves to the path of a closed note, or a folder that it makes and removes there (SECURITY.md).
#[test]
fn d16_no_answer_about_a_draft_shows_that_a_closed_note_has_its_name() {
    let script = "look() { sleep 1; vault-gw draft:status; vault-gw files; vault-gw folders; vault-gw draft:show; vault-gw read path=tag.md 2>&1; ls; }; \
        touch tag.md; look; mv tag.md b.md; look; mv b.md tag.md; look; rm tag.md; look; \
        mkdir tag.md; look; rmdir tag.md; look; mv a.md link.md; look; mv link.md a.md; look";
    let answers = [false, true].map(|has_closed| {
        let world = World::empty().set("enabled = true")
            .set("backend = \"embedded\"\npaths.deny_tags = [\"private\"]\npaths.deny = [\"Private/**\"]")
            .with_tables("[agents.helper]\n");
        world.write("a.md", "alpha\n");
        let closed = "#private\n";
        if has_closed {
            world.write("tag.md", closed);
            world.write("Private/s.md", closed);
            fs_err::hard_link(world.vault.join("Private/s.md"), world.vault.join("link.md")).unwrap();
        }
        if !ways().contains(&Way::Tree) {
            return String::new();
        }
        let ran = fenced(&world, Way::Tree, &["--agent", "helper"], script);
        for path in ["tag.md", "link.md"] {
            assert!(!has_closed || world.read(path) == closed, "{ran:?}");
        }
        ran.text().to_owned()
    });
    let [without, with] = answers;
    assert_eq!(with, without);
    let is_shown = without.contains("tag.md");
    assert!(without.is_empty() || is_shown, "{without}");
}
