//! Shell completions and the man page, generated from the grammar of the command line.

use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;

use super::VerbLine;
use crate::allowlist::{Catalogue, ParamKind};
use crate::cli::report;
use crate::frontend::terminal::Terminal;

pub(super) const PROGRAM: &str = "vault-gw";

/// Prints the completion script for a shell.
pub(crate) fn shell(terminal: Terminal, shell: Shell) -> ExitCode {
    report::text(terminal, &completions(shell))
}

/// Prints the man page.
pub(crate) fn man(terminal: Terminal) -> ExitCode {
    report::text(terminal, &man_page())
}

/// The completion script for a shell.
pub(super) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar(), PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => for_bash(&script),
        _ => script,
    }
}

/// Fixes two defects in the generated bash script and adds our word splitting.
///
/// The generator breaks if the program's name contains `-`, and it completes a subcommand's words
/// only in the second position, although options may come before it and other words after.
fn for_bash(generated: &str) -> String {
    let mended = generated
        .replace("vault__subcmd__gw", "vault__gw")
        .replace("|| ${COMP_CWORD} -eq 2 ]]", "|| ${prev} != -* ]]")
        .replace("|| ${COMP_CWORD} -eq 3 ]]", "|| ${prev} != -* ]]");
    let script = mended
        .split_once("\nif [[ \"${BASH_VERSINFO[0]}\" -eq 4")
        .map_or(mended.as_str(), |(functions, _registered)| functions);
    format!("{script}\n{BASH_WORDS}")
}

/// Bash splits words at `:` and `=`, which occur in our commands and parameters. This joins them
/// again, and offers of each completion what follows the last split.
const BASH_WORDS: &str = r#"_vault__gw_words() {
    local line="${COMP_LINE:0:COMP_POINT}" given="" breaks="" kept="" last index
    local -a words=()
    read -r -a words <<< "${line}"
    case "${line}" in
        *[[:space:]]) words[${#words[@]}]="" ;;
    esac
    last=$((${#words[@]} - 1))
    given="${words[last]}"
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD="${last}"
    _vault__gw "$1" "${given}" "${words[last - 1]}"
    [[ "${COMP_WORDBREAKS}" == *:* ]] && breaks+=":"
    [[ "${COMP_WORDBREAKS}" == *=* ]] && breaks+="="
    [[ -n "${breaks}" ]] && kept="${given%"${given##*[${breaks}]}"}"
    for index in "${!COMPREPLY[@]}"; do
        COMPREPLY[index]="${COMPREPLY[index]#"${kept}"}"
    done
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _vault__gw_words -o nosort -o bashdefault -o default vault-gw
else
    complete -F _vault__gw_words -o bashdefault -o default vault-gw
fi
"#;

/// The man page in roff.
pub(super) fn man_page() -> String {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    drop(clap_mangen::Man::new(grammar()).render(&mut page));
    String::from_utf8_lossy(&page).into_owned()
}

/// The verbs and, as further subcommands, every official command with its parameters as completable
/// words.
fn grammar() -> Command {
    let mut grammar = VerbLine::command();
    if let Ok(catalogue) = Catalogue::whole() {
        for command in catalogue.commands() {
            let params = command.params.iter().flat_map(|param| match &param.kind {
                ParamKind::Choice(choices) => choices
                    .iter()
                    .map(|choice| format!("{}={choice}", param.name))
                    .collect(),
                _ => vec![format!("{}=", param.name)],
            });
            let flags = command.flags.iter().map(|flag| flag.name.clone());
            let words: Vec<String> = params.chain(flags).collect();
            let mut entry = Command::new(command.id.clone()).about(command.summary.clone());
            if !words.is_empty() {
                entry = entry.arg(Arg::new("words").num_args(0..).value_parser(words));
            }
            grammar = grammar.subcommand(entry);
        }
    }
    grammar
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_shell_and_the_man_page_know_the_official_commands() {
        for shell in Shell::value_variants() {
            assert!(completions(*shell).contains("daily:append"), "{shell}");
        }
        assert!(man_page().contains("daily:append"));
    }

    #[test]
    fn bash_completes_words_in_any_place_and_across_its_own_word_breaks() {
        for (line, offered) in [
            ("vault-gw daily:re", &["read"][..]),
            ("vault-gw settings ", &["show", "path", "set"]),
            ("vault-gw read pa", &["path="]),
            ("vault-gw --vault /tmp read pa", &["path="]),
            (
                "vault-gw search query=x form",
                &["format=text", "format=json"],
            ),
            ("vault-gw search query=x format=j", &["json"]),
            ("vault-gw --backend e", &["embedded"]),
            ("vault-gw files --tier v", &["v0", "v1", "v2", "v3"]),
            ("vault-gw create path=a.md over", &["overwrite"]),
        ] {
            let Some(replies) = bash_replies(line) else {
                return;
            };
            for word in offered {
                assert!(
                    replies.iter().any(|reply| reply == word),
                    "{line}: {replies:?}"
                );
            }
        }
    }

    /// What bash would offer at the end of this line; none where there is no bash.
    #[expect(
        clippy::disallowed_methods,
        reason = "the shell itself is what the script is for"
    )]
    fn bash_replies(line: &str) -> Option<Vec<String>> {
        let ask = format!(
            "{}\nCOMP_WORDBREAKS='=:'; COMP_LINE='{line}'; COMP_POINT={}; _vault__gw_words vault-gw\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            completions(Shell::Bash),
            line.len()
        );
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("ask.bash");
        fs_err::write(&script, ask).unwrap();
        let output = std::process::Command::new("bash")
            .arg(&script)
            .output()
            .ok()?;
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).unwrap();
        Some(text.lines().map(str::to_owned).collect())
    }
}
