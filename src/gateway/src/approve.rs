//! Approvals: requesting, answering and consuming them (`design/writes.md`).

use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::shown::row;
use vault_engine::{Change, Editor};

use crate::caller::CallerContext;
use crate::error::Error;
use allowlist::{Effect, EffectSet};
use backend::cancel::Cancel;
use backend::{PinnedVault, ResolvedCall, engine_failure};
use changes::{
    Approved, ChangePlan, FileChange, Planned, Request, change::facts, findings::Finding,
};
use protocol::{Caller, Code, Deadline, Failure, Status, digest::sha256, json::object};
use store::approvals::{self, Approval, ApprovalState, ClosedNotes};
use store::audit::{AuditRecord, AuditVerdict, Phase};
use tiers::ApprovalChannel;

/// The key in `details` with the ways to approve that the settings accept.
pub const APPROVE_BY: &str = "approveBy";

/// A plan that a person may have to approve.
pub(super) struct Proposal<'plan> {
    pub(super) command: &'plan str,
    /// All parameters and flags without redaction: a person must see what they approve.
    pub(super) params: Map<String, Value>,
    pub(super) effects: EffectSet,
    pub(super) planned: &'plan Planned,
    /// The changes of the plan, from which the diffs are made.
    pub(super) changes: &'plan [Change],
    /// The active content that the change leaves (`design/active-content.md`).
    pub(super) findings: &'plan [Finding],
    /// Name and version of the client program, as it says itself. Not verified.
    pub(super) client: Option<String>,
    /// Changes in notes that are closed to the caller.
    pub(super) unseen: &'plan [FileChange],
}

impl<'plan> Proposal<'plan> {
    /// The proposal for the plan of a call.
    pub(super) fn new(
        resolved: &'plan ResolvedCall,
        plan: &'plan ChangePlan,
        client: Option<String>,
    ) -> Self {
        Self {
            command: &resolved.call.command.id,
            params: whole_params(resolved),
            effects: plan.effects(&resolved.call),
            planned: &plan.planned,
            changes: plan.changes(),
            findings: &plan.findings,
            client,
            unseen: &plan.unseen.files,
        }
    }
}

/// The approvals that calls of one caller need, and the answers of people to them.
#[derive(Clone, Copy)]
pub struct Approvals<'caller> {
    pub(crate) caller: &'caller CallerContext,
}

impl Approvals<'_> {
    /// The effects of a plan that a person must approve first.
    pub(super) fn needed(self, resolved: &ResolvedCall, plan: &ChangePlan) -> EffectSet {
        plan.effects(&resolved.call)
            .intersection(self.caller.policy.approve())
    }

    /// Consumes the approval that the plan needs. An approval is bound to the hash of one plan.
    /// Returns how it was granted.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` if the request has no approval. The plan is then stored for a person to
    /// answer, and the failure carries the id and the expiry of the new approval.
    pub(super) fn approve(
        self,
        request: &Request,
        proposal: &Proposal<'_>,
        (vault, until): (&PinnedVault, (Deadline, &Cancel)),
    ) -> Result<Approved, Failure> {
        let needed = proposal.effects.intersection(self.caller.policy.approve());
        if needed.is_empty() {
            return Ok(Approved::default());
        }
        if self.is_approved_in_advance() {
            return Ok(Approved::by(ApprovalChannel::Yes, None));
        }
        let approvals = self.store()?;
        let now = self.caller.now().timestamp();
        let accepted = self.caller.policy.approve_by();
        let bound = self.bound_to(proposal);
        // A new approval is created only for a request without one. Otherwise each retry of an
        // agent with an invalid or expired id would put another question to the owner.
        if let Some(id) = &request.approval {
            let channel = approvals.redeem(id, &bound, accepted, now)?;
            return Ok(Approved::by(channel, Some(id.clone())));
        }
        let planned = proposal
            .planned
            .clone()
            .with_diffs(proposal.changes, until)?;
        let shown = object(json!(planned));
        let mut plan = shown.clone();
        let mut findings = String::new();
        if !proposal.findings.is_empty() {
            plan.insert("findings".to_owned(), json!(proposal.findings));
            let lines = proposal.findings.iter().map(Finding::line);
            findings.extend(lines.map(|line| line + "\n"));
        }
        let redirected = self.redirected_links(proposal.changes, vault)?;
        let answer = approvals.ask(
            Approval {
                plan_hash: bound.clone(),
                command: proposal.command.to_owned(),
                params: proposal.params.clone(),
                effects: proposal.effects,
                vault: vault.name(),
                caller: self.caller.options.caller.name().to_owned(),
                agent: self.caller.options.agent.clone(),
                client: proposal.client.clone(),
                plan: Value::Object(plan),
                plan_text: findings + &planned.to_text() + &redirected,
                closed: ClosedNotes::new(proposal.unseen.iter().map(|file| file.path.as_str())),
                ..Approval::default()
            },
            now,
        )?;
        if answer.state == ApprovalState::Granted && self.caller.is_person() {
            // A command line cannot send an id: a person repeats the approved call.
            let channel = approvals.redeem(&answer.id, &bound, accepted, now)?;
            return Ok(Approved::by(channel, Some(answer.id)));
        }
        let who = self.who_approves();
        let does = consequence(needed, &planned);
        let failure = Code::ApprovalRequired
            .failure(format!("`{}` {does}; {who}", proposal.command))
            .with_details(shown)
            .with(
                "effects",
                needed.iter().map(Effect::name).collect::<Vec<_>>(),
            )
            .with("approval", answer.id)
            .with("expiresAt", answer.expires.to_string());
        let mut all = ApprovalChannel::ALL.iter();
        let is_limited = !all.all(|channel| accepted.contains(channel));
        let accepted = is_limited.then(|| names(accepted.iter().copied()));
        Err(failure.with(APPROVE_BY, accepted))
    }

    /// Returns a line for each file whose links will be dead or lead to another file. Only notes that the caller can see
    /// are named.
    fn redirected_links(self, changes: &[Change], vault: &PinnedVault) -> Result<String, Failure> {
        let seen = vault.clone().limited_to(self.caller.sight.as_ref())?;
        let redirected = Editor(&seen.engine).redirected_links(changes);
        let mut text = String::new();
        for links in redirected.map_err(engine_failure)? {
            let to = links.to.map_or("be dead".to_owned(), |to| {
                format!("lead to {}", row(to.as_str()))
            });
            let notes = links.sources.iter().map(|path| row(path.as_str()));
            let notes: Vec<_> = notes.collect();
            let from = row(links.from.as_str());
            text += &format!("links to {from} will {to} in {}\n", notes.join(", "));
        }
        Ok(text)
    }

    /// Opens the approvals of this user.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no folder for state, such as `HOME`.
    pub fn store(self) -> Result<approvals::Approvals, Failure> {
        Ok(approvals::Approvals::open(
            &self.caller.state_folder()?,
            self.caller.failpoints.clone(),
        ))
    }

    /// Returns the hash that an approval is bound to: the plan, the changes in closed notes, the kind of caller and the
    /// agent. If the vault changes in between, even in closed notes, the hash differs and the approval no longer
    /// matches.
    fn bound_to(self, proposal: &Proposal<'_>) -> String {
        let caller = self.caller.options.caller.name();
        let (plan, unseen) = (&proposal.planned.hash, facts(proposal.unseen));
        let bound = json!([plan, unseen, caller, self.caller.options.agent]);
        sha256(bound.to_string().as_bytes())
    }

    /// Grants or denies an approval. `channel` says how the person answered. A denial is always
    /// accepted.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` if the settings do not accept this way to grant for calls of this
    /// requester (`threats.toml` I19). Fails if no pending approval has the id, or if the grant cannot
    /// be recorded in the audit log.
    pub fn answer(
        self,
        id: &str,
        channel: ApprovalChannel,
        is_yes: bool,
    ) -> Result<Approval, Failure> {
        let approvals = self.store()?;
        let now = self.caller.now().timestamp();
        let approval = approvals.find(id, now)?;
        if is_yes {
            self.check_channel(&approval, channel)?;
        }
        let mut record = AuditRecord::new(
            Phase::Decision,
            now,
            Uuid::new_v4(),
            self.caller.options.caller,
            "approve",
        );
        record.agent.clone_from(&approval.agent);
        record.params = Map::from_iter([
            ("command".to_owned(), json!(approval.command)),
            ("planHash".to_owned(), json!(approval.shown_hash())),
        ]);
        record.vault = Some(approval.vault.clone());
        record.effects = approval.effects;
        record.approval = Some(approval.id.clone());
        record.approved_by = Some(channel);
        record.status = Some(Status::Ok);
        if !is_yes {
            record.decision = AuditVerdict::Refused;
            // A denial permits nothing, so it takes effect even if the log cannot be written. The
            // next call reports a broken log.
            let _reported_by_next_call = self.caller.records().audit()?.record(&record);
            return approvals.deny(id, now);
        }
        // Logged before it is granted: an approval that another process could use must not be
        // missing from the log.
        self.caller.records().audit()?.record(&record)?;
        approvals.grant(id, channel, now)
    }

    /// Removes the approval that a person's own call has requested and the person has declined.
    /// Unlike a denial it is forgotten: the same call asks again.
    ///
    /// # Errors
    ///
    /// If no pending approval has the id, or the state folder cannot be written.
    pub fn withdraw(self, id: &str) -> Result<(), Failure> {
        self.answer(id, ApprovalChannel::Terminal, false)?;
        self.store()?.forget(id)
    }

    /// Refuses a way to approve that the settings do not accept for the requester.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` with the accepted ways.
    pub fn check_channel(
        self,
        approval: &Approval,
        channel: ApprovalChannel,
    ) -> Result<(), Failure> {
        let caller = Caller::named(&approval.caller);
        let policy = self
            .caller
            .settings
            .policy(caller, approval.agent.as_deref())?;
        if policy.approve_by().contains(&channel) {
            return Ok(());
        }
        Err(closed_channel(channel, names(policy.approve_by().iter().copied())).into())
    }

    /// Whether the settings accept an answer in a dialog of the MCP client.
    pub fn takes_dialogs(self) -> bool {
        self.caller
            .policy
            .approve_by()
            .contains(&ApprovalChannel::Dialog)
    }

    /// Whether `--yes` approves this call. Neither an agent nor a person under an agent's policy
    /// can approve their own call with it (`design/writes.md`).
    fn is_approved_in_advance(self) -> bool {
        self.caller.options.approved
            && self.caller.is_person()
            && self
                .caller
                .policy
                .approve_by()
                .contains(&ApprovalChannel::Yes)
    }

    /// Returns the next step after `APPROVAL_REQUIRED`. The only command that a model learns is the one that it passes on
    /// to the person.
    fn who_approves(self) -> &'static str {
        let channels = self.caller.policy.approve_by();
        if channels.is_empty() {
            "the setting `approve_by` is an empty list, so nobody can approve it."
        } else if self.caller.is_person() {
            if channels.contains(&ApprovalChannel::Terminal) {
                "approve it: at a terminal, run the command and answer its question, or run \
                 `vault-gw review` and then the same command again."
            } else if channels.contains(&ApprovalChannel::Yes) {
                "approve it with `--yes`, the only way that the setting `approve_by` allows you."
            } else {
                "the setting `approve_by` allows only the dialog of an MCP client, so this command cannot be approved."
            }
        } else {
            "the owner of the vault has to approve it at their machine. Once they have, send the \
             same request again with the `approval` named here."
        }
    }
}

/// Returns all parameters and flags, without redaction.
fn whole_params(resolved: &ResolvedCall) -> Map<String, Value> {
    let arguments = resolved.call.official_arguments();
    let params = arguments
        .values
        .into_iter()
        .map(|(key, value)| (key, json!(value.to_text())));
    let flags = arguments.flags.into_iter().map(|flag| (flag, json!(true)));
    params.chain(flags).collect()
}

/// Returns what the call does that a person must approve, as the rest of a sentence.
fn consequence(needed: EffectSet, planned: &Planned) -> &'static str {
    if needed.contains(Effect::Publish) {
        "leaves this machine"
    } else if planned.only_fills_the_trash() {
        "moves a file to the trash"
    } else if needed.contains(Effect::Destroy) {
        "loses content"
    } else if needed.contains(Effect::Export) {
        "takes copies of notes out of the vault"
    } else if needed.contains(Effect::Import) {
        "takes notes from outside of the vault"
    } else if needed.contains(Effect::Active) {
        "adds active content"
    } else {
        "needs a person's consent"
    }
}

fn names(channels: impl Iterator<Item = ApprovalChannel>) -> Vec<&'static str> {
    channels.map(ApprovalChannel::name).collect()
}

/// Returns the failure if the settings do not accept this way to grant.
fn closed_channel(channel: ApprovalChannel, open: Vec<&'static str>) -> Error {
    match channel {
        _ if open.is_empty() => Error::NobodyApproves(channel),
        ApprovalChannel::Terminal => Error::NotThisWay("at a terminal", channel, open),
        ApprovalChannel::Dialog => Error::NotInADialog(open),
        ApprovalChannel::Yes => Error::NotThisWay("with `--yes`", channel, open),
    }
}
