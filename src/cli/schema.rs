//! `vault-gw schema [NAME]`: the published JSON Schemas.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::Map;

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::Catalogue;
use crate::bridge::schema;
use crate::code::Code;
use crate::failure::Failure;

/// Prints one schema, or the names of all.
pub(crate) fn run(terminal: Terminal, options: &Options, name: Option<&str>) -> ExitCode {
    let started = Instant::now();
    let catalogue = match Catalogue::whole() {
        Ok(catalogue) => catalogue,
        Err(failure) => {
            return report::failure(terminal, options.output_mode(), "schema", failure);
        }
    };
    let Some(name) = name else {
        let names: Vec<String> = schema::all(catalogue)
            .into_iter()
            .map(|schema| schema.name)
            .collect();
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        let data = Map::from_iter([("names".to_owned(), names.into())]);
        return report::verb(terminal, options, "schema", started, &text, data);
    };
    if let Some(found) = schema::named(catalogue, name) {
        let text = format!("{:#}\n", found.schema);
        let data = Map::from_iter([
            ("name".to_owned(), found.name.into()),
            ("schema".to_owned(), found.schema),
        ]);
        return report::verb(terminal, options, "schema", started, &text, data);
    }
    let all = schema::all(catalogue);
    let known = all.iter().map(|schema| schema.name.as_str());
    let known = known.chain(catalogue.commands().map(|command| command.id.as_str()));
    let failure = Failure::new(
        Code::UsageError,
        "There is no schema of this name; `vault-gw schema` lists them.",
    )
    .with("nearest", crate::allowlist::nearest(name, known));
    report::failure(terminal, options.output_mode(), "schema", failure)
}
