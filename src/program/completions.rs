//! Shell completions and the man page, generated from the grammar of the command line.

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;

use super::VerbLine;
use allowlist::{Catalogue, ParamKind};

pub(super) const PROGRAM: &str = "vault-gw";

/// Returns the completion script for a shell. It asks this program for the offers, so that names of notes, tags and
/// properties are completed too. Elvish gets clap's static script.
pub(super) fn completions(shell: Shell) -> String {
    match shell {
        Shell::Bash => BASH.to_owned(),
        Shell::Zsh => ZSH.to_owned(),
        Shell::Fish => FISH.to_owned(),
        Shell::PowerShell => POWERSHELL.to_owned(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut grammar(), PROGRAM, &mut script);
            String::from_utf8_lossy(&script).into_owned()
        }
    }
}

/// Bash breaks words at `:` and `=` too, so it passes on the whole line.
const BASH: &str = r#"_vault_gw() {
    local offer
    COMPREPLY=()
    while IFS= read -r offer; do
        COMPREPLY+=("${offer}")
    done < <("$1" completions bash --complete -- "${COMP_WORDBREAKS}" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _vault_gw vault-gw
"#;

const ZSH: &str = r#"#compdef vault-gw
_vault_gw() {
    local -a whole whole_shown open open_shown
    local word about shown
    while IFS=$'\t' read -r word about; do
        shown="${word}${about:+  -- ${about}}"
        case "${word}" in
            *=|*/) open+=("${word}"); open_shown+=("${shown}") ;;
            *) whole+=("${word}"); whole_shown+=("${shown}") ;;
        esac
    done < <("${(Q)words[1]}" completions zsh --complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
    (( ${#open} )) && compadd -S '' -l -d open_shown -a open
    (( ${#whole} )) && compadd -l -d whole_shown -a whole
}
if [[ "${funcstack[1]}" = "_vault-gw" ]]; then
    _vault_gw "$@"
else
    compdef _vault_gw vault-gw
fi
"#;

const FISH: &str = r"function __vault_gw_offers
    set -l words (commandline -opc)
    command $words[1] completions fish --complete -- $words (commandline -ct) 2>/dev/null
end
complete -c vault-gw -f -k -a '(__vault_gw_offers)'
";

const POWERSHELL: &str = r#"Register-ArgumentCompleter -Native -CommandName 'vault-gw' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    & $words[0] completions powershell --complete '--' @words "$wordToComplete" 2>$null | ForEach-Object {
        $word, $about = $_ -split "`t", 2
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}
"#;

/// Returns the man page in roff.
pub(super) fn man_page() -> String {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    drop(clap_mangen::Man::new(grammar()).render(&mut page));
    String::from_utf8_lossy(&page).into_owned()
}

/// Returns the verbs and, as further subcommands, every official command with its parameters as completable words.
pub(super) fn grammar() -> Command {
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
    fn every_shell_has_a_script_and_the_man_page_knows_the_official_commands() {
        for shell in Shell::value_variants() {
            assert!(completions(*shell).contains(PROGRAM), "{shell}");
        }
        assert!(man_page().contains("daily:append"));
    }
}
