//! Lists every message in three snapshots, one for each reader, to be read from top to bottom.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use allowlist::Catalogue;
use frontend::tools;
use protocol::message::{ClientTools, FOR_PERSON, Message, Reader, for_person};
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

/// A sentence in the source.
struct Sentence {
    text: String,
    /// The expressions of the values that are not named in the text, in their order.
    values: Vec<String>,
    /// Whether it is the template of [`protocol::message::message!`]; otherwise of `format!`, or text.
    is_template: bool,
    is_for_people: bool,
    /// Whether it follows another sentence of the same message.
    is_hint: bool,
}

impl Sentence {
    /// Returns the sentence with sample values.
    fn with_samples(&self) -> Message {
        let mut samples = Vec::new();
        let mut text = String::new();
        let mut rest = self.text.as_str();
        let mut values = self.values.iter();
        while let Some((before, (name, after))) = rest
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            text += before;
            if name.is_empty() {
                let value = sample(values.next().map_or("", String::as_str), before, after);
                if self.is_template {
                    text += "{}";
                    samples.push(Message::from(value));
                } else {
                    text += &value;
                }
            } else if self.is_template {
                write!(text, "{{{name}}}").unwrap();
            } else {
                let name = name.split([':', '.']).next().unwrap_or_default();
                text += &sample(name, before, after);
            }
            rest = after;
        }
        text += rest;
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

/// A value for each word that occurs in an expression. The first row with a word of the expression counts.
const VALUES: &[(&str, &str)] = &[
    ("count plural", "2 notes"),
    ("rules", "`paths.read`"),
    ("ask", "{\"command\":\"read\"}"),
    ("joined", "`tier = v1`"),
    ("RunId run prefix runId run_id", "3f2a91c4"),
    (
        "at bytes column covered notes len number hunk line offset limit size total more most least min max failed accepted rejected start",
        "12",
    ),
    ("all found parts end", "64"),
    ("either", "`Home` or `Plan`"),
    ("whole lines", "3-5"),
    ("status", "exit status: 1"),
    ("signal code", "9"),
    ("minimum version", "1.12.7"),
    ("clock_time until zone", "14:30"),
    ("label", "has the tag `clipping`"),
    ("in_words", "adds an image from the web"),
    (
        "Settings set unset again removal",
        "`vault-gw settings set tier v1`",
    ),
    ("link", "[[Plan]]"),
    ("Params edits", "{\"path\":\"Projects/Plan.md\"}"),
    ("it subject Subject", "`read`"),
    ("OfSubject", " of `read`"),
    ("kind_of_place places_of", "heading `Tasks`"),
    ("conditions", "status == \"open\""),
    ("usage", "id=<plugin-id>"),
    ("article written was", "a number"),
    ("whom", " for you, not for agents"),
    ("tag", "#work"),
    ("title titles", "Claude Code"),
    ("client", "claude"),
    ("heading", "Tasks"),
    ("candidates candidate files", "Home.md`, `Projects/Plan.md"),
    ("open", "dialog, terminal"),
    ("hunks numbers", "1, 2"),
    (
        "names known near keys fields groups exclusive missing others",
        "status`, `tags",
    ),
    ("way", "at a terminal"),
    ("base", "Tasks.base"),
    ("view", "Open tasks"),
    ("kind", "note"),
    ("takes form rule expected", "a whole number"),
    ("got", "a text"),
    ("list", "commands.toml"),
    ("folder around here", "Projects"),
    (
        "path file note from to target twin original kept",
        "Projects/Plan.md",
    ),
    ("pattern", "Projects/**"),
    ("key dotted setting rules closing", "paths.read"),
    ("value", "none"),
    ("option", "--json"),
    ("verb", "review"),
    ("command id question", "read"),
    ("needed tier", "v2"),
    (
        "parameter argument param flag property field unknown with",
        "status",
    ),
    ("agent", "helper"),
    ("collection", "The journal"),
    ("program", "node"),
    ("variable", "XDG_RUNTIME_DIR"),
    ("editor", "code --wait"),
    ("address", "127.0.0.1:8765"),
    ("vault named", "Notes"),
    ("text typed wanted word query", "plam"),
    ("0 name present", "Plan"),
    ("process", "4711"),
    ("comments", "2 comments"),
    ("unit", "notes"),
];

/// Returns a value for an expression between two texts, so that the sentence reads as its readers see it.
fn sample(expression: &str, before: &str, after: &str) -> String {
    let words: Vec<&str> = expression
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .collect();
    let is_one_of = |names: &str| names.split(' ').any(|name| words.contains(&name));
    // The end of a sentence, or a part of it.
    if is_one_of("error reason why problem what cause source") {
        let value = match before.trim_end().chars().next_back() {
            None if after.starts_with(',') => "Changes are turned off",
            None | Some('.') => "The file cannot be read.",
            Some(':' | '(' | ',' | ';') => "permission denied",
            _ if before.ends_with("because ") => "the file cannot be read",
            _ => "cannot be read",
        };
        return value.to_owned();
    }
    match expression {
        "BY_OWNER" => return "The owner of the vault can allow it with ".to_owned(),
        "verb" if before.ends_with("can ") => return "read".to_owned(),
        "LIST" => return "allowlist".to_owned(),
        "shown(&set)" => return "Notes".to_owned(),
        "whole.name" => return "status".to_owned(),
        "FILE" => return "vault-gw.html".to_owned(),
        "EVERY_AGENT" => return "*".to_owned(),
        "CONTENT" => return "content".to_owned(),
        "of" => return "`path` of `read`".to_owned(),
        _ if expression.starts_with("of(") => return " of `read`".to_owned(),
        _ if expression.starts_with(char::is_uppercase)
            && !expression.contains(char::is_lowercase) =>
        {
            return "64".to_owned();
        }
        _ => {}
    }
    let row = VALUES.iter().find(|(names, _)| is_one_of(names));
    let value = row.map_or("…", |(_, value)| value);
    if before.ends_with('`') && after.starts_with('`') {
        value.trim_matches('`').to_owned()
    } else {
        value.replace("`, `", ", ")
    }
}

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

/// Returns the sentences among the string literals of a source file, without those of its tests and comments.
fn sentences(source: &str) -> Vec<Sentence> {
    let source = source
        .split("#[cfg(test)]\nmod ")
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
        is_after_sentence = is_sentence(&text);
        let is_error = ["#[error(", " says", " says ("]
            .iter()
            .any(|mark| before_it.ends_with(mark));
        if is_after_sentence || is_error && text.contains(' ') {
            let before = before_it;
            let is_for_people = ["for_person(", "for_person(message!("];
            let is_hint = [".hint(", ".hint(message!(", ".hint(for_person("];
            found.push(Sentence {
                text,
                values: arguments(rest),
                is_template: before.ends_with("message!("),
                is_for_people: is_for_people.iter().any(|mark| before.ends_with(mark)),
                is_hint: is_next || is_hint.iter().any(|mark| before.ends_with(mark)),
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
    let begins = text.starts_with(|first: char| first.is_uppercase() || "`{\"".contains(first));
    begins && text.trim_end().ends_with(['.', '?', ':', '!']) && text.split_whitespace().count() > 2
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

    fn arguments_of(&self, _command: &str, names: &[String]) -> Option<Vec<String>> {
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
            let rendered = found.into_iter().map(|sentence| {
                let text = sentence.with_samples().render(reader).replace('\n', "⏎");
                let indent = if sentence.is_hint && !text.is_empty() {
                    "  "
                } else {
                    ""
                };
                indent.to_owned() + &text
            });
            let rendered: Vec<String> = rendered.filter(|text| !text.is_empty()).collect();
            if !rendered.is_empty() {
                count += rendered.len();
                writeln!(all, "\n{file}\n  {}", rendered.join("\n  ")).unwrap();
            }
        }
        insta::assert_snapshot!(name, all);
    }
    assert!(count > 3_000, "only {count} messages were found");
}
