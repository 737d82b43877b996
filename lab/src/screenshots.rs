//! Pictures of what a person sees on a terminal, for the documents: the program runs on a pseudo-terminal, and what its
//! screen shows becomes an SVG.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use chores::{Fault, command, copy_folder, ensure, printed, repository, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{tcgetwinsize, tcsetwinsize};
use vt100::{Cell, Color, Parser, Screen};

use crate::world::ours;

/// A run of the program that becomes a picture.
struct Scene {
    /// The name of the picture in `docs/terminal/`.
    name: &'static str,
    /// The words after `vault-gw`, with `|` between them.
    words: &'static str,
    /// The size of the terminal in columns and rows. A scene that does not fill the screen is cut after its last row.
    size: (u16, u16),
    /// A text to wait for on the screen, and the keys that are typed then.
    steps: &'static [(&'static str, &'static str)],
}

const SCENES: [Scene; 3] = [
    Scene {
        name: "demo",
        words: "demo",
        size: (80, 120),
        steps: &[],
    },
    Scene {
        name: "approval",
        words: "create|path=Projects/Garden/Log.md|overwrite|content=A new log.",
        size: (80, 60),
        steps: &[("[y/N/details]", "d\r"), ("+A new log.", "n\r")],
    },
    // The last keys leave it; the picture is of the screen before them.
    Scene {
        name: "review",
        words: "review",
        size: (100, 20),
        steps: &[("Seeds.md", "jj"), ("seeds.example", "q")],
    },
];

/// The changes that an agent drafts for the scene of the review.
const DRAFTED: [&str; 3] = [
    "property:set|path=Projects/Boat/Boat.md|name=status|value=done",
    "create|path=Projects/Garden/Seeds.md|content=# Seeds\n\nSow in March. ![](https://seeds.example/p.png?from=Garden)",
    "move|path=Projects/Garden/Log.md|to=Projects/Garden/Diary.md",
];

/// The time without output after which a screen is taken as complete.
const QUIET: Duration = Duration::from_millis(500);
/// The maximum time for a scene.
const LONGEST: Duration = Duration::from_secs(120);
/// The largest picture, in bytes.
const LARGEST: usize = 30_000;

/// Draws every scene into `docs/terminal/`.
pub(crate) fn run(binary: Option<&Path>) -> Result<String, Fault> {
    ensure(
        !rustix::process::getuid().is_root(),
        "Run this as an ordinary user: root sees warnings that others do not.",
    )?;
    let binary = ours(binary)?;
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let vault = home.join("Notes");
    copy_folder(&repository().join("fixtures/vault"), &vault)?;
    let settings = home.join(".config/vault-gw/settings.toml");
    let text = format!(
        "vault = {:?}\nallow_mutations = true\nbackend = \"embedded\"\n[agents.helper]\ndrafts = \"all\"\n",
        vault.display().to_string()
    );
    write(&settings, text)?;
    for words in DRAFTED {
        let mut agent = command(&binary);
        agent
            .env_clear()
            .env("HOME", &home)
            .args(["--agent", "helper"]);
        printed(agent.args(words.split('|')))?;
    }
    let mut report = String::new();
    for scene in &SCENES {
        let screen = scene.play(&binary, &home)?;
        let text = format!("$ {}\n{screen}\n", scene.shell_line());
        ensure(
            !text.contains(&*folder.path().to_string_lossy()),
            &format!("{} shows a path of this machine", scene.name),
        )?;
        let picture = shorter(&anstyle_svg::Term::new().min_width_px(720).render_svg(&text));
        let file = format!("docs/terminal/{}.svg", scene.name);
        ensure(picture.len() <= LARGEST, &format!("{file} is too large"))?;
        report += &format!("{:>6} bytes  {file}\n", picture.len());
        write(&repository().join(file), picture)?;
    }
    Ok(report.trim_end().to_owned())
}

/// The same picture without elements that style nothing, empty rows and blanks.
fn shorter(picture: &str) -> String {
    let mut parts = picture.split("<tspan>");
    let mut text = parts.next().unwrap_or_default().to_owned();
    text.extend(parts.map(|part| part.replacen("</tspan>", "", 1)));
    let text = text.replace("\n</tspan>", "</tspan>");
    let text = text.replace("fg-ansi256-00", "c");
    let rows = text.lines().filter(|row| !row.ends_with("\"></tspan>"));
    rows.map(|row| {
        row.strip_prefix("    <")
            .map_or(row.to_owned(), |rest| format!("<{rest}"))
            + "\n"
    })
    .collect()
}

impl Scene {
    /// The call as a person types it.
    fn shell_line(&self) -> String {
        let quoted = self
            .words
            .split('|')
            .map(|word| match word.split_once('=') {
                Some((name, value)) if value.contains(' ') => format!("{name}=\"{value}\""),
                _ => word.to_owned(),
            });
        format!("vault-gw {}", quoted.collect::<Vec<_>>().join(" "))
    }

    /// Runs the program on a terminal of its own, and returns the screen with its colours.
    fn play(&self, binary: &Path, home: &Path) -> Result<String, Fault> {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&terminal)?;
        unlockpt(&terminal)?;
        let mut size = tcgetwinsize(&terminal)?;
        (size.ws_col, size.ws_row) = self.size;
        tcsetwinsize(&terminal, size)?;
        let device = ptsname(&terminal, Vec::new())?.into_string()?;
        let end = || -> Result<File, Fault> {
            Ok(fs_err::File::options()
                .read(true)
                .write(true)
                .open(&device)?
                .into_file())
        };
        // The terminal becomes the controlling one, as that of a shell is: the review reads its size from there.
        let mut program = command("setsid");
        program
            .args(["--ctty", "--wait"])
            .arg(binary)
            .args(self.words.split('|'))
            .env_clear()
            .env("HOME", home)
            .env("TERM", "xterm-256color")
            .env("TZ", "UTC")
            .env("VAULT_GW_PAGER", "cat")
            .stdin(end()?)
            .stdout(end()?)
            .stderr(end()?);
        let mut running = program.spawn()?;
        drop(program);
        let mut terminal = File::from(terminal);
        let screen = self.screen(&output_of(terminal.try_clone()?), &mut terminal);
        if screen.is_err() {
            running.kill()?;
        }
        running.wait()?;
        screen
    }

    /// Types the keys, and returns the last screen: that before the last keys if the program filled the screen, or else
    /// the one that it left.
    fn screen(&self, output: &Receiver<Vec<u8>>, terminal: &mut File) -> Result<String, Fault> {
        let mut parser = parser(self.size);
        let mut steps = self.steps.iter().peekable();
        let mut full = None;
        let started = Instant::now();
        loop {
            match output.recv_timeout(QUIET) {
                Ok(bytes) => parser.process(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let contents = parser.screen().contents();
                    if let Some((_, keys)) = steps.next_if(|(text, _)| contents.contains(text)) {
                        if parser.screen().alternate_screen() {
                            full = Some(ansi(parser.screen()));
                        }
                        terminal.write_all(keys.as_bytes())?;
                    }
                    ensure(
                        started.elapsed() < LONGEST,
                        &format!("{} does not end:\n{contents}", self.name),
                    )?;
                }
            }
        }
        ensure(
            steps.next().is_none(),
            &format!(
                "{} ended too early:\n{}",
                self.name,
                parser.screen().contents()
            ),
        )?;
        Ok(full.unwrap_or_else(|| ansi(parser.screen())))
    }
}

/// The output of a terminal, in pieces as it comes. It ends with the last program on the terminal.
fn output_of(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        // The end of the last program on a terminal is an error on Linux.
        while let Ok(count @ 1..) = terminal.read(&mut chunk) {
            if sender.send(chunk[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    output
}

/// An empty screen of this many columns and rows.
fn parser((columns, rows): (u16, u16)) -> Parser {
    let size = |count| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
    Parser::new(size(rows), size(columns), 0)
}

/// The rows of a screen as text with colours, without the empty ones at its end.
fn ansi(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let mut text = String::new();
    for row in 0..u16::from(rows) {
        let mut line = String::new();
        let mut current = String::new();
        for column in 0..u16::from(columns) {
            let Some(cell) = screen.cell(row, column) else {
                continue;
            };
            if cell.is_wide_continuation() {
                continue;
            }
            let style = style(cell);
            if style != current {
                line += &format!("\x1b[0{style}m");
                current = style;
            }
            line += if cell.has_contents() {
                cell.contents()
            } else {
                " "
            };
        }
        if !current.is_empty() {
            line += "\x1b[0m";
        }
        text += line.trim_end_matches(' ');
        text += "\n";
    }
    text.trim_end().to_owned()
}

/// The parameters of the control sequence (SGR) that sets the style of a cell after a reset, each after a `;`.
fn style(cell: &Cell) -> String {
    let mut codes = String::new();
    let attributes = [
        (cell.bold(), 1),
        (cell.dim(), 2),
        (cell.italic(), 3),
        (cell.underline(), 4),
        (cell.inverse(), 7),
    ];
    for (_, code) in attributes.into_iter().filter(|(is_set, _)| *is_set) {
        codes += &format!(";{code}");
    }
    for (color, base) in [(cell.fgcolor(), 38), (cell.bgcolor(), 48)] {
        match color {
            Color::Default => {}
            Color::Idx(index) => codes += &format!(";{base};5;{index}"),
            Color::Rgb(red, green, blue) => codes += &format!(";{base};2;{red};{green};{blue}"),
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_becomes_text_with_its_colours_where_the_cursor_wrote_it() {
        let mut parser = parser((10, 4));
        parser.process(b"\x1b[2;3H\x1b[1;31mred\x1b[0m \x1b[42mgo\x1b[0m\x1b[1;1Hx");
        let text = ansi(parser.screen());
        assert_eq!(
            text,
            "x\n  \x1b[0;1;38;5;1mred\x1b[0m \x1b[0;48;5;2mgo\x1b[0m"
        );
        let picture = shorter(&anstyle_svg::Term::new().render_svg(&text));
        for row in [
            "\">x</tspan>",
            "\">  <tspan class=\"c1 bold\">red</tspan> go</tspan>",
        ] {
            assert!(picture.contains(row), "{picture}");
        }
    }
}
