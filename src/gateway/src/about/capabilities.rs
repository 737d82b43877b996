//! `capabilities`: every command, and whether policy opens it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::About;
use super::open::{Openness, PolicyFacts};
use super::question::BuiltIn;
use allowlist::{BackendName, Catalogue, Command, Effect, Flag, Param, RefusedCommand, Tier};
use changes::envelope::SCHEMA_VERSION;
use protocol::{Code, Failure};
use store::journal::Direction;
use tiers::Evaluation;

/// Selects commands: a command is listed if it meets every condition that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapabilityFilter {
    /// Only what may run, including what needs an approval.
    pub open: bool,
    /// Only commands of this group, such as `daily`.
    pub group: Option<String>,
    /// Only this tier itself, not those below it.
    pub tier: Option<Tier>,
    /// Whether to leave out the parameters, flags and examples of each command. `None`: a person gets them, and an
    /// agent gets a short list.
    pub brief: Option<bool>,
    /// Only this command, in less than a kilobyte.
    pub command: Option<String>,
}

/// Every command that was asked for, and the policy in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The policy; not of one command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyFacts>,
    /// The groups of commands; not of one command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Commands by tier.
    pub commands: Vec<Capability>,
    /// Commands that no setting opens; none of them belongs to a group or a tier. Not of one command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<RefusedCommand>>,
    /// The versions, formats, features and codes of the program; only in the answer about everything.
    #[serde(flatten)]
    pub program: Option<ProgramFacts>,
}

/// The versions, formats, features and codes of the program, which do not depend on the policy (`contracts.md` M40).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgramFacts {
    /// The versions of what callers rely on.
    pub versions: ContractVersions,
    /// The forms of output that `-o` takes.
    pub formats: Vec<&'static str>,
    /// The features that a caller can use besides commands.
    pub features: BTreeMap<&'static str, bool>,
    /// Every code that an error can have.
    pub error_codes: Vec<Code>,
}

/// Versions of what callers rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractVersions {
    /// This program.
    pub vault_gw: &'static str,
    /// The envelope: its `schemaVersion`.
    pub envelope: &'static str,
}

/// The values of `-o`, in the order of the option's help.
pub const FORMATS: [&str; 8] = [
    "text", "json", "ndjson", "jsonl", "table", "csv", "tsv", "yaml",
];

/// Features of requests besides commands, by their names in requests.
const FEATURES: [&str; 9] = [
    "approval",
    "budget",
    "correlationId",
    "dryRun",
    "ifHash",
    "includeTimestamp",
    "ndjson",
    "profiles",
    "undo",
];

impl ProgramFacts {
    fn new() -> Self {
        let mut error_codes: Vec<Code> = Code::ALL.into_iter().collect();
        error_codes.sort_by_key(|code| code.name());
        Self {
            versions: ContractVersions {
                vault_gw: env!("CARGO_PKG_VERSION"),
                envelope: SCHEMA_VERSION,
            },
            formats: FORMATS.to_vec(),
            features: FEATURES.map(|name| (name, true)).into(),
            error_codes,
        }
    }
}

/// One command.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capability {
    /// Its name, `daily:read`.
    pub id: String,
    /// The tier that contains it; not in a short list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Its group; not in a short list of one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The summary of the command; only its beginning, or not at all, in a short list that would be too long.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Whether it may run, before any argument is known.
    pub open: Openness,
    /// The code of the refusal, where it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<Code>,
    /// The message of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The settings that would have to say otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Whether the app alone answers it, so that it has to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_app: bool,
    /// Effects of the command without arguments; left out of a short list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
    /// One line, `read file=<name>|path=<path>`; not in a brief answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// The meaning of each parameter and flag; for one whose name says it, only its values.
    // Only in the answer about one command.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    pub takes: Option<Map<String, Value>>,
    /// The parameters, flags and examples, and the backends that can answer; not in a brief answer.
    #[serde(flatten)]
    pub details: Option<Details>,
}

/// The parameters, flags and examples of a command.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// The backends that can answer.
    pub backends: Vec<BackendName>,
    /// The origin of the command: `official`, or `gateway` for a command that the official CLI lacks.
    pub origin: &'static str,
    /// The first version of the app that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The shape of its `data`; `vault-gw schema COMMAND` prints the schema.
    pub output: &'static str,
    /// Named values.
    pub params: Vec<ParamFacts>,
    /// Switches.
    pub flags: Vec<Flag>,
    /// Calls that it takes.
    pub examples: Vec<String>,
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParamFacts {
    /// Its name.
    pub name: String,
    /// The kind of its values, `path` or `integer`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `path=<path>`.
    pub usage: String,
    /// The meaning of the parameter.
    pub summary: String,
    /// Whether the command is refused without it.
    pub required: bool,
    /// The effects that the parameter adds.
    pub effects: Vec<Effect>,
}

impl About<'_> {
    /// Lists the commands that pass `filter`, with the policy in force.
    ///
    /// # Errors
    ///
    /// Fails only if the built-in catalogue is invalid.
    pub fn capabilities(&self, filter: &CapabilityFilter) -> Result<Capabilities, Failure> {
        let catalogue = Catalogue::whole()?;
        if let Some(id) = &filter.command {
            let one = match BuiltIn::named(id) {
                Some(built_in) => self.built_in(built_in),
                None => self.short(&self.left_of(&*catalogue.find(id)?)),
            };
            return Ok(Capabilities {
                commands: vec![one],
                ..Capabilities::default()
            });
        }
        let is_short = filter.brief.is_none() && !self.caller.is_person();
        let brief = is_short || filter.brief == Some(true);
        let group = filter.group.as_ref();
        let mut commands: Vec<Capability> = catalogue
            .commands()
            .filter(|command| group.is_none_or(|group| *group == command.group))
            .filter(|command| filter.tier.is_none_or(|tier| tier == command.tier))
            .map(|command| self.capability(&self.left_of(command), brief))
            .filter(|one| !filter.open || matches!(one.open, Openness::Open | Openness::Approval))
            .collect();
        if is_short {
            for one in &mut commands {
                (one.tier, one.effects, one.why) = (None, None, None);
            }
            if group.is_some() {
                shorten(&mut commands);
            }
        }
        let is_whole = !filter.open && group.is_none() && filter.tier.is_none();
        let refused = catalogue.refused().iter().filter(|_| is_whole);
        let groups = catalogue.groups().into_iter().map(str::to_owned);
        let policy = if is_short && !is_whole {
            None
        } else {
            Some(self.policy_facts()?)
        };
        Ok(Capabilities {
            program: (is_whole && !brief).then(ProgramFacts::new),
            groups: policy.as_ref().map(|_| groups.collect()),
            policy,
            commands,
            refused: (!is_short).then(|| refused.cloned().collect()),
        })
    }

    /// A question or an undo, as the only command that was asked for.
    fn built_in(&self, built_in: &BuiltIn) -> Capability {
        let evaluation = if Direction::from_command(built_in.name).is_some() {
            self.caller.policy.check_effect(Effect::Write)
        } else {
            Evaluation::ALLOWED
        };
        let why = evaluation.failure();
        let names = built_in.params.iter().map(|(name, _)| format!(" [{name}]"));
        let takes = built_in
            .params
            .iter()
            .map(|(name, meaning)| ((*name).to_owned(), (*meaning).into()));
        Capability {
            id: built_in.name.to_owned(),
            tier: None,
            group: Some("gateway".to_owned()),
            summary: built_in.summary.to_owned(),
            open: Openness::of(&evaluation),
            needs: evaluation.needs(),
            closed_by: why.as_ref().map(|failure| failure.code),
            why: why.map(|failure| failure.to_string()),
            needs_app: false,
            effects: None,
            usage: Some(format!("{}{}", built_in.name, names.collect::<String>())),
            takes: Some(takes.collect()),
            details: None,
        }
    }

    /// The command as the owner's lists leave it, and whole if it is closed: the answer then says why.
    fn left_of<'c>(&self, command: &'c Command) -> Cow<'c, Command> {
        let form = self.caller.policy.form_of(command);
        form.unwrap_or(Cow::Borrowed(command))
    }

    /// Returns one command with its usage and the meaning of its parameters and flags, in at most [`MOST_BYTES`]. If
    /// that does not fit, with shorter descriptions, and without those that are the same in every command.
    fn short(&self, command: &Command) -> Capability {
        let bare = self.capability(command, true);
        let shown = |usage: String, takes: Map<String, Value>| Capability {
            usage: Some(usage),
            takes: Some(takes),
            ..bare.clone()
        };
        let fits = |shown: &Capability| json!(shown).to_string().len() <= MOST_BYTES;
        let params = command.params.iter();
        let params = params.map(|param| {
            (
                param.name.as_str(),
                param.summary.as_str(),
                param.value_usage(),
            )
        });
        let flags = command.flags.iter();
        let flags =
            flags.map(|flag| (flag.name.as_str(), flag.summary.as_str(), "true".to_owned()));
        let mut all: Vec<(&str, &str, String)> = params.chain(flags).collect();
        let meanings = all
            .iter()
            .map(|(name, meaning, _)| ((*name).to_owned(), (*meaning).into()));
        let whole = shown(command.usage(), meanings.collect());
        if fits(&whole) {
            return whole;
        }
        let place = |name: &str| EVERYWHERE.iter().position(|known| *known == name);
        all.sort_by_key(|(name, ..)| place(name).map_or(0, |place| place + 1));
        let takes = |described: usize| {
            let takes = all
                .iter()
                .enumerate()
                .map(|(index, (name, meaning, value))| {
                    let clause = first_clause(meaning);
                    let words = match (index < described, value.contains('|')) {
                        (false, _) => value.clone(),
                        (true, true) => format!("{clause}: {value}"),
                        (true, false) => clause.to_owned(),
                    };
                    ((*name).to_owned(), words.into())
                });
            shown(command.required_usage(), takes.collect())
        };
        // As many descriptions as fit; the others get only their kind of value.
        let mut shorter = (0..=all.len()).rev().map(takes);
        shorter.find(fits).unwrap_or(whole)
    }

    /// Describes one command, and whether the policy allows it; `brief` leaves out usage and details.
    pub fn capability(&self, command: &Command, brief: bool) -> Capability {
        let evaluation = self.caller.policy.check_command(command, command.effects);
        let why = evaluation.failure();
        Capability {
            id: command.id.clone(),
            tier: Some(command.tier),
            group: Some(command.group.clone()),
            summary: command.summary.clone(),
            open: Openness::of(&evaluation),
            needs: evaluation.needs(),
            closed_by: why.as_ref().map(|failure| failure.code),
            why: why.map(|failure| failure.to_string()),
            needs_app: !command.backends.contains(&BackendName::Embedded),
            effects: Some(command.effects.iter().collect()),
            usage: (!brief).then(|| command.usage()),
            takes: None,
            details: (!brief).then(|| Details::new(command)),
        }
    }
}

/// Most bytes for one command, so that the answer around it fits into a kilobyte.
const MOST_BYTES: usize = 1000;

/// Most bytes for the commands of one group in a short list, so that the whole answer fits into 2,000 bytes.
const MOST_BYTES_OF_GROUP: usize = 1900;

/// Shortens a list of the commands of one group until it fits: without the group, then with the beginnings of the
/// summaries, then without the reasons why commands are closed, then with names and states alone. `capabilities` of one
/// command has all of them.
fn shorten(commands: &mut [Capability]) {
    let steps: [fn(&mut Capability); 4] = [
        |one| one.group = None,
        |one| one.summary = first_clause(&one.summary).to_owned(),
        |one| {
            one.closed_by = None;
            one.needs.clear();
        },
        |one| {
            one.summary.clear();
            one.needs_app = false;
        },
    ];
    for (number, step) in steps.into_iter().enumerate() {
        // The caller knows the group in any case.
        if number > 0 && json!(commands).to_string().len() <= MOST_BYTES_OF_GROUP {
            return;
        }
        commands.iter_mut().for_each(step);
    }
}

/// Names with the same meaning in every command. If the answer is too long, their descriptions are dropped first, the
/// last name of this list first.
const EVERYWHERE: [&str; 9] = [
    "property", "value", "total", "folder", "format", "offset", "limit", "path", "file",
];

/// Returns the beginning of a sentence, before its details.
fn first_clause(sentence: &str) -> &str {
    let ends = [" (default", ", such as", "; ", ". "]
        .iter()
        .filter_map(|end| sentence.find(end));
    let end = ends.min().unwrap_or(sentence.len());
    sentence
        .get(..end)
        .unwrap_or(sentence)
        .trim_end_matches('.')
}

impl Details {
    fn new(command: &Command) -> Self {
        Self {
            backends: command.backends.clone(),
            origin: if command.is_ours() {
                "gateway"
            } else {
                "official"
            },
            since: command.since.clone(),
            output: command.output.name(),
            params: command.params.iter().map(ParamFacts::new).collect(),
            flags: command.flags.clone(),
            examples: command.accept.clone(),
        }
    }
}

impl ParamFacts {
    fn new(param: &Param) -> Self {
        Self {
            name: param.name.clone(),
            kind: param.kind.name().to_owned(),
            usage: param.usage(),
            summary: param.summary.clone(),
            required: param.required,
            effects: param.effects.iter().collect(),
        }
    }
}

impl Capabilities {
    /// Returns the list as text: one line for each command, and one for the policy.
    pub(super) fn to_text(&self) -> String {
        let mut text: String = self
            .commands
            .iter()
            .map(|command| {
                let open = match command.open {
                    Openness::Open if command.needs_app => "app",
                    open => open.word(),
                };
                let tier = command.tier.map(Tier::name).unwrap_or_default();
                let (id, summary) = (&command.id, &command.summary);
                let row = format!("{open:<7} {tier:<4} {id:<18} {summary}\n");
                let usage = command.usage.as_deref().unwrap_or_default();
                let Some(takes) = &command.takes else {
                    return row;
                };
                let takes = takes.iter().map(|(name, summary)| {
                    format!("  {name}: {}\n", summary.as_str().unwrap_or_default())
                });
                format!("{row}{usage}\n{}", takes.collect::<String>())
            })
            .collect();
        let refused = self.refused.as_deref().unwrap_or_default();
        if let Some(first) = refused.first() {
            text += &format!(
                "\n{} more are never open, such as `{}`; `explain` says why.\n",
                refused.len(),
                first.id
            );
        }
        let Some(policy) = &self.policy else {
            return text;
        };
        let switches = |wanted: bool| {
            let switches = policy.switches.iter();
            let keys: Vec<&str> = switches
                .filter(|(_, is_on)| **is_on == wanted)
                .map(|(key, _)| *key)
                .collect();
            if keys.is_empty() {
                "none".to_owned()
            } else {
                keys.join(", ")
            }
        };
        text + &format!(
            "\nTier {}. On: {}. Off: {}. `app`: open, where the app runs.\n",
            policy.tier.name(),
            switches(true),
            switches(false)
        )
    }
}
