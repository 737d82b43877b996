//! Edits an entry in JSON, with or without comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::json_text::JsonText;
use super::{Edited, EntryAction, UnusableConfig, address};

const FORMAT: &str = "JSON";
const MARK: char = '\u{feff}';

pub(super) fn edited(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&str, Value)]>,
    comments: bool,
) -> Result<Edited, UnusableConfig> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(new_document(text, key, name, entry));
    }
    let root = parsed(body, comments)?;
    let object = root.object_value().ok_or(UnusableConfig::NotAnObject)?;
    let before = value_of(&root)?;
    let servers = match only(&object, key)? {
        Some(property) => Some(table(&property, key)?),
        None => None,
    };
    let old = match &servers {
        Some(servers) => only(servers, name)?,
        None => None,
    };
    let done = |action: EntryAction, root: &CstRootNode| Edited {
        action,
        text: format!("{mark}{root}"),
    };
    let unchanged = |action: EntryAction| Edited {
        action,
        text: text.to_owned(),
    };
    let Some(entry) = entry else {
        if old.is_none() {
            return Ok(unchanged(EntryAction::Absent));
        }
        let without = JsonText::parse(body, &options(comments))
            .and_then(|text| text.without(key, name))
            .ok_or(UnusableConfig::Entangled)?;
        let mut wanted = before;
        if let Some(servers) = wanted.get_mut(key).and_then(Value::as_object_mut) {
            servers.shift_remove(name);
        }
        let edited = Edited {
            action: EntryAction::Removed,
            text: format!("{mark}{without}"),
        };
        return checked(edited, key, &wanted, comments);
    };
    let existing = old.as_ref().and_then(CstObjectProp::object_value);
    if let Some(object) = &existing
        && let Some(key) = address(|key| object.get(key).is_some())
    {
        let name = name.to_owned();
        return Err(UnusableConfig::OtherKind { name, key });
    }
    let (action, wanted_entry) = match (&old, existing) {
        (Some(_), Some(existing)) => {
            let Some(Value::Object(mut wanted)) = existing.to_serde_value() else {
                return Err(UnusableConfig::Entangled);
            };
            if entry
                .iter()
                .all(|(key, value)| wanted.get(*key) == Some(value))
            {
                return Ok(unchanged(EntryAction::Unchanged));
            }
            for (key, value) in entry {
                set(&existing, key, value)?;
                wanted.insert((*key).to_owned(), value.clone());
            }
            (EntryAction::Updated, wanted)
        }
        (Some(property), None) => {
            property.set_value(input_object(entry));
            (EntryAction::Updated, map(entry))
        }
        (None, _) => (EntryAction::Added, map(entry)),
    };
    let edited = if action == EntryAction::Added {
        let text = JsonText::parse(body, &options(comments)).ok_or(UnusableConfig::Entangled)?;
        let with = text.with(key, name, &Value::Object(wanted_entry.clone()));
        Edited {
            action,
            text: format!("{mark}{with}"),
        }
    } else {
        done(action, &root)
    };
    let mut wanted = before;
    let servers = wanted
        .as_object_mut()
        .map(|root| root.entry(key).or_insert_with(|| Map::new().into()));
    if let Some(servers) = servers.and_then(Value::as_object_mut) {
        servers.insert(name.to_owned(), wanted_entry.into());
    }
    checked(edited, key, &wanted, comments)
}

/// Returns the present servers with their names. A duplicate name is listed twice.
pub(super) fn servers(
    text: &str,
    key: &str,
    comments: bool,
) -> Result<Vec<(String, Value)>, UnusableConfig> {
    let (_, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = parsed(body, comments)?;
    let object = root.object_value().ok_or(UnusableConfig::NotAnObject)?;
    let Some(property) = only(&object, key)? else {
        return Ok(Vec::new());
    };
    let servers = table(&property, key)?.properties().into_iter();
    Ok(servers
        .filter_map(|server| Some((server.decoded_name()?, server.value()?.to_serde_value()?)))
        .collect())
}

/// Returns the byte order mark and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    text.split_at(text.len() - body.len())
}

fn new_document(text: &str, key: &str, name: &str, entry: Option<&[(&str, Value)]>) -> Edited {
    let Some(entry) = entry else {
        return Edited {
            action: EntryAction::Absent,
            text: text.to_owned(),
        };
    };
    let servers = Map::from_iter([(name.to_owned(), map(entry).into())]);
    let root = Map::from_iter([(key.to_owned(), servers.into())]);
    Edited {
        action: EntryAction::Added,
        text: format!("{:#}\n", Value::Object(root)),
    }
}

fn parsed(text: &str, comments: bool) -> Result<CstRootNode, UnusableConfig> {
    if !comments {
        // Clients that read plain JSON reject what the lenient parser accepts, so parse it strictly
        // too.
        let read: Result<IgnoredAny, _> = serde_json::from_str(text);
        read.map_err(|error| syntax(&error))?;
    }
    let options = options(comments);
    CstRootNode::parse(text, &options).map_err(|error| UnusableConfig::Syntax {
        format: FORMAT,
        reason: format!(
            "{} (line {}, column {})",
            error.kind(),
            error.line_display(),
            error.column_display()
        ),
    })
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

fn value_of(root: &CstRootNode) -> Result<Value, UnusableConfig> {
    root.to_serde_value().ok_or(UnusableConfig::Entangled)
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

fn table(property: &CstObjectProp, key: &str) -> Result<CstObject, UnusableConfig> {
    property
        .object_value()
        .ok_or_else(|| UnusableConfig::NotATable {
            key: key.to_owned(),
        })
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

/// Parses the result and checks that only the entry changed.
fn checked(
    edited: Edited,
    key: &str,
    wanted: &Value,
    comments: bool,
) -> Result<Edited, UnusableConfig> {
    let body = edited.text.strip_prefix(MARK).unwrap_or(&edited.text);
    let says = value_of(&parsed(body, comments)?)?;
    // An empty table and a missing one mean the same.
    let same = |value: &Value| {
        let mut value = value.clone();
        let is_empty = value[key].as_object().is_some_and(Map::is_empty);
        if let Some(root) = value.as_object_mut().filter(|_| is_empty) {
            root.shift_remove(key);
        }
        value
    };
    if same(&says) == same(wanted) {
        Ok(edited)
    } else {
        Err(UnusableConfig::Entangled)
    }
}

fn map(entry: &[(&str, Value)]) -> Map<String, Value> {
    entry
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect()
}

fn input_object(entry: &[(&str, Value)]) -> CstInputValue {
    input(&map(entry).into())
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

    use super::*;

    fn entry(command: &str) -> Vec<(&'static str, Value)> {
        vec![("command", json!(command)), ("args", json!(["mcp"]))]
    }

    fn add(text: &str) -> Result<Edited, UnusableConfig> {
        edited(text, "servers", "v", Some(&entry("/bin/v")), true)
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
        let removed = super::edited(&edited.text, "servers", "v", None, true).unwrap();
        assert_eq!(removed.action, EntryAction::Removed);
        assert_eq!(removed.text, text);
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
        let (_, value) = &super::servers(&edited.text, "servers", true).unwrap()[0];
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
            let removed = super::edited(text, "servers", "v", None, true).unwrap();
            assert_eq!(
                (removed.action, removed.text.as_str()),
                (EntryAction::Absent, text)
            );
        }
    }

    #[test]
    fn malformed_json_is_reported_with_its_place() {
        let strict =
            |text: &str| edited(text, "servers", "v", Some(&entry("/bin/v")), false).unwrap_err();
        for text in [
            "{",
            "{\"a\":1,}",
            "{// x\n}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "{'a':1}",
        ] {
            let error = strict(text);
            assert!(
                matches!(&error, UnusableConfig::Syntax { .. }),
                "{text}: {error}"
            );
            assert!(error.to_string().contains("(line "), "{error}");
        }
        assert_eq!(strict("[]"), UnusableConfig::NotAnObject);
        assert_eq!(strict("7"), UnusableConfig::NotAnObject);
        let key = "servers".to_owned();
        assert_eq!(
            strict("{\"servers\":[]}"),
            UnusableConfig::NotATable { key: key.clone() }
        );
        assert_eq!(
            strict("{\"servers\":null}"),
            UnusableConfig::NotATable { key: key.clone() }
        );
        assert_eq!(
            strict("{\"servers\":{},\"serv\\u0065rs\":{}}"),
            UnusableConfig::Twice { key }
        );
        assert_eq!(
            strict("{\"servers\":{\"v\":1,\"v\":2}}"),
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
            let removed = edited(&added.text, "servers", "v", None, true).unwrap();
            let left: Value = serde_json::from_str(&removed.text).unwrap();
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
        let properties = proptest::collection::vec(property, 0..4);
        let shape = (
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
            0..3_u8,
        );
        (
            properties.clone(),
            proptest::option::of(properties),
            shape,
            0..4_usize,
        )
            .prop_map(
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
                    let name = |prefix: &str,
                                list: Vec<(String, u8)>|
                     -> Vec<(String, String, u8)> {
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
                        text.insert(0, MARK);
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
            let removed = edited(&added.text, "servers", "v", None, true).unwrap();
            proptest::prop_assert_eq!(removed.text, text);
        }
    }
}
