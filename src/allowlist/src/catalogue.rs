//! The catalogue of commands: parsed once, looked up by exact id, listed in a stable order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::admit::shown;
use super::call::Call;
use super::check;
use super::command::{Command, RefusedCommand};
use super::error::Error;
use super::load::{self, ExampleCheck, Misplaced, is_id};
use super::nearest::{nearest, of_equal_words, of_other_programs, of_same_words};
use super::problem::{CatalogueError, CatalogueProblem};
use super::raw_value::RawValue;
use super::tier::Tier;
use protocol::{Failure, Message, Part, for_program, joined, message};

macro_rules! catalogue_file {
    ($name:literal, $part:expr) => {
        CatalogueFile {
            name: $name,
            part: $part,
            text: include_str!(concat!("../../../config/", $name)),
        }
    };
}

/// The catalogue files embedded in the program.
const BUILTIN: [CatalogueFile<'static>; 5] = [
    catalogue_file!("allowlist.v0.toml", CatalogueSection::Tier(Tier::V0)),
    catalogue_file!("allowlist.v1.toml", CatalogueSection::Tier(Tier::V1)),
    catalogue_file!("allowlist.v2.toml", CatalogueSection::Tier(Tier::V2)),
    catalogue_file!("allowlist.v3.toml", CatalogueSection::Tier(Tier::V3)),
    catalogue_file!("refused.toml", CatalogueSection::Refused),
];

/// One file of a catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueFile<'a> {
    /// File name, used in messages.
    pub name: &'a str,
    /// Whether it lists offered or refused commands.
    pub part: CatalogueSection,
    /// Content, as TOML text.
    pub text: &'a str,
}

/// The kind of commands that a catalogue file lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogueSection {
    /// Commands that become available at this tier.
    Tier(Tier),
    /// Commands that are never available.
    Refused,
}

impl<'a> CatalogueFile<'a> {
    /// Returns the file reduced to the entry of one command, if the entry is in the usual layout. Parsing one entry is
    /// much cheaper than parsing the whole file.
    fn only(&self, id: &str) -> Option<CatalogueFile<'a>> {
        if self.part == CatalogueSection::Refused || !is_id(id) {
            return None;
        }
        // Only the usual layout is recognised. For any other layout the caller parses the whole
        // catalogue, which is slower but gives the same result.
        let start = self.text.find(&format!("[[command]]\nid = \"{id}\"\n"))?;
        let entry = &self.text[start..];
        let end = entry.find("\n[[command]]\n").unwrap_or(entry.len());
        Some(CatalogueFile {
            text: &entry[..end],
            ..*self
        })
    }

    fn error(&self, misplaced: Misplaced) -> CatalogueError {
        CatalogueError {
            file: self.name.to_owned(),
            line: line_of(self.text, misplaced.offset),
            problem: misplaced.problem,
        }
    }
}

/// Every official command: offered in a tier, or refused with a reason.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The offered commands, by tier, then in file order.
    commands: Vec<Arc<Command>>,
    /// The commands that are never available, in file order.
    refused: Vec<RefusedCommand>,
}

/// The result of looking up a command id.
#[derive(Clone, Debug)]
pub enum Lookup<'a> {
    /// The command is available at its tier.
    Offered(Arc<Command>),
    /// The command is never available.
    Refused(&'a RefusedCommand),
    /// No command in the catalogue has this id.
    Unknown {
        /// At most three offered commands with a similar id, closest first.
        nearest: Vec<String>,
    },
}

/// The built-in catalogue. Parsed at first use, because a call of one command needs only its own
/// entry.
static WHOLE: OnceLock<Result<Catalogue, CatalogueError>> = OnceLock::new();

/// Commands that were parsed alone, by id. A call looks its command up several times, and a server
/// answers the same few commands again and again.
static ALONE: Mutex<BTreeMap<String, Arc<Command>>> = Mutex::new(BTreeMap::new());

impl Catalogue {
    /// Returns the built-in catalogue, parsed at first use.
    ///
    /// # Errors
    ///
    /// If an embedded file is invalid, which is a defect of the program.
    pub fn builtin() -> Result<&'static Self, &'static CatalogueError> {
        WHOLE.get_or_init(|| Self::embedded(&BUILTIN)).as_ref()
    }

    /// Whether this process has read the whole catalogue. Tests count with it what a call reads.
    pub fn is_read_whole() -> bool {
        WHOLE.get().is_some()
    }

    /// Returns the built-in catalogue like [`Self::builtin`], with the error as a [`Failure`].
    ///
    /// # Errors
    ///
    /// `INTERNAL_ERROR` if an embedded file is invalid.
    pub fn whole() -> Result<&'static Self, Failure> {
        Self::builtin().map_err(|error| Error::Catalogue(error.to_string()).into())
    }

    /// Returns one command of the built-in catalogue. Gives the same result as [`Self::find`].
    ///
    /// Parses only the entry of that command if it can. A process that runs one command and exits
    /// would otherwise spend most of its time on parsing the catalogue.
    ///
    /// # Errors
    ///
    /// As [`Self::find`] and [`Self::whole`].
    ///
    /// ```
    /// use allowlist::Catalogue;
    ///
    /// let command = Catalogue::find_builtin("append").unwrap();
    /// assert!(command.param("content").is_some());
    /// assert!(Catalogue::find_builtin("eval-everything").is_err());
    /// ```
    pub fn find_builtin(id: &str) -> Result<Arc<Command>, Failure> {
        if let Some(Ok(catalogue)) = WHOLE.get() {
            return catalogue.find(id);
        }
        // A panic cannot leave the map half updated.
        let mut parsed = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(command) = parsed.get(id) {
            return Ok(Arc::clone(command));
        }
        let alone = BUILTIN.iter().find_map(|file| file.only(id));
        if let Some(Ok(catalogue)) = alone.map(|file| Self::embedded(&[file]))
            && let Lookup::Offered(command) = catalogue.lookup(id)
        {
            parsed.insert(id.to_owned(), Arc::clone(&command));
            return Ok(command);
        }
        drop(parsed);
        Self::whole()?.find(id)
    }

    /// Returns the entry of a built-in command as its file has it: its keys and their values.
    pub(super) fn entry(id: &str) -> toml::Table {
        let file = BUILTIN.iter().find_map(|file| file.only(id));
        let table = file.and_then(|file| file.text.parse::<toml::Table>().ok());
        let entry = table.and_then(|table| table.get("command")?.get(0)?.as_table().cloned());
        entry.unwrap_or_default()
    }

    /// Parses and checks catalogue files.
    ///
    /// # Errors
    ///
    /// The first mistake in any of the files; no catalogue is then returned.
    pub fn load(files: &[CatalogueFile<'_>]) -> Result<Self, CatalogueError> {
        Self::parse(files, check::examples)
    }

    /// Parses files of the program without their examples, which take longer than all else. A test loads these files
    /// with them.
    fn embedded(files: &[CatalogueFile<'_>]) -> Result<Self, CatalogueError> {
        Self::parse(files, |_| Ok(()))
    }

    fn parse(files: &[CatalogueFile<'_>], examples: ExampleCheck) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        // The ids so far, with the file and byte offset of each.
        let mut claimed: BTreeMap<String, (&CatalogueFile<'_>, usize)> = BTreeMap::new();
        for file in files {
            let misplaced = |misplaced: Misplaced| file.error(misplaced);
            let mut claim = |id: &str, offset| match claimed.get(id) {
                None => {
                    claimed.insert(id.to_owned(), (file, offset));
                    Ok(())
                }
                Some((first, place)) => Err(file.error(Misplaced {
                    offset,
                    problem: CatalogueProblem::DuplicateId {
                        id: id.to_owned(),
                        file: first.name.to_owned(),
                        line: line_of(first.text, *place),
                    },
                })),
            };
            match file.part {
                CatalogueSection::Tier(tier) => {
                    let commands = load::commands(file.text, tier, examples);
                    for (offset, command) in commands.map_err(misplaced)? {
                        claim(&command.id, offset)?;
                        catalogue.commands.push(Arc::new(command));
                    }
                }
                CatalogueSection::Refused => {
                    for (offset, command) in load::refused(file.text).map_err(misplaced)? {
                        claim(&command.id, offset)?;
                        catalogue.refused.push(command);
                    }
                }
            }
        }
        catalogue.commands.sort_by_key(|command| command.tier);
        Ok(catalogue)
    }

    /// Looks up an exact id: no trimming, no case folding (`threats.toml` A02).
    pub fn lookup(&self, id: &str) -> Lookup<'_> {
        if let Some(command) = self.commands.iter().find(|command| command.id == id) {
            return Lookup::Offered(Arc::clone(command));
        }
        match self.refused.iter().find(|command| command.id == id) {
            Some(command) => Lookup::Refused(command),
            None => Lookup::Unknown {
                // Both halves of an id must be similar; otherwise `notes:recent` would count as
                // close to `notes:read`.
                nearest: nearest(id, self.ids().filter(|known| has_like_end(id, known))),
            },
        }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(|command| command.id.as_str())
    }

    /// Returns the offered command with exactly this id.
    ///
    /// # Errors
    ///
    /// `COMMAND_REFUSED` for a refused command, `UNKNOWN_COMMAND` for any other id.
    pub fn find(&self, id: &str) -> Result<Arc<Command>, Failure> {
        match self.lookup(id) {
            Lookup::Offered(command) => Ok(command),
            Lookup::Refused(command) => Err(command.failure()),
            Lookup::Unknown { mut nearest } => {
                let first = id.split_whitespace().next().unwrap_or_default();
                if first != id && matches!(self.lookup(first), Lookup::Offered(_)) {
                    return Err(Error::NotOnlyAName(id.to_owned(), first.to_owned()).into());
                }
                // Suggest the command, if the id is its tool's name (`_` for `:`) or has the same
                // words.
                let spelled = id.replace('_', ":");
                if let Lookup::Offered(command) = self.lookup(&spelled) {
                    nearest = vec![command.id.clone()];
                } else if let Some(advice) = of_other_programs(id) {
                    return Err(Error::Unknown(shown(id), advice, Vec::new()).into());
                }
                // A command of the same words is meant rather than one with similar letters: `property:read` by
                // `property:get`, not `property:set`.
                let same = of_equal_words(id, self.ids());
                nearest = if same.is_empty() { nearest } else { same };
                if nearest.is_empty() {
                    nearest = of_same_words(id, self.ids());
                }
                let commands = nearest.iter().map(|id| Part::Command(id.clone()).into());
                let hint = if nearest.is_empty() {
                    for_program(message!("{capabilities} lists every command.")).into()
                } else {
                    message!("Did you mean {}?", joined(commands, "or"))
                };
                Err(Error::Unknown(shown(id), hint, nearest).into())
            }
        }
    }

    /// Looks up a command and checks the parameters of a structured request.
    ///
    /// # Errors
    ///
    /// As [`Self::find`] and [`Command::admit`].
    pub fn admit(&self, id: &str, given: &BTreeMap<String, RawValue>) -> Result<Call, Failure> {
        let command = self.find(id)?;
        let arguments = command.admit(given)?;
        Ok(Call { command, arguments })
    }

    /// Looks up a command and checks the command-line words after it.
    ///
    /// # Errors
    ///
    /// As [`Self::find`] and [`Command::admit_words`].
    ///
    /// ```
    /// use allowlist::Catalogue;
    ///
    /// let catalogue = Catalogue::builtin().unwrap();
    /// let call = catalogue.admit_words("read", &["path=Home.md"]).unwrap();
    /// assert!(!call.effects().is_mutation());
    /// assert!(catalogue.admit_words("read", &["pth=Home.md"]).is_err());
    /// ```
    pub fn admit_words<W: AsRef<str>>(&self, id: &str, words: &[W]) -> Result<Call, Failure> {
        let command = self.find(id)?;
        let arguments = command.admit_words(words)?;
        Ok(Call { command, arguments })
    }

    /// Returns every offered command, by tier, then in file order.
    pub fn commands(&self) -> impl Iterator<Item = &Arc<Command>> {
        self.commands.iter()
    }

    /// Returns every command that can be a step of `notes:change`, in the order of [`Self::commands`].
    pub fn steps(&self) -> impl Iterator<Item = &Arc<Command>> {
        self.commands().filter(|command| command.is_step())
    }

    /// Returns every refused command, in file order.
    pub fn refused(&self) -> &[RefusedCommand] {
        &self.refused
    }

    /// Returns the capability groups, in the order of their first command.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for command in &self.commands {
            if !groups.contains(&command.group.as_str()) {
                groups.push(&command.group);
            }
        }
        groups
    }
}

impl RefusedCommand {
    /// Returns the `COMMAND_REFUSED` failure for a call of this command.
    pub fn failure(&self) -> Failure {
        let instead = self.instead.as_deref().map(naming_commands);
        let effects = self.effects.iter().map(super::effect::Effect::name);
        Error::Refused(
            self.id.clone(),
            self.reason.clone(),
            instead.unwrap_or_default(),
            effects.collect(),
        )
        .into()
    }
}

/// Words before an id that show that the command is meant, and not a parameter of the same name.
const CALLED: [&str; 7] = ["use ", "Use ", "with ", "With ", "by ", "call ", "command "];

/// Returns a text of the catalogue or of a tool, in which quoted ids of commands are commands.
pub fn naming_commands(text: &str) -> Message {
    let is_argument = |word: &str| {
        Catalogue::builtin().is_ok_and(|catalogue| {
            let mut commands = catalogue.commands();
            commands.any(|command| command.argument_names().any(|name| name == word))
        })
    };
    let mut message = Message::default();
    let mut before = "";
    for (index, word) in text.split('`').enumerate() {
        if index % 2 == 0 {
            message.push(word);
            before = word;
            continue;
        }
        let is_called = word.contains(':')
            || CALLED.iter().any(|called| before.ends_with(called)) && !is_argument(word);
        let is_command =
            word == "capabilities" || is_called && Catalogue::find_builtin(word).is_ok();
        message.push(if is_command {
            Message::from(Part::Command(word.to_owned()))
        } else {
            format!("`{word}`").into()
        });
    }
    message
}

/// Whether the parts after the colon are similar, if both ids have one.
fn has_like_end(id: &str, known: &str) -> bool {
    match (id.split_once(':'), known.split_once(':')) {
        (Some((_, end)), Some((_, known))) => end == known || !nearest(end, [known]).is_empty(),
        _ => true,
    }
}

/// Returns the 1-based line number of a byte offset.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.split(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offered_command_can_be_read_alone() {
        let whole = Catalogue::builtin().unwrap_or_else(|error| panic!("{error}"));
        for command in whole.commands() {
            let file = BUILTIN.iter().find_map(|file| file.only(&command.id));
            let alone = Catalogue::load(&[file.unwrap()]).unwrap();
            let ids: Vec<&str> = alone
                .commands()
                .map(|command| command.id.as_str())
                .collect();
            assert_eq!(ids, [command.id.as_str()]);
        }
    }
}
