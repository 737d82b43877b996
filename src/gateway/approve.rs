//! What a person has to approve, and how the approval is taken (`design.md` §9).

use serde_json::{Map, Value, json};

use super::approvals::{Approvals, NewApproval};
use super::audit::name_of;
use super::change::{Draft, Planned};
use super::precondition::sha256;
use super::request::Request;
use super::{Caller, Gateway};
use crate::allowlist::{Effect, EffectSet};
use crate::backend::{PinnedVault, Plan};
use crate::code::Code;
use crate::failure::Failure;

impl Gateway {
    /// Takes the approval for `needed`, bound to this very plan; gives its id where one was used.
    ///
    /// Without one the plan is put down for a person to approve, and the failure tells its id.
    pub(super) fn approve(
        &self,
        request: &Request,
        needed: EffectSet,
        plan: &Plan,
        draft: &Draft,
        vault: &PinnedVault,
    ) -> Result<Option<String>, Failure> {
        if needed.is_empty() || self.is_approved_by_a_person() {
            return Ok(None);
        }
        let approvals = self.approvals()?;
        let now = (self.clock)().timestamp();
        let bound = self.bound_to(draft);
        if let Some(id) = &request.approval {
            approvals.redeem(id, &bound, now)?;
            return Ok(Some(id.clone()));
        }
        let planned = draft.planned.clone().with_diffs(draft.edit.as_ref());
        let asked = approvals.ask(
            NewApproval {
                plan_hash: bound,
                command: plan.call.command.id.clone(),
                params: whole_params(plan),
                effects: plan.call.effects(),
                vault: vault.name(),
                caller: self.options.caller,
                agent: self.options.agent.clone(),
                plan: Value::Object(planned.to_data()),
                plan_text: planned.to_text(),
            },
            now,
        )?;
        Err(asked_for(plan, needed, &planned)
            .with("approval", asked.id)
            .with("expiresAt", asked.expires_at.to_string()))
    }

    /// The approvals of this user.
    pub fn approvals(&self) -> Result<Approvals, Failure> {
        Ok(Approvals::open(&self.state_folder()?, self.witness.clone()))
    }

    /// An approval is for one plan and whoever asked for it.
    fn bound_to(&self, draft: &Draft) -> String {
        let caller = name_of(self.options.caller);
        let bound = json!([draft.planned.hash, caller, self.options.agent]);
        sha256(bound.to_string().as_bytes())
    }

    /// An agent cannot approve itself, nor can whoever acts under an agent's policy
    /// (`design.md` §9).
    fn is_approved_by_a_person(&self) -> bool {
        self.options.approved
            && self.options.caller == Caller::Person
            && self.options.agent.is_none()
    }
}

/// The parameters and flags with nothing left out: a person has to see what is approved.
fn whole_params(plan: &Plan) -> Map<String, Value> {
    let arguments = plan.call.as_cli_arguments();
    let params = arguments
        .params
        .into_iter()
        .map(|(key, value)| (key, json!(value)));
    let flags = arguments.flags.into_iter().map(|flag| (flag, json!(true)));
    params.chain(flags).collect()
}

/// The refusal, with all that a person needs to decide.
fn asked_for(plan: &Plan, needed: EffectSet, planned: &Planned) -> Failure {
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
        format!(
            "`{}` {does}; nobody has approved it yet. Once a person has, send the same request again with the `approval` named here.",
            plan.call.command.id
        ),
    );
    failure.details = planned.to_data();
    failure.with(
        "effects",
        needed.iter().map(Effect::name).collect::<Vec<_>>(),
    )
}
