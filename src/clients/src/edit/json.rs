//! Edits an entry in JSON, with or without comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{Config, UnusableConfig};

const FORMAT: &str = "JSON";

/// Parses the values of a file.
pub(super) fn parse(text: &str, key: &str, comments: bool) -> Result<Config, UnusableConfig> {
    if text.trim().is_empty() {
        return Ok(Config {
            others: Map::new(),
            servers: Vec::new(),
        });
    }
    let (_, object) = parsed(text, comments)?;
    let servers = match only(&object, key)?.map(|property| property.object_value()) {
        None => Vec::new(),
        Some(Some(table)) => table.properties(),
        Some(None) => {
            return Err(UnusableConfig::NotATable {
                key: key.to_owned(),
            });
        }
    };
    let Some(Value::Object(mut others)) = object.to_serde_value() else {
        return Err(UnusableConfig::Entangled);
    };
    others.shift_remove(key);
    let servers = servers
        .into_iter()
        .filter_map(|server| Some((server.decoded_name()?, server.value()?.to_serde_value()?)))
        .collect();
    Ok(Config { others, servers })
}

/// Sets the keys of the entry `name` in the table `key`, or removes the entry and a table that it leaves empty at the
/// end of the file. [`parse`] accepts the text.
pub(super) fn edited(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&str, Value)]>,
    comments: bool,
) -> Result<String, UnusableConfig> {
    let keys = entry.into_iter().flatten().cloned();
    let new = keys.map(|(key, value)| (key.to_owned(), value)).collect();
    let new = Value::Object(new);
    if text.trim().is_empty() {
        return Ok(format!("{:#}\n", json!({ key: { name: new } })));
    }
    let (root, object) = parsed(text, comments)?;
    let servers = object.get(key);
    let table = object.object_value(key);
    let old = table.as_ref().and_then(|table| table.get(name));
    match (entry, old) {
        (Some(entry), Some(old)) => match old.object_value() {
            Some(existing) => {
                for (key, value) in entry {
                    set(&existing, key, value)?;
                }
            }
            None => old.set_value(input(&new)),
        },
        (Some(_), None) => match &table {
            Some(table) => append(table, name, &new),
            None => append(&object, key, &json!({ name: new })),
        },
        (None, Some(old)) => {
            old.remove();
            // Only the braces are left: a comment would keep the table.
            let is_empty = table.is_some_and(|table| table.children().len() == 2);
            let is_last = |servers: &CstObjectProp| servers.next_property().is_none();
            if let Some(servers) = servers.filter(is_last).filter(|_| is_empty) {
                servers.remove();
            }
        }
        (None, None) => {}
    }
    Ok(root.to_string())
}

/// Returns the text with the value that the entry has in the text `from`, byte by byte; `None` if one of them has no such
/// entry.
pub(super) fn with_entry_of(from: &str, text: &str, key: &str, name: &str) -> Option<String> {
    let entry = |text: &str| {
        let (root, object) = parsed(text, true).ok()?;
        Some((root, object.object_value(key)?.get(name)?))
    };
    let (_earlier, from) = entry(from)?;
    let (root, present) = entry(text)?;
    present.set_value(CstInputValue::Number(from.value()?.to_string()));
    Some(root.to_string())
}

/// Appends a property. The library would break the lines of an object on one line, so such an object is written as one
/// raw value.
fn append(object: &CstObject, name: &str, value: &Value) {
    let last = object.properties().pop();
    let is_flat = !object.children().iter().any(CstNode::is_newline);
    let Some(last) = last.filter(|_| is_flat) else {
        object.append(name, input(value));
        return;
    };
    let text = object.to_string();
    let text = text[..text.len() - 1].trim_end();
    let has_comma = last.trailing_comma().is_some();
    let (before, after) = if has_comma { ("", ",") } else { (",", "") };
    let text = format!("{text}{before} {}: {value}{after}}}", Value::from(name));
    object.clone().replace_with(CstInputValue::Number(text));
}

fn parsed(text: &str, comments: bool) -> Result<(CstRootNode, CstObject), UnusableConfig> {
    if !comments {
        // Clients that read plain JSON reject what the lenient parser accepts, so parse it strictly
        // too.
        let read: Result<IgnoredAny, _> = serde_json::from_str(text);
        read.map_err(|error| syntax(&error))?;
    }
    let root = CstRootNode::parse(text, &options(comments));
    let root = root.map_err(|error| UnusableConfig::Syntax {
        format: FORMAT,
        reason: format!(
            "{} (line {}, column {})",
            error.kind(),
            error.line_display(),
            error.column_display()
        ),
    })?;
    let object = root.object_value().ok_or(UnusableConfig::NotAnObject)?;
    Ok((root, object))
}

/// Returns the syntax that a client's parser accepts.
fn options(comments: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Returns the syntax error with our own wording of its position.
fn syntax(error: &serde_json::Error) -> UnusableConfig {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    let (line, column) = (error.line(), error.column());
    UnusableConfig::Syntax {
        format: FORMAT,
        reason: format!("{what} (line {line}, column {column})"),
    }
}

/// Returns the property of this name, which may occur only once.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, UnusableConfig> {
    let mut named = object
        .properties()
        .into_iter()
        .filter(|property| property.decoded_name().as_deref() == Some(name));
    match (named.next(), named.next()) {
        (first, None) => Ok(first),
        _ => Err(UnusableConfig::Twice {
            key: name.to_owned(),
        }),
    }
}

fn set(object: &CstObject, key: &str, value: &Value) -> Result<(), UnusableConfig> {
    match only(object, key)? {
        Some(property) => {
            let same = property.value().and_then(|old| old.to_serde_value());
            if same.as_ref() != Some(value) {
                property.set_value(input(value));
            }
        }
        None => {
            object.append(key, input(value));
        }
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(on) => CstInputValue::Bool(*on),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(keys) => CstInputValue::Object(
            keys.iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::client::McpClient;
    use super::super::{Edited, EntryAction, FileBefore, before_entry, edited, servers};
    use super::*;

    const CASES: &str = include_str!("json_cases.txt");

    fn entry(command: &str) -> Vec<(&'static str, Value)> {
        vec![("command", json!(command)), ("args", json!(["mcp"]))]
    }

    fn add(text: &str) -> Result<Edited, UnusableConfig> {
        edited(McpClient::Vscode, text, "v", Some(&entry("/bin/v")))
    }

    fn remove(text: &str) -> Edited {
        edited(McpClient::Vscode, text, "v", None).unwrap()
    }

    #[test]
    fn comments_order_and_layout_stay() {
        let text = "// mine\n{\n\t\"b\": 1, // one\n\t\"servers\": {\n\t\t// the first\n\t\t\"x\": {\"command\":\"x\"},\n\t},\n\t\"a\": [1,2 ,3],\n}\n";
        let edited = add(text).unwrap();
        assert_eq!(edited.action, EntryAction::Added);
        assert_eq!(
            edited.text,
            "// mine\n{\n\t\"b\": 1, // one\n\t\"servers\": {\n\t\t// the first\n\t\t\"x\": {\"command\":\"x\"},\n\t\t\"v\": {\n\t\t\t\"command\": \"/bin/v\",\n\t\t\t\"args\": [\"mcp\"],\n\t\t},\n\t},\n\t\"a\": [1,2 ,3],\n}\n"
        );
        let again = add(&edited.text).unwrap();
        assert_eq!(
            (again.action, again.text),
            (EntryAction::Unchanged, edited.text.clone())
        );
        let removed = remove(&edited.text);
        assert_eq!(removed.action, EntryAction::Removed);
        assert_eq!(removed.text, text);
    }

    #[test]
    fn a_table_that_is_left_empty_is_removed_at_the_end_of_the_file_only() {
        for (text, left) in
            tables::typed::<(&str, Option<&str>)>(CASES, "a table that is left empty is removed")
        {
            let removed = remove(&add(text).unwrap().text);
            assert_eq!(removed.text, left.unwrap_or(text));
        }
    }

    #[test]
    fn line_ends_marks_and_missing_ends_stay() {
        let edited = add("\u{feff}{\r\n  \"a\": 1\r\n}").unwrap();
        assert!(
            edited
                .text
                .starts_with("\u{feff}{\r\n  \"a\": 1,\r\n  \"servers\": {")
        );
        assert!(edited.text.ends_with('}'));
        assert_eq!(
            edited.text.matches('\n').count(),
            edited.text.matches("\r\n").count()
        );
    }

    #[test]
    fn keys_that_are_not_ours_stay_in_the_entry() {
        let text = "{\"servers\": {\"v\": {\"env\": {\"A\": \"b\"}, \"command\": \"/old\", \"disabled\": true}}}";
        let edited = add(text).unwrap();
        assert_eq!(edited.action, EntryAction::Updated);
        let value: Value = serde_json::from_str(&edited.text).unwrap();
        assert_eq!(
            value["servers"]["v"],
            json!({"env": {"A": "b"}, "command": "/bin/v", "disabled": true, "args": ["mcp"]})
        );
        // Also if the entry has no `command`.
        let edited = add("{\"servers\": {\"v\": {\"env\": {\"A\": \"b\"} /* mine */}}}").unwrap();
        assert!(edited.text.contains("/* mine */"), "{}", edited.text);
        let (_, value) = &servers(McpClient::Vscode, &edited.text).unwrap()[0];
        assert_eq!(value["env"], json!({"A": "b"}));
        assert_eq!(value["command"], "/bin/v");
        // An entry of another kind is neither mixed with ours nor lost.
        assert_eq!(
            add("{\"servers\": {\"v\": {\"url\": \"http://x\"}}}").unwrap_err(),
            UnusableConfig::OtherKind {
                name: "v".to_owned(),
                key: "url"
            }
        );
    }

    #[test]
    fn nothing_becomes_a_file_with_the_entry_alone() {
        for text in ["", " \n"] {
            let edited = add(text).unwrap();
            let value: Value = serde_json::from_str(&edited.text).unwrap();
            assert_eq!(
                value,
                json!({"servers": {"v": {"command": "/bin/v", "args": ["mcp"]}}})
            );
            let removed = remove(text);
            assert_eq!(
                (removed.action, removed.text.as_str()),
                (EntryAction::Absent, text)
            );
        }
    }

    #[test]
    fn malformed_json_is_reported_with_its_place() {
        let strict = |text: &str| {
            let client = McpClient::ClaudeDesktop;
            edited(client, text, "v", Some(&entry("/bin/v"))).unwrap_err()
        };
        for text in tables::lines(CASES, "malformed json is reported") {
            let error = strict(text);
            assert!(
                matches!(&error, UnusableConfig::Syntax { .. }),
                "{text}: {error}"
            );
            assert!(error.to_string().contains("(line "), "{error}");
        }
        assert_eq!(strict("[]"), UnusableConfig::NotAnObject);
        assert_eq!(strict("7"), UnusableConfig::NotAnObject);
        let key = "mcpServers".to_owned();
        assert_eq!(
            strict("{\"mcpServers\":[]}"),
            UnusableConfig::NotATable { key: key.clone() }
        );
        assert_eq!(
            strict("{\"mcpServers\":null}"),
            UnusableConfig::NotATable { key: key.clone() }
        );
        assert_eq!(
            strict("{\"mcpServers\":{},\"mcpS\\u0065rvers\":{}}"),
            UnusableConfig::Twice { key }
        );
        assert_eq!(
            strict("{\"mcpServers\":{\"v\":1,\"v\":2}}"),
            UnusableConfig::Twice {
                key: "v".to_owned()
            }
        );
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(matches!(strict(&deep), UnusableConfig::Syntax { .. }));
    }

    /// Any JSON value with few keys, `servers` among them.
    fn value() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\\u{e9}\n/*]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop_oneof![Just("v".to_owned()), "[a-z/\"]{0,3}"];
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((key, inner), 0..4)
                    .prop_map(|keys| Value::Object(keys.into_iter().collect())),
            ]
        })
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

        #[test]
        fn adding_and_removing_leaves_every_other_value(
            others in proptest::collection::btree_map("[a-z]{1,4}", value(), 0..4),
            servers in proptest::collection::btree_map("[a-u]{1,2}", value(), 0..3),
            pretty: bool,
        ) {
            let mut root: Map<String, Value> = others.into_iter().collect();
            root.insert("servers".to_owned(), Value::Object(servers.into_iter().collect()));
            let before = Value::Object(root);
            let text = if pretty { format!("{before:#}\n") } else { before.to_string() };
            let added = add(&text).unwrap();
            let mut wanted = before.clone();
            wanted["servers"]["v"] = json!({"command": "/bin/v", "args": ["mcp"]});
            proptest::prop_assert_eq!(serde_json::from_str::<Value>(&added.text).unwrap(), wanted);
            let removed = remove(&added.text);
            let mut left: Value = serde_json::from_str(&removed.text).unwrap();
            // A table that is left empty at the end of the file is removed too.
            left.as_object_mut().unwrap().entry("servers").or_insert_with(|| json!({}));
            proptest::prop_assert_eq!(left, before);
        }
    }

    /// Returns a file in the layouts that people use: one key on each line or all on one; comments,
    /// trailing commas, CRLF.
    fn laid_out() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let value = prop_oneof![
            Just("1".to_owned()),
            Just("\"a // b\"".to_owned()),
            Just("{\"command\":\"o\"}".to_owned()),
            Just("[1, 2 ,3]".to_owned()),
        ];
        let property = (value, 0..4_u8);
        let properties = proptest::collection::vec(property.clone(), 0..4);
        let servers = proptest::collection::vec(property, 1..4);
        let shape = (
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            0..3_u8,
        );
        (properties, proptest::option::of(servers), shape, 0..4_usize).prop_map(
            |(others, servers, (is_flat, has_comma, has_cr, has_mark, indent), place)| {
                let step = ["  ", "    ", "\t"][usize::from(indent)];
                let object = |properties: &[(String, String, u8)], depth: usize| {
                    if properties.is_empty() {
                        return ["{}", "{ }", "{\n}"][usize::from(indent)].to_owned();
                    }
                    let (edge, end) = if is_flat {
                        (String::new(), String::new())
                    } else {
                        (
                            format!("\n{}", step.repeat(depth)),
                            format!("\n{}", step.repeat(depth - 1)),
                        )
                    };
                    let mut text = "{".to_owned();
                    for (index, (name, value, comment)) in properties.iter().enumerate() {
                        let is_last = index + 1 == properties.len();
                        let comma = if is_last && !has_comma { "" } else { "," };
                        let gap = if is_flat && index > 0 { " " } else { "" };
                        text += &match comment {
                            1 if !is_flat => format!(
                                "{edge}// before\n{}\"{name}\": {value}{comma}",
                                step.repeat(depth)
                            ),
                            2 if !is_flat => {
                                format!("{edge}\"{name}\": {value}{comma} // after")
                            }
                            3 => format!("{gap}{edge}\"{name}\": {value} /* here */{comma}"),
                            _ => format!("{gap}{edge}\"{name}\": {value}{comma}"),
                        };
                    }
                    text + &end + "}"
                };
                let name = |prefix: &str, list: Vec<(String, u8)>| -> Vec<(String, String, u8)> {
                    let named = list.into_iter().enumerate();
                    named
                        .map(|(at, (value, comment))| (format!("{prefix}{at}"), value, comment))
                        .collect()
                };
                let mut all = name("k", others);
                if let Some(servers) = servers {
                    let servers = object(&name("s", servers), 2);
                    all.insert(place.min(all.len()), ("servers".to_owned(), servers, 0));
                }
                let mut text = object(&all, 1);
                if !is_flat {
                    text += "\n";
                }
                if has_cr {
                    text = text.replace('\n', "\r\n");
                }
                if has_mark {
                    text.insert(0, super::super::BYTE_ORDER_MARK);
                }
                text
            },
        )
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

        #[test]
        fn adding_and_removing_gives_back_every_byte(text in laid_out()) {
            let added = add(&text).unwrap();
            proptest::prop_assert_eq!(added.action, EntryAction::Added);
            let again = add(&added.text).unwrap();
            proptest::prop_assert_eq!(again.action, EntryAction::Unchanged);
            let removed = remove(&added.text);
            let with_backup = before_entry(McpClient::Vscode, &added.text, "v", &["[]".to_owned(), text.clone()], &|_| true);
            proptest::prop_assert_eq!(with_backup, Some(FileBefore::Text(text.clone())));
            // White space in an empty object is not kept without the backup.
            let empty = ["{ }", "{\n}", "{\r\n}"];
            let text = empty.iter().fold(text, |text, empty| text.replace(empty, "{}"));
            proptest::prop_assert_eq!(removed.text, text);
        }
    }
}
