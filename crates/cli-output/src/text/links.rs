//! Links, backlinks and unresolved links.

use std::borrow::Cow;

use serde::Deserialize;
use vault_answers::{Answer, BacklinkItem, LinkItem, List, UnresolvedItem};
use vault_files::{Args, Format};

use crate::app_form::{AppForm, PrintedItem};
use crate::text::aliases::split_paths;
use crate::text::app::separator;
use crate::text::body::{Body, Empty, whole};
use crate::text::error::Fault;
use crate::text::form::on;
use crate::text::names::lines;
use crate::text::table::{self, Count};

pub(crate) static LINKS: AppForm = AppForm::new::<List<LinkItem>>("links", parse)
    .empty(Empty::Says("No links found."))
    .with_total()
    .listing_files();
pub(crate) static BACKLINKS: AppForm =
    AppForm::new::<List<BacklinkItem>>("backlinks", parse_backlinks)
        .empty(Empty::Says("No backlinks found."))
        .with_total()
        .listing_files();
pub(crate) static UNRESOLVED: AppForm =
    AppForm::new::<List<UnresolvedItem>>("unresolved", parse_unresolved)
        .empty(Empty::Says("No unresolved links found."))
        .with_total()
        .listing_files();

const MARK: &str = " (unresolved)";

/// Reads paths and targets.
fn parse(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let item = |line: &str| {
        Ok(match line.strip_suffix(MARK) {
            Some(target) => LinkItem::Unresolved {
                target: target.to_owned(),
            },
            None => LinkItem::File {
                path: line.to_owned(),
            },
        })
    };
    body.items(item).map(Answer::from)
}

/// Reads a table of files.
fn parse_backlinks(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct Row {
        file: String,
        count: Option<Count>,
    }
    let format = arguments.format(Format::TABLE);
    let list = if format == Format::Json {
        table::read_json(body, |row: Row| BacklinkItem {
            path: row.file,
            count: row.count.map(|count| count.0),
        })
    } else {
        let columns = 1 + usize::from(on(arguments, "counts"));
        table::read(body, separator(format), columns, |cells| {
            let mut cells = cells.into_iter();
            let path = cells.next().unwrap_or_default().into_owned();
            let count = cells.next().map(|count| whole(&count)).transpose()?;
            Ok(BacklinkItem { path, count })
        })
    };
    list.map(Answer::from)
}

/// The columns after the link.
struct Columns {
    counts: bool,
    sources: bool,
}

impl Columns {
    fn from_arguments(arguments: &Args) -> Self {
        let sources = on(arguments, "verbose");
        Self {
            counts: sources || on(arguments, "counts"),
            sources,
        }
    }
}

/// Reads a table of link texts.
fn parse_unresolved(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct Row {
        link: String,
        count: Option<Count>,
        sources: Option<String>,
    }
    let format = arguments.format(Format::TABLE);
    let list = if format == Format::Json {
        table::read_json(body, |row: Row| UnresolvedItem {
            link: row.link,
            count: row.count.map(|count| count.0),
            sources: row.sources.as_deref().map(split_paths),
        })
    } else {
        let Columns { counts, sources } = Columns::from_arguments(arguments);
        let columns = 1 + usize::from(counts) + usize::from(sources);
        table::read(body, separator(format), columns, |cells| {
            let mut cells = cells.into_iter();
            let link = cells.next().map(Cow::into_owned).unwrap_or_default();
            let count = cells.next().map(|count| whole(&count)).transpose()?;
            let sources = cells.next().map(|sources| split_paths(&sources));
            Ok(UnresolvedItem {
                link,
                count,
                sources,
            })
        })
    };
    list.map(Answer::from)
}

impl PrintedItem for LinkItem {
    /// Paths, and targets marked as unresolved; `format=` is ignored.
    fn printed(list: &List<Self>, _form: &AppForm, _arguments: &Args) -> String {
        let line = |item: &LinkItem| match item {
            LinkItem::File { path } => path.clone(),
            LinkItem::Unresolved { target } => format!("{target}{MARK}"),
        };
        lines(list, line)
    }
}

impl PrintedItem for BacklinkItem {
    /// A table of files, with `counts` their counts.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let counts = on(arguments, "counts");
        let rows = list.items.iter().map(|item| {
            let count = counts.then(|| item.count.unwrap_or_default().to_string().into());
            std::iter::once(item.path.as_str().into()).chain(count)
        });
        let format = arguments.format(Format::TABLE);
        table::render(&["file", "count"], rows, format)
    }

    /// Counts only with `counts`.
    fn shown(self, arguments: &Args) -> Self {
        let count = on(arguments, "counts").then(|| self.count.unwrap_or_default());
        Self { count, ..self }
    }
}

impl PrintedItem for UnresolvedItem {
    /// A table of link texts, with `counts` or `verbose` their counts, with `verbose` their sources.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let Columns { counts, sources } = Columns::from_arguments(arguments);
        let rows = list.items.iter().map(|item| {
            let count = counts.then(|| item.count.unwrap_or_default().to_string().into());
            let sources = sources.then(|| item.sources.as_deref().unwrap_or_default().join(", "));
            let link = std::iter::once(item.link.as_str().into());
            link.chain(count).chain(sources.map(Cow::from))
        });
        let mut columns = vec!["link"];
        columns.extend(counts.then_some("count"));
        columns.extend(sources.then_some("sources"));
        let format = arguments.format(Format::TABLE);
        table::render(&columns, rows, format)
    }

    /// Counts and sources only if requested.
    fn shown(self, arguments: &Args) -> Self {
        let Columns { counts, sources } = Columns::from_arguments(arguments);
        Self {
            count: counts.then(|| self.count.unwrap_or_default()),
            sources: sources.then(|| self.sources.unwrap_or_default()),
            ..self
        }
    }
}
