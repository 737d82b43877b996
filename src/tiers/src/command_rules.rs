//! Rules for commands: which commands the owner leaves open, to everyone or to one agent.
//!
//! A rule only narrows: what the tier and the switches close stays closed (`design/catalogue.md`).

use std::collections::BTreeSet;
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use allowlist::{Catalogue, Command, Effect, EffectSet, OwnList, Tier, nearest, shown};
use protocol::{checked_text, question};

/// The maximum number of bytes of a pattern. Ids are shorter, and a glob with very deep braces exhausts the stack.
const MAX_PATTERN_BYTES: usize = 100;
/// The maximum number of patterns of a list. There are fewer commands.
const MAX_PATTERNS: usize = 200;

/// The first character of the name of a set of commands.
const SET: char = '@';
/// The setting that names the owner's list.
pub const LIST: &str = "allowlist";
/// The set of commands that never change anything.
const READS: &str = "reads";
/// The set of commands that can change notes or send them off this machine.
const WRITES: &str = "writes";

/// A pattern for commands that means at least one: an id (`daily:append`), a glob on ids (`daily:*`), or a
/// set: `@v1` (the commands that tier v1 adds), `@links` (a group), `@reads`, `@writes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct CommandPattern(#[schemars(with = "String")] String);

checked_text!(CommandPattern, CommandPatternError);

/// A pattern that matches no command. Names the mistake, and the nearest name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CommandPatternError(String);

/// A compiled pattern.
#[derive(Clone, Debug)]
struct RuleMatcher {
    pattern: CommandPattern,
    meaning: Meaning,
}

/// The commands that a pattern matches.
#[derive(Clone, Debug)]
enum Meaning {
    All,
    Tier(Tier),
    Group(String),
    Reads,
    Writes,
    Ids(GlobMatcher),
}

/// The rules of one layer of the settings.
#[derive(Clone, Debug)]
pub struct CommandRules {
    /// The prefix of their keys in the settings: empty, or `agents.helper.`.
    prefix: String,
    allow: Vec<RuleMatcher>,
    deny: Vec<RuleMatcher>,
    /// The owner's list in a file of its own.
    list: Option<Arc<OwnList>>,
}

/// The rule that closes a command, or an argument of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClosingRule {
    /// The key of the list in the settings, such as `agents.helper.commands.deny`.
    pub(super) key: String,
    /// The pattern that denies the command; `None` if no pattern allows it.
    pub(super) pattern: Option<String>,
    /// The argument that the owner's list leaves out, such as `overwrite` or `paneType=tab`; `None` if the whole
    /// command is closed.
    pub(super) argument: Option<String>,
}

/// A pattern that has no effect in addition to the other patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointlessPattern {
    /// Whether it is in `deny`, and not in `allow`.
    pub in_deny: bool,
    /// Index of the pattern in that list, from 0.
    pub index: usize,
    /// Reason why it has no effect, as the rest of a sentence that begins with the pattern.
    pub reason: String,
}

impl CommandPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If it is not a glob, names no set, or matches no command.
    pub fn new(text: &str) -> Result<Self, CommandPatternError> {
        let pattern = Self(text.to_owned());
        if pattern == Self::everything() {
            return Ok(pattern);
        }
        if text.len() > MAX_PATTERN_BYTES {
            let reason = format!("it has more than {MAX_PATTERN_BYTES} bytes.");
            return Err(CommandPatternError(reason));
        }
        let matcher = RuleMatcher::new(&pattern)?;
        let catalogue = catalogue()?;
        if catalogue.commands().any(|command| matcher.matches(command)) {
            return Ok(pattern);
        }
        let mut refused = catalogue.refused().iter();
        if refused.any(|command| command.id == text) {
            let reason = "this command is never allowed, so a rule for it has no effect.";
            return Err(CommandPatternError(reason.to_owned()));
        }
        let ids: Vec<&str> = catalogue
            .commands()
            .map(|known| known.id.as_str())
            .collect();
        let families: BTreeSet<String> = ids
            .iter()
            .filter_map(|id| Some(format!("{}:*", id.split_once(':')?.0)))
            .collect();
        let names = ids.into_iter().chain(families.iter().map(String::as_str));
        Err(nothing("command", text, names))
    }

    /// The pattern that means every command.
    pub fn everything() -> Self {
        Self("*".to_owned())
    }
}

fn catalogue() -> Result<&'static Catalogue, CommandPatternError> {
    Catalogue::builtin().map_err(|error| CommandPatternError(error.to_string()))
}

/// Returns the error for a pattern that matches nothing, with similar names.
fn nothing<'a>(
    what: &str,
    text: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> CommandPatternError {
    let near = question(&nearest(text, names));
    let near = near.map_or_else(String::new, |question| format!(" {question}"));
    CommandPatternError(format!("it is not the name of a {what}.{near}"))
}

impl RuleMatcher {
    fn new(pattern: &CommandPattern) -> Result<Self, CommandPatternError> {
        let text = pattern.as_str();
        let meaning = match text.strip_prefix(SET) {
            Some(READS) => Meaning::Reads,
            Some(WRITES) => Meaning::Writes,
            Some(name) => {
                let tier = Tier::ALL.into_iter().find(|tier| tier.name() == name);
                let groups = catalogue()?.groups();
                match tier {
                    Some(tier) => Meaning::Tier(tier),
                    None if groups.contains(&name) => Meaning::Group(name.to_owned()),
                    None => {
                        let tiers = Tier::WORDS;
                        let sets = groups.into_iter().chain(tiers).chain([READS, WRITES]);
                        let sets: Vec<String> = sets.map(|set| format!("{SET}{set}")).collect();
                        return Err(nothing("set", text, sets.iter().map(String::as_str)));
                    }
                }
            }
            None if *pattern == CommandPattern::everything() => Meaning::All,
            None => {
                let glob = Glob::new(text).map_err(|error| {
                    CommandPatternError(format!("it is not a valid glob: {}.", error.kind()))
                })?;
                Meaning::Ids(glob.compile_matcher())
            }
        };
        Ok(Self {
            pattern: pattern.clone(),
            meaning,
        })
    }

    fn matches(&self, command: &Command) -> bool {
        match &self.meaning {
            Meaning::All => true,
            Meaning::Tier(tier) => command.tier == *tier,
            Meaning::Group(group) => command.group == *group,
            Meaning::Reads => only_reads(command),
            Meaning::Writes => can_change(command.most_effects()),
            Meaning::Ids(ids) => ids.is_match(&command.id),
        }
    }
}

/// Whether the command by itself only reads, and no argument makes it change anything but what the app shows.
fn only_reads(command: &Command) -> bool {
    let reads = EffectSet::from_iter([Effect::Read]);
    command.effects == reads && !can_change(command.most_effects())
}

fn can_change(effects: EffectSet) -> bool {
    effects.has_plan() || effects.contains(Effect::Import)
}

impl CommandRules {
    /// Compiles the lists of one layer, whose keys have this prefix.
    ///
    /// # Errors
    ///
    /// Never for patterns that were parsed; see [`CommandPattern::new`].
    pub fn new(
        prefix: &str,
        allow: &[CommandPattern],
        deny: &[CommandPattern],
    ) -> Result<Self, CommandPatternError> {
        let compiled =
            |patterns: &[CommandPattern]| -> Result<Vec<RuleMatcher>, CommandPatternError> {
                patterns.iter().map(RuleMatcher::new).collect()
            };
        Ok(Self {
            prefix: prefix.to_owned(),
            allow: compiled(allow)?,
            deny: compiled(deny)?,
            list: None,
        })
    }

    /// Adds the owner's list, which is in its own file, to the rules.
    #[must_use]
    pub fn with_list(self, list: Option<Arc<OwnList>>) -> Self {
        Self { list, ..self }
    }

    /// Whether the rules close no command.
    pub(super) fn is_open(&self) -> bool {
        let allows_all = |rule: &RuleMatcher| matches!(rule.meaning, Meaning::All);
        self.list.is_none() && self.deny.is_empty() && self.allow.iter().any(allows_all)
    }

    /// Whether `allow` names the command, even if another rule closes it.
    pub fn names(&self, command: &Command) -> bool {
        self.allow.iter().any(|rule| rule.matches(command))
    }

    /// Returns the part of the command that the owner's list leaves; `None` without such a list.
    pub(super) fn form_of(&self, command: &Command) -> Option<&Command> {
        let form = self.list.as_ref()?.command(&command.id);
        form.map(AsRef::as_ref)
    }

    /// Returns the rule that closes one of these arguments, if the command is open. `value` is the text of a parameter.
    pub(super) fn closing_argument<'n>(
        &self,
        command: &str,
        names: impl Iterator<Item = &'n str>,
        value: impl Fn(&str) -> String,
    ) -> Option<ClosingRule> {
        let list = self.list.as_ref()?;
        let argument = list.left_out_argument(command, names, value)?;
        Some(ClosingRule {
            key: format!("{}{LIST}", self.prefix),
            pattern: None,
            argument: Some(argument),
        })
    }

    /// Returns the rule that closes the command, if one does. `deny` wins. Several patterns are ordered by name, and
    /// the first is returned.
    pub(super) fn closing(&self, command: &Command) -> Option<ClosingRule> {
        let rule = |key: &str, pattern: Option<&str>| ClosingRule {
            key: format!("{}{key}", self.prefix),
            pattern: pattern.map(str::to_owned),
            argument: None,
        };
        let denying = self.deny.iter().filter(|rule| rule.matches(command));
        let denying = denying.map(|rule| rule.pattern.as_str()).min();
        if denying.is_some() {
            return Some(rule("commands.deny", denying));
        }
        if !self.names(command) {
            return Some(rule("commands.allow", None));
        }
        let is_listed = self.list.as_ref()?.command(&command.id).is_some();
        (!is_listed).then(|| rule(LIST, None))
    }

    /// Returns the first pattern that has no effect: another one of its list means all of its commands, or `deny`
    /// closes all that it allows.
    pub fn pointless(&self) -> Option<PointlessPattern> {
        // One pattern alone has its effect. Most settings have no more, and the whole catalogue takes longer to
        // read than a call.
        if self.allow.len() + self.deny.len() < 2 {
            return None;
        }
        let catalogue = Catalogue::builtin().ok()?;
        let all: Vec<&Command> = catalogue.commands().map(AsRef::as_ref).collect();
        let meant_by = |rule: &RuleMatcher| -> Vec<bool> {
            all.iter().map(|command| rule.matches(command)).collect()
        };
        let is_within = |inner: &[bool], outer: &[bool]| {
            let mut both = inner.iter().zip(outer);
            both.all(|(inner, outer)| !inner || *outer)
        };
        for (in_deny, rules) in [(false, &self.allow), (true, &self.deny)] {
            if rules.len() > MAX_PATTERNS {
                return Some(PointlessPattern {
                    in_deny,
                    index: MAX_PATTERNS,
                    reason: format!("a list has at most {MAX_PATTERNS} patterns"),
                });
            }
        }
        let denied: Vec<Vec<bool>> = self.deny.iter().map(meant_by).collect();
        for (in_deny, rules) in [(false, &self.allow), (true, &self.deny)] {
            let meant: Vec<Vec<bool>> = rules.iter().map(meant_by).collect();
            for (index, own) in meant.iter().enumerate() {
                let mut others = meant.iter().enumerate();
                // The second of two equivalent patterns is pointless.
                let wider = others.find(|(other, theirs)| {
                    *other != index
                        && is_within(own, theirs)
                        && (*other < index || !is_within(theirs, own))
                });
                let by_deny = || {
                    let all_denied: Vec<bool> = (0..own.len())
                        .map(|at| denied.iter().any(|rule| rule[at]))
                        .collect();
                    !in_deny && is_within(own, &all_denied)
                };
                let reason = match wider.and_then(|(other, _)| rules.get(other)) {
                    Some(same) if same.pattern == rules[index].pattern => {
                        "the list contains it twice".to_owned()
                    }
                    Some(wider) => {
                        format!(
                            "`{}` already covers its commands",
                            shown(wider.pattern.as_str())
                        )
                    }
                    None if by_deny() => "`deny` closes all of its commands".to_owned(),
                    None => continue,
                };
                return Some(PointlessPattern {
                    in_deny,
                    index,
                    reason,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::command_rules as rules;

    const CASES: &str = include_str!("command_rules_cases.txt");

    fn open(rules: &CommandRules) -> Vec<String> {
        let commands = Catalogue::builtin().unwrap().commands();
        let open = commands.filter(|command| rules.closing(command).is_none());
        open.map(|command| command.id.clone()).collect()
    }

    #[test]
    fn a_pattern_means_ids_globs_and_sets() {
        let open = |allow: &[&str], deny: &[&str]| open(&rules(allow, deny)).join(" ");
        assert_eq!(
            open(&["daily:*"], &["daily:append", "daily:prepend"]),
            "daily:path daily:read"
        );
        assert_eq!(open(&["search"], &[]), "search");
        assert_eq!(open(&["@tags"], &[]), "tags tag");
        assert_eq!(open(&["daily:r*", "rea?"], &[]), "daily:read read");
        assert_eq!(open(&[], &[]), "");
        assert_eq!(open(&["*"], &["*"]), "");
        let v0 = open(&["@v0"], &[]);
        assert!(v0.contains("daily:append") && !v0.contains(" read"), "{v0}");
    }

    #[test]
    fn a_command_that_can_change_anything_is_no_reading_one() {
        let catalogue = Catalogue::builtin().unwrap();
        let (reads, writes) = (rules(&["@reads"], &[]), rules(&["@writes"], &[]));
        for command in catalogue.commands() {
            let is_open = |rules: &CommandRules| rules.closing(command).is_none();
            let most = command.most_effects();
            assert_eq!(is_open(&writes), most.has_plan(), "{}", command.id);
            assert!(!(is_open(&reads) && is_open(&writes)), "{}", command.id);
            let by_itself = command.effects == EffectSet::from_iter([Effect::Read]);
            assert_eq!(
                is_open(&reads),
                by_itself && !most.has_plan(),
                "{}",
                command.id
            );
        }
    }

    #[test]
    fn a_pattern_that_means_nothing_leads_to_the_nearest() {
        for [text, error] in tables::section(CASES, "a pattern that means nothing leads") {
            let message = CommandPattern::new(text).unwrap_err().to_string();
            assert_eq!(message, error, "{text}");
        }
    }

    #[test]
    fn the_rule_that_closes_is_named() {
        let catalogue = Catalogue::builtin().unwrap();
        let closing = |allow: &[&str], deny: &[&str], id: &str| {
            let command = catalogue.commands().find(|command| command.id == id);
            let rule = rules(allow, deny).closing(command.unwrap())?;
            Some(format!("{} {}", rule.key, rule.pattern.unwrap_or_default()))
        };
        for (allow, deny, id, rule) in [
            (&["*"][..], &[][..], "read", None),
            (&["@reads"], &[], "read", None),
            (&["@reads"], &[], "create", Some("commands.allow ")),
            (
                &["*"],
                &["@writes"],
                "create",
                Some("commands.deny @writes"),
            ),
            (
                &["*"],
                &["@writes", "@files"],
                "create",
                Some("commands.deny @files"),
            ),
            (
                &["search"],
                &["create"],
                "create",
                Some("commands.deny create"),
            ),
        ] {
            assert_eq!(closing(allow, deny, id).as_deref(), rule, "{id}");
        }
    }

    #[test]
    fn a_rule_without_effect_is_found() {
        for (allow, deny, found) in [
            (&["*"][..], &["publish:*"][..], None),
            (
                &["@v1", "daily:*", "search", "notes:*"],
                &["publish:*", "@bases"],
                None,
            ),
            (&["daily:*", "daily:read"], &[], Some((false, 1))),
            (&["daily:read", "daily:*"], &[], Some((false, 0))),
            (&["search", "search"], &[], Some((false, 1))),
            (&["daily:read", "search"], &["daily:*"], Some((false, 0))),
            (&["*"], &["@reads", "read"], Some((true, 1))),
            (&["*", "@reads"], &[], Some((false, 1))),
            (&[], &[], None),
        ] {
            let pointless = rules(allow, deny).pointless();
            let place = pointless.map(|pointless| (pointless.in_deny, pointless.index));
            assert_eq!(place, found, "{allow:?} {deny:?}");
        }
    }
}
