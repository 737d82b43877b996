//! `vault-gw context`: describes the vault and what is open in it.

use super::Cli;
use super::report::{self, VerbEnd};
use allowlist::RawValue;
use frontend::setup;
use gateway::{Params, Request};
use protocol::{Caller, Failure};

/// Asks the gateway, as an agent would.
pub(crate) fn run(cli: Cli<'_>, deep: bool) -> Result<VerbEnd, Failure> {
    let params = deep.then(|| ("deep".to_owned(), RawValue::Bool(true)));
    ask(cli, "context", Params(params.into_iter().collect()))
}

/// Asks the gateway one of its built-in questions and reports the answer.
pub(super) fn ask(cli: Cli<'_>, question: &str, params: Params) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    let request = Request {
        params,
        correlation_id: options.correlation_id.clone(),
        run_id: options.run_id,
        ..Request::new(question)
    };
    Ok(report::answer(terminal, options, &gateway.call(&request)).into())
}
