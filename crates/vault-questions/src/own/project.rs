//! The project of a note.

use obsidian_note::VaultPath;
use serde_json::Value;

use super::javascript::text_of;
use obsidian_note::slug::slug;

/// Returns the slug of the property `project`, or else of the folder below `projects/`. An empty property removes the
/// note from its folder's project.
pub(super) fn project_of(path: &VaultPath, property: Option<&Value>) -> Option<String> {
    let named = match property {
        None | Some(Value::Null) => {
            let below = path.as_str().strip_prefix("projects/")?;
            slug(below.split_once('/')?.0)
        }
        Some(value) => slug(&text_of(value)),
    };
    Some(named).filter(|named| !named.is_empty())
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    #[test]
    fn the_property_comes_before_the_folder() {
        let own = Value::from("My Own");
        for (file, property, expected) in [
            ("projects/Born Free/inbox/note.md", None, Some("born-free")),
            ("projects/Born Free/note.md", Some(&own), Some("my-own")),
            ("projects/note.md", None, None),
            ("Projects/A/note.md", None, None),
            ("projects/A/note.md", Some(&Value::Null), Some("a")),
            ("projects/A/note.md", Some(&Value::from("")), None),
            ("a.md", Some(&Value::from(7)), Some("7")),
        ] {
            let found = project_of(&path(file), property);
            assert_eq!(found.as_deref(), expected, "{file} {property:?}");
        }
    }
}
