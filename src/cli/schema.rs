//! `vault-gw schema [NAME]`: the published JSON Schemas.

use std::process::ExitCode;

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::Catalogue;
use crate::bridge::schema;
use crate::code::Code;
use crate::failure::Failure;

/// Prints one schema, or the names of all.
pub(crate) fn run(terminal: Terminal, options: &Options, name: Option<&str>) -> ExitCode {
    let catalogue = match Catalogue::whole() {
        Ok(catalogue) => catalogue,
        Err(failure) => {
            return report::failure(terminal, options.output_mode(), "schema", failure);
        }
    };
    let Some(name) = name else {
        let names: String = schema::all(catalogue)
            .iter()
            .map(|schema| format!("{}\n", schema.name))
            .collect();
        return report::text(terminal, &names);
    };
    if let Some(found) = schema::named(catalogue, name) {
        return report::text(terminal, &format!("{:#}\n", found.schema));
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
