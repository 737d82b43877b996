//! `vault-gw explain [CODE]`: cause and remedy.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::code::{Code, Explanation};
use crate::failure::Failure;

/// Explains one code, or lists all.
pub(crate) fn run(terminal: Terminal, options: &Options, code: Option<&str>) -> ExitCode {
    let started = Instant::now();
    let Some(name) = code else {
        let text: String = Code::ALL
            .iter()
            .map(|code| line(&code.explanation()))
            .collect();
        let codes: Vec<Value> = Code::ALL
            .iter()
            .map(|code| json!(code.explanation()))
            .collect();
        let data = Map::from_iter([("codes".to_owned(), Value::from(codes))]);
        return report::verb(terminal, options, "explain", started, &text, data);
    };
    let Some(code) = Code::named(&name.to_ascii_uppercase()) else {
        let known = Code::ALL.map(Code::name);
        let nearest = crate::allowlist::nearest(&name.to_ascii_uppercase(), known);
        let hint = nearest
            .first()
            .map(|near| format!(" Did you mean `{near}`?"))
            .unwrap_or_default();
        let failure = Failure::new(
            Code::UsageError,
            format!("There is no code of this name; `vault-gw explain` lists them.{hint}"),
        )
        .with("nearest", nearest);
        return report::failure(terminal, options, "explain", failure);
    };
    let explanation = code.explanation();
    let text = format!(
        "{code} (exit status {})\n\nWhat happened: {}\nWhat to do:    {}\nTrying again:  {}\n",
        explanation.exit,
        explanation.cause,
        explanation.remedy,
        if explanation.retryable {
            "may help by itself"
        } else {
            "does not help by itself"
        },
    );
    let data = match json!(explanation) {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    report::verb(terminal, options, "explain", started, &text, data)
}

fn line(explanation: &Explanation) -> String {
    format!(
        "{:<24} {:>3}  {}\n",
        explanation.code.name(),
        explanation.exit,
        explanation.cause
    )
}
