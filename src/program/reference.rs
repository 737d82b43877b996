//! The files of the repository that are generated from the catalogue and the types.
//!
//! They are checked in; `cargo xtask generate --check` fails if they are stale.

use clap::ValueEnum as _;
use clap_complete::{Generator as _, Shell};

use super::completions;
use allowlist::{BackendName, Catalogue, Command, Effect, Tier};
use frontend::schema;
use protocol::code::Code;
use protocol::digest::sha256;
use protocol::failure::Failure;
use protocol::issue_code::IssueCode;

/// A file of the repository that is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path, relative to the root of the repository.
    pub path: String,
    /// The whole content of the file.
    pub text: String,
}

/// Generates every file.
///
/// # Errors
///
/// If the catalogue does not load.
pub fn generated_files() -> Result<Vec<GeneratedFile>, Failure> {
    let catalogue = Catalogue::whole()?;
    let file = |path: &str, text: String| GeneratedFile {
        path: path.to_owned(),
        text,
    };
    let mut files = vec![
        file("docs/commands.md", commands(catalogue)),
        file("docs/codes.md", codes()),
        file("docs/profiles.md", profiles::page()),
        file("docs/man/vault-gw.1", completions::man_page()),
        file("docs/completions.sha256", completion_hashes()),
    ];
    for published in schema::all(catalogue) {
        files.push(file(
            &format!("schemas/{}", published.file),
            format!("{:#}\n", published.schema),
        ));
    }
    Ok(files)
}

/// Returns the files that packages install besides the program: the man page in `man/`, and the completion script of
/// each shell in `completions/`, with the name that the shell expects.
pub fn installed_files() -> Vec<GeneratedFile> {
    let page = GeneratedFile {
        path: format!("man/{}.1", completions::PROGRAM),
        text: completions::man_page(),
    };
    let script = |shell: &Shell| GeneratedFile {
        path: format!("completions/{}", shell.file_name(completions::PROGRAM)),
        text: completions::completions(*shell),
    };
    let scripts = Shell::value_variants().iter().map(script);
    std::iter::once(page).chain(scripts).collect()
}

/// Returns a `sha256sum` line for each completion script. The scripts are long and printed by
/// `vault-gw completions SHELL`; the hashes make changes visible in review.
fn completion_hashes() -> String {
    let line = |shell: &Shell| {
        let script = completions::completions(*shell);
        let name = shell.file_name(completions::PROGRAM);
        format!("{}  {name}\n", sha256(script.as_bytes()))
    };
    Shell::value_variants().iter().map(line).collect()
}

const NOTICE: &str = "<!-- Made by `cargo xtask generate` from config/*.toml. Do not edit. -->\n";

fn commands(catalogue: &Catalogue) -> String {
    let mut text = format!(
        "{NOTICE}\n# Commands\n\n\
         Every official command, and those that only this gateway has, by the tier that opens it. `read`\n\
         and `ui` need the tier; `write` needs `allow_mutations`; `export` needs that and an `export_folder`;\n\
         `destroy` and `publish` need an approval too. Commands at the end are never open.\n\n\
         [App and engine](backends.md) has the differences that apply to every command. A difference named at a command\n\
         is how the embedded engine, or the gateway, differs from the app alone. *Not recorded* is what no recording of the\n\
         app shows, and what is done instead; without either, both backends return the same.\n"
    );
    for tier in Tier::ALL {
        text += &format!("\n## Tier {}\n", tier.name());
        for command in catalogue.commands().filter(|command| command.tier == tier) {
            text += &section(command);
        }
    }
    text += "\n## Never open\n\n| command | effects | why | instead |\n|---|---|---|---|\n";
    for refused in catalogue.refused() {
        let effects: Vec<&str> = refused.effects.iter().map(Effect::name).collect();
        text += &format!(
            "| `{}` | {} | {} | {} |\n",
            refused.id,
            effects.join(", "),
            refused.reason,
            refused.instead.as_deref().unwrap_or("")
        );
    }
    text
}

fn section(command: &Command) -> String {
    let effects: Vec<&str> = command.effects.iter().map(Effect::name).collect();
    let mut text = format!(
        "\n### `{}`\n\n{}\n\n```\nvault-gw {}\n```\n\nEffects: {}. Target: {}. {}\n",
        command.id,
        command.summary,
        command.usage(),
        effects.join(", "),
        command.target.name(),
        command.since().map_or_else(
            || "Only vault-gw has this command. The embedded engine runs the command.".to_owned(),
            |since| format!("Since {since}.")
        )
    );
    if !command.backends.contains(&BackendName::Embedded) {
        text += "Only the app answers it.\n";
    }
    if let Some(differs) = &command.differs {
        let of = if command.is_ours() {
            ""
        } else {
            "Differs from the app: "
        };
        text += &format!("\n{of}{differs}\n");
    }
    if let Some(unrecorded) = &command.unrecorded {
        text += &format!("\nNot recorded: {unrecorded}\n");
    }
    if command.params.is_empty() && command.flags.is_empty() {
        return text;
    }
    text += "\n| argument | takes | adds | |\n|---|---|---|---|\n";
    for param in &command.params {
        let adds: Vec<&str> = param.effects.iter().map(Effect::name).collect();
        let required = if param.required { " Required." } else { "" };
        text += &format!(
            "| `{}` | {} | {} | {}{required} |\n",
            param.usage().replace('|', "\\|"),
            param.kind.name(),
            adds.join(", "),
            param.summary
        );
    }
    for flag in &command.flags {
        let adds: Vec<&str> = flag.effects.iter().map(Effect::name).collect();
        text += &format!(
            "| `{}` | flag | {} | {} |\n",
            flag.name,
            adds.join(", "),
            flag.summary
        );
    }
    text
}

fn codes() -> String {
    let mut text = format!(
        "{NOTICE}\n# Codes and exit statuses\n\n\
         The exit status of `vault-gw` is 0 for `ok`, `no_matches` and `partial`, 1 when an audit or\n\
         `doctor --strict` found something, and otherwise that of the code in `error.code`. `exitCode` in the envelope is another\n\
         thing: what the executed command returned.\n\n\
         | code | exit | what happened | what to do | retry |\n|---|---|---|---|---|\n"
    );
    for code in Code::ALL {
        let explanation = code.explanation();
        text += &format!(
            "| `{code}` | {} | {} | {} | {} |\n",
            explanation.exit,
            explanation.cause.replace('|', "\\|"),
            explanation.remedy().text().replace('|', "\\|"),
            if explanation.retryable { "yes" } else { "no" }
        );
    }
    text += "\n## Warnings, violations and advice\n\n\
             They appear next to an answer and do not make it a failure.\n\n\
             | code | what it means | what to do |\n|---|---|---|\n";
    for issue in IssueCode::ALL {
        text += &format!(
            "| `{}` | {} | {} |\n",
            issue.issue,
            issue.meaning.replace('|', "\\|"),
            issue.remedy().text().replace('|', "\\|")
        );
    }
    text
}
