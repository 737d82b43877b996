//! Envelopes in the form of other contracts: read back from JSON, and held to the published schema
//! of one.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Map, Value};
use vault_gw::gateway::profile::{Profile, Surroundings};
use vault_gw::gateway::{Envelope, Meta, SCHEMA_VERSION, Status};
use vault_gw::protocol::Code;
use vault_gw::protocol::Issue;

/// Surroundings with a vault.
pub(crate) fn surroundings() -> Surroundings {
    Surroundings {
        root: Some("/vaults/help".to_owned()),
        here: "/home/user".to_owned(),
        now: "2026-01-01T00:00:00Z".to_owned(),
        ..Surroundings::default()
    }
}

/// Checks that a native envelope, told as Meminit's, fits its schema of version 3
/// (github.com/GitCmurf/meminit, Apache-2.0).
pub(crate) fn assert_as_meminit(envelope: &Value) {
    // A call can fail before the vault is known.
    let has_vault = envelope["success"] == true;
    let surroundings = Surroundings {
        root: surroundings().root.filter(|_| has_vault),
        ..surroundings()
    };
    let shown = Profile::Meminit.project(&envelope_of(envelope), &surroundings);
    assert_eq!(shown.text.matches('\n').count(), 1, "{}", shown.text);
    assert_meminit(&serde_json::from_str(&shown.text).unwrap());
}

/// Checks an object against Meminit's schema of version 3.
pub(crate) fn assert_meminit(object: &Value) {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let file = "tests/profiles/meminit/agent-output.schema.v3.json";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let schema = serde_json::from_str(&fs_err::read_to_string(file).unwrap()).unwrap();
        let options = jsonschema::options().should_validate_formats(true);
        options.build(&schema).unwrap()
    });
    let faults = schema.iter_errors(object).map(|fault| fault.to_string());
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{faults:?} in {object:#}");
}

const STATUSES: [Status; 7] = [
    Status::Ok,
    Status::NoMatches,
    Status::Partial,
    Status::Drafted,
    Status::Unknown,
    Status::Refused,
    Status::Error,
];

/// What a program can know of an envelope from its JSON, but for `meta`.
pub(crate) fn envelope_of(value: &Value) -> Envelope {
    let text = |key: &str| value[key].as_str().unwrap().to_owned();
    let may = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Envelope {
        id: value
            .get("id")
            .map(|id| serde_json::from_value(id.clone()).unwrap()),
        schema_version: SCHEMA_VERSION,
        command: text("command"),
        success: value["success"].as_bool().unwrap(),
        status: STATUSES
            .into_iter()
            .find(|status| value["status"] == serde_json::json!(status))
            .unwrap(),
        exit_code: value["exitCode"]
            .as_i64()
            .map(|code| i32::try_from(code).unwrap()),
        duration_ms: value["durationMs"].as_u64().unwrap(),
        stdout: text("stdout"),
        stderr: text("stderr"),
        text: Vec::new(),
        run_id: text("runId").parse().unwrap(),
        correlation_id: may("correlationId"),
        timestamp: may("timestamp"),
        summary: text("summary"),
        params: object(&value["params"]),
        data: object(&value["data"]).into(),
        warnings: issues(&value["warnings"]),
        violations: issues(&value["violations"]),
        advice: issues(&value["advice"]),
        error: value.get("error").map(|error| {
            let code = Code::named(error["code"].as_str().unwrap()).unwrap();
            let mut failure = code.failure(error["message"].as_str().unwrap());
            failure.details = object(&error["details"]);
            failure
        }),
        meta: Meta::default(),
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn issues(value: &Value) -> Vec<Issue> {
    let issue = |issue: &Value| Issue {
        // The codes are few, and a test is short.
        code: Box::leak(issue["code"].as_str().unwrap().into()),
        message: issue["message"].as_str().unwrap().into(),
        path: issue
            .get("path")
            .map(|path| path.as_str().unwrap().to_owned()),
        line: issue.get("line").map(|line| line.as_u64().unwrap()),
        details: object(&issue["details"]),
    };
    value.as_array().unwrap().iter().map(issue).collect()
}
