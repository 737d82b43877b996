//! Identifies the sender of a request over HTTP: the agent whose token the request has.

use std::path::PathBuf;

use super::settings_file::FileLook;
use protocol::Failure;
use store::agent_tokens;
use store::agent_tokens::{AgentTokens, TokenHash};

/// The holder of a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenHolder {
    /// Anyone: the token belongs to no agent.
    Shared,
    /// The agent of this name.
    Agent(String),
}

/// The accepted tokens.
pub(super) struct Credentials {
    shared: Option<TokenHash>,
    state: PathBuf,
    look: FileLook,
    agents: AgentTokens,
}

impl Credentials {
    /// Accepts the token `shared`, and the tokens of the agents' file in the state folder.
    ///
    /// # Errors
    ///
    /// If that file is unusable.
    pub(super) fn open(shared: Option<TokenHash>, state: PathBuf) -> Result<Self, Failure> {
        Ok(Self {
            shared,
            look: look(&state),
            agents: AgentTokens::read(&state)?,
            state,
        })
    }

    /// Reads the agents' file again if it changed; returns whether it did. An unusable file counts as empty: the
    /// failure says why.
    pub(super) fn refresh(&mut self) -> Result<bool, Failure> {
        let look = look(&self.state);
        if self.look.holds(&look) {
            return Ok(false);
        }
        let is_new = !self.look.is_same_file(&look);
        self.look = look;
        match AgentTokens::read(&self.state) {
            Ok(agents) => self.agents = agents,
            Err(failure) => {
                self.agents = AgentTokens::default();
                if is_new {
                    return Err(failure);
                }
            }
        }
        Ok(is_new)
    }

    /// Returns the holder of the token, if it is accepted.
    pub(super) fn holder_of(&self, token: &TokenHash) -> Option<TokenHolder> {
        let shared = self.shared.as_ref();
        let is_shared = shared.is_some_and(|shared| shared.is(token));
        let agent = self.agents.agent_of(token);
        let agent = agent.map(|agent| TokenHolder::Agent(agent.to_owned()));
        agent.or_else(|| is_shared.then_some(TokenHolder::Shared))
    }
}

fn look(state: &std::path::Path) -> FileLook {
    FileLook::read(Some(&state.join(agent_tokens::FILE)))
}
