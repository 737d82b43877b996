//! Pictures of what a person sees on a terminal, for the documents: the program runs on a pseudo-terminal
//! of 80 columns, and what it writes becomes an SVG.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use chores::{Fault, command, copy_folder, printed, repository, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

use crate::world::ours;

/// The end of a question.
const QUESTION: &[u8] = b"[y/N/details] ";

/// The scenes: the name of the picture, what is typed at the shell with `|` between words, and what is answered to
/// questions, a line each.
const SCENES: [[&str; 3]; 3] = [
    ["demo", "demo", ""],
    [
        "approval",
        "create|path=Projects/Garden/Log.md|overwrite|content=A new log.",
        "d\nn\n",
    ],
    ["review", "review|--list", ""],
];

/// The changes that an agent drafts for the scene of the review.
const DRAFTED: [&str; 2] = [
    "property:set|path=Projects/Boat/Boat.md|name=status|value=done",
    "create|path=Projects/Garden/Seeds.md|content=# Seeds",
];

/// Draws every scene into `docs/terminal/`.
pub(crate) fn run(binary: Option<&Path>) -> Result<String, Fault> {
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
    for [name, words, answer] in SCENES {
        let line = shell_line(words);
        let screen = screen(&binary, &home, words, answer)?;
        // The temporary home is shown as `~`.
        let screen = screen.replace(&home.display().to_string(), "~");
        let text = format!("$ {line}\n{}", screen.replace("\r\n", "\n"));
        let picture = anstyle_svg::Term::new().min_width_px(720).render_svg(&text);
        write(
            &repository().join(format!("docs/terminal/{name}.svg")),
            picture,
        )?;
    }
    Ok(format!("{} pictures in docs/terminal", SCENES.len()))
}

fn shell_line(words: &str) -> String {
    let quoted = words.split('|').map(|word| match word.split_once('=') {
        Some((name, value)) if value.contains(' ') => format!("{name}=\"{value}\""),
        _ => word.to_owned(),
    });
    format!("vault-gw {}", quoted.collect::<Vec<_>>().join(" "))
}

/// Everything that the program writes to a terminal of its own.
fn screen(binary: &Path, home: &Path, words: &str, mut answer: &str) -> Result<String, Fault> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&terminal)?;
    unlockpt(&terminal)?;
    let mut size = tcgetwinsize(&terminal)?;
    (size.ws_row, size.ws_col) = (60, 80);
    tcsetwinsize(&terminal, size)?;
    let device = ptsname(&terminal, Vec::new())?.into_string()?;
    let end = || -> Result<File, Fault> {
        Ok(fs_err::File::options()
            .read(true)
            .write(true)
            .open(&device)?
            .into_file())
    };
    let mut command = command(binary);
    command
        .args(words.split('|'))
        .env_clear()
        .env("HOME", home)
        .env("TERM", "xterm-256color")
        .env("TZ", "UTC")
        .env("VAULT_GW_PAGER", "cat")
        .stdin(end()?)
        .stdout(end()?)
        .stderr(end()?);
    let mut program = command.spawn()?;
    drop(command);
    let mut terminal = File::from(terminal);
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    // The end of the last program on a terminal is an error on Linux.
    while let Ok(count @ 1..) = terminal.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..count]);
        if seen.ends_with(QUESTION)
            && let Some((line, rest)) = answer.split_once('\n')
        {
            terminal.write_all(format!("{line}\n").as_bytes())?;
            answer = rest;
        }
    }
    program.wait()?;
    Ok(String::from_utf8_lossy(&seen).into_owned())
}
