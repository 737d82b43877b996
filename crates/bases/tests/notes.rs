//! A vault as data.

use std::cmp::Ordering;
use std::collections::HashMap;

use bases::{
    Base, Expression, ExpressionError, FileNumber, Kept, Moment, NoteLink, Notes, PropertyKind,
    Query, QueryBudget, Table, This,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value as Json, json};

/// One file of a vault.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) created: Option<Timestamp>,
    pub(crate) modified: Option<Timestamp>,
    pub(crate) properties: Map<String, Json>,
    pub(crate) tags: Vec<String>,
    pub(crate) links: Vec<NoteLink>,
    pub(crate) embeds: Vec<NoteLink>,
}

/// A vault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vault {
    pub(crate) files: Vec<File>,
    pub(crate) backlinks: HashMap<usize, Vec<FileNumber>>,
    /// The targets of linkpaths; others are looked up by path and by name.
    pub(crate) resolved: HashMap<String, Option<String>>,
    pub(crate) kinds: HashMap<String, PropertyKind>,
}

impl Vault {
    fn file(&self, file: FileNumber) -> Option<&File> {
        self.files.get(file.0)
    }

    fn find(&self, is_it: impl Fn(&str) -> bool) -> Option<FileNumber> {
        let found = self.files.iter().position(|file| is_it(&file.path));
        found.map(FileNumber)
    }
}

impl Notes for Vault {
    fn path(&self, file: FileNumber) -> &str {
        self.file(file).map_or("", |file| &file.path)
    }

    fn size(&self, file: FileNumber) -> u64 {
        self.file(file).map_or(0, |file| file.size)
    }

    fn created(&self, file: FileNumber) -> Option<Timestamp> {
        self.file(file)?.created
    }

    fn modified(&self, file: FileNumber) -> Option<Timestamp> {
        self.file(file)?.modified
    }

    fn property(&self, file: FileNumber, name: &str) -> Option<Json> {
        self.file(file)?.properties.get(name).cloned()
    }

    fn properties(&self, file: FileNumber) -> Map<String, Json> {
        self.file(file)
            .map(|file| file.properties.clone())
            .unwrap_or_default()
    }

    fn properties_weight(&self, _file: FileNumber) -> usize {
        100
    }

    fn tags(&self, file: FileNumber) -> Vec<String> {
        self.file(file)
            .map(|file| file.tags.clone())
            .unwrap_or_default()
    }

    fn links(&self, file: FileNumber) -> Vec<NoteLink> {
        self.file(file)
            .map(|file| file.links.clone())
            .unwrap_or_default()
    }

    fn embeds(&self, file: FileNumber) -> Vec<NoteLink> {
        self.file(file)
            .map(|file| file.embeds.clone())
            .unwrap_or_default()
    }

    fn backlinks(&self, file: FileNumber) -> Vec<FileNumber> {
        self.backlinks.get(&file.0).cloned().unwrap_or_default()
    }

    fn resolve(&self, linkpath: &str, _source: Option<FileNumber>) -> Option<FileNumber> {
        if let Some(known) = self.resolved.get(linkpath) {
            let known = known.as_ref()?;
            return self.find(|path| path == known);
        }
        let lower = linkpath.to_lowercase();
        let noted = format!("{lower}.md");
        self.find(|path| {
            let path = format!("/{}", path.to_lowercase());
            path.ends_with(&format!("/{lower}")) || path.ends_with(&format!("/{noted}"))
        })
    }

    fn property_kind(&self, name: &str) -> PropertyKind {
        let known = self.kinds.get(name).copied();
        known.unwrap_or(PropertyKind::Unassigned)
    }

    fn compare_texts(&self, left: &str, right: &str) -> Ordering {
        (left.to_lowercase(), left).cmp(&(right.to_lowercase(), right))
    }
}

/// The time at which everything happens: 2026-06-10 17:17:08 ten hours east of UTC, as in Melbourne.
pub(crate) fn moment() -> Moment {
    let zone = TimeZone::fixed(jiff::tz::offset(10));
    let now: Timestamp = "2026-06-10T07:17:08.070Z".parse().unwrap();
    Moment {
        now: now.to_zoned(zone),
        seed: 7,
    }
}

/// The value of an expression for the first file.
pub(crate) fn value(vault: &Vault, text: &str) -> Result<Json, ExpressionError> {
    let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    evaluated(vault, &expression, "")
}

/// The value of an expression for the first file, in a base with this text.
pub(crate) fn evaluated(
    vault: &Vault,
    expression: &Expression,
    base: &str,
) -> Result<Json, ExpressionError> {
    let base = Base::parse(&format!("{base}\nviews: [{{type: table}}]")).unwrap();
    let budget = QueryBudget::new(|| false);
    let moment = moment();
    let this = This::File(FileNumber(0));
    let query = Query::new(&base, &base.views()[0], vault, &moment, this, &budget);
    query.value(expression, FileNumber(0))
}

/// The table of a view, by name.
pub(crate) fn table(vault: &Vault, base: &Base, view: &str) -> Table {
    let view = base
        .views()
        .iter()
        .find(|found| found.name == view)
        .unwrap();
    let budget = QueryBudget::new(|| false);
    let moment = moment();
    let this = This::File(FileNumber(0));
    let query = Query::new(base, view, vault, &moment, this, &budget);
    let files = (0..vault.files.len()).map(FileNumber);
    let kept: Vec<FileNumber> = files
        .filter(|file| query.keeps(*file, &query.meter()).unwrap() == Kept::Yes)
        .collect();
    query.table(&kept).unwrap()
}

/// A note with properties.
pub(crate) fn note(path: &str, properties: Json) -> File {
    let Json::Object(properties) = properties else {
        panic!("{path}: no object");
    };
    let tags = properties.get("tags").and_then(Json::as_array);
    File {
        path: path.to_owned(),
        size: 100,
        tags: tags
            .into_iter()
            .flatten()
            .filter_map(|tag| Some(format!("#{}", tag.as_str()?)))
            .collect(),
        created: "2026-01-01T00:00:00Z".parse().ok(),
        modified: "2026-06-10T06:17:08Z".parse().ok(),
        properties,
        ..File::default()
    }
}

/// A vault of books.
pub(crate) fn books() -> Vault {
    let mut files = vec![
        note("Books.base", json!({})),
        note(
            "Books/Emma.md",
            json!({"author": "[[Jane Austen]]", "price": 12.5, "age": 4, "status": "open",
                   "tags": ["book", "novel/classic"], "due": "2026-07-01", "read": true}),
        ),
        note(
            "Books/Dracula.md",
            json!({"author": "[[Bram Stoker|Stoker]]", "price": 8, "age": 2, "status": "done",
                   "tags": ["book"], "due": "2026-06-01", "read": false}),
        ),
        note(
            "Books/Old/Persuasion.md",
            json!({"author": "[[Jane Austen]]", "price": 20, "age": 10, "status": "open",
                   "tags": ["Book"], "genres": ["novel", "love"]}),
        ),
        note("Jane Austen.md", json!({"status": "open"})),
        note("cover.png", json!({})),
    ];
    files[1].links.push(NoteLink {
        target: "Jane Austen".to_owned(),
        display: Some("Jane Austen".to_owned()),
    });
    Vault {
        files,
        backlinks: HashMap::from([(4, vec![FileNumber(1)])]),
        ..Vault::default()
    }
}

/// The value of an expression for the first note of the books without backlinks, or the error.
pub(crate) fn of(text: &str) -> Json {
    let mut vault = books();
    vault.files.swap(0, 1);
    vault.backlinks.clear();
    match value(&vault, text) {
        Ok(value) => value,
        Err(error) => json!({ "error": error.message }),
    }
}
