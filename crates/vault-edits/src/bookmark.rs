//! `bookmark`: adds an entry to `bookmarks.json` (`vault-semantics.md` §1.1, §1.2).

use serde_json::{Map, Value, json};
use vault_answers::RawText;
use vault_files::{Args, Call, EngineError, Refusal, Vault};

use super::config_folder::ConfigText;
use super::edit_command::{Edit, EditCommand};
use super::json_text;

pub(super) const BOOKMARK: EditCommand = EditCommand::new("bookmark", bookmark);

/// Adds a bookmark at the end, outside of any group, even if there is an equal one. The file or
/// folder must exist; the heading is not checked.
///
/// The app's output is not recorded. Here it is `Bookmarked: ` and the target.
fn bookmark(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let place = BookmarkPlace::from_arguments(vault, arguments)?;
    let mut entry = Map::new();
    entry.insert("type".to_owned(), place.kind.into());
    let ctime = call.surroundings.now.timestamp().as_millisecond();
    entry.insert("ctime".to_owned(), ctime.into());
    entry.insert(place.key.to_owned(), place.target.clone().into());
    if let Some(subpath) = &place.subpath {
        entry.insert("subpath".to_owned(), subpath.clone().into());
    }
    if let Some(title) = arguments.text("title") {
        entry.insert("title".to_owned(), title.into());
    }
    let shown = format!("{}{}", place.target, place.subpath.unwrap_or_default());
    let answer = RawText::new(format!("Bookmarked: {shown}"));
    let file = ConfigText::read(vault, "bookmarks.json")?;
    let entry = Value::Object(entry);
    let changes = if file.is_there() {
        let edited = file.text().and_then(|text| with_entry(text, &entry));
        let edited = edited.ok_or_else(|| {
            let why = "it is not a JSON object with a list of `items`";
            let source = std::io::Error::new(std::io::ErrorKind::InvalidData, why);
            EngineError::io(&file.path, source)
        })?;
        file.modified(&edited)
    } else {
        file.created(vault, &json!({ "items": [entry] }))?
    };
    Ok(Edit::new(answer, changes, Vec::new()))
}

fn with_entry(text: &str, entry: &Value) -> Option<String> {
    let root = json_text::root(text)?;
    match json_text::member(text, &root, |key| key == "items") {
        Some(items) => json_text::with_element(text, &items.value, entry),
        None => json_text::with_member(text, &root, "items", &json!([entry])),
    }
}

/// The target of a bookmark.
struct BookmarkPlace {
    kind: &'static str,
    /// The key of `bookmarks.json` for the target.
    key: &'static str,
    target: String,
    subpath: Option<String>,
}

impl BookmarkPlace {
    /// Returns the first given one of `file`, `folder`, `search` and `url`. There is no active file here to default to.
    fn from_arguments(vault: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        if let Some(path) = arguments.path("file") {
            vault.facts_of_target(path, path.as_str())?;
            // A heading or block needs its `#`, which callers easily leave out.
            let subpath = arguments
                .text("subpath")
                .map(|subpath| format!("#{}", subpath.strip_prefix('#').unwrap_or(subpath)));
            return Ok(Self {
                kind: "file",
                key: "path",
                target: path.to_string(),
                subpath,
            });
        }
        let (kind, key, target) = if let Some(path) = arguments.path("folder") {
            let wanted = path.as_written();
            if path.is_hidden() {
                return Err(EngineError::folder_not_found(wanted));
            }
            vault
                .folder(path)
                .map_err(|blocked| EngineError::from_blocked_folder(wanted, path, blocked))?;
            ("folder", "path", path.to_string())
        } else if let Some(query) = arguments.text("search") {
            ("search", "query", query.to_owned())
        } else if let Some(url) = arguments.text("url") {
            ("url", "url", url.to_owned())
        } else {
            return Err(EngineError::Refused(Refusal::NoActiveFile));
        };
        Ok(Self {
            kind,
            key,
            target,
            subpath: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use vault_files::{Registry, Surroundings};

    use crate::Editor;

    use tables::rows;
    use vault_files::testing::arguments;
    use vault_files::vault::testing::{path, vault};

    use super::*;
    use crate::Change;

    fn plan(vault: &Vault, words: &[&str]) -> Result<Edit, EngineError> {
        let surroundings = Surroundings {
            now: Timestamp::from_millisecond(1_767_225_600_123)
                .unwrap()
                .to_zoned(TimeZone::UTC),
            random: 0,
            registry: Registry::default(),
        };
        Editor(vault).plan("bookmark", &arguments("bookmark", words), &surroundings)
    }

    /// Returns the printed text, and the file afterwards.
    fn done(vault: &Vault, words: &[&str]) -> (String, String) {
        let edit = plan(vault, words).unwrap();
        let RawText { text, .. } = edit.answer.downcast().unwrap();
        let Some(Change::Create { after, .. } | Change::Modify { after, .. }) = edit.changes.last()
        else {
            panic!("{:?}", edit.changes);
        };
        (text, String::from_utf8(after.clone()).unwrap())
    }

    #[test]
    fn the_file_and_its_folder_are_made_as_the_app_writes_them() {
        let (_folder, vault) = vault(&[("a/b.md", "")]);
        let edit = plan(&vault, &["file=a/b.md", "subpath=Plan", "title=The plan"]).unwrap();
        assert_eq!(
            edit.changes.first(),
            Some(&Change::MakeFolder {
                path: path(".obsidian")
            })
        );
        let (text, json) = done(&vault, &["file=a/b.md", "subpath=Plan", "title=The plan"]);
        assert_eq!(text, "Bookmarked: a/b.md#Plan");
        insta::assert_snapshot!(json, @r##"
        {
          "items": [
            {
              "type": "file",
              "ctime": 1767225600123,
              "path": "a/b.md",
              "subpath": "#Plan",
              "title": "The plan"
            }
          ]
        }
        "##);
    }

    #[test]
    fn every_kind_goes_behind_what_is_there() {
        let before = "\u{feff}{\n  \"x\": 1.0,\n  \"items\": [\n    { \"type\":\"url\" }\n  ]\n}\n";
        let (_folder, vault) = vault(&[(".obsidian/bookmarks.json", before), ("F/x.md", "")]);
        for [word, shown, entry] in rows(
            r#"
            folder=F/ ¦ F ¦ "folder",\n      "ctime": 1767225600123,\n      "path": "F"
            search=tag:#a "b" ¦ tag:#a "b" ¦ "search",\n      "ctime": 1767225600123,\n      "query": "tag:#a \\"b\\""
            url=https://x.org ¦ https://x.org ¦ "url",\n      "ctime": 1767225600123,\n      "url": "https://x.org"
            "#,
        ) {
            let (text, json) = done(&vault, &[word]);
            assert_eq!(text, format!("Bookmarked: {shown}"));
            let added = format!("{{ \"type\":\"url\" }},\n    {{\n      \"type\": {entry}\n    }}");
            assert_eq!(json, before.replace("{ \"type\":\"url\" }", &added));
        }
    }

    #[test]
    fn what_is_not_there_or_cannot_be_read_is_an_error() {
        let (_folder, vault) =
            vault(&[(".obsidian/bookmarks.json", "{\"items\": 5}"), ("a.md", "")]);
        let error = |words: &[&str]| plan(&vault, words).unwrap_err().to_string();
        assert_eq!(error(&["file=b.md"]), "the file `b.md` does not exist");
        assert_eq!(error(&["folder=b"]), "the folder `b` does not exist");
        assert_eq!(
            error(&["folder=.obsidian"]),
            "the folder `.obsidian` does not exist"
        );
        assert_eq!(
            error(&["title=x"]),
            "the call does not say which file to use"
        );
        assert_eq!(
            error(&["file=a.md"]),
            "`.obsidian/bookmarks.json` cannot be read: it is not a JSON object with a list of `items`"
        );
    }
}
