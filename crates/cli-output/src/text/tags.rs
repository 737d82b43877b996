//! Tags, and the files with one tag.

use serde::Deserialize;
use vault_answers::{Answer, FileItem, List, TagFiles, TagItem};
use vault_files::{Args, Format};

use crate::app_form::{AppForm, Printed, PrintedItem};
use crate::text::app::separator;
use crate::text::body::{Body, Empty, whole};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;
use crate::text::names;
use crate::text::table::{self, Count};

pub(crate) static TAGS: AppForm = AppForm::new::<List<TagItem>>("tags", parse)
    .empty(Empty::Says("No tags found."))
    .with_total();
pub(crate) static TAG: AppForm = AppForm::new::<TagFiles>("tag", parse_files)
    .with_total()
    .listing_files();

/// Reads a table of tags. Every line must begin with `#`.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct TagRow {
        tag: String,
        count: Option<Count>,
    }
    let format = arguments.format(Format::TABLE);
    let list = if format == Format::Json {
        table::read_json(body, |row: TagRow| TagItem {
            tag: row.tag,
            count: row.count.map(|count| count.0),
        })
    } else {
        let columns = 1 + usize::from(on(arguments, "counts"));
        table::read(body, separator(format), columns, |cells| {
            let mut cells = cells.into_iter();
            let tag = cells.next().unwrap_or_default();
            if !tag.starts_with('#') {
                return Err(Reason::Pattern("#tag"));
            }
            let count = cells.next().map(|count| whole(&count)).transpose()?;
            Ok(TagItem {
                tag: tag.into_owned(),
                count,
            })
        })
    };
    list.map(Answer::from)
}

/// Reads paths, with `verbose` after the tag and its count.
fn parse_files(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    if !on(arguments, "verbose") {
        let tag = tag_argument(arguments)
            .ok_or_else(|| body.fault(Reason::MissingArgument { name: "name" }))?;
        let files = body.items(|path| {
            let path = path.to_owned();
            Ok(FileItem { path })
        })?;
        return Ok(Answer::from(TagFiles {
            tag,
            count: None,
            files,
        }));
    }
    let mut lines = body.lines();
    let head = lines.next().and_then(|(_, head)| head.rsplit_once('\t'));
    let (tag, count) = head
        .filter(|(tag, _)| tag.starts_with('#'))
        .ok_or_else(|| body.fault(Reason::Pattern("#tag, tab, count")))?;
    let count = whole(count).map_err(|reason| body.fault(reason))?;
    let files = lines.map(|(number, path)| match path {
        "" => Err(Fault::at_line(number, Reason::EmptyLine)),
        path => Ok(FileItem {
            path: path.to_owned(),
        }),
    });
    let files = files.collect::<Result<_, _>>()?;
    Ok(Answer::from(TagFiles {
        tag: tag.to_owned(),
        count: Some(count),
        files,
    }))
}

/// The tag as it was asked for, with its `#`.
fn tag_argument(arguments: &Args) -> Option<String> {
    let name = arguments.param("name")?;
    Some(format!("#{}", name.strip_prefix('#').unwrap_or(name)))
}

impl PrintedItem for TagItem {
    /// A table of tags, with `counts` their counts.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let counts = on(arguments, "counts");
        let rows = list.items.iter().map(|item| {
            let count = counts.then(|| item.count.unwrap_or_default().to_string().into());
            std::iter::once(item.tag.as_str().into()).chain(count)
        });
        let format = arguments.format(Format::TABLE);
        table::render(&["tag", "count"], rows, format)
    }

    /// Counts only with `counts`.
    fn shown(self, arguments: &Args) -> Self {
        let count = on(arguments, "counts").then(|| self.count.unwrap_or_default());
        Self { count, ..self }
    }
}

impl Printed for TagFiles {
    /// Paths; with `verbose` first the tag and its count (`official-cli.md` §5.2, `tag`).
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        let paths = names::render(&self.files, |item| &item.path);
        if !on(arguments, "verbose") {
            return paths;
        }
        let head = format!("{}\t{}", self.tag, self.count.unwrap_or_default());
        if paths.is_empty() {
            head
        } else {
            format!("{head}\n{paths}")
        }
    }

    /// The count only with `verbose`; without it the tag is the requested tag.
    fn printed_form(self, arguments: &Args) -> Answer {
        let files = List::new(self.files.items);
        Answer::from(if on(arguments, "verbose") {
            TagFiles {
                count: Some(self.count.unwrap_or_default()),
                files,
                ..self
            }
        } else {
            TagFiles {
                tag: tag_argument(arguments).unwrap_or(self.tag),
                count: None,
                files,
            }
        })
    }
}
