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
mod perform;
mod planned;
mod recorded;
mod unseen;
mod verified;

pub(super) use self::change_plan::{ChangePlan, PlanOutcome, keeps_property_types};
pub use self::describe::Plan;
pub(super) use self::describe::describe;
pub(super) use self::hard_links::has_other_names;
pub(super) use self::observed::happening;
pub(super) use self::perform::PendingChange;
pub(super) use self::planned::{Planned, facts, files as files_of};
pub(super) use self::recorded::make_recorded;
pub(super) use self::unseen::{Left, Unseen};
