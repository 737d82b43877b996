//! JSON requests: what is odd is refused, and the service goes on.

use std::io::{BufRead as _, BufReader, Write as _};

use fake_obsidian::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use vault_gw::allowlist::RawValue;
use vault_gw::gateway::MAX_REQUEST_BYTES;

use crate::support::{
    NOW, Outcome as _, Ran, World, answer, asked, assert_envelope, checked, json_code as code,
    request,
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

/// Each line is refused with `refusal`, runs nothing, and the next line is answered as ever.
fn refused(lines: &[&[u8]], refusal: &str) {
    let world = world();
    let mut sent = Vec::new();
    for line in lines {
        sent.extend([*line, GOOD]);
    }
    let answered = call(&world, &sent);
    assert_eq!(answered.len(), sent.len());
    for (line, pair) in lines.iter().zip(answered.chunks(2)) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
        assert_eq!(code(&pair[0]), refusal, "{shown}: {:#}", pair[0]);
        assert_eq!(pair[0]["meta"]["backend"], "none", "{shown}");
        assert_eq!(code(&pair[1]), "OK", "after {shown}: {:#}", pair[1]);
    }
}

#[test]
fn b07_only_declared_types_are_taken() {
    let all: Vec<&[u8]> = tables::lines(CASES, "b07 only declared types are taken")
        .into_iter()
        .map(str::as_bytes)
        .collect();
    refused(&all, "USAGE_ERROR");
}

#[test]
fn b07_numbers_that_are_no_json_are_refused() {
    refused(
        &[
            br#"{"command":"search","params":{"query":"x","limit":NaN}}"#,
            br#"{"command":"search","params":{"query":"x","limit":Infinity}}"#,
            br#"{"command":"search","params":{"query":"x","limit":1e999}}"#,
            br#"{"command":"search","params":{"query":"x","limit":0x10}}"#,
        ],
        "USAGE_ERROR",
    );
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
    assert_eq!(
        answered[0]["params"],
        serde_json::json!({"folder": "Projects"})
    );
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
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{field}`")), "{message}");
    }
}

/// Clients of JSON-RPC number their requests, and some write each number with a fraction.
/// The next request can be written from the answer alone.
#[test]
fn the_answer_to_a_wrong_request_has_the_right_one() {
    let not_an_object = "such as `{\"command\":\"read\",\"params\":{\"path\":\"Home.md\"}}`.";
    for (line, says) in [
        ("read path=Home.md", not_an_object),
        (
            r#"{"tool":"read","arguments":{"path":"Home.md"}}"#,
            "Instead of `tool`, pass `command`. Instead of `arguments`, pass `params`.",
        ),
        (
            r#"{"command":"read","arguments":{"path":"Home.md"}}"#,
            "Did you mean `params`?",
        ),
        (
            r#"{"command":"append","params":{"path":"Home.md","content":"x"},"ifHash":"abc"}"#,
            "Pass the `sha256` that a read of the whole note returned, or omit `ifHash`.",
        ),
    ] {
        let answered = call(&world(), &[line.as_bytes()]);
        let message = answered[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{line}: {message}");
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
    asked
        .params
        .0
        .insert("total".to_owned(), RawValue::Bool(false));
    let envelope = checked(world.gateway().call(&asked));
    assert!(
        envelope.success && envelope.data.as_map()["total"] == 6,
        "{envelope:#?}"
    );
    assert_eq!(world.argvs(), [["vault=Notes", "files", "folder=Projects"]]);
}

#[test]
fn b08_nothing_is_given_twice() {
    refused(
        &[
            br#"{"command":"read","command":"files"}"#,
            br#"{"command":"read","params":{},"params":{"path":"Home.md"}}"#,
            br#"{"command":"read","params":{"path":"Home.md","path":"Reading/Empty.md"}}"#,
            br#"{"command":"read","params":{"path":"Home.md","\u0070ath":"Reading/Empty.md"}}"#,
            br#"{"command":"read","c\u006fmmand":"files"}"#,
            br#"{"command":"read","params":{"path":"a"},"runId":null,"runId":null}"#,
        ],
        "USAGE_ERROR",
    );
}

#[test]
fn b09_what_is_no_request_is_refused_and_the_service_goes_on() {
    let deep_array = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let deep_value = [
        br#"{"command":"read","params":{"path":"#.to_vec(),
        br#"{"a":"#.repeat(10_000),
        b"1".to_vec(),
        b"}".repeat(10_002),
    ]
    .concat();
    refused(
        &[
            b"\xef\xbb\xbf{\"command\":\"daily:path\"}",
            b"{\"command\":\"read\",\"params\":{\"path\":\"\xff\xfe\"}}",
            b"{\"command\":\"read\",\"params\":{\"path\":\"\xed\xa0\x80\"}}",
            br#"{"command":"read","params":{"path":"\ud800"}}"#,
            br#"{"command":"read","params":{"path":"\udc00\ud800"}}"#,
            &deep_array,
            &deep_value,
            b"null",
            b"[]",
            b"\"daily:read\"",
            b"daily:read",
            b"{}",
            b"{",
            br#"{"command":null}"#,
            br#"{"command":["read"]}"#,
            br#"{"command":"read","params":[]}"#,
            br#"{"command":"read","params":"path=Home.md"}"#,
            br#"{"command":"read","Params":{}}"#,
            br#"{"command":"read","extra":1}"#,
            br#"["read",{"path":"Home.md"}]"#,
            br#"{"command":"read","dryRun":"yes"}"#,
            br#"{"command":"read"} {"command":"read"}"#,
            br#"{"command":"read",}"#,
            br#"{"command":"read"}//"#,
            br#"{"command":"read","budget":0}"#,
            br#"{"command":"read","budget":-1}"#,
            br#"{"command":"read","budget":1.5}"#,
        ],
        "USAGE_ERROR",
    );
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
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kibibytes: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // One request of the largest size, and the program itself, which is large in a debug build.
    assert!(
        kibibytes * 1024 < MAX_REQUEST_BYTES + (64 << 20),
        "{kibibytes} KiB"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn f12_a_refused_request_does_not_repeat_its_values() {
    let lines: [&[u8]; 6] = [
        br#"{"command":"daily:append","params":"CANARY"}"#,
        br#"{"command":"daily:append","params":{"content":["CANARY"]}}"#,
        br#"{"command":"daily:append","params":{"content":"CANARY"},"dryRun":"CANARY"}"#,
        br#"{"command":"daily:append","params":{"content":"CANARY\u0000"}}"#,
        br#"{"command":"daily:append","params":{"content":"CANARY"},"correlationId":"CANARY CANARY"}"#,
        br#"{"command":"daily:append","params":{"content":"CANARY","open":"CANARY"}}"#,
    ];
    for envelope in call(&world(), &lines) {
        assert_eq!(code(&envelope), "USAGE_ERROR");
        assert!(!envelope.to_string().contains("CANARY"), "{envelope:#}");
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
    let lines: Vec<String> = (0..12)
        .map(|number| {
            let command = ["read", "nope", "vault"][number % 3];
            let line = format!(r#"{{"command":"{command}","correlationId":"n{number}"}}"#);
            format!("{line}\n\n \t\r\n")
        })
        .collect();
    let ran = world.run_with_input(&["call"], lines.concat().as_bytes());
    ran.ended(0);
    let answered = envelopes(&ran);
    let ids: Vec<&str> = answered
        .iter()
        .map(|envelope| envelope["correlationId"].as_str().unwrap())
        .collect();
    let expected: Vec<String> = (0..12).map(|number| format!("n{number}")).collect();
    assert_eq!(ids, expected);
    let mut runs: Vec<&Value> = answered.iter().map(|envelope| &envelope["runId"]).collect();
    runs.sort_by_key(ToString::to_string);
    runs.dedup();
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
    let answered = call(
        &world,
        &[br#"{"command":"daily:read"}"#, br#"{"command":"nope"}"#],
    );
    assert_eq!(answered.len(), 2);
    assert_eq!(answered[0]["stdout"], "today\n", "{:#}", answered[0]);
    assert_eq!(answered[0]["meta"]["untrusted"], json!(["stdout", "data"]));
    assert_eq!(code(&answered[1]), "UNKNOWN_COMMAND");
}

#[test]
fn stdout_is_left_out_on_request_where_data_holds_all_of_it() {
    let answered = call(
        &world(),
        &[
            br#"{"command":"read","params":{"path":"Home.md"},"noStdout":true}"#,
            br#"{"command":"files","noStdout":true}"#,
            br#"{"command":"read","params":{"path":"Home.md"},"noStdout":true,"budget":10}"#,
        ],
    );
    for whole in &answered[..2] {
        assert_eq!(code(whole), "OK", "{whole:#}");
        assert_eq!(whole["stdout"], "");
        assert_eq!(whole["meta"]["untrusted"], json!(["data"]));
    }
    assert!(
        answered[0]["data"]["content"]
            .as_str()
            .unwrap()
            .contains("# Home")
    );
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
        let words = if settings.contains("me") {
            vec!["--agent", "me", "call"]
        } else {
            vec!["call"]
        };
        let ran = off.run_with_input(&words, b"{\"command\":\"vault\"}\n{\"command\":\"read\"}\n");
        let answered = envelopes(&ran);
        assert_eq!(answered.len(), 2);
        assert!(
            answered
                .iter()
                .all(|envelope| code(envelope) == "BRIDGE_DISABLED")
        );
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
    refused(
        &[
            &line("00000000-0000-0000-0000-000000000000"),
            &line("c232ab00-9414-11ec-b3c8-9f6bdeced846"),
            &line("not-an-id"),
            &line(""),
        ],
        "USAGE_ERROR",
    );
}

#[test]
fn a_dry_run_starts_nothing_and_changes_nothing() {
    let world = with_fake();
    let before = world.read("Home.md");
    let mut plan = asked("append path=Home.md content=x");
    plan.dry_run = true;
    let envelope = checked(world.gateway().call(&plan)).succeeds();
    let data = Value::from(envelope.data);
    for (key, expected) in [
        ("dryRun", json!(true)),
        ("backend", json!("obsidian")),
        ("effects", json!(["write"])),
        ("processes", json!(1)),
        ("path", json!("Home.md")),
        ("needsApproval", json!(false)),
        ("planned", json!(true)),
    ] {
        assert_eq!(data[key], expected, "{key}");
    }
    assert_eq!(data["planHash"].as_str().unwrap().len(), 64);
    let diff = data["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("\n+x\n"), "{diff}");
    assert_eq!(envelope.exit_code, None);
    let mut refused = asked("delete path=Home.md");
    refused.dry_run = true;
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
    assert!(
        !again
            .to_json()
            .contains(read.data.as_map()["sha256"].as_str().unwrap())
    );
    assert_eq!(world.argvs().len(), runs + 1, "only the read was started");
    assert_eq!(world.read("Home.md"), text);
    for (command, hash) in [
        ("append", "abc"),
        ("files", &"a".repeat(64)),
        ("append", &"A".repeat(64)),
    ] {
        let mut asked = request(command, &[]);
        if command == "append" {
            asked = request(command, &[("path", "Home.md"), ("content", "x")]);
        }
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
        assert!(
            envelope
                .data
                .as_map()
                .get("content")
                .is_none_or(|content| { content.as_str().unwrap().len() <= most }),
            "{:?}",
            envelope.data
        );
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
    runner
        .run(&text, |text| {
            let before = world.argvs().len();
            let envelope = gateway.call(&request(
                "append",
                &[("path", "Reading/Empty.md"), ("content", text.as_str())],
            ));
            prop_assert!(envelope.success, "{:?}", envelope.error);
            let argv = world.argvs().split_off(before).pop().unwrap();
            let content = format!("content={text}");
            prop_assert_eq!(
                argv,
                [
                    "vault=Notes",
                    "append",
                    content.as_str(),
                    "path=Reading/Empty.md"
                ]
            );
            Ok(())
        })
        .unwrap();
}

#[test]
fn b01_b04_words_of_the_shell_and_of_the_command_line_stay_inside_their_value() {
    let world = with_fake();
    let gateway = world.gateway();
    for text in tables::lines(CASES, "b01 b04 words of the shell") {
        let before = world.argvs().len();
        let mut asked = asked("append path=Reading/Empty.md");
        asked
            .params
            .0
            .insert("content".to_owned(), RawValue::Text(text.to_owned()));
        asked
            .params
            .0
            .insert("inline".to_owned(), RawValue::Bool(true));
        let envelope = checked(gateway.call(&asked));
        assert!(envelope.success, "{text:?}: {envelope:#?}");
        let argv = world.argvs().split_off(before).pop().unwrap();
        assert_eq!(
            argv,
            [
                "vault=Notes",
                "append",
                &format!("content={text}"),
                "inline",
                "path=Reading/Empty.md",
            ]
        );
    }
}
