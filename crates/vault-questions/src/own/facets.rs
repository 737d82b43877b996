//! `note:facets` (`contracts.md` K14, §3.2).

use obsidian_note::VaultPath;
use obsidian_note::frontmatter::is_space;
use obsidian_note::shown::rows;
use obsidian_note::slug::slug;
use serde_json::{Map, Value};

use super::javascript::text_of;
use super::note::{Note, Parts};
use super::prelude::*;
use super::project::project_of;
use super::timestamp::written_as_instant;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteFacets>("note:facets", "note-facets", facets);

/// Facts about a note from its properties and its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteFacets {
    /// The note.
    pub path: String,
    /// From its properties.
    pub facets: Facets,
    /// From its path.
    pub inferred: Inferred,
    /// Whether a list had more than 100 values or a value more than 256 UTF-16 code units.
    pub truncated: bool,
}

/// The facets of one note. Slugs are in lower case, with a hyphen for all that is neither a letter
/// of ASCII nor a digit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    /// The slug of the property `project`, or else of the folder below `projects/`.
    pub project: Option<String>,
    /// Slugs of the property `tags`.
    pub tags: Vec<String>,
    /// The property `date`; a YAML date as an instant in UTC.
    pub date: Option<String>,
    /// The property `updated`, likewise.
    pub updated: Option<String>,
    /// The slug of the property `causal_chain_id`.
    pub causal_chain_id: Option<String>,
    /// Slugs of the property `entity`.
    pub entity: Vec<String>,
    /// The slug of the property `episode_id`.
    pub episode_id: Option<String>,
}

/// Facts from the path of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inferred {
    /// Its folder; null at the top of the vault.
    pub folder: Option<String>,
}

impl AnswerData for NoteFacets {
    /// Lines of a key, a tab and a value; keys without a value are left out.
    fn text(&self) -> String {
        let facets = &self.facets;
        let list = |values: &[String]| (!values.is_empty()).then(|| values.join(", "));
        let all = [
            ("path", Some(self.path.clone())),
            ("folder", self.inferred.folder.clone()),
            ("project", facets.project.clone()),
            ("tags", list(&facets.tags)),
            ("date", facets.date.clone()),
            ("updated", facets.updated.clone()),
            ("causal_chain_id", facets.causal_chain_id.clone()),
            ("entity", list(&facets.entity)),
            ("episode_id", facets.episode_id.clone()),
        ];
        let there = all.into_iter();
        rows(there.filter_map(|(key, value)| Some([key.to_owned(), value?])))
    }
}

/// The maximum number of values of a list.
const MAX_VALUES: usize = 100;
/// The most UTF-16 code units of a value.
const MAX_UNITS: usize = 256;

/// Returns the facets of one note, as slugs.
pub(super) fn facets(call: &Call<'_>) -> Result<Reply, EngineError> {
    let mut note = Note::read(call.vault, call.arguments)?;
    let path = note.path.clone();
    let Parts {
        yaml, properties, ..
    } = note.parts();
    let answer = of_properties(&path, yaml, &properties);
    Ok(Reply::new(answer, note.warnings))
}

fn of_properties(path: &VaultPath, yaml: &str, properties: &Map<String, Value>) -> NoteFacets {
    let mut bounds = FacetBounds::default();
    let there = |name: &str| properties.get(name).filter(|value| !value.is_null());
    let mut one = |name: &str| {
        let slug = slug(&text_of(there(name)?));
        Some(bounds.slug(slug)).filter(|slug| !slug.is_empty())
    };
    let causal_chain_id = one("causal_chain_id");
    let episode_id = one("episode_id");
    let project = project_of(path, there("project")).map(|slug| bounds.slug(slug));
    let mut date = |name: &str| {
        let value = there(name)?;
        let text = written_as_instant(yaml, name, value).unwrap_or_else(|| text_of(value));
        Some(bounds.text(text))
    };
    let date_of_note = date("date");
    let updated = date("updated");
    let facets = Facets {
        project,
        tags: bounds.slugs(there("tags")),
        date: date_of_note,
        updated,
        causal_chain_id,
        entity: bounds.slugs(there("entity")),
        episode_id,
    };
    NoteFacets {
        path: path.to_string(),
        facets,
        inferred: Inferred {
            folder: Some(path.parent())
                .filter(|folder| !folder.is_root())
                .map(|folder| folder.to_string()),
        },
        truncated: bounds.passed,
    }
}

/// Cuts values to the limits, and keeps whether it did.
#[derive(Default)]
struct FacetBounds {
    passed: bool,
}

impl FacetBounds {
    fn text(&mut self, text: String) -> String {
        let mut units = 0;
        let within = text.char_indices().find(|(_, character)| {
            units += character.len_utf16();
            units > MAX_UNITS
        });
        match within {
            Some((end, _)) => {
                self.passed = true;
                text.get(..end).unwrap_or_default().to_owned()
            }
            None => text,
        }
    }

    fn slug(&mut self, slug: String) -> String {
        let cut = self.text(slug);
        cut.trim_end_matches('-').to_owned()
    }

    /// Returns the slugs of a list, or of a text with commas.
    fn slugs(&mut self, value: Option<&Value>) -> Vec<String> {
        let texts: Vec<String> = match value {
            None => Vec::new(),
            Some(Value::Array(items)) => items.iter().map(text_of).collect(),
            Some(other) => {
                let text = text_of(other);
                text.split(',')
                    .map(|item| item.trim_matches(is_space).to_owned())
                    .collect()
            }
        };
        self.passed |= texts.len() > MAX_VALUES;
        let slugs = texts
            .iter()
            .take(MAX_VALUES)
            .map(|text| self.slug(slug(text)));
        slugs.filter(|slug| !slug.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::ask;

    fn of(path: &str, yaml: &str) -> serde_json::Value {
        let text = format!("---\n{yaml}\n---\n# Body\n");
        let (_folder, vault) = vault(&[(path, &text)]);
        ask(&vault, &format!("note:facets path={path}"))
    }

    #[test]
    fn the_example_of_the_contract() {
        let found = of(
            "inbox/one.md",
            "source: test\ndate: 2025-03-01\nproject: foo\ntags: [a, b]",
        );
        assert_eq!(
            found,
            json!({
                "path": "inbox/one.md",
                "facets": {
                    "project": "foo", "tags": ["a", "b"], "date": "2025-03-01T00:00:00.000Z",
                    "updated": null, "causalChainId": null, "entity": [], "episodeId": null,
                },
                "inferred": {"folder": "inbox"},
                "truncated": false,
            })
        );
    }

    #[test]
    fn values_of_each_form() {
        let found = of(
            "projects/My-Project/note.md",
            "project: Front Matter Project\ntags: Research, AI Safety\ndate: '2026-05-24'\nupdated: 2026-05-25T12:34:56Z\ncausal_chain_id: Launch Rollout\nentity: [Alice B, Core API, ~, 7]\nepisode_id: Episode 1",
        );
        assert_eq!(
            found["facets"],
            json!({
                "project": "front-matter-project", "tags": ["research", "ai-safety"],
                "date": "2026-05-24", "updated": "2026-05-25T12:34:56.000Z",
                "causalChainId": "launch-rollout", "entity": ["alice-b", "core-api", "null", "7"],
                "episodeId": "episode-1",
            })
        );
        let found = of(
            "projects/Born-Free/inbox/note.md",
            "tags: [one, Two Words, 日本]\nentity: 5",
        );
        assert_eq!(found["facets"]["project"], "born-free");
        assert_eq!(found["facets"]["tags"], json!(["one", "two-words"]));
        assert_eq!(found["facets"]["entity"], json!(["5"]));
        let top = of("a.md", "x: 1");
        assert_eq!(top["inferred"]["folder"], json!(null));
        assert_eq!(top["facets"]["date"], json!(null));
    }

    #[test]
    fn lists_and_values_are_bounded() {
        let tags: Vec<String> = (0..150).map(|number| format!("tag-{number}")).collect();
        let found = of("a.md", &format!("tags: [{}]", tags.join(", ")));
        let kept = found["facets"]["tags"].as_array().unwrap();
        assert_eq!((kept.len(), &kept[99]), (100, &json!("tag-99")));
        assert_eq!(found["truncated"], true);
        let hundred = of("a.md", &format!("tags: [{}]", tags[..100].join(", ")));
        assert_eq!(hundred["truncated"], false);

        let long = format!("{}-{}", "a".repeat(255), "b".repeat(40));
        let found = of(
            "a.md",
            &format!("project: {long}\ndate: '{}'", "😀".repeat(200)),
        );
        assert_eq!(found["facets"]["project"], "a".repeat(255));
        assert_eq!(found["facets"]["date"], "😀".repeat(128));
        assert_eq!(found["truncated"], true);
    }

    #[test]
    fn properties_that_cannot_be_read_are_none_and_warned_of() {
        let (_folder, vault) = vault(&[("a.md", "---\ntags: [a\n---\nx")]);
        let reply = crate::own::testing::reply(&vault, "note:facets path=a.md").unwrap();
        assert_eq!(reply.warnings.len(), 1);
        assert_eq!(reply.warnings[0].code(), "INVALID_FRONTMATTER");
    }
}
