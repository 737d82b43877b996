//! The pager for long output on a terminal. It is chosen like git's: `VAULT_GW_PAGER`, then
//! `PAGER`, then `less`. `cat` means none.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};

use protocol::Shell;
use sandbox::Environment;

/// Options for `less` if the user has set none, as git does: end if everything fits on one screen,
/// keep colours, and leave the text on the screen.
const LESS_OPTIONS: &str = "FRX";

/// A program that shows text a page at a time.
#[derive(Clone, Debug)]
pub(crate) struct Pager {
    program: String,
    arguments: Vec<String>,
    /// Whether to pass [`LESS_OPTIONS`], because the user's `LESS` is unset.
    tells_less: bool,
}

impl Pager {
    /// Returns the user's pager; `None` if it is `cat`.
    pub(crate) fn from_environment(environment: &Environment) -> Option<Self> {
        let chosen = ["VAULT_GW_PAGER", "PAGER"]
            .into_iter()
            .find_map(|name| environment.variable(name)?.to_str());
        // Split into words without a shell.
        let mut words = Shell::native()
            .split(chosen.unwrap_or("less"))
            .ok()?
            .into_iter();
        let program = words.next().filter(|program| program != "cat")?;
        Some(Self {
            program,
            arguments: words.collect(),
            tells_less: environment.variable("LESS").is_none(),
        })
    }

    /// Shows the text and waits until the person leaves it. Returns `false` if the pager cannot be
    /// started or fails, so that part of the text was not shown.
    ///
    /// # Errors
    ///
    /// If the pager fails for another reason than being left early.
    pub(crate) fn show(&self, text: &str) -> io::Result<bool> {
        // While the pager is on the screen, Ctrl-C is for the pager.
        let _interrupts = Interrupts::ignore();
        let Ok(mut child) = self.start() else {
            return Ok(false);
        };
        let written = match child.stdin.take() {
            Some(mut stdin) => stdin.write_all(text.as_bytes()),
            None => Ok(()),
        };
        let status = child.wait()?;
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            // The program failed: it is not a pager, or its launcher did not find it.
            Err(_) if status.code().is_some_and(|code| code != 0) => Ok(false),
            _ => Ok(true),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the user's own pager, on the user's own terminal; the spawn module is for the official program"
    )]
    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped());
        if self.tells_less {
            command.env("LESS", LESS_OPTIONS);
        }
        command.spawn()
    }
}

/// Ignores Ctrl-C in this process until it is dropped.
#[cfg(unix)]
struct Interrupts(Option<signal_hook::SigId>);

#[cfg(unix)]
impl Interrupts {
    fn ignore() -> Self {
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        Self(signal_hook::flag::register(rustix::process::Signal::INT.as_raw(), seen).ok())
    }
}

#[cfg(unix)]
impl Drop for Interrupts {
    fn drop(&mut self) {
        if let Some(id) = self.0.take() {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Does nothing: on other systems the console sends Ctrl-C to the pager's group, which handles it.
#[cfg(not(unix))]
struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    fn ignore() -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<Vec<String>> {
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let pager = Pager::from_environment(&Environment::new(variables, None))?;
        Some(
            std::iter::once(pager.program)
                .chain(pager.arguments)
                .collect(),
        )
    }

    #[test]
    fn the_pager_is_chosen_as_git_does() {
        for (variables, words) in [
            (&[][..], Some(&["less"][..])),
            (&[("PAGER", "more")], Some(&["more"])),
            (
                &[("PAGER", "more"), ("VAULT_GW_PAGER", "less -R")],
                Some(&["less", "-R"]),
            ),
            (&[("PAGER", "cat")], None),
            (&[("VAULT_GW_PAGER", "cat"), ("PAGER", "less")], None),
            (&[("PAGER", "'unclosed")], None),
        ] {
            let words = words.map(|words| words.iter().map(ToString::to_string).collect());
            assert_eq!(of(variables), words, "{variables:?}");
        }
    }
}
