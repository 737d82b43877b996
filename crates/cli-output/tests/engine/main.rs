//! The answers of the engine as the app prints them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

mod graph;
mod transcripts;

use cli_output::Shape;

/// Returns the shape of a command of the app; that of a text for the others.
fn shape(command: &str) -> Shape {
    match command {
        "aliases" => Shape::Aliases,
        "backlinks" => Shape::Backlinks,
        "base:views" => Shape::BaseViews,
        "bases" => Shape::Bases,
        "deadends" => Shape::Deadends,
        "links" => Shape::Links,
        "orphans" => Shape::Orphans,
        "outline" => Shape::Outline,
        "plugin" => Shape::PluginInfo,
        "plugins" | "plugins:enabled" => Shape::Plugins,
        "properties" => Shape::Properties,
        "property:read" => Shape::PropertyValue,
        "recents" => Shape::Recents,
        "tag" => Shape::Tag,
        "tags" => Shape::Tags,
        "tasks" => Shape::Tasks,
        "template:read" => Shape::NoteText,
        "templates" => Shape::Templates,
        "unresolved" => Shape::Unresolved,
        "wordcount" => Shape::WordCount,
        "workspaces" => Shape::Workspaces,
        _ => Shape::Raw,
    }
}
