//! Runs an official command that a person typed.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use super::Cli;
use super::approve::{self, OpenQuestion};
use super::error::Error;
use super::interruption::{self, CallEnding, Interruption};
use super::profile;
use super::report;
use super::text_input;
use allowlist::{Catalogue, Command, ParamKind, RawValue};
use frontend::{CommandLineOptions, OutputMode, Terminal, display::answer::TASKS, setup};
use gateway::{DRAFT_QUESTIONS, Envelope, Gateway, Params, Request};
use protocol::{Caller, Failure, Shell};
use sandbox::Environment;

/// Runs `COMMAND [PARAM=VALUE …] [FLAG …]`.
pub(crate) fn run(cli: Cli<'_>, words: &[String]) -> ExitCode {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let mut options = options.clone();
    let prepared = request(&mut options, words, environment, |options, request| {
        before_typing(Cli { options, ..cli }, request)
    })
    .and_then(|request| {
        setup::gateway(&options, environment, Caller::Person).map(|gateway| (gateway, request))
    });
    profile::look_around(&mut options, environment);
    match prepared {
        Ok((gateway, mut request)) => {
            let mode = options.output_mode();
            if mode.prints_data() || terminal.stdout.is_styled && mode == OutputMode::Text {
                with_places(&mut request, mode);
            }
            let gateway = Arc::new(gateway.with_progress(terminal.progress_of("reading notes")));
            tell_of_escapes(terminal, &options, &request);
            let command = request.command.clone();
            let theirs = options.clone();
            let screen = terminal.clone();
            let question = OpenQuestion::default();
            let (answering, wanted) = (Arc::clone(&gateway), question.clone());
            let work = move |interruption: &Interruption, request| {
                let wanted = (&screen, &wanted);
                answer(wanted, &theirs, &answering, request, interruption)
            };
            match interruption::run(request, work) {
                Ok(CallEnding::Answered(answered, signal)) => {
                    let status = report::answer(terminal, &options, &answered);
                    signal.map_or(status, |signal| ExitCode::from(signal.exit_status()))
                }
                Ok(CallEnding::Abandoned(signal)) => {
                    question.cut_off(terminal, &gateway);
                    ExitCode::from(signal.exit_status())
                }
                Err(failure) => report::failure(terminal, &options, &command, failure),
            }
        }
        Err(failure) => {
            let command = words.first().map_or("", String::as_str);
            report::failure(terminal, &options, command, failure)
        }
    }
}

/// Requests the note and the line of each task for a terminal and for rows of data, because without them nobody can
/// find the task. Text in a pipe and an envelope have what the app prints.
fn with_places(request: &mut Request, mode: OutputMode) {
    let params = &mut request.params.0;
    let decides = ["total", "format"];
    if request.command != TASKS || decides.iter().any(|name| params.contains_key(*name)) {
        return;
    }
    if mode.prints_data() {
        // The texts of `verbose` are grouped by note, and no fields.
        params.remove("verbose");
        params.insert("format".to_owned(), RawValue::Text("json".to_owned()));
    } else {
        params.insert("verbose".to_owned(), RawValue::Bool(true));
    }
}

/// Returns the message to a person who is about to type a text: why it would be lost, or how to end
/// it.
fn before_typing(cli: Cli<'_>, request: &Request) -> Result<(), Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    if terminal.can_ask() {
        let gateway = setup::gateway(options, environment, Caller::Person)?;
        if let Some(refusal) = gateway.refusal_of(request) {
            return Err(refusal);
        }
        tell_how_to_end(terminal);
    }
    Ok(())
}

fn tell_how_to_end(terminal: &Terminal) {
    if terminal.can_ask() {
        let end = if cfg!(windows) {
            "Ctrl-Z and Enter"
        } else {
            "Ctrl-D"
        };
        terminal.note(&format!(
            "Type the text. Finish with {end} on an empty line, or cancel with Ctrl-C."
        ));
    }
}

/// Notes that `\n` in a text is two characters. Obsidian's own skill teaches agents to write it, so
/// the note is not only for terminals. It is omitted in JSON mode, which programs read.
fn tell_of_escapes(terminal: &Terminal, options: &CommandLineOptions, request: &Request) {
    let command = Catalogue::find_builtin(&request.command);
    let Some(command) = command
        .ok()
        .filter(|_| options.output_mode() != OutputMode::Json && !options.escapes)
    else {
        return;
    };
    if let Some(name) = text_input::with_literal_escapes(&command, &request.params.0) {
        terminal.note(&format!(
            "In `{name}`, `\\n` and `\\t` were kept as two characters each. To pass a line break, use $'…', `--escapes`, or standard input with `{name}=-`."
        ));
    }
}

/// Answers the request; if it needs an approval, asks the person at the terminal.
fn answer(
    (terminal, question): (&Terminal, &OpenQuestion),
    options: &CommandLineOptions,
    gateway: &Gateway,
    mut request: Request,
    interruption: &Interruption,
) -> Result<Envelope, Failure> {
    let answered = interruption.answer(gateway, &request);
    if options.is_for_agent() || request.approval.is_some() {
        return Ok(answered);
    }
    match approve::at_once(terminal, options, gateway, &answered, question)? {
        Some(id) => {
            request.approval = Some(id);
            // Each run needs its own id, and the refused run has used this one.
            request.run_id = options.run_id;
            Ok(interruption.answer(gateway, &request))
        }
        None => Ok(answered),
    }
}

/// Builds the request from the words. As in the official CLI, `vault=` counts only before the
/// command (`official-cli.md` §4). `before_input` is called before a text is read from standard input.
fn request(
    options: &mut CommandLineOptions,
    words: &[String],
    environment: &Environment,
    before_input: impl FnOnce(&CommandLineOptions, &Request) -> Result<(), Failure>,
) -> Result<Request, Failure> {
    let (vault, words) = match words.split_first() {
        Some((first, rest)) => match first.strip_prefix("vault=") {
            Some(vault) => (Some(vault), rest),
            None => (None, words),
        },
        None => (None, words),
    };
    if let Some(vault) = vault {
        if options.vault.is_some() {
            return Err(Error::TwoVaults.into());
        }
        options.vault = Some(vault.to_owned());
    }
    let Some((command, words)) = words.split_first() else {
        return Err(Error::NoCommand.into());
    };
    let params = match Catalogue::find_builtin(command) {
        Ok(known) => {
            let mut params = known
                .read_words(words)
                .map_err(|failure| in_one_word(command, words).unwrap_or(failure))?;
            as_in_a_shell(&known, &mut params);
            if text_input::takes_input(&known, &params) {
                let request = Request {
                    params: Params(params.clone()),
                    ..Request::new(command)
                };
                before_input(options, &request)?;
            }
            text_input::fill(&known, &mut params, options, environment)?;
            params
        }
        // A question about a draft has no entry in the catalogue; the gateway checks its parameters.
        Err(_) if DRAFT_QUESTIONS.contains(&command.as_str()) => {
            let param = |word: &String| match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), RawValue::Text(value.to_owned())),
                None => (word.clone(), RawValue::Bool(true)),
            };
            words.iter().map(param).collect()
        }
        // The gateway reports the invalid command in an envelope.
        Err(_) => BTreeMap::new(),
    };
    if options.links.is_some() && options.output_mode() == OutputMode::Text {
        return Err(Error::NoLinksInText.into());
    }
    Ok(Request {
        params: Params(params),
        dry_run: options.dry_run,
        no_stdout: options.no_stdout,
        if_hash: options.if_hash.clone(),
        offset: options.offset,
        correlation_id: options.correlation_id.clone(),
        run_id: options.run_id,
        ..Request::new(command)
    })
}

/// Returns the command whose two parts were written as two words.
fn in_one_word(command: &str, words: &[String]) -> Option<Failure> {
    let (second, rest) = words.split_first()?;
    let whole = format!("{command}:{second}");
    let known = Catalogue::find_builtin(&whole).ok()?;
    let line = std::iter::once(known.id.as_str()).chain(rest.iter().map(String::as_str));
    let line = Shell::native().joined(line);
    Some(Error::TwoWords(command.to_owned(), second.clone(), line).into())
}

/// Cleans up a pasted path or name: removes the `./` of a shell, or the brackets of a link.
fn as_in_a_shell(command: &Command, params: &mut BTreeMap<String, RawValue>) {
    for (name, value) in params {
        let kind = command.param(name).map(|param| &param.kind);
        let RawValue::Text(text) = value else {
            continue;
        };
        let link = text
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let bare = match kind {
            Some(ParamKind::NoteName) => link.or_else(|| text.strip_prefix("./")),
            Some(ParamKind::Path) => text.strip_prefix("./"),
            _ => None,
        };
        if let Some(bare) = bare.filter(|bare| !bare.is_empty()).map(str::to_owned) {
            *text = bare;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_make_a_request() {
        let mut options = CommandLineOptions::default();
        let request = request(
            &mut options,
            &words(&["vault=Notes", "append", "content=a=b", "inline"]),
            &Environment::default(),
            |_, _| Ok(()),
        );
        let request = request.unwrap();
        assert_eq!(options.vault.as_deref(), Some("Notes"));
        assert_eq!(request.command, "append");
        assert_eq!(request.params.0["content"], RawValue::Text("a=b".into()));
        assert_eq!(request.params.0["inline"], RawValue::Bool(true));
    }

    #[test]
    fn tasks_have_their_places_on_a_terminal_and_in_rows() {
        let mut rows = String::new();
        for mode in [OutputMode::Text, OutputMode::Csv] {
            for given in [&[][..], &["verbose"], &["total"], &["format=tsv"]] {
                let line = words(&[&["tasks"], given].concat());
                let (mut options, environment) = <(CommandLineOptions, Environment)>::default();
                let made = request(&mut options, &line, &environment, |_, _| Ok(()));
                let mut made = made.unwrap();
                with_places(&mut made, mode);
                rows += &format!("{mode:?} {given:?}: {:?}\n", made.params.0);
            }
        }
        insta::assert_snapshot!(rows, @r#"
        Text []: {"verbose": Bool(true)}
        Text ["verbose"]: {"verbose": Bool(true)}
        Text ["total"]: {"total": Bool(true)}
        Text ["format=tsv"]: {"format": Text(3 bytes)}
        Csv []: {"format": Text(4 bytes)}
        Csv ["verbose"]: {"format": Text(4 bytes)}
        Csv ["total"]: {"total": Bool(true)}
        Csv ["format=tsv"]: {"format": Text(3 bytes)}
        "#);
    }

    #[test]
    fn nothing_is_given_twice() {
        let mut options = CommandLineOptions::default();
        assert!(
            request(
                &mut options,
                &words(&["read", "path=a", "path=b"]),
                &Environment::default(),
                |_, _| Ok(()),
            )
            .is_err()
        );
        options.vault = Some("a".into());
        assert!(
            request(
                &mut options,
                &words(&["vault=b", "read"]),
                &Environment::default(),
                |_, _| Ok(()),
            )
            .is_err()
        );
        assert!(
            request(
                &mut CommandLineOptions::default(),
                &words(&["vault=b"]),
                &Environment::default(),
                |_, _| Ok(()),
            )
            .is_err()
        );
    }
}
