//! The errors of settings: their files, the lists that they name, and their edits.

use protocol::{Message, errors, failure::NO_SUCH_AGENT, for_person, message};

use super::EVERY_AGENT;
use super::edit::LONGEST;
use sandbox::Unsafe;
use tiers::{CommandPatternError, LIST, PatternError};
use vault_engine::shown::row;

errors! {
    pub(super) enum Error {
        // The file.
        Mistake(file: String, line: usize, what: String, hint: String, key: Option<String>) => ConfigInvalid
            { file, line, hint, key }
            "{file}, line {line}: {what}"
            "{hint}";
        InsideVault(file: String) => ConfigInvalid { file }
            "{file} is inside the vault. Any program that can write notes could change it."
            "Move the settings file out of the vault folder.";
        NoFolder(variable: &'static str, problem: &'static str, what: &'static str, set: String) => ConfigMissing
            { variable }
            "vault-gw cannot find {what}, because `{variable}` {problem}."
            "{set}";
        PathRules(error: PatternError) => ConfigInvalid
            (format!("A pattern of the path rules {}. {}.", error.reason, error.hint));
        CommandRule(error: CommandPatternError) => ConfigInvalid
            "A rule for commands is invalid: {error}";
        NoAgent(agent: String, hint: Message, adding: Message) => UsageError
            { reason: NO_SUCH_AGENT, agent }
            "The settings do not have an agent `{agent}`."
            (hint)
            (adding);

        // The lists of commands next to it.
        NoList(list: String) => ConfigInvalid { list }
            "The setting `{LIST}` names the file `{list}`, which does not exist."
            (for_person(format!("Create the file in the folder of the settings file. `vault-gw {LIST} show` prints an example with all commands.")));
        UnusableList(list: String, reason: Unsafe) => ConfigInvalid { list }
            "The setting `{LIST}` names the file `{list}`, which {reason}.";
        ListNotRead(list: String) => ConfigInvalid { list }
            "The file `{list}` was not read. The setting `{LIST}` names this file.";
        MistakeInList(list: String, line: usize, what: String) => ConfigInvalid { list, line }
            "{list}, line {line}: {what}";

        // Edits.
        FileChanged(file: String) => ConfigInvalid
            "Another program changed {file} during the edit. The file was not overwritten.";
        ReadOnly(file: String) => ConfigInvalid { file }
            "{file} is read-only, so the settings were not changed."
            "To change the settings, make the file writable first.";
        NotByEdit(file: String, key: String) => ConfigInvalid { file }
            "`{key}` cannot be changed in {file} without changing other settings."
            "Change the setting in the file by hand.";
        InvalidKey(key: String, hint: Message) => UsageError { key }
            (format!("`{}` is not a valid key.", row(&key)))
            (hint);
        NotForOneAgent(key: String) => UsageError { key }
            (format!("`{}` cannot be set, because this setting is the same for everyone.", row(&key)))
            ("To set it for everyone, omit `agents.NAME.`.");
        Table(key: String, keys: String) => UsageError { key }
            (format!("`{}` is a table of settings.", row(&key)))
            (format!("Set one of the keys in this table: `{keys}`."));
        UnknownKey(key: String, hint: Message) => UsageError { key }
            (format!("`{}` is not a setting.", row(&key)))
            (hint);
        InvalidValue(key: String, value: String, reason: String, takes: String) => UsageError
            { key }
            "`{key}` cannot be `{value}`{reason}."
            "The setting takes {takes}.";
        Conflict(key: String, what: String, hint: String) => UsageError { key }
            "{what}"
            "{hint}";
        AgentTaken(agent: String, other: String) => UsageError { agent }
            "The settings already have the agent `{other}`. Choose another name. A name that \
            differs only in letter case is not enough.";
        AgentName(agent: String) => UsageError { agent }
            (format!("`{}` cannot be the name of a new agent. Use 1 to {LONGEST} letters, digits, `-` and `_`. Do not begin with `-`.", row(&agent)));
        EveryAgent => UsageError { agent: EVERY_AGENT }
            "`{EVERY_AGENT}` means all agents, but the name of one agent is needed here."
            (for_person(message!("Change the settings of all agents with {$ set} and {$ unset}.")));
    }
}
