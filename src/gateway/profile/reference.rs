//! Generates `docs/profiles.md` from the tables of the profiles.

use super::Profile;
use super::dialect::{Change, Gives, Line};
use super::ending::Ending;
use crate::code::Code;

const NOTICE: &str =
    "<!-- Made by `cargo xtask generate` from src/gateway/profile. Do not edit. -->\n";

const INTRODUCTION: &str = "
# Profiles

`--profile NAME` prints the result in the output format of another tool, for programs that were
written for that tool. Nothing else changes: not the policy, the audit log or what is run. A profile is
a function of the envelope: what the envelope does not contain is null, and it adds no data.
New programs should use the envelope (`-o json`), which contains more.

- A profile applies to commands, and to verbs that the other tool has too (`capabilities`, `doctor`,
  `explain`). It replaces `-o`.
- Commands can be written in our syntax (`backlinks path=Home.md`) or in that of the profile, below.
  If a profile has its own syntax for a command, a word that its table does not list is an error like
  any other invalid word: in the format of the profile, with its exit status.
- In the syntax of a profile, `NOTE` is a path if it ends in `.md` or contains a `/`, else a name;
  `PATH` is always a path.
- A search of a profile takes any text, and ranks notes by its words; it has no search syntax.
- `command` is the name that the caller used, in codira and Meminit; in inspector it is always
  inspector's name.
- `durationMs`, `exitCode`, `stdout` and `stderr` of the Copilot design (system D of
  [contracts](reference/contracts.md)) are beside the keys of inspector and codira, and in Meminit's
  `data.process`.
";

const DIFFERENCES: &str = "
## Differences from the source documents

`cargo xtask contracts` runs the 228 rows that the [five source documents](reference/contracts.md) ask of a vault. These differ, and
stay so:

| row | asks for | here |
|---|---|---|
| C07 | the status `not_indexed` | Never said: every question brings the index up to date before it is answered, so there is no vault without one. `ok` and `no_matches` are said. |
| D39 | the payload `{type, command, vault, content, durationMs}` of the plugin's own tools | No profile of its own: the envelope has all of it (`command`, `meta.vault`, `data.content`, `durationMs`), and only the plugin itself reads the other form. |
| D64 | versions of a file, without the app | Only the app keeps versions (File recovery, Sync). With it `history` and `diff` answer; without it they say `REQUIRES_APP`. `undo --list` has the changes of this program. |
| M54 | that Meminit's package runs on the Python that it names | About another program's package. |

## What the command lines cost

Lines of code, without comments and tests. The reader of command lines is shared (`dialect.rs`, `dialect/reading.rs`,
`src/cli/profile.rs`: 547 lines), as is what projections share (307 lines).

| profile | table of its command line | projection | rows of the documents that are asked in its words |
|---|---|---|---|
| `inspector` | 64 | 196 | 31 |
| `knowtation` | 122 | 394 | 29 |
| `codira` | 30 | 102 | 23 |
| `meminit` | 17 | 279 | 25 |

All four stay. A table costs less than its projection everywhere, and without it the rows could not be asked as their documents
write them; the reader is paid once for all four, and dropping one profile's words would save its table alone.
";

/// Returns the text of `docs/profiles.md`.
pub fn page() -> String {
    let mut text = format!("{NOTICE}{INTRODUCTION}");
    text += "\n## Exit statuses\n\n|";
    for ending in Ending::ALL {
        text += &format!(" | {}", ending.words());
    }
    text += " |\n|---";
    text += &"|---".repeat(Ending::ALL.len());
    text += "|\n";
    for profile in Profile::ALL {
        text += &format!("| `{}`", profile.name());
        for ending in Ending::ALL {
            text += &format!(" | {}", profile.contract().exits.status(ending));
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
    text + DIFFERENCES
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
            text += &format!("| `{} {word}` | `{command} {parameter}={word}` |\n", line.name);
        }
        if let Some(option) = line.does_with {
            text += &format!("| … without `{option}` | … `--dry-run` |\n");
        }
        for (option, gives) in line.options() {
            text += &rows(option, *gives);
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
    let words = change.command.into_iter().chain(change.words.iter().copied());
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
