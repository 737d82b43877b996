//! Prevents signals to the app (`threats.toml` G07).

use rustix::process::Pid;

use crate::environment::ChildEnvironment;
use crate::probe;
use crate::probe::AppInstance;

/// Detects whether a run has become the app, which must never be signalled (`threats.toml` G07).
pub(super) struct AppGuard {
    /// The environment of the child.
    pub(super) environment: ChildEnvironment,
    /// The app that the probe found.
    pub(super) before: Option<AppInstance>,
    pub(super) child: Pid,
}

impl AppGuard {
    /// Whether the app that listens now is the child or in its group. Only reads the metadata of
    /// the socket file if that file has not changed since the probe.
    pub(super) fn app_started_by_run(&self) -> bool {
        let Some(now) = probe::socket_identity(&self.environment) else {
            return false;
        };
        // The same socket file as before the start means the same app; no need to connect.
        if self.before.and_then(|instance| instance.socket) == Some(now) {
            return false;
        }
        probe::listener_pid(&self.environment)
            .and_then(|number| i32::try_from(number).ok())
            .and_then(Pid::from_raw)
            .is_some_and(|listener| belongs_to(listener, self.child))
    }
}

/// Whether a process is the child, or in the group or session that the child leads.
fn belongs_to(process: Pid, child: Pid) -> bool {
    // Not rustix: it rejects the id 0, which the kernel reports for a leader outside our PID
    // namespace.
    let child_number = nix::unistd::Pid::from_raw(child.as_raw_pid());
    let wanted = Some(nix::unistd::Pid::from_raw(process.as_raw_pid()));
    process == child
        || nix::unistd::getpgid(wanted) == Ok(child_number)
        || nix::unistd::getsid(wanted) == Ok(child_number)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use super::*;
    use sandbox::Environment;

    fn child_environment(home: &Path) -> ChildEnvironment {
        let home = home.as_os_str().to_owned();
        ChildEnvironment::from_environment(&Environment::new([("HOME".into(), home)], None))
            .unwrap()
    }

    #[test]
    fn g07_the_guard_knows_a_child_that_became_the_app() {
        let folder = tempfile::tempdir().unwrap();
        let environment = child_environment(folder.path());
        let own = rustix::process::getpid();
        let guard = |before, child| AppGuard {
            environment: environment.clone(),
            before,
            child,
        };
        assert!(!guard(None, own).app_started_by_run(), "nobody listens");
        let app = UnixListener::bind(probe::socket_path(&environment)).unwrap();
        assert!(
            guard(None, own).app_started_by_run(),
            "the child itself listens"
        );
        let instance = probe::probe(&environment).unwrap();
        assert!(
            !guard(Some(instance), own).app_started_by_run(),
            "the app of before the start"
        );
        let init = Pid::from_raw(1).unwrap();
        assert!(
            !guard(None, init).app_started_by_run(),
            "somebody else's app"
        );
        let leader = nix::unistd::getpgrp().as_raw();
        // In a container the leader of this test's group may be outside the PID namespace: then it
        // has no id here.
        if let Some(leader) = (leader != 0).then(|| Pid::from_raw(leader)).flatten() {
            assert!(
                guard(None, leader).app_started_by_run(),
                "in the child's group"
            );
        }
        drop(app);
    }
}
