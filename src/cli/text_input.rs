//! Text for a command from standard input (`content=-`) or a file (`content=@FILE`), and `--escapes`.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use super::error::Error;
use super::profile;
use allowlist::{Command, ParamKind, RawValue};
use frontend::CommandLineOptions;
use gateway::MAX_REQUEST_BYTES;
use protocol::Failure;
use sandbox::Environment;

/// The value that means standard input.
const STANDARD_INPUT: &str = "-";
/// The prefix of a file's name. Doubled, it means the character itself.
const FILE: char = '@';

/// Replaces each text that comes from standard input or a file, and, with `--escapes`, turns the
/// pairs `\n` and `\t` of the others into line breaks and tabs like the official command line
/// (`official-cli.md` §4).
///
/// # Errors
///
/// If the input or the file cannot be read, is too long for a request or is not UTF-8; if two texts are to come from
/// standard input; if an agent names a file, since it is outside of the vault.
pub(super) fn fill(
    command: &Command,
    params: &mut BTreeMap<String, RawValue>,
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<(), Failure> {
    let mut is_input_taken = false;
    for (name, value) in params {
        let (true, RawValue::Text(text)) = (is_text(command, name), value) else {
            continue;
        };
        if text == STANDARD_INPUT {
            if std::mem::replace(&mut is_input_taken, true) {
                return Err(Error::InputTwice.into());
            }
            *text = profile::input()?;
        } else if let Some(rest) = text.strip_prefix(FILE) {
            *text = match rest.strip_prefix(FILE) {
                Some(literal) => format!("{FILE}{literal}"),
                None if options.is_for_agent() => return Err(Error::FileOfAgent.into()),
                None => file(name, rest, environment)?,
            };
        } else if options.escapes && escapes(command, name) {
            *text = text.replace("\\n", "\n").replace("\\t", "\t");
        }
    }
    Ok(())
}

/// Whether a text comes from standard input.
pub(super) fn takes_input(command: &Command, params: &BTreeMap<String, RawValue>) -> bool {
    params.iter().any(|(name, value)| {
        is_text(command, name) && matches!(value, RawValue::Text(text) if text == STANDARD_INPUT)
    })
}

/// Returns the name of a parameter whose text contains `\n` or `\t` as two characters, which the official command line
/// would read as one.
pub(super) fn with_literal_escapes<'a>(
    command: &Command,
    params: &'a BTreeMap<String, RawValue>,
) -> Option<&'a str> {
    let holds = |value: &RawValue| match value {
        RawValue::Text(text) => text.contains("\\n") || text.contains("\\t"),
        _ => false,
    };
    let mut found = params
        .iter()
        .filter(|(name, value)| escapes(command, name) && holds(value));
    found.next().map(|(name, _)| name.as_str())
}

fn is_text(command: &Command, name: &str) -> bool {
    command
        .param(name)
        .is_some_and(|param| param.kind == ParamKind::Text)
}

fn escapes(command: &Command, name: &str) -> bool {
    command.param(name).is_some_and(|param| param.escapes)
}

/// Reads the file for the parameter `name`.
fn file(name: &str, file: &str, environment: &Environment) -> Result<String, Error> {
    let path = environment.absolute(Path::new(file));
    let unreadable = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "does not exist".to_owned(),
            kind => format!("cannot be read: {kind}"),
        };
        Error::File(file.to_owned(), name.to_owned(), why)
    };
    let opened = fs_err::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_REQUEST_BYTES).unwrap_or(u64::MAX);
    opened
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > MAX_REQUEST_BYTES {
        return Err(Error::FileTooLarge(file.to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| Error::FileNotUtf8(file.to_owned()))
}
