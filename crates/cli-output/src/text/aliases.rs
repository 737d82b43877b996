//! Aliases.

use vault_answers::{AliasItem, Answer, List};
use vault_files::Args;

use crate::app_form::{AppForm, PrintedItem};
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;
use crate::text::names::lines;

pub(crate) static ALIASES: AppForm = AppForm::new::<List<AliasItem>>("aliases", parse)
    .empty(Empty::Says("No aliases found."))
    .with_total()
    .listing_files();

/// Reads one a line.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let verbose = on(arguments, "verbose");
    let item = |line: &str| {
        if !verbose {
            return Ok(AliasItem {
                alias: line.to_owned(),
                paths: None,
            });
        }
        let (alias, paths) = line.split_once('\t').ok_or(Reason::NO_TAB)?;
        Ok(AliasItem {
            alias: alias.to_owned(),
            paths: Some(split_paths(paths)),
        })
    };
    body.items(item).map(Answer::from)
}

/// Paths joined by a comma and a space.
pub(crate) fn split_paths(paths: &str) -> Vec<String> {
    paths
        .split(", ")
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

impl PrintedItem for AliasItem {
    /// One a line; with `verbose` a tab and its notes.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let verbose = on(arguments, "verbose");
        let line = |item: &AliasItem| match &item.paths {
            Some(paths) if verbose => format!("{}\t{}", item.alias, paths.join(", ")),
            _ => item.alias.clone(),
        };
        lines(list, line)
    }

    /// Notes only with `verbose`.
    fn shown(self, arguments: &Args) -> Self {
        let paths = self.paths.filter(|_| on(arguments, "verbose"));
        Self { paths, ..self }
    }
}
