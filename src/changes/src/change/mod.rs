//! A call that changes the vault: planned, recorded in the journal and the audit log, carried out,
//! and verified (`design/writes.md`).

mod change_plan;
mod describe;
mod evidence;
mod hard_links;
mod judgement;
mod observed;
mod other_users;
mod pending;
mod planned;
mod recorded;
mod step_bonds;
mod unseen;
mod verified;

pub use self::change_plan::{ChangePlan, PlanOutcome, is_in_draft, keeps_property_types};
pub use self::describe::Plan;
pub use self::describe::describe;
pub use self::evidence::Questions;
pub use self::hard_links::has_other_names;
pub use self::judgement::Judgement;
pub use self::observed::happening;
pub use self::pending::PendingChange;
pub use self::pending::{finish, journal_unfinished};
pub use self::planned::{Planned, facts, files as files_of, hash_of};
pub use self::recorded::{make_recorded, without_kept};
pub use self::unseen::{Left, Unseen};
pub use self::verified::ChangeVerifier;
