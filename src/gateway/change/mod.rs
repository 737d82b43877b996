//! The way of a call that changes the vault: planned, compared, recorded, done, looked at
//! (`design.md` §10).

mod describe;
mod diff;
mod draft;
mod evidence;
mod hard_links;
mod observed;
mod other_users;
mod perform;
mod planned;
mod unseen;
mod verified;

pub(super) use self::describe::describe;
pub(super) use self::draft::{Draft, Drafted};
pub(super) use self::perform::Decided;
pub(super) use self::planned::Planned;
pub(super) use self::unseen::{Left, Unseen};
