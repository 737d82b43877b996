//! The meaning of notes: properties, tags and the targets of links.

use std::collections::BTreeSet;
use std::path::Path;

use fs_err as fs;
use serde_json::{Map, Value};
use vault_engine::frontmatter::Frontmatter;
use vault_engine::{LinkIndex, Resolution, VaultPath, scan};

/// A note, and what the app has of it.
struct Recorded {
    name: String,
    text: String,
    cache: Value,
}

fn recorded() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = fs::read_dir(folder.join("json")).expect("the folder of caches");
    let notes = entries.map(|entry| {
        let path = entry.expect("an entry").path();
        let json = fs::read_to_string(&path).expect("a cache");
        let cache: Value = serde_json::from_str(&json).expect("JSON");
        Recorded {
            name: path.display().to_string(),
            text: cache["fileContents"].as_str().expect("a text").to_owned(),
            cache,
        }
    });
    let notes: Vec<Recorded> = notes.collect();
    assert_eq!(notes.len(), 58);
    notes
}

fn texts(values: &Value) -> Vec<&str> {
    let values = values.as_array().into_iter().flatten();
    values.filter_map(Value::as_str).collect()
}

#[test]
fn properties_and_tags_are_those_that_the_app_found() {
    for Recorded { name, text, cache } in recorded() {
        let found = Frontmatter::parse_note(&text).expect(&name);
        let properties = &cache["cachedMetadata"]["frontmatter"];
        let none = Map::new();
        assert_eq!(
            &found.properties,
            properties.as_object().unwrap_or(&none),
            "{name}"
        );
        let mut tags = found.tags();
        assert_eq!(tags, texts(&cache["parseFrontMatterTags"]), "{name}");
        tags.extend(scan::scan(&text).tags.into_iter().map(|tag| tag.tag));
        assert_eq!(tags, texts(&cache["getAllTags"]), "{name}");
    }
}

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).expect("a vault path")
}

/// A link in a note, and where the app leads it: nowhere, or to a file.
struct Led<'recorded> {
    source: VaultPath,
    link: &'recorded str,
    to: Option<VaultPath>,
}

fn assert_led(files: impl IntoIterator<Item = VaultPath>, links: &[Led<'_>]) {
    let index = LinkIndex::new(files);
    for Led { source, link, to } in links {
        let linkpath = link.split('#').next().unwrap_or_default();
        let found = match index.resolve(linkpath, source) {
            Resolution::Found(found) => Some(found.path),
            Resolution::Missing => None,
        };
        assert_eq!(&found, to, "[[{link}]] in {source}");
    }
}

#[test]
fn links_lead_where_the_app_leads_them() {
    let notes = recorded();
    let links: Vec<Led<'_>> = notes
        .iter()
        .flat_map(|note| {
            let source = path(note.cache["filePath"].as_str().expect("a path"));
            let resolved = note.cache["resolveLinkToPath"].as_object();
            resolved.into_iter().flatten().map(move |(link, to)| Led {
                source: source.clone(),
                link,
                to: to.as_str().map(path),
            })
        })
        .collect();
    assert_eq!(links.len(), 40);
    let files: BTreeSet<VaultPath> = links
        .iter()
        .flat_map(|link| [Some(&link.source), link.to.as_ref()])
        .flatten()
        .cloned()
        .collect();
    assert_led(files, &links);
}

#[test]
fn links_by_path_by_name_and_with_spaces_lead_where_the_app_leads_them() {
    let recorded: Value = serde_json::from_str(include_str!("../data/links.json")).expect("JSON");
    let links = recorded["links"].as_array().expect("a list");
    assert_eq!(links.len(), 33);
    let links: Vec<Led<'_>> = links
        .iter()
        .map(texts)
        .map(|texts| Led {
            source: path(texts[0]),
            link: texts[1],
            to: texts.get(2).copied().map(path),
        })
        .collect();
    assert_led(texts(&recorded["files"]).into_iter().map(path), &links);
}
