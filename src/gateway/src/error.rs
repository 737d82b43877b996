//! The errors of the way through, outside of the drafts.

use allowlist::{Effect, Tier, shown};
use backend::check_vault;
use protocol::{
    Code, Message, Part, errors,
    failure::{NO_SUCH_AGENT, NOTES_HERE, OTHER_FILES},
    for_person, for_program, joined, message, takes,
};
use settings::MAX_TIMEOUT_MS;
use store::journal::NoRunPrefix;
use tiers::{ApprovalChannel, Switch};
use vault_engine::shown::row;
use vault_engine::{PathError, VaultPath};

use crate::steps::MAX_BYTES;

errors! {
    pub(crate) enum Error {
        // The caller.
        AgentsOff => BridgeDisabled
            "Calls by agents are turned off.";
        AgentOff(key: String) => BridgeDisabled
            "Calls by this agent are turned off."
            "Ask the owner of the vault to set `{key}` to `true` in the settings."
            (for_person(message!("{} turns them on.", Part::Settings(format!("set {key} true")))));
        TimeoutRange => UsageError
            "`--timeout-ms` must be a number from 1 to {MAX_TIMEOUT_MS}.";
        FormerAgent(agent: String) => UsageError { reason: NO_SUCH_AGENT, agent }
            "The agent `{agent}` was revoked or renamed, so it has no access under this name."
            (for_person("If it is the same agent, run `vault-gw agents add NAME --again`. The rules of all agents then apply to it, until it has its own. Otherwise choose another name."));
        Restricted(code: Code, drafts: &'static str) => Tainted { code: code.name() }
            "This agent has read outside text, which may contain instructions, so it may not make this call. Nothing was done."
            "{drafts}"
            "Ask a person to make this call, or to end the restriction of this agent."
            (for_person("`vault-gw outside clear --agents` ends the restriction."));
        NotAPerson => UsageError
            "Only a person can say that a note is not outside text, or end the restriction of an agent."
            (for_person("Omit `--agent`."));
        NoAgent(agent: String) => UsageError
            (format!("There is no agent `{}`.", shown(&agent)))
            (for_person("`vault-gw outside` lists the restricted agents."));

        // The request.
        NoParameter(question: String, parameter: String, names: Vec<String>, nearest: Vec<String>) => UsageError
            { nearest }
            (format!("`{question}` has no parameter `{}`.", shown(&parameter)))
            (takes(&names));
        UnfitParameter(argument: String, takes: &'static str, got: &'static str) => UsageError { argument }
            "`{argument}` must be {takes}, not {got}.";
        NoGroup(groups: String, nearest: Vec<String>) => UsageError { argument: "group", nearest }
            "`group` must be the name of a group of commands."
            "The groups are {groups}.";
        NoTier => UsageError { argument: "tier" }
            "`tier` must be `v0`, `v1`, `v2` or `v3`.";
        NotOfQuestion(question: &'static str) => UsageError
            (message!("{ifHash} and `approval` are not parameters of `{}`.", question))
            ("Omit these parameters.");
        NoDryRun(question: &'static str) => UsageError
            "`{question}` does not support `dryRun`. Nothing was changed."
            (message!("{draft:show} shows the changes that can be withdrawn."));
        NotAStep(command: String) => UsageError
            (message!("{} cannot be a step.", Part::Subject(command)))
            ("Only a command that changes files of the vault can be a step. Call other commands on their own.");
        StepNeedsApp => UsageError
            "A step can only change files of the vault. It cannot use the app."
            "Omit the flag that needs the app, such as `open`.";
        StepTooLarge => ValidationError { limit: MAX_BYTES }
            "With this step, the change is too large for one call. Nothing was changed."
            "Split the steps into several calls.";
        InvalidQuery(faults: String) => ValidationError
            "Invalid search query: {faults}.";

        // The backend.
        NextInstance => UsageError
            "The app would mark this recurring task as done without adding the next task."
            "Nothing was changed. Use the backend `auto` or `embedded`.";
        IgnoredParameter(command: String) => UsageError
            "The app ignores one of the parameters of `{command}`, so its answer would be wrong."
            "Use the backend `embedded`, or omit the parameter.";
        NotOfTheApp(command: String) => UsageError
            "The app does not have the command `{command}`. Only vault-gw has it."
            "Use the backend `auto` or `embedded`.";
        MisreadPath(command: String) => UnrepresentableContent
            "The path contains a backslash or a control character, so the app would misread it in `{command}`."
            "Use the backend `embedded`.";
        AmbiguousRows(command: String) => UnrepresentableContent
            "A file name in the vault contains a line break or a tab. The app's answer to `{command}` would be ambiguous."
            "Use the backend `embedded`.";
        RequiresApp(command: String, app: Option<&'static str>) => RequiresApp { app }
            "Only the running app can answer `{command}`."
            "This vault must be open in Obsidian, with Obsidian's command line turned on."
            (for_person("Use the backend `auto` or `obsidian`."))
            (for_program("Ask the person to open it."));

        // The vault.
        OtherVault => VaultNotFound
            "This gateway serves another vault."
            "Omit `vault`.";
        VaultReplaced => VaultNotFound
            "The vault's folder was moved or replaced after this server started."
            "Restart the server.";
        VaultGone => VaultNotFound
            "The vault's folder does not exist or cannot be read."
            (check_vault());
        VaultNotOpened(why: String) => VaultNotFound
            "The vault cannot be opened: {why}."
            (check_vault());
        LastVaultGone => VaultNotFound
            "No vault is set. The folder of the vault that Obsidian opened last does not exist or cannot be read.";
        LastVaultNotOpened(why: String) => VaultNotFound
            "No vault is set. The vault that Obsidian opened last cannot be opened: {why}.";
        UnknownVault(named: String, next: String) => VaultNotFound { named }
            "Obsidian has no vault with the name `{named}`."
            "{next}";
        SeveralVaults(next: String) => AmbiguousTarget
            "Several vaults have this name."
            "{next}";
        ListOfVaults => ConfigInvalid { file: "obsidian.json" }
            "Obsidian's own list of vaults, `obsidian.json`, cannot be read."
            "Start Obsidian, which writes the list again. Or pass the folder of the vault.";
        NoVault(next: &'static str) => VaultNotSet
            "No vault is set."
            "{next}";
        NotesHere => VaultNotSet { reason: NOTES_HERE }
            "No vault is set. The working directory has notes, but no `.obsidian` folder."
            (for_person("To set this folder as the vault, run `vault-gw setup --vault .`. To use it only once, add `--vault .` to the command."));
        UnusableFolder(name: String, key: &'static str, what: &'static str) => ConfigInvalid { key }
            "The {name} {what}. Only the owner of the vault can set `{key}` in the settings. It must be an existing folder outside the vault.";
        HalfExported(error: String) => IoError
            "The export stopped before it was complete: {error}."
            "Check which notes are in the export folder.";

        // The notes.
        NoSuchFile(kind: &'static str, name: String, next: Message) => FileNotFound
            (message!("There is no {} \"{}\"{}.", kind, row(&name), Part::InTheVault))
            (next);
        SeveralNotes(candidates: Vec<String>) => AmbiguousTarget
            { candidates }
            (format!("{} notes have this name.", candidates.len()))
            ("Pass the path of one of these notes as `path`.");
        NoNote(path: String, next: Message) => FileNotFound
            (format!("There is no note `{}`.", row(&path)))
            (next);
        FolderNotNote(folder: String, next: Message) => FileNotFound
            (format!("`{}` is a folder, not a note.", row(&folder)))
            (next);
        NotAPath(note: String, error: PathError) => UsageError
            (format!("`{}` is not the path of a note: {error}.", shown(&note)));
        Exists(path: VaultPath) => FileExists { path: path.as_str() }
            "`{path}` exists already. Nothing was changed.";

        // Path rules.
        ClosedByRules(path: VaultPath, rules: Vec<String>) => PathDenied
            { path: path.as_str(), needs: rules }
            (message!("Access to `{}` is not allowed by {} in the settings.", path, joined(rules.iter().map(|rule| format!("`{rule}`").into()), "and")));
        FolderOfTheApp(command: String) => PathDenied { reason: "new-file" }
            "`{command}` creates a file in a folder that the app chooses. The path rules do not allow this."
            (message!("Use {create} with `path`."));
        TemplateOfTheApp => PathDenied
            "The app would create today's note from a template that the path rules may not allow."
            (message!("To create today's note, use {daily:append}."));
        Unlimited(command: String, instead: Message) => PathDenied
            "In the app, `{command}` could also use files that you may not read."
            (instead);
        HardLinks(file: VaultPath) => PathDenied
            { path: file.as_str(), needs: vec!["paths.allow_hard_links"] }
            "`{file}` has more than one path (hard links), and the app would change the file at each path. The path rules do not allow this.";
        Withheld => PathDenied
            "The answer of Obsidian is not shown, because it may contain paths outside this vault.";

        // Active content.
        OnlyTheAppKnows(command: String) => ActiveContent { needs: vec![Switch::Active.key()] }
            "vault-gw cannot check the text for active content, because only the app knows what `{command}` would write. Nothing was changed. Write the text yourself, or ask a person to make this call.";
        OnlyDrafted(path: VaultPath) => FileNotFound { path: path.as_str() }
            "`{path}` exists only in your draft, so the app cannot show it. A person must accept the draft first.";
        AppChooses(command: String) => ActiveContent { needs: vec![Switch::Active.key()] }
            "With `{command}`, the app chooses the note, which could have active content. Nothing was shown."
            (message!("Find a note with {notes:list} or {random:read}, then show it with {open}."));

        // Approvals.
        NobodyApproves(door: ApprovalChannel) => ApprovalRequired
            { reason: DOOR_CLOSED, door: door.name(), approveBy: Vec::<&str>::new() }
            "No call can be approved, because `approve_by` in the settings is an empty list.";
        NotInADialog(open: Vec<&'static str>) => ApprovalRequired
            { reason: DOOR_CLOSED, door: ApprovalChannel::Dialog.name(), approveBy: open }
            "The settings do not allow an approval in a dialog of this client. The owner of the vault can approve the call at their machine.";
        NotThisWay(way: &'static str, door: ApprovalChannel, open: Vec<&'static str>) => ApprovalRequired
            { reason: DOOR_CLOSED, door: door.name(), approveBy: open }
            (format!("The settings do not allow an approval {way}. `approve_by` contains only {}.", open.join(" and ")));
        NotAcceptedThisWay(nobody_answered: bool, open: Vec<&'static str>) => ApprovalRequired
            (match (open.as_slice(), nobody_answered) {
                ([], _) => "The setting `approve_by` is an empty list, so nobody can accept changes.".to_owned(),
                (_, true) => "To accept changes, answer at a terminal or add `--yes`.".to_owned(),
                _ => format!("You cannot accept changes in this way. The setting `approve_by` contains only {}.", open.join(" and ")),
            });
        VaultHalfChanged => Busy
            "A change of the vault was interrupted and is not repaired yet. Nothing was changed."
            "Ask the owner of the vault to repair it, then repeat the call."
            (for_person("`vault-gw review` repairs it."));

        // Undo.
        NoHashOfUndo(command: String) => UsageError
            (message!("`{}` does not take {ifHash}.", command))
            (message!("Omit {ifHash}."));
        RunId(error: NoRunPrefix) => UsageError
            "`run`: {error}."
            "To undo the last run, omit `run`.";
        RunNotText => UsageError
            "`run` must be the id of a run, as a string.";
        KeptWord(key: &'static str) => UsageError
            "`{key}` must be `show`, `beside` or `over`.";
        UndonePath(error: PathError) => UsageError
            "`path`: {error}.";
        PathOfUndo => UsageError
            "Use `path` only with `show` or `beside`.";
        NotOfUndo(command: String, name: String, meant: Message, fields: String) => UsageError
            (format!("`{command}` has no parameter `{}`.", shown(&name)))
            (meant)
            (format!("The command takes `{fields}`. `dryRun` lists the changes without making them. `approval` is the id of an approval, from an earlier answer."));
        UndoClosed(why: &'static str, tier: Tier, needs: Vec<String>) => MutationDisabled
            { tier: tier.name(), needs, effects: vec![Effect::Write.name()] }
            "{why}, so no change can be undone or redone.";
        UndoneCommandUnknown(tier: Tier) => CommandDenied { tier: tier.name() }
            "Only the owner of the vault can undo this run, because the journal no longer has its command. Nothing was changed.";
        UndoneStepClosed(command: String, tier: Tier) => CommandDenied { tier: tier.name() }
            "Only the owner of the vault can undo this run, because it has a step with `{command}`, which you may not use. Nothing was changed.";
        UndoneMove => PathDenied { reason: OTHER_FILES }
            "Only the owner of the vault can undo this move, because it may have changed notes that the path rules hide from you. Nothing was changed. You can move the file back instead.";
        UndoneLinks => PathDenied { reason: OTHER_FILES }
            "Only the owner of the vault can undo this run, because it may have changed notes that the path rules hide from you. Nothing was changed.";
        UndoneFiles => PathDenied { reason: OTHER_FILES }
            "Only the owner of the vault can undo this run, because it changed files that the path rules hide from you. Nothing was changed.";
        UndoneUnderRules(what: &'static str, keys: Message, again: &'static str) => PathDenied
            { reason: OTHER_FILES }
            "{what} Nothing was changed."
            (message!("Run {}, repeat the undo, and set {} again.", keys, again));

        // The run of the steps.
        Panicked => InternalError
            "A bug in vault-gw stopped the call. Please report it.";
        NotRecorded => InternalError
            "A bug in vault-gw prevented a record of this call. Please report it.";
        NotInTime => Timeout
            "The call exceeded `timeout_ms`. Nothing was changed."
            "Limit a search or a list, for example to one folder. For a large file, raise `timeout_ms`.";
    }
}

/// `details.reason` if the settings do not list the way in which a call was approved.
const DOOR_CLOSED: &str = "door-closed";
