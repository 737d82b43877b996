//! Approvals: a person's consent to exactly one plan, valid once and for ten minutes (`design/writes.md`).
//!
//! Any caller of the gateway can request an approval, and use an approval that was granted. It is granted in one of
//! three ways ([`ApprovalChannel`]): `vault-gw review` at a terminal, the dialog of an MCP client, or `--yes`. The
//! settings list the accepted ways. The store is files in the state folder. They are not signed, because the key
//! would be stored next to them: anyone who can write to that folder counts as its owner. An id alone permits
//! nothing: it is valid only for the plan that was shown, and only once.
//!
//! The ten minutes start with the request, and granting does not restart them: an approved plan is
//! never older than that. A denial counts for ten minutes after it was given.

mod approval;
mod id;
mod permits;
mod refusal;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use vault_engine::Failpoints;

pub use self::approval::{Approval, ApprovalState, ClosedNotes};
use self::id::ApprovalId;
use self::permits::{ApprovalPermits, ApprovalRequester, MOST_BYTES};
pub use self::permits::{MOST_PENDING, MOST_PENDING_OF_AGENTS, MOST_PENDING_OF_AN_AGENT};
pub use self::refusal::RefusalReason;
use super::state_folder::{PATIENCE, StateFolder};
use crate::error::Collection;
use protocol::Failure;
use tiers::ApprovalChannel;

/// Time for which an approval is valid after it was requested.
pub const LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// Time for which the store remembers an expired approval, so that a late call gets `expired` and not `unknown`. The
/// plan and the parameters are deleted earlier.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(1);
const LOCK: &str = "lock";

/// The approvals of a user.
#[derive(Clone, Debug)]
pub struct Approvals {
    folder: StateFolder,
}

impl Approvals {
    /// Returns the approvals in the state folder, which is created with the first one. `failpoints` is called before
    /// every system call that changes something.
    pub fn open(state: &Path, failpoints: Option<Arc<dyn Failpoints>>) -> Self {
        Self {
            folder: StateFolder::new(
                Collection::Approvals,
                state.to_owned(),
                &["approvals"],
                failpoints,
            ),
        }
    }

    /// Stores a plan for a person to approve or deny. The same plan of the same caller keeps its
    /// approval and its expiry, so that asking again does not extend it. Returns the stored approval.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` with [`RefusalReason::Denied`] if a person has just denied the same plan of an agent, with
    /// [`RefusalReason::TooMany`] if this caller has no permit left, and with [`RefusalReason::TooLarge`] if
    /// its quota of bytes is used up (`threats.toml` H17). Fails if the state folder is unsafe or cannot be
    /// written.
    pub fn ask(&self, new: Approval, now: Timestamp) -> Result<Approval, Failure> {
        let (caller, agent) = (new.caller.clone(), new.agent.clone());
        let requester = ApprovalRequester::new(&caller, agent.as_deref());
        let mut permits = ApprovalPermits::new(requester);
        // Checked before anything is serialised, so that a huge plan costs no memory.
        permits.check(new.plan_text.len() as u64)?;
        self.folder.create()?;
        let _lock = self.folder.lock(LOCK, PATIENCE)?;
        self.folder.sweep(&self.folder.names()?)?;
        for (name, is_used, mut approval) in self.read_all()? {
            if now.duration_since(approval.expires) > REMEMBERED {
                self.folder.remove(&name)?;
                continue;
            }
            let is_over = approval.is_over(now) || is_used;
            // A plan contains text of notes, so it is kept no longer than it is needed.
            if is_over && approval.has_content() {
                approval = approval.without_content();
                self.folder.replace_json(&name, &approval)?;
            }
            let bytes = self.folder.state_of(&name).map_or(0, |(bytes, _)| bytes);
            // Bytes about closed notes do not count against a quota; see `ClosedNotes::bytes`.
            let bytes = bytes.saturating_sub(approval.closed.bytes());
            let waits = !is_over && approval.state == ApprovalState::Pending;
            permits.count(approval.requester(), bytes, waits);
            if is_over {
                continue;
            }
            if approval.is_for(&new) {
                match approval.state {
                    // A person who makes a call may ask for it again.
                    ApprovalState::Denied if requester.is_person() => {}
                    ApprovalState::Denied => {
                        return Err(RefusalReason::Denied.failure().with("id", approval.id));
                    }
                    ApprovalState::Pending | ApprovalState::Granted => return Ok(approval),
                }
            }
        }
        let id = self.free_id();
        let approval = Approval {
            id: id.to_string(),
            state: ApprovalState::Pending,
            channel: None,
            requested_at: now,
            expires: lifetime_from(now),
            ..new
        };
        let bytes = serde_json::to_vec(&approval).map_err(|error| self.folder.unwritable(error))?;
        // Again, with the exact size and with the permits in use.
        permits.check((bytes.len() as u64).saturating_sub(approval.closed.bytes()))?;
        self.folder.replace(&id.file(), &bytes)?;
        Ok(approval)
    }

    /// Returns the approvals that wait for an answer, oldest first.
    ///
    /// # Errors
    ///
    /// If the state folder is unsafe or cannot be read.
    pub fn pending(&self, now: Timestamp) -> Result<Vec<Approval>, Failure> {
        let stored = self.read_all()?.into_iter();
        let mut pending: Vec<Approval> = stored
            .filter(|(_, is_used, approval)| {
                approval.state == ApprovalState::Pending && !approval.is_over(now) && !is_used
            })
            .map(|(_, _, approval)| approval)
            .collect();
        pending.sort_by(|left, right| {
            (left.requested_at, &left.id).cmp(&(right.requested_at, &right.id))
        });
        Ok(pending)
    }

    /// Returns the approvals among these whose id begins with the text that a person typed.
    pub fn begun_by(mut approvals: Vec<Approval>, typed: &str) -> Vec<Approval> {
        let start = ApprovalId::beginning(typed);
        let is_begun = |id: &str| start.as_deref().is_some_and(|start| id.starts_with(start));
        approvals.retain(|approval| is_begun(&approval.id));
        approvals
    }

    /// Returns the approval with this id, if a person can still answer it.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` with the reason, if the id is unknown or the approval has expired, was denied or
    /// was used. Fails if the state folder is unsafe or cannot be read.
    pub fn find(&self, id: &str, now: Timestamp) -> Result<Approval, Failure> {
        self.answerable(id, now).map(|(_, approval)| approval)
    }

    /// Grants an approval; `channel` says how. Idempotent: a second grant keeps the first `channel`.
    ///
    /// # Errors
    ///
    /// As [`Self::find`]; and if the state folder cannot be written.
    pub fn grant(
        &self,
        id: &str,
        channel: ApprovalChannel,
        now: Timestamp,
    ) -> Result<Approval, Failure> {
        self.answer(id, now, |approval| {
            if approval.state == ApprovalState::Granted {
                return None;
            }
            approval.state = ApprovalState::Granted;
            approval.channel = Some(channel);
            Some(approval.clone())
        })
    }

    /// Denies an approval for ten minutes from now, also one that was granted and not used yet. Deletes its plan at
    /// once.
    ///
    /// # Errors
    ///
    /// As [`Self::find`]; and if the state folder cannot be written.
    pub fn deny(&self, id: &str, now: Timestamp) -> Result<Approval, Failure> {
        self.answer(id, now, |approval| {
            approval.state = ApprovalState::Denied;
            approval.expires = lifetime_from(now);
            Some(approval.without_content())
        })
    }

    /// Removes an approval, so that an approval for the same plan can be requested again.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` if the id is not one. Fails if the state folder is unsafe or cannot be written.
    pub fn forget(&self, id: &str) -> Result<(), Failure> {
        let id = ApprovalId::read(id).ok_or_else(|| RefusalReason::Unknown.failure())?;
        let _lock = self.folder.lock(LOCK, PATIENCE)?;
        self.folder.remove(&id.file()).map_err(Failure::from)
    }

    /// Uses up a granted approval for this plan and returns how it was granted, which must be one
    /// of `channels`. If several processes try at once, one succeeds.
    ///
    /// # Errors
    ///
    /// `APPROVAL_REQUIRED` with `details.reason`; see [`RefusalReason`]. An approval for another
    /// plan, or one that was granted in a way not in `channels`, stays unused. Fails if the state
    /// folder is unsafe or cannot be written.
    pub fn redeem(
        &self,
        id: &str,
        plan_hash: &str,
        channels: &BTreeSet<ApprovalChannel>,
        now: Timestamp,
    ) -> Result<ApprovalChannel, Failure> {
        let id = ApprovalId::read(id).ok_or_else(|| RefusalReason::Unknown.failure())?;
        if !self.folder.exists() {
            return Err(RefusalReason::Unknown.failure());
        }
        let _lock = self.folder.lock(LOCK, PATIENCE)?;
        let approval = self.known(&id)?;
        if approval.is_over(now) {
            return Err(RefusalReason::Expired.failure());
        }
        match approval.state {
            ApprovalState::Denied => return Err(RefusalReason::Denied.failure()),
            ApprovalState::Pending | ApprovalState::Granted if approval.plan_hash != plan_hash => {
                return Err(RefusalReason::PlanChanged.failure());
            }
            ApprovalState::Pending => return Err(RefusalReason::Pending.failure()),
            ApprovalState::Granted => {}
        }
        let channel = approval
            .channel
            .filter(|channel| channels.contains(channel));
        let channel = channel.ok_or_else(|| RefusalReason::ChannelClosed.failure())?;
        // The rename is the atomic step. It succeeds once, even on file systems without working locks.
        match self.folder.rename(&id.file(), &id.used_file()) {
            Ok(()) => Ok(self.folder.sync_names().map(|()| channel)?),
            Err(error) if error.is_missing() => Err(RefusalReason::Used.failure()),
            Err(error) => Err(error.into()),
        }
    }

    /// Changes an approval under the lock. `answer` returns what to store, or `None` to store
    /// nothing.
    fn answer(
        &self,
        id: &str,
        now: Timestamp,
        answer: impl FnOnce(&mut Approval) -> Option<Approval>,
    ) -> Result<Approval, Failure> {
        if !self.folder.exists() {
            return Err(RefusalReason::Unknown.failure());
        }
        let _lock = self.folder.lock(LOCK, PATIENCE)?;
        let (id, mut approval) = self.answerable(id, now)?;
        if let Some(kept) = answer(&mut approval) {
            self.folder.replace_json(&id.file(), &kept)?;
        }
        Ok(approval)
    }

    fn answerable(&self, id: &str, now: Timestamp) -> Result<(ApprovalId, Approval), Failure> {
        let id = ApprovalId::read(id).ok_or_else(|| RefusalReason::Unknown.failure())?;
        let approval = self.known(&id)?;
        if approval.is_over(now) {
            return Err(RefusalReason::Expired.failure());
        }
        if approval.state == ApprovalState::Denied {
            return Err(RefusalReason::Denied.failure());
        }
        Ok((id, approval))
    }

    /// Reads the approval with this id. Fails with `Used` or `Unknown` if it can no longer be used.
    fn known(&self, id: &ApprovalId) -> Result<Approval, Failure> {
        if let Some(approval) = self.read(&id.file())? {
            return Ok(approval);
        }
        Err(match self.read(&id.used_file())? {
            Some(_) => RefusalReason::Used.failure(),
            None => RefusalReason::Unknown.failure(),
        })
    }

    /// Reads every approval with its file name, and whether it was used.
    fn read_all(&self) -> Result<Vec<(String, bool, Approval)>, Failure> {
        let mut found = Vec::new();
        for name in self.folder.names()? {
            let Some(id) = name.split('.').next().and_then(ApprovalId::read) else {
                continue;
            };
            let is_used = id.used_file() == name;
            if (is_used || id.file() == name)
                && let Some(approval) = self.read(&name)?
            {
                found.push((name, is_used, approval));
            }
        }
        Ok(found)
    }

    /// Reads an approval; `None` if the file is missing, is not JSON of this form, or contains another id than its
    /// name.
    fn read(&self, name: &str) -> Result<Option<Approval>, Failure> {
        let bytes = self.folder.read(name, MOST_BYTES)?;
        let approval = bytes.and_then(|bytes| serde_json::from_slice::<Approval>(&bytes).ok());
        Ok(approval.filter(|approval| name.starts_with(&approval.id)))
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
}

fn lifetime_from(now: Timestamp) -> Timestamp {
    now.saturating_add(LIFETIME).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
