//! The confined helper that waits in a server for the next run of the official command line
//! (`threats.toml` E19, L11).

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::official::{script, world};
use crate::support::processes::{children_of, comes_true, is_gone, zombies_of};
use crate::support::service::Service;
use crate::support::{World, executable};

const READ: &str = r#"{"command":"read","params":{"path":"Home.md"}}"#;

/// A command line that prints its own process id.
const WHO: &str = "case $2 in version) echo '1.12.7 (installer 1.12.7)';; *) echo $$;; esac";

/// A user whose command line is `WHO`, run by the shell at `shell`.
fn user(shell: &Path) -> World {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("#!{}\n{WHO}\n", shell.display());
    world(&script(folder.path(), &text))
}

fn shell() -> &'static Path {
    Path::new("/bin/sh")
}

fn runner_of(service: &Service) -> u32 {
    assert!(comes_true(|| children_of(service.pid()).len() == 1));
    u32::try_from(children_of(service.pid())[0]).unwrap()
}

/// The helpers of a runner, or of any process: those that wait, and those that will be a run.
fn helpers_of(runner: u32) -> Vec<i32> {
    let mut all = children_of(runner);
    all.retain(|pid| {
        let words = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.ends_with(b"__launcher\0")
    });
    all
}

/// The helper that waits, once there is one.
fn waiting(runner: u32) -> i32 {
    assert!(comes_true(|| helpers_of(runner).len() == 1));
    helpers_of(runner)[0]
}

/// The process that answered.
fn who(answer: &Value) -> i32 {
    assert_eq!(answer["success"], true, "{answer:#}");
    answer["stdout"].as_str().unwrap().trim().parse().unwrap()
}

fn signal(pid: i32, signal: Signal) {
    rustix::process::kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn l11_the_next_run_is_the_helper_that_waits_and_another_one_comes() {
    let world = user(shell());
    let mut service = Service::start(&world);
    let runner = runner_of(&service);
    assert!(
        helpers_of(runner).is_empty(),
        "none before it is clear that the app answers"
    );
    who(&service.ask(READ));
    let mut seen = Vec::new();
    let mut taken = 0;
    // Where the machine gains many threads meanwhile, a helper is thrown away.
    for _round in 0..50 {
        let helper = waiting(runner);
        assert!(!seen.contains(&helper), "{helper} in {seen:?}");
        seen.push(helper);
        let answer = service.ask(READ);
        taken += usize::from(who(&answer) == helper);
        assert!(is_gone(helper));
        let official = &answer["meta"]["confinement"]["official"];
        assert_ne!(official["state"], "off", "{official}");
        if taken == 4 {
            break;
        }
    }
    assert_eq!(taken, 4);
    waiting(runner);
    assert!(zombies_of(runner).is_empty());
}

#[test]
fn l11_where_the_engine_answers_no_helper_waits() {
    let mut world = user(shell());
    world.settings = world.settings.replacen("\"obsidian\"", "\"auto\"", 1);
    let mut service = Service::start(&world);
    let runner = runner_of(&service);
    for line in [
        r#"{"command":"notes:list"}"#,
        r#"{"command":"no-such-command"}"#,
        r#"{"command":"read","params":{"path":"Home.md"},"dryRun":true}"#,
    ] {
        service.ask_quickly(line);
    }
    assert!(helpers_of(runner).is_empty());
}

#[test]
fn e19_the_helper_that_waits_ends_with_its_server() {
    let world = user(shell());
    let ready = || {
        let mut service = Service::start(&world);
        who(&service.ask(READ));
        let runner = runner_of(&service);
        (service, runner, waiting(runner))
    };
    let (service, _, helper) = ready();
    drop(service);
    assert!(is_gone(helper), "at the end of the input");
    let (mut service, runner, helper) = ready();
    service.signal(Signal::KILL);
    assert!(service.exit_status().is_none());
    assert!(is_gone(helper), "the server was killed");
    assert!(is_gone(i32::try_from(runner).unwrap()));
    let (service, runner, helper) = ready();
    // Even one that cannot see that its socket is closed.
    signal(helper, Signal::STOP);
    signal(i32::try_from(runner).unwrap(), Signal::KILL);
    assert!(is_gone(helper), "the runner was killed");
    drop(service);
}

#[test]
fn e19_a_helper_that_was_killed_costs_no_answer() {
    let world = user(shell());
    let mut service = Service::start(&world);
    let runner = runner_of(&service);
    who(&service.ask(READ));
    let helper = waiting(runner);
    signal(helper, Signal::KILL);
    assert!(is_gone(helper));
    who(&service.ask(READ));
    waiting(runner);
    assert!(zombies_of(runner).is_empty());
}

#[test]
fn e19_a_helper_that_was_stopped_runs_nothing_when_the_time_is_up() {
    let world = user(shell()).set("timeout_ms = 3000");
    let mut service = Service::start(&world);
    let runner = runner_of(&service);
    assert!(comes_true(|| service.ask(READ)["success"] == true));
    let timed_out = (0..20).any(|_| {
        let helper = waiting(runner);
        signal(helper, Signal::STOP);
        let answer = service.ask(READ);
        assert!(is_gone(helper));
        // Otherwise the helper was thrown away for another reason.
        answer["error"]["code"] == "TIMEOUT"
    });
    assert!(timed_out);
    assert!(comes_true(|| service.ask(READ)["success"] == true));
}

#[test]
fn e20_a_runner_that_is_stopped_or_killed_leaves_a_change_unknown_and_no_call_without_an_answer() {
    const APPEND: &str = r#"{"command":"append","params":{"path":"Home.md","content":"x"}}"#;
    for (sent, code) in [(Signal::STOP, "TIMEOUT"), (Signal::KILL, "INTERNAL_ERROR")] {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&script(folder.path(), "#!/bin/sh\n"))
            .set("timeout_ms = 3000\nallow_mutations = true");
        let text = format!(
            "#!/bin/sh\ncase $2 in version) echo '1.12.7 (installer 1.12.7)';; vault) echo '{}';; *) while :; do :; done;; esac\n",
            world.vault.display()
        );
        fs_err::write(world.home.binaries().join("obsidian-cli"), text).unwrap();
        let mut service = Service::start(&world);
        let runner = runner_of(&service);
        service.send(APPEND);
        let runs = || {
            let mut all = children_of(runner).into_iter();
            all.any(|pid| {
                let words = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                words.windows(8).any(|word| word == b"\0append\0")
            })
        };
        assert!(comes_true(runs), "{sent:?}: {:#?}", service.next());
        let runner = i32::try_from(runner).unwrap();
        signal(runner, sent);
        let answer = service.next().unwrap();
        assert_eq!(answer["status"], "unknown", "{answer:#}");
        let error = &answer["error"];
        assert_eq!(error["code"], code, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("may still happen"), "{message}");
        if sent == Signal::STOP {
            signal(runner, Signal::CONT);
        }
    }
}

#[test]
fn l11_a_helper_with_the_rules_of_before_is_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    fs_err::create_dir(&place).unwrap();
    let own_shell = place.join("sh");
    executable(&own_shell, fs_err::read(shell()).unwrap());
    let mut world = user(&own_shell);
    let mut service = Service::start(&world);
    let runner = runner_of(&service);
    who(&service.ask(READ));

    let before = waiting(runner);
    world.start_app(fake_obsidian::app::Mode::Normal);
    assert_ne!(
        who(&service.ask(READ)),
        before,
        "the app has another socket"
    );
    assert!(is_gone(before));

    let before = waiting(runner);
    let other = place.join("other");
    executable(&other, fs_err::read(shell()).unwrap());
    fs_err::rename(&other, &own_shell).unwrap();
    assert_ne!(who(&service.ask(READ)), before, "another interpreter");
    assert!(is_gone(before));

    waiting(runner);
    fs_err::set_permissions(&place, std::fs::Permissions::from_mode(0o777)).unwrap();
    let answer = service.ask(READ);
    let error = &answer["error"];
    assert_eq!(
        error["code"], "SANDBOX_UNAVAILABLE",
        "others could change it"
    );
    assert_eq!(error["details"]["started"], false, "{answer:#}");
}
