//! Active content in the result of a change that was not there before.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::{
    Change, Editor, IndexedVault, LinkIndex, PictureBases, Resolution, Vault, VaultPath,
    embedded_type,
};

use super::address::{leads, percent_decoded};
use super::html;
use super::note::{self, Hit, Hits, PUBLISHED_EMBED, RUN_PROPERTY, pattern, unmarked};
use super::sheet;
use super::table::Table;
use protocol::{Failure, digest::sha256};
use tiers::folded;

const INSTRUCTIONS: &str = "instructions";
const FILE_KIND: &str = "file-kind";
const DRAWING: &str = "drawing";
/// The extension of a drawing of Excalidraw, and the end of the name of one that is a note.
const DRAWING_NAMES: [&str; 2] = [".excalidraw", ".excalidraw.md"];
/// The headings of the data of a drawing.
const DRAWING_DATA: [&str; 5] = [
    "# Excalidraw Data",
    "# Text Elements",
    "# Element Links",
    "# Embedded Files",
    "# Drawing",
];
/// The text of a finding about content of another type than the name of the file.
const OTHER_CONTENT: &str = "other content";

/// The target of a link that is not an address.
static LINK_TARGET: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[\[[^\]:]*\]\]|\]\([^):]*\)"));
/// Maximum number of bases that are read.
const MOST_BASES: usize = 500;
/// Maximum number of characters of a finding in an answer.
const LONGEST_SHOWN: usize = 120;
/// A shorter name in capitals is an abbreviation.
const FEWEST_CAPITALS: usize = 5;
/// The names in a PDF, in lower case, that run, open or contain something, or behind which others are hidden.
const PDF_NAMES: &str = "/aa /embeddedfile /encrypt /gotoe /gotor /importdata /javascript /js /launch \
                         /objstm /openaction /rendition /richmedia /submitform /xfa";

/// Something new in a file that acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// Its line, counted from 1; absent if it is the name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The kind: a row of `config/active_content.toml`.
    pub kind: &'static str,
    /// Its beginning.
    pub text: String,
    /// The warning for a person, who has the file before them.
    #[serde(skip)]
    pub warning: &'static str,
    /// The harm that it can do.
    pub why: &'static str,
    /// The text to write instead.
    pub instead: &'static str,
}

impl Finding {
    fn new(path: &VaultPath, hit: &Hit, table: &'static Table) -> Self {
        let row = table.row(hit.kind);
        let text = hit.text.replace('\n', " ");
        let is_name = matches!(hit.kind, INSTRUCTIONS | FILE_KIND);
        Self {
            path: path.to_string(),
            line: (!is_name && hit.line > 0).then_some(hit.line),
            kind: hit.kind,
            text: text.chars().take(LONGEST_SHOWN).collect(),
            warning: row.map_or("", |row| row.warning.as_str()),
            why: row.map_or("", |row| row.why.as_str()),
            instead: row.map_or("", |row| row.instead.as_str()),
        }
    }

    /// Returns the finding as a line for people.
    pub fn line(&self) -> String {
        let path = vault_engine::shown::row(&self.path);
        match self.line {
            Some(line) => {
                let text = vault_engine::shown::row(&self.text);
                format!("{}: {path}:{line}  {text}", self.warning)
            }
            // The text is the name.
            None => format!("{}: {path}", self.warning),
        }
    }
}

/// The way in which a file is read, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Markdown.
    Note,
    /// A canvas: JSON.
    Canvas,
    /// A base: YAML.
    Base,
    /// A picture in SVG.
    Svg,
    /// A PDF.
    Pdf,
    /// An attachment of another kind, not text.
    Binary,
    /// A file of no known kind, which another program may open. It is read like a note.
    Other,
}

impl Form {
    /// Returns how the file at a path is read.
    ///
    /// # Errors
    ///
    /// As [`Table::builtin`].
    pub fn of_file(path: &VaultPath) -> Result<Self, Failure> {
        Ok(Self::from_table(path, Table::builtin()?))
    }

    /// Whether the app renders a file of this kind where a note embeds it.
    pub fn is_rendered(self) -> bool {
        matches!(self, Self::Note | Self::Canvas | Self::Base | Self::Svg)
    }

    fn from_table(path: &VaultPath, table: &Table) -> Self {
        match extension(path).as_str() {
            "canvas" => Self::Canvas,
            "base" => Self::Base,
            "svg" => Self::Svg,
            "pdf" => Self::Pdf,
            "md" => Self::Note,
            other if table.has_word(FILE_KIND, other) => Self::Binary,
            _ => Self::Other,
        }
    }

    /// Finds active content in a file with this name and content.
    fn hits(self, path: &VaultPath, bytes: &[u8], table: &'static Table) -> Vec<Hit> {
        let text = match self {
            Self::Binary => String::new(),
            _ => unmarked(bytes),
        };
        let mut hits = Hits::new(&text, table);
        match self {
            Self::Note | Self::Other => note::find(&text, &mut hits),
            Self::Canvas => sheet::canvas(&text, &mut hits),
            Self::Base => sheet::base(&text, &mut hits),
            Self::Svg => html::find_in_svg(&text, &mut hits),
            Self::Pdf => pdf((&text, bytes), &mut hits),
            Self::Binary => {}
        }
        let is_attachment = matches!(self, Self::Binary | Self::Svg | Self::Pdf);
        if is_attachment && !bytes.is_empty() && embedded_type(&extension(path), bytes).is_err() {
            hits.add(FILE_KIND, 0, &with_hash(OTHER_CONTENT, bytes));
        }
        if matches!(self, Self::Note | Self::Other) {
            drawing(path, &text, &mut hits);
        }
        hits.found
    }
}

/// Records the data of a drawing of Excalidraw, without the targets of links to notes, which follow a moved note.
fn drawing(path: &VaultPath, text: &str, hits: &mut Hits<'_>) {
    let name = folded(path.name());
    let is_plugin =
        |hit: &Hit| hit.kind == RUN_PROPERTY && hit.text.starts_with("excalidraw-plugin");
    let is_drawing =
        DRAWING_NAMES.iter().any(|end| name.ends_with(end)) || hits.found.iter().any(is_plugin);
    if is_drawing && !text.trim().is_empty() {
        let at = DRAWING_DATA.iter().filter_map(|heading| text.find(heading));
        let at = at.min().unwrap_or(0);
        let data = text.get(at..).unwrap_or_default();
        hits.add(DRAWING, at, &LINK_TARGET.replace_all(data, ""));
    }
}

/// Returns the text of a finding that is the whole content of a file: with other content it is another finding.
fn with_hash(found: &str, content: &[u8]) -> String {
    format!("{found} {}", sha256(content))
}

/// Records the first active name in a PDF, whose characters can be written as `#61`, and the first active address.
fn pdf((text, bytes): (&str, &[u8]), hits: &mut Hits<'_>) {
    let plain = percent_decoded(&text.replace('#', "%")).to_lowercase();
    for (at, name) in plain.match_indices("/uri") {
        let value = plain.get(at + name.len()..).unwrap_or_default();
        if is_active_in_pdf(value, hits.table) {
            let shown: String = value.chars().take(LONGEST_SHOWN).collect();
            hits.add(FILE_KIND, 0, &with_hash(&format!("{name} {shown}"), bytes));
            break;
        }
    }
    if let Some(name) = PDF_NAMES.split(' ').find(|name| plain.contains(name)) {
        hits.add(FILE_KIND, 0, &with_hash(name, bytes));
    }
}

/// Whether the value of an address in a PDF is not known to be harmless. A text in hexadecimal digits, or with a number
/// in place of a character, is not read.
fn is_active_in_pdf(value: &str, table: &Table) -> bool {
    let is_white = |next: char| next.is_whitespace() || next == '\0';
    let value = value.trim_start_matches(is_white);
    let Some(text) = value.strip_prefix('(') else {
        // Another name, such as `/S /URI /URI (…)`, or a part of a longer one.
        return !value.starts_with(|next: char| next == '/' || next.is_alphanumeric());
    };
    let text: String = text.chars().take(LONGEST_SHOWN).collect();
    let text = text.split(')').next().unwrap_or_default();
    let has_number = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
    text.split('\\').skip(1).any(has_number)
        || leads(text.trim_start_matches('\u{fffd}'), table)
            .kind_of_link()
            .is_some()
}

/// Whether an agent can take a file for its instructions: by its name, by a folder around it, or because its
/// name is in capitals at the top of the vault.
fn is_instructions(path: &VaultPath, table: &Table) -> bool {
    let plain = folded(path.as_str());
    let (folders, name) = plain.rsplit_once('/').unwrap_or(("", &plain));
    let is_named = |word: &String| match (word.strip_prefix('*'), word.strip_suffix('/')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(folder)) => folders.split('/').any(|around| around == folder),
        _ => word == name || word == path.name(),
    };
    let stem = path.as_str().split('.').next().unwrap_or_default();
    let is_in_capitals = stem.chars().filter(char::is_ascii_uppercase).count() >= FEWEST_CAPITALS
        && stem.chars().all(|character| {
            character.is_ascii_uppercase() || character.is_ascii_digit() || "-_".contains(character)
        });
    table.words(INSTRUCTIONS).iter().any(is_named)
        || is_in_capitals && !table.harmless.capital_names.has(stem)
}

fn extension(path: &VaultPath) -> String {
    let extension = path.name().rsplit_once('.');
    folded(extension.map_or("", |(_, extension)| extension))
}

/// Returns a name for the text that the embed of this target shows, if the change moves it: the same before the change
/// (`true`) and afterwards. It is then not new.
pub type ShownText<'f> = dyn Fn(&str, bool) -> Option<String> + 'f;

/// The result of a change for one file.
#[derive(Default)]
pub struct FileResult<'c> {
    /// The path before, if the file existed.
    pub from: Option<&'c VaultPath>,
    /// The content of the file before the change; `None` if the content does not change.
    pub before: Option<&'c [u8]>,
    /// The content of the file after the change; `None` if the content does not change.
    pub after: Option<&'c [u8]>,
}

impl FileResult<'_> {
    /// Returns the active content of the file, which is at `path` now, that was not there before. `shown` knows which
    /// embeds follow a moved file; `read` reads the file that was at a path; `is_picture` is whether a base shows the
    /// property with this name, in lower case, as a picture.
    ///
    /// # Errors
    ///
    /// If the table of active content cannot be read, which is a bug.
    pub fn findings(
        &self,
        path: &VaultPath,
        shown: &ShownText<'_>,
        read: &dyn Fn(&VaultPath) -> Option<Vec<u8>>,
        is_picture: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Finding>, Failure> {
        let table = Table::builtin()?;
        let form = Form::from_table(path, table);
        // A file that was not read like this before did not act.
        let was_read = self
            .from
            .is_some_and(|from| Form::from_table(from, table) == form);
        let read_now = match (self.after, self.from) {
            (None, Some(from)) if !was_read => read(from),
            _ => None,
        };
        let before = self.before.filter(|_| was_read).unwrap_or_default();
        let after = self.after.or(read_now.as_deref()).unwrap_or_default();
        let was_at = self.from.unwrap_or(path);
        let (before, after) = (
            form.hits(was_at, before, table),
            form.hits(path, after, table),
        );
        let mut new = new_or_uncovered(before, after, shown);
        new.retain(|hit| hit.property.as_deref().is_none_or(is_picture));
        let found = self.names(path, table).into_iter().chain(new);
        Ok(found.map(|hit| Finding::new(path, &hit, table)).collect())
    }

    /// Finds active content in the name of a file.
    fn names(&self, path: &VaultPath, table: &'static Table) -> Vec<Hit> {
        let is_instructions = |path: &VaultPath| is_instructions(path, table);
        let kind = extension(path);
        let is_new_kind = self.from.is_none_or(|from| extension(from) != kind);
        let found = [
            (
                INSTRUCTIONS,
                is_instructions(path) || self.from.is_some_and(is_instructions),
            ),
            (FILE_KIND, is_new_kind && !table.has_word(FILE_KIND, &kind)),
        ];
        let found = found.into_iter().filter(|(_, is_found)| *is_found);
        let hits = found.map(|(kind, _)| Hit {
            kind,
            text: path.name().to_owned(),
            line: 0,
            is_hidden: false,
            property: None,
        });
        hits.chain(new_names(self.from, path, table)).collect()
    }
}

/// Finds active content in a new name of a file or of a folder around it: links to the file contain it.
fn new_names(from: Option<&VaultPath>, path: &VaultPath, table: &'static Table) -> Vec<Hit> {
    let known: Vec<&str> = from.into_iter().flat_map(names_in_links).collect();
    let names = names_in_links(path).filter(|name| !known.contains(name));
    let mut hits: Vec<Hit> = names.flat_map(|name| note::in_name(name, table)).collect();
    let mut kinds = BTreeSet::new();
    hits.retain(|hit| kinds.insert(hit.kind));
    hits
}

/// Returns the names of a file as links write them, with those of the folders around it.
fn names_in_links(path: &VaultPath) -> impl Iterator<Item = &str> {
    let whole = path.as_str();
    let stem = whole.strip_suffix(".md").unwrap_or(whole);
    [whole, stem].into_iter().chain(stem.split('/'))
}

/// The hits after a change that were not there before, or that were in a comment.
fn new_or_uncovered(before: Vec<Hit>, after: Vec<Hit>, shown: &ShownText<'_>) -> Vec<Hit> {
    let mut new = new_hits(&before, after.clone(), shown);
    let visible = |hits: Vec<Hit>| hits.into_iter().filter(|hit| !hit.is_hidden).collect();
    let before: Vec<Hit> = visible(before);
    for hit in new_hits(&before, visible(after), shown) {
        if !new.contains(&hit) {
            new.push(hit);
        }
    }
    new
}

/// The hits after a change that were not there before, each as often as it is new.
fn new_hits(before: &[Hit], after: Vec<Hit>, shown: &ShownText<'_>) -> Vec<Hit> {
    // A link that follows a moved note shows what it showed.
    let key = |hit: &Hit, is_before: bool| {
        let is_embed = hit.kind == PUBLISHED_EMBED;
        let moved = is_embed.then(|| shown(&hit.text, is_before)).flatten();
        (hit.kind, moved.unwrap_or_else(|| hit.text.clone()))
    };
    let mut known: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for hit in before {
        *known.entry(key(hit, true)).or_default() += 1;
    }
    let is_new = |hit: &Hit| match known.get_mut(&key(hit, false)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

/// The files that a change moves, and where links lead before the change and afterwards.
pub struct MovedFiles {
    /// The files before the change.
    pub before: Arc<LinkIndex>,
    /// The files afterwards.
    pub after: Arc<LinkIndex>,
    /// The old path of each moved file, by the new one.
    pub origins: BTreeMap<VaultPath, VaultPath>,
}

impl MovedFiles {
    /// Returns the place, before the change, of the text that an embed in the file at `source` shows; `None` unless the
    /// change moves that text. Both paths are of before the change, or afterwards.
    pub fn shown(&self, source: &VaultPath, target: &str, is_before: bool) -> Option<String> {
        let index = if is_before { &self.before } else { &self.after };
        let (path, place) = target.split_once('#').unwrap_or((target, ""));
        let Resolution::Found(found) = index.resolve(path, source) else {
            return None;
        };
        let origin = if is_before {
            self.origins.values().find(|from| **from == found.path)
        } else {
            self.origins.get(&found.path)
        };
        Some(format!("{}#{place}", origin?))
    }
}

/// Returns the texts of all bases of a vault that may show pictures, including closed ones and those in code blocks:
/// they name the properties that are shown as pictures. The index has the code blocks, so no note is read for this.
fn bases_of(vault: &Vault) -> Vec<String> {
    let vault = vault.whole();
    let Ok(indexed) = IndexedVault(&vault).column::<PictureBases>() else {
        return Vec::new();
    };
    let files = indexed
        .files
        .iter()
        .filter(|path| extension(path) == "base");
    let files = files.filter_map(|path| Some(unmarked(&vault.read_bytes(path).ok()?)));
    let blocks = indexed.column.iter().flat_map(|(_, bases)| bases.clone());
    files.chain(blocks).take(MOST_BASES).collect()
}

/// Returns the active content that these changes of a vault add, in the files that `is_seen`.
///
/// # Errors
///
/// If the table of active content cannot be read, which is a bug.
pub fn findings(
    changes: &[Change],
    is_seen: &dyn Fn(&VaultPath) -> bool,
    vault: &Vault,
) -> Result<Vec<Finding>, Failure> {
    let read = |path: &VaultPath| vault.read_bytes(path).ok();
    let indexes = || {
        let before = vault.whole();
        let after = Editor(&before).after(changes);
        let index = |vault| Some(IndexedVault(vault).link_index().ok()?.0);
        index(&before).zip(index(&after))
    };
    found_in(changes, is_seen, &read, (&|| bases_of(vault), &indexes))
}

/// The files before a change and afterwards, as links lead to them.
type Indexes = Option<(Arc<LinkIndex>, Arc<LinkIndex>)>;

/// As [`findings`]. `read` reads a file as it is before the changes; `bases` returns the texts of the vault's bases, and is
/// called only for a change to a property with an address; `indexes` only for an embed of a change that moves files.
pub(super) fn found_in(
    changes: &[Change],
    is_seen: &dyn Fn(&VaultPath) -> bool,
    read: &dyn Fn(&VaultPath) -> Option<Vec<u8>>,
    (bases, indexes): (&dyn Fn() -> Vec<String>, &dyn Fn() -> Indexes),
) -> Result<Vec<Finding>, Failure> {
    let pictures = OnceCell::new();
    let is_picture = |property: &str| {
        let pictures: &Vec<String> = pictures.get_or_init(|| {
            let bases = bases();
            bases
                .iter()
                .flat_map(|base| sheet::pictures(base))
                .collect()
        });
        pictures.iter().any(|picture| picture.contains(property))
    };
    let mut files: BTreeMap<&VaultPath, FileResult<'_>> = BTreeMap::new();
    let mut folders = Vec::new();
    for change in changes {
        match change {
            Change::Create { path, after } => {
                let after = Some(after.as_slice());
                let file = FileResult {
                    after,
                    ..FileResult::default()
                };
                files.insert(path, file);
            }
            Change::Modify {
                path,
                before,
                after,
            } => {
                let file = files.entry(path).or_insert_with(|| FileResult {
                    from: Some(path),
                    ..FileResult::default()
                });
                if file.from.is_some() && file.before.is_none() {
                    file.before = Some(before);
                }
                file.after = Some(after);
            }
            Change::Move { from, to, .. } => {
                let file = files.remove(from).unwrap_or_else(|| FileResult {
                    from: Some(from),
                    ..FileResult::default()
                });
                files.insert(to, file);
            }
            Change::Remove { path, .. } => {
                files.remove(path);
            }
            Change::MakeFolder { path } => folders.push(path),
            Change::RemoveFolder { .. } => {}
        }
    }
    let origin = |(path, file): (&&VaultPath, &FileResult<'_>)| {
        let from = file.from.filter(|from| from != path)?;
        Some(((*path).clone(), from.clone()))
    };
    let origins: BTreeMap<VaultPath, VaultPath> = files.iter().filter_map(origin).collect();
    let moves = OnceCell::new();
    let moves = || {
        let moves: &Option<MovedFiles> = moves.get_or_init(|| {
            let (before, after) = (!origins.is_empty()).then(indexes)??;
            let origins = origins.clone();
            Some(MovedFiles {
                before,
                after,
                origins,
            })
        });
        moves.as_ref()
    };
    let mut found = Vec::new();
    for (path, file) in files {
        let shown = |target: &str, is_before: bool| {
            let source = file.from.filter(|_| is_before).unwrap_or(path);
            moves()?.shown(source, target, is_before)
        };
        if !path.is_hidden() && is_seen(path) {
            found.extend(file.findings(path, &shown, read, &is_picture)?);
        }
    }
    let table = Table::builtin()?;
    for path in folders {
        let hits = new_names(None, path, table).into_iter();
        found.extend(hits.map(|hit| Finding::new(path, &hit, table)));
    }
    Ok(found)
}
