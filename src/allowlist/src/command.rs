//! One entry of the catalogue: all facts about a command.

use std::collections::BTreeMap;
use std::mem::discriminant;

use cli_output::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change_rules::{ChangeRules, Continuation, Placement, Sentence, Verification};
use super::date_form::DateForm;
use super::effect::{Effect, EffectSet};
use super::entry::{FlagEntry, OriginName, ParamEntry, one_or_more, shape};
use super::list_kind::ListKind;
use super::task::Task;
use super::tier::Tier;
use protocol::{Message, Part, message, words};

/// A command that is available at some tier.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The CLI id, such as `daily:read`.
    pub id: String,
    /// The capability group, such as `daily`.
    pub group: String,
    /// The task of a person that it serves: the heading of the help that lists it.
    pub task: Task,
    /// Further text of its help page, such as the operators of a query.
    #[serde(default)]
    pub help: String,
    /// The commands that an agent can use if this one is closed or needs the app, each by what it does.
    #[serde(default)]
    pub instead: BTreeMap<String, String>,
    /// The lowest tier that includes it, given by the catalogue file.
    #[serde(skip, default = "highest_tier")]
    pub tier: Tier,
    /// One sentence for help, MCP tools and documentation.
    pub summary: String,
    /// Effects of the command without arguments. Parameters and flags add their own.
    pub effects: EffectSet,
    /// The target of the command: a note, a folder, the vault or the app.
    pub target: Target,
    /// The parameters that words without a name on a command line are the values of, in this order: `read Home`,
    /// `append Home "- [ ] Milk"`.
    #[serde(default, deserialize_with = "one_or_more")]
    pub bare: Vec<String>,
    /// The parameters of the command, given as `key=value`.
    #[serde(default)]
    pub params: Vec<Param>,
    /// The flags of the command, given as `key`.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// Sets of mutually exclusive parameters and flags: the app would silently ignore all but one
    /// of a set.
    #[serde(default)]
    pub exclusive: Vec<Vec<String>>,
    /// The fields of its list that a person sees as columns of a table; empty for all.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The MCP tool of the command; `None` if it has none.
    pub tool: Option<ToolFacts>,
    /// The shape of the command's output.
    #[serde(deserialize_with = "shape")]
    pub output: Shape,
    /// The rules of the change. Set if and only if the command may change something.
    pub change: Option<ChangeRules>,
    /// Backends that can answer it.
    pub backends: Vec<BackendName>,
    /// The first app version that has the command, such as `1.12.0`; `None` for a command of the gateway itself, which the
    /// embedded engine always answers, with the path rules applied to everything it returns.
    pub since: Option<String>,
    /// Set for commands that do not belong to the official CLI.
    pub origin: Option<OriginName>,
    /// The differences between the engine's answers and the app's, for the documentation; for one of the gateway's own
    /// commands, the differences from similar commands.
    pub differs: Option<String>,
    /// The answers of the app that no recording shows, and what replaces them. For the documentation.
    pub unrecorded: Option<String>,
    /// Example lines that admission must accept; checked when the catalogue loads.
    pub accept: Vec<String>,
    /// Example lines that admission must refuse; checked when the catalogue loads.
    #[serde(default)]
    pub refuse: Vec<String>,
}

/// Returns the tier of a command until its file is known.
const fn highest_tier() -> Tier {
    Tier::V3
}

/// The MCP tool of a command, in addition to the generic tool (`design/agents.md`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolFacts {
    /// Display title, such as `Read a note`.
    pub title: String,
    /// Arguments left out of the tool's schema, because they are of no use to an agent.
    #[serde(default)]
    pub hide: Vec<String>,
    /// Default values that the tool sets for parameters the caller leaves out.
    #[serde(default)]
    pub preset: BTreeMap<String, String>,
    /// Optional arguments that the tool requires, because their alternatives are hidden.
    #[serde(default)]
    pub require: Vec<String>,
    /// Fields that only appear in answers with hidden arguments, so the tool's schema omits them.
    #[serde(default)]
    pub omit: Vec<String>,
    /// A second sentence of its description: when to use another tool.
    #[serde(default)]
    pub also: String,
    /// Whether `tools/list` leaves the tool out, to save tokens. It can still be called.
    #[serde(default)]
    pub unlisted: bool,
}

words! {
    /// The target of a command. Policy and target resolution depend on it.
    pub enum Target {
        /// Today's daily note, whose path the app or the engine determines.
        DailyNote = "daily-note",
        /// One existing file, named by `path` or `file`. The active file if neither is given.
        Note = "note",
        /// One existing file, named by `path` or `file`. The whole vault if neither is given.
        NoteOrVault = "note-or-vault",
        /// A file that the command creates.
        NewFile = "new-file",
        /// A folder, named by a parameter.
        Folder = "folder",
        /// The vault as a whole.
        Vault = "vault",
        /// Always the file that is active in the app.
        ActiveFile = "active-file",
        /// The app itself, such as its version.
        App = "app",
        /// Neither the vault nor the app.
        None = "none",
    }
}

/// A parameter of a command, given as `key=value`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "ParamEntry")]
pub struct Param {
    /// The key, such as `path`.
    pub name: String,
    /// The type of the parameter's values.
    pub kind: ParamKind,
    /// One clause for help and MCP tools.
    pub summary: String,
    /// Whether it must be given.
    pub required: bool,
    /// Effects that it adds to the effects of the command.
    pub effects: EffectSet,
    /// Whether the app turns `\n` and `\t` in its value into a newline and a tab (`official-cli.md`
    /// §4). Such pairs cannot be sent literally.
    pub escapes: bool,
    /// Whether envelopes and logs show [`super::REDACTED`] instead of its value.
    pub sensitive: bool,
    /// Whether an empty value is valid.
    pub may_be_empty: bool,
    /// The only backend that supports it, if the other one would silently ignore it.
    pub backend: Option<BackendName>,
    /// Another parameter that this one needs to have an effect.
    pub with: Option<String>,
}

/// The type of a parameter's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An exact path of a file in the vault.
    Path,
    /// A path of a folder in the vault; `/` is the root.
    Folder,
    /// A destination of a move. Without a dot it names a folder (`official-cli.md` §5.1).
    Destination,
    /// A note's name, resolved like a wikilink. May include folders.
    NoteName,
    /// A file name without folders, or an id that the app uses as a file name (plugins, themes).
    Name,
    /// A template's name, relative to the template folder.
    Template,
    /// `path:line`, with a 1-based line number.
    TaskRef,
    /// A tag, with or without its `#`.
    Tag,
    /// The name of a property.
    Property,
    /// Another name or id on one line that is not a file: a view, a block, a command.
    Identifier,
    /// A day or a time.
    Date(DateForm),
    /// An `http://` or `https://` address. Other schemes can start programs when clicked.
    Url,
    /// Free text, line breaks included.
    Text,
    /// Free text on one line.
    Line,
    /// A text, number or boolean, sent as text.
    Scalar,
    /// Like `Scalar`, or an array; sent as its JSON.
    ScalarOrList,
    /// An object, sent as its JSON.
    Object,
    /// An integer between `min` and `max`, both inclusive.
    Integer {
        /// The smallest valid value.
        min: i64,
        /// The largest valid value.
        max: i64,
    },
    /// Exactly one character (Unicode scalar value).
    Character,
    /// One of these words.
    Choice(Vec<String>),
    /// A JSON array with items of this kind.
    List(ListKind),
}

/// A switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "FlagEntry")]
#[schemars(!try_from)]
pub struct Flag {
    /// The word.
    pub name: String,
    /// The meaning of the switch.
    pub summary: String,
    /// The effects that the switch adds.
    #[schemars(with = "Vec<Effect>")]
    pub effects: EffectSet,
    /// The target of the command when the flag is set, if different: `daily`, `active`.
    #[serde(skip)]
    pub target: Option<Target>,
    /// The only backend that supports it, if one does not.
    #[serde(skip)]
    pub backend: Option<BackendName>,
    /// Whether it belongs to the gateway. Such a flag is never sent to the official CLI.
    #[serde(skip)]
    pub is_ours: bool,
}

words! {
    /// The name of a backend.
    #[derive(PartialOrd, Ord, JsonSchema)]
    pub enum BackendName {
        /// The official binary with the running app.
        Obsidian = "obsidian",
        /// The engine embedded in this program.
        Embedded = "embedded",
    }
}

/// A command that no setting opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(!deny_unknown_fields)]
pub struct RefusedCommand {
    /// Its name.
    pub id: String,
    /// The effects that the command would have.
    #[serde(skip_serializing)]
    #[schemars(skip)]
    pub effects: EffectSet,
    /// The reason why it is never open.
    pub reason: String,
    /// The replacement to use.
    pub instead: Option<String>,
}

/// The types by their names in the catalogue's `type` key, except for lists, which have their own names. The
/// bounds of an `integer` and the words of a `choice` are in other keys.
static KINDS: [(&str, ParamKind); 22] = [
    ("path", ParamKind::Path),
    ("folder", ParamKind::Folder),
    ("destination", ParamKind::Destination),
    ("note-name", ParamKind::NoteName),
    ("name", ParamKind::Name),
    ("template", ParamKind::Template),
    ("task-ref", ParamKind::TaskRef),
    ("tag", ParamKind::Tag),
    ("property", ParamKind::Property),
    ("identifier", ParamKind::Identifier),
    (DateForm::Day.name(), ParamKind::Date(DateForm::Day)),
    (
        DateForm::NamedDay.name(),
        ParamKind::Date(DateForm::NamedDay),
    ),
    (DateForm::Moment.name(), ParamKind::Date(DateForm::Moment)),
    ("url", ParamKind::Url),
    ("text", ParamKind::Text),
    ("line", ParamKind::Line),
    ("scalar", ParamKind::Scalar),
    ("scalar-or-list", ParamKind::ScalarOrList),
    ("object", ParamKind::Object),
    ("integer", ParamKind::Integer { min: 0, max: 0 }),
    ("character", ParamKind::Character),
    ("choice", ParamKind::Choice(Vec::new())),
];

impl ParamKind {
    /// Returns a type for each name.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let plain = KINDS.iter().map(|(_, kind)| kind.clone());
        plain.chain(ListKind::ALL.map(Self::List))
    }

    /// Returns the name used in the catalogue's `type` key.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Date(form) => form.name(),
            Self::List(kind) => kind.name(),
            other => {
                let is_it = |kind: &Self| discriminant(kind) == discriminant(other);
                let known = KINDS.iter().find(|(_, kind)| is_it(kind));
                known.map_or("", |(name, _)| *name)
            }
        }
    }
}

impl Command {
    /// Whether the command belongs to the gateway and not to the official CLI.
    pub fn is_ours(&self) -> bool {
        self.since.is_none()
    }

    /// Returns the effects of the command with all of its parameters and flags.
    pub fn most_effects(&self) -> EffectSet {
        self.effects_with(self.argument_names())
    }

    /// Returns the effects of the command with these parameters and flags.
    pub fn effects_with<'name>(&self, names: impl Iterator<Item = &'name str>) -> EffectSet {
        names.fold(self.effects, |effects, name| {
            let param = self.param(name).map(|param| param.effects);
            let more = param.or_else(|| self.flag(name).map(|flag| flag.effects));
            effects.union(more.unwrap_or_default())
        })
    }

    /// Returns hints to the commands in [`Self::instead`].
    pub fn other_ways(&self) -> impl Iterator<Item = Message> {
        let ways = self.instead.iter();
        ways.map(|(task, id)| message!("To {}, use {}.", task, Part::Command(id.clone())))
    }

    /// Returns the way to verify a change that the official program makes.
    pub fn verification(&self) -> Option<Verification> {
        Some(self.change.as_ref()?.verify)
    }

    /// The sentences of which the app must print one to confirm the change.
    pub fn confirmations(&self) -> &[Sentence] {
        self.change
            .as_ref()
            .map_or(&[Sentence::Any], |change| &change.confirms)
    }

    /// Returns the place of the file that the command creates or moves.
    pub fn placement(&self) -> Option<Placement> {
        self.change.as_ref()?.places
    }

    /// Whether the command can be a step of `notes:change`: any change of files in the vault that the engine plans.
    pub fn is_step(&self) -> bool {
        let is_of_files = |effect: Effect| effect == Effect::Read || effect.changes_notes();
        self.change.is_some()
            && !self.has_steps()
            && self.effects.iter().all(is_of_files)
            && vault_engine::plans(&self.id)
    }

    /// Whether the command gives an existing file another path, so that links in other notes
    /// change too.
    pub fn moves_a_file(&self) -> bool {
        self.placement().is_some_and(Placement::moves_a_file)
    }

    /// Whether links in notes that the caller does not know may change with it: it gives files or
    /// text another path, renames a part of a note, or has steps that can (`threats.toml` D13).
    pub fn may_change_links(&self) -> bool {
        let rewrites = |change: &ChangeRules| change.rewrites_links;
        self.placement().is_some_and(Placement::may_change_links)
            || self.change.as_ref().is_some_and(rewrites)
            || self.has_steps()
    }

    /// Whether the command has steps, which are commands that are made as one change.
    pub fn has_steps(&self) -> bool {
        let is_list_of_steps = |param: &Param| param.kind == ParamKind::List(ListKind::Changes);
        self.params.iter().any(is_list_of_steps)
    }

    /// Returns the way to continue a text that exceeds one message.
    pub fn continuation(&self) -> Option<Continuation> {
        self.change.as_ref()?.continues
    }

    /// Looks up a parameter by name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Returns the parameters that words without a name are the values of, in their order.
    pub fn bare_params(&self) -> impl Iterator<Item = &Param> {
        self.bare.iter().filter_map(|name| self.param(name))
    }

    /// Returns the flag with this name.
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// Returns every parameter and flag name, in catalogue order.
    pub fn argument_names(&self) -> impl Iterator<Item = &str> {
        let params = self.params.iter().map(|param| param.name.as_str());
        params.chain(self.flags.iter().map(|flag| flag.name.as_str()))
    }
}
