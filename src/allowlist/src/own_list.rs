//! The owner's own list: a copy of the catalogue that leaves out commands, parameters, flags and values
//! (`design/catalogue.md`). It has the form of `config/allowlist.v*.toml`, and never adds anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use toml::{Spanned, Table};

use super::admit::shown;
use super::catalogue::{Catalogue, Lookup, line_of};
use super::command::{Command, Param, ParamKind, ToolFacts};
use super::nearest::nearest;
use protocol::question;

/// The keys of an entry, and of its arguments, that only describe it. A list may have an older text of them.
const DESCRIPTIONS: [&str; 13] = [
    "summary",
    "differs",
    "unrecorded",
    "help",
    "instead",
    "group",
    "task",
    "columns",
    "tool",
    "since",
    "output",
    "accept",
    "refuse",
];
/// The keys of an entry that list its arguments.
const ARGUMENTS: [&str; 2] = ["params", "flags"];
/// The keys of an argument that say which of its values are left.
const VALUES: [&str; 3] = ["choices", "min", "max"];

/// The part of the catalogue that the owner leaves.
#[derive(Clone, Debug, Default)]
pub struct OwnList {
    /// The commands that are left, in the form that is left of them.
    commands: BTreeMap<String, Arc<Command>>,
    /// The text that it was parsed from.
    text: String,
}

/// Compares two lists by their texts.
impl PartialEq for OwnList {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for OwnList {}

/// A mistake in an owner's list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct OwnListMistake {
    /// The line in the file, from 1.
    pub line: usize,
    /// The mistake, as sentences.
    pub what: String,
}

/// The keys of a list that name the remaining parts. The others are compared with the catalogue.
#[derive(Deserialize)]
struct ListFile {
    #[serde(default)]
    command: Vec<ListedCommand>,
}

#[derive(Deserialize)]
struct ListedCommand {
    id: Spanned<String>,
    #[serde(default)]
    params: Vec<ListedArgument>,
    #[serde(default)]
    flags: Vec<ListedArgument>,
}

#[derive(Deserialize)]
struct ListedArgument {
    name: Spanned<String>,
    /// The words that are left of a `choice`; absent for all.
    choices: Option<Vec<Spanned<String>>>,
    /// Narrower bounds of an `integer`.
    min: Option<i64>,
    max: Option<i64>,
}

/// A mistake and its byte offset.
type ListMistake = (usize, String);

impl OwnList {
    /// Parses a list.
    ///
    /// # Errors
    ///
    /// The first mistake: no TOML, or something that the catalogue does not have, with the nearest name.
    pub fn parse(text: &str) -> Result<Self, OwnListMistake> {
        Self::read(text).map_err(|(offset, what)| OwnListMistake {
            line: line_of(text, offset),
            what,
        })
    }

    fn read(text: &str) -> Result<Self, ListMistake> {
        let form = |error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            (offset, format!("Invalid allowlist: {}.", error.message()))
        };
        let catalogue = Catalogue::builtin().map_err(|error| (0, error.to_string()))?;
        let file: ListFile = toml::from_str(text).map_err(form)?;
        let tables: Table = toml::from_str(text).map_err(form)?;
        if let Some(key) = tables.keys().find(|key| *key != "command") {
            let what = format!(
                "`{}` is not a key of an allowlist. Write only `[[command]]` tables.",
                shown(key)
            );
            return Err((text.find(key.as_str()).unwrap_or_default(), what));
        }
        let mut list = Self {
            commands: BTreeMap::new(),
            text: text.to_owned(),
        };
        for (listed, table) in file.command.into_iter().zip(elements(&tables, "command")) {
            let place = listed.id.span().start;
            let id = listed.id.get_ref();
            let command = match catalogue.lookup(id) {
                Lookup::Offered(command) => command,
                Lookup::Refused(_) => {
                    return Err((
                        place,
                        format!("vault-gw never runs `{id}`. Remove the entry."),
                    ));
                }
                Lookup::Unknown { nearest } => {
                    return Err((place, unknown("There is no command", id, &nearest)));
                }
            };
            if list.commands.contains_key(id) {
                return Err((place, format!("`{id}` is listed twice.")));
            }
            let entry = Catalogue::entry(id);
            let of = format!("`{id}`");
            same_facts(&of, table, &entry, &ARGUMENTS).map_err(|what| (place, what))?;
            let own = cut(&command, &listed)?;
            for (key, listed) in ARGUMENTS.into_iter().zip([&listed.params, &listed.flags]) {
                let mut names = BTreeSet::new();
                for (argument, table) in listed.iter().zip(elements(table, key)) {
                    let (place, name) = (argument.name.span().start, argument.name.get_ref());
                    let of = format!("`{name}` of `{id}`");
                    if !names.insert(name) {
                        return Err((place, format!("{of} is listed twice.")));
                    }
                    let is_it = |known: &&Table| {
                        known.get("name").and_then(toml::Value::as_str) == Some(name)
                    };
                    if let Some(entry) = elements(&entry, key).find(is_it) {
                        same_facts(&of, table, entry, &[]).map_err(|what| (place, what))?;
                    }
                }
            }
            list.commands.insert(id.clone(), Arc::new(own));
        }
        Ok(list)
    }

    /// Returns the command in the form that the list leaves; `None` if the list leaves it out.
    pub fn command(&self, id: &str) -> Option<&Arc<Command>> {
        self.commands.get(id)
    }

    /// Returns the first of these arguments of a command that the list leaves out, by name: `overwrite`, or with a
    /// value that it leaves out, `paneType=tab`; `None` if it leaves out none, or the command as a whole.
    pub fn left_out_argument<'n>(
        &self,
        command: &str,
        names: impl Iterator<Item = &'n str>,
        value: impl Fn(&str) -> String,
    ) -> Option<String> {
        let own = self.command(command)?;
        let left_out = names.filter_map(|name| {
            let Some(param) = own.param(name) else {
                return own.flag(name).is_none().then(|| name.to_owned());
            };
            let word = value(name);
            let is_left = match &param.kind {
                ParamKind::Choice(left) => left.contains(&word),
                ParamKind::Integer { min, max } => {
                    let number = word.parse();
                    number.is_ok_and(|number| (*min..=*max).contains(&number))
                }
                _ => true,
            };
            (!is_left).then(|| format!("{name}={}", shown(&word)))
        });
        left_out.min()
    }
}

/// Returns the tables in a list of tables.
fn elements<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t Table> {
    let array = table.get(key).and_then(toml::Value::as_array);
    array
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table)
}

fn unknown(what: &str, name: &str, nearest: &[String]) -> String {
    let question = question(nearest).map_or_else(String::new, |question| format!(" {question}"));
    format!("{what} `{}`.{question}", shown(name))
}

/// Requires that an entry repeats the catalogue, except for the remaining parts and for descriptions: a list cannot
/// change a command. `lists` are the keys that it may have although the catalogue's entry has not.
fn same_facts(of: &str, own: &Table, whole: &Table, lists: &[&str]) -> Result<(), String> {
    for (key, value) in own {
        let is_among = |keys: &[&str]| keys.contains(&key.as_str());
        if is_among(lists) || is_among(&DESCRIPTIONS) {
            continue;
        }
        let Some(known) = whole.get(key) else {
            let known = whole.keys().map(String::as_str);
            let near = nearest(key, known.chain(lists.iter().copied()));
            return Err(unknown(&format!("{of} has no key"), key, &near));
        };
        if known != value && !is_among(&VALUES) {
            return Err(format!(
                "{of} has the key `{key}`, which an allowlist cannot change. Remove the key."
            ));
        }
    }
    Ok(())
}

/// Returns the command with the parts that the entry lists; `Err` has the byte offset of the
/// mistake.
fn cut(whole: &Command, listed: &ListedCommand) -> Result<Command, ListMistake> {
    let id = &whole.id;
    let mut own = Command {
        params: Vec::new(),
        flags: Vec::new(),
        ..whole.clone()
    };
    let missing = |what: &str, argument: &ListedArgument, names: Vec<&str>| {
        let name = argument.name.get_ref();
        let what = unknown(
            &format!("`{id}` has no {what}"),
            name,
            &nearest(name, names),
        );
        (argument.name.span().start, what)
    };
    for argument in &listed.params {
        let param = whole.param(argument.name.get_ref()).ok_or_else(|| {
            let names = whole.params.iter().map(|param| param.name.as_str());
            missing("parameter", argument, names.collect())
        })?;
        own.params.push(cut_param(param, argument)?);
    }
    for argument in &listed.flags {
        let flag = whole.flag(argument.name.get_ref()).ok_or_else(|| {
            let names = whole.flags.iter().map(|flag| flag.name.as_str());
            missing("flag", argument, names.collect())
        })?;
        own.flags.push(flag.clone());
    }
    let place = listed.id.span().start;
    let lacks = |name: &str| own.param(name).is_none();
    if let Some(param) = (whole.params.iter()).find(|param| param.required && lacks(&param.name)) {
        let what = format!(
            "The entry for `{id}` does not list the parameter `{}`, which the command requires. Add the parameter, or remove the entry.",
            param.name
        );
        return Err((place, what));
    }
    let mut needing = own
        .params
        .iter()
        .filter_map(|param| Some((param, param.with.as_ref()?)));
    if let Some((param, with)) = needing.find(|(_, with)| lacks(with)) {
        let what = format!(
            "The entry for `{id}` lists the parameter `{}` without `{with}`. List both or neither.",
            param.name
        );
        return Err((place, what));
    }
    Ok(consistent(own))
}

/// Returns the command without what refers to arguments that it no longer has.
fn consistent(own: Command) -> Command {
    let is_left = |name: &String| own.argument_names().any(|known| known == name);
    let bare = own.bare.iter().filter(|name| is_left(name)).cloned();
    let bare = bare.collect();
    let exclusive = own.exclusive.iter().map(|set| {
        let left = set.iter().filter(|name| is_left(name)).cloned();
        left.collect::<Vec<String>>()
    });
    let exclusive = exclusive.filter(|set| set.len() > 1).collect();
    // A tool that sets or requires a left-out argument cannot be called. Its command still can, by the generic tool.
    let takes = |name: &str, value: &str| match own.param(name).map(|param| &param.kind) {
        Some(ParamKind::Choice(words)) => words.iter().any(|word| word == value),
        Some(_) => true,
        None => own.flag(name).is_some(),
    };
    let can_be_called = |tool: &ToolFacts| {
        let mut presets = tool.preset.iter();
        presets.all(|(name, value)| takes(name, value)) && tool.require.iter().all(is_left)
    };
    let tool = own.tool.clone().filter(can_be_called);
    let examples = own.accept.iter().filter(|line| admits(&own, line));
    let accept = examples.cloned().collect();
    Command {
        bare,
        exclusive,
        tool,
        accept,
        ..own
    }
}

/// Returns the part of a command that both forms leave; `None` if they leave nothing that can be called.
pub fn common(one: &Command, other: &Command) -> Option<Command> {
    let params = one.params.iter().filter_map(|param| {
        Some(Param {
            kind: narrowed(&param.kind, &other.param(&param.name)?.kind)?,
            ..param.clone()
        })
    });
    let params: Vec<Param> = params.collect();
    let flags = one.flags.iter();
    let flags = flags.filter(|flag| other.flag(&flag.name).is_some());
    let mut required = one.params.iter().filter(|param| param.required);
    let is_left = |name: &String| params.iter().any(|left| left.name == *name);
    if !required.all(|param| is_left(&param.name)) {
        return None;
    }
    let can_be_given = |param: &&Param| param.with.as_ref().is_none_or(is_left);
    Some(consistent(Command {
        flags: flags.cloned().collect(),
        params: params.iter().filter(can_be_given).cloned().collect(),
        ..one.clone()
    }))
}

/// Returns the values that both types have; `None` if they have none in common.
fn narrowed(kind: &ParamKind, other: &ParamKind) -> Option<ParamKind> {
    match (kind, other) {
        (ParamKind::Choice(words), ParamKind::Choice(left)) => {
            let words = words.iter().filter(|word| left.contains(word));
            let words: Vec<String> = words.cloned().collect();
            (!words.is_empty()).then_some(ParamKind::Choice(words))
        }
        (&ParamKind::Integer { min, max }, &ParamKind::Integer { min: from, max: to }) => {
            let (min, max) = (min.max(from), max.min(to));
            (min <= max).then_some(ParamKind::Integer { min, max })
        }
        (kind, _) => Some(kind.clone()),
    }
}

/// Whether an example line of the catalogue is a call of the command that is left.
fn admits(own: &Command, line: &str) -> bool {
    shell_words::split(line)
        .is_ok_and(|words| own.admit_words(words.get(1..).unwrap_or_default()).is_ok())
}

/// Returns the parameter with the values that the entry lists.
fn cut_param(whole: &Param, listed: &ListedArgument) -> Result<Param, ListMistake> {
    let mut own = whole.clone();
    let place = listed.name.span().start;
    if let ParamKind::Choice(words) = &whole.kind {
        let Some(choices) = &listed.choices else {
            return Ok(own);
        };
        for word in choices {
            if !words.contains(word.get_ref()) {
                let near = nearest(word.get_ref(), words.iter().map(String::as_str));
                let what = format!("`{}` has no value", whole.name);
                return Err((word.span().start, unknown(&what, word.get_ref(), &near)));
            }
        }
        let left = choices.iter().map(|word| word.get_ref().clone()).collect();
        own.kind = narrowed(&whole.kind, &ParamKind::Choice(left)).ok_or_else(|| {
            let what = format!(
                "The list `choices` of the parameter `{}` is empty. Add a value, or remove the parameter.",
                whole.name
            );
            (place, what)
        })?;
    } else if let ParamKind::Integer { min, max } = &whole.kind {
        let (from, to) = (listed.min.unwrap_or(*min), listed.max.unwrap_or(*max));
        if from < *min || to > *max || from > to {
            let what = format!(
                "The parameter `{}` takes values from {min} to {max}. An allowlist can only narrow this range.",
                whole.name
            );
            return Err((place, what));
        }
        own.kind = ParamKind::Integer { min: from, max: to };
    }
    Ok(own)
}

/// Returns the commands as a list that can be copied and cut down.
pub fn as_list<'a>(commands: impl Iterator<Item = &'a Command>) -> String {
    let mut text = String::new();
    for command in commands {
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "# {}\n[[command]]\nid = \"{}\"",
            command.summary, command.id
        );
        let params = command.params.iter().map(|param| {
            let values = match &param.kind {
                ParamKind::Choice(words) => {
                    format!(", choices = [\"{}\"]", words.join("\", \""))
                }
                ParamKind::Integer { min, max } => format!(", min = {min}, max = {max}"),
                _ => String::new(),
            };
            format!("  {{ name = \"{}\"{values} }},\n", param.name)
        });
        let flags = command.flags.iter();
        let flags = flags.map(|flag| format!("  {{ name = \"{}\" }},\n", flag.name));
        for (key, lines) in [
            ("params", params.collect::<String>()),
            ("flags", flags.collect()),
        ] {
            if !lines.is_empty() {
                let _ = writeln!(text, "{key} = [\n{lines}]");
            }
        }
        text.push('\n');
    }
    text
}

/// Lists the parts of `whole` that are missing in `own`, a line each: `create`, `create overwrite`,
/// `notes:list order=name`.
pub fn left_out(whole: &Command, own: Option<&Command>) -> Vec<String> {
    let id = &whole.id;
    let Some(own) = own else {
        return vec![id.clone()];
    };
    let names = whole.argument_names();
    let missing = names.filter(|name| own.argument_names().all(|left| left != *name));
    let mut lines: Vec<String> = missing.map(|name| format!("{id} {name}")).collect();
    for param in &own.params {
        let known = whole.param(&param.name).map(|param| &param.kind);
        match (known, &param.kind) {
            (Some(ParamKind::Choice(words)), ParamKind::Choice(left)) => {
                let missing = words.iter().filter(|word| !left.contains(word));
                lines.extend(missing.map(|word| format!("{id} {}={word}", param.name)));
            }
            (Some(known @ ParamKind::Integer { .. }), ParamKind::Integer { min, max })
                if *known != param.kind =>
            {
                lines.push(format!("{id} {} outside {min} to {max}", param.name));
            }
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("own_list_cases.txt");

    fn whole() -> impl Iterator<Item = &'static Command> {
        let catalogue = Catalogue::builtin().unwrap();
        catalogue.commands().map(AsRef::as_ref)
    }

    fn left_out_of(list: &OwnList) -> Vec<String> {
        let left = |command: &Command| list.command(&command.id).cloned();
        whole()
            .flat_map(|command| left_out(command, left(command).as_deref()))
            .collect()
    }

    #[test]
    fn what_is_shown_and_the_catalogue_itself_are_lists_that_leave_out_nothing() {
        let shown = OwnList::parse(&as_list(whole())).unwrap();
        assert_eq!(left_out_of(&shown), [""; 0]);
        let files = [
            include_str!("../../../config/allowlist.v0.toml"),
            include_str!("../../../config/allowlist.v1.toml"),
            include_str!("../../../config/allowlist.v2.toml"),
            include_str!("../../../config/allowlist.v3.toml"),
        ];
        let copied = OwnList::parse(&files.concat()).unwrap();
        assert_eq!(left_out_of(&copied), [""; 0]);
    }

    #[test]
    fn a_list_leaves_out_commands_parameters_flags_and_values() {
        let list = OwnList::parse(
            r#"
            [[command]]
            id = "daily:append"
            params = [{ name = "content" }, { name = "paneType", choices = ["split"] }]
            flags = [{ name = "open" }]
            "#,
        )
        .unwrap();
        let append = list.command("daily:append").unwrap();
        assert!(list.command("read").is_none());
        let out = left_out(
            whole().find(|known| known.id == append.id).unwrap(),
            Some(append),
        );
        let expected = [
            "daily:append inline",
            "daily:append silent",
            "daily:append paneType=tab",
            "daily:append paneType=window",
        ];
        assert_eq!(out, expected);
        assert!(
            append
                .admit_words(&["content=a", "paneType=split", "open"])
                .is_ok()
        );
        for word in ["paneType=tab", "inline"] {
            assert!(append.admit_words(&["content=a", word]).is_err(), "{word}");
        }
        assert_eq!(append.accept, ["daily:append content=\"- [ ] Milk\""]);
    }

    #[test]
    fn a_list_adds_nothing_and_changes_nothing() {
        let of_append = tables::lines(CASES, "a list adds nothing and changes nothing");
        let of_append = of_append.into_iter();
        let of_append =
            of_append.map(|entry| format!("[[command]]\nid = \"daily:append\"\n{entry}\n"));
        let of_append: Vec<_> = of_append.collect();
        let others = [
            "[[command]]\nid = \"raed\"",
            "[[command]]\nid = \"eval\"",
            "[[command]]\nid = \"tags\"\n[[command]]\nid = \"tags\"",
            "x = 1",
        ];
        let texts = of_append.iter().map(String::as_str).chain(others);
        let mistakes = texts.map(|text| OwnList::parse(text).unwrap_err().to_string());
        insta::assert_snapshot!(mistakes.collect::<Vec<_>>().join("\n"), @r"
        line 2: The entry for `daily:append` does not list the parameter `content`, which the command requires. Add the parameter, or remove the entry.
        line 3: `daily:append` has no parameter `contnet`. Did you mean `content`?
        line 5: `paneType` has no value `spilt`. Did you mean `split`?
        line 4: `daily:append` has no flag `inlin`. Did you mean `inline`?
        line 2: `daily:append` has the key `effects`, which an allowlist cannot change. Remove the key.
        line 2: `daily:append` has no key `parms`. Did you mean `params`?
        line 3: The list `choices` of the parameter `paneType` is empty. Add a value, or remove the parameter.
        line 2: There is no command `raed`. Did you mean `read`?
        line 2: vault-gw never runs `eval`. Remove the entry.
        line 4: `tags` is listed twice.
        line 1: `x` is not a key of an allowlist. Write only `[[command]]` tables.
        ");
    }
}
