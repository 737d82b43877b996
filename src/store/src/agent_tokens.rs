//! The bearer tokens of agents over HTTP: their hashes, by the name of the agent (`design/settings.md`).
//!
//! They are in a separate file and not in the settings, which people copy and show around. A plain SHA-256 is enough:
//! a token is 256 random bits and not a password, so nobody can try them all, and a slow hash would only cost each
//! request.
//!
//! The settings and the tokens are two files. `add` writes the table first and the token last. `revoke` removes the
//! token and remembers the name before it removes the table. `rename` moves the token to a name that has no table yet.
//! A token without a table opens nothing, so an interruption leaves nothing open.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::error::{Access, Collection, StoreCause, StoreError};
use protocol::{
    Code, Failure,
    digest::{from_hexadecimal, hexadecimal, sha256},
    for_person,
};
use sandbox::{PrivateFolder, Unsafe};

/// The name of the file in the state folder.
pub const FILE: &str = "agent-tokens.json";
const MOST_BYTES: u64 = 1 << 20;

/// The SHA-256 of a bearer token; the token itself is not kept. Has no `Debug`.
#[derive(Clone)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Hashes a token with SHA-256.
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether both are of the same token. Constant time, so that response times do not leak a
    /// prefix: it compares all bytes.
    pub fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(other.0);
        let difference = pairs.fold(0, |difference, (left, right)| difference | (left ^ right));
        std::hint::black_box(difference) == 0
    }
}

/// A new token: 64 hexadecimal digits for 256 random bits.
pub fn new_token() -> String {
    // Each UUID has 122 random bits.
    sha256([(); 3].map(|()| Uuid::new_v4().into_bytes()).as_flattened())
}

/// The hashes of the agents' tokens, by the name of the agent. `None` for a former name, which the journal and the
/// approvals still use.
#[derive(Clone, Default)]
pub struct AgentTokens(BTreeMap<String, Option<TokenHash>>);

impl AgentTokens {
    /// Reads the tokens from the file in the state folder; empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if others can change the file or it is damaged, `IO_ERROR` if it cannot be read.
    pub fn read(state: &Path) -> Result<Self, Failure> {
        match PrivateFolder::open(state) {
            Err(Unsafe::Missing) => Ok(Self::default()),
            folder => Self::in_folder(&folder.map_err(unusable)?),
        }
    }

    /// Changes the file in the state folder, which is replaced as a whole.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and `IO_ERROR` if it cannot be written. The old file then stays.
    pub fn change<T>(state: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, Failure> {
        let folder = PrivateFolder::create(state).map_err(unusable)?;
        // Locked before reading, so that two changes at once do not undo each other.
        folder.lock().map_err(unusable)?;
        folder
            .remove_leftovers(OsStr::new(FILE))
            .map_err(unusable)?;
        let mut tokens = Self::in_folder(&folder)?;
        let done = change(&mut tokens);
        let hashes = tokens.0.iter();
        let hashes: BTreeMap<&String, String> = hashes
            .map(|(name, hash)| {
                let hash = hash.as_ref().map(|hash| hexadecimal(&hash.0));
                (name, hash.unwrap_or_default())
            })
            .collect();
        let text = serde_json::to_vec_pretty(&hashes).map_err(|_| damaged())?;
        folder.replace(OsStr::new(FILE), &text).map_err(unusable)?;
        Ok(done)
    }

    fn in_folder(folder: &PrivateFolder) -> Result<Self, Failure> {
        let bytes = match folder.read(OsStr::new(FILE), MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(Unsafe::Missing) => return Ok(Self::default()),
            Err(reason) => return Err(unusable(reason)),
        };
        let hashes: BTreeMap<String, String> =
            serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        let hashes = hashes.into_iter().map(|(name, hash)| {
            if hash.is_empty() {
                return Ok((name, None));
            }
            let hash = from_hexadecimal(&hash).ok_or_else(damaged)?;
            Ok((name, Some(TokenHash(hash))))
        });
        Ok(Self(hashes.collect::<Result<_, Failure>>()?))
    }

    /// Returns the agent with this token. Compares with the tokens of all agents, so that the time does not reveal the
    /// agent.
    pub fn agent_of(&self, token: &TokenHash) -> Option<&str> {
        let agents = self.0.iter();
        agents.fold(None, |found, (name, hash)| {
            if hash.as_ref().is_some_and(|hash| hash.is(token)) {
                Some(name.as_str())
            } else {
                found
            }
        })
    }

    /// The agents that have a token.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        let agents = self.0.iter().filter(|(_, hash)| hash.is_some());
        agents.map(|(name, _)| name.as_str())
    }

    /// Whether this agent has a token.
    pub fn has(&self, agent: &str) -> bool {
        self.0.get(agent).is_some_and(Option::is_some)
    }

    /// Whether a former agent had this name, in any case: a client must not get past its end by another spelling.
    pub fn is_former(&self, agent: &str) -> bool {
        let agent = agent.to_lowercase();
        let mut former = self.0.iter().filter(|(_, hash)| hash.is_none());
        former.any(|(name, _)| name.to_lowercase() == agent)
    }

    /// Remembers that an agent had this name, and removes its token.
    pub fn retire(&mut self, agent: &str) {
        self.0.insert(agent.to_owned(), None);
    }

    /// Sets the token of an agent; its old token is no longer valid.
    pub fn set(&mut self, agent: &str, token: &str) {
        self.0.insert(agent.to_owned(), Some(TokenHash::new(token)));
    }

    /// Removes the token of an agent, and that a former agent had this name. Returns whether it had a token.
    pub fn remove(&mut self, agent: &str) -> bool {
        self.0.remove(agent).flatten().is_some()
    }

    /// Gives the token of `old` to `new`, replaces a token that a former agent named `new` may have left, and
    /// remembers the old name. Returns whether there was a token.
    pub fn rename(&mut self, old: &str, new: &str) -> bool {
        self.0.remove(new);
        let hash = self.0.insert(old.to_owned(), None).flatten();
        let has_token = hash.is_some();
        if has_token {
            self.0.insert(new.to_owned(), hash);
        }
        has_token
    }
}

fn unusable(reason: Unsafe) -> Failure {
    Failure::from(StoreError {
        collection: Collection::Tokens,
        access: Access::Read,
        cause: StoreCause::Unsafe(reason),
    })
}

fn damaged() -> Failure {
    Code::ConfigInvalid
        .failure(format!(
            "The file `{FILE}` in the state folder is damaged. It contains the tokens of the \
            agents."
        ))
        .hint(for_person("Remove the file. Then make a new token for each agent with `vault-gw agents token NAME`."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i21_a_former_agent_is_known_in_any_case() {
        let mut tokens = AgentTokens::default();
        tokens.retire("guest");
        assert!(tokens.is_former("guest") && tokens.is_former("GUEST"));
        assert!(!tokens.is_former("guests"));
    }

    fn changed(state: &Path, change: impl FnOnce(&mut AgentTokens)) -> AgentTokens {
        AgentTokens::change(state, change).unwrap();
        AgentTokens::read(state).unwrap()
    }

    #[test]
    fn i07_a_token_leads_to_its_agent_until_it_is_replaced_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        assert_eq!(AgentTokens::read(&state).unwrap().agents().count(), 0);
        let (one, other) = (new_token(), new_token());
        assert!(one.len() == 64 && one != other);
        let tokens = changed(&state, |tokens| tokens.set("helper", &one));
        let agent_of = |tokens: &AgentTokens, token: &str| {
            let agent = tokens.agent_of(&TokenHash::new(token));
            agent.map(str::to_owned)
        };
        assert_eq!(agent_of(&tokens, &one).as_deref(), Some("helper"));
        for wrong in ["", &one[1..], &one.to_uppercase(), &other, "helper"] {
            assert_eq!(agent_of(&tokens, wrong), None);
        }
        let text = fs_err::read_to_string(state.join(FILE)).unwrap();
        assert!(!text.contains(&one));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(state.join(FILE)).unwrap().permissions();
            assert_eq!(mode.mode() & 0o777, 0o600);
        }
        let tokens = changed(&state, |tokens| tokens.set("helper", &other));
        assert_eq!(agent_of(&tokens, &one), None);
        // A token that an earlier agent of the new name left opens nothing.
        let tokens = changed(&state, |tokens| {
            tokens.set("new", &one);
            assert!(tokens.rename("helper", "new"));
        });
        assert_eq!(agent_of(&tokens, &one), None);
        assert_eq!(agent_of(&tokens, &other).as_deref(), Some("new"));
        let tokens = changed(&state, |tokens| assert!(!tokens.rename("none", "new")));
        assert_eq!(agent_of(&tokens, &other), None);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        for damage in ["", "[]", "{\"a\":1}", "{\"a\":\"00\"}", "{"] {
            fs_err::write(&file, damage).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = std::fs::Permissions::from_mode(0o600);
                fs_err::set_permissions(&file, mode).unwrap();
            }
            let changed = AgentTokens::change(folder.path(), |tokens| tokens.set("a", "b"));
            assert_eq!(changed.unwrap_err().code, Code::ConfigInvalid, "{damage}");
            assert_eq!(fs_err::read_to_string(&file).unwrap(), damage);
        }
    }
}
