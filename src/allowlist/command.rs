//! One entry of the catalogue: everything the rest of the program knows about a command.

use std::collections::BTreeMap;

use cli_output::Shape;
use serde::Deserialize;

use super::effect::EffectSet;
use super::tier::Tier;

/// A command that the gateway offers.
#[derive(Clone, Debug)]
pub struct Command {
    /// The CLI id, `daily:read`.
    pub id: String,
    /// The capability group, `daily`.
    pub group: String,
    /// The tier that opens it; given by the file the entry stands in.
    pub tier: Tier,
    /// One sentence for help, tools and docs.
    pub summary: String,
    /// What the bare command does; parameters and flags add to it.
    pub effects: EffectSet,
    /// What the command acts on.
    pub target: Target,
    /// Named values it takes.
    pub params: Vec<Param>,
    /// Switches it takes.
    pub flags: Vec<Flag>,
    /// Sets of parameters and flags of which a call may give at most one, because the app would
    /// silently drop the others or nobody knows which one wins.
    pub exclusive: Vec<Vec<String>>,
    /// How it is offered to agents as a tool of its own, where it is.
    pub tool: Option<ToolFacts>,
    /// The shape of what it prints.
    pub output: Shape,
    /// How a change that the official program makes is verified; present exactly where the program
    /// may be asked for a change.
    pub verify: Option<Verification>,
    /// Who can answer it.
    pub backends: Vec<BackendName>,
    /// Whose command it is.
    pub origin: Origin,
    /// Examples that must be admitted, checked when the catalogue loads.
    pub accept: Vec<String>,
    /// Examples that must be refused, checked when the catalogue loads.
    pub refuse: Vec<String>,
}

/// A command that agents get as a tool of its own, beside the generic one (`design.md` §9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFacts {
    /// What people see: `Read a note`.
    pub title: String,
    /// Parameters and flags that the tool does not show, because they are of no use to an agent.
    pub hide: Vec<String>,
    /// Values of parameters that the tool sets where the caller does not.
    pub preset: BTreeMap<String, String>,
}

/// Whose command it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The official CLI's.
    Official {
        /// The first app version that has it, `1.12.0`.
        since: String,
    },
    /// The gateway's own, which the official CLI does not have: the embedded engine answers it,
    /// whether the app runs or not, and all that it tells keeps to the readable folders by itself.
    Gateway,
}

/// What proves that the official program made the change it was asked for (`faults.md` G12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// The engine plans the change, and the files are as planned.
    PlannedFiles,
    /// A file appears whose name the app chooses.
    NewFile,
    /// The note holds the text that `history:read` gives for the version.
    KeptVersion,
    /// Today's daily note exists.
    DailyNote,
    /// The note that is active in the app has more text.
    ActiveFile,
    /// The published site lists the note as the command says.
    Published,
}

/// What a command acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Today's daily note.
    DailyNote,
    /// One existing file named by `path` or `file`; the active file where neither is given.
    Note,
    /// One existing file named by `path` or `file`; the whole vault where neither is given.
    NoteOrVault,
    /// A file that the command makes.
    NewFile,
    /// A folder.
    Folder,
    /// The whole vault.
    Vault,
    /// Only ever the file that is active in the app.
    ActiveFile,
    /// The app itself.
    App,
    /// Nothing.
    None,
}

impl Target {
    /// The name used in the catalogue.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DailyNote => "daily-note",
            Self::Note => "note",
            Self::NoteOrVault => "note-or-vault",
            Self::NewFile => "new-file",
            Self::Folder => "folder",
            Self::Vault => "vault",
            Self::ActiveFile => "active-file",
            Self::App => "app",
            Self::None => "none",
        }
    }
}

/// A named value: `key=value`.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each its own key in the catalogue"
)]
pub struct Param {
    /// The key, `path`.
    pub name: String,
    /// What values it takes.
    pub kind: ParamKind,
    /// One clause for help and tools.
    pub summary: String,
    /// Whether the command is refused without it.
    pub required: bool,
    /// What giving it adds to the command's effects.
    pub effects: EffectSet,
    /// Whether the app turns `\n` and `\t` pairs in it into newline and tab
    /// (`official-cli.md` §4), so that they cannot be sent as they are.
    pub escapes: bool,
    /// Whether its value is left out of envelopes and logs.
    pub sensitive: bool,
    /// Whether an empty value means something.
    pub may_be_empty: bool,
    /// The one backend that honours it, where the other ignores it without a word.
    pub backend: Option<BackendName>,
}

/// What values a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A file inside the vault, exact.
    Path,
    /// A folder inside the vault; `/` is the root.
    Folder,
    /// A file or a folder to move to; without a dot it names a folder (`official-cli.md` §5.1).
    Destination,
    /// A note by its name, resolved like a wikilink; may hold folders.
    NoteName,
    /// A file name without a folder, or an id that the app uses as one (plugins, themes).
    Name,
    /// A template by its name, relative to the template folder.
    Template,
    /// `path:line`, the line counted from 1.
    TaskRef,
    /// A name or id on one line that is no file: a tag, a property, a view, a command.
    Identifier,
    /// An `http://` or `https://` address; other schemes can start programs when clicked.
    Url,
    /// Free text, line breaks included.
    Text,
    /// Free text on one line.
    Line,
    /// A text, number or boolean, sent as its text.
    Scalar,
    /// A whole number in this closed range.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Exactly one character.
    Character,
    /// One of these words.
    Choice(Vec<String>),
}

/// A switch: `overwrite`.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The word.
    pub name: String,
    /// One clause for help and tools.
    pub summary: String,
    /// What giving it adds to the command's effects.
    pub effects: EffectSet,
    /// What the command acts on when it is given, where that differs: `daily`, `active`.
    pub target: Option<Target>,
    /// Whether it is the gateway's own, which the official CLI does not have and is never sent.
    pub is_ours: bool,
}

/// Who can answer a command.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    serde::Serialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BackendName {
    /// The official binary and the running app.
    Obsidian,
    /// The engine in this program.
    Embedded,
}

/// An official command that is never open, and why.
#[derive(Clone, Debug)]
pub struct RefusedCommand {
    /// The CLI id, `eval`.
    pub id: String,
    /// What it would do.
    pub effects: EffectSet,
    /// Why it is never open.
    pub reason: String,
    /// What to use instead, where there is something.
    pub instead: Option<String>,
}

impl ParamKind {
    /// The name used in the catalogue's `type` key.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Folder => "folder",
            Self::Destination => "destination",
            Self::NoteName => "note-name",
            Self::Name => "name",
            Self::Template => "template",
            Self::TaskRef => "task-ref",
            Self::Identifier => "identifier",
            Self::Url => "url",
            Self::Text => "text",
            Self::Line => "line",
            Self::Scalar => "scalar",
            Self::Integer { .. } => "integer",
            Self::Character => "character",
            Self::Choice(_) => "choice",
        }
    }
}

impl Command {
    /// Whether the official CLI does not have it.
    pub fn is_ours(&self) -> bool {
        self.origin == Origin::Gateway
    }

    /// The first app version that has it; none where it is the gateway's own.
    pub fn since(&self) -> Option<&str> {
        match &self.origin {
            Origin::Official { since } => Some(since),
            Origin::Gateway => None,
        }
    }

    /// The effects of the command with everything that can be given to it.
    pub fn most_effects(&self) -> EffectSet {
        let params = self.params.iter().map(|param| param.effects);
        let flags = self.flags.iter().map(|flag| flag.effects);
        params.chain(flags).fold(self.effects, EffectSet::union)
    }

    /// The parameter of this name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// The flag of this name.
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// Every parameter and flag name, in catalogue order.
    pub fn argument_names(&self) -> impl Iterator<Item = &str> {
        let params = self.params.iter().map(|param| param.name.as_str());
        params.chain(self.flags.iter().map(|flag| flag.name.as_str()))
    }
}
