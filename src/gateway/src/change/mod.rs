//! A call that changes the vault: planned, recorded in the journal and the audit log, carried out,
//! and verified (`design/writes.md`).

mod change_plan;
mod describe;
mod diff;
mod evidence;
mod hard_links;
mod judgement;
mod observed;
mod other_users;
mod pending;
mod planned;
mod recorded;
mod unseen;
mod verified;

pub(crate) use self::change_plan::{ChangePlan, PlanOutcome, is_in_draft, keeps_property_types};
pub use self::describe::Plan;
pub(crate) use self::describe::describe;
pub(crate) use self::hard_links::has_other_names;
pub(crate) use self::observed::happening;
pub(crate) use self::pending::PendingChange;
pub(crate) use self::planned::{Planned, facts, files as files_of};
pub(crate) use self::recorded::make_recorded;
pub(crate) use self::unseen::{Left, Unseen};
pub(crate) use self::evidence::Questions;
pub(crate) use self::judgement::Judgement;
pub(crate) use self::pending::{finish, journal_unfinished};
pub(crate) use self::verified::ChangeVerifier;
