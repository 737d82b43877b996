//! `vault-gw context`: describes the vault and what is open in it.

use super::report::{self, VerbEnd};
use allowlist::RawValue;
use frontend::options::CommandLineOptions;
use frontend::setup;
use frontend::terminal::Terminal;
use gateway::{Params, Request};
use protocol::caller::Caller;
use protocol::failure::Failure;
use sandbox::environment::Environment;

/// Asks the gateway, as an agent would.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    deep: bool,
    environment: &Environment,
) -> Result<VerbEnd, Failure> {
    let params = deep.then(|| ("deep".to_owned(), RawValue::Bool(true)));
    ask(
        terminal,
        options,
        "context",
        Params(params.into_iter().collect()),
        environment,
    )
}

/// Asks the gateway one of its built-in questions and reports the answer.
pub(super) fn ask(
    terminal: &Terminal,
    options: &CommandLineOptions,
    question: &str,
    params: Params,
    environment: &Environment,
) -> Result<VerbEnd, Failure> {
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    let request = Request {
        params,
        correlation_id: options.correlation_id.clone(),
        run_id: options.run_id,
        ..Request::new(question)
    };
    Ok(report::answer(terminal, options, &gateway.call(&request)).into())
}
