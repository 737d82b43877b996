//! Help pages, generated from the catalogue.

use std::process::ExitCode;
use std::time::Instant;

use clap::CommandFactory as _;
use serde_json::Map;

use super::verb::Verb;
use super::{CommandLine, VerbLine};
use crate::cli::report::{self, VerbText};
use allowlist::{Catalogue, Command, Effect, EffectSet, ParamKind, Task};
use frontend::{
    CommandLineOptions, Role, StyledLine, StyledText, Terminal, options::GLOBAL_OPTIONS,
};
use protocol::{Code, Failure};
use tiers::Policy;

/// The width of the name column, in characters.
const NAME_COLUMN: usize = 28;
/// The width of that column in lists of commands and verbs.
const COMMAND_COLUMN: usize = 19;

/// The length of a help page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The purpose of the program: `vault-gw` without a word.
    Story,
    /// Only what a verb itself accepts: `-h` and `help`.
    Short,
    /// The options of every verb too, and the values of options: `--help`.
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

/// Prints the page of `help --all`.
pub(super) fn print_everything(
    terminal: &Terminal,
    options: &CommandLineOptions,
    policy: Option<&Policy>,
) -> ExitCode {
    let topic = [EVERYTHING.to_owned()];
    print(terminal, options, &topic, Extent::Short, policy)
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
        let topic = if extent == Extent::Story {
            GeneralTopic::Story
        } else {
            GeneralTopic::OneScreen
        };
        return general_text(topic, terminal, policy);
    };
    if word == EVERYTHING && rest.is_empty() {
        return general_text(GeneralTopic::Everything, terminal, policy);
    }
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
        if terminal.stdout.is_styled {
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
        if rest.is_empty() {
            add_guide(&mut page, word);
        }
        if is_own {
            page.gap();
            page.line(StyledLine::new(
                Role::Plain,
                "`vault-gw help options` lists the options that work with every command.",
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
        Err(too_many(word, "must be the last word"))
    }
}

/// The topic of the options that every command and verb takes.
const OPTIONS: &str = "options";
/// The topic of everything, also written `--all`.
pub(super) const EVERYTHING: &str = "all";

fn too_many(word: &str, why: &str) -> Failure {
    Code::UsageError.failure(format!(
        "`help` explains one command at a time. `{}` {why}.",
        allowlist::shown(word)
    ))
}

/// Whether [`print()`] has a page for these words.
pub(super) fn has_page_on(topic: &[String], terminal: &Terminal) -> bool {
    page(topic, Extent::Short, terminal, None).is_ok()
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
        ". Obsidian's command line does not have this command."
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
            "In rules: tier {}, effects: {}{ours}",
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
    if command.has_steps() {
        let catalogue = Catalogue::builtin().into_iter();
        let steps = catalogue.flat_map(Catalogue::steps);
        let steps: Vec<&str> = steps.map(|step| step.id.as_str()).collect();
        heading(&mut page, "Steps:");
        prose(&mut page, &steps.join(", "));
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

/// Returns the pages that are not about one word: the story, one screen, or everything.
fn general_text(
    topic: GeneralTopic,
    terminal: &Terminal,
    policy: Option<&Policy>,
) -> Result<StyledText, Failure> {
    let mut page = StyledText::default();
    if topic == GeneralTopic::Story {
        for sentence in STORY {
            prose(&mut page, sentence);
        }
        heading(&mut page, "Start:");
        for line in START {
            verb_row(&mut page, "vault-gw ", line);
        }
        page.gap();
        prose(&mut page, "`vault-gw --help` shows the everyday commands.");
        return Ok(page);
    }
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
    match topic {
        GeneralTopic::Everything => everything(&mut page, Catalogue::whole()?, terminal, policy),
        _ => one_screen(&mut page, Catalogue::whole()?, policy),
    }
    Ok(page)
}

/// The pages that are not about one word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GeneralTopic {
    /// `vault-gw` alone: what the program is for.
    Story,
    /// `help`, `-h` and `--help`: the commands of every day.
    OneScreen,
    /// `help --all`: every verb, command and option.
    Everything,
}

/// Says what the program does, for somebody who has not heard of it. The README begins with it.
pub(crate) const STORY: [&str; 5] = [
    "vault-gw sits between AI agents and your Obsidian notes.",
    "Agents read the notes that you allow. Their changes wait in a draft until you accept them, one by one, at the terminal or in the browser.",
    "You can undo accepted changes, and a log records all calls.",
    "An agent that has read outside text, such as a web clipping, cannot send anything out through vault-gw for a day, unless you allow it.",
    "It works with Claude, Cursor, Codex and other MCP clients. Obsidian does not have to run. On Linux, it also runs any program in a fence: the program sees only a copy of the notes that you allow.",
];

/// The first verbs to try, as they are typed.
const START: [&str; 4] = ["demo", "setup", "review", "run -- claude"];

/// The commands of every day, each as a line that can be typed.
const EVERY_DAY: [&str; 10] = [
    "daily:read",
    "daily:append \"Buy milk\"",
    "read Home",
    "search:context boat",
    "notes:list Projects",
    "tasks todo",
    "create Ideas \"A list\"",
    "append Ideas \"A line\"",
    "move Ideas Archive/",
    "delete Ideas",
];

/// The verbs of every day, as they are typed.
const EVERY_DAY_VERBS: [&str; 6] = [
    "setup",
    "review",
    "undo",
    "rules",
    "run -- claude",
    "doctor",
];

/// The options of every day, with what they do.
const EVERY_DAY_OPTIONS: [(&str, &str); 4] = [
    ("--vault NAME|PATH", "use this vault"),
    ("--dry-run", "show what a change would do, and do nothing"),
    ("-o json", "print JSON; also table, csv, yaml and others"),
    ("--agent NAME", "act under the rules of this agent"),
];

/// The calls that print the rest of the help.
const FURTHER_HELP: [(&str, &str); 5] = [
    ("help read", "parameters and examples of a command or verb"),
    ("help --all", "every command, verb and option"),
    ("help settings", "every setting, with its default"),
    (
        "help agents",
        "how agents connect, and how to give one its own rules",
    ),
    ("demo", "see it work on a sample vault"),
];

/// Verbs that answer programs, not people.
const FOR_PROGRAMS: [&str; 5] = ["call", "mcp", "schema", "capabilities", "context"];

/// The width of the left column of the page of one screen.
const EXAMPLE_COLUMN: usize = 24;
/// Below this width, in columns, the descriptions of options need rows of their own.
const NARROW: usize = 70;

/// Adds a line with a verb, after the name of the program or nothing, and what the verb does.
fn verb_row(page: &mut StyledText, program: &str, line: &str) {
    let verb = line.split(' ').next().unwrap_or_default();
    let about = Verb::about(verb).unwrap_or_default();
    row(page, &format!("{program}{line}"), &about, EXAMPLE_COLUMN);
}

/// Adds the commands, verbs and options of every day. Commands that the rules close are left out.
fn one_screen(page: &mut StyledText, catalogue: &Catalogue, policy: Option<&Policy>) {
    heading(page, "Notes:");
    for line in EVERY_DAY {
        let id = line.split(' ').next().unwrap_or_default();
        let command = catalogue.commands().find(|command| command.id == id);
        if let Some(command) = command.filter(|_| super::is_open(id, policy)) {
            row(page, line, &command.summary, EXAMPLE_COLUMN);
        }
    }
    heading(page, "Agents:");
    for line in EVERY_DAY_VERBS {
        verb_row(page, "", line);
    }
    heading(page, "Options:");
    for (option, about) in EVERY_DAY_OPTIONS {
        row(page, option, about, EXAMPLE_COLUMN);
    }
    heading(page, "More:");
    for (line, about) in FURTHER_HELP {
        row(page, line, about, EXAMPLE_COLUMN);
    }
}

/// Adds every verb, every command by its task, and every option.
fn everything(
    page: &mut StyledText,
    catalogue: &Catalogue,
    terminal: &Terminal,
    policy: Option<&Policy>,
) {
    let verbs = VerbLine::command();
    for (title, is_for_programs) in [("Verbs:", false), ("For programs:", true)] {
        heading(page, title);
        let listed = verbs.get_subcommands();
        for verb in listed.filter(|verb| FOR_PROGRAMS.contains(&verb.get_name()) == is_for_programs)
        {
            let about = verb.get_about().map(ToString::to_string);
            row(
                page,
                verb.get_name(),
                &about.unwrap_or_default(),
                COMMAND_COLUMN,
            );
        }
    }
    for task in Task::ALL {
        let mut commands = catalogue
            .commands()
            .filter(|command| command.task == task && super::is_open(&command.id, policy))
            .peekable();
        if commands.peek().is_some() {
            heading(page, &format!("{}:", task.title()));
            for command in commands {
                row(page, &command.id, &command.summary, COMMAND_COLUMN);
            }
        }
    }
    page.gap();
    page.append(options_text(CommandLine::command(), terminal));
}

/// Lines about agents, under their headings, before the page of the verb `agents`.
const ABOUT_AGENTS: [(&str, &[(&str, &str)]); 4] = [
    (
        "Connect an agent:",
        &[
            ("setup", "asks, and sets up the MCP clients found here"),
            ("install claude-code", "set up one client"),
            ("run -- claude", "run a program in a fence (on Linux)"),
            ("mcp", "the server that a client's entry starts"),
            ("call", "JSON requests from a program of your own"),
        ],
    ),
    (
        "Give an agent its own rules:",
        &[
            (
                "agents add helper --no-token",
                "a table for it in the settings",
            ),
            ("install cursor --agent helper", "this client is that agent"),
            ("run --agent helper -- claude", "this program is that agent"),
            (
                "settings set agents.helper.tier v0",
                "only daily and random notes",
            ),
        ],
    ),
    (
        "See what agents do:",
        &[
            ("rules", "what each may do, and which settings say so"),
            ("review", "accept or reject what they changed"),
            ("audit --from helper", "every call of this agent"),
            (
                "explain --agent helper \"read Home\"",
                "whether it may, and which rule says so",
            ),
        ],
    ),
    (
        "Stop all agents:",
        &[("settings set enabled false", "no agent can call any more")],
    ),
];

/// Adds what the page of a verb says besides its grammar.
fn add_guide(page: &mut StyledText, verb: &str) {
    if verb == "agents" {
        for (title, lines) in ABOUT_AGENTS {
            heading(page, title);
            for (line, about) in lines {
                row(page, line, about, GUIDE_COLUMN);
            }
        }
    }
    if verb == "settings" {
        heading(page, "Settings, with their defaults:");
        for setting in settings::described() {
            let line = format!("{} = {}", setting.key, setting.default);
            row(page, &line, &setting.about, NAME_COLUMN);
        }
    }
}

/// The width of the left column of the lines about agents.
const GUIDE_COLUMN: usize = 36;

/// Returns the options of every command and verb.
fn options_text(mut grammar: clap::Command, terminal: &Terminal) -> StyledText {
    if terminal.stdout.is_styled {
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
    if columns < NARROW {
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
