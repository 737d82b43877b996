//! Help pages, generated from the catalogue.

use std::process::ExitCode;
use std::time::Instant;

use clap::CommandFactory as _;
use serde_json::Map;

use super::{CommandLine, VerbLine};
use crate::cli::report::{self, VerbText};
use allowlist::{Catalogue, Command, Effect, EffectSet, ParamKind, Task};
use frontend::display::{Role, StyledLine, StyledText};
use frontend::options::{CommandLineOptions, GLOBAL_OPTIONS};
use frontend::terminal::Terminal;
use protocol::code::Code;
use protocol::failure::Failure;
use tiers::Policy;

/// The width of the name column, in characters.
const NAME_COLUMN: usize = 28;
/// The width of that column in lists of commands and verbs.
const COMMAND_COLUMN: usize = 19;

/// The length of a help page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// One screen, or only what a verb itself accepts: `-h`.
    Short,
    /// Everything but the values of options: `help`.
    Whole,
    /// Everything, and the values of options: `--help`.
    Long,
}

/// Prints the page on a topic: a command, a verb with its subcommand, the options, or everything.
pub(super) fn print(
    terminal: &Terminal,
    options: &CommandLineOptions,
    topic: &[String],
    extent: Extent,
    policy: Option<&Policy>,
) -> ExitCode {
    let started = Instant::now();
    let page = page(topic, extent, terminal, policy);
    let name = topic
        .first()
        .filter(|_| page.is_err())
        .map_or("help", String::as_str);
    let end = page.map(|page| {
        // Unbroken lines for a pipe and for programs; laid out for a terminal.
        let text = page.render(usize::MAX, false);
        let data = Map::from_iter([("text".to_owned(), text.as_str().into())]);
        (VerbText::new(text, page), data).into()
    });
    report::finish(terminal, options, name, started, end)
}

/// Returns the page on a command, a verb or subcommand, the options, or everything. Lists leave out the commands that
/// the rules of the policy close, and the page of such a command says so.
fn page(
    topic: &[String],
    extent: Extent,
    terminal: &Terminal,
    policy: Option<&Policy>,
) -> Result<StyledText, Failure> {
    let Some((word, rest)) = topic.split_first().filter(|(word, _)| *word != "help") else {
        return general_text(extent, terminal, policy);
    };
    if word == OPTIONS && rest.is_empty() {
        return Ok(options_text(CommandLine::command(), terminal));
    }
    let mut verbs = VerbLine::command();
    if verbs.find_subcommand(word).is_some() {
        let is_own = extent != Extent::Long;
        if is_own {
            verbs = verbs.mut_args(|option| {
                let is_global = option.get_help_heading() == Some(GLOBAL_OPTIONS);
                option.hide(is_global)
            });
        }
        if terminal.is_styled() {
            verbs = on_width(verbs, terminal);
        }
        verbs.build();
        let verb = topic
            .iter()
            .try_fold(&mut verbs, |verb, word| verb.find_subcommand_mut(word))
            .ok_or_else(|| too_many(word, "does not have this subcommand"))?;
        // clap's short form refers to a long form.
        let text = if extent == Extent::Long {
            verb.render_long_help().to_string()
        } else {
            verb.render_help().to_string()
        };
        let mut page = coloured(&without_reference(&text));
        if is_own {
            page.gap();
            page.line(StyledLine::new(
                Role::Plain,
                "`vault-gw help options` lists the options of every command and verb.",
            ));
        }
        return Ok(page);
    }
    let command = Catalogue::find_builtin(word)?;
    if rest.is_empty() {
        let closed = policy.and_then(|policy| policy.check_rules(&command).err());
        let form = policy.and_then(|policy| policy.form_of(&command));
        Ok(command_text(
            form.as_deref().unwrap_or(&command),
            closed.as_ref(),
        ))
    } else {
        Err(too_many(word, "is a command and must be the last word"))
    }
}

/// The only topic that is neither a command nor a verb.
const OPTIONS: &str = "options";

fn too_many(word: &str, why: &str) -> Failure {
    Code::UsageError.failure(format!(
        "`help` takes one command or verb. `{}` {why}.",
        allowlist::shown(word)
    ))
}

/// Whether [`print()`] has a page for these words.
pub(super) fn has_page_on(topic: &[String], terminal: &Terminal) -> bool {
    page(topic, Extent::Whole, terminal, None).is_ok()
}

/// Returns the effects that a parameter or a flag adds to the effects of its command.
fn added(effects: EffectSet) -> String {
    let adds: Vec<&str> = effects.iter().map(Effect::name).collect();
    if adds.is_empty() {
        String::new()
    } else {
        format!(" (adds: {})", adds.join(", "))
    }
}

/// Returns the page of one command; `closed` is why the rules for commands close it.
fn command_text(command: &Command, closed: Option<&Failure>) -> StyledText {
    let effects: Vec<&str> = command.effects.iter().map(Effect::name).collect();
    let ours = if command.is_ours() {
        "; a command of this gateway, which the official CLI does not have"
    } else {
        ""
    };
    let mut page = StyledText::default();
    prose(&mut page, &command.summary);
    if let Some(closed) = closed {
        prose(&mut page, &closed.for_person());
    }
    page.gap();
    let usage = StyledLine::new(Role::Heading, "Usage: ");
    page.line(
        usage
            .with(Role::Plain, &format!("vault-gw {}", command.usage()))
            .with_hanging_indent(7),
    );
    if let Some(short) = command.bare_usage() {
        let short = format!("       vault-gw {short}");
        page.line(StyledLine::new(Role::Plain, &short).with_hanging_indent(9));
    }
    page.gap();
    prose(
        &mut page,
        &format!(
            "Tier {}, effects: {}{ours}",
            command.tier.name(),
            effects.join(", ")
        ),
    );
    if !command.params.is_empty() {
        heading(&mut page, "Parameters:");
        for param in &command.params {
            let note = if param.required { " (required)" } else { "" };
            let about = format!("{}{note}{}", param.summary, added(param.effects));
            row(&mut page, &param.usage(), &about, NAME_COLUMN);
        }
    }
    let mut texts = command.params.iter();
    if let Some(text) = texts.find(|param| param.kind == ParamKind::Text) {
        page.gap();
        let name = &text.name;
        prose(
            &mut page,
            &format!(
                "`{name}=-` reads the text from standard input. `{name}=@FILE` reads the text from a file."
            ),
        );
    }
    if !command.flags.is_empty() {
        heading(&mut page, "Flags:");
        for flag in &command.flags {
            let about = format!("{}{}", flag.summary, added(flag.effects));
            row(&mut page, &flag.name, &about, NAME_COLUMN);
        }
    }
    if !command.help.is_empty() {
        page.gap();
        page.append(coloured(&command.help));
    }
    if !command.accept.is_empty() {
        heading(&mut page, "Examples:");
        for example in &command.accept {
            page.line(
                StyledLine::new(Role::Plain, &format!("  vault-gw {example}"))
                    .with_hanging_indent(4),
            );
        }
    }
    page
}

fn prose(page: &mut StyledText, text: &str) {
    page.line(StyledLine::new(Role::Plain, text));
}

fn heading(page: &mut StyledText, text: &str) {
    page.gap();
    page.line(StyledLine::new(Role::Heading, text));
}

/// A name and its description, on the next line if the name is long.
fn row(page: &mut StyledText, name: &str, about: &str, column: usize) {
    let hang = column + 3;
    let name = StyledLine::new(Role::Plain, "  ").with(Role::Name, name);
    if name.width() < hang {
        let gap = " ".repeat(hang - name.width());
        page.line(
            name.with(Role::Plain, &gap)
                .with(Role::Plain, about)
                .with_hanging_indent(hang),
        );
    } else {
        page.line(name.with_hanging_indent(4));
        let about = StyledLine::new(Role::Plain, &format!("{:hang$}{about}", ""));
        page.line(about.with_hanging_indent(hang));
    }
}

/// Returns the page of `vault-gw help`, `-h` and `--help`.
fn general_text(
    extent: Extent,
    terminal: &Terminal,
    policy: Option<&Policy>,
) -> Result<StyledText, Failure> {
    let mut page = StyledText::default();
    prose(&mut page, super::ABOUT);
    page.gap();
    for (start, usage) in [
        (
            "Usage: ",
            "vault-gw [OPTIONS] <COMMAND> [PARAM=VALUE …] [FLAG …]",
        ),
        ("       ", "vault-gw [OPTIONS] <VERB>"),
    ] {
        page.line(
            StyledLine::new(Role::Heading, start)
                .with(Role::Plain, usage)
                .with_hanging_indent(9),
        );
    }
    match extent {
        Extent::Short => {
            short(
                &mut page,
                terminal.is_styled() && terminal.columns() < SHORT_PAGE,
                policy,
            );
        }
        Extent::Whole | Extent::Long => whole(&mut page, Catalogue::whole()?, terminal, policy),
    }
    Ok(page)
}

/// The most common calls, on one screen. On a narrow terminal, which the examples fill, without
/// descriptions.
fn short(page: &mut StyledText, is_narrow: bool, policy: Option<&Policy>) {
    let example = |page: &mut StyledText, line: &str, about: &str| {
        if is_narrow {
            page.line(
                StyledLine::new(Role::Plain, "  ")
                    .with(Role::Name, line)
                    .with_hanging_indent(4),
            );
        } else {
            row(page, line, about, SHORT_COLUMN);
        }
    };
    heading(page, "Try:");
    for (line, about) in every_day(policy) {
        example(page, line, about);
    }
    heading(page, "More:");
    for (line, about) in [
        ("vault-gw --help", "every command, verb and option"),
        ("vault-gw help COMMAND", "what one command takes"),
        ("vault-gw help options", "options of every command"),
    ] {
        example(page, line, about);
    }
}

/// The most common calls, with their descriptions.
const EVERY_DAY: [(&str, &str); 10] = [
    ("vault-gw demo", "see it work on a small vault"),
    ("vault-gw doctor", "check this machine"),
    ("vault-gw setup", "find your vault and your agents"),
    ("vault-gw daily:read", "today's daily note"),
    ("vault-gw daily:append \"Buy milk\"", "add to it"),
    ("vault-gw search:context boat", "find text, with its lines"),
    ("vault-gw read Home", "read a note"),
    ("vault-gw notes:list Projects", "notes, as a table"),
    ("vault-gw --dry-run delete Old", "what a change would do"),
    ("vault-gw undo", "take the last change back"),
];

/// Returns the most common calls whose commands the rules leave open.
fn every_day(policy: Option<&Policy>) -> impl Iterator<Item = (&'static str, &'static str)> {
    EVERY_DAY
        .into_iter()
        .filter(move |(line, _)| line.split(' ').all(|word| super::is_open(word, policy)))
}

/// The width of the left column of the short page.
const SHORT_COLUMN: usize = 43;
/// Below this width, in columns, the descriptions of the short page would need rows of their own.
const SHORT_PAGE: usize = 70;

/// The most common calls, the verbs, the commands by task, and the options.
///
/// On a terminal only the names, so that it fits on three screens: each word has its own page.
fn whole(
    page: &mut StyledText,
    catalogue: &Catalogue,
    terminal: &Terminal,
    policy: Option<&Policy>,
) {
    let is_brief = terminal.is_on_screen();
    heading(page, "Every day:");
    for (line, about) in every_day(policy) {
        row(page, line, about, SHORT_COLUMN);
    }
    heading(page, "Verbs:");
    let verbs = VerbLine::command();
    if is_brief {
        names(page, verbs.get_subcommands().map(clap::Command::get_name));
    }
    for verb in verbs.get_subcommands().filter(|_| !is_brief) {
        let about = verb.get_about().map(ToString::to_string);
        row(
            page,
            verb.get_name(),
            &about.unwrap_or_default(),
            COMMAND_COLUMN,
        );
    }
    for task in Task::ALL {
        let mut commands = catalogue
            .commands()
            .filter(|command| command.task == task && super::is_open(&command.id, policy))
            .peekable();
        if commands.peek().is_some() {
            heading(page, &format!("{}:", task.title()));
            if is_brief {
                names(page, commands.map(|command| command.id.as_str()));
                continue;
            }
            for command in commands {
                row(page, &command.id, &command.summary, COMMAND_COLUMN);
            }
        }
    }
    page.gap();
    if is_brief {
        let more = "`vault-gw help WORD` explains a command or verb. `vault-gw help options` lists the options of every command and verb.";
        prose(page, more);
    } else {
        page.append(options_text(CommandLine::command(), terminal));
    }
}

/// Adds names, separated by spaces, in rows.
fn names<'a>(page: &mut StyledText, names: impl Iterator<Item = &'a str>) {
    let names: Vec<&str> = names.collect();
    let line = StyledLine::new(Role::Plain, "  ").with(Role::Name, &names.join("  "));
    page.line(line.with_hanging_indent(2));
}

/// Returns the options of every command and verb.
fn options_text(mut grammar: clap::Command, terminal: &Terminal) -> StyledText {
    if terminal.is_styled() {
        grammar = on_width(grammar, terminal);
    }
    let help = grammar.render_help().to_string();
    let options = help
        .split_once("Options:\n")
        .map_or("", |(_, options)| options);
    let mut page = StyledText::default();
    page.line(StyledLine::new(Role::Heading, "Options:"));
    page.append(coloured(&without_reference(options)));
    page
}

/// Returns the grammar for pages on a terminal. On a narrow one the description of an option is below its name.
fn on_width(grammar: clap::Command, terminal: &Terminal) -> clap::Command {
    let columns = terminal.prose_columns();
    let grammar = grammar.term_width(columns);
    if columns < SHORT_PAGE {
        grammar.mut_args(|option| option.next_line_help(true))
    } else {
        grammar
    }
}

/// Returns the page without clap's reference to another form, which may take several rows.
fn without_reference(page: &str) -> String {
    let Some((before, rest)) = page.split_once("(see more") else {
        return page.to_owned();
    };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    before.trim_end().to_owned() + after
}

/// Returns a page of clap with roles for headings, names of options and other words.
fn coloured(text: &str) -> StyledText {
    let mut page = StyledText::default();
    for line in text.lines() {
        page.line(coloured_line(line));
    }
    page
}

fn coloured_line(line: &str) -> StyledLine {
    let indent = line.len() - line.trim_start().len();
    if indent == 0 {
        if let Some(usage) = line.strip_prefix("Usage: ") {
            return StyledLine::new(Role::Heading, "Usage: ").with(Role::Plain, usage);
        }
        let is_heading = line.ends_with(':');
        let role = if is_heading {
            Role::Heading
        } else {
            Role::Plain
        };
        return StyledLine::new(role, line);
    }
    let rest = line.get(indent..).unwrap_or_default();
    // A name, at least two spaces, then its description.
    match rest.find("  ").filter(|_| indent < NAME_COLUMN) {
        Some(end) => {
            let (name, about) = rest.split_at(end);
            let gap = about.len() - about.trim_start().len();
            StyledLine::new(Role::Plain, &" ".repeat(indent))
                .with(Role::Name, name)
                .with(Role::Plain, about)
                .with_hanging_indent(indent + end + gap)
        }
        None => StyledLine::new(Role::Plain, line).with_hanging_indent(indent),
    }
}
