//! JSON Schemas of the answers, by shape.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::answer::{
    AliasItem, BacklinkItem, BaseRow, BaseViewItem, CommandItem, Confirmation, FileInfo, FileItem,
    FolderInfo, FolderItem, HeadingItem, HistoryItem, LinkItem, List, NoteProperties, NoteText,
    PathAnswer, PluginInfo, PluginItem, PropertyCount, PropertyItem, PropertyValue, RandomNote,
    RawText, SearchContextItem, TabItem, TagFiles, TagItem, TaskItem, TemplateItem, Total,
    UnresolvedItem, VaultInfo, VaultItem, Version, WordCount, WorkspaceItem,
};
use crate::shape::Shape;

impl Shape {
    /// The JSON Schema (draft 2020-12) of every answer this shape can have: one type, or the
    /// `anyOf` of several, [`Total`] among them where the shape has it.
    pub fn schema(self) -> Schema {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut types: Vec<Value> = self
            .types()
            .iter()
            .map(|of| of(&mut generator).to_value())
            .collect();
        if self.has_total() {
            types.push(subschema::<Total>(&mut generator).to_value());
        }
        let mut schema = Map::new();
        let draft = generator.settings().meta_schema.as_deref().map(Value::from);
        schema.insert("$schema".to_owned(), draft.unwrap_or_default());
        schema.insert("title".to_owned(), Value::from(self.name()));
        schema.insert("anyOf".to_owned(), Value::from(types));
        schema.insert(
            "$defs".to_owned(),
            Value::Object(generator.take_definitions(true)),
        );
        Schema::from(schema)
    }

    /// Every type but [`Total`] that answers this shape.
    fn types(self) -> &'static [fn(&mut SchemaGenerator) -> Schema] {
        match self {
            Self::Confirmation => &[subschema::<Confirmation>, subschema::<Total>],
            Self::NoteText => &[subschema::<NoteText>],
            Self::RandomNote => &[subschema::<RandomNote>, subschema::<Total>],
            Self::Path => &[subschema::<PathAnswer>],
            Self::Files
            | Self::Recents
            | Self::Orphans
            | Self::Deadends
            | Self::Search
            | Self::Bases => &[subschema::<List<FileItem>>],
            Self::Folders => &[subschema::<List<FolderItem>>],
            Self::FileInfo => &[subschema::<FileInfo>],
            Self::FolderInfo => &[subschema::<FolderInfo>],
            Self::VaultInfo => &[subschema::<VaultInfo>],
            Self::Vaults => &[subschema::<List<VaultItem>>],
            Self::Aliases => &[subschema::<List<AliasItem>>],
            Self::Properties => &[
                subschema::<List<PropertyItem>>,
                subschema::<NoteProperties>,
                subschema::<PropertyCount>,
            ],
            Self::PropertyValue => &[subschema::<PropertyValue>],
            Self::Tags => &[subschema::<List<TagItem>>],
            Self::Tag => &[subschema::<TagFiles>],
            Self::Tasks => &[subschema::<List<TaskItem>>, subschema::<RawText>],
            Self::Links => &[subschema::<List<LinkItem>>],
            Self::Backlinks => &[subschema::<List<BacklinkItem>>],
            Self::Unresolved => &[subschema::<List<UnresolvedItem>>],
            Self::Outline => &[subschema::<List<HeadingItem>>],
            Self::SearchContext => &[subschema::<List<SearchContextItem>>],
            Self::WordCount => &[subschema::<WordCount>],
            Self::BaseViews => &[subschema::<List<BaseViewItem>>],
            Self::BaseRows => &[
                subschema::<List<BaseRow>>,
                subschema::<List<FileItem>>,
                subschema::<RawText>,
            ],
            Self::Templates => &[subschema::<List<TemplateItem>>],
            Self::Plugins => &[subschema::<List<PluginItem>>],
            Self::PluginInfo => &[subschema::<PluginInfo>],
            Self::Tabs => &[subschema::<List<TabItem>>],
            Self::Workspaces => &[subschema::<List<WorkspaceItem>>],
            Self::Commands => &[subschema::<List<CommandItem>>],
            Self::Version => &[subschema::<Version>],
            Self::History => &[subschema::<List<HistoryItem>>],
            Self::Raw => &[subschema::<RawText>],
            Self::Own(form) => std::slice::from_ref(&form.schema),
        }
    }
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_the_union_of_the_answers_with_their_definitions() {
        let schema = Shape::Tags.schema().to_value();
        assert_eq!(schema["title"], "tags");
        let any_of: Vec<_> = schema["anyOf"].as_array().unwrap().iter().collect();
        assert_eq!(any_of.len(), 2);
        assert_eq!(any_of[1], &json!({"$ref": "#/$defs/Total"}));
        let item = &schema["$defs"]["TagItem"];
        assert_eq!(item["required"], json!(["tag"]));
        assert_eq!(
            item["properties"]["count"]["description"],
            "How often it occurs. Only with `counts`."
        );
    }

    #[test]
    fn every_reference_of_every_schema_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    map.values().for_each(|value| references(value, found));
                }
                Value::Array(items) => items.iter().for_each(|value| references(value, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        for shape in Shape::APP {
            let schema = shape.schema().to_value();
            let mut found = Vec::new();
            references(&schema, &mut found);
            assert!(!found.is_empty(), "{shape:?}");
            for reference in found {
                let pointer = reference.trim_start_matches('#');
                assert!(schema.pointer(pointer).is_some(), "{shape:?} {reference}");
            }
        }
    }
}
