//! Approvals: a person's yes to exactly one plan, once, within ten minutes (`design.md` §9).
//!
//! Whoever calls the gateway can ask for one and use one that was granted, and do nothing else with
//! it: [`Approvals::grant`] is only reached by `vault-gw approve`. The store is files in the state
//! folder, which are not signed, since a key would lie beside them: whoever can write that folder is
//! taken for the person who owns it. An id is no secret that opens anything by itself either: it
//! counts only for the plan that was shown, and only once.
//!
//! The ten minutes run from the asking, and granting does not start them anew: what is approved is
//! never older than that.

mod approval;
mod id;
mod refusal;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use vault_engine::Witness;

pub use self::approval::{Approval, NewApproval, Pending, State};
use self::id::ApprovalId;
pub use self::refusal::Reason;
use super::audit::name_of;
use super::state_folder::{Lock, NoLock, StateFolder};
use crate::code::Code;
use crate::failure::Failure;
use crate::settings::private_file::Unsafe;

/// How long an approval counts from the moment it was asked for.
pub const LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// How many may wait at once. The next one is refused rather than an older one dropped: nobody may
/// push away what a person is just reading.
pub const MOST_PENDING: usize = 50;
/// Largest file of one approval in bytes.
const MOST_BYTES: u64 = 32 << 20;
/// How long an approval that is over can still be told from one that never was.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
const LOCK: &str = "lock";
const PATIENCE: Duration = Duration::from_secs(5);

/// The approvals of a user.
#[derive(Clone, Debug)]
pub struct Approvals {
    folder: StateFolder,
}

impl Approvals {
    /// The approvals in the state folder, which is made with the first one. `witness` is told of
    /// every system call that changes something.
    pub fn open(state: &Path, witness: Option<Arc<dyn Witness>>) -> Self {
        Self {
            folder: StateFolder::new(state.to_owned(), &["approvals"], witness),
        }
    }

    /// Asks a person, who answers with `vault-gw approve`. The same plan of the same caller keeps
    /// its approval, and its ten minutes, as long as that one counts.
    ///
    /// `APPROVAL_REQUIRED` with [`Reason::Denied`] where a person just said no to the same, with
    /// [`Reason::TooMany`] where [`MOST_PENDING`] wait, with [`Reason::TooLarge`] where nobody could
    /// read it all.
    pub fn ask(&self, new: NewApproval, now: Timestamp) -> Result<Pending, Failure> {
        if new.plan_text.len() as u64 > MOST_BYTES {
            return Err(Reason::TooLarge.failure().with("limit", MOST_BYTES));
        }
        self.folder.create().map_err(unusable)?;
        let _lock = self.lock()?;
        self.sweep()?;
        let mut waiting = 0;
        let caller = name_of(new.caller);
        for (name, approval) in self.stored()? {
            if now.duration_since(approval.expires) > REMEMBERED {
                self.folder.remove(&name).map_err(unusable)?;
                continue;
            }
            if approval.is_over(now) || is_used(&name) {
                continue;
            }
            if approval.is_for(&new, caller) {
                return match approval.state {
                    State::Denied => Err(Reason::Denied.failure().with("id", approval.id)),
                    State::Pending | State::Granted => Ok(approval.as_pending()),
                };
            }
            waiting += usize::from(approval.state == State::Pending);
        }
        if waiting >= MOST_PENDING {
            return Err(Reason::TooMany.failure().with("limit", MOST_PENDING));
        }
        let id = self.free_id();
        let approval = Approval {
            id: id.to_string(),
            state: State::Pending,
            asked: now,
            expires: now.saturating_add(LIFETIME).unwrap_or(Timestamp::MAX),
            plan_hash: new.plan_hash,
            command: new.command,
            params: new.params,
            effects: new.effects,
            vault: new.vault,
            caller: caller.to_owned(),
            agent: new.agent,
            plan: new.plan,
            plan_text: new.plan_text,
        };
        self.write(&id, &approval)?;
        Ok(approval.as_pending())
    }

    /// What waits for an answer, oldest first.
    pub fn pending(&self, now: Timestamp) -> Result<Vec<Approval>, Failure> {
        let stored = self.stored()?.into_iter();
        let mut pending: Vec<Approval> = stored
            .filter(|(name, approval)| {
                approval.state == State::Pending && !approval.is_over(now) && !is_used(name)
            })
            .map(|(_, approval)| approval)
            .collect();
        pending.sort_by(|left, right| (left.asked, &left.id).cmp(&(right.asked, &right.id)));
        Ok(pending)
    }

    /// The approval of this name that a person can still answer.
    pub fn find(&self, id: &str, now: Timestamp) -> Result<Approval, Failure> {
        self.answerable(id, now).map(|(_, approval)| approval)
    }

    /// A person says yes. Granting twice is granting once.
    pub fn grant(&self, id: &str, now: Timestamp) -> Result<Approval, Failure> {
        self.answer(id, now, State::Granted)
    }

    /// A person says no, be it after a yes that was not used yet.
    pub fn deny(&self, id: &str, now: Timestamp) -> Result<Approval, Failure> {
        self.answer(id, now, State::Denied)
    }

    /// Uses up a granted approval for this plan. Of several who try at once one succeeds.
    ///
    /// Every other outcome is `APPROVAL_REQUIRED` with `details.reason`; see [`Reason`]. An approval
    /// whose plan does not fit stays as it is, for the plan that it was granted for.
    pub fn redeem(&self, id: &str, plan_hash: &str, now: Timestamp) -> Result<(), Failure> {
        let id = ApprovalId::read(id).ok_or_else(|| Reason::Unknown.failure())?;
        if !self.folder.exists() {
            return Err(Reason::Unknown.failure());
        }
        let _lock = self.lock()?;
        let approval = self.known(&id)?;
        if approval.is_over(now) {
            return Err(Reason::Expired.failure());
        }
        match approval.state {
            State::Denied => return Err(Reason::Denied.failure()),
            State::Pending | State::Granted if approval.plan_hash != plan_hash => {
                return Err(Reason::PlanChanged.failure());
            }
            State::Pending => return Err(Reason::Pending.failure()),
            State::Granted => {}
        }
        // The name can be given away only once, even where the lock does not work.
        match self.folder.rename(&id.file(), &id.used_file()) {
            Ok(()) => self.folder.sync_names().map_err(unusable),
            Err(Unsafe::Missing) => Err(Reason::Used.failure()),
            Err(reason) => Err(unusable(reason)),
        }
    }

    fn answer(&self, id: &str, now: Timestamp, state: State) -> Result<Approval, Failure> {
        if !self.folder.exists() {
            return Err(Reason::Unknown.failure());
        }
        let _lock = self.lock()?;
        let (id, mut approval) = self.answerable(id, now)?;
        if approval.state != state {
            approval.state = state;
            self.write(&id, &approval)?;
        }
        Ok(approval)
    }

    fn answerable(&self, id: &str, now: Timestamp) -> Result<(ApprovalId, Approval), Failure> {
        let id = ApprovalId::read(id).ok_or_else(|| Reason::Unknown.failure())?;
        let approval = self.known(&id)?;
        if approval.is_over(now) {
            return Err(Reason::Expired.failure());
        }
        if approval.state == State::Denied {
            return Err(Reason::Denied.failure());
        }
        Ok((id, approval))
    }

    /// The approval of this name, used or not.
    fn known(&self, id: &ApprovalId) -> Result<Approval, Failure> {
        if let Some(approval) = self.read(&id.file())? {
            return Ok(approval);
        }
        Err(match self.read(&id.used_file())? {
            Some(_) => Reason::Used.failure(),
            None => Reason::Unknown.failure(),
        })
    }

    /// Removes what a process that died in the middle of a write has left; nobody else writes now.
    fn sweep(&self) -> Result<(), Failure> {
        for name in self.folder.names().map_err(unusable)? {
            if name.starts_with('.') {
                self.folder.remove(&name).map_err(unusable)?;
            }
        }
        Ok(())
    }

    /// Every approval with its file, used ones too.
    fn stored(&self) -> Result<Vec<(String, Approval)>, Failure> {
        let mut found = Vec::new();
        for name in self.folder.names().map_err(unusable)? {
            let id = name.split('.').next().and_then(ApprovalId::read);
            if id.is_some_and(|id| id.file() == name || id.used_file() == name)
                && let Some(approval) = self.read(&name)?
            {
                found.push((name, approval));
            }
        }
        Ok(found)
    }

    /// Reads an approval; `None` where there is none, or where what stands there is not one under
    /// its own name, which the store never writes.
    fn read(&self, name: &str) -> Result<Option<Approval>, Failure> {
        let bytes = self.folder.read(name, MOST_BYTES).map_err(unusable)?;
        let approval = bytes.and_then(|bytes| serde_json::from_slice::<Approval>(&bytes).ok());
        Ok(approval.filter(|approval| name.starts_with(&approval.id)))
    }

    fn write(&self, id: &ApprovalId, approval: &Approval) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(approval).map_err(|error| {
            Failure::new(
                Code::InternalError,
                format!("The approval cannot be written: {error}."),
            )
        })?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Reason::TooLarge.failure().with("limit", MOST_BYTES));
        }
        self.folder.replace(&id.file(), &bytes).map_err(unusable)
    }

    fn free_id(&self) -> ApprovalId {
        loop {
            let id = ApprovalId::random();
            let taken = [id.file(), id.used_file()]
                .iter()
                .any(|name| self.folder.state_of(name).is_some());
            if !taken {
                return id;
            }
        }
    }

    fn lock(&self) -> Result<Lock, Failure> {
        self.folder
            .lock(LOCK, PATIENCE)
            .map_err(|reason| match reason {
                NoLock::Held => Failure::new(
                    Code::LockTimeout,
                    "Another process held the approvals the whole time. Try again in a moment.",
                ),
                NoLock::Unsafe(reason) => unusable(reason),
            })
    }
}

/// Whether an approval in this file was used.
fn is_used(name: &str) -> bool {
    ApprovalId::read(name.split('.').next().unwrap_or_default())
        .is_some_and(|id| id.used_file() == name)
}

/// A store that cannot be read or written approves nothing.
#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn unusable(reason: Unsafe) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "The approvals cannot be used: a file of theirs {reason}. Check the permissions of the \
             state folder and that the disk is not full."
        ),
    )
    .with("reason", "approvals")
}

#[cfg(test)]
mod tests;
