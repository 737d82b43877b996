//! The state of a path in the JSON of an entry.

use serde::{Deserialize, Serialize};
use vault_engine::State;

use super::hash_text as hash;

/// A state that a path has in the middle of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Passing(#[serde(with = "StateForm")] pub(super) State);

/// The form of a [`State`] in the JSON of an entry.
#[derive(Serialize, Deserialize)]
#[serde(remote = "State", rename_all = "lowercase")]
pub(super) enum StateForm {
    Absent,
    Folder,
    File {
        #[serde(with = "hash")]
        sha256: [u8; 32],
        size: u64,
        mode: u32,
    },
}

pub(super) mod optional_state {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use vault_engine::State;

    use crate::journal::state_form::Passing;

    #[expect(clippy::ref_option, reason = "serde's signature")]
    pub(in super::super) fn serialize<S: Serializer>(
        state: &Option<State>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        state.map(Passing).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<State>, D::Error> {
        Ok(Option::<Passing>::deserialize(deserializer)?.map(|form| form.0))
    }
}
