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
            (for_person(message!("{} turns on calls by this agent.", Part::Settings(format!("set {key} true")))));
        TimeoutRange => UsageError
            "`--timeout-ms` must be a number from 1 to {MAX_TIMEOUT_MS}.";
        FormerAgent(agent: String) => UsageError { reason: NO_SUCH_AGENT, agent }
            "The agent `{agent}` was revoked or renamed, so it has no access under this name."
            (for_person("To use the name for the same agent again, run `vault-gw agents add NAME \
                --again`. The agent then has the rules for all agents, until you give it rules of \
                its own. For another agent, choose another name."));
        Restricted(code: Code, drafts: &'static str) => Tainted { code: code.name() }
            "Nothing was done. This agent may not make this call, because it has read outside \
            text, such as a web clipping. Such text may contain instructions."
            "{drafts}"
            "Ask a person to make this call, or to end the restriction of this agent."
            (for_person("`vault-gw outside clear --agents` ends the restriction."));
        NotAPerson => UsageError
            "Only a person can mark a note as free of outside text, or end the restriction of an \
            agent."
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
            (message!("{} cannot be a step in `changes`.", Part::Subject(command)))
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
            "The app would mark this recurring task as done, but it would not add the next task."
            "Nothing was changed. Set `backend` to `auto` or `embedded`, so that vault-gw makes \
            the change without the app.";
        IgnoredParameter(command: String) => UsageError
            "The app ignores a parameter of this `{command}` call, so the app's answer would be wrong."
            "Omit the parameter, or set `backend` to `embedded`, so that vault-gw answers without \
            the app.";
        NotOfTheApp(command: String) => UsageError
            "Only vault-gw has the command `{command}`. The app does not have it."
            "Set `backend` to `auto` or `embedded`.";
        MisreadPath(command: String) => UnrepresentableContent
            "The app would misread the path in `{command}`, because it contains a backslash or a \
            control character."
            "Set `backend` to `embedded`, so that vault-gw answers without the app.";
        AmbiguousRows(command: String) => UnrepresentableContent
            "A file name in the vault contains a line break or a tab, so the app's answer to \
            `{command}` would be ambiguous."
            "Set `backend` to `embedded`, so that vault-gw answers without the app.";
        RequiresApp(command: String, app: Option<&'static str>) => RequiresApp { app }
            "Only the running app can answer `{command}`."
            "This vault must be open in Obsidian, with Obsidian's command line turned on."
            (for_person("Set `backend` to `auto` or `obsidian`."))
            (for_program("Ask the person to open the vault in Obsidian."));

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
            "No vault is set. vault-gw tried the vault that Obsidian opened last, but its folder \
            does not exist or cannot be read.";
        LastVaultNotOpened(why: String) => VaultNotFound
            "No vault is set. vault-gw tried the vault that Obsidian opened last, but cannot open \
            it: {why}.";
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
            "The {name} {what}. The owner of the vault must set `{key}` in the settings to an \
            existing folder outside the vault.";
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
            (message!("The settings do not allow access to `{}`. See {}.", path, joined(rules.iter().map(|rule| format!("`{rule}`").into()), "and")));
        FolderOfTheApp(command: String) => PathDenied { reason: "new-file" }
            "The path rules do not allow `{command}`, because the app chooses the folder of the \
            new file."
            (message!("Use {create} with `path`."));
        TemplateOfTheApp => PathDenied
            "The app would use a template for today's note, and the path rules might not allow this template."
            (message!("To create today's note, use {daily:append}."));
        Unlimited(command: String, instead: Message) => PathDenied
            "The path rules do not allow `{command}` in the app, because the app could use files \
            that you may not read."
            (instead);
        HardLinks(file: VaultPath) => PathDenied
            { path: file.as_str(), needs: vec!["paths.allow_hard_links"] }
            "The path rules do not allow this change. `{file}` has several paths (hard links), and \
            the app would change the file at each of them.";
        Withheld => PathDenied
            "The answer of Obsidian is not shown, because it may contain paths outside this vault.";

        // Active content.
        OnlyTheAppKnows(command: String) => ActiveContent { needs: vec![Switch::Active.key()] }
            "Nothing was changed. Only the app knows what `{command}` would write, so vault-gw \
            cannot check the text for active content. Write the text yourself, or ask a person to \
            make this call.";
        OnlyDrafted(path: VaultPath) => FileNotFound { path: path.as_str() }
            "`{path}` exists only in your draft, so the app cannot show it. A person must accept the draft first.";
        AppChooses(command: String) => ActiveContent { needs: vec![Switch::Active.key()] }
            "Nothing was shown. `{command}` lets the app choose the note, so vault-gw cannot check \
            the note for active content."
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
            (format!("The settings do not allow an approval {way}. `approve_by` contains only `{}`.", open.join("` and `")));
        NotAcceptedThisWay(nobody_answered: bool, open: Vec<&'static str>) => ApprovalRequired
            (match (open.as_slice(), nobody_answered) {
                ([], _) => "The setting `approve_by` is an empty list, so nobody can accept changes.".to_owned(),
                (_, true) => "To accept changes, answer the question at a terminal, or add `--yes`.".to_owned(),
                _ => format!("You cannot accept changes in this way. The setting `approve_by` contains only `{}`.", open.join("` and `")),
            });
        VaultHalfChanged => Busy
            "Nothing was changed. An earlier change of the vault was interrupted and is not \
            repaired yet."
            "Ask the owner of the vault to repair this change, then repeat the call."
            (for_person("`vault-gw review` repairs the change."));

        // Undo.
        NoHashOfUndo(command: String) => UsageError
            (message!("`{}` does not take {ifHash}.", command))
            (message!("Omit {ifHash}."));
        RunId(error: NoRunPrefix) => UsageError
            "`run` is not valid: {error}."
            "To undo the last run, omit `run`.";
        RunNotText => UsageError
            "`run` must be the id of a run, as a string.";
        KeptWord(key: &'static str) => UsageError
            "`{key}` must be `show`, `beside` or `over`.";
        UndonePath(error: PathError) => UsageError
            "`path` is not valid: {error}.";
        PathOfUndo => UsageError
            "Use `path` only if `kept` is `show` or `beside`.";
        NotOfUndo(command: String, name: String, meant: Message, fields: String) => UsageError
            (format!("`{command}` has no parameter `{}`.", shown(&name)))
            (meant)
            (format!("The command takes `{fields}`. With `dryRun`, it lists the changes and makes none. \
                `approval` takes the id of an approval from an earlier answer."));
        UndoClosed(why: &'static str, tier: Tier, needs: Vec<String>) => MutationDisabled
            { tier: tier.name(), needs, effects: vec![Effect::Write.name()] }
            "{why}, so no change can be undone or redone.";
        UndoneCommandUnknown(tier: Tier) => CommandDenied { tier: tier.name() }
            "Nothing was changed. Only the owner of the vault can undo this run, because the undo \
            history no longer has the command of the run.";
        UndoneStepClosed(command: String, tier: Tier) => CommandDenied { tier: tier.name() }
            "Nothing was changed. Only the owner of the vault can undo this run, because it used \
            `{command}`, which you may not use.";
        UndoneMove => PathDenied { reason: OTHER_FILES }
            "Nothing was changed. Only the owner of the vault can undo this move, because it may \
            have changed notes that the path rules hide from you. You can move the file back \
            instead.";
        UndoneLinks => PathDenied { reason: OTHER_FILES }
            "Nothing was changed. Only the owner of the vault can undo this run, because it may \
            have changed notes that the path rules hide from you.";
        UndoneFiles => PathDenied { reason: OTHER_FILES }
            "Nothing was changed. Only the owner of the vault can undo this run, because it \
            changed files that the path rules hide from you.";
        UndoneUnderRules(what: &'static str, keys: Message, again: &'static str) => PathDenied
            { reason: OTHER_FILES }
            "Nothing was changed. {what}"
            (message!("Run {}, then repeat the undo. After that, restore {}.", keys, again));

        // The run of the steps.
        Panicked => InternalError
            "A bug in vault-gw stopped the call. Please report it.";
        NotRecorded => InternalError
            "This call could not be recorded, because of a bug in vault-gw. Please report it.";
        NotInTime => Timeout
            "The call took longer than `timeout_ms` allows. Nothing was changed."
            "Limit a search or a list, for example to one folder. For a large file, raise `timeout_ms`.";
    }
}

/// `details.reason` if the settings do not list the way in which a call was approved.
const DOOR_CLOSED: &str = "door-closed";
