//! A running `vault-gw call`: one request a line, one envelope a line, and what the system knows
//! of the process in between.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command};

use serde_json::Value;

use super::{World, assert_envelope};

/// The program while it waits for the next line. Ends when dropped.
pub(crate) struct Service {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Service {
    /// Starts the program for an agent whose bridge is on.
    pub(crate) fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    /// The same with these options of `call`.
    pub(crate) fn start_with(world: &World, options: &[&str]) -> Self {
        let settings = world.scratch().join("service-settings.toml");
        super::write_private(&settings, format!("enabled = true\n{}", world.settings));
        let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_vault-gw")));
        command
            .arg("--settings")
            .arg(settings)
            .arg("call")
            .args(options);
        Self::spawned(command)
    }

    /// The same for a program that is ready to be started.
    pub(crate) fn spawned(mut command: Command) -> Self {
        command.stderr(std::process::Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    /// Sends one line and reads the envelope that answers it, unchecked.
    pub(crate) fn ask_quickly(&mut self, line: &str) -> Value {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// The same, with the envelope checked against its schema.
    pub(crate) fn ask(&mut self, line: &str) -> Value {
        let envelope = self.ask_quickly(line);
        assert_envelope(&envelope);
        envelope
    }

    /// Sends one line, without waiting for its answer.
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next envelope, checked against its schema; none at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        if answer.is_empty() {
            return None;
        }
        let envelope = serde_json::from_str(&answer).unwrap();
        assert_envelope(&envelope);
        Some(envelope)
    }

    /// Another end of its input, for a thread that sends while this one reads.
    pub(crate) fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// Closes our end of its output, so that its next line has no reader.
    #[cfg(unix)]
    pub(crate) fn hang_up(&mut self) {
        let nothing = tempfile::tempfile().unwrap();
        let stdout = std::mem::replace(
            self.output.get_mut(),
            ChildStdout::from(std::os::fd::OwnedFd::from(nothing)),
        );
        drop(stdout);
    }

    /// Sends this signal to the program.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.pid()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal)
            .unwrap();
    }

    /// Sends a signal again; whether it has ended meanwhile.
    #[cfg(unix)]
    pub(crate) fn has_ended_by(&mut self, signal: rustix::process::Signal) -> bool {
        let has_ended = self.child.try_wait().unwrap().is_some();
        if !has_ended {
            self.signal(signal);
        }
        has_ended
    }

    /// The exit status, once it has ended.
    pub(crate) fn exit_status(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// The program's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A number out of the kernel's status of the program, such as `VmHWM` in KiB or `Threads`.
    #[cfg(target_os = "linux")]
    pub(crate) fn status(&self, field: &str) -> u64 {
        let file = format!("/proc/{}/status", self.pid());
        let text = fs_err::read_to_string(file).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(field));
        let digits = line.unwrap().trim_start_matches(':').trim();
        digits.trim_end_matches(" kB").parse().unwrap()
    }

    /// How many descriptors the program has open.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptors(&self) -> usize {
        super::processes::descriptors_of(self.pid())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Its input may be held by a thread that nobody will wait for.
        if std::thread::panicking() {
            drop(self.child.kill());
        }
        // The end of its input ends the program.
        drop(self.input.take());
        drop(self.child.wait());
    }
}
