//! A terminal for the program: what a person would see on it, and what they type.

use std::fs::File;
use std::io::{Read as _, Write as _};

use std::process::{Child, Command, Stdio};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::processes::comes_true;

/// A terminal that nobody has opened yet.
pub(crate) struct Pty {
    screen: File,
    device: String,
}

impl Pty {
    pub(crate) fn new() -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&screen).unwrap();
        unlockpt(&screen).unwrap();
        let device = ptsname(&screen, Vec::new()).unwrap();
        let device = device.into_string().unwrap();
        Self {
            screen: screen.into(),
            device,
        }
    }

    /// A terminal of this size.
    pub(crate) fn sized(columns: u16, rows: u16) -> Self {
        let terminal = Self::new();
        let size = rustix::termios::Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&terminal.screen, size).unwrap();
        terminal
    }

    /// The file that a program opens to be on this terminal.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// One more end for a program, which does not make it the terminal of this process.
    fn end(&self) -> File {
        fs_err::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(i32::try_from(OFlags::NOCTTY.bits()).unwrap())
            .open(&self.device)
            .unwrap()
            .into_parts()
            .0
    }

    /// Starts a program with all three streams on this terminal.
    pub(crate) fn start(self, mut command: Command) -> Session {
        command
            .stdin(self.end())
            .stdout(self.end())
            .stderr(self.end());
        self.start_as_it_is(command)
    }

    /// The same, but its standard output is a pipe to the test.
    pub(crate) fn start_with_piped_output(self, mut command: Command) -> Session {
        command
            .stdin(self.end())
            .stdout(Stdio::piped())
            .stderr(self.end());
        self.start_as_it_is(command)
    }

    fn start_as_it_is(self, mut command: Command) -> Session {
        let program = command.spawn().unwrap();
        // The command holds ends of the terminal; the program's must be the last ones.
        drop(command);
        rustix::io::ioctl_fionbio(&self.screen, true).unwrap();
        Session {
            program,
            screen: self.screen,
            seen: Vec::new(),
            has_ended: false,
        }
    }
}

/// A program on a terminal.
pub(crate) struct Session {
    program: Child,
    screen: File,
    seen: Vec<u8>,
    has_ended: bool,
}

impl Session {
    /// Waits until this has come up on the screen.
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_for_times(text, 1);
    }

    /// Waits until this has come up on the screen so many times.
    pub(crate) fn wait_for_times(&mut self, text: &str, times: usize) {
        let has_come = |session: &Self| session.shown().matches(text).count() >= times;
        let came = comes_true(|| {
            self.look();
            has_come(self) || self.has_ended
        });
        let has_come = came && has_come(self);
        assert!(has_come, "{text:?} did not come: {:?}", self.shown());
    }

    /// Sends these keys once this has come up on the screen.
    pub(crate) fn when(&mut self, text: &str, keys: &str) {
        self.wait_for(text);
        self.type_in(keys);
    }

    /// Sends these keys once this is on a screen that the program draws.
    pub(crate) fn when_drawn(&mut self, text: &str, keys: &str) {
        self.wait_for_drawn(text);
        self.type_in(keys);
    }

    /// Waits until this is on a screen that the program draws by moving its cursor.
    pub(crate) fn wait_for_drawn(&mut self, text: &str) {
        let came = comes_true(|| {
            self.look();
            self.drawn().contains(text) || self.has_ended
        });
        let drawn = self.drawn();
        let has_come = came && drawn.contains(text);
        assert!(has_come, "{text:?} did not come:\n{drawn}");
    }

    /// The rows that the program has drawn: characters at the places where it moved its cursor.
    pub(crate) fn drawn(&self) -> String {
        let mut rows: Vec<Vec<char>> = Vec::new();
        let (mut row, mut column) = (0_usize, 0_usize);
        let shown = self.shown();
        let mut rest = shown.chars();
        while let Some(character) = rest.next() {
            match character {
                '\u{1b}' => {
                    let sequence = rest.as_str();
                    let Some(sequence) = sequence.strip_prefix('[') else {
                        continue;
                    };
                    // The rest of the sequence has not come yet.
                    let Some(end) = sequence.find(|letter| matches!(letter, '@'..='~')) else {
                        break;
                    };
                    let (parameters, last) = (&sequence[..end], sequence.as_bytes()[end]);
                    if last == b'H' {
                        let (y, x) = parameters.split_once(';').unwrap_or(("1", "1"));
                        let [y, x] = [y, x].map(|at| at.parse::<usize>().unwrap() - 1);
                        (row, column) = (y, x);
                    } else if last == b'J' {
                        rows.clear();
                    }
                    rest = sequence[end + 1..].chars();
                }
                '\r' => column = 0,
                '\n' => row += 1,
                _ => {
                    rows.resize(rows.len().max(row + 1), Vec::new());
                    let cells = &mut rows[row];
                    cells.resize(cells.len().max(column + 1), ' ');
                    cells[column] = character;
                    column += 1;
                }
            }
        }
        rows.iter()
            .map(|cells| cells.iter().collect::<String>() + "\n")
            .collect()
    }

    /// Sends these keys to the program, as if a person typed them.
    pub(crate) fn type_in(&mut self, keys: &str) {
        self.screen.write_all(keys.as_bytes()).unwrap();
    }

    /// Sends SIGINT, as Ctrl-C does on a terminal that controls its programs. This one does not.
    pub(crate) fn interrupt(&self) {
        self.signal(rustix::process::Signal::INT);
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let program = rustix::process::Pid::from_child(&self.program);
        rustix::process::kill_process(program, signal).unwrap();
    }

    /// Whether the program takes each key as it is typed.
    pub(crate) fn is_raw(&self) -> bool {
        let modes = rustix::termios::tcgetattr(&self.screen)
            .unwrap()
            .local_modes;
        !modes.contains(rustix::termios::LocalModes::ICANON)
    }

    /// Everything on the screen so far, with what was typed.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Waits for the end: exit status, everything on the screen, and what came through a pipe.
    pub(crate) fn finish(mut self) -> (Option<i32>, Vec<u8>, Vec<u8>) {
        let mut output = Vec::new();
        if let Some(mut stdout) = self.program.stdout.take() {
            stdout.read_to_end(&mut output).unwrap();
        }
        let ended = comes_true(|| {
            self.look();
            self.has_ended
        });
        assert!(ended, "it still runs: {:?}", self.shown());
        let status = self.program.wait().unwrap();
        (status.code(), std::mem::take(&mut self.seen), output)
    }

    /// Waits for the end with this status, and returns everything on the screen.
    #[track_caller]
    pub(crate) fn ended(self, expected: i32) -> String {
        let (status, screen, _) = self.finish();
        let screen = String::from_utf8_lossy(&screen).into_owned();
        assert_eq!(status, Some(expected), "{screen}");
        screen
    }

    /// Reads what is there.
    fn look(&mut self) {
        let mut chunk = [0; 4096];
        loop {
            match self.screen.read(&mut chunk) {
                Ok(0) => self.has_ended = true,
                Ok(count) => {
                    self.seen.extend_from_slice(&chunk[..count]);
                    continue;
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                // What Linux says when the last program has left the terminal.
                Err(_input_output) => self.has_ended = true,
            }
            return;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if std::thread::panicking() {
            drop(self.program.kill());
            drop(self.program.wait());
        }
    }
}
