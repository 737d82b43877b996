//! JSON requests: what is odd is refused, and the service goes on.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};

use fake_obsidian::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use vault_gw::allowlist::RawValue;
use vault_gw::gateway::MAX_REQUEST_BYTES;

use crate::support::{
    NOW, Outcome as _, Ran, World, answer, asked, assert_envelope, checked, dry_run_of, has,
    json_code as code, lacks, request,
};

const CASES: &str = include_str!("data/requests.txt");

/// A vault that agents may read and write, with no app.
fn world() -> World {
    World::with_fixture_vault().set("enabled = true\nallow_mutations = true")
}

fn with_fake() -> World {
    world().with_fake(&Scenario {
        now: Some(NOW.parse().unwrap()),
        ..Scenario::logged()
    })
}

/// The envelopes that `vault-gw call` answers to these lines.
fn call(world: &World, lines: &[&[u8]]) -> Vec<Value> {
    let mut input = lines.join(&b'\n');
    input.push(b'\n');
    envelopes(&world.run_with_input(&["call"], &input))
}

fn envelopes(ran: &Ran) -> Vec<Value> {
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let envelopes = ran.text().lines().map(|line| {
        let envelope = serde_json::from_str(line).unwrap();
        assert_envelope(&envelope);
        envelope
    });
    envelopes.collect()
}

const GOOD: &[u8] = br#"{"command":"read","params":{"path":"Reading/Empty.md"}}"#;

/// Each line is refused, runs nothing, and the next line is answered as ever.
fn refused<L: AsRef<[u8]>>(lines: impl IntoIterator<Item = L>) {
    let lines: Vec<L> = lines.into_iter().collect();
    let world = world();
    let mut sent = Vec::new();
    for line in &lines {
        sent.extend([line.as_ref(), GOOD]);
    }
    let answered = call(&world, &sent);
    assert_eq!(answered.len(), sent.len());
    for (line, pair) in lines.iter().zip(answered.chunks(2)) {
        let line = line.as_ref();
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
        assert_eq!(code(&pair[0]), "USAGE_ERROR", "{shown}: {:#}", pair[0]);
        assert_eq!(pair[0]["meta"]["backend"], "none", "{shown}");
        assert_eq!(code(&pair[1]), "OK", "after {shown}: {:#}", pair[1]);
    }
}

#[test]
fn b07_only_declared_types_are_taken() {
    refused(tables::lines(CASES, "b07 only declared types are taken"));
}

#[test]
fn b07_numbers_that_are_no_json_are_refused() {
    refused(["NaN", "Infinity", "1e999", "0x10"].map(|limit| {
        format!(r#"{{"command":"search","params":{{"query":"x","limit":{limit}}}}}"#)
    }));
}

/// As a parameter that is not given (`contracts.md` D25).
#[test]
fn a_null_parameter_is_left_out() {
    let world = with_fake();
    let lines: [&[u8]; 3] = [
        br#"{"command":"files","params":{"folder":"Projects","total":null,"ext":null}}"#,
        br#"{"command":"files","params":{"folder":null,"nosuch":null}}"#,
        br#"{"command":"read","params":{"path":null,"path":"Home.md"}}"#,
    ];
    let answered = call(&world, &lines);
    assert_eq!(answered[0]["params"], json!({"folder": "Projects"}));
    assert_eq!(code(&answered[1]), "OK");
    // Given twice is given twice, whatever it holds.
    assert_eq!(code(&answered[2]), "USAGE_ERROR");
}

#[test]
fn a_field_of_the_wrong_type_is_named() {
    let world = with_fake();
    let lines: [&[u8]; 2] = [
        br#"{"id":7.5,"command":"files"}"#,
        br#"{"command":"files","dryRun":"yes"}"#,
    ];
    let answered = call(&world, &lines);
    for (answer, field) in answered.iter().zip(["id", "dryRun"]) {
        assert_eq!(answer["error"]["details"]["field"], field);
        let message = answer["error"]["message"].to_string();
        has(&message, &[&format!("`{field}`")]);
    }
}

/// Clients of JSON-RPC number their requests, and some write each number with a fraction.
/// The next request can be written from the answer alone.
#[test]
fn the_answer_to_a_wrong_request_has_the_right_one() {
    let not_an_object = "such as `{\"command\":\"read\",\"params\":{\"path\":\"Home.md\"}}`.";
    let wrong = tables::section(CASES, "the answer to a wrong request has the right one");
    for [line, says] in [["read path=Home.md", not_an_object]]
        .into_iter()
        .chain(wrong)
    {
        let answered = call(&world(), &[line.as_bytes()]);
        has(&answered[0]["error"]["message"].as_str().unwrap(), &[says]);
    }
}

#[test]
fn an_id_may_be_a_whole_number_and_a_fraction_of_zero_is_none() {
    let world = with_fake();
    let lines: [&[u8]; 3] = [
        br#"{"id":7,"command":"files","params":{"folder":"Projects"}}"#,
        br#"{"id":8.0,"command":"notes:search","params":{"query":"a","limit":3.0},"budget":400.0}"#,
        br#"{"id":-9,"command":"notes:search","params":{"query":"a","limit":3.5}}"#,
    ];
    let answered = call(&world, &lines);
    let ids: Vec<&Value> = answered.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [7, 8, -9]);
    assert_ne!(code(&answered[1]), "USAGE_ERROR");
    assert_eq!(answered[1]["params"]["limit"], 3);
    assert_eq!(code(&answered[2]), "USAGE_ERROR");
}

#[test]
fn b07_a_false_flag_is_left_out() {
    let world = with_fake();
    let mut asked = asked("files folder=Projects");
    let params = &mut asked.params.0;
    params.insert("total".to_owned(), RawValue::Bool(false));
    let envelope = checked(world.gateway().call(&asked)).succeeds();
    assert_eq!(envelope.data.as_map()["total"], 6);
    assert_eq!(world.argvs(), [["vault=Notes", "files", "folder=Projects"]]);
}

#[test]
fn b08_nothing_is_given_twice() {
    refused(tables::lines(CASES, "b08 nothing is given twice"));
}

#[test]
fn b09_what_is_no_request_is_refused_and_the_service_goes_on() {
    let deep_array = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let (open, close) = (r#"{"a":"#.repeat(10_000), "}".repeat(10_002));
    let deep_value = format!(r#"{{"command":"read","params":{{"path":{open}1{close}"#);
    let bytes: [&[u8]; 5] = [
        b"\xef\xbb\xbf{\"command\":\"daily:path\"}",
        b"{\"command\":\"read\",\"params\":{\"path\":\"\xff\xfe\"}}",
        b"{\"command\":\"read\",\"params\":{\"path\":\"\xed\xa0\x80\"}}",
        &deep_array,
        deep_value.as_bytes(),
    ];
    refused(bytes);
    refused(tables::lines(CASES, "b09 what is no request is refused"));
}

#[cfg(target_os = "linux")]
#[test]
fn b09_an_endless_line_costs_no_endless_memory() {
    let world = world();
    world.write_settings();
    let mut child = world.program().arg("call").spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..3 * MAX_REQUEST_BYTES / piece.len() {
        input.write_all(&piece).unwrap();
    }
    input.write_all(b"\n").unwrap();
    input.write_all(GOOD).unwrap();
    input.write_all(b"\n").unwrap();
    let mut answer = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let (too_large, next) = (answer(), answer());
    assert_eq!(too_large["error"]["details"]["limit"], MAX_REQUEST_BYTES);
    assert_eq!(code(&next), "OK");
    let status = fs_err::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kibibytes: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // One request of the largest size, and the program itself, which is large in a debug build.
    let most = MAX_REQUEST_BYTES + (64 << 20);
    assert!(kibibytes * 1024 < most, "{kibibytes} KiB");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn f12_a_refused_request_does_not_repeat_its_values() {
    let lines = tables::lines(CASES, "f12 a refused request does not repeat").into_iter();
    let lines: Vec<&[u8]> = lines.map(str::as_bytes).collect();
    for envelope in call(&world(), &lines) {
        lacks(&envelope.fails_with("USAGE_ERROR").to_string(), &["CANARY"]);
    }
}

#[test]
fn f12_a_sensitive_value_stands_nowhere_but_in_the_note() {
    let world = with_fake();
    for line in [
        "append path=nope.md content=CANARY",
        "append path=../x.md content=CANARY",
        "create path=Home.md content=CANARY overwrite",
        "property:set path=nope.md name=a value=CANARY",
    ] {
        let mut envelope = world.ask(line);
        assert!(!envelope.success, "{line}");
        // What is to be approved is shown whole: the plan is all that may hold the text.
        if let Some(error) = &mut envelope.error {
            error.details.remove("files");
        }
        assert!(!envelope.to_json().contains("CANARY"), "{envelope:#?}");
    }
    let ran = world.run(&["-v", "--json", "append", "path=Home.md", "content=CANARY"]);
    assert_eq!(ran.json()["params"]["content"], "<redacted>");
    ran.shows_not("CANARY");
    ran.omits("CANARY");
    assert!(world.read("Home.md").contains("CANARY"));
}

#[test]
fn answers_come_in_the_order_of_the_lines_and_empty_lines_have_none() {
    let world = world();
    let lines = (0..12).map(|number| {
        let command = ["read", "nope", "vault"][number % 3];
        let line = json!({ "command": command, "correlationId": format!("n{number}") });
        format!("{line}\n\n \t\r\n")
    });
    let ran = world.run_with_input(&["call"], lines.collect::<String>().as_bytes());
    ran.ended(0);
    let answered = envelopes(&ran);
    let ids = answered
        .iter()
        .map(|envelope| envelope["correlationId"].clone());
    let expected: Vec<String> = (0..12).map(|number| format!("n{number}")).collect();
    assert_eq!(ids.collect::<Value>(), json!(expected));
    let runs = answered
        .iter()
        .map(|envelope| envelope["runId"].to_string());
    let runs: BTreeSet<String> = runs.collect();
    assert_eq!(runs.len(), 12, "every run has an id of its own");
}

#[test]
fn two_lines_make_two_envelopes() {
    let world = world();
    let today = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC);
    // Around midnight both days will do.
    for day in [today.clone(), today.tomorrow().unwrap()] {
        world.write(&format!("Daily/{}.md", day.strftime("%Y-%m-%d")), "today\n");
    }
    let lines: [&[u8]; 2] = [br#"{"command":"daily:read"}"#, br#"{"command":"nope"}"#];
    let answered = call(&world, &lines);
    assert_eq!(answered.len(), 2);
    assert_eq!(answered[0]["stdout"], "today\n", "{:#}", answered[0]);
    assert_eq!(answered[0]["meta"]["untrusted"], json!(["stdout", "data"]));
    assert_eq!(code(&answered[1]), "UNKNOWN_COMMAND");
}

#[test]
fn stdout_is_left_out_on_request_where_data_holds_all_of_it() {
    let lines: [&[u8]; 3] = [
        br#"{"command":"read","params":{"path":"Home.md"},"noStdout":true}"#,
        br#"{"command":"files","noStdout":true}"#,
        br#"{"command":"read","params":{"path":"Home.md"},"noStdout":true,"budget":10}"#,
    ];
    let answered = call(&world(), &lines);
    for whole in &answered[..2] {
        assert_eq!(code(whole), "OK", "{whole:#}");
        assert_eq!(whole["stdout"], "");
        assert_eq!(whole["meta"]["untrusted"], json!(["data"]));
    }
    has(&answered[0]["data"]["content"].to_string(), &["# Home"]);
    assert!(answered[1]["data"]["items"].as_array().unwrap().len() > 3);
    // A part is given as it was.
    assert_ne!(answered[2]["stdout"], "");
}

#[test]
fn the_last_line_needs_no_line_feed() {
    let ran = world().run_with_input(&["call"], GOOD);
    ran.json().succeeds();
}

#[test]
fn call_is_refused_while_the_bridge_is_off() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    for settings in ["", "enabled = false", "[agents.me]\nenabled = true"] {
        let mut off = World::with_fixture_vault();
        off.settings = settings.to_owned();
        let agent = ["--agent", "me", "call"];
        let words = &agent[if settings.contains("me") { 0 } else { 2 }..];
        let ran = off.run_with_input(words, b"{\"command\":\"vault\"}\n{\"command\":\"read\"}\n");
        let answered = envelopes(&ran);
        let codes: Vec<&str> = answered.iter().map(code).collect();
        assert_eq!(codes, ["BRIDGE_DISABLED"; 2]);
        ran.ended(77);
    }
    let ran = world.run_with_input(&["call"], GOOD);
    ran.json().fails_with("BRIDGE_DISABLED");
    assert!(world.nothing_spawned());
    world.run(&["read", "path=Reading/Empty.md"]).ended(0);
}

#[test]
fn a_service_that_cannot_start_says_so_in_an_envelope() {
    let mut world = world();
    world.settings = "alow_mutations = true\n".to_owned();
    let ran = world.run_with_input(&["call"], GOOD);
    ran.json().fails_with("CONFIG_INVALID");
    ran.ended(78);
}

#[test]
fn correlation_ids_are_echoed_or_refused() {
    let line = |id: &str| {
        let line = json!({"command": "vault", "correlationId": id});
        line.to_string().into_bytes()
    };
    let longest = "é".repeat(128);
    let too_long = "a".repeat(129);
    for (id, fits) in [
        ("a", true),
        ("req-1/2.3:4", true),
        (longest.as_str(), true),
        (&too_long, false),
        ("", false),
        ("a b", false),
        ("a\u{a0}b", false),
        ("a\tb", false),
        ("a\u{0}b", false),
        ("a\u{1b}[31m", false),
        ("a\u{200b}b", false),
        ("a\u{202e}b", false),
    ] {
        let answered = call(&world(), &[&line(id)]);
        if fits {
            assert_eq!(answered[0]["correlationId"], id);
        } else {
            assert_eq!(code(&answered[0]), "USAGE_ERROR", "{id:?}");
            assert!(answered[0].get("correlationId").is_none());
        }
    }
}

#[test]
fn a_run_id_is_the_callers_if_it_is_random() {
    let id = "3f0a7f62-9f0c-4b7e-8a52-0d4f6a4c2b11";
    let line = |id: &str| {
        let line = json!({"command": "vault", "runId": id});
        line.to_string().into_bytes()
    };
    let answered = call(&world(), &[&line(id)]);
    assert_eq!(answered[0]["runId"], id);
    let (nil, by_time) = (
        "00000000-0000-0000-0000-000000000000",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    );
    refused([nil, by_time, "not-an-id", ""].map(line));
}

#[test]
fn a_dry_run_starts_nothing_and_changes_nothing() {
    let world = with_fake();
    let before = world.read("Home.md");
    let plan = dry_run_of(asked("append path=Home.md content=x"));
    let envelope = checked(world.gateway().call(&plan)).succeeds();
    let data = Value::from(envelope.data);
    let keys = "dryRun backend effects processes path needsApproval planned".split(' ');
    let shown: Value = keys.map(|key| data[key].clone()).collect();
    let expected = json!([true, "obsidian", ["write"], 1, "Home.md", false, true]);
    assert_eq!(shown, expected);
    assert_eq!(data["planHash"].as_str().unwrap().len(), 64);
    has(&data["files"][0]["diff"].as_str().unwrap(), &["\n+x\n"]);
    assert_eq!(envelope.exit_code, None);
    let refused = dry_run_of(asked("delete path=Home.md"));
    // A plan needs no approval, and says that the change would.
    let envelope = checked(world.gateway().call(&refused));
    assert_eq!(envelope.data.as_map()["needsApproval"], true);
    assert_eq!(envelope.data.as_map()["files"][0]["change"], "trashed");
    assert!(world.nothing_spawned());
    assert_eq!(world.read("Home.md"), before);
}

#[test]
fn a_write_happens_only_to_what_the_caller_saw() {
    let world = with_fake();
    let gateway = world.gateway();
    let read = answer(&gateway, "read file=Home");
    let mut append = asked("append path=Home.md content=once");
    append.if_hash = Some(read.data.as_map()["sha256"].as_str().unwrap().to_owned());
    checked(gateway.call(&append)).succeeds();
    let (runs, text) = (world.argvs().len(), world.read("Home.md"));
    let again = checked(gateway.call(&append)).fails_with("PRECONDITION_FAILED");
    let read = answer(&gateway, "read path=Home.md");
    // Who has not read the note does not learn the hash that would pass (`threats.toml` F15).
    let hash = read.data.as_map()["sha256"].as_str().unwrap();
    lacks(&again.to_json(), &[hash]);
    assert_eq!(world.argvs().len(), runs + 1, "only the read was started");
    assert_eq!(world.read("Home.md"), text);
    let append = "append path=Home.md content=x";
    for (line, hash) in [
        (append, "abc"),
        ("files", &"a".repeat(64)),
        (append, &"A".repeat(64)),
    ] {
        let mut asked = asked(line);
        asked.if_hash = Some((*hash).to_owned());
        checked(gateway.call(&asked)).fails_with("USAGE_ERROR");
    }
    assert_eq!(world.argvs().len(), runs + 1);
}

#[test]
fn a_budget_cuts_the_answer_and_never_widens_the_setting() {
    let world = world().set("max_output_bytes = 64");
    let read = |budget| {
        let mut asked = asked("read path=Home.md");
        asked.budget = budget;
        checked(world.gateway().call(&asked))
    };
    let total = world.read("Home.md").len();
    for (budget, most) in [(Some(10), 10), (Some(1_000_000), 64), (None, 64)] {
        let envelope = read(budget);
        let cut = envelope.meta.truncated.unwrap().stdout.unwrap();
        assert_eq!(serde_json::to_value(envelope.status).unwrap(), "partial");
        assert!(envelope.stdout.len() <= most, "{}", envelope.stdout.len());
        assert_eq!(usize::try_from(cut.total_bytes).unwrap(), total);
        if let Some(content) = envelope.data.as_map().get("content") {
            assert!(content.as_str().unwrap().len() <= most, "{content}");
        }
    }
}

// B01, B04: what reaches the official program.

#[test]
fn b01_any_text_is_one_argument_byte_for_byte() {
    // The texts add up in one note, where any of them may complete a template or a query.
    let world = with_fake().set("allow_active = true");
    let gateway = world.gateway();
    // A backslash may make several calls of one (B05), and has tests of its own.
    let text = "[^\u{0}\\\\\r]{1,40}";
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&text, |text| {
        let before = world.argvs().len();
        let params = [("path", "Reading/Empty.md"), ("content", text.as_str())];
        let envelope = gateway.call(&request("append", &params));
        prop_assert!(envelope.success, "{:?}", envelope.error);
        let argv = world.argvs().split_off(before).pop().unwrap();
        let [vault, command, path] = ["vault=Notes", "append", "path=Reading/Empty.md"];
        let content = format!("content={text}");
        prop_assert_eq!(argv, [vault, command, content.as_str(), path]);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn b01_b04_words_of_the_shell_and_of_the_command_line_stay_inside_their_value() {
    let world = with_fake();
    let gateway = world.gateway();
    for text in tables::lines(CASES, "b01 b04 words of the shell") {
        let before = world.argvs().len();
        let mut asked = asked("append path=Reading/Empty.md inline");
        let content = RawValue::Text(text.to_owned());
        asked.params.0.insert("content".to_owned(), content);
        let envelope = checked(gateway.call(&asked));
        assert!(envelope.success, "{text:?}: {envelope:#?}");
        let argv = world.argvs().split_off(before).pop().unwrap();
        let content = format!("content={text}");
        let [vault, command, path] = ["vault=Notes", "append", "path=Reading/Empty.md"];
        assert_eq!(argv, [vault, command, &content, "inline", path]);
    }
}
