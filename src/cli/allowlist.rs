//! `vault-gw allowlist check|show`: helps an owner to write a list of what is left of the catalogue
//! (`design/catalogue.md`). Changes nothing.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::error::Error;
use super::report::{TextAndData, VerbEnd};
use allowlist::{Catalogue, Command, OwnList, as_list, left_out};
use protocol::{Code, Failure};
use sandbox::Environment;
use settings::{MAX_FILE_BYTES, parse_list};
use tiers::{CommandPattern, CommandRules};

/// The actions on an allowlist.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum AllowlistAction {
    /// Print the list of all commands, to copy into a file next to the settings file and cut down
    Show {
        /// Only these commands: ids (`daily:append`), globs (`daily:*`), sets (`@v1`, `@links`, `@reads`, `@writes`)
        #[arg(value_name = "COMMANDS")]
        patterns: Vec<String>,
    },
    /// Check a list, and print what it leaves out of the catalogue: a line for each command, argument or value
    Check {
        /// The file
        file: PathBuf,
    },
}

/// Runs `vault-gw allowlist`.
pub(crate) fn run(action: &AllowlistAction, environment: &Environment) -> Result<VerbEnd, Failure> {
    let done = match action {
        AllowlistAction::Show { patterns } => shown_list(patterns)?,
        AllowlistAction::Check { file } => checked(&environment.absolute(file))?,
    };
    Ok(done.into())
}

fn all() -> Result<impl Iterator<Item = &'static Command>, Failure> {
    Ok(Catalogue::whole()?.commands().map(AsRef::as_ref))
}

fn shown_list(patterns: &[String]) -> Result<TextAndData, Failure> {
    let mut all: Vec<&Command> = all()?.collect();
    if !patterns.is_empty() {
        let mut rules = Vec::new();
        for pattern in patterns {
            let wrong =
                |why: &dyn std::fmt::Display| Error::NotACommand(pattern.clone(), why.to_string());
            let pattern = CommandPattern::new(pattern).map_err(|why| wrong(&why))?;
            rules.push(CommandRules::new("", &[pattern], &[]).map_err(|why| wrong(&why))?);
        }
        all.retain(|command| rules.iter().any(|rules| rules.names(command)));
    }
    let ids: Vec<&str> = all.iter().map(|command| command.id.as_str()).collect();
    let text = as_list(all.iter().copied());
    let data = Map::from_iter([
        ("commands".to_owned(), json!(ids)),
        ("list".to_owned(), text.as_str().into()),
    ]);
    Ok((text, data))
}

fn checked(file: &Path) -> Result<TextAndData, Failure> {
    let list = read(file)?;
    let (mut commands, mut whole, mut all_commands) = (0, 0, 0);
    let mut missing = Vec::new();
    for command in all()? {
        let own = list.command(&command.id);
        all_commands += 1;
        commands += usize::from(own.is_some());
        let of_command = left_out(command, own.map(AsRef::as_ref));
        whole += usize::from(of_command.is_empty());
        missing.extend(of_command);
    }
    let mut text = String::new();
    if !missing.is_empty() {
        text += "Left out:\n";
        text.extend(missing.iter().map(|line| format!("  {line}\n")));
    }
    text += &format!(
        "The list is valid. It contains {commands} of {all_commands} commands, {whole} of them with all arguments and values.\n"
    );
    let data = Map::from_iter([
        ("commands".to_owned(), commands.into()),
        ("whole".to_owned(), whole.into()),
        ("leftOut".to_owned(), json!(missing)),
    ]);
    Ok((text, data))
}

fn read(file: &Path) -> Result<OwnList, Failure> {
    let unreadable = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::UsageError,
            _ => Code::IoError,
        };
        code.failure(format!("{error}."))
    };
    let opened = fs_err::File::open(file).map_err(unreadable)?;
    let bytes = sandbox::private_dir::read_at_most(opened, MAX_FILE_BYTES)
        .map_err(|reason| Error::OwnList(file.to_owned(), reason))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    parse_list(&name, &bytes)
}
