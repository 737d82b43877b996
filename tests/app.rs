//! The app behind the official backend: absent, hijacked, hanging, starting, another one
//! (`threats.toml` group G).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fake_obsidian::app::Mode;
use fake_obsidian::log::Event;
use fake_obsidian::registry;
use fake_obsidian::scenario::{Action, Scenario};
use serde_json::{Value, json};
use vault_gw::environment::Environment;
use vault_gw::gateway::{Answerer, Caller, Envelope, Options, Status};
use vault_gw::settings::BackendChoice;

use crate::argument_forms::Form;
use crate::support::processes::assert_quick;
use crate::support::{
    Outcome as _, World, asked, checked, code, detail, fake_binary, has, quoted, request, variable,
    warnings,
};

const CASES: &str = include_str!("data/app.txt");

const OFFICIAL: &str = "backend = \"obsidian\"";
const WRITES: &str = "allow_mutations = true";
const HOME: &[(&str, &str)] = &[("path", "Home.md")];
const LINE: &[(&str, &str)] = &[("path", "n.md"), ("content", "more")];

/// Commands that the app alone serves, whatever the engine learns.
const APP_ONLY: [(&str, &[(&str, &str)]); 3] =
    [("history", HOME), ("sync:status", &[]), ("open", HOME)];

/// A vault with one small note; the fake and the app are there.
fn one_note(scenario: &Scenario) -> World {
    let world = World::empty().with_fake(scenario).set(WRITES);
    world.write("n.md", "text\n");
    world
}

/// Nothing was started, and the envelope says so.
fn assert_nothing_ran(world: &World, envelope: &Envelope) {
    assert_eq!(world.argvs().len(), 0);
    assert_eq!(envelope.exit_code, None);
    assert_eq!(envelope.meta.process, None);
    assert_eq!(envelope.stdout, "");
    assert!(!envelope.success);
}

/// The embedded engine answers in the app's place, and tells this reason.
fn assert_engine_steps_in(world: &World, reason: &str) {
    let envelope = world.call("read", HOME).succeeds();
    assert_eq!(envelope.meta.backend, Answerer::Embedded);
    let shown = envelope.meta.backend_reason.as_deref().unwrap_or_default();
    assert!(shown.contains(reason), "{shown}");
    assert_eq!(envelope.stdout, world.read("Home.md"));
    assert_eq!(world.argvs().len(), 0);
}

#[test]
fn g01_without_the_app_nothing_is_spawned() {
    let mut world = World::with_fixture_vault().set(OFFICIAL);
    world.install(&Scenario::logged());
    let envelope = world.call("read", HOME).fails_with("APP_NOT_RUNNING");
    assert_eq!(envelope.status, Status::Error);
    assert_eq!(envelope.meta.backend, Answerer::None);
    let message = envelope.error.as_ref().unwrap().to_string();
    has(&message, &["Start Obsidian and open the vault"]);
    assert_nothing_ran(&world, &envelope);

    let ran = world.run(&["--json", "read", "path=Home.md"]);
    ran.ended(69);
    ran.json().fails_with("APP_NOT_RUNNING");
    assert_eq!(ran.stderr, "", "the envelope says it all");
    assert_nothing_ran(&world, &envelope);
}

#[test]
fn g01_the_engine_answers_while_the_app_is_absent_and_says_why() {
    let mut world = World::with_fixture_vault();
    world.install(&Scenario::logged());
    assert_engine_steps_in(&world, "APP_NOT_RUNNING");
}

#[test]
fn g01_what_only_the_app_can_do_says_so() {
    let mut world = World::with_fixture_vault();
    world.install(&Scenario::logged());
    for (command, params) in APP_ONLY {
        let envelope = world.call(command, params).fails_with("REQUIRES_APP");
        assert_eq!(detail(&envelope, "app"), "APP_NOT_RUNNING");
        assert_eq!(envelope.exit_status(), 69);
        let message = &envelope.error.as_ref().unwrap().to_string();
        assert!(
            message.contains("This vault must be open in Obsidian"),
            "{message}"
        );
        assert_nothing_ran(&world, &envelope);
    }
}

#[test]
fn g02_a_dead_socket_is_not_running_and_is_found_out_quickly() {
    let mut world = World::with_fixture_vault();
    world.install(&Scenario::logged());
    world.start_app(Mode::Refusing);
    assert_engine_steps_in(&world, "APP_NOT_RUNNING");
    let world = world.set(OFFICIAL);
    // 250 ms of tries; the rest is slack.
    assert_quick(Duration::from_millis(1_500), || {
        let envelope = world.call("read", HOME).fails_with("APP_NOT_RUNNING");
        assert_eq!(detail(&envelope, "staleSocket"), true);
        assert_nothing_ran(&world, &envelope);
        Duration::from_millis(envelope.duration_ms)
    });
}

#[test]
fn g03_an_app_that_cannot_be_reached_is_never_called_absent() {
    let mut world = World::with_fixture_vault();
    world.install(&Scenario::logged());

    // A socket whose path is longer than a socket's address may be: everybody's connection fails.
    let far = world.scratch().join("x".repeat(120));
    fs_err::create_dir(&far).unwrap();
    let near = world.scratch().join("s");
    let _app = std::os::unix::net::UnixListener::bind(&near).unwrap();
    fs_err::rename(&near, far.join(".obsidian-cli.sock")).unwrap();
    let mut variables = world.home.variables();
    variables.retain(|(name, _)| name != "XDG_RUNTIME_DIR");
    variables.push(variable("XDG_RUNTIME_DIR", far));
    let there = Environment::new(variables, Some(world.scratch()));
    let gateway = world.gateway_in(Options::new(Caller::Agent), there.clone());
    let envelope = checked(gateway.call(&request("read", HOME)));
    assert_eq!(envelope.meta.backend, Answerer::Embedded);
    let reason = envelope.meta.backend_reason.unwrap();
    assert!(reason.contains("APP_UNREACHABLE"), "{reason}");
    let world = world.set(OFFICIAL);
    let gateway = world.gateway_in(Options::new(Caller::Agent), there);
    let envelope = checked(gateway.call(&request("read", HOME))).fails_with("APP_UNREACHABLE");
    assert_nothing_ran(&world, &envelope);

    // A folder that may not be entered. Root may enter any.
    let mut world = world;
    world.start_app(Mode::Normal);
    let forbid = |bits| {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(bits);
        fs_err::set_permissions(world.home.runtime(), mode).unwrap();
    };
    forbid(0o000);
    let envelope = world.call("read", HOME);
    forbid(0o700);
    if rustix::process::geteuid().is_root() {
        assert!(envelope.success, "{envelope:#?}");
    } else {
        assert_eq!(code(&envelope), "APP_UNREACHABLE");
        assert_eq!(detail(&envelope, "reason"), "permission");
        assert_nothing_ran(&world, &envelope);
    }
}

#[test]
fn g04_a_socket_that_others_could_have_put_there_is_not_used() {
    let shared = (Mode::WorldWritable, "folder-writable");
    let mut table = vec![(Mode::Symlink, "link"), shared];
    if rustix::process::geteuid().is_root() {
        table.push((Mode::ForeignOwner, "owner"));
    }
    for (mode, problem) in table {
        let mut world = World::with_fixture_vault();
        world.install(&Scenario::logged());
        world.start_app(mode);
        assert_engine_steps_in(&world, "CLI_UNTRUSTED");
        let envelope = world.ask("sync:status");
        assert_eq!(code(&envelope), "CLI_UNTRUSTED", "{mode:?}");
        let world = world.set(OFFICIAL);
        let envelope = world.call("read", HOME);
        assert_eq!(code(&envelope), "CLI_UNTRUSTED", "{mode:?}");
        assert_eq!(detail(&envelope, "problem"), problem);
        assert_nothing_ran(&world, &envelope);
    }
}

#[test]
fn g04_a_plain_file_in_the_place_of_the_socket_is_not_used() {
    let mut world = World::with_fixture_vault().set(OFFICIAL);
    world.install(&Scenario::logged());
    fs_err::write(world.home.socket(), "").unwrap();
    let envelope = world.call("read", HOME).fails_with("CLI_UNTRUSTED");
    assert_eq!(detail(&envelope, "problem"), "not-a-socket");
    assert_nothing_ran(&world, &envelope);
}

/// The fake, laid out like the desktop app: Electron's files beside it.
fn install_desktop_app(world: &mut World) -> PathBuf {
    let folder = world.home.path().join("Applications/Obsidian");
    fs_err::create_dir_all(folder.join("resources")).unwrap();
    fs_err::write(folder.join("resources/app.asar"), "").unwrap();
    let scenario = Scenario {
        log: Some(world.home.log()),
        ..Scenario::default()
    };
    let installed =
        fake_obsidian::home::install_binary(&folder, "obsidian", fake_binary(), &scenario);
    let binary = installed.unwrap();
    let line = format!("obsidian_path = {}\n", quoted(&binary));
    world.settings.insert_str(0, &line);
    binary
}

#[test]
fn g06_the_desktop_app_is_never_started_not_even_without_a_probe() {
    let mut world = World::with_fixture_vault();
    let binary = install_desktop_app(&mut world);
    assert_engine_steps_in(&world, "APP_NOT_RUNNING");
    let world = world.set(OFFICIAL);
    let envelope = world.call("read", HOME).fails_with("APP_NOT_RUNNING");
    assert_nothing_ran(&world, &envelope);

    let mut world = world.set("probe_app = false");
    let envelope = world.call("read", HOME).fails_with("APP_NOT_RUNNING");
    assert_eq!(detail(&envelope, "binaryKind"), "app");
    assert_nothing_ran(&world, &envelope);
    // Where it is not looked for, a running app does not help.
    world.start_app(Mode::Normal);
    let envelope = world.call("read", HOME).fails_with("APP_NOT_RUNNING");
    assert_nothing_ran(&world, &envelope);

    let error = envelope.error.unwrap();
    let place = binary.parent().unwrap().to_string_lossy().into_owned();
    assert!(!error.to_string().contains(&place), "{}", error.to_string());
}

#[test]
fn g06_the_desktop_app_serves_as_client_of_a_running_one() {
    let mut world = World::with_fixture_vault().set(OFFICIAL);
    install_desktop_app(&mut world);
    world.start_app(Mode::Normal);
    world.call("read", HOME).succeeds();
    assert_eq!(world.runs(), ["vault=Notes read path=Home.md"]);
}

#[test]
fn g07_a_run_that_becomes_the_app_is_not_signalled() {
    let world = World::with_fixture_vault()
        .with_fake(&Scenario::logged().always("read", [Action::BecomeApp]))
        .unconfined("listens at a socket")
        .set(OFFICIAL)
        .set("timeout_ms = 3000");
    let envelope = world.call("read", HOME).fails_with("TIMEOUT");
    assert_eq!(envelope.exit_code, None);
    let process = envelope.meta.process.clone().expect("a process");
    assert!(process.app_started_by_run);
    assert!(!process.descendants_leaked);
    assert_eq!(process.signal, None);
    let shown = serde_json::to_value(&envelope.meta).unwrap();
    assert_eq!(shown["process"]["appStartedByRun"], true);

    let pid = rustix::process::Pid::from_raw(i32::try_from(process.pid).unwrap()).unwrap();
    let bound = fake_obsidian::log::read(&world.home.log()).unwrap();
    assert!(
        bound
            .iter()
            .any(|event| matches!(event, Event::Bound { pid: owner, .. } if *owner == pid.as_raw_nonzero().get()))
    );
    let alive = rustix::process::test_kill_process(pid);
    assert_eq!(alive, Ok(()), "the app of this run was ended");
    assert!(std::os::unix::net::UnixStream::connect(world.home.socket()).is_ok());
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// vault-gw never starts the app (`design/backends.md`). A call that needs the app fails, and its hint asks the person to
/// start it.
#[test]
fn g08_nothing_starts_the_app_whatever_is_asked() {
    let mut world = World::with_fixture_vault()
        .set(WRITES)
        .set("enabled = true");
    install_desktop_app(&mut world);
    let verbs = "doctor; context; context --deep; capabilities; explain open; settings show; \
                 explain APP_NOT_RUNNING; audit verify; undo --list; schema tools; help open; demo";
    let commands = tables::lines(CASES, "g08 nothing starts the app");
    for line in verbs.split("; ") {
        drop(world.run_line(line));
    }
    for backend in ["auto", "obsidian", "embedded"] {
        for line in &commands {
            let ran = world.run_line(&format!("--backend {backend} {line}"));
            if backend == "obsidian" {
                ran.ended(69);
                ran.reports("Start ");
            }
        }
    }
    for line in &commands {
        drop(world.run_line(&format!("--dry-run {line}")));
    }
    let requests = commands.iter().map(|line| {
        let form = Form::of_line(line);
        let params = form
            .arguments
            .iter()
            .map(|(name, value)| match value.as_str() {
                "true" => (name.clone(), json!(true)),
                text => (name.clone(), json!(text)),
            });
        let params = Value::Object(params.collect());
        json!({"command": form.command, "params": params}).to_string()
    });
    let requests = requests.collect::<Vec<_>>().join("\n");
    for probe in ["probe_app = true", "probe_app = false"] {
        world.settings = format!("{probe}\n{}", world.settings);
        for backend in ["auto", "obsidian"] {
            let words = ["--backend", backend, "call"];
            let ran = world.run_with_input(&words, requests.as_bytes());
            assert_eq!(ran.text().lines().count(), commands.len(), "{ran:?}");
        }
        world.settings = world.settings.replacen(&format!("{probe}\n"), "", 1);
    }
    assert!(world.nothing_spawned(), "{:?}", world.runs());
}

#[test]
fn g09_a_hanging_app_is_a_timeout_and_the_next_call_is_not_touched() {
    let world = World::official(&Scenario::logged().first(1, "read", [Action::Hang]));
    let mut options = Options::new(Caller::Agent);
    // Long enough for the program to start and to write its log on a busy machine.
    options.timeout_ms = Some(3_000);
    let envelope =
        checked(world.gateway_with(options).call(&request("read", HOME))).fails_with("TIMEOUT");
    // A read has no unknown outcome.
    assert_eq!(envelope.status, Status::Error);
    assert_eq!(envelope.exit_code, None);
    assert_eq!(envelope.exit_status(), 75);
    let took = envelope.duration_ms;
    assert!((3_000..60_000).contains(&took), "{took}");

    world.call("read", HOME).succeeds();
    assert_eq!(world.runs().len(), 2, "no retry after a timeout");
}

#[test]
fn g09_an_app_that_accepts_and_is_silent_does_not_hold_the_probe() {
    let mut world = World::with_fixture_vault()
        .set(OFFICIAL)
        .set("timeout_ms = 1000");
    world.install(&Scenario::logged());
    world.start_app(Mode::Silent);
    for _ in 0..2 {
        let envelope = world.call("read", HOME);
        // The probe was content, and the command line ran, and heard nothing.
        assert_eq!(code(&envelope), "TIMEOUT");
        assert!(envelope.meta.process.is_some(), "{envelope:#?}");
    }
}

#[test]
fn g10_a_read_is_retried_once_after_a_cold_start() {
    let world = World::official(&Scenario::logged().first(1, "read", [Action::ColdStart]));
    let envelope = world.call("read", HOME).succeeds();
    assert_eq!(envelope.stdout, world.read("Home.md"));
    assert_eq!(envelope.exit_code, Some(0));
    assert_eq!(envelope.data.as_map()["content"], world.read("Home.md"));
    assert!(envelope.duration_ms >= 750, "{}", envelope.duration_ms);
    assert_eq!(world.runs(), ["vault=Notes read path=Home.md"; 2]);
    assert_eq!(envelope.meta.process.unwrap().runs, 2);
}

#[test]
fn g10_a_second_cold_start_is_not_ready() {
    let world = World::official(&Scenario::logged().always("read", [Action::ColdStart]));
    let envelope = world.call("read", HOME).fails_with("APP_NOT_READY");
    // The app calls its failure a success.
    assert_eq!(envelope.exit_code, Some(0));
    assert_eq!(envelope.exit_status(), 69);
    assert_eq!(world.runs().len(), 2);
}

#[test]
fn g10_what_changes_something_is_never_retried() {
    let scenario = Scenario::logged()
        .first(1, "append", [Action::ColdStart])
        .first(1, "open", [Action::ColdStart]);
    let world = one_note(&scenario);
    let envelope = world.call("append", LINE).fails_with("APP_NOT_READY");
    // The app did not know the command.
    assert_eq!(envelope.status, Status::Error);
    assert_eq!(world.read("n.md"), "text\n");
    world.ask("open path=n.md").fails_with("APP_NOT_READY");
    assert_eq!(
        world.runs(),
        [
            "vault=Notes vault info=path",
            "vault=Notes append content=more path=n.md",
            "vault=Notes open path=n.md",
        ]
    );
}

#[test]
fn g11_an_app_that_answers_for_another_vault_gets_no_write() {
    let other = tempfile::tempdir().unwrap();
    let other = other.path().to_str().unwrap();
    for claim in [other, "Notes", "", "/nowhere/at/all"] {
        let world = one_note(&Scenario {
            claimed_vault_path: Some(claim.to_owned()),
            ..Scenario::logged()
        });
        let envelope = world.call("append", LINE);
        assert_eq!(code(&envelope), "VAULT_NOT_FOUND", "{claim:?}");
        let message = envelope.error.as_ref().unwrap().to_string();
        assert_eq!(
            message.contains("did not report which vault"),
            claim.is_empty(),
            "{message}"
        );
        assert_eq!(detail(&envelope, "reason"), "vault-proof");
        assert_eq!(envelope.status, Status::Error);
        assert_eq!(world.read("n.md"), "text\n");
        assert_eq!(world.runs(), ["vault=Notes vault info=path"]);
        assert!(!envelope.to_json().contains(other));
    }
}

#[test]
fn g11_the_same_folder_by_another_name_is_proof_enough() {
    let mut world = one_note(&Scenario::default());
    let link = world.scratch().join("link");
    fs_err::os::unix::fs::symlink(&world.vault, &link).unwrap();
    world.install(&Scenario {
        claimed_vault_path: Some(link.to_string_lossy().into_owned()),
        ..Scenario::logged()
    });
    world.call("append", LINE).succeeds();
}

#[test]
fn g11_the_proof_is_asked_once_for_each_app() {
    let mut world = one_note(&Scenario::logged());
    let gateway = world.gateway();
    let append = || {
        checked(gateway.call(&request("append", LINE))).succeeds();
    };
    append();
    append();
    world.start_app(Mode::Normal);
    append();
    let proof = "vault=Notes vault info=path";
    let write = "vault=Notes append content=more path=n.md";
    assert_eq!(world.runs(), [proof, write, write, proof, write]);
    assert_eq!(world.read("n.md"), "text\n\nmore\nmore\nmore");
}

#[test]
fn g11_without_a_probe_the_proof_is_asked_each_time() {
    let world = one_note(&Scenario::logged()).set("probe_app = false");
    let gateway = world.gateway();
    for _ in 0..2 {
        gateway.call(&request("append", LINE)).succeeds();
    }
    let commands: Vec<String> = world.argvs().iter().map(|words| words[1].clone()).collect();
    assert_eq!(commands, ["vault", "append", "vault", "append"]);
}

#[test]
fn g11_a_failed_proof_does_not_speak_of_a_change() {
    let world = one_note(&Scenario::logged().always("vault", [Action::Hang]));
    let mut options = Options::new(Caller::Agent);
    options.timeout_ms = Some(2_000);
    let envelope =
        checked(world.gateway_with(options).call(&request("append", LINE))).fails_with("TIMEOUT");
    assert_eq!(envelope.status, Status::Error, "nothing was written");
    let message = &envelope.error.as_ref().unwrap().to_string();
    assert!(message.contains("Nothing was written"), "{message}");
    assert_eq!(world.runs(), ["vault=Notes vault info=path"]);
}

#[test]
fn g11_of_two_vaults_with_one_name_the_id_is_sent() {
    let world = one_note(&Scenario::logged());
    let twin = world.scratch().join("Notes");
    fs_err::create_dir_all(&twin).unwrap();
    fs_err::write(twin.join("n.md"), "twin\n").unwrap();
    // The twin comes first, and a name would lead to it.
    world
        .home
        .register([twin.as_path(), world.vault.as_path()])
        .unwrap();
    world.call("append", LINE).succeeds();
    let id = registry::id(1);
    assert_eq!(
        world.runs(),
        [
            format!("vault={id} vault info=path"),
            format!("vault={id} append content=more path=n.md"),
        ]
    );
    assert_eq!(world.read("n.md"), "text\n\nmore");
    assert_eq!(fs_err::read_to_string(twin.join("n.md")).unwrap(), "twin\n");
    let named = world.run_as_it_is(&["--vault", "Notes", "files"], b"");
    for part in ["AMBIGUOUS_TARGET", &id, twin.to_str().unwrap()] {
        named.reports(part);
    }
}

#[test]
fn g11_a_vault_that_the_app_does_not_list_is_not_found() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    let elsewhere = world.scratch().join("Notes");
    // Also when the app lists another folder of the same name, as after a move.
    for listed in [Vec::new(), vec![elsewhere.as_path()]] {
        world.home.register(listed).unwrap();
        assert_engine_steps_in(&world, "VAULT_NOT_FOUND");
        let envelope = checked(
            world
                .through(BackendChoice::Obsidian)
                .call(&request("read", HOME)),
        )
        .fails_with("VAULT_NOT_FOUND");
        assert_nothing_ran(&world, &envelope);
    }
}

#[test]
fn f10_a_command_line_interface_that_is_off_is_distinguished() {
    let world = World::official(&Scenario::logged().always("*", [Action::NotEnabled])).set(WRITES);
    for (command, params) in [("read", HOME), ("append", LINE)] {
        let envelope = world.call(command, params).fails_with("CLI_DISABLED");
        assert_eq!(envelope.status, Status::Error);
        assert_eq!(envelope.exit_status(), 69);
    }
}

#[test]
fn f10_the_engine_answers_where_the_command_line_is_off_and_says_so() {
    let world = World::with_fixture_vault()
        .with_fake(&Scenario::logged().always("*", [Action::NotEnabled]))
        .set(WRITES);
    world.write("n.md", "note");
    for (command, params) in [("read", HOME), ("append", LINE)] {
        let envelope = world.call(command, params).succeeds();
        assert_eq!(envelope.meta.backend, Answerer::Embedded);
        let warnings = envelope.warnings.iter();
        let off = warnings.filter(|warning| warning.code == "APP_CLI_DISABLED");
        assert_eq!(off.count(), 1, "{command}");
    }
}

#[test]
fn g13_a_burst_of_fifty_loses_nothing_and_stays_within_the_places() {
    let slow = [Action::Sleep { ms: 10 }];
    let world = one_note(&Scenario::logged().always("*", slow)).set("timeout_ms = 60000");
    world.write("log.md", "");
    let gateway = world.gateway();
    std::thread::scope(|scope| {
        for number in 0..50 {
            let gateway = &gateway;
            scope.spawn(move || {
                let line = format!("line-{number:02}");
                let envelope = if number % 2 == 0 {
                    gateway.call(&asked("read path=n.md"))
                } else {
                    let params = [("path", "log.md"), ("content", &line)];
                    gateway.call(&request("append", &params))
                };
                assert!(envelope.success, "{envelope:#?}");
            });
        }
    });
    let log = world.read("log.md");
    let lines: BTreeSet<&str> = log.split_terminator('\n').skip(1).collect();
    let wanted: Vec<String> = (0..50)
        .filter(|n| n % 2 == 1)
        .map(|n| format!("line-{n:02}"))
        .collect();
    assert_eq!(lines, wanted.iter().map(String::as_str).collect());
    assert_eq!(log.len(), wanted.len() * "\nline-00".len(), "none twice");

    let (mut now, mut most) = ([0_usize; 2], [0_usize; 2]);
    let mut running = std::collections::BTreeMap::new();
    for event in fake_obsidian::log::read(&world.home.log()).unwrap() {
        match event {
            Event::Start(invocation) => {
                let kind = usize::from(invocation.arguments()[1] != "read");
                now[kind] += 1;
                most[kind] = most[kind].max(now[kind]);
                running.insert(invocation.process.ids.pid, kind);
            }
            Event::End { pid, code: 0 } => now[running.remove(&pid).unwrap()] -= 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(now, [0, 0]);
    assert!(most[0] <= 4, "{} reads at once", most[0]);
    assert_eq!(most[1], 1, "one write at a time, its proof included");
    // 25 reads, 25 writes, one proof.
    assert_eq!(world.runs().len(), 51);
}

#[test]
fn g14_another_app_after_the_run_is_reported() {
    let world = World::official(&Scenario::logged().always("read", [Action::StealSocket]));
    let envelope = world.call("read", HOME).succeeds();
    assert_eq!(warnings(&envelope), ["APP_INSTANCE_CHANGED"]);
    // The thief is gone as well: the next call says so and starts nothing.
    world.call("read", HOME).fails_with("APP_NOT_RUNNING");
    assert_eq!(world.runs().len(), 1);
}

#[test]
fn g14_the_same_app_before_and_after_is_no_news() {
    let world = World::official(&Scenario::logged());
    assert_eq!(world.call("read", HOME).warnings, []);
}

/// The app's list with this vault and a second one that is open.
fn list_vaults(world: &World, open: Option<bool>) {
    let path = |folder: &Path| folder.to_string_lossy().into_owned();
    let mut vault = json!({"path": path(&world.vault), "ts": 1});
    if let Some(open) = open {
        vault["open"] = Value::Bool(open);
    }
    let other = json!({"path": path(&world.scratch()), "ts": 2, "open": true});
    let list = json!({"vaults": {"a": vault, "b": other}, "cli": true});
    fs_err::write(world.home.registry_file(), list.to_string()).unwrap();
}

#[test]
fn g15_a_closed_vault_is_not_opened_by_a_read() {
    for open in [Some(false), None] {
        let world = World::with_fixture_vault().with_fake(&Scenario::logged());
        list_vaults(&world, open);
        assert_engine_steps_in(&world, "APP_NOT_READY");
        let world = world.set(OFFICIAL);
        let envelope = world.call("read", HOME).fails_with("APP_NOT_READY");
        assert_eq!(detail(&envelope, "reason"), "vault-closed");
        assert_nothing_ran(&world, &envelope);

        let world = world.set("open_vault = true");
        world.call("read", HOME).succeeds();
        assert_eq!(world.runs(), ["vault=Notes read path=Home.md"]);
    }
    let world = World::official(&Scenario::logged());
    list_vaults(&world, Some(true));
    world.call("read", HOME).succeeds();
}

#[test]
fn g15_nothing_is_ever_started_without_a_command() {
    let world = World::official(&Scenario::logged());
    for empty in ["", " ", "\n", "vault=Notes", "--help"] {
        let envelope = world.call(empty, &[]);
        let refusal = code(&envelope);
        assert!(
            ["UNKNOWN_COMMAND", "USAGE_ERROR"].contains(&refusal),
            "{empty:?}: {refusal}"
        );
        assert_nothing_ran(&world, &envelope);
    }
    for line in ["", "''", "vault=Notes", "--json", "--yes ''"] {
        let ran = world.run_line(line);
        assert!(ran.status.is_some(), "{line}");
        assert_eq!(world.argvs().len(), 0, "{line}");
    }
    // What does run has its command second.
    world.ask("files total").succeeds();
    assert_eq!(world.runs(), ["vault=Notes files total"]);
}

/// A logged world whose app says that it is this version.
fn world_of_version(version: &str) -> World {
    let scenario = Scenario {
        version: Some(version.to_owned()),
        ..Scenario::logged()
    };
    let mut world = World::official(&scenario);
    world.start_app(Mode::Normal);
    world
}

fn warns_of_version(envelope: &Envelope) -> bool {
    let mut warnings = envelope.warnings.iter();
    warnings.any(|warning| warning.code == "CLI_VERSION_OLD")
}

#[test]
fn an_old_app_or_installer_is_warned_of_on_each_run_and_asked_once() {
    for version in ["1.12.6 (installer 1.12.7)", "1.13.7 (installer 1.12.4)"] {
        let mut world = world_of_version(version);
        let gateway = world.gateway();
        for _call in 0..3 {
            let envelope = gateway.call(&request("read", HOME)).succeeds();
            assert!(warns_of_version(&envelope), "{version}: {envelope:#?}");
        }
        assert_eq!(world.version_runs(), 1, "{version}");
        // Another process finds the answer in the cache folder.
        assert!(warns_of_version(&world.call("read", HOME)));
        assert_eq!(world.version_runs(), 1, "{version}");
        // An app that was started anew may be another version.
        world.start_app(Mode::Normal);
        assert!(warns_of_version(&gateway.call(&request("read", HOME))));
        assert_eq!(world.version_runs(), 2, "{version}");
    }
    let world = world_of_version("1.12.7 (installer 1.12.7)");
    assert!(!warns_of_version(&world.call("read", HOME)));
}

#[test]
fn an_app_below_min_version_is_refused_before_anything_else_runs() {
    for (version, refused) in
        tables::typed::<(&str, bool)>(CASES, "an app below min version is refused")
    {
        let world = world_of_version(version).set("min_version = \"1.12.7\"");
        let world = world.set("allow_mutations = true");
        for (command, params) in [
            ("read", HOME),
            ("append", &[("path", "Home.md"), ("content", "x")]),
        ] {
            let before = world.read("Home.md");
            let envelope = world.call(command, params);
            assert_eq!(envelope.success, !refused, "{version}: {envelope:#?}");
            if refused {
                assert_eq!(code(&envelope), "CLI_VERSION_UNSUPPORTED", "{version}");
                assert_eq!(world.read("Home.md"), before, "{version}");
            }
        }
        assert_eq!(world.runs().is_empty(), refused, "{:?}", world.runs());
    }
}

/// `contracts.md` D52: the engine answers in the place of an app that is too old, and says why; what the app
/// alone can do is refused.
#[test]
fn under_min_version_the_engine_answers_in_the_place_of_an_old_app() {
    let mut world = World::with_fixture_vault().with_fake(&Scenario {
        version: Some("1.12.6 (installer 1.12.6)".to_owned()),
        ..Scenario::logged()
    });
    world.start_app(Mode::Normal);
    let world = world.set("min_version = \"1.12.7\"\nallow_mutations = true");
    let envelope = world.call("read", HOME).succeeds();
    assert_eq!(envelope.meta.backend, Answerer::Embedded);
    let warning = &envelope.warnings[0];
    assert_eq!(warning.code, "APP_VERSION_REFUSED");
    has(&warning.message.text(), &["1.12.6"]);
    world.ask("append path=Home.md content=more").succeeds();
    assert!(world.read("Home.md").ends_with("more"));
    world.ask("workspace").fails_with("CLI_VERSION_UNSUPPORTED");
    assert!(world.runs().is_empty(), "{:?}", world.runs());
}
