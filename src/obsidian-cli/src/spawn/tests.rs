//! Runs of small scripts. What needs a real program or a fake app is in the integration tests.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use fake_obsidian::home::{OpenForWriting, write_program};
use rustix::process::{Pid, test_kill_process};

use super::observer::ChildEvent;
use super::*;
use crate::environment::ChildEnvironment;
use crate::locate::examine;
use backend::cancel::Cancel;
use backend::captured::Captured;
use protocol::{Code, Deadline};
use sandbox::{Confinement, ConfinementState, Environment, SandboxMode};

const CASES: &str = include_str!("cases.txt");

/// Time limit for a step that must not wait for a child that lives a minute.
const WELL_BEFORE_THE_CHILD: Duration = Duration::from_secs(30);

/// A folder with a script in it that is run as if it were the binary.
struct Stage {
    folder: tempfile::TempDir,
    script: PathBuf,
}

impl Stage {
    fn new(body: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("obsidian");
        write_program(&script, format!("#!/bin/sh\n{body}\n").as_bytes()).unwrap();
        Self { folder, script }
    }

    fn run(&self) -> Run {
        self.run_of(&self.script)
    }

    fn run_of(&self, binary: &Path) -> Run {
        let home = self.folder.path().as_os_str().to_owned();
        let environment = Environment::new([("HOME".into(), home)], None);
        Run {
            target: RunTarget {
                binary: examine(binary, "test").unwrap(),
                environment: ChildEnvironment::from_environment(&environment).unwrap(),
                instance: None,
                sandbox: RunSandbox::new(SandboxMode::BestEffort, &environment),
                #[cfg(target_os = "linux")]
                runner: None,
                guardian: None,
            },
            words: vec!["one".into()],
            deadline: Deadline::after_ms(50_000),
            grace: Duration::from_millis(100),
            max_output_bytes: 1_000_000,
            cancel: Cancel::default(),
        }
    }

    /// Returns a run with this deadline.
    fn run_until(&self, milliseconds: u64) -> Run {
        Run {
            deadline: Deadline::after_ms(milliseconds),
            ..self.run()
        }
    }

    /// Runs a script that ends by itself, and returns its output.
    fn output(&self) -> Output {
        run(self.run()).unwrap()
    }
}

fn text(captured: &Captured) -> String {
    captured.text().text
}

/// Whether the process is gone, waiting for it up to thirty seconds.
fn is_gone(pid: i32) -> bool {
    let pid = Pid::from_raw(pid).unwrap();
    let limit = Instant::now() + Duration::from_secs(30);
    while Instant::now() < limit {
        if test_kill_process(pid).is_err() || is_zombie(pid) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// Whether a process is a zombie. In a container nobody may reap orphans, so a zombie counts as gone.
fn is_zombie(pid: Pid) -> bool {
    let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
    fs_err::read_to_string(path).is_ok_and(|stat| {
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with('Z'))
    })
}

fn end(pid: i32) {
    let pid = Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Runs the script, and returns every event too.
fn recorded(run: Run) -> (Result<Output, Failure>, Vec<ChildEvent>) {
    let (sender, receiver) = channel();
    let result = watched(run, Box::new(move |event| sender.send(event).unwrap()));
    (result, receiver.iter().collect())
}

#[test]
fn e01_codes_and_signals_are_exact_and_no_zombie_stays() {
    for code in [0, 1, 3, 126, 255] {
        let output = Stage::new(&format!("exit {code}")).output();
        assert_eq!(output.exit, Exit::Code(code));
        let pid = Pid::from_raw(i32::try_from(output.pid).unwrap()).unwrap();
        assert!(!is_zombie(pid));
    }
    let output = Stage::new("kill -s USR1 $$").output();
    assert!(matches!(output.exit, Exit::Signal(10 | 30)), "{output:?}");
}

#[test]
fn e02_f09_a_child_that_hangs_is_ended_and_its_output_is_kept() {
    let stage = Stage::new("echo before; echo trouble >&2; exec sleep 60");
    let run = stage.run_until(1_000);
    let started = Instant::now();
    let (output, events) = recorded(run);
    let output = output.unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: true });
    assert_eq!(text(&output.stdout), "before\n");
    assert_eq!(text(&output.stderr), "trouble\n");
    assert!(started.elapsed() < WELL_BEFORE_THE_CHILD);
    assert_eq!(
        events[1..3],
        [ChildEvent::Signalled("TERM"), ChildEvent::Signalled("CONT")]
    );
    assert!(!output.descendants_leaked);
}

#[test]
fn e03_a_child_that_ignores_the_polite_signal_is_killed() {
    let stage = Stage::new("trap '' TERM; echo ready; while :; do sleep 60; done");
    let started = Instant::now();
    let output = super::run(stage.run_until(1_000)).unwrap();
    let elapsed = started.elapsed();
    assert!(elapsed >= Duration::from_millis(1_100), "{elapsed:?}");
    assert_eq!(output.exit, Exit::Killed { timed_out: true });
    assert_eq!(text(&output.stdout), "ready\n");
    assert!(is_gone(i32::try_from(output.pid).unwrap()));
}

#[test]
fn e04_a_stopped_child_is_ended() {
    let stage = Stage::new("echo $$; kill -s STOP $$; echo woken");
    let output = super::run(stage.run_until(1_000)).unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: true });
    assert!(is_gone(text(&output.stdout).trim().parse().unwrap()));
}

#[test]
fn e05_a_grandchild_that_ignores_the_polite_signal_is_killed_with_its_group() {
    let stage = Stage::new(
        "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 60; done' &\ntrap 'exit 0' TERM; wait",
    );
    let output = super::run(stage.run_until(1_000)).unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: true });
    assert!(is_gone(text(&output.stdout).trim().parse().unwrap()));
    assert!(!output.descendants_leaked);
}

#[test]
fn e06_a_descendant_in_a_session_of_its_own_is_reported_and_left_alone() {
    if !Path::new("/usr/bin/setsid").exists() {
        // macOS has no such tool; the integration tests bring their own.
        return;
    }
    let stage = Stage::new(
        "setsid sh -c 'echo $$ >\"$HOME/pid\"; exec sleep 60' &\n\
         while [ ! -s \"$HOME/pid\" ]; do :; done; printf hello",
    );
    let started = Instant::now();
    let output = stage.output();
    assert_eq!(output.exit, Exit::Code(0));
    assert_eq!(text(&output.stdout), "hello");
    assert!(output.descendants_leaked);
    assert!(
        started.elapsed() < WELL_BEFORE_THE_CHILD,
        "it is not waited for"
    );
    let pid = fs_err::read_to_string(stage.folder.path().join("pid")).unwrap();
    let pid = pid.trim().parse().unwrap();
    let alive = test_kill_process(Pid::from_raw(pid).unwrap());
    assert_eq!(alive, Ok(()), "an escaped session is not killed");
    end(pid);
}

#[test]
fn e07_a_silent_member_of_the_group_does_not_outlive_the_run() {
    let stage = Stage::new("sleep 60 >/dev/null 2>&1 & echo $!");
    let output = stage.output();
    assert_eq!(output.exit, Exit::Code(0));
    assert!(!output.descendants_leaked);
    assert!(is_gone(text(&output.stdout).trim().parse().unwrap()));
}

#[test]
fn e08_no_signal_is_sent_after_the_leader_is_reaped() {
    for (body, milliseconds) in [("exit 0", 20_000), ("exec sleep 60", 200)] {
        let stage = Stage::new(body);
        let run = stage.run_until(milliseconds);
        let (_, events) = recorded(run);
        assert!(
            matches!(events[0], ChildEvent::Started { .. }),
            "{events:?}"
        );
        assert!(
            events.contains(&ChildEvent::Signalled("KILL")),
            "{events:?}"
        );
        let reaped = events.iter().position(|event| *event == ChildEvent::Reaped);
        assert_eq!(reaped, Some(events.len() - 1), "{events:?}");
    }
}

#[test]
fn e09_a_storm_of_children_ends_with_the_run() {
    let stage = Stage::new(
        "trap '' TERM; i=0; while [ $i -lt 400 ]; do sleep 60 >/dev/null 2>&1 & \
         echo $! >>\"$HOME/pids\"; i=$((i+1)); [ $i -ne 200 ] || : >\"$HOME/ready\"; done; wait",
    );
    let run = stage.run();
    let cancel = run.cancel.clone();
    let ready = stage.folder.path().join("ready");
    let canceller = std::thread::spawn(move || {
        while !ready.exists() {
            std::thread::yield_now();
        }
        cancel.cancel();
    });
    let output = super::run(run).unwrap();
    canceller.join().unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: false });
    assert!(!output.descendants_leaked);
    let pids = fs_err::read_to_string(stage.folder.path().join("pids")).unwrap();
    let pids: Vec<i32> = pids.lines().map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.len() >= 200, "{}", pids.len());
    assert!(pids.into_iter().all(is_gone));
}

#[test]
fn e10_a_cancelled_run_ends_at_once() {
    let stage = Stage::new("echo ready; exec sleep 60");
    let run = stage.run();
    let cancel = run.cancel.clone();
    let started = Instant::now();
    let cancel_at_start = move |event| {
        if matches!(event, ChildEvent::Started { .. }) {
            cancel.cancel();
        }
    };
    let output = watched(run, Box::new(cancel_at_start)).unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: false });
    assert!(started.elapsed() < WELL_BEFORE_THE_CHILD);
    let mut run = stage.run();
    run.cancel.cancel();
    run.max_output_bytes = 0;
    let failure = super::run(run).unwrap_err();
    assert_eq!(failure.details["started"], false);
}

#[test]
fn e13_a_panic_is_an_internal_error_and_the_child_does_not_survive() {
    let (sender, receiver) = channel();
    let panicking = move |event| {
        if let ChildEvent::Started { pid } = event {
            sender.send(pid).unwrap();
            panic!("secret note text");
        }
    };
    let stage = Stage::new("exec sleep 60");
    let failure = watched(stage.run(), Box::new(panicking)).unwrap_err();
    assert_eq!(failure.code, Code::InternalError);
    assert!(!format!("{failure:?}").contains("secret"));
    assert!(is_gone(i32::try_from(receiver.recv().unwrap()).unwrap()));
}

#[test]
fn e14_a_binary_that_is_being_written_is_tried_again() {
    let stage = Stage::new("echo done");
    let run = stage.run();
    let (refusals, seen) = channel();
    // Kept open for writing until the first refusal.
    let mut file = Some(OpenForWriting::by_a_child(&stage.script).unwrap());
    let until_refused = move |event| {
        if event == ChildEvent::FileBusy {
            drop(file.take());
            refusals.send(()).unwrap();
        }
    };
    let output = watched(run, Box::new(until_refused)).unwrap();
    assert_eq!(text(&output.stdout), "done\n");
    if cfg!(target_os = "linux") {
        assert!(seen.iter().count() >= 1);
    }
}

/// A script line that becomes this very test program and runs one of its tests.
fn this_program(before: &str, test: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let test = format!("spawn::tests::{test}");
    format!("{before} exec '{}' --exact {test}", program.display())
}

#[test]
fn e15_status_is_right_whatever_the_launcher_ignores() {
    let stage = Stage::new(&this_program(
        "trap '' CHLD TERM PIPE;",
        "e15_a_child_starts_with_default_dispositions",
    ));
    let output = stage.output();
    assert_eq!(output.exit, Exit::Code(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("1 passed"));
}

#[test]
fn e15_a_child_starts_with_default_dispositions() {
    if !cfg!(target_os = "linux") {
        assert_eq!(Stage::new("exit 3").output().exit, Exit::Code(3));
        return;
    }
    let output = Stage::new("grep -E '^Sig(Blk|Ign)' /proc/self/status; exit 3").output();
    assert_eq!(output.exit, Exit::Code(3));
    let printed = text(&output.stdout);
    let mask = |name: &str| {
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split('\t').nth(1).unwrap(), 16).unwrap()
    };
    assert_eq!(mask("SigBlk"), 0);
    let (pipe, term, child) = (1 << 12, 1 << 14, 1 << 16);
    assert_eq!(mask("SigIgn") & (pipe | term | child), 0, "{printed}");
}

/// Not a test of its own: the program that [`g07_a_run_that_becomes_the_app_is_left_alone`] runs.
#[test]
fn g07_stand_in_for_the_app() {
    let environment = Environment::capture();
    if environment.variable("VAULT_GW_TEST_STAND_IN").is_none() {
        return;
    }
    let home = environment.absolute_path("HOME").unwrap();
    let _app = std::os::unix::net::UnixListener::bind(home.join(".obsidian-cli.sock")).unwrap();
    let limit = Instant::now() + Duration::from_secs(30);
    while Instant::now() < limit && home.exists() {
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn g07_a_run_that_becomes_the_app_is_left_alone() {
    let stage = Stage::new(&this_program(
        "echo starting; export VAULT_GW_TEST_STAND_IN=1;",
        "g07_stand_in_for_the_app",
    ));
    let run = stage.run();
    let socket = crate::probe::socket_path(&run.target.environment);
    let cancel = run.cancel.clone();
    let canceller = std::thread::spawn(move || {
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            std::thread::yield_now();
        }
        cancel.cancel();
    });
    let (output, events) = recorded(run);
    canceller.join().unwrap();
    let output = output.unwrap();
    assert_eq!(output.exit, Exit::LeftRunning { timed_out: false });
    assert!(output.app_started_by_run);
    assert!(!output.descendants_leaked);
    assert!(text(&output.stdout).starts_with("starting\n"));
    assert_eq!(events.len(), 1, "no signal, not reaped: {events:?}");
    let pid = i32::try_from(output.pid).unwrap();
    assert_eq!(test_kill_process(Pid::from_raw(pid).unwrap()), Ok(()));
    end(pid);
    assert!(is_gone(pid));
}

#[test]
fn e16_a_deadline_that_has_passed_starts_nothing() {
    let stage = Stage::new("echo ran >\"$HOME/marker\"");
    let run = stage.run_until(0);
    let failure = super::run(run).unwrap_err();
    assert_eq!(failure.code, Code::Timeout);
    assert_eq!(failure.details["started"], false);
    assert!(!stage.folder.path().join("marker").exists());
    let run = stage.run_until(u64::MAX);
    assert_eq!(super::run(run).unwrap().exit, Exit::Code(0));
}

#[test]
fn e16_ending_about_at_the_deadline_gives_one_outcome() {
    let stage = Stage::new("exec sleep 0.05");
    for milliseconds in [40, 50, 52, 54, 60] {
        let run = stage.run_until(milliseconds);
        let (output, events) = recorded(run);
        let wanted = if events.contains(&ChildEvent::Signalled("TERM")) {
            Exit::Killed { timed_out: true }
        } else {
            Exit::Code(0)
        };
        match output {
            Ok(output) => assert_eq!(output.exit, wanted),
            // On a busy machine the time may be over before the start.
            Err(failure) => {
                assert_eq!((failure.code, events), (Code::Timeout, vec![]));
                assert_eq!(failure.details["started"], false);
            }
        }
    }
}

#[test]
fn f01_a_flood_is_counted_and_bounded() {
    let stage = Stage::new("head -c 30000000 /dev/zero; echo end");
    let mut run = stage.run();
    run.max_output_bytes = 1_000;
    let output = super::run(run).unwrap();
    assert_eq!(output.exit, Exit::Code(0));
    assert_eq!(output.stdout.total, 30_000_004);
    assert_eq!(output.stdout.omitted(), 30_000_004 - 1_000);
    assert_eq!(output.stdout.head, [0; 1_000]);
    assert_eq!(output.stdout.line_feeds, 1);
}

#[test]
fn f02_both_streams_may_flood_without_a_deadlock() {
    let stage = Stage::new(
        "head -c 2000000 /dev/zero >&2; for i in 1 2 3; do head -c 200000 /dev/zero; \
         head -c 200000 /dev/zero >&2; done",
    );
    let output = stage.output();
    assert_eq!(output.exit, Exit::Code(0));
    assert_eq!(output.stdout.total, 600_000);
    assert_eq!(output.stderr.total, 2_600_000);
}

#[test]
fn f03_a_slow_stream_does_not_move_the_deadline() {
    let stage = Stage::new("while :; do printf x; sleep 0.05; done");
    let run = stage.run_until(1_000);
    let started = Instant::now();
    let output = super::run(run).unwrap();
    assert_eq!(output.exit, Exit::Killed { timed_out: true });
    assert!(started.elapsed() < WELL_BEFORE_THE_CHILD);
    assert!(
        (1..=20).contains(&output.stdout.total),
        "{}",
        output.stdout.total
    );
}

#[test]
fn b01_words_arrive_as_they_are() {
    let stage = Stage::new("for word in \"$@\"; do printf '%s\\0' \"$word\"; done");
    let mut run = stage.run();
    run.words = tables::lines(CASES, "b01 words arrive as they")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let wanted: String = run.words.iter().flat_map(|word| [word, "\0"]).collect();
    let output = super::run(run).unwrap();
    assert_eq!(text(&output.stdout), wanted);
}

#[test]
fn c06_c11_the_child_sees_its_own_surroundings_only() {
    let stage = Stage::new("pwd; env | sort; read line || echo no-input");
    let output = stage.output();
    let home = stage.folder.path().display();
    // The shell itself adds PWD; some add a few more of their own.
    let seen: Vec<String> = text(&output.stdout)
        .lines()
        .filter(|line| {
            !["OLDPWD=", "PWD=", "SHLVL=", "_="]
                .iter()
                .any(|own| line.starts_with(own))
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(
        seen,
        [
            "/".to_owned(),
            format!("HOME={home}"),
            "LC_ALL=C.UTF-8".into(),
            "PATH=/usr/bin:/bin".into(),
            "no-input".into()
        ]
    );
}

#[test]
fn c10_inherited_descriptors_are_sealed() {
    let kept = tempfile::tempfile().unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(&kept, 200).unwrap();
    rustix::io::fcntl_setfd(&high, rustix::io::FdFlags::empty()).unwrap();
    seal_inherited_descriptors();
    let number = std::os::fd::AsRawFd::as_raw_fd(&high);
    let stage = Stage::new(&format!(
        "if [ -e /dev/fd/{number} ]; then echo leaked; else echo sealed; fi"
    ));
    assert_eq!(text(&stage.output().stdout), "sealed\n");
}

#[test]
fn c03_a_replaced_binary_is_not_started() {
    let stage = Stage::new("echo old");
    let run = stage.run();
    let other = Stage::new("echo ran >\"$HOME/marker\"");
    fs_err::copy(&other.script, &stage.script).unwrap();
    let failure = super::run(run).unwrap_err();
    assert_eq!(failure.code, Code::CliUntrusted);
    assert!(!stage.folder.path().join("marker").exists());
}

#[test]
fn l01_without_a_helper_the_child_runs_unconfined_and_that_is_said() {
    let stage = Stage::new("/bin/echo free");
    let output = stage.output();
    assert_eq!(text(&output.stdout), "free\n");
    assert_eq!(output.confinement.state, ConfinementState::Unavailable);
    let mut run = stage.run();
    run.target.sandbox.mode = SandboxMode::Off;
    assert_eq!(super::run(run).unwrap().confinement, Confinement::off());
    let mut run = stage.run();
    run.target.sandbox.mode = SandboxMode::Require;
    let failure = super::run(run).unwrap_err();
    assert_eq!(failure.code, Code::SandboxUnavailable);
    assert_eq!(failure.details["started"], false);
}

#[test]
fn the_version_is_queried_and_other_programs_are_detected() {
    use crate::version;

    let stage = Stage::new("[ \"$*\" = 'vault=v version' ] && echo '1.13.7 (installer 1.13.4)'");
    let version = version::ask(stage.run(), "v").unwrap();
    assert_eq!(version.app.to_string(), "1.13.7");
    let stage = Stage::new("echo hello");
    let failure = version::ask(stage.run(), "v").unwrap_err();
    assert_eq!(failure.code, Code::CliVersionUnsupported);
}

#[test]
fn g14_another_app_after_the_run_is_noticed() {
    use crate::probe::{probe, socket_path};
    use std::os::unix::net::UnixListener;

    let stage = Stage::new("rm \"$HOME/.obsidian-cli.sock\"");
    let mut run = stage.run();
    let _app = UnixListener::bind(socket_path(&run.target.environment)).unwrap();
    run.target.instance = Some(probe(&run.target.environment).unwrap());
    let output = super::run(run).unwrap();
    assert_eq!(output.app_instance_changed, Some(true));
    let stage = Stage::new("exit 0");
    let mut run = stage.run();
    let _app = UnixListener::bind(socket_path(&run.target.environment)).unwrap();
    run.target.instance = Some(probe(&run.target.environment).unwrap());
    assert_eq!(super::run(run).unwrap().app_instance_changed, Some(false));
    assert_eq!(stage.output().app_instance_changed, None);
}
