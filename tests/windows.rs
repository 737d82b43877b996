//! What is otherwise on Windows (`design/platforms.md`): names, notes that others hold open, folders of the
//! user, and the official command line, which is a job here and is told its arguments as one line.

mod names;
mod notes;
mod official;

use std::collections::BTreeMap;

use vault_gw::gateway::{Caller, Options};

use crate::support::{World, checked, code};

/// Every file of a vault, by its path.
type Files = BTreeMap<String, Vec<u8>>;

/// A user whose agents may change the vault.
fn open() -> World {
    World::empty().set("backend = \"embedded\"\napprove = []\nallow_mutations = true")
}

/// The code with which a command ends.
fn ends(world: &World, command: &str, params: &[(&str, &str)]) -> &'static str {
    code(&world.call(command, params))
}

/// Undoes the last change; the code of that.
fn undo(world: &World) -> &'static str {
    let person = world.person();
    code(&checked(person.undo(None, false)))
}
