//! Lists every message in three snapshots, one for each reader, to be read from top to bottom.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use allowlist::Catalogue;
use frontend::tools;
use protocol::{ClientTools, FOR_PERSON, Message, Part, Reader, for_person};
use serde::Deserialize;
use tiers::Policy;

/// Folders whose messages no model reads.
const FOR_PEOPLE: [&str; 7] = [
    "src/review",
    "src/cli",
    "src/clients",
    "src/frontend/src/display",
    "src/sandbox/src/private_dir",
    "src/program",
    "src/settings/src/edit",
];

/// The values of the samples, from `every_message.toml`.
#[derive(Deserialize)]
struct Samples {
    /// The values of a message in the order of its placeholders, by its text; or several lists, of which each is a
    /// line.
    values: BTreeMap<String, SampleValues>,
    /// The sentences around the texts that are a part of one or follow one, by their text, or else by the beginning of
    /// their file's path. A text with an empty sentence is among the values of another message.
    within: BTreeMap<String, String>,
    /// The keys that were used.
    #[serde(skip)]
    used: BTreeSet<String>,
    /// The values that are missing.
    #[serde(skip)]
    missing: BTreeSet<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum SampleValues {
    One(Vec<String>),
    Several(Vec<Vec<String>>),
}

/// A sentence in the source, or a part of one.
struct Sentence {
    text: String,
    /// The expressions of the values that are not named in the text, in their order.
    values: Vec<String>,
    /// Whether it is the template of [`protocol::message!`]; otherwise of `format!`, or text.
    is_template: bool,
    is_for_people: bool,
    /// Whether it follows another sentence of the same message.
    is_hint: bool,
    /// Whether it is a part of a sentence.
    is_part: bool,
}

impl Sentence {
    /// Returns the sentence of this file with each list of values, or with guessed values.
    fn with_samples(&self, file: &str, samples: &mut Samples) -> Vec<Message> {
        let begins = |key: &&String| file.starts_with(key.as_str());
        let around = match samples.within.get_key_value(&self.text) {
            None if self.is_part => samples.within.iter().rev().find(|(key, _)| begins(key)),
            found => found,
        };
        let around = match around {
            Some((key, around)) => {
                samples.used.insert(key.clone());
                around.clone()
            }
            None if self.is_part => {
                samples.missing.insert(format!("{file}: {}", self.text));
                return Vec::new();
            }
            None => "{}".to_owned(),
        };
        if around.is_empty() {
            return Vec::new();
        }
        let lists = match samples.values.get(&self.text).cloned() {
            Some(SampleValues::Several(lists)) => lists,
            Some(SampleValues::One(list)) => vec![list],
            None => vec![self.guesses(file, samples)],
        };
        samples.used.insert(self.text.clone());
        lists
            .iter()
            .map(|list| self.filled(&around, list))
            .collect()
    }

    /// Whether a placeholder is a value. Other braces are text, or a command in a template.
    fn is_value(&self, name: &str) -> bool {
        let is_of_name = |letter: char| letter.is_alphanumeric() || "_:.?".contains(letter);
        name.is_empty() || !self.is_template && name.chars().all(is_of_name)
    }

    fn guesses(&self, file: &str, samples: &mut Samples) -> Vec<String> {
        let mut values = self.values.iter();
        let mut guesses = Vec::new();
        for (before, name, after) in placeholders(&self.text) {
            if self.is_value(name) {
                let expression = match name {
                    "" => values.next().map_or("", String::as_str),
                    name => name.split([':', '.']).next().unwrap_or_default(),
                };
                guesses.push(sample(expression, before, after).unwrap_or_else(|| {
                    let what = format!("{file}: `{expression}` in: {}", self.text);
                    samples.missing.insert(what);
                    "…".to_owned()
                }));
            }
        }
        guesses
    }

    fn filled(&self, around: &str, values: &[String]) -> Message {
        let mut values = values.iter();
        let mut samples = Vec::new();
        let mut text = String::new();
        let mut rest = self.text.as_str();
        for (before, name, after) in placeholders(&self.text) {
            text += before;
            if self.is_value(name) {
                let value = values.next();
                let value = value.unwrap_or_else(|| panic!("too few values: {}", self.text));
                if self.is_template {
                    text += "{}";
                    samples.push(part(value));
                } else {
                    text += value;
                }
            } else {
                write!(text, "{{{name}}}").unwrap();
            }
            rest = after;
        }
        assert_eq!(values.next(), None, "too many values: {}", self.text);
        text += rest;
        if self.is_part && around.starts_with("{}") {
            let first = text.get(..1).unwrap_or_default().to_uppercase();
            text.replace_range(..first.len(), &first);
        }
        let text = around.replace("{}", &text);
        let message = if self.is_template {
            Message::new(text.leak(), samples)
        } else {
            Message::from(text)
        };
        if self.is_for_people {
            for_person(message).into()
        } else {
            message
        }
    }
}

/// Returns the value of a message of parts.
fn part(value: &str) -> Message {
    match (value.strip_prefix("it:"), value.strip_prefix("of:")) {
        (Some(command), _) => Part::Subject(command.to_owned()).into(),
        (_, Some(command)) => Part::OfSubject(command.to_owned()).into(),
        // Braces with quotation marks are JSON.
        _ if value.contains('"') => value.into(),
        _ => Message::new(value.to_owned().leak(), []),
    }
}

/// Returns the placeholders of a text, with the text since the one before and the whole text after it.
fn placeholders(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once('{')?;
        let (name, after) = after.split_once('}')?;
        rest = after;
        Some((before, name, after))
    })
}

/// A value for each word that occurs in an expression, for messages without a row in the file. The first row with a
/// word of the expression counts.
const VALUES: &[(&str, &str)] = &[
    ("RunId run prefix", "3f2a91c4"),
    ("at column notes line offset", "12"),
    ("signal code", "9"),
    ("clock_time until", "14:30"),
    ("it subject", "it:read"),
    ("tag", "#work"),
    ("title", "Claude Code"),
    ("client", "claude"),
    ("known", "status`, `tags"),
    ("base", "Tasks.base"),
    ("view", "Open tasks"),
    ("expected", "a whole number"),
    ("got", "a text"),
    ("folder", "Projects"),
    ("path file note target", "Projects/Plan.md"),
    ("key", "paths.read"),
    ("option", "--json"),
    ("command id", "read"),
    ("agent", "helper"),
    ("program", "node"),
    ("variable", "XDG_RUNTIME_DIR"),
    ("address", "127.0.0.1:8765"),
    ("vault", "Notes"),
    ("text query", "plam"),
    ("name", "Plan"),
];

/// Returns a value for an expression between two texts, so that the sentence reads as its readers see it.
fn sample(expression: &str, before: &str, after: &str) -> Option<String> {
    let words: Vec<&str> = expression
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .collect();
    let is_one_of = |names: &str| names.split(' ').any(|name| words.contains(&name));
    if is_one_of("error reason why problem what cause source") {
        let is_after_colon = before.trim_end().ends_with([':', '(', ',', ';']);
        return is_after_colon.then(|| "permission denied".to_owned());
    }
    let (_, value) = VALUES.iter().find(|(names, _)| is_one_of(names))?;
    Some(if before.ends_with('`') && after.starts_with('`') {
        value.trim_matches('`').to_owned()
    } else {
        value.replace("`, `", ", ")
    })
}

/// The calls whose first argument is a part of a sentence, and whose second argument is its hint.
const MISSES: [&str; 3] = [
    "EditMiss::unfit(",
    "EditMiss::not_found(",
    "EditMiss::ambiguous(",
];

/// Returns the expressions behind the text of a call of a macro, without those after its end.
fn arguments(rest: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0;
    for letter in rest.trim_start().strip_prefix(',').unwrap_or(")").chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth < 0 {
            break;
        }
        if let Some(last) = found.last_mut() {
            last.push(letter);
        }
    }
    found
}

/// Returns the sentences among the string literals of a source file, and the parts of sentences, without those of its
/// tests and comments.
fn sentences(source: &str) -> Vec<Sentence> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    let mut before = "";
    let mut is_after_sentence = false;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (skipped, from) = rest.split_at(at);
        if from.starts_with("//") {
            rest = from.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        if from.starts_with("'\"'") || from.starts_with("'\\\"'") {
            rest = from.split_at(from[1..].find('\'').unwrap() + 2).1;
            continue;
        }
        if !from.starts_with('"') {
            rest = &from[1..];
            continue;
        }
        if !skipped.trim().is_empty() {
            before = skipped;
        }
        let is_raw = skipped.ends_with('#');
        let end = end_of(&from[1..], is_raw);
        let literal = &from[1..=end];
        rest = from.get(end + 2..).unwrap_or_default();
        let text = if is_raw {
            literal.to_owned()
        } else {
            unescaped(literal)
        };
        // In a table of errors, hints follow their sentence.
        let follows =
            [",", "", "(", "(message!(", "(for_person(message!("].contains(&before.trim());
        let is_next = is_after_sentence && follows;
        let before_it = before.trim_end();
        // The text of an error or a warning of the engine becomes a sentence, or the end of one.
        let of_miss = before_it.strip_suffix("format!(").unwrap_or(before_it);
        let of_miss = of_miss.trim_end();
        let of_table = before_it.strip_suffix('(').unwrap_or(before_it).trim_end();
        let is_error = before_it.ends_with("#[error(") || of_table.ends_with(" says");
        let is_part = !is_sentence(&text)
            && (is_error && text.contains(' ')
                || MISSES.iter().any(|mark| of_miss.ends_with(mark)));
        is_after_sentence = is_sentence(&text) || is_part;
        if is_after_sentence {
            let before = before_it;
            let is_for_people = ["for_person(", "for_person(message!("];
            let is_hint = [".hint(", ".hint(message!(", ".hint(for_person("];
            found.push(Sentence {
                text,
                values: arguments(rest),
                is_template: before.ends_with("message!("),
                is_for_people: is_for_people.iter().any(|mark| before.ends_with(mark)),
                is_hint: is_next || is_hint.iter().any(|mark| before.ends_with(mark)),
                is_part,
            });
        }
        before = "";
    }
    found
}

/// Returns the sentences in a data file: those of each of its tables.
fn sentences_of_data(value: &toml::Value) -> Vec<Sentence> {
    let words = [("what", "subject"), ("hint", "Params"), ("at_terminal", "")];
    let sentences = words.iter().filter_map(|(key, value_of)| {
        Some(Sentence {
            text: value.get(key)?.as_str()?.to_owned(),
            values: vec![(*value_of).to_owned()],
            is_template: true,
            is_for_people: *key == "at_terminal",
            is_hint: *key != "what",
            is_part: false,
        })
    });
    let below: Vec<&toml::Value> = match value {
        toml::Value::Table(fields) => fields.values().collect(),
        toml::Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let below = below.into_iter().flat_map(sentences_of_data);
    sentences.chain(below).collect()
}

/// Returns the offset in bytes of the quotation mark that ends a literal.
fn end_of(text: &str, is_raw: bool) -> usize {
    if is_raw {
        return text.find("\"#").unwrap();
    }
    let mut is_escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    });
    end.unwrap()
}

/// Returns the text of a literal, with its lines joined.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, after)) = rest.split_once('\\') {
        text += before;
        if let Some(next_line) = after.strip_prefix('\n') {
            rest = next_line.trim_start();
            continue;
        }
        let escaped = after.chars().next().unwrap();
        text.push(if escaped == 'n' { '⏎' } else { escaped });
        rest = &after[escaped.len_utf8()..];
    }
    text + rest
}

fn is_sentence(text: &str) -> bool {
    let begins = text.starts_with(|first: char| first.is_uppercase() || "`{\"".contains(first))
        || text.starts_with("vault-gw ");
    let words = text.split_whitespace().count();
    // Another sentence may follow as a value.
    let end = match text.rsplit_once(". {") {
        Some((sentence, value)) if value.ends_with('}') => sentence,
        _ => text.trim_end(),
    };
    let is_before_value = end.len() < text.trim_end().len();
    begins
        && (is_before_value
            || end.ends_with('.') && words > 1
            || end.ends_with(['?', ':', '!']) && words > 2)
}

/// The paths of the source files without tests, in their order.
fn sources(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let path = path.to_str().unwrap().replace('\\', "/");
            let is_test =
                path.contains("/tests") || path.contains("_tests") || path.contains("/testing");
            if is_rust && !is_test && !path.ends_with("every_message.rs") {
                found.insert(path);
            }
        }
    }
}

struct ToolsOfAll(BTreeSet<String>);

impl ClientTools for ToolsOfAll {
    fn own_tool(&self, command: &str) -> Option<String> {
        self.0.get(&command.replace(':', "_")).cloned()
    }

    fn name_of(&self, command: &str) -> Option<String> {
        let own = self.own_tool(command).map(|tool| format!("`{tool}`"));
        own.or_else(|| Some(format!("`{}` (`command`: `{command}`)", tools::GENERIC)))
    }

    fn arguments_of(&self, names: &[String]) -> Option<Vec<String>> {
        Some(names.to_vec())
    }
}

#[test]
fn every_message_for_each_reader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = ["errors", "instead", "issues"];
    let data = data.map(|name| format!("{}/config/{name}.toml", root.display()));
    let mut files = BTreeSet::from(data);
    for folder in [
        "src",
        "crates/bases/src",
        "crates/bounded-regex/src",
        "crates/obsidian-note/src",
        "crates/obsidian-search/src",
        "crates/vault-edits/src",
        "crates/vault-files/src",
        "crates/vault-index/src",
        "crates/vault-questions/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    let tools = tools::tools(Catalogue::builtin().unwrap(), &Policy::built_in());
    let tools = ToolsOfAll(tools.into_iter().map(|tool| tool.name).collect());
    let readers = [
        ("person", FOR_PERSON),
        ("program", Reader::Program),
        ("model", Reader::Client(&tools)),
    ];
    let mut count = 0;
    let table = include_str!("every_message.toml").replace("\r\n", "\n");
    let mut samples: Samples = toml::from_str(&table).unwrap();
    for (name, reader) in readers {
        let mut all = String::new();
        for path in &files {
            let file = path
                .strip_prefix(root.to_str().unwrap())
                .unwrap()
                .trim_start_matches('/');
            if name == "model" && FOR_PEOPLE.iter().any(|folder| file.starts_with(folder)) {
                continue;
            }
            let source = fs_err::read_to_string(path).unwrap().replace("\r\n", "\n");
            let found = match file.strip_prefix("config/") {
                Some(_) => sentences_of_data(&toml::Value::Table(source.parse().unwrap())),
                None => sentences(&source),
            };
            let mut rendered = Vec::new();
            for sentence in found {
                let indent = if sentence.is_hint { "  " } else { "" };
                for message in sentence.with_samples(file, &mut samples) {
                    let mut of_model = message.clone();
                    of_model.keep_for_model();
                    if name == "model" && of_model != message {
                        continue;
                    }
                    let text = message.render(reader).replace('\n', "⏎");
                    if !text.is_empty() {
                        rendered.push(indent.to_owned() + &text);
                    }
                }
            }
            if !rendered.is_empty() {
                count += rendered.len();
                writeln!(all, "\n{file}\n  {}", rendered.join("\n  ")).unwrap();
            }
        }
        insta::assert_snapshot!(name, all);
    }
    assert!(count > 3_000, "only {count} messages were found");
    let all = samples.values.keys().chain(samples.within.keys());
    let unused: Vec<&String> = all.filter(|key| !samples.used.contains(*key)).collect();
    assert!(unused.is_empty(), "not in the source: {unused:#?}");
    let missing = samples.missing;
    assert!(
        missing.is_empty(),
        "values for `every_message.toml`: {missing:#?}"
    );
}
