//! Values and errors that the real app gave (`data/README.md`).

use bases::{Expression, FileNumber, NoteLink};
use serde_json::{Map, Value as Json};

use crate::notes::{File, Vault, evaluated};

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Links of properties as the note has them: `[[Other|Front Alias]]`.
fn property(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(property).collect(),
        Json::Object(entries) if entries.get("type") == Some(&Json::from("Link")) => {
            let link = &value["value"];
            let target = link["path"].as_str().unwrap();
            match link["display"]["value"].as_str() {
                Some(display) => format!("[[{target}|{display}]]").into(),
                None => format!("[[{target}]]").into(),
            }
        }
        other => other.clone(),
    }
}

fn properties(value: &Json) -> Map<String, Json> {
    let entries = value.as_object().unwrap().iter();
    entries
        .map(|(name, value)| (name.clone(), property(value)))
        .collect()
}

fn links(value: &Json) -> Vec<NoteLink> {
    let link = |link: &Json| NoteLink {
        target: text(&link["path"]).unwrap(),
        display: text(&link["display"]),
    };
    value.as_array().unwrap().iter().map(link).collect()
}

fn vault(context: &Json) -> Vault {
    let listed = context["files"].as_array().unwrap();
    let file = |file: &Json| File {
        path: text(&file["path"]).unwrap(),
        size: file["size"].as_u64().unwrap(),
        created: file["ctime"].as_str().unwrap().parse().ok(),
        modified: file["mtime"].as_str().unwrap().parse().ok(),
        properties: properties(&file["properties"]),
        tags: file["tags"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(text)
            .collect(),
        links: links(&file["links"]),
        embeds: links(&file["embeds"]),
    };
    let mut vault = Vault {
        files: listed.iter().map(file).collect(),
        ..Vault::default()
    };
    for (number, file) in listed.iter().enumerate() {
        let sources = file["backlinks"].as_array().unwrap().iter().map(|link| {
            let path = link["path"].as_str().unwrap();
            let found = vault.files.iter().position(|file| file.path == path);
            FileNumber(found.unwrap())
        });
        let sources = sources.collect();
        vault.backlinks.insert(number, sources);
    }
    let resolved = context["linkResolutions"].as_object().unwrap().iter();
    vault.resolved = resolved
        .map(|(linkpath, path)| (linkpath.clone(), text(path)))
        .collect();
    vault
}

/// Formulas as YAML.
fn base(context: &Json) -> String {
    format!("formulas: {}", context["formulas"])
}

#[test]
fn values_are_those_of_the_app() {
    let oracle: Json = serde_json::from_str(include_str!("data/oracle.json")).unwrap();
    let vault = vault(&oracle["context"]);
    let base = base(&oracle["context"]);
    let cases = oracle["cases"].as_array().unwrap();
    let mut differences = Vec::new();
    for case in cases {
        let source = case["expression"].as_str().unwrap();
        let value = match Expression::parse(source) {
            Ok(expression) => match evaluated(&vault, &expression, &base) {
                Ok(value) => value,
                Err(error) => serde_json::json!({ "error": error.message }),
            },
            // The app has no value for a text that is no expression.
            Err(_) => Json::Null,
        };
        let is_equal = match case["assertion"].as_str() {
            Some("range01") => value
                .as_f64()
                .is_some_and(|value| (0.0..1.0).contains(&value)),
            Some(other) => panic!("unknown assertion {other}"),
            None => is_same(&value, &case["expected"]),
        };
        if !is_equal {
            differences.push(format!("{source}: {value}, the app: {}", case["expected"]));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} differ: {differences:#?}",
        differences.len(),
        cases.len()
    );
    assert_eq!(cases.len(), 176);
}

/// Equal, whether a whole number is written `1` or `1.0`.
fn is_same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left.as_f64() == right.as_f64(),
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| is_same(left, right))
        }
        (left, right) => left == right,
    }
}

#[test]
fn errors_are_those_of_the_app() {
    let recorded: Json = serde_json::from_str(include_str!("data/diagnostics.json")).unwrap();
    let vault = crate::notes::books();
    for case in recorded["cases"].as_array().unwrap() {
        let source = case["expression"].as_str().unwrap();
        let expression = Expression::parse(source).unwrap();
        let value = match evaluated(&vault, &expression, "") {
            Ok(value) => value,
            Err(error) => serde_json::json!({ "error": error.message }),
        };
        assert!(
            is_same(&value, &case["native"]["value"]),
            "{source}: {value}"
        );
    }
}
