//! `vault:fix` (`contracts.md` M22): repairs the findings of an audit that need no guessing.
//!
//! - An unresolved link, if exactly one file of the vault has its name: the link named another
//!   folder, or has `%20` for spaces. It is rewritten as after a move.
//! - The properties `tag`, `alias` and `cssclass`, which the app no longer reads: they become items
//!   of `tags`, `aliases` and `cssclasses`, as the app's own format converter does it.
//!
//! All other findings need someone who knows the intention.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use obsidian_note::path::normal_spelling;
use obsidian_note::uri;
use obsidian_note::{MAX_WHOLE_BYTES, Sheet, VaultPath, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Call, Detail, EngineError, Vault};
use vault_index::target::folder;
use vault_index::{AnchorLinks, Indexed, IndexedVault, Properties, UnresolvedLinks, anchors};

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::move_file::{LinkRepair, properties_of, with_places};
use super::property::items::{list_in, with_list_of};
use super::property::lexical::comments;
use super::property::numbers::Numbers;
use super::property::with_property;

pub(super) const FIX: EditCommand = EditCommand::own("vault:fix", fix, &FORM);

static FORM: OwnForm = OwnForm::new::<FixReport>("fixes");

/// The repairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixReport {
    /// Number of repaired notes.
    pub(super) fixed: usize,
    /// Number of repaired links in them.
    pub(super) links: usize,
    /// Number of repaired properties in them.
    pub(super) properties: usize,
    /// Number of files that still have links to no file, or such properties; each is a warning.
    pub(super) remaining: usize,
    /// The repaired notes, in byte order.
    pub(super) paths: Vec<String>,
}

impl AnswerData for FixReport {
    /// Returns the printed text: a count of the fixed notes, links and properties, and the paths of the notes.
    fn text(&self) -> String {
        let many = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let head = format!(
            "{} fixed: {}, {}; {} not completely fixed",
            many(self.fixed, "note", "notes"),
            many(self.links, "link", "links"),
            many(self.properties, "property", "properties"),
            many(self.remaining, "file", "files"),
        );
        obsidian_note::shown::with_rows(head, &self.paths)
    }
}

/// Properties that the app no longer reads, and their successors (Obsidian 1.9).
const OUTDATED: [(&str, &str); 3] = [
    ("tag", "tags"),
    ("alias", "aliases"),
    ("cssclass", "cssclasses"),
];

/// The faults of one file that can be repaired.
#[derive(Default)]
struct Faults<'index> {
    /// Unresolved linkpaths, each with the file that it means; `None` if that is not certain.
    links: Vec<(&'index str, Option<&'index VaultPath>)>,
    /// Targets of links to a missing heading or block, each with the place that is meant; `None` if that is not
    /// certain.
    anchors: Vec<(String, Option<String>)>,
    has_outdated: bool,
}

fn fix(call: &Call<'_>) -> Result<Edit, EngineError> {
    let vault = call.vault;
    let below = folder(call.arguments, "path");
    if !below.is_root() {
        vault.contents(&below, Detail::Names)?;
    }
    let Indexed {
        files,
        column: broken,
        mut warnings,
    } = IndexedVault(vault).column::<UnresolvedLinks>()?;
    let properties = IndexedVault(vault).column::<Properties>()?;
    let linked = IndexedVault(vault).column::<AnchorLinks>()?;
    let names = names(&files);
    let mut faults: BTreeMap<&VaultPath, Faults<'_>> = BTreeMap::new();
    for link in &broken.0 {
        let meant = meant(&link.linkpath, &names);
        for (source, _) in link.uses() {
            if let Some(source) = files.get(source) {
                let found = faults.entry(source).or_default();
                found.links.push((&link.linkpath, meant));
            }
        }
    }
    for link in anchors::dead(vault, &linked.column, &linked.files, |_| true)? {
        let mut same = link.similar.iter().filter(|near| near.has_same_letters);
        let meant = match (same.next(), same.next()) {
            (Some(only), None) => Some(only.place.clone()),
            _ => None,
        };
        for (source, _) in &link.uses {
            if let Some(source) = linked.files.get(*source) {
                let found = faults.entry(source).or_default();
                found.anchors.push((link.target.clone(), meant.clone()));
            }
        }
    }
    for (note, text) in properties.column.iter() {
        if let Some(path) = properties
            .files
            .get(note)
            .filter(|_| may_be_outdated(&text.0))
        {
            faults.entry(path).or_default().has_outdated = true;
        }
    }
    faults.retain(|path, _| path.is_below(&below));
    let mut repair = LinkRepair::among(vault, &files)?;
    let mut report = FixReport::default();
    let mut changes = Vec::new();
    for (path, faults) in faults {
        vault.disk().cancellation().check()?;
        let outcome = repaired(vault, &mut repair, path, &faults, &mut report)?;
        report.remaining += usize::from(outcome.left.is_some());
        warnings.extend(outcome.left);
        if let Some(change) = outcome.change {
            report.paths.push(path.to_string());
            changes.push(change);
        }
    }
    report.fixed = report.paths.len();
    Ok(Edit::new(report, changes, warnings))
}

/// Returns the files by name in lower case; notes without extension.
fn names(files: &[VaultPath]) -> HashMap<String, Vec<&VaultPath>> {
    let mut names: HashMap<String, Vec<&VaultPath>> = HashMap::new();
    for file in files {
        let name = if file.is_note() {
            file.basename()
        } else {
            file.name()
        };
        names.entry(folded(name)).or_default().push(file);
    }
    names
}

fn folded(name: &str) -> String {
    normal_spelling(name).to_lowercase()
}

/// Returns the only file with the name that a link gives; `None` if there are several or none.
fn meant<'files>(
    linkpath: &str,
    names: &HashMap<String, Vec<&'files VaultPath>>,
) -> Option<&'files VaultPath> {
    let name = linkpath.rsplit('/').next().unwrap_or(linkpath);
    let name = folded(&uri::decoded(name));
    let name = name.strip_suffix(".md").unwrap_or(&name);
    match names.get(name.trim())?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether the JSON text of properties may have one of [`OUTDATED`]. The note is then read to make
/// sure.
fn may_be_outdated(properties: &str) -> bool {
    OUTDATED
        .iter()
        .any(|(old, _)| properties.contains(&format!("\"{old}\":")))
}

/// The result for one file.
struct FixOutcome {
    change: Option<Change>,
    left: Option<Warning>,
}

/// Returns the warning about a file of which this number of links, or something else, stays as it is.
fn left(path: &VaultPath, links: usize, reason: impl Into<String>) -> Warning {
    Warning::FixLeft {
        path: path.clone(),
        links,
        reason: reason.into(),
    }
}

fn repaired(
    vault: &Vault,
    repair: &mut LinkRepair<'_>,
    path: &VaultPath,
    faults: &Faults<'_>,
    report: &mut FixReport,
) -> Result<FixOutcome, EngineError> {
    let unchanged = |reason: &str| FixOutcome {
        change: None,
        left: Some(left(path, faults.links.len(), reason)),
    };
    let before = match vault.read_up_to(path, path.as_str(), MAX_WHOLE_BYTES) {
        Ok(Some(before)) if std::str::from_utf8(&before).is_ok() => before,
        Ok(Some(_)) => return Ok(unchanged("it is not UTF-8 text")),
        Ok(None) => return Ok(unchanged("it is too large")),
        Err(EngineError::Stopped) => return Err(EngineError::Stopped),
        Err(error) => return Ok(unchanged(&error.to_string())),
    };
    let mut text = before.clone();
    let (mut links, mut properties, mut kept) = (0, 0, 0);
    // Spellings of one path that differ in case are repaired together.
    let mut done: BTreeSet<String> = BTreeSet::new();
    for (linkpath, file) in &faults.links {
        if done.contains(&folded(linkpath)) {
            continue;
        }
        let new = match file {
            Some(file) => repair.repaired(path, &text, linkpath, file)?,
            None => None,
        };
        match new {
            Some((new, count)) => {
                text = new;
                links += count;
                done.insert(folded(linkpath));
            }
            None => kept += 1,
        }
    }
    let places = faults.anchors.iter();
    let places: BTreeMap<String, String> = places
        .filter_map(|(target, place)| Some((target.clone(), place.clone()?)))
        .collect();
    kept += faults.anchors.len() - places.len();
    if !places.is_empty() {
        match with_places(vault, path, &text, &places)? {
            Some((new, count)) => {
                text = new;
                links += count;
            }
            None => kept += places.len(),
        }
    }
    let mut why = (kept > 0).then_some("no file, heading or block matches, or several do");
    if faults.has_outdated {
        match renewed(vault, path, &text) {
            Ok((new, count)) => {
                text = new;
                properties = count;
            }
            Err(_) => why = Some("its properties cannot be changed without damage"),
        }
    }
    report.links += links;
    report.properties += properties;
    Ok(FixOutcome {
        left: why.map(|why| left(path, kept, why)),
        change: (text != before).then(|| Change::modify(path.clone(), before, text)),
    })
}

/// Returns the note with outdated properties replaced by current ones, and the number of replaced properties.
fn renewed(vault: &Vault, path: &VaultPath, note: &[u8]) -> Result<(Vec<u8>, usize), EngineError> {
    let (mut text, mut count) = (note.to_vec(), 0);
    for (old, new) in OUTDATED {
        let properties = properties_of(path, &text)?;
        let Some(value) = properties.get(old) else {
            continue;
        };
        let no_list = || EngineError::PropertyValue {
            name: old.to_owned(),
            expected: "a text or a list of texts".to_owned(),
        };
        let values = match value {
            Value::Null => Vec::new(),
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        if values
            .iter()
            .any(|value| value.is_array() || value.is_object())
        {
            return Err(no_list());
        }
        let numbers = Numbers::of(&text, old, path)?;
        let (name, mut items) = list_in(&text, new, path)?;
        if numbers.differ_from(&Numbers::of(&text, &name, path)?) {
            return Err(no_list());
        }
        for item in values.iter().flat_map(|value| split(value, new)) {
            if !items.contains(&item) {
                items.push(item);
            }
        }
        text = with_property(vault, path, &text, old, None)?;
        text = with_list_of(vault, (path, &text), &name, &items, numbers)?;
        count += 1;
    }
    let comments_of = |note: &[u8]| -> Vec<String> {
        let sheet = Sheet::new(note);
        let yaml = sheet.yaml().and_then(|yaml| sheet.text.get(yaml));
        let found = comments(yaml.unwrap_or_default());
        found.into_iter().map(str::to_owned).collect()
    };
    if comments_of(note) != comments_of(&text) {
        return Err(EngineError::PropertiesUnchangeable {
            path: path.clone(),
            reason: "a comment would be lost or moved".to_owned(),
        });
    }
    Ok((text, count))
}

/// Returns the items of a value that was a text. Aliases are separated by commas, tags and classes also by spaces.
fn split(value: &Value, property: &str) -> Vec<Value> {
    let Some(text) = value.as_str() else {
        return vec![value.clone()];
    };
    let has_spaces = property != "aliases";
    let parts = text.split(|letter: char| letter == ',' || has_spaces && letter.is_whitespace());
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    parts.map(Value::from).collect()
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::testing::{done, error};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("fix_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn read(vault: &Vault, path: &str) -> String {
        fs_err::read_to_string(vault.root().join(path)).unwrap()
    }

    #[test]
    fn what_has_one_meaning_is_mended_and_nothing_else() {
        let (_folder, vault) = vault(&NOTES);
        let edit = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(
            read(&vault, "a.md"),
            "---\nlink: \"[[Areas/Garden]]\"\n---\n[[Areas/Garden#Beds|beds]] ![[img/mill.png|100]] [x](Areas/Garden.md) [[My Note]] `[[Old/Garden]]`\n[[Old/Log]] [[Nowhere]] [[Garden]]\r\n"
        );
        assert_eq!(
            read(&vault, "deep/b.md"),
            "[g](../Areas/Garden.md#Beds) [[../Areas/My Note]]\n"
        );
        assert_eq!(
            read(&vault, "c.md"),
            "---\ntags: [x, \"#y\", z]\n# kept\nother: 1\naliases:\n  - My title\n  - Other\ncssclasses:\n  - wide\n---\n"
        );
        assert_eq!(
            read(&vault, "Board.canvas"),
            r#"{"nodes":[{"id":"1","type":"text","text":"[[Areas/Garden]]"}]}"#
        );
        assert_eq!(read(&vault, "fine.md"), NOTES[8].1);
        let message: Vec<_> = edit.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            message,
            [
                "2 links of `a.md` were not changed: no file, heading or block matches, or several do"
            ]
        );
        let data = serde_json::to_value(&edit.answer).unwrap();
        assert_eq!(
            [
                &data["fixed"],
                &data["links"],
                &data["properties"],
                &data["remaining"]
            ],
            [4, 8, 3, 1]
        );
        let again = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(again.changes, []);
    }

    #[test]
    fn a_property_whose_comment_would_be_lost_stays() {
        let notes = [
            ("a.md", "---\ntag: a # mine\n---\n"),
            ("b.md", "---\ntag: # mine\n  - a\n---\n"),
            ("c.md", "---\n# mine\ntag: 'a # b'\n---\n"),
        ];
        let (_folder, vault) = vault(&notes);
        let edit = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(read(&vault, "a.md"), notes[0].1);
        assert_eq!(read(&vault, "b.md"), notes[1].1);
        assert!(read(&vault, "c.md").starts_with("---\n# mine\ntags:\n"));
        let shown: Vec<String> = edit.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
    }

    #[test]
    fn a_number_in_an_outdated_property_keeps_its_text() {
        let notes = [
            ("a.md", "---\nalias: 007\n---\n"),
            ("b.md", "---\nalias: 007\naliases: [7]\n---\n"),
        ];
        let (_folder, vault) = vault(&notes);
        done(&vault, "vault:fix", &[], &[]);
        assert_eq!(read(&vault, "a.md"), "---\naliases:\n  - 007\n---\n");
        assert_eq!(read(&vault, "b.md"), notes[1].1);
    }

    #[test]
    fn links_to_a_heading_or_block_with_the_same_letters_are_mended() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "links to a heading or block",
        ));
        let edit = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(
            read(&vault, "a.md"),
            "[[n#Seed list|x]] [y](n.md#Seed%20list) ![[n#^b-1]] [[n#Seeds]] [[n#ab]] [[n#Seed_list]]\n"
        );
        assert_eq!(
            read(&vault, "c.canvas"),
            r##"{"nodes":[{"type":"file","file":"n.md","subpath":"#Seed list"}]}"##
        );
        let shown: Vec<_> = edit.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "2 links of `a.md` were not changed: no file, heading or block matches, or several do"
            ]
        );
    }

    #[test]
    fn tags_in_one_text_stay_several_and_spellings_count_once() {
        let (_folder, vault) = vault(&[
            ("x/n.md", ""),
            (
                "a.md",
                "---\ntag: [a, b]\ntags: b, c\n---\n[[y/n]] [[Y/N#h]]",
            ),
        ]);
        let edit = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(
            read(&vault, "a.md"),
            "---\ntags:\n  - b\n  - c\n  - a\n---\n[[x/n]] [[x/n#h]]"
        );
        assert!(edit.warnings.is_empty(), "{:?}", edit.warnings);
        let (_folder, vault) =
            vault_files::vault::testing::vault(&[("a.md", "---\ntags: b, c\n---\n")]);
        done(&vault, "tag:add", &[("path", "a.md"), ("tag", "d")], &[]);
        assert_eq!(
            read(&vault, "a.md"),
            "---\ntags:\n  - b\n  - c\n  - d\n---\n"
        );
    }

    #[test]
    fn one_folder_can_be_mended_alone() {
        let (_folder, vault) = vault(&NOTES);
        let edit = done(&vault, "vault:fix", &[("path", "deep")], &[]);
        assert_eq!(edit.changes.len(), 1);
        assert_eq!(read(&vault, "a.md"), NOTES[5].1);
        let missing = error(&vault, "vault:fix", &[("path", "none")], &[]);
        assert!(matches!(missing, EngineError::Refused(_)), "{missing}");
    }

    #[test]
    fn what_cannot_be_changed_without_damage_stays() {
        let (_folder, vault) = vault(&[
            ("x/n.md", ""),
            ("bad.md", "---\ntag: [\n---\n[[y/n]]"),
            ("odd.md", "---\ntag: {a: 1}\n---\n"),
        ]);
        fs_err::write(vault.root().join("latin.md"), b"[[y/n]] \xe9").unwrap();
        let edit = done(&vault, "vault:fix", &[], &[]);
        assert_eq!(read(&vault, "bad.md"), "---\ntag: [\n---\n[[x/n]]");
        assert_eq!(read(&vault, "odd.md"), "---\ntag: {a: 1}\n---\n");
        assert_eq!(
            fs_err::read(vault.root().join("latin.md")).unwrap(),
            b"[[y/n]] \xe9"
        );
        assert!(
            edit.warnings.iter().any(
                |warning| warning.path().as_str() == "latin.md" && warning.code() == "FIX_LEFT"
            )
        );
    }
}
