//! Generates `docs/profiles.md` from the tables of the profiles.

use super::Profile;
use super::dialect::{Change, Gives, Line};
use super::ending::Ending;
use protocol::code::Code;

const NOTICE: &str =
    "<!-- Made by `cargo xtask generate` from src/gateway/src/profile. Do not edit. -->\n";

/// The text before the tables. Its links are relative to `docs`.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The text after the tables.
const DIFFERENCES: &str = include_str!("differences.md");

/// Returns the text of `docs/profiles.md`.
pub fn page() -> String {
    let mut text = format!("{NOTICE}\n{INTRODUCTION}");
    text += "\n## Exit statuses\n\n|";
    for ending in Ending::ALL {
        text += &format!(" | {}", ending.words());
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
    for ending in &Ending::ALL[3..] {
        let codes: Vec<String> = Code::ALL
            .into_iter()
            .filter(|code| Ending::from_code(*code) == *ending)
            .map(|code| format!("`{code}`"))
            .collect();
        text += &format!("| {} | {} |\n", ending.words(), codes.join(" "));
    }
    for profile in Profile::ALL {
        text += &section(profile);
    }
    text + "\n" + DIFFERENCES
}

fn section(profile: Profile) -> String {
    let contract = profile.contract();
    let mut text = format!(
        "\n## `{}`\n\nThe contract of {}. {}\n\nLeft out: {}.\n",
        profile.name(),
        contract.about,
        contract.form,
        contract.dropped
    );
    for (theirs, ours) in contract.options {
        text += &format!("\n`{theirs}` is our `{ours}`.\n");
    }
    if contract.lines.is_empty() {
        return text;
    }
    text += "\n| there | here |\n|---|---|\n";
    for line in contract.lines {
        text += &format!("| `{}` | `{}` |\n", line.name, ours(line));
        if let Some((command, parameter)) = line.with_word {
            let word = parameter.to_uppercase();
            text += &format!(
                "| `{} {word}` | `{command} {parameter}={word}` |\n",
                line.name
            );
        }
        if let Some(option) = line.does_with {
            text += &format!("| … without `{option}` | … `--dry-run` |\n");
        }
        let (same, other): (Vec<_>, Vec<_>) = line
            .options()
            .copied()
            .partition(|(option, gives)| is_same(option, *gives));
        if !same.is_empty() {
            let options: Vec<String> = same
                .iter()
                .map(|(option, _)| format!("`{option}`"))
                .collect();
            text += &format!("| … {} | the argument of that name |\n", options.join(", "));
        }
        for (option, gives) in other {
            text += &rows(option, gives);
        }
    }
    text
}

fn ours(line: &Line) -> String {
    let words = line.words.iter().map(|word| match *word {
        "note" => " path=NOTE|file=NOTE".to_owned(),
        "property type" => " properties={\"type\": TYPE}".to_owned(),
        word => format!(" {word}={}", word.to_uppercase()),
    });
    let defaults = line.defaults.iter();
    let defaults = defaults.map(|(name, value)| format!(" {name}={value}"));
    let words: String = words.chain(defaults).collect();
    format!("{}{}", line.command, words.replace('|', "\\|"))
}

/// Whether an option gives its value to the argument of the same name.
fn is_same(option: &str, gives: Gives) -> bool {
    matches!(gives, Gives::Value(parameter) if option.strip_prefix("--") == Some(parameter))
}

fn rows(option: &str, gives: Gives) -> String {
    match gives {
        Gives::Property(name) => format!("| … `{option} X` | … with the property `{name}` |\n"),
        Gives::UpTo(parameter, most) => {
            format!("| … `{option} N` | … `{parameter}=N`, from 0 up to {most} |\n")
        }
        Gives::Value(parameter) => format!("| … `{option} X` | … `{parameter}=X` |\n"),
        Gives::Input(parameter) => {
            format!("| … `{option}` | … `{parameter}=` what stands on standard input |\n")
        }
        Gives::Properties(parameter) => {
            format!("| … `{option} NAME=X …` | … `{parameter}=` these, as a JSON object |\n")
        }
        Gives::Nothing(why) => format!("| … `{option}` | is refused: {why} |\n"),
        Gives::Strict => format!("| … `{option}` | what an audit doubts fails it too |\n"),
        Gives::Means(change) => format!("| … `{option}` | {} |\n", meant(change)),
        Gives::Choice(choices) => choices
            .iter()
            .map(|(choice, change)| format!("| … `{option} {choice}` | {} |\n", meant(*change)))
            .collect(),
    }
}

fn meant(change: Change) -> String {
    let words = change
        .command
        .into_iter()
        .chain(change.words.iter().copied());
    let is_given = |name: &str| {
        let mut words = change.words.iter();
        words.any(|word| word.split('=').next() == Some(name))
    };
    let otherwise = change.otherwise.iter().filter(|(name, _)| !is_given(name));
    let otherwise = otherwise.map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> = words.map(str::to_owned).chain(otherwise).collect();
    if words.is_empty() {
        "accepted, no effect".to_owned()
    } else {
        format!("… `{}`", words.join(" "))
    }
}
