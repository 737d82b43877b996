//! The life of the official binary's process: which file is started, with what around it, and how
//! it always ends (`threats.toml` groups C and E).

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fake_obsidian::app::{FakeApp, Mode};
use fake_obsidian::home::OpenForWriting;
use fake_obsidian::log::{self, Event, Invocation, LOG_FILE};
use fake_obsidian::scenario::{Action, Child, Scenario, Stream};
use serde_json::Value;
use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Status};
use vault_gw::protocol::Code;

use crate::support::processes::{
    DAEMON, STUBBORN, WELL_BEFORE_THE_CHILD, assert_quick, comes_true, end, is_alive, is_gone,
    spawns,
};
use crate::support::pty::Pty;
use crate::support::{
    NOW, Outcome as _, World, answer, asks_version, code, detail, executable, fake_binary,
    fake_launcher, finish, has, quoted, write_private,
};

/// The call that most tests make.
const READ: &str = r#"{"command":"read","params":{"path":"Home.md"}}"#;

fn read(world: &World) -> Envelope {
    world.ask("read path=Home.md")
}

fn write(text: &str) -> Action {
    Action::Write {
        stream: Stream::Stdout,
        bytes: text.into(),
    }
}

/// The same at a prompt.
const READ_WORDS: [&str; 3] = ["-j", "read", "path=Home.md"];

/// A copy of the fake under `name` in `folder`, with a log of its own; its mode and content may be
/// changed.
fn copy_of_fake(folder: &Path, name: &str) -> PathBuf {
    fs_err::create_dir_all(folder).unwrap();
    let binary = folder.join(name);
    executable(&binary, fs_err::read(fake_binary()).unwrap());
    Scenario::logged().write(folder).unwrap();
    binary
}

/// A user whose binary is a copy of the fake in a folder of its own; the folder and the copy.
fn with_copy_of_fake() -> (World, PathBuf, PathBuf) {
    let world = World::with_fixture_vault().set("backend = \"obsidian\"");
    let folder = world.scratch().join("place");
    let binary = copy_of_fake(&folder, "obsidian");
    let mut world = world.set(&format!("obsidian_path = {}", quoted(&binary)));
    world.start_app(Mode::Normal);
    (world, folder, binary)
}

/// Checks that the binary was not started, and why.
#[track_caller]
fn assert_not_started(envelope: &Envelope, refusal: &str, reason: &str) {
    assert_eq!(code(envelope), refusal, "{envelope:#?}");
    assert_eq!(detail(envelope, "reason"), reason, "{envelope:#?}");
}

fn mode(path: &Path, bits: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
}

/// How often a fake in this folder was started, but for the gateway's own question for the version.
fn starts(folder: &Path) -> usize {
    let mut all = log::invocations(&folder.join(LOG_FILE)).unwrap();
    all.retain(|invocation| !asks_version(invocation));
    all.len()
}

/// What the only invocation of the installed fake saw.
fn only_invocation(world: &World) -> Invocation {
    let mut all = world.invocations();
    assert_eq!(all.len(), 1, "{:?}", world.argvs());
    all.remove(0)
}

fn children(world: &World) -> Vec<i32> {
    log::children(&world.home.log()).unwrap()
}

/// Waits until the log of the fake tells of it.
#[track_caller]
fn wait_for_event(world: &World, wanted: impl Fn(&Event) -> bool) {
    let log = world.home.log();
    assert!(comes_true(|| log::read(&log).unwrap().iter().any(&wanted)));
}

fn child_pid(envelope: &Envelope) -> i32 {
    let process = envelope.meta.process.as_ref().expect("a process ran");
    i32::try_from(process.pid).unwrap()
}

// C: the binary and its surroundings.

#[test]
fn c01_a_binary_planted_where_somebody_works_is_never_started() {
    let mut world = World::with_fixture_vault().set("backend = \"obsidian\"");
    world.start_app(Mode::Normal);
    let here = world.scratch();
    let planted = [here.clone(), here.join("bin"), world.vault.clone()];
    for folder in &planted {
        copy_of_fake(folder, "obsidian");
        copy_of_fake(folder, "obsidian-cli");
    }
    for list in ["", ".", "./bin", "bin", ":.", "::bin:", "../scratch"] {
        let mut program = world.prepared(&READ_WORDS);
        program.env("PATH", list);
        let envelope = finish(program, b"").json();
        assert_eq!(envelope["error"]["code"], "CLI_UNAVAILABLE", "{list:?}");
        for folder in &planted {
            assert_eq!(starts(folder), 0, "{list:?}");
        }
    }
    // The same file is found where the path to it is absolute.
    let mut program = world.prepared(&READ_WORDS);
    program.env("PATH", here.join("bin"));
    finish(program, b"").json().succeeds();
    assert_eq!(starts(&here.join("bin")), 1);
}

#[test]
fn c02_a_binary_that_others_could_change_is_not_started() {
    let world = World::with_fixture_vault().set("backend = \"obsidian\"");
    let outer = world.scratch().join("outer");
    let inner = outer.join("inner");
    let binary = copy_of_fake(&inner, "obsidian");
    let mut world = world.set(&format!("obsidian_path = {binary:?}"));
    world.start_app(Mode::Normal);
    for (path, bits, reason) in [
        (&binary, 0o757, "file-writable"),
        (&binary, 0o777, "file-writable"),
        (&inner, 0o777, "folder-writable"),
        (&outer, 0o757, "folder-writable"),
    ] {
        mode(path, bits);
        let envelope = read(&world);
        assert_not_started(&envelope, "CLI_UNTRUSTED", reason);
        assert_eq!(envelope.status, Status::Error, "{bits:o}");
        mode(path, 0o755);
    }
    if rustix::process::geteuid().is_root() {
        for (path, reason) in [(&binary, "file-owner"), (&inner, "folder-owner")] {
            fs_err::os::unix::fs::chown(path, Some(12_345), None).unwrap();
            assert_not_started(&read(&world), "CLI_UNTRUSTED", reason);
            fs_err::os::unix::fs::chown(path, Some(0), None).unwrap();
        }
    }
    assert_eq!(starts(&inner), 0);
    // Others may write to a sticky folder without being able to replace what is in it.
    mode(&outer, 0o1777);
    read(&world).succeeds();
    assert_eq!(starts(&inner), 1);
}

#[test]
fn c03_a_binary_that_is_replaced_between_two_calls_is_not_started() {
    let (world, folder, binary) = with_copy_of_fake();
    let gateway = world.gateway();
    let call = || answer(&gateway, "read path=Home.md");
    call().succeeds();
    let other = copy_of_fake(&folder, "other");
    fs_err::rename(other, &binary).unwrap();
    assert_not_started(&call(), "CLI_UNTRUSTED", "replaced");
    assert_eq!(starts(&folder), 1);
    assert!(read(&world).success, "a new gateway checks the new file");
    assert_eq!(starts(&folder), 2);
}

#[test]
fn c04_a_text_without_an_interpreter_line_is_never_handed_to_a_shell() {
    let world = World::with_fixture_vault().set("backend = \"obsidian\"");
    let text = world.scratch().join("obsidian");
    let marker = world.scratch().join("pwned");
    fs_err::write(&text, format!("echo pwned >'{}'\n", marker.display())).unwrap();
    mode(&text, 0o755);
    let mut world = world.set(&format!("obsidian_path = {text:?}"));
    world.start_app(Mode::Normal);
    assert_not_started(&read(&world), "CLI_UNAVAILABLE", "not-a-program");
    assert!(!marker.exists());
}

#[test]
fn c05_what_cannot_be_started_is_distinguished() {
    let mut world = World::with_fixture_vault().set("backend = \"obsidian\"");
    world.start_app(Mode::Normal);
    let scratch = world.scratch();
    fs_err::create_dir(scratch.join("folder")).unwrap();
    fs_err::write(scratch.join("plain"), "#!/bin/sh\n").unwrap();
    let mut foreign = fs_err::read(fake_binary()).unwrap();
    foreign.truncate(4096);
    // The machine field of an ELF header: 2 is SPARC.
    foreign[18..20].copy_from_slice(&[2, 0]);
    fs_err::write(scratch.join("foreign"), foreign).unwrap();
    mode(&scratch.join("foreign"), 0o755);
    for (name, reason, meaning) in [
        ("absent", "missing", 127),
        ("folder", "folder", 126),
        ("plain", "not-executable", 126),
        ("foreign", "wrong-architecture", 126),
    ] {
        let path = scratch.join(name);
        let settings = format!("obsidian_path = {path:?}\n{}", world.settings);
        let envelope = with_settings(&world, &settings);
        assert_not_started(&envelope, "CLI_UNAVAILABLE", reason);
        assert_eq!(detail(&envelope, "shellExitCode"), meaning, "{name}");
        assert_eq!(envelope.exit_code, None);
        assert!(envelope.meta.process.is_none());
    }
}

/// `read path=Home.md` under other settings than the world's.
fn with_settings(world: &World, text: &str) -> Envelope {
    let text = format!("enabled = true\n{text}");
    let settings = vault_gw::settings::Settings::parse("settings.toml", &text).unwrap();
    let options = Options::new(Caller::Agent);
    let gateway = Gateway::new(settings, options, world.environment()).unwrap();
    answer(&gateway, "read path=Home.md")
}

#[test]
fn c06_c07_nothing_of_our_environment_reaches_the_child_but_a_short_list() {
    let world = World::official(&Scenario::logged());
    let mut program = world.prepared(&READ_WORDS);
    let secrets = "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY OPENAI_API_KEY SSH_AUTH_SOCK";
    let loaders = "NODE_OPTIONS ELECTRON_RUN_AS_NODE LD_AUDIT_NOT_REALLY DYLD_INSERT_LIBRARIES";
    let others = "BASH_ENV ENV BASH_FUNC_x%% DISPLAY DBUS_SESSION_BUS_ADDRESS HTTPS_PROXY \
                  VAULT_GW_SETTINGS";
    for name in [secrets, loaders, others].join(" ").split(' ') {
        program.env(name, "canary-of-the-environment");
    }
    program
        .env("USER", "somebody")
        .env("LOGNAME", "() { :; }; echo canary-of-the-environment")
        .env("TMPDIR", "canary-of-the-environment/relative")
        .env("PATH", "/canary-of-the-environment:/usr/bin")
        .env("LANG", "canary-of-the-environment");
    finish(program, b"").json().succeeds();
    let seen = only_invocation(&world);
    let names = seen.variables.iter().map(|(name, _)| name.to_text());
    let names: Vec<String> = names.collect();
    let wanted = "HOME LC_ALL PATH USER XDG_CONFIG_HOME XDG_RUNTIME_DIR";
    assert_eq!(names.join(" "), wanted);
    assert!(!format!("{:?}", seen.variables).contains("canary"));
    assert_eq!(seen.variable("LC_ALL").as_deref(), Some("C.UTF-8"));
    assert_eq!(seen.variable("PATH").as_deref(), Some("/usr/bin:/bin"));
}

#[test]
fn c08_a_wrong_home_or_runtime_folder_is_an_error_and_not_another_socket() {
    let world = World::official(&Scenario::logged());
    let settings = world.write_settings();
    let settings = settings.to_str().unwrap();
    // An app that would be found if a folder that is not usable were silently passed over.
    let other = FakeApp::start_in(&world.home.path(), &world.home, Mode::Normal).unwrap();
    let foreign = world.scratch().join("foreign");
    fs_err::create_dir(&foreign).unwrap();
    // The unit test of the same id has every reason.
    let mut table = vec![("HOME", None, "unset")];
    if !cfg!(target_os = "macos") {
        table.push(("XDG_RUNTIME_DIR", Some("/nowhere/at/all"), "missing"));
        if rustix::process::geteuid().is_root() {
            fs_err::os::unix::fs::chown(&foreign, Some(12_345), None).unwrap();
            table.push(("XDG_RUNTIME_DIR", foreign.to_str(), "owner"));
        }
    }
    for (variable, value, reason) in table {
        let words = ["--settings", settings, "-j", "read", "path=Home.md"];
        let mut program = world.prepared(&words);
        match value {
            Some(value) => program.env(variable, value),
            None => program.env_remove(variable),
        };
        let envelope = finish(program, b"").json();
        let error = &envelope["error"];
        assert_eq!(
            error["code"], "APP_UNREACHABLE",
            "{variable}={value:?} {envelope}"
        );
        assert_eq!(error["details"]["variable"], variable, "{value:?}");
        assert_eq!(error["details"]["reason"], reason, "{variable}={value:?}");
    }
    assert_eq!(other.connections(), 0);
    assert_eq!(world.argvs(), [[""; 0]; 0]);
    // Unset is no mistake: the app itself listens in the home folder then.
    let mut program = world.prepared(&READ_WORDS);
    program.env_remove("XDG_RUNTIME_DIR");
    finish(program, b"").json().succeeds();
    assert!(other.connections() > 0);
}

#[test]
fn c09_planted_settings_are_not_read() {
    let world = World::official(&Scenario::logged());
    let evil = copy_of_fake(&world.scratch().join("evil"), "obsidian");
    let text = format!("allow_mutations = true\nenabled = true\nobsidian_path = {evil:?}\n");
    let variables = format!(
        "ALLOW_MUTATIONS=true\nVAULT_GW_ALLOW_MUTATIONS=true\nOBSIDIAN_PATH={}\n",
        evil.display()
    );
    let names = "settings.toml vault-gw.toml .vault-gw.toml .vault-gw/settings.toml \
                 vault-gw/settings.toml .config/vault-gw/settings.toml .obsidian/vault-gw.toml";
    for folder in [world.scratch(), world.vault.clone()] {
        for name in names.split(' ') {
            let file = folder.join(name);
            write_private(&file, &text);
        }
        fs_err::write(folder.join(".env"), &variables).unwrap();
    }
    // What was planted makes a vault of the first folder, so the vault is named.
    let vault = world.vault.to_str().unwrap();
    for here in [world.scratch(), world.vault.clone()] {
        let append = [
            "-j",
            "--vault",
            vault,
            "append",
            "path=Home.md",
            "content=x",
        ];
        let mut program = world.prepared(&append);
        program
            .current_dir(&here)
            .env("VAULT_GW_ALLOW_MUTATIONS", "true")
            .env("VAULT_GW_SETTINGS", here.join("vault-gw.toml"))
            .env("ALLOW_MUTATIONS", "true")
            .env("OBSIDIAN_PATH", &evil)
            .env("OBSIDIAN_CLI_PATH", &evil);
        let ran = finish(program, b"");
        ran.ended(77);
        ran.json().fails_with("MUTATION_DISABLED");
        let mut program = world.prepared(&["-j", "--vault", vault, "read", "path=Home.md"]);
        program
            .current_dir(&here)
            .env("OBSIDIAN_PATH", &evil)
            .env("OBSIDIAN_CLI_PATH", &evil);
        finish(program, b"").json().succeeds();
    }
    assert_eq!(starts(evil.parent().unwrap()), 0);
    // The two reads, by the binary of the user's own settings.
    assert_eq!(world.argvs().len(), 2);
}

#[test]
fn c10_the_child_has_no_descriptor_of_the_launcher() {
    let world = World::official(&Scenario::logged()).unconfined("looks itself up in /proc");
    let secret = world.scratch().join("secret");
    fs_err::write(&secret, "secret").unwrap();
    let line = format!("exec \"$@\" 9<'{0}' 7>>'{0}'", secret.display());
    let program = world.prepared_by_shell(&line, &READ_WORDS);
    finish(program, b"").json().succeeds();
    let seen = only_invocation(&world).process.descriptors;
    let numbers: Vec<i32> = seen.iter().map(|descriptor| descriptor.number).collect();
    assert_eq!(numbers, [0, 1, 2], "{seen:?}");
}

#[test]
fn c11_the_child_has_surroundings_of_its_own() {
    let world = World::official(&Scenario::logged()).unconfined("looks itself up in /proc");
    // Started at a terminal, by somebody whose new files are open to all, from inside the vault.
    let screen = Pty::new();
    let line = format!("umask 0; cd '{}'; exec \"$@\"", world.vault.display());
    let launched = [
        fake_launcher(),
        "--terminal",
        screen.device(),
        "/bin/sh",
        "-c",
        &line,
        "sh",
    ];
    let program = world.prepared_by(&launched, &READ_WORDS);
    let envelope = finish(program, b"for the child to steal\n").json();
    assert_eq!(envelope["success"], true);
    let seen = only_invocation(&world);
    assert!(seen.process.stdin_is_null);
    assert!(!seen.process.has_terminal);
    assert_eq!(seen.process.ids.session, seen.process.ids.pid);
    assert_eq!(seen.process.ids.group, seen.process.ids.pid);
    assert_ne!(seen.process.ids.group, seen.process.ids.parent);
    assert_eq!(seen.working_directory.as_deref(), Some(Path::new("/")));
    assert_eq!(seen.process.umask, "077");
    assert_eq!(seen.variable("LC_ALL").as_deref(), Some("C.UTF-8"));
    assert_eq!(envelope["meta"]["process"]["pid"], seen.process.ids.pid);
    // The terminal was there to be had: a program that is started by hand has it.
    let fake = world.home.binaries().join("obsidian");
    let words = ["vault=Notes", "read", "path=Home.md"];
    let launched = ["--terminal", screen.device(), fake.to_str().unwrap()];
    let mut program = world.command(Path::new(fake_launcher()));
    program.args(launched).args(words);
    finish(program, b"").ended(0);
    assert!(world.invocations().pop().unwrap().process.has_terminal);
}

/// The same for a gateway that is part of another program, which stands somewhere else.
#[cfg(target_os = "linux")]
#[test]
fn c11_embedded_too_the_child_has_a_session_of_its_own() {
    let world = World::official(&Scenario::logged());
    read(&world).succeeds();
    let seen = only_invocation(&world);
    assert_eq!(seen.process.ids.group, seen.process.ids.pid);
    assert_eq!(seen.working_directory.as_deref(), Some(Path::new("/")));
    let may_move =
        std::thread::spawn(|| nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS).is_ok());
    if may_move.join().unwrap() {
        assert_eq!(seen.process.ids.session, seen.process.ids.pid);
    }
}

// E: the life of the process.

#[cfg(target_os = "linux")]
#[test]
fn e01_codes_and_signals_are_exact_and_no_zombie_stays() {
    use crate::support::processes::zombies_of;
    use crate::support::service::Service;

    let mut world = World::official(&Scenario::logged());
    for exit in [1, 3, 126, 255] {
        let ended = Scenario::logged().always("read", [Action::Exit { code: exit }]);
        world.install(&ended);
        let envelope = read(&world);
        assert_eq!(envelope.exit_code, Some(i32::from(exit)));
        assert_eq!(code(&envelope), "CLI_EXIT_NONZERO");
        let process = envelope.meta.process.unwrap();
        assert_eq!(process.signal, None);
    }
    let (abort, kill) = (6, 9);
    for signal in [abort, kill] {
        world.install(&Scenario::logged().always("read", [Action::Die { signal }]));
        let envelope = read(&world);
        assert_eq!(envelope.exit_code, None);
        assert_eq!(code(&envelope), "CLI_EXIT_NONZERO");
        assert_eq!(envelope.meta.process.unwrap().signal, Some(signal));
    }
    world.install(
        &Scenario::logged()
            .first(1, "read", [Action::Exit { code: 3 }])
            .first(1, "files", [Action::Die { signal: kill }]),
    );
    let mut service = Service::start(&world);
    for line in [READ, r#"{"command":"files"}"#, READ] {
        service.ask(line);
        assert_eq!(zombies_of(service.pid()), [0; 0], "{line}");
    }
}

/// A time limit of 1,500 ms and the 2 s that a child has to obey.
const SOONER_THAN_THE_GRACE: Duration = Duration::from_millis(3_500);

#[test]
fn e02_f09_a_binary_that_hangs_is_ended_and_what_it_said_is_kept() {
    let scenario = Scenario::logged().always("read", [write("so far\n"), Action::Hang]);
    let world = World::official(&scenario);
    let started = Instant::now();
    let ran = world.run(&["--timeout-ms", "1500", "-j", "read", "path=Home.md"]);
    let elapsed = started.elapsed();
    assert!(elapsed < WELL_BEFORE_THE_CHILD, "{elapsed:?}");
    assert!(elapsed >= Duration::from_millis(1_500), "{elapsed:?}");
    ran.ended(75);
    let envelope = ran.json();
    assert_eq!(envelope["error"]["code"], "TIMEOUT");
    assert_eq!(envelope["status"], "error", "a read has no unknown outcome");
    assert_eq!(envelope["exitCode"], Value::Null);
    assert_eq!(envelope["stdout"], "so far\n");
    assert!(is_gone(only_invocation(&world).process.ids.pid));
    let ran = world.run(&["--timeout-ms", "1500", "read", "path=Home.md"]);
    assert_eq!(ran.text(), "so far\n");
    ran.reports("did not answer in time");
}

#[test]
fn e04_a_stopped_child_does_not_outlive_its_time() {
    let scenario = Scenario::logged().always("read", [Action::StopSelf, Action::Hang]);
    let world = World::official(&scenario).set("timeout_ms = 1500");
    // It is continued to obey the polite signal, and not killed after the grace.
    assert_quick(SOONER_THAN_THE_GRACE, || {
        let started = Instant::now();
        let envelope = read(&world);
        let time = started.elapsed();
        assert_eq!(code(&envelope), "TIMEOUT");
        assert!(!is_alive(child_pid(&envelope)));
        time
    });
}

#[test]
fn e06_f09_a_descendant_with_a_session_of_its_own_is_reported_and_left_alone() {
    let daemon = Child {
        holds_pipes: true,
        ..DAEMON
    };
    let scenario = Scenario::logged().always("read", [spawns(1, daemon)]);
    let world = World::official(&scenario).unconfined("starts processes");
    let started = Instant::now();
    let envelope = read(&world);
    let elapsed = started.elapsed();
    let children = children(&world);
    let alive = children.iter().all(|pid| is_alive(*pid));
    for pid in &children {
        end(*pid);
    }
    assert!(alive, "it is not ours to end");
    assert_eq!(children.len(), 1);
    assert!(envelope.success, "{envelope:#?}");
    assert_eq!(envelope.stdout, world.read("Home.md"));
    assert_eq!(envelope.exit_code, Some(0));
    assert!(envelope.meta.process.unwrap().descendants_leaked);
    assert!(elapsed < WELL_BEFORE_THE_CHILD, "{elapsed:?}");
}

/// The order of signals and reaping is proved by the unit test of the same id. Here: processes
/// that belong to nobody's run survive many runs, ended ones and killed ones.
#[test]
fn e08_bystanders_survive_many_runs() {
    let mut world = World::official(&Scenario::logged());
    let bystanders: Vec<_> = (0..20)
        .map(|_| {
            let mut command = world.command(Path::new("/bin/sleep"));
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.arg("60").spawn().unwrap()
        })
        .collect();
    let gateway = world.gateway();
    for _ in 0..60 {
        answer(&gateway, "read path=Home.md").succeeds();
    }
    world.install(&Scenario::logged().always("read", [Action::Hang]));
    let world = world.set("timeout_ms = 40");
    let hurried = world.gateway();
    for _ in 0..10 {
        answer(&hurried, "read path=Home.md").fails_with("TIMEOUT");
    }
    for mut bystander in bystanders {
        assert!(bystander.try_wait().unwrap().is_none());
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    }
}

#[test]
fn e13_a_panic_is_an_internal_error_and_the_gateway_lives_on() {
    let world = World::with_fixture_vault();
    let broken = Arc::new(AtomicBool::new(true));
    let clock = {
        let broken = Arc::clone(&broken);
        Arc::new(move || {
            assert!(!broken.load(Ordering::SeqCst), "canary of the panic");
            NOW.parse().unwrap()
        })
    };
    for timestamp in [false, true] {
        broken.store(true, Ordering::SeqCst);
        let mut options = Options::new(Caller::Agent);
        options.timestamp = timestamp;
        let gateway = world.gateway_with(options).with_clock(clock.clone());
        let envelope = answer(&gateway, "read path=Home.md");
        assert_eq!(code(&envelope), Code::InternalError.name());
        assert!(!envelope.to_json().contains("canary"));
        broken.store(false, Ordering::SeqCst);
        answer(&gateway, "read path=Home.md").succeeds();
    }
}

#[test]
fn e13_f12_a_panic_does_not_say_what_it_was_about() {
    let world = World::empty();
    let ran = finish(world.stand_in("panic"), b"");
    ran.ended(101);
    ran.reports("error: internal error at fixtures/stand-ins/src/main.rs:");
    ran.omits("canary");
}

#[cfg(target_os = "linux")]
#[test]
fn e14_a_binary_that_is_being_written_is_busy_and_then_runs() {
    let (world, folder, binary) = with_copy_of_fake();
    let gateway = world.gateway();
    let call = || answer(&gateway, "read path=Home.md");
    let being_written = OpenForWriting::by_a_child(&binary).unwrap();
    let envelope = call();
    assert_not_started(&envelope, "BUSY", "being-written");
    assert_eq!(detail(&envelope, "retryable"), true);
    assert_eq!(starts(&folder), 0);
    drop(being_written);
    call().succeeds();
    assert_eq!(starts(&folder), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn e15_what_the_launcher_ignores_is_not_ignored_by_the_child() {
    let world = World::official(
        &Scenario::logged()
            .always("read", [Action::Exit { code: 3 }])
            .always("files", [Action::Hang]),
    )
    .unconfined("looks itself up in /proc");
    let line = "trap '' CHLD TERM PIPE HUP INT USR1 TSTP; exec \"$@\"";
    let program = world.prepared_by_shell(line, &READ_WORDS);
    assert_eq!(finish(program, b"").json()["exitCode"], 3);
    let signals = only_invocation(&world).process.signals.unwrap();
    assert_eq!(signals.blocked.0, 0);
    // A Rust program such as the fake ignores PIPE by itself; the unit test of the same id looks
    // at a child that does not.
    // The C library keeps two signals above 31 to itself, and starts children with them ignored.
    let pipe = 1 << (13 - 1);
    let ignored = signals.ignored.0 & 0x7fff_ffff;
    assert_eq!(ignored, pipe, "{ignored:#x}");
    // The polite signal reaches a child that would have been deaf to it.
    let words = ["--timeout-ms", "1500", "-j", "files"];
    assert_quick(SOONER_THAN_THE_GRACE, || {
        let started = Instant::now();
        let envelope = finish(world.prepared_by_shell(line, &words), b"").json();
        assert_eq!(envelope["error"]["code"], "TIMEOUT");
        started.elapsed()
    });
}

/// TERM, the C library's number for it.
const TERM: &str = "15";

#[cfg(target_os = "linux")]
#[test]
fn e15_what_the_launcher_blocks_is_not_blocked_for_the_child() {
    let world = World::official(&Scenario::logged().always("files", [Action::Hang]))
        .unconfined("looks itself up in /proc");
    let launched = [fake_launcher(), "--block", TERM, "--block", "17"];
    let program = world.prepared_by(&launched, &READ_WORDS);
    assert_eq!(finish(program, b"").json()["exitCode"], 0);
    let signals = only_invocation(&world).process.signals.unwrap();
    assert_eq!(signals.blocked.0, 0);
    // A program that is started by hand has the mask: the launcher does what it says.
    let mut program = world.command(Path::new(fake_launcher()));
    program.args(["--block", TERM, "/bin/grep", "^SigBlk", "/proc/self/status"]);
    assert!(finish(program, b"").text().trim_end().ends_with("4000"));
    // The polite signal reaches a child that would have been deaf to it, so that it needs no other.
    let words = ["--timeout-ms", "1500", "-j", "files"];
    assert_quick(SOONER_THAN_THE_GRACE, || {
        let started = Instant::now();
        let envelope = finish(world.prepared_by(&launched, &words), b"").json();
        assert_eq!(envelope["error"]["code"], "TIMEOUT");
        started.elapsed()
    });
}

#[cfg(target_os = "linux")]
#[test]
fn e15_a_gateway_that_was_started_deaf_ends_when_it_is_asked_to() {
    use std::io::{BufRead as _, Write as _};

    let world = World::official(&Scenario::logged()).set("enabled = true");
    for launched in [
        [fake_launcher(), "--block", TERM].as_slice(),
        &["/bin/sh", "-c", "trap '' TERM; exec \"$@\"", "sh"],
    ] {
        let mut child = world.prepared_by(launched, &["call"]).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{READ}").unwrap();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"success\":true"), "{answer}");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        // Its input stays open: nothing else ends it.
        assert_eq!(child.wait().unwrap().code(), Some(143), "{launched:?}");
        drop(input);
    }
}

/// What a killed gateway had started: its runs, and whatever else.
#[cfg(target_os = "linux")]
#[test]
fn e12_a_killed_gateway_takes_its_runs_along() {
    use crate::support::processes::children_of;
    use crate::support::service::Service;

    let deaf = [Action::IgnoreTerm, spawns(1, STUBBORN), Action::Hang];
    let hanging = Scenario::logged()
        .always("read", deaf)
        .always("files", [Action::StopSelf, Action::Hang]);
    let world = World::official(&hanging)
        .unconfined("starts processes")
        .set("timeout_ms = 60000");
    let mut service = Service::start(&world);
    assert_eq!(service.ask(r#"{"command":"folders"}"#)["success"], true);
    service.send(READ);
    service.send(r#"{"command":"files"}"#);
    assert!(comes_true(
        || children(&world).len() == 1 && world.argvs().len() == 3
    ));
    // The guardian and two runs.
    let begun = children_of(service.pid());
    assert_eq!(begun.len(), 3);
    let mut all = begun;
    all.extend(children(&world));
    service.signal(rustix::process::Signal::KILL);
    assert!(service.exit_status().is_none());
    for pid in all {
        assert!(is_gone(pid), "{pid} of {:?}", world.argvs());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn e12_a_killed_command_takes_its_run_along() {
    let world = World::official(&Scenario::logged().always("read", [Action::Hang]));
    let words = ["--timeout-ms", "60000", "read", "path=Home.md"];
    let mut child = world.prepared(&words).spawn().unwrap();
    assert!(comes_true(|| world.argvs().len() == 1));
    let run = only_invocation(&world).process.ids.pid;
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone(run));
}

#[cfg(target_os = "linux")]
#[test]
fn e12_g07_a_run_that_became_the_app_outlives_a_killed_gateway() {
    use crate::support::processes::children_of;

    let scenario = Scenario::logged().always("read", [Action::BecomeApp]);
    let world = World::official(&scenario).unconfined("listens at a socket");
    let words = ["--timeout-ms", "60000", "read", "path=Home.md"];
    let mut child = world.prepared(&words).spawn().unwrap();
    wait_for_event(&world, |event| matches!(event, Event::Bound { .. }));
    let app = only_invocation(&world).process.ids.pid;
    assert!(comes_true(|| children_of(child.id()).len() == 2));
    let guardian = children_of(child.id())
        .into_iter()
        .find(|pid| *pid != app)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone(guardian));
    let alive = is_alive(app);
    end(app);
    assert!(alive, "the app of this run was ended");
}

/// Whoever starts a guardian by hand can end nothing with it but what they started themselves.
#[cfg(target_os = "linux")]
#[test]
fn e12_a_guardian_ends_nothing_of_others() {
    // A process with a session of its own, whose parent is not ours.
    let scenario = Scenario::logged().always("read", [spawns(1, DAEMON)]);
    let world = World::official(&scenario).unconfined("starts processes");
    read(&world).succeeds();
    let pid = children(&world)[0];
    let mut guardian = world.command(Path::new(env!("CARGO_BIN_EXE_vault-gw")));
    guardian.arg("__guardian");
    let ran = finish(guardian, format!("?7\n+7 {pid}\n?8\n+8 1\n?9\n").as_bytes());
    let alive = is_alive(pid);
    end(pid);
    assert!(alive, "{ran:?}");
    ran.ended(0);
}

#[test]
fn e16_a_time_outside_the_range_is_refused() {
    let world = World::official(&Scenario::logged());
    for time in "0 3600001 18446744073709551615 18446744073709551616 -1 1.5 NaN".split(' ') {
        let ran = world.run(&["--timeout-ms", time, "-j", "read", "path=Home.md"]);
        assert_eq!(ran.status, Some(64), "{time}");
        ran.json().fails_with("USAGE_ERROR");
    }
    assert_eq!(world.argvs().len(), 0);
    let longest = world.run(&["--timeout-ms", "3600000", "-j", "read", "path=Home.md"]);
    longest.json().succeeds();
    for time in ["0", "3600001", "18446744073709551615"] {
        let world = World::with_fixture_vault().set(&format!("timeout_ms = {time}"));
        let ran = world.run_line("-j read path=Home.md");
        assert_eq!(ran.status, Some(78), "{time}");
        ran.json().fails_with("CONFIG_INVALID");
    }
}

#[test]
fn e17_a_write_that_times_out_is_unknown_and_never_tried_again() {
    let scenario = Scenario::logged().always("append", [Action::LateEffect { ms: 4_500 }]);
    let world = World::official(&scenario).set("timeout_ms = 2500\nallow_mutations = true");
    let before = world.read("Home.md");
    let envelope = world
        .ask("append path=Home.md content=late")
        .fails_with("TIMEOUT");
    assert_eq!(envelope.status, Status::Unknown);
    assert_eq!(envelope.exit_code, None);
    assert!(!envelope.success);
    let error = envelope.error.unwrap();
    has(&error.to_string(), &["Check the vault before you retry"]);
    assert_eq!(error.details["started"], true);
    let appends = |world: &World| {
        let argvs = world.argvs();
        argvs.iter().filter(|argv| argv[1] == "append").count()
    };
    assert_eq!(appends(&world), 1);
    // What was told as unknown does happen.
    wait_for_event(&world, |event| matches!(event, Event::LateEffect { .. }));
    assert_eq!(world.read("Home.md"), format!("{before}\nlate"));
    assert_eq!(appends(&world), 1);
}

/// Bounded to what runs in a few seconds; the program is the same after 100 runs as after 600,
/// so nothing is kept for each run.
#[cfg(target_os = "linux")]
#[test]
fn e18_many_runs_leave_descriptors_threads_and_memory_flat() {
    soak(100, 500);
}

/// The same with as many runs as the attack list asks for; and of `threats.toml` E08, that so many
/// process ids that come and go never bring a signal to a bystander.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes a minute"]
fn e18_e08_five_thousand_runs_leave_everything_flat() {
    let world = World::empty();
    let mut bystander = world.command(Path::new("/bin/sleep"));
    let mut bystander = bystander.arg("600").spawn().unwrap();
    soak(100, 5_000);
    assert!(bystander.try_wait().unwrap().is_none());
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[cfg(target_os = "linux")]
fn soak(warm_up: usize, runs: usize) {
    use crate::support::service::Service;

    // No log: its growth is not the program's.
    let world = World::official(&Scenario::default());
    let mut service = Service::start(&world);
    let run = |service: &mut Service, count: usize| {
        for _ in 0..count {
            let envelope = service.ask_quickly(READ);
            assert_eq!(envelope["success"], true, "{envelope}");
        }
    };
    let keep = |service: &Service| (service.descriptors() as u64, service.status("Threads"));
    run(&mut service, warm_up);
    let (descriptors, threads) = keep(&service);
    let memory = service.status("VmRSS");
    run(&mut service, runs);
    // An answer may be there a moment before the thread that gave it has let go of its vault.
    let is_flat = comes_true(|| {
        let (descriptors_after, threads_after) = keep(&service);
        descriptors_after <= descriptors && threads_after <= threads
    });
    let (now, then) = (keep(&service), (descriptors, threads));
    assert!(is_flat, "{now:?}, not {then:?}");
    let grown = service.status("VmRSS").saturating_sub(memory);
    let report = format!("{grown} KiB more than {memory} KiB after {runs} runs");
    assert!(grown < 1024, "{report}");
}
