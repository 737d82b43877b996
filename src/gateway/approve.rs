//! What a person has to approve, and how the approval is taken (`design.md` §9).

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::change::{ChangePlan, Planned};
use super::core::Gateway;
use super::request::Request;
use super::subject::Approved;
use crate::allowlist::{Effect, EffectSet};
use crate::backend::{Limits, PinnedVault, ResolvedCall};
use crate::caller::Caller;
use crate::code::Code;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::records::approvals::{Approval, Approvals, NewApproval};
use crate::records::audit::{AuditRecord, AuditVerdict, Phase};
use crate::status::Status;
use crate::tiers::ApprovalDoor;

impl Gateway {
    /// Takes the approval for `needed`, bound to this very plan, and says by which door it came.
    ///
    /// Without one the plan is kept for a person to answer, and the failure names it.
    pub(super) fn approve(
        &self,
        request: &Request,
        needed: EffectSet,
        resolved: &ResolvedCall,
        plan: &ChangePlan,
        (vault, limits): (&PinnedVault, &Limits),
    ) -> Result<Approved, Failure> {
        if needed.is_empty() {
            return Ok(Approved::default());
        }
        if self.is_approved_in_advance() {
            return Ok(Approved {
                id: None,
                door: Some(ApprovalDoor::Yes),
            });
        }
        let approvals = self.approvals()?;
        let now = (self.clock)().timestamp();
        let bound = self.bound_to(plan);
        if let Some(id) = &request.approval {
            let door = approvals.redeem(id, &bound, self.policy.approve_by(), now)?;
            return Ok(Approved {
                id: Some(id.clone()),
                door: Some(door),
            });
        }
        let planned = plan
            .planned
            .clone()
            .with_diffs(plan.edit.as_ref(), limits)?;
        let asked = approvals.ask(
            NewApproval {
                plan_hash: bound,
                command: resolved.call.command.id.clone(),
                params: whole_params(resolved),
                effects: resolved.call.effects(),
                vault: vault.name(),
                caller: self.options.caller,
                agent: self.options.agent.clone(),
                plan: Value::Object(planned.to_data()),
                plan_text: planned.to_text(),
                closed: plan.closed_notes(),
            },
            now,
        )?;
        let who = self.who_approves();
        Err(asked_for(resolved, needed, &planned, who)
            .with("approval", asked.id)
            .with("expiresAt", asked.expires_at.to_string()))
    }

    /// The approvals of this user.
    pub fn approvals(&self) -> Result<Approvals, Failure> {
        Ok(Approvals::open(
            &self.state_folder()?,
            self.failpoints.clone(),
        ))
    }

    /// An approval is for one plan and whoever asked for it.
    fn bound_to(&self, plan: &ChangePlan) -> String {
        let caller = self.options.caller.name();
        let bound = json!([plan.planned.hash, caller, self.options.agent]);
        sha256(bound.to_string().as_bytes())
    }

    /// Answers an approval: a yes or a no that came by `door`. The answer is on record before it
    /// counts. `APPROVAL_REQUIRED` where the door is closed to calls of whoever asked
    /// (`faults.md` I19); a no counts by every door.
    pub fn answer_approval(
        &self,
        id: &str,
        door: ApprovalDoor,
        is_yes: bool,
    ) -> Result<Approval, Failure> {
        let approvals = self.approvals()?;
        let now = (self.clock)().timestamp();
        let approval = approvals.find(id, now)?;
        if is_yes {
            self.check_door(&approval, door)?;
        }
        let mut record = AuditRecord::new(
            Phase::Decision,
            now,
            Uuid::new_v4(),
            self.options.caller,
            "approve",
        );
        record.agent.clone_from(&approval.agent);
        record.params = Map::from_iter([
            ("command".to_owned(), json!(approval.command)),
            ("planHash".to_owned(), json!(approval.hash_told())),
        ]);
        record.vault = Some(approval.vault.clone());
        record.effects = approval.effects;
        record.approval = Some(approval.id.clone());
        record.approved_by = Some(door);
        record.status = Some(Status::Ok);
        if !is_yes {
            record.decision = AuditVerdict::Refused;
            // Nothing is opened by a no, so it need not wait for the log.
            let _told_by_the_next_call = self.audit()?.record(&record);
            return approvals.deny(id, now);
        }
        self.audit()?.record(&record)?;
        approvals.grant(id, door, now)
    }

    /// Refuses a door that the settings do not list for whoever asked.
    fn check_door(&self, approval: &Approval, door: ApprovalDoor) -> Result<(), Failure> {
        let policy = self.settings.policy(approval.agent.as_deref())?;
        if policy.approve_by().contains(&door) {
            return Ok(());
        }
        Err(closed_door(door, policy.approve_by().iter().copied()))
    }

    /// Whether this process may approve by a dialog of its client.
    pub(crate) fn takes_dialogs(&self) -> bool {
        self.policy.approve_by().contains(&ApprovalDoor::Dialog)
    }

    /// Whether `--yes` counts. An agent cannot approve itself, nor can whoever acts under an agent's
    /// policy (`design.md` §9).
    fn is_approved_in_advance(&self) -> bool {
        self.options.approved
            && self.is_own_call_of_a_person()
            && self.policy.approve_by().contains(&ApprovalDoor::Yes)
    }

    fn is_own_call_of_a_person(&self) -> bool {
        self.options.caller == Caller::Person && self.options.agent.is_none()
    }

    /// What is to be done about a missing approval. A model is not told to type anything.
    fn who_approves(&self) -> &'static str {
        if self.policy.approve_by().is_empty() {
            "the settings allow no way to approve it (`approve_by`)."
        } else if self.is_own_call_of_a_person() {
            "approve it: run the command at a terminal and answer its question, or run \
             `vault-gw approve` at one."
        } else {
            "the owner of the vault has to approve it at their machine. Once they have, send the \
             same request again with the `approval` named here."
        }
    }
}

/// The parameters and flags with nothing left out: a person has to see what is approved.
fn whole_params(resolved: &ResolvedCall) -> Map<String, Value> {
    let arguments = resolved.call.as_cli_arguments();
    let params = arguments
        .params
        .into_iter()
        .map(|(key, value)| (key, json!(value)));
    let flags = arguments.flags.into_iter().map(|flag| (flag, json!(true)));
    params.chain(flags).collect()
}

/// The refusal, with all that a person needs to decide.
fn asked_for(resolved: &ResolvedCall, needed: EffectSet, planned: &Planned, who: &str) -> Failure {
    let does = if needed.contains(Effect::Publish) {
        "leaves this machine"
    } else if needed.contains(Effect::Destroy) {
        "loses content"
    } else if needed.contains(Effect::Export) {
        "takes copies of notes out of the vault"
    } else {
        "needs a person's consent"
    };
    let mut failure = Failure::new(
        Code::ApprovalRequired,
        format!("`{}` {does}; {who}", resolved.call.command.id),
    );
    failure.details = planned.to_data();
    failure.with(
        "effects",
        needed.iter().map(Effect::name).collect::<Vec<_>>(),
    )
}

/// The failure of an answer by a door that does not count.
fn closed_door(door: ApprovalDoor, open: impl Iterator<Item = ApprovalDoor>) -> Failure {
    let open: Vec<&str> = open.map(ApprovalDoor::name).collect();
    let message = match (door, open.as_slice()) {
        (_, []) => {
            "The settings allow no way to approve a call: `approve_by` is an empty list.".to_owned()
        }
        (ApprovalDoor::Terminal, _) => format!(
            "An answer at a terminal does not count: `approve_by` in the settings lists {} only.",
            open.join(", ")
        ),
        (ApprovalDoor::Dialog, _) => {
            "A dialog of this client does not count by the settings. The owner of the vault can \
             approve the call at their machine."
                .to_owned()
        }
        (ApprovalDoor::Yes, _) => format!(
            "`--yes` does not count: `approve_by` in the settings lists {} only.",
            open.join(", ")
        ),
    };
    Failure::new(Code::ApprovalRequired, message)
        .with("reason", "door-closed")
        .with("door", door.name())
        .with("approveBy", open)
}
