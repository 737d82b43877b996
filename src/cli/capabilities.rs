//! `vault-gw capabilities`: lists all commands, and whether each is open here.

use super::Cli;
use super::context;
use super::report::VerbEnd;
use allowlist::{RawValue, Tier};
use gateway::Params;
use protocol::Failure;

/// The options of `capabilities`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CapabilitiesArguments {
    /// Only what may run, including what needs an approval
    #[arg(long)]
    open: bool,
    /// Only this group, such as `daily` or `tasks`
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Only this tier itself, not those below it
    #[arg(long, value_name = "TIER")]
    in_tier: Option<Tier>,
    /// Without parameters and flags (in JSON)
    #[arg(long)]
    brief: bool,
}

/// Asks the gateway, as an agent would.
pub(crate) fn run(cli: Cli<'_>, arguments: &CapabilitiesArguments) -> Result<VerbEnd, Failure> {
    let mut params = Params::default();
    let mut add = |name: &str, value: Option<RawValue>| {
        params.0.extend(value.map(|value| (name.to_owned(), value)));
    };
    let switch = |on: bool| on.then_some(RawValue::Bool(true));
    add("brief", switch(arguments.brief));
    add("open", switch(arguments.open));
    add("group", arguments.group.clone().map(RawValue::Text));
    let tier = arguments.in_tier.map(|tier| tier.name().to_owned());
    add("tier", tier.map(RawValue::Text));
    context::ask(cli, "capabilities", params)
}
