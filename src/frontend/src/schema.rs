//! The published JSON Schemas, generated from the types.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use allowlist::Catalogue;
use gateway::about::{Capabilities, Context};
use gateway::{Envelope, Request};
use settings::Settings;

/// A schema, which `schemas/vault-gw.v1.json` has under its name.
#[derive(Clone, Debug)]
pub struct PublishedSchema {
    /// The name in `vault-gw schema NAME`.
    pub name: String,
    /// The schema, JSON Schema 2020-12.
    pub schema: Value,
}

/// Returns every published schema: envelope, request, settings, the answers of our built-in questions, and the `data`
/// of each command.
pub fn all(catalogue: &Catalogue) -> Vec<PublishedSchema> {
    let mut schemas = vec![
        published::<Envelope>(SchemaSettings::for_serialize, "envelope"),
        published::<Request>(SchemaSettings::for_deserialize, "request"),
        published::<Settings>(SchemaSettings::for_deserialize, "settings"),
        published::<Context>(SchemaSettings::for_serialize, "context"),
        published::<Capabilities>(SchemaSettings::for_serialize, "capabilities"),
    ];
    for shape in allowlist::shapes() {
        let mut schema = Value::from(shape.schema());
        let commands: Vec<&str> = catalogue
            .commands()
            .filter(|command| command.output == shape)
            .map(|command| command.id.as_str())
            .collect();
        if let Value::Object(keys) = &mut schema {
            keys.insert(
                "description".to_owned(),
                json!(format!("`data` of: {}", commands.join(", "))),
            );
        }
        schemas.push(PublishedSchema {
            name: shape.name().to_owned(),
            schema,
        });
    }
    schemas
}

/// Returns the schema called `name`: one of the names of [`all`], or a command's id.
pub fn named(catalogue: &Catalogue, name: &str) -> Option<PublishedSchema> {
    let command = catalogue.commands().find(|command| command.id == name);
    let name = command.map_or(name, |command| command.output.name());
    all(catalogue)
        .into_iter()
        .find(|schema| schema.name == name)
}

fn published<T: JsonSchema>(
    contract: fn(SchemaSettings) -> SchemaSettings,
    name: &str,
) -> PublishedSchema {
    let mut settings = contract(SchemaSettings::draft2020_12());
    // Each schema must validate without the others.
    settings.inline_subschemas = true;
    PublishedSchema {
        name: name.to_owned(),
        schema: SchemaGenerator::new(settings)
            .into_root_schema_for::<T>()
            .into(),
    }
}
