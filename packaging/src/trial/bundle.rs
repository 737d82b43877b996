//! The `.mcpb`: checked and unpacked by the project's own tool, then started as its manifest says, by
//! an MCP session that reads a note.

use serde_json::{Value, json};

use super::bare::text;
use super::{Outcome, Trial};
use crate::Fault;
use crate::formats::mcpb;

/// The tool of the format, at the version that this was made with.
const TOOL: &str = "@anthropic-ai/mcpb@2.1.2";

/// What the note of the trial says.
const NOTE: &str = "The bundle can read this.";

/// Validates, unpacks and runs the bundle.
pub(super) fn mcpb(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["npx"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let bundle = text(&trial.package(&mcpb::file_name(&trial.facts, trial.here()?))?)?;
    let work = trial.work.path();
    if let Err(fault) = trial.tools.run("npx", &["--yes", TOOL, "--version"], work) {
        return Outcome::skipped(format!("{TOOL} could not be fetched: {fault}"));
    }
    let folder = trial.folder("bundle")?;
    trial.tools.run(
        "npx",
        &["--yes", TOOL, "unpack", &bundle, &text(&folder)?],
        work,
    )?;
    let manifest = folder.join("manifest.json");
    trial
        .tools
        .run("npx", &["--yes", TOOL, "validate", &text(&manifest)?], work)?;
    let manifest: Value = serde_json::from_str(&fs_err::read_to_string(manifest)?)?;
    let vault = trial.folder("vault")?;
    fs_err::write(vault.join("Note.md"), NOTE)?;
    let start = &manifest["server"]["mcp_config"];
    let filled = |given: &Value| -> Result<String, Fault> {
        let given = given.as_str().ok_or("a word of the manifest is no text")?;
        let given = given.replace("${__dirname}", &text(&folder)?);
        Ok(given.replace("${user_config.vault}", &text(&vault)?))
    };
    let program = filled(&start["command"])?;
    let words = start["args"]
        .as_array()
        .ok_or("the manifest has no arguments")?;
    let words: Vec<String> = words.iter().map(filled).collect::<Result<_, _>>()?;
    let printed = trial
        .tools
        .run_with_input(&program, &words, work, &session())?;
    let tools = check_answers(&printed)?;
    Outcome::works(format!(
        "valid by {TOOL}; unpacked, started, {tools} tools, a note read over MCP"
    ))
}

/// The lines of a client that lists the tools and reads the note.
fn session() -> String {
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "trial", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "read",
            "arguments": {"path": "Note.md"},
        }}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Checks the answers, and counts the tools.
fn check_answers(printed: &str) -> Result<usize, Fault> {
    let mut answers = Vec::new();
    for line in printed.lines() {
        answers.push(serde_json::from_str::<Value>(line)?);
    }
    let answer = |id: u64| {
        let found = answers.iter().find(|answer| answer["id"] == id);
        found.ok_or_else(|| format!("request {id} has no answer:\n{printed}"))
    };
    let tools = answer(2)?["result"]["tools"].as_array().map_or(0, Vec::len);
    let text = answer(3)?["result"]["content"][0]["text"].as_str();
    if tools < 2 || text != Some(NOTE) {
        return Err(format!("{tools} tools, and the note is {text:?}").into());
    }
    Ok(tools)
}
