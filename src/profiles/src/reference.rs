//! Generates `docs/profiles.md` from the tables of the profiles.

use super::Profile;
use super::dialect::{Change, Gives, Line};
use super::ending::Ending;
use protocol::Code;

const NOTICE: &str = "<!-- Made by `cargo xtask generate` from config/profiles. Do not edit. -->\n";

/// The text before the tables. Its links are relative to `docs`.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The text after the tables.
const DIFFERENCES: &str = include_str!("differences.md");

/// Returns the text of `docs/profiles.md`.
pub fn page() -> String {
    let mut text = format!("{NOTICE}\n{INTRODUCTION}");
    text += "\n## Exit statuses\n\n|";
    for (_, words) in Ending::ALL {
        text += &format!(" | {words}");
    }
    text += " |\n|---";
    text += &"|---".repeat(Ending::ALL.len());
    text += "|\n";
    for profile in Profile::ALL {
        text += &format!("| `{}`", profile.name());
        for exit in profile.contract().exits {
            text += &format!(" | {exit}");
        }
        text += " |\n";
    }
    text += "\n| ending | codes |\n|---|---|\n";
    for (ending, words) in &Ending::ALL[3..Ending::ALL.len() - 1] {
        let codes: Vec<String> = Code::ALL
            .into_iter()
            .filter(|code| Ending::from_code(*code) == *ending)
            .map(|code| format!("`{code}`"))
            .collect();
        text += &format!("| {words} | {} |\n", codes.join(" "));
    }
    for profile in Profile::ALL {
        text += &section(profile);
    }
    text + "\n" + DIFFERENCES
}

fn section(profile: Profile) -> String {
    let contract = profile.contract();
    let mut text = format!(
        "\n## `{}`\n\nThe answers have the form of {}. {}\n\nLeft out: {}.\n",
        profile.name(),
        contract.about,
        contract.form,
        contract.dropped
    );
    for (theirs, ours) in &contract.options {
        text += &format!("\n`{theirs}` is our `{ours}`.\n");
    }
    if contract.lines.is_empty() {
        return text;
    }
    text += "\n| there | here | options |\n|---|---|---|\n";
    for line in &contract.lines {
        let names: Vec<String> = line.names.iter().map(|it| format!("`{it}`")).collect();
        text += &format!("| {} | `{}` |", names.join(", "), ours(line));
        if let Some((command, parameter)) = &line.with_word {
            let (name, word) = (&line.names[0], parameter.to_uppercase());
            text += &format!(" |\n| `{name} {word}` | `{command} {parameter}={word}` |");
        }
        let plan = line.does_with.as_ref();
        let plan = plan.map(|option| format!("without `{option}`: `--dry-run`"));
        let options = line.options.iter();
        let given = options.flat_map(|(option, gives)| meanings(option, gives));
        let options: Vec<String> = plan.into_iter().chain(given).collect();
        text += &format!(" {} |\n", options.join("; "));
    }
    text
}

fn ours(line: &Line) -> String {
    let words = line.words.iter().map(|word| match word.as_str() {
        "note" => " path=NOTE|file=NOTE".to_owned(),
        "property type" => " properties={\"type\": TYPE}".to_owned(),
        word => format!(" {word}={}", word.to_uppercase()),
    });
    let defaults = line.defaults.iter();
    let defaults = defaults.map(|(name, value)| format!(" {name}={value}"));
    let words: String = words.chain(defaults).collect();
    format!("{}{}", line.command, words.replace('|', "\\|"))
}

/// Returns the meaning of an option here; several for an option that takes one of a few words.
fn meanings(option: &str, gives: &Gives) -> Vec<String> {
    let meaning = match gives {
        Gives::Property(name) => format!("`{option} X`: the property `{name}`"),
        Gives::UpTo(parameter, most) => format!("`{option} N`: `{parameter}=N`, up to {most}"),
        Gives::Value(parameter) if option.strip_prefix("--") == Some(parameter.as_str()) => {
            format!("`{option}`")
        }
        Gives::Value(parameter) => format!("`{option} X`: `{parameter}=X`"),
        Gives::Input(parameter) => format!("`{option}`: `{parameter}=` standard input"),
        Gives::Properties(parameter) => {
            format!("`{option} NAME=X …`: `{parameter}=` these, as a JSON object")
        }
        Gives::Nothing(why) => format!("`{option}` is refused: {why}"),
        Gives::Strict => format!("`{option}`: doubtful findings fail too"),
        Gives::Means(change) => format!("`{option}`: {}", meant(change)),
        Gives::Choice(choices) => {
            let of = |(choice, change): &(String, Change)| {
                format!("`{option} {choice}`: {}", meant(change))
            };
            return choices.iter().map(of).collect();
        }
    };
    vec![meaning]
}

fn meant(change: &Change) -> String {
    let words = change.command.iter().chain(&change.words);
    let is_given = |name: &str| {
        let mut words = change.words.iter();
        words.any(|word| word.split('=').next() == Some(name))
    };
    let otherwise = change.otherwise.iter().filter(|(name, _)| !is_given(name));
    let otherwise = otherwise.map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> = words.cloned().chain(otherwise).collect();
    if words.is_empty() {
        "no effect".to_owned()
    } else {
        format!("`{}`", words.join(" "))
    }
}
