//! The tools, prompts and resources that the suites use, as data.

use std::sync::LazyLock;

use rmcp::model::{
    ErrorData, InputRequests, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents,
    ResourceTemplate,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::tool::ToolFixture;

/// The resource to which the suites subscribe.
pub(super) const WATCHED: &str = "test://watched-resource";

/// The content of `fixtures.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fixtures {
    pub(super) tools: Vec<ToolFixture>,
    pub(super) prompts: Vec<PromptFixture>,
    resources: Vec<ResourceFixture>,
    pub(super) template: TemplateFixture,
}

/// A prompt. In its texts `{name}` is replaced by the argument of that name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PromptFixture {
    name: String,
    description: String,
    #[serde(default)]
    arguments: Vec<String>,
    /// Questions to the client before the answer, as for a tool.
    #[serde(default)]
    pub(super) rounds: Vec<InputRequests>,
    messages: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ResourceFixture {
    uri: String,
    mime_type: String,
    text: Option<String>,
    blob: Option<String>,
}

/// A family of resources. `{id}` in the text is replaced by the part of the URI between `before`
/// and `after`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct TemplateFixture {
    before: String,
    after: String,
    mime_type: String,
    text: String,
}

static FIXTURES: LazyLock<Fixtures> = LazyLock::new(|| {
    // A test checks that the file is valid.
    serde_json::from_str(include_str!("fixtures.json")).unwrap_or_default()
});

impl Fixtures {
    /// The fixtures of the suites.
    pub(super) fn load() -> &'static Self {
        &FIXTURES
    }

    /// Finds a tool by its name.
    pub(super) fn tool(&self, name: &str) -> Option<&ToolFixture> {
        self.tools.iter().find(|fixture| fixture.name == name)
    }

    /// Finds a prompt by its name.
    pub(super) fn prompt(&self, name: &str) -> Option<&PromptFixture> {
        self.prompts.iter().find(|fixture| fixture.name == name)
    }

    /// The resources in the form of a list result.
    pub(super) fn listed_resources(&self) -> impl Iterator<Item = Resource> {
        self.resources.iter().map(|fixture| {
            Resource::new(&fixture.uri, &fixture.uri).with_mime_type(&fixture.mime_type)
        })
    }

    /// The content of a resource; `None` if there is none with this URI.
    pub(super) fn resource(&self, uri: &str) -> Option<ResourceContents> {
        let mut known = self.resources.iter();
        if let Some(fixture) = known.find(|fixture| fixture.uri == uri) {
            let contents = match (&fixture.text, &fixture.blob) {
                (Some(text), _) => ResourceContents::text(text, uri),
                (None, Some(blob)) => ResourceContents::blob(blob, uri),
                (None, None) => return None,
            };
            return Some(contents.with_mime_type(&fixture.mime_type));
        }
        let template = &self.template;
        let id = uri.strip_prefix(&template.before)?;
        let id = id.strip_suffix(&template.after)?;
        let text = template.text.replace("{id}", id);
        Some(ResourceContents::text(text, uri).with_mime_type(&template.mime_type))
    }
}

impl PromptFixture {
    /// The prompt in the form of a list result.
    pub(super) fn as_sent(&self) -> Prompt {
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|name| {
            PromptArgument::new(name)
                .with_description("A text")
                .with_required(true)
        });
        Prompt::new(
            &self.name,
            Some(&self.description),
            Some(arguments.collect()),
        )
    }

    /// The messages, with these arguments filled in.
    ///
    /// # Errors
    ///
    /// If the fixture's messages are invalid.
    pub(super) fn filled(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Vec<PromptMessage>, ErrorData> {
        let mut text = self.messages.to_string();
        for name in &self.arguments {
            let given = arguments.get(name).and_then(Value::as_str);
            let quoted = Value::from(given.unwrap_or_default()).to_string();
            text = text.replace(&format!("{{{name}}}"), quoted.trim_matches('"'));
        }
        serde_json::from_str(&text)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl TemplateFixture {
    /// The template in the form of a list result.
    pub(super) fn as_sent(&self) -> ResourceTemplate {
        let uri = format!("{}{{id}}{}", self.before, self.after);
        ResourceTemplate::new(uri, "template")
            .with_description("A resource for each id")
            .with_mime_type(&self.mime_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_fixtures_is_readable() {
        let fixtures: Fixtures = serde_json::from_str(include_str!("fixtures.json")).unwrap();
        for tool in &fixtures.tools {
            tool.content().unwrap();
        }
        for prompt in &fixtures.prompts {
            prompt.filled(&Map::new()).unwrap();
        }
    }
}
