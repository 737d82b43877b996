//! Vaults, plugins, tabs and workspaces.

use std::borrow::Cow;

use serde::Deserialize;
use vault_answers::{Answer, List, PluginItem, TabItem, VaultItem, WorkspaceItem};
use vault_files::{Args, Format};

use crate::app_form::{AppForm, PrintedItem};
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;
use crate::text::names::lines;
use crate::text::table;

pub(crate) static VAULTS: AppForm =
    AppForm::new::<List<VaultItem>>("vaults", parse_vaults).with_total();
pub(crate) static PLUGINS: AppForm = AppForm::new::<List<PluginItem>>("plugins", parse_plugins);
pub(crate) static TABS: AppForm = AppForm::new::<List<TabItem>>("tabs", parse_tabs);
pub(crate) static WORKSPACES: AppForm =
    AppForm::new::<List<WorkspaceItem>>("workspaces", parse_workspaces)
        .empty(Empty::Says("No workspaces saved."))
        .with_total();

/// Reads names, with `verbose` their folders.
fn parse_vaults(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let verbose = on(arguments, "verbose");
    let item = |line: &str| {
        if !verbose {
            return Ok(VaultItem {
                name: line.to_owned(),
                path: None,
            });
        }
        let (name, path) = line.split_once('\t').ok_or(Reason::NO_TAB)?;
        Ok(VaultItem {
            name: name.to_owned(),
            path: Some(path.to_owned()),
        })
    };
    body.items(item).map(Answer::from)
}

/// Reads a table of ids.
fn parse_plugins(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct AppRow {
        id: String,
        version: Option<String>,
    }
    let format = arguments.format(Format::TABLE);
    let named = |id: String, version: Option<String>| PluginItem {
        id,
        version: version.filter(|version| !version.is_empty()),
    };
    let list = if format == Format::Json {
        table::read_json(body, |row: AppRow| named(row.id, row.version))
    } else {
        let columns = 1 + usize::from(on(arguments, "versions"));
        table::read(body, separator(format), columns, |cells| {
            let mut cells = cells.into_iter().map(Cow::into_owned);
            Ok(named(cells.next().unwrap_or_default(), cells.next()))
        })
    };
    list.map(Answer::from)
}

/// The separator of a table's text form.
pub(crate) fn separator(format: Format) -> char {
    if format == Format::Csv { ',' } else { '\t' }
}

/// Parses `[view] title`, with `ids` a tab and the id.
fn parse_tabs(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let ids = on(arguments, "ids");
    let item = |line: &str| {
        let parts = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let (view, rest) = parts.ok_or(Reason::Pattern("[view] title"))?;
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let (title, id) = match rest.rsplit_once('\t').filter(|_| ids) {
            Some((title, id)) => (title, Some(id.to_owned())),
            None if ids => {
                return Err(Reason::NO_TAB);
            }
            None => (rest, None),
        };
        Ok(TabItem {
            view: view.to_owned(),
            title: title.to_owned(),
            id,
        })
    };
    body.items(item).map(Answer::from)
}

const ACTIVE: &str = " (active)";

/// Parses workspace names, one per line, the active one marked.
fn parse_workspaces(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let item = |line: &str| {
        let name = line.strip_suffix(ACTIVE);
        Ok(WorkspaceItem {
            name: name.unwrap_or(line).to_owned(),
            active: name.is_some(),
        })
    };
    body.items(item).map(Answer::from)
}

impl PrintedItem for VaultItem {
    /// Names, with `verbose` their folders after a tab.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let verbose = on(arguments, "verbose");
        let line = |item: &VaultItem| match &item.path {
            Some(path) if verbose => format!("{}\t{path}", item.name),
            _ => item.name.clone(),
        };
        lines(list, line)
    }

    /// Folders only with `verbose`.
    fn shown(self, arguments: &Args) -> Self {
        let path = self.path.filter(|_| on(arguments, "verbose"));
        Self { path, ..self }
    }
}

impl PrintedItem for PluginItem {
    /// A table of ids, with `versions` their versions.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let versions = on(arguments, "versions");
        let rows = list.items.iter().map(|item| {
            let version = versions.then(|| item.version.as_deref().unwrap_or_default().into());
            std::iter::once(item.id.as_str().into()).chain(version)
        });
        // The output of a table without rows is recorded only as a sentence, and plugins have none.
        let format = arguments.format(Format::TABLE);
        table::render(&["id", "version"], rows, format)
    }

    /// Versions only with `versions`.
    fn shown(self, arguments: &Args) -> Self {
        let shown = |version: &String| on(arguments, "versions") && !version.is_empty();
        let version = self.version.filter(shown);
        Self { version, ..self }
    }
}

impl PrintedItem for TabItem {
    /// `[markdown] Title`, with `ids` a tab and the id.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let ids = on(arguments, "ids");
        let line = |item: &TabItem| match &item.id {
            Some(id) if ids => format!("[{}] {}\t{id}", item.view, item.title),
            _ => format!("[{}] {}", item.view, item.title),
        };
        lines(list, line)
    }

    /// Ids only with `ids`.
    fn shown(self, arguments: &Args) -> Self {
        let id = self.id.filter(|_| on(arguments, "ids"));
        Self { id, ..self }
    }
}

impl PrintedItem for WorkspaceItem {
    /// Names, the one in use marked.
    fn printed(list: &List<Self>, _form: &AppForm, _arguments: &Args) -> String {
        let line = |item: &WorkspaceItem| {
            format!("{}{}", item.name, if item.active { ACTIVE } else { "" })
        };
        lines(list, line)
    }
}
