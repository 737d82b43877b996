//! `vault-gw context`: describes the vault and what is open in it.

use std::process::ExitCode;

use super::report;
use crate::allowlist::RawValue;
use crate::environment::Environment;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::gateway::{Caller, Params, Request};

/// Asks the gateway, as an agent would.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    deep: bool,
    environment: &Environment,
) -> ExitCode {
    let params = deep.then(|| ("deep".to_owned(), RawValue::Bool(true)));
    ask(terminal, options, "context", Params(params.into_iter().collect()), environment)
}

/// Asks the gateway one of its built-in questions and reports the answer.
pub(super) fn ask(
    terminal: &Terminal,
    options: &CommandLineOptions,
    question: &str,
    params: Params,
    environment: &Environment,
) -> ExitCode {
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => gateway,
        Err(failure) => {
            return report::failure(terminal, options, question, failure);
        }
    };
    let request = Request {
        params,
        correlation_id: options.correlation_id.clone(),
        run_id: options.run_id,
        ..Request::new(question)
    };
    report::answer(terminal, options, &gateway.answer(&request))
}
