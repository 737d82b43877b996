//! The caller of a gateway, with everything that decides what it may do and see.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use vault_engine::{Failpoints, MAX_WHOLE_BYTES, Sight};

use crate::approve::Approvals;
use crate::error::Error;
use crate::scope;
use crate::state::Records;
use allowlist::{Call, Catalogue};
use changes::{Control, Options, RemedyReader, Request};
use protocol::{Caller, Code, Deadline, Failure, Message, Part, message};
use sandbox::{Clock, Environment, clock};
use serde_json::json;
use settings::{BackendChoice, DEFAULT_OUTPUT_BYTES, Folders, Settings, TaintNames, table_prefix};
use store::agent_tokens::AgentTokens;
use store::audit::policy_hash;
use tiers::{ACTIVE_FILE, Drafts, Evaluation, Policy, Restriction};

/// The key that says whether agents may call, for all of them and in the table of one.
const ENABLED: &str = "enabled";

/// A caller and the rules for it. The same caller under another policy, such as a labelled agent, is another value.
#[derive(Clone)]
pub(crate) struct CallerContext {
    pub(crate) settings: Settings,
    pub(crate) options: Options,
    /// Whether agents may call; under `--agent`, whether that agent may.
    pub(crate) enabled: bool,
    pub(crate) policy: Policy,
    /// The hash that identifies the settings in the audit log.
    pub(crate) policy_hash: String,
    /// The files that the caller may see; `None` if the path rules close nothing.
    pub(crate) sight: Option<Arc<dyn Sight>>,
    pub(crate) environment: Environment,
    pub(crate) clock: Clock,
    pub(crate) failpoints: Option<Arc<dyn Failpoints>>,
    /// The policy that would apply to the caller without its label; `None` if the caller has no label.
    pub(crate) without_label: Option<Policy>,
    /// The caller while it is labelled, made when it is needed.
    labelled: OnceLock<Result<Arc<Self>, Failure>>,
}

impl CallerContext {
    /// Returns the caller that the options name, under the rules of the settings.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the timeout is out of range, or the settings do not admit an agent of the given name
    /// ([`Settings::tables_of`]). An agent that had a table or a token, and has no table any more, is refused too.
    pub(crate) fn new(
        mut settings: Settings,
        options: Options,
        environment: Environment,
    ) -> Result<Self, Failure> {
        if let Some(timeout) = options.timeout_ms {
            // As the setting `timeout_ms` (`threats.toml` E16).
            if !(1..=settings::MAX_TIMEOUT_MS).contains(&timeout) {
                return Err(Error::TimeoutRange.into());
            }
            settings.timeout_ms = timeout;
        }
        if let Some(agent) = &options.agent {
            check_agent(&settings, agent, &environment)?;
        }
        settings.sandbox = settings.sandbox.tightened(options.sandbox);
        let restriction = Restriction {
            tier: options.tier,
            ..Restriction::default()
        };
        let policy = settings
            .policy(options.caller, options.agent.as_deref())?
            .tightened(&restriction);
        let policy = match (options.in_other_form, options.in_run) {
            (true, _) => policy.without_drafts(),
            (false, true) => policy.with_drafts(Drafts::All),
            (false, false) => policy,
        };
        Ok(Self {
            enabled: settings.is_enabled_for(options.agent.as_deref())?,
            sight: scope::sight_of(&policy),
            policy,
            policy_hash: policy_hash(&settings, options.agent.as_deref()),
            options,
            clock: clock::system_clock(&environment),
            environment,
            failpoints: None,
            without_label: None,
            labelled: OnceLock::new(),
            settings,
        })
    }

    /// Returns the caller with these changes.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut Self)) -> Arc<Self> {
        let mut changed = Self {
            labelled: OnceLock::new(),
            ..self.clone()
        };
        change(&mut changed);
        Arc::new(changed)
    }

    /// Returns the caller while it is labelled, under the policy for that.
    pub(crate) fn labelled(&self) -> Result<Arc<Self>, Failure> {
        let labelled = self.labelled.get_or_init(|| {
            let mut policy = self.settings.policy_of_labelled(&self.policy)?;
            if self.options.in_other_form {
                policy = policy.without_drafts();
            }
            Ok(self.changed(|caller| {
                caller.sight = scope::sight_of(&policy);
                caller.without_label = Some(std::mem::replace(&mut caller.policy, policy));
            }))
        });
        labelled.clone()
    }

    /// Returns the approvals of this caller.
    pub(crate) fn approvals(&self) -> Approvals<'_> {
        Approvals { caller: self }
    }

    /// Returns the records of this caller's runs and calls.
    pub(crate) fn records(&self) -> Records<'_> {
        Records { caller: self }
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub(crate) fn is_person(&self) -> bool {
        self.options.caller == Caller::Person && self.options.agent.is_none()
    }

    /// Returns the name of the agent; `None` if it has none, or a person calls.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.options.agent.as_deref()
    }

    /// Returns the backend that the caller wants.
    pub(crate) fn backend(&self) -> BackendChoice {
        self.options.backend.unwrap_or(self.settings.backend)
    }

    /// Whether the exact bytes for a terminal are needed: for a person, and for a shell in a fence.
    pub(crate) fn is_for_person(&self) -> bool {
        self.options.caller == Caller::Person || self.options.in_run
    }

    /// Returns the time by the clock of the gateway.
    pub(crate) fn now(&self) -> jiff::Zoned {
        (self.clock)()
    }

    /// Returns the deadline of a call. Time spent in the queue counts.
    pub(crate) fn deadline(&self, control: &Control) -> Deadline {
        let waited = u64::try_from(control.waited.as_millis()).unwrap_or(u64::MAX);
        Deadline::after_ms(self.settings.timeout_ms.saturating_sub(waited))
    }

    /// Bytes to keep of each output stream. The request's `budget` can lower the setting, not raise
    /// it.
    pub(crate) fn output_limit(&self, request: &Request) -> usize {
        let limit = match self.settings.max_output_bytes {
            DEFAULT_OUTPUT_BYTES if self.options.prints_text => MAX_WHOLE_BYTES,
            limit => limit,
        };
        let limit = request.budget.map_or(limit, |budget| budget.min(limit));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }

    /// Returns the reader of a remedy.
    pub(crate) fn remedy_reader(&self) -> RemedyReader {
        match self.options.caller {
            Caller::Agent => RemedyReader::Model,
            Caller::Person if self.is_person() => RemedyReader::Person,
            Caller::Person => RemedyReader::Program,
        }
    }

    /// Returns the folder of the journal, the audit log and the approvals.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, Failure> {
        Folders::new(&self.environment).state()
    }

    /// Refuses every call of an agent if calls by agents are turned off: `BRIDGE_DISABLED`. A person at a terminal may
    /// always call, but under the rules of an agent only if its tables let that agent call.
    pub(crate) fn admit(&self) -> Result<(), Failure> {
        let is_agent = self.options.caller == Caller::Agent;
        let of_tables = self.disabling_keys().pop().filter(|key| key != ENABLED);
        if is_agent && !self.settings.enabled {
            return Err(Error::AgentsOff.into());
        }
        match of_tables {
            Some(key) => Err(Error::AgentOff(key).into()),
            None if is_agent && !self.enabled => Err(Error::AgentsOff.into()),
            None => Ok(()),
        }
    }

    /// Returns the keys of the settings that turn off calls by this agent: `enabled`, `agents.NAME.enabled`.
    pub(crate) fn disabling_keys(&self) -> Vec<String> {
        let tables = self
            .settings
            .tables_of(self.options.caller, self.options.agent.as_deref());
        let tables = tables.unwrap_or_default().into_iter();
        let tables = tables
            .filter(|(_, table)| table.enabled == Some(false))
            .map(|(name, _)| format!("{}{ENABLED}", table_prefix(name)));
        let everyone = (!self.settings.enabled).then(|| ENABLED.to_owned());
        everyone.into_iter().chain(tables).collect()
    }

    /// Refuses a call that the policy closes. Whether a person must approve it is decided with its
    /// plan. A plan changes nothing, so a person may always see it.
    pub(crate) fn gate(&self, request: &Request, call: &Call) -> Result<Evaluation, Failure> {
        let evaluation = if request.dry_run && self.is_person() {
            self.policy.check_plan(call)
        } else {
            self.policy.check(call)
        };
        let Some(mut failure) = evaluation.failure() else {
            return Ok(evaluation);
        };
        if self.is_open_without_label(call) {
            return Err(self.refused_as_labelled(failure.code));
        }
        if failure.reason() == Some(ACTIVE_FILE) && call.command.param("ref").is_some() {
            failure.add_hint(find_task(call.arguments.param("text")));
        }
        if request.dry_run && failure.code == Code::MutationDisabled {
            failure.add_hint("The call is not allowed with `dryRun` either.");
        }
        Err(failure)
    }

    /// Whether the tier and the rules open `command`. Long texts continue with a follow-up command, which
    /// has to be open itself.
    pub(crate) fn is_open(&self, command: &str) -> bool {
        Catalogue::find_builtin(command).is_ok_and(|command| self.policy.opens(&command))
    }

    /// Whether the caller can call a command or ask a question, perhaps with an approval.
    pub(crate) fn can_call(&self, name: &str) -> bool {
        // A question about the gateway is always open.
        Catalogue::find_builtin(name).map_or(true, |command| {
            self.policy
                .check_command(&command, command.effects)
                .is_open()
        })
    }

    /// Whether this is a labelled agent, under the policy for that.
    pub(crate) fn is_labelled(&self) -> bool {
        self.without_label.is_some()
    }

    /// Whether the call would not be refused if its caller had no label.
    pub(crate) fn is_open_without_label(&self, call: &Call) -> bool {
        let open = self.without_label.as_ref();
        open.is_some_and(|policy| policy.check(call).is_open())
    }

    /// Whether the caller could change anything, at least in its draft, if it were labelled.
    pub(crate) fn may_change_when_labelled(&self) -> bool {
        let policy = self.settings.policy_of_labelled(&self.policy);
        policy.is_ok_and(|policy| policy.may_change())
    }

    /// Returns the refusal of a call that would be open if its caller were not labelled.
    pub(crate) fn refused_as_labelled(&self, code: Code) -> Failure {
        let drafts = if self.policy.may_change() {
            "The agent can still put changes into its draft."
        } else {
            ""
        };
        Error::Restricted(code, drafts).into()
    }

    /// Whether names of labelled notes are replaced in answers, instead of labelling the caller.
    pub(crate) fn hides_names(&self) -> bool {
        self.settings.taint.names == TaintNames::Hide
    }
}

/// Refuses an agent whose rules are gone. Without them it would get the rules of all agents, which may allow more.
fn check_agent(settings: &Settings, agent: &str, environment: &Environment) -> Result<(), Failure> {
    if settings.agents.contains_key(agent) {
        return Ok(());
    }
    let tokens = AgentTokens::read(&Folders::new(environment).state()?)?;
    if tokens.has(agent) {
        return settings.require_agent(agent);
    }
    if !tokens.is_former(agent) {
        return Ok(());
    }
    Err(Error::FormerAgent(agent.to_owned()).into())
}

/// Returns the hint for a task without its note: the search that finds the note by the text of the task.
fn find_task(text: Option<&str>) -> Message {
    let Some(text) = text else {
        return message!(
            "To list all tasks with their notes and line numbers, use {tasks} with `verbose`."
        );
    };
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    let query = format!("task:\"{text}\"");
    message!(
        "To find the note of this task, use {search:context} with {}.",
        Part::Params(json!({ "query": query }))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("caller_cases.txt");

    fn caller(settings: &str) -> CallerContext {
        let settings = Settings::parse("settings.toml", settings).unwrap();
        let options = Options::new(Caller::Agent);
        CallerContext::new(settings, options, Environment::default()).unwrap()
    }

    /// The decision about a call that shows a note in the app.
    fn decision(caller: &CallerContext) -> Result<(), Code> {
        let request = br#"{"command": "open", "params": {"path": "a.md"}}"#;
        let request = Request::from_json(request).unwrap();
        let evaluation = caller.gate(&request, &request.call().unwrap());
        evaluation.map(drop).map_err(|failure| failure.code)
    }

    #[test]
    fn a_labelled_caller_is_the_same_caller_under_a_tighter_policy() {
        let caller = caller("[taint]\nsources = [\"Web/**\"]\n");
        let labelled = caller.labelled().unwrap();
        assert_eq!(decision(&caller), Ok(()));
        assert_eq!(decision(&labelled), Err(Code::Tainted));
        assert!(Arc::ptr_eq(&labelled, &caller.labelled().unwrap()));
        assert!(labelled.is_labelled() && !caller.is_labelled());
    }

    #[test]
    fn a_person_under_the_rules_of_an_agent_calls_only_if_that_agent_may() {
        let home = tempfile::tempdir().unwrap();
        let home = ("HOME".into(), home.path().as_os_str().to_owned());
        let mut rows = String::new();
        for settings in tables::lines(CASES, "a person under the rules of an agent") {
            let code = |(caller, agent): (Caller, Option<&str>)| {
                let mut options = Options::new(caller);
                options.agent = agent.map(str::to_owned);
                let settings = Settings::parse("settings.toml", settings).unwrap();
                let environment = Environment::new([home.clone()], None);
                let caller = CallerContext::new(settings, options, environment);
                let admitted = caller.unwrap().admit();
                admitted.map_or_else(|failure| failure.code.name(), |()| "OK")
            };
            let (agent, person) = (Caller::Agent, Caller::Person);
            let callers = [(agent, Some("x")), (person, Some("x")), (person, None)];
            let settings = settings.replace('\n', "; ");
            rows += &format!("{settings}: {}\n", callers.map(code).join(" "));
        }
        assert_eq!(
            rows,
            ": BRIDGE_DISABLED OK OK\n\
            enabled = true: OK OK OK\n\
            enabled = true; agents.x.enabled = false: BRIDGE_DISABLED BRIDGE_DISABLED OK\n\
            enabled = true; agents.\"*\".enabled = false: BRIDGE_DISABLED BRIDGE_DISABLED OK\n\
            agents.x.enabled = false: BRIDGE_DISABLED BRIDGE_DISABLED OK\n"
        );
    }

    #[test]
    fn a_changed_caller_is_labelled_with_the_change() {
        let caller = caller("enabled = true\n[taint]\nsources = [\"Web/**\"]\n");
        assert!(caller.labelled().unwrap().enabled);
        let changed = caller.changed(|caller| caller.enabled = false);
        assert!(!changed.labelled().unwrap().enabled);
        assert_eq!(changed.admit().unwrap_err().code, Code::BridgeDisabled);
    }
}
