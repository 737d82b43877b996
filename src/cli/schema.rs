//! `vault-gw schema [NAME]`: prints the published JSON Schemas and the tool definitions.

use serde_json::{Map, Value};

use super::Cli;
use super::error::Error;
use super::report::{TextAndData, VerbEnd};
use allowlist::{Catalogue, nearest};
use frontend::{
    schema, setup, skill,
    tool_shapes::{ToolShape, shaped},
    tools,
};
use protocol::{Caller, Failure};

/// The name for tool definitions; no command or schema has this name.
const TOOLS: &str = "tools";

/// The name for the skill; no command or schema has this name.
const SKILL: &str = "skill";

/// The options of `schema`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SchemaArguments {
    /// Which schema, or `tools`, or `skill` for the SKILL.md of an agent; without it, the names of all
    name: Option<String>,
    /// For `tools`: whose shape
    #[arg(long, value_name = "SHAPE", default_value = "mcp")]
    shape: ToolShape,
    /// For `tools`: the generic tool alone, whose arguments are a request of `call`
    #[arg(long)]
    generic: bool,
}

/// Prints one schema, the open tools, or the names of all schemas.
pub(crate) fn run(cli: Cli<'_>, arguments: &SchemaArguments) -> Result<VerbEnd, Failure> {
    let printed = match arguments.name.as_deref() {
        None => names(),
        Some(TOOLS) => definitions(cli, arguments),
        Some(_) if arguments.shape != ToolShape::Mcp || arguments.generic => {
            Err(Error::OnlyForTools.into())
        }
        Some(SKILL) => skill_file(cli),
        Some(name) => named(name),
    };
    Ok(printed?.into())
}

fn names() -> Result<TextAndData, Failure> {
    let published = schema::all(Catalogue::whole()?).into_iter();
    let names: Vec<String> = published
        .map(|schema| schema.name)
        .chain([TOOLS.to_owned(), SKILL.to_owned()])
        .collect();
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    Ok((text, Map::from_iter([("names".to_owned(), names.into())])))
}

fn named(name: &str) -> Result<TextAndData, Failure> {
    let catalogue = Catalogue::whole()?;
    if let Some(found) = schema::named(catalogue, name) {
        let text = format!("{:#}\n", found.schema);
        let data = Map::from_iter([
            ("name".to_owned(), found.name.into()),
            ("schema".to_owned(), found.schema),
        ]);
        return Ok((text, data));
    }
    let all = schema::all(catalogue);
    let known = all.iter().map(|schema| schema.name.as_str());
    let known = known.chain(catalogue.commands().map(|command| command.id.as_str()));
    let near = nearest(name, known.chain([TOOLS, SKILL]));
    Err(Error::NoSchema(near).into())
}

/// Returns the skill for an agent with the tools that the current policy, or the policy of `--agent`, allows.
fn skill_file(cli: Cli<'_>) -> Result<TextAndData, Failure> {
    let gateway = setup::gateway(cli.options, cli.environment, Caller::Agent)?;
    let open = tools::tools(Catalogue::whole()?, gateway.policy());
    let text = skill::text(&open, &str::to_owned);
    let data = Map::from_iter([
        ("name".to_owned(), skill::NAME.into()),
        ("skill".to_owned(), text.clone().into()),
    ]);
    Ok((text, data))
}

/// Returns the tools that the current policy, or the policy of `--agent`, allows.
fn definitions(cli: Cli<'_>, arguments: &SchemaArguments) -> Result<TextAndData, Failure> {
    let gateway = setup::gateway(cli.options, cli.environment, Caller::Agent)?;
    let mut open = tools::tools(Catalogue::whole()?, gateway.policy());
    open.retain(|tool| !arguments.generic || tool.name == tools::GENERIC);
    let tools = Value::from(shaped(&open, arguments.shape));
    let text = format!("{tools:#}\n");
    Ok((text, Map::from_iter([("tools".to_owned(), tools)])))
}
