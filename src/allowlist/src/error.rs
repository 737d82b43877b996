//! The errors of commands and their arguments. Those that begin with their command are for any of its forms.

use protocol::{Message, Part, errors, message};

use super::MAX_ARGUMENTS;
use super::admit::shown;

errors! {
    pub(crate) enum Error {
        Catalogue(error: String) => InternalError
            "{error}";
        Refused(command: String, reason: String, instead: Message, effects: Vec<&'static str>) => CommandRefused
            { command, effects }
            "`{command}` is never allowed. {reason}"
            (instead);
        Unknown(command: String, meant: Message, nearest: Vec<String>) => UnknownCommand
            { command, nearest }
            "There is no command `{command}`."
            (meant);
        NotOnlyAName(command: String, first: String) => UnknownCommand
            { command: shown(&command), nearest: vec![first] }
            "`command` contains more than the name of a command."
            "Pass `{first}` as `command`, and its parameters in `params`.";
        TooMany(count: usize) => UsageError { count, limit: MAX_ARGUMENTS }
            "The request has {count} parameters, but the limit is {MAX_ARGUMENTS}.";
        Unfit(command: String, parameter: String, rule: String) => UsageError { command, parameter }
            (message!("`{}`{}: {}.", parameter, of(&command), rule));
        Alone(command: String, name: String, with: String) => UsageError
            { command, missing: vec![with] }
            (message!("{} takes `{}` only together with `{}`.", it(&command), name, with));
        Missing(command: String, missing: Vec<String>, usage: Message) => UsageError
            { command, missing }
            (message!("{} needs {}.", it(&command), quoted(&missing)))
            (usage);
        PathAndFile(command: String) => UsageError { command, exclusive: vec!["file", "path"] }
            (message!("{} was given both `path` and `file`.", it(&command)))
            ("Pass only `path`, which is exact.");
        Exclusive(command: String, exclusive: Vec<String>, next: &'static str) => UsageError
            { command, exclusive }
            (message!("{} takes only one of {}.", it(&command), quoted(&exclusive)))
            (next);
        EmptyRange(command: String, start: &'static str, end: &'static str, from: String, to: String) => UsageError
            { command, parameter: start }
            (message!("`{}`{} is later than `{}`, so the range is empty.", start, of(&command), end))
            (format!("Pass `{start}` {to} and `{end}` {from}, or omit one of them."));
        Twice(command: String, parameter: String) => UsageError { command, parameter }
            (message!("{} was given `{}` twice.", it(&command), parameter))
            ("Pass only one value.");
        NoName(command: String, usage: String) => UsageError { command }
            (message!("{} needs a name.", it(&command)))
            (Part::Usage(usage));
        FlagValue(command: String, parameter: String) => UsageError { command, parameter }
            (message!("`{}`{} is a flag, so its value must be `true` or `false`.", parameter, of(&command)))
            (format!("Write `{parameter}` alone, `{parameter}=true` or `{parameter}=false`."));
        FlagOrValue(command: String, flag: String, parameter: String, value: String) => UsageError
            { command, parameter }
            (message!("`{}` can mean the flag{} or the value of `{}`.", flag, of(&command), parameter))
            (format!("To pass the word as a value, write `{value}`. To set the flag, write `{flag}=true`."));
        NoValue(command: String, parameter: String, usage: String) => UsageError
            { command, parameter }
            (message!("`{}`{} needs a value.", parameter, of(&command)))
            (format!("Write `{usage}`."));
    }
}

/// The command as the subject of a sentence.
fn it(command: &str) -> Part {
    Part::Subject(command.to_owned())
}

/// ` of ` and the command.
fn of(command: &str) -> Part {
    Part::OfSubject(command.to_owned())
}

/// Formats words as a list, each in backticks.
fn quoted(words: &[String]) -> String {
    format!("`{}`", words.join("`, `"))
}
