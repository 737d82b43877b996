//! Describes what a change of the settings allows, and to whom. A person who allows something for
//! themselves learns whether agents may do it too.

use std::collections::BTreeSet;
use std::rc::Rc;

use allowlist::{Catalogue, Command, Effect, Tier};
use gateway::has_agents_switch;
use protocol::Caller;
use sandbox::SandboxMode;
use settings::{AgentSettings, EVERY_AGENT, Settings, TaintNames, table_prefix};
use tiers::{ApprovalChannel, Decision, PathPattern, Policy, Switch};
use vault_engine::plural::count;
use vault_engine::{NoteRules, VaultPath};

/// Describes the calls that the change of `key` allows; `None` if it allows no new ones. `key` may be the table of an
/// agent.
pub(super) fn in_words(before: &Settings, after: &Settings, key: &str) -> Option<String> {
    let rights = rights(before, after);
    let views = |caller, agent| CallerView::of_both([before, after], caller, agent);
    if let Some((agent, name)) = of_agent(after, key).or_else(|| of_agent(before, key)) {
        if let Some(text) = no_effect(after, agent, name) {
            return Some(text);
        }
        let one = (agent != EVERY_AGENT).then_some(agent);
        let opened = listed(&views(Caller::Agent, one).opened(&rights))?;
        let who = one.map_or_else(
            || "Agents".to_owned(),
            |agent| format!("The agent `{agent}`"),
        );
        return Some(format!("{who} can now {opened}."));
    }
    let (mine, theirs) = (views(Caller::Person, None), views(Caller::Agent, None));
    let (own, of_agents) = (mine.opened(&rights), theirs.opened(&rights));
    let opened = own.iter().chain(&of_agents).copied();
    let (mut both, mut only): (Vec<_>, Vec<_>) = opened
        .filter(|right| mine.opens(right))
        .partition(|right| theirs.has(right));
    let mut seen = BTreeSet::new();
    both.retain(|right| seen.insert(right.kind));
    only.retain(|right| seen.insert(right.kind));
    let of_agents: Vec<_> = of_agents
        .into_iter()
        .filter(|right| seen.insert(right.kind))
        .collect();
    let me = if has_agents_switch(key) {
        format!(" To allow this only for you: `vault-gw settings set {key} me`.")
    } else {
        String::new()
    };
    let sentences = [
        listed(&both).map(|opened| format!("You and agents can now {opened}.{me}")),
        listed(&only).map(|opened| format!("You can now {opened}, but agents cannot.")),
        listed(&of_agents).map(|opened| format!("Agents can now {opened}.")),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Returns the rights as the end of a sentence with "can"; `None` if there are none.
fn listed(rights: &[&Right]) -> Option<String> {
    let verbs: Vec<&str> = rights.iter().map(|right| right.verb.as_str()).collect();
    let (last, others) = verbs.split_last()?;
    Some(match others {
        [] => (*last).to_owned(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// Returns the agent whose table has this key or is this key, and the key's name there.
pub(super) fn of_agent<'a>(settings: &'a Settings, key: &'a str) -> Option<(&'a str, &'a str)> {
    settings.agents.keys().find_map(|agent| {
        let prefix = table_prefix(agent);
        let is_table = || prefix.strip_suffix('.') == Some(key);
        let name = key
            .strip_prefix(&prefix)
            .or_else(|| is_table().then_some(""))?;
        Some((agent.as_str(), name))
    })
}

/// Returns the message that a switch in an agent's table has no effect, because a general setting forbids it.
fn no_effect(settings: &Settings, agent: &str, name: &str) -> Option<String> {
    let switch = Switch::ALL
        .into_iter()
        .find(|switch| switch.key() == name)?;
    let table = toml::Value::try_from(settings.agents.get(agent)?).ok()?;
    // A removed key was not meant to allow anything.
    if table.get(name)?.as_bool() != Some(true) {
        return None;
    }
    let policy = settings.policy(Caller::Agent, Some(agent)).ok()?;
    let own = format!("{}{name}", table_prefix(agent));
    let closing = policy.settings_of_switch(switch).into_iter();
    let closing: Vec<String> = closing.map(|setting| setting.key).collect();
    if closing.is_empty() || closing.contains(&own) {
        return None;
    }
    let are = if closing.len() == 1 { "is" } else { "are" };
    Some(format!(
        "This setting has no effect yet, because `{}` {are} false. The settings of one agent can only restrict what other settings allow.",
        closing.join("` and `")
    ))
}

/// The settings and the rules that follow from them for one caller.
struct CallerView<'s> {
    settings: &'s Settings,
    is_agent: bool,
    own: Rules,
    /// The rules for an agent that has read outside text; `None` if no text is outside text.
    restricted: Option<Rules>,
    /// The rules that close the notes with outside text.
    outside: Rules,
}

/// A policy, with its rules for the text of notes.
struct Rules {
    policy: Policy,
    of_notes: Option<NoteRules>,
}

/// The views of one caller before and after a change; `None` for a caller that may make no calls.
struct ViewsOfChange<'s> {
    before: Option<CallerView<'s>>,
    after: Option<CallerView<'s>>,
}

impl<'s> CallerView<'s> {
    fn new(settings: &'s Settings, caller: Caller, agent: Option<&str>) -> Option<Self> {
        let is_agent = caller == Caller::Agent;
        if is_agent && !settings.is_enabled_for(agent).ok()? {
            return None;
        }
        let own = settings.policy(caller, agent).ok()?;
        let is_restrictable = is_agent && settings.taint.is_on();
        let restricted = is_restrictable.then(|| settings.policy_of_labelled(&own).ok());
        Some(Self {
            settings,
            is_agent,
            restricted: restricted.flatten().map(Rules::new),
            own: Rules::new(own),
            outside: Rules::new(settings.sources().ok()?),
        })
    }

    fn of_both(
        [before, after]: [&'s Settings; 2],
        caller: Caller,
        agent: Option<&str>,
    ) -> ViewsOfChange<'s> {
        ViewsOfChange {
            before: Self::new(before, caller, agent),
            after: Self::new(after, caller, agent),
        }
    }
}

impl ViewsOfChange<'_> {
    /// Whether the caller has the right after the change.
    fn has(&self, right: &Right) -> bool {
        self.after.as_ref().is_some_and(&right.is_open)
    }

    /// Whether the change gives the caller the right.
    fn opens(&self, right: &Right) -> bool {
        self.has(right) && !self.before.as_ref().is_some_and(&right.is_open)
    }

    /// Returns the rights that the change gives the caller, without those that another of them includes.
    fn opened<'r>(&self, rights: &'r [Right]) -> Vec<&'r Right> {
        let mut opened: Vec<&Right> = Vec::new();
        for right in rights {
            let includes =
                |other: &&Right| other.kind == right.kind || right.within.contains(&other.kind);
            if self.opens(right) && !opened.iter().any(includes) {
                opened.push(right);
            }
        }
        opened
    }
}

impl Rules {
    fn new(policy: Policy) -> Self {
        Self {
            of_notes: policy.note_rules(),
            policy,
        }
    }

    /// Whether the rules for paths, tags and properties open the file.
    fn open(&self, file: &SampleFile, is_write: bool) -> bool {
        let policy = &self.policy;
        let is_open = if is_write {
            policy.may_write(&file.path)
        } else {
            policy.may_read(&file.path)
        };
        let closes_nothing = policy.is_unrestricted() && self.of_notes.is_none();
        is_open
            && (!file.has_other_names || policy.allows_hard_links() || closes_nothing)
            && !self
                .of_notes
                .as_ref()
                .is_some_and(|rules| rules.close_bytes(&file.path, file.text.as_bytes()))
    }

    /// Whether the file can be changed, at least in a draft.
    fn change(&self, file: &SampleFile) -> bool {
        self.policy.may_change() && self.open(file, true)
    }

    /// Whether the file can be changed in the vault itself.
    fn change_directly(&self, file: &SampleFile) -> bool {
        let mut path = std::iter::once(&file.path);
        (self.policy.writes_directly() || self.policy.writes_directly_to(&mut path))
            && self.open(file, true)
    }
}

/// A right that the settings can grant.
struct Right {
    /// Only the first right of a kind is shown.
    kind: &'static str,
    /// The kinds that include it.
    within: &'static [&'static str],
    /// The rights that it gives, as the end of a sentence with "can".
    verb: String,
    /// Whether a caller has it.
    is_open: Box<dyn Fn(&CallerView<'_>) -> bool>,
}

impl Right {
    /// Gives the right other words than its kind.
    fn saying(self, verb: String) -> Self {
        Self { verb, ..self }
    }
}

/// The right to make calls at all.
const READS: &str = "read notes";
const CHANGES: &str = switch_verb(Switch::Mutations);
const PROPOSALS: &str = "propose changes, which wait in a draft";
const DIRECTLY: &str = "change more notes in the vault itself, without a draft";
const NO_SANDBOX: &str = "make calls without any sandbox";
const TIER: &str = "tier";

/// Returns a right whose words are its kind.
fn right(
    kind: &'static str,
    within: &'static [&'static str],
    is_open: impl Fn(&CallerView<'_>) -> bool + 'static,
) -> Right {
    Right {
        kind,
        within,
        verb: kind.to_owned(),
        is_open: Box::new(is_open),
    }
}

/// Returns the rights that one of the settings can grant, the most important first.
fn rights(before: &Settings, after: &Settings) -> Vec<Right> {
    let files = sample_files([before, after]);
    let mut rights = vec![right(READS, &[], |_| true)];
    rights.extend(Switch::ALL.into_iter().map(|switch| {
        let needs_changes = matches!(switch, Switch::Export | Switch::Import);
        right(switch_verb(switch), &[], move |view| {
            let policy = &view.own.policy;
            policy.allows(switch) && (!needs_changes || policy.allows(Switch::Mutations))
        })
    }));
    rights.push(right(PROPOSALS, &[CHANGES], |view| {
        view.own.policy.may_change()
    }));
    rights.extend(files.iter().map(|file| {
        let file = Rc::clone(file);
        right(DIRECTLY, &[CHANGES], move |view| {
            view.own.change_directly(&file)
        })
    }));
    let effects = Effect::ALL.into_iter();
    rights.extend(effects.filter_map(|effect| {
        let (verb, within) = effect_verb(effect)?;
        let of_effect = right(effect.name(), within, move |view| {
            view.own.policy.check_effect(effect).decision == Decision::Allowed
        });
        Some(of_effect.saying(format!("{verb} without an approval")))
    }));
    rights.extend(Tier::ALL.into_iter().rev().map(|tier| {
        let of_tier = right(TIER, &[READS], move |view| view.own.policy.tier() >= tier);
        of_tier.saying(format!("call commands up to tier {}", tier.name()))
    }));
    let catalogue = Catalogue::builtin().into_iter();
    rights.extend(catalogue.flat_map(Catalogue::commands).flat_map(|command| {
        let of_command = |is_open: fn(&Policy, &Command) -> bool| {
            right("command", &[READS, TIER], move |view| {
                is_open(&view.own.policy, command)
            })
        };
        [
            of_command(Policy::opens).saying(format!("call commands such as `{}`", command.id)),
            of_command(Policy::opens_whole)
                .saying(format!("call `{}` with more arguments", command.id)),
        ]
    }));
    rights.extend(ApprovalChannel::ALL.into_iter().map(|channel| {
        let of_channel = right(channel.name(), &[READS], move |view| {
            view.own.policy.approve_by().contains(&channel)
        });
        of_channel.saying(format!(
            "make calls that are approved by `{}`",
            channel.name()
        ))
    }));
    rights.extend(files.iter().flat_map(rights_of_file));
    rights.extend(rights_of_settings(after));
    rights
}

/// Returns the rights that rules for paths, tags and properties grant for a file.
fn rights_of_file(file: &Rc<SampleFile>) -> [Right; 5] {
    let of_file = |kind, within, is_open: fn(&CallerView<'_>, &SampleFile) -> bool| {
        let file = Rc::clone(file);
        right(kind, within, move |view| is_open(view, &file))
    };
    [
        of_file("read more notes", &[READS], |view, file| {
            view.own.open(file, false)
        }),
        of_file(
            "change more notes",
            &[CHANGES, PROPOSALS, DIRECTLY],
            |view, file| view.own.change(file),
        ),
        of_file(
            "read more notes and stay unrestricted",
            &[READS],
            |view, file| view.is_agent && view.outside.open(file, false),
        ),
        of_file(
            "read more notes while they are restricted",
            &[READS],
            |view, file| {
                let restricted = view.restricted.as_ref();
                restricted.is_some_and(|rules| rules.open(file, false))
            },
        ),
        of_file(
            "change more notes in the vault itself while they are restricted",
            &[CHANGES],
            |view, file| {
                let restricted = view.restricted.as_ref();
                restricted.is_some_and(|rules| rules.change_directly(file))
            },
        ),
    ]
}

/// Returns the rights that follow from one value of these settings, and from no rule.
fn rights_of_settings(settings: &Settings) -> Vec<Right> {
    let of_agents = |kind, within, is_open: fn(&Settings) -> bool| {
        right(kind, within, move |view| {
            view.is_agent && is_open(view.settings)
        })
    };
    let vault = settings.vault.clone();
    let which = match &vault {
        Some(vault) => format!("use the vault `{vault}`"),
        None => "use the vault that the app opened last".to_owned(),
    };
    let hours = settings.taint.keep_hours;
    let time = count(usize::try_from(hours).unwrap_or(usize::MAX), "hour");
    let bytes = settings.journal.max_file_bytes;
    vec![
        right("vault", &[READS], move |view| {
            view.is_agent && view.settings.vault == vault
        })
        .saying(which),
        of_agents(
            "use the token that belongs to no agent",
            &[READS],
            |settings| settings.http.shared_token,
        ),
        of_agents(
            "read the app's folder in the fence of `vault-gw run`",
            &[READS],
            |settings| settings.run.app_folder,
        ),
        of_agents(
            "see the names of notes with outside text",
            &[READS],
            |settings| !settings.taint.is_on() || settings.taint.names == TaintNames::Label,
        ),
        right("hours", &[READS], move |view| {
            let taint = &view.settings.taint;
            view.is_agent && (!taint.is_on() || taint.keep_hours <= hours)
        })
        .saying(format!(
            "call without a restriction {time} after they have read outside text"
        )),
        of_agents(NO_SANDBOX, &[READS], |settings| {
            settings.sandbox == SandboxMode::Off
        }),
        of_agents(
            "make calls where the system cannot do the whole sandbox",
            &[READS, NO_SANDBOX],
            |settings| settings.sandbox <= SandboxMode::BestEffort,
        ),
        right("open the window of a vault in the app", &[READS], |view| {
            view.settings.open_vault
        }),
        right(
            "read while the audit log cannot be written",
            &[READS],
            |view| !view.settings.audit.required_for_reads,
        ),
        right("size", &[CHANGES, PROPOSALS], move |view| {
            view.own.policy.may_change() && view.settings.journal.max_file_bytes >= bytes
        })
        .saying(format!("overwrite and delete files of up to {bytes} bytes")),
    ]
}

const fn switch_verb(switch: Switch) -> &'static str {
    match switch {
        Switch::Mutations => "change notes",
        Switch::Ui => "change what the app shows",
        Switch::Publish => "send notes off this machine, each time with an approval",
        Switch::Export => "put copies of notes into the export folder",
        Switch::Import => "take notes from the import folder",
        Switch::Active => {
            "write content that runs or loads something when a note is opened or published"
        }
        Switch::ActiveFile => "use the file that is active in the app",
        Switch::SymlinkedFolders => {
            "read folders outside the vault that symlinks in the vault point to"
        }
    }
}

/// Returns the words for an effect that can be allowed without an approval, and the kinds of rights that include it;
/// `None` if it cannot.
const fn effect_verb(effect: Effect) -> Option<(&'static str, &'static [&'static str])> {
    let of_switch: &[&str] = match effect {
        Effect::Destroy => {
            return Some(("delete or overwrite content of notes", &[PROPOSALS]));
        }
        Effect::Read => return Some((READS, &[READS])),
        Effect::Publish | Effect::Execute => return None,
        Effect::Write => const { &[CHANGES, PROPOSALS] },
        Effect::Export => const { &[switch_verb(Switch::Export)] },
        Effect::Import => const { &[switch_verb(Switch::Import), PROPOSALS] },
        Effect::Active => const { &[switch_verb(Switch::Active), PROPOSALS] },
        Effect::Ui => const { &[switch_verb(Switch::Ui)] },
    };
    let verb = match effect {
        Effect::Active => "write content that runs or loads something",
        _ => of_switch[0],
    };
    Some((verb, of_switch))
}

/// A file that a rule of the settings can be about.
struct SampleFile {
    path: VaultPath,
    text: String,
    /// Whether it has another name, which is closed.
    has_other_names: bool,
}

/// A name that no rule contains by itself.
const NAME: &str = "any name";

/// Returns files that show the difference between two settings: for each rule of one of them, files that it is about.
/// The rules themselves then decide what is open, so it does not matter in which way they are written.
fn sample_files(both: [&Settings; 2]) -> Vec<Rc<SampleFile>> {
    let (mut globs, mut texts) = (BTreeSet::from(["**"]), BTreeSet::from([String::new()]));
    for settings in both {
        let (paths, taint) = (&settings.paths, &settings.taint);
        let tables = || {
            settings
                .agents
                .values()
                .map(|table: &AgentSettings| &table.paths)
        };
        let of_agents = tables().flat_map(|paths| [&paths.read, &paths.write, &paths.deny]);
        let lists = [&paths.read, &paths.write, &paths.deny, &paths.direct];
        let of_taint = [&taint.sources, &taint.write, &taint.secret];
        let lists = lists.into_iter().chain(of_taint);
        let lists = lists.chain(of_agents.flatten());
        globs.extend(lists.flatten().map(PathPattern::as_str));
        let tags = [&paths.deny_tags, &taint.secret_tags].into_iter();
        let tags = tags.chain(tables().filter_map(|paths| paths.deny_tags.as_ref()));
        texts.extend(tags.flatten().map(|tag| format!("#{}\n", tag.as_str())));
        let properties = [&paths.deny_properties, &taint.properties].into_iter();
        let properties =
            properties.chain(tables().filter_map(|paths| paths.deny_properties.as_ref()));
        let property = |name: &str| format!("---\n{}: true\n---\n", serde_json::json!(name));
        texts.extend(properties.flatten().map(|name| property(name.as_str())));
    }
    let paths: BTreeSet<VaultPath> = globs.into_iter().flat_map(sample_paths).collect();
    let mut files = Vec::new();
    for path in paths {
        let linked = std::iter::once((String::new(), true));
        let texts = texts.iter().map(|text| (text.clone(), false));
        files.extend(texts.chain(linked).map(|(text, has_other_names)| {
            let path = path.clone();
            Rc::new(SampleFile {
                path,
                text,
                has_other_names,
            })
        }));
    }
    files
}

/// Returns paths that the glob matches, and paths near them.
fn sample_paths(glob: &str) -> impl Iterator<Item = VaultPath> {
    let below = format!("{NAME}/");
    let places = [("", ""), ("", ".md"), (below.as_str(), ".md")];
    let paths = places.map(|(folders, end)| {
        let text = glob.replace("**/", folders);
        let wildcards = text.trim_end_matches('*').len();
        let (start, rest) = text.split_at(wildcards);
        let last = match rest {
            "" => String::new(),
            _ => format!("{folders}{NAME}{end}"),
        };
        let text = start.replace('*', NAME) + &last;
        VaultPath::file(&first_choices(&text)).ok()
    });
    paths.into_iter().flatten()
}

/// Replaces each class (`[ab]`) and each choice (`{a,b}`) of a glob by the first one.
fn first_choices(glob: &str) -> String {
    let mut text = String::new();
    let mut rest = glob;
    while let Some(at) = rest.find(['[', '{']) {
        let (start, choice) = rest.split_at(at);
        text += start;
        let is_class = choice.starts_with('[');
        let first = choice.chars().nth(1).unwrap_or_default();
        let end = if is_class {
            // A bracket that comes first is a member of the class.
            text.push(first);
            choice.char_indices().skip(2).find(|(_, end)| *end == ']')
        } else {
            let choices = choice.trim_start_matches('{');
            text += choices.split([',', '}']).next().unwrap_or_default();
            choice.char_indices().find(|(_, end)| *end == '}')
        };
        rest = end.map_or("", |(end, _)| &choice[end + 1..]);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use settings::edit;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("opened_cases.txt");

    fn describe(before: &str, after: &str, key: &str) -> String {
        let parse = |text| Settings::parse("settings.toml", text).unwrap();
        in_words(&parse(before), &parse(after), key).unwrap_or_default()
    }

    /// The key of each setting, two values, the less open one first, and what else the file has. The values of a setting
    /// that opens nothing are in any order. `-` leaves the setting out. The other settings are switches, which open by
    /// `true`.
    const VALUES: &str = include_str!("opened_values.txt");

    /// The settings that open nothing to a caller, in whichever way they are changed: where answers come from, their
    /// form and size, how the app is found, and how much is recorded.
    static OPEN_NOTHING: LazyLock<Vec<&str>> =
        LazyLock::new(|| tables::lines(CASES, "open nothing"));

    /// Every setting says what a change of it opens, for everyone and in the table of an agent, and a change in the
    /// other direction opens nothing.
    #[test]
    fn every_setting_says_what_it_opens() {
        let rows = VALUES.lines().map(|row| {
            let mut parts = row.split('|').map(str::trim);
            (parts.next().unwrap(), parts.collect::<Vec<_>>())
        });
        let mut values: BTreeMap<_, _> = rows.filter(|(key, _)| !key.is_empty()).collect();
        let folder = tempfile::tempdir().unwrap();
        let list = "[[command]]\nid = \"read\"\nparams = [{ name = \"path\" }]\n";
        fs_err::write(folder.path().join("mine.toml"), list).unwrap();
        let load = |key: &str, value: &str, more: &str| {
            let line = match value {
                "-" => String::new(),
                value => format!("{key} = {value}"),
            };
            let file = folder.path().join("settings.toml");
            let on = if key == "enabled" {
                ""
            } else {
                "enabled = true\n"
            };
            fs_err::write(&file, format!("{on}{more}\n{line}\n")).unwrap();
            Settings::load(&file)
        };
        let mut rows = String::new();
        for key in edit::names() {
            let row = values.remove(key);
            let row = row.unwrap_or_else(|| vec!["false", "true", ""]);
            let (less, more) = (row[0], row[1]);
            let others = row
                .get(2)
                .map_or_else(String::new, |others| others.replace("; ", "\n"));
            for key in [key.to_owned(), format!("agents.x.{key}")] {
                let load = |value| load(&key, value, &others);
                let (Ok(less), Ok(more)) = (load(less), load(more)) else {
                    assert!(
                        key.starts_with("agents.x."),
                        "{key}: {:?}",
                        (load(less), load(more))
                    );
                    continue;
                };
                let opened = in_words(&less, &more, &key);
                let name = key.trim_start_matches("agents.x.");
                let opens_nothing = OPEN_NOTHING.contains(&name);
                assert!(key != name || opened.is_none() == opens_nothing, "{key}");
                // Either vault has notes that the other one has not.
                if name != "vault" {
                    assert_eq!(in_words(&more, &less, &key), None, "{key}");
                }
                rows += &format!("{key}: {}\n", opened.as_deref().unwrap_or("-"));
            }
        }
        assert!(values.is_empty(), "{values:?}");
        insta::assert_snapshot!(rows);
    }

    #[test]
    fn granted_rights_are_shown_with_their_caller() {
        let on = "enabled = true\n";
        let with = |text: &str| format!("{on}{text}");
        let key = "allow_mutations";
        let open = with("allow_mutations = true\n");
        assert_eq!(
            describe(on, &open, key),
            "You and agents can now change notes. To allow this only for you: `vault-gw settings set allow_mutations me`."
        );
        let mine = format!("{open}[agents.\"*\"]\nallow_mutations = false\n");
        assert_eq!(
            describe(on, &mine, key),
            "You can now change notes, but agents cannot."
        );
        // Agents that may not make calls can change nothing.
        assert_eq!(
            describe("", "allow_mutations = true", key),
            "You can now change notes, but agents cannot."
        );
        assert_eq!(
            describe(&mine, &open, "agents.\"*\".allow_mutations"),
            "Agents can now change notes."
        );
        let theirs = format!("{open}[agents.\"*\"]\nallow_mutations = true\n");
        assert_eq!(
            describe(&mine, &theirs, "agents.\"*\".allow_mutations"),
            "Agents can now change notes."
        );
        let one = format!("{mine}[agents.x]\nallow_mutations = true\n");
        assert!(
            describe(&mine, &one, "agents.x.allow_mutations").starts_with(
                "This setting has no effect yet, because `agents.\"*\".allow_mutations` is false"
            ),
        );
        // A removed key was not meant to allow anything.
        assert_eq!(describe(&one, &mine, "agents.x.allow_mutations"), "");
        assert_eq!(
            describe("allow_mutations = true", &open, "enabled"),
            "Agents can now read notes, change notes and change what the app shows."
        );
        assert_eq!(
            describe("", on, "enabled"),
            "Agents can now read notes and change what the app shows."
        );
        let closed_ui = "allow_ui = false\n";
        assert_eq!(
            describe(closed_ui, &with(closed_ui), "enabled"),
            "Agents can now read notes."
        );
        let rules = |rules: &str| with(&format!("commands.allow = [{rules}]"));
        assert_eq!(
            describe(&rules("\"search\""), &rules("\"@reads\""), "commands.allow"),
            "You and agents can now call commands such as `daily:path`."
        );
        assert_eq!(describe(on, &rules("\"search\""), "commands.allow"), "");
        // Exports need the switch for changes too.
        assert_eq!(
            describe(on, &with("export_folder = \"/x\""), "export_folder"),
            ""
        );
        assert_eq!(
            describe(
                &open,
                &with("allow_mutations = true\napprove = []"),
                "approve"
            ),
            "You and agents can now delete or overwrite content of notes without an approval."
        );
        assert_eq!(
            describe(&with("tier = \"v0\""), &with("tier = \"v2\""), "tier"),
            "You and agents can now call commands up to tier v2."
        );
        assert_eq!(describe(&open, on, key), "");
        // An edit in an editor can open several things at once.
        assert_eq!(
            describe(
                &with("tier = \"v0\"\npaths.deny = [\"a\"]\n"),
                &format!("{open}open_vault = true\napprove = []\n"),
                ""
            ),
            "You and agents can now change notes, delete or overwrite content of notes without an approval, call commands up to tier v3 and open the window of a vault in the app. Agents can now read more notes."
        );
    }
}
