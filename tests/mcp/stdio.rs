//! The stdio transport: pure, bounded, strict, and quick to end.

use std::time::Instant;

use fake_obsidian::scenario::{Action, Child, Scenario, Stream};
use serde_json::{Value, json};

use super::client::{CURRENT, Client, code, text};
use crate::support::processes::{WELL_BEFORE_THE_CHILD, comes_true, descriptors_of, is_gone};
#[cfg(target_os = "linux")]
use crate::support::processes::{children_of, end, is_alive};
use crate::support::{Outcome as _, World};

/// A world whose `read` never comes back.
fn hanging() -> World {
    let scenario = Scenario::logged().always("read", [Action::Hang]);
    let world = World::empty()
        .with_fake(&scenario)
        .set("timeout_ms = 60000\nallow_mutations = true\nbackend = \"obsidian\"");
    world.write("n.md", "text\n");
    world
}

fn call_of(id: u64, tool: &str, arguments: &Value) -> String {
    let call = json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    });
    format!("{call}\n")
}

#[test]
fn i01_stdout_holds_messages_and_nothing_else_whatever_happens() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let mut command = world.mcp(&[]);
    // What other programs log by is set: the events go to standard error and not to stdout.
    command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1");
    // The client itself fails on any other line.
    let mut client = Client::open_with(command, &json!({}));
    client.raw(b"garbage\n\n{}\n");
    for (tool, arguments) in [
        ("read", json!({ "path": "Home.md" })),
        ("read", json!({ "path": "../../etc/passwd" })),
        ("search", json!({ "query": "/(/" })),
        ("tasks", json!({})),
        ("obsidianCli", json!({ "command": "eval" })),
    ] {
        client.call(tool, &arguments);
    }
    client.ask("no/such", &json!({}));
    let end = client.finish();
    assert_eq!(end.status, Some(0));
    // Two lines were no messages: each was answered, under no id.
    let codes: Vec<i64> = end
        .left
        .iter()
        .map(|left| left["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(codes, [-32700, -32600]);
    assert!(
        end.stderr.lines().all(|line| ["mcp", "gateway"]
            .iter()
            .any(|own| line.contains(&format!(" {own}::")))),
        "{}",
        end.stderr
    );

    // What keeps it from starting is told on standard error alone.
    let world = World::empty().set("nonsense = 1");
    let output = world.mcp(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[test]
fn i01_whatever_a_child_says_is_the_text_of_an_answer() {
    let forged = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nnot JSON\n";
    let write = |stream| Action::Write {
        stream,
        bytes: forged.as_bytes().to_vec().into(),
    };
    let flood = Action::Flood {
        stream: Stream::Both,
        bytes: 1 << 20,
    };
    let holder = Child {
        own_session: true,
        holds_pipes: true,
        lifetime_ms: 5_000,
        ..Child::default()
    };
    let spawn = Action::Spawn {
        count: 1,
        child: holder,
    };
    let scenario = Scenario::logged().always(
        "read",
        [
            write(Stream::Stdout),
            write(Stream::Stderr),
            spawn,
            flood,
            Action::Die { signal: 6 },
        ],
    );
    let world = World::empty()
        .with_fake(&scenario)
        .unconfined("starts processes")
        .set("backend = \"obsidian\"");
    world.write("n.md", "text\n");
    // The client itself fails on any line that is no message.
    let mut client = Client::open(&world, &[]);
    let result = client
        .call("read", &json!({ "path": "n.md" }))
        .fails_with("CLI_EXIT_NONZERO");
    let shown = result["structuredContent"]["stderr"].as_str().unwrap();
    assert!(shown.starts_with(forged), "{shown}");
    let end = client.finish();
    assert_eq!((end.status, end.left.len()), (Some(0), 0));
    assert_eq!(end.stderr, "");
}

#[test]
fn news_of_long_work_comes_to_whoever_asks_for_it_and_ends_with_the_answer() {
    let world = World::empty().set("backend = \"embedded\"");
    for number in 0..300 {
        world.write(&format!("{number}.md"), "#tag");
    }
    let mut client = Client::open(&world, &[]);
    let params = json!({
        "name": "obsidianCli", "arguments": { "command": "tags" },
        "_meta": { "progressToken": "news" },
    });
    let id = client.begin("tools/call", &params);
    let mut shown = Vec::new();
    loop {
        let message = client.next();
        if message["id"] == id {
            assert_eq!(code(&message["result"]), "OK", "{message}");
            break;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        shown.push(message["params"].clone());
    }
    let number = |news: &Value, key: &str| news[key].as_f64().unwrap();
    assert!(!shown.is_empty());
    for news in &shown {
        assert_eq!(news["progressToken"], "news");
        assert!(number(news, "progress") <= number(news, "total"), "{news}");
    }
    assert!(shown.is_sorted_by(|one, next| number(one, "progress") < number(next, "progress")));
    // Whoever has not asked hears nothing, and nothing comes late.
    for number in 0..300 {
        world.write(&format!("{number}.md"), "#other");
    }
    client.call("obsidianCli", &json!({ "command": "tags" }));
    assert_eq!(client.finish().left, Vec::<Value>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn j03_too_few_descriptors_are_errors_until_there_are_more() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let world = World::empty()
        .with_fake(&Scenario::logged())
        .set("allow_mutations = true");
    world.write("n.md", "text\n");
    let mut client = Client::open(&world, &[]);
    let read = json!({ "path": "n.md" });
    let by_engine = json!({ "command": "notes:list" });
    client.call("read", &read).succeeds();
    client.call("obsidianCli", &by_engine).succeeds();
    let pid = Pid::from_raw(client.pid().cast_signed());
    let limit = |soft: usize| {
        let limits = Rlimit {
            current: Some(soft as u64),
            maximum: Some(4096),
        };
        prlimit(pid, Resource::Nofile, limits).unwrap();
    };
    limit(descriptors_of(client.pid()));
    for _ in 0..3 {
        for (tool, arguments) in [("read", &read), ("obsidianCli", &by_engine)] {
            let result = client.call(tool, arguments);
            assert_ne!(code(&result), "OK", "{result}");
            assert_ne!(code(&result), "FILE_NOT_FOUND", "it is there: {result}");
        }
        let append = json!({ "path": "n.md", "content": "more" });
        assert_ne!(code(&client.call("append", &append)), "OK");
    }
    assert_eq!(world.read("n.md"), "text\n");
    limit(64);
    client.call("read", &read).succeeds();
    client.call("obsidianCli", &by_engine).succeeds();
    assert_eq!(client.finish().status, Some(0));
}

#[test]
fn j05_calls_that_hang_keep_nobody_from_being_answered() {
    let world = hanging();
    let mut client = Client::open(&world, &[]);
    // As many as may run at once, and as many again.
    for id in 100..116 {
        client.raw(call_of(id, "read", &json!({ "path": "n.md" })).as_bytes());
    }
    assert!(comes_true(|| world
        .runs()
        .iter()
        .any(|run| run.contains("read"))));
    assert!(client.ask("ping", &json!({})).get("result").is_some());
    assert!(client.ask("tools/list", &json!({})).get("result").is_some());
    for id in 100..116 {
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        }));
    }
    // The places are free again.
    let append = json!({ "path": "n.md", "content": "more", "dryRun": true });
    client.call("append", &append).succeeds();
}

#[cfg(target_os = "linux")]
#[test]
fn j04_memory_stays_bounded_with_all_places_at_the_cap() {
    const CAP: u64 = 4 * 1024 * 1024;
    const PLACES: u64 = 8;
    let flood = Action::Flood {
        stream: Stream::Both,
        bytes: 4 * CAP,
    };
    let scenario = Scenario::logged().always("read", [flood]);
    let world = World::empty()
        .with_fake(&scenario)
        .set("timeout_ms = 300000\nbackend = \"obsidian\"")
        .set(&format!("max_output_bytes = {CAP}"));
    world.write("n.md", "text\n");
    let mut client = Client::open(&world, &[]);
    client.call("read", &json!({ "path": "none.md" }));
    let before = client.memory("VmHWM");
    for id in 100..124 {
        client.raw(call_of(id, "read", &json!({ "path": "n.md" })).as_bytes());
    }
    for id in 100..124 {
        let answer = client.wait_for(|message| message["id"] == id);
        assert_eq!(answer["result"]["structuredContent"]["status"], "partial");
    }
    let grown = (client.memory("VmHWM") - before) * 1024;
    // Both streams of every place, and of the one that is being written: as they come in, as text,
    // as JSON, and the buffer that the JSON outgrew, which the allocator may keep. The other calls
    // may be finished already and wait for the writer, as text and in the structured part.
    let most = ((PLACES + 1) * 4 + (24 - PLACES) * 2) * CAP * 2;
    assert!(grown <= most, "{grown} bytes of {most}");
}

#[test]
fn i02_a_line_without_end_costs_no_memory_and_the_next_one_is_answered() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let mut client = Client::open(&world, &[]);
    client.call("read", &json!({ "path": "Home.md" }));
    let chunk = vec![b'x'; 1 << 20];
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"");
    for _ in 0..100 {
        client.raw(&chunk);
    }
    client.raw(b"\n");
    let refused = client.next();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(refused["id"], Value::Null);
    #[cfg(target_os = "linux")]
    assert!(
        client.memory("VmHWM") < 160 * 1024,
        "{} KiB",
        client.memory("VmHWM")
    );
    client
        .call("read", &json!({ "path": "Home.md" }))
        .succeeds();
    // A line that is cut off by the end of the input is no message.
    client.raw(
        call_of(77, "read", &json!({ "path": "Home.md" }))
            .trim_end()
            .as_bytes(),
    );
    let end = client.finish();
    assert_eq!((end.status, end.left.len()), (Some(0), 0));
}

#[test]
fn i12_a_cancelled_call_ends_its_child_and_is_never_answered() {
    let world = hanging();
    let mut client = Client::open(&world, &[]);
    let id = client.begin(
        "tools/call",
        &json!({ "name": "read", "arguments": { "path": "n.md" } }),
    );
    assert!(comes_true(|| world
        .runs()
        .iter()
        .any(|run| run.contains("read"))));
    let child = world.invocations().pop().unwrap().process.ids.pid;
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    // It would hang for ever, so only the cancellation can have ended it.
    assert!(is_gone(child));
    // The id is not free again, since its late answer could pass for that of another call.
    client.raw(call_of(id, "read", &json!({ "path": "n.md" })).as_bytes());
    let refused = client.next();
    assert_eq!(
        (refused["error"]["code"].as_i64(), &refused["id"]),
        (Some(-32600), &Value::Null)
    );
    assert!(client.ask("tools/list", &json!({})).get("result").is_some());
    let end = client.finish();
    assert_eq!(end.left, Vec::<Value>::new());
}

#[test]
fn i13_an_id_that_is_taken_a_batch_and_a_call_without_id_run_nothing() {
    let world = hanging();
    let mut client = Client::open(&world, &[]);
    client.raw(call_of(50, "read", &json!({ "path": "n.md" })).as_bytes());
    assert!(comes_true(|| world
        .runs()
        .iter()
        .any(|run| run.contains("read"))));
    let append = json!({ "path": "n.md", "content": "more" });
    let named = json!({ "name": "append", "arguments": append });
    let call = call_of(51, "append", &append);
    for line in [
        call_of(50, "append", &append),
        format!("[{}]\n", call.trim_end()),
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "method": "tools/call", "params": named })
        ),
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": null, "method": "tools/call", "params": named })
        ),
        call.replace("\"id\":51", "\"id\":51,\"id\":52"),
    ] {
        client.raw(line.as_bytes());
        let refused = client.next();
        assert_eq!(refused["error"]["code"], -32600, "{line}{refused}");
        assert_eq!(refused["id"], Value::Null, "{line}{refused}");
    }
    assert_eq!(world.read("n.md"), "text\n");
    assert!(!world.runs().iter().any(|run| run.contains("append")));
}

#[test]
fn e11_a_signal_ends_it_with_its_status_and_the_end_of_input_with_none() {
    use rustix::process::{Pid, Signal, kill_process};

    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut client = Client::open(&world, &[]);
        client.call("read", &json!({ "path": "Home.md" }));
        kill_process(Pid::from_raw(client.pid().cast_signed()).unwrap(), signal).unwrap();
        assert_eq!(client.ended().status, Some(status));
    }
    // One that never said anything is no failure either.
    let ran = Client::start(world.mcp(&[])).finish();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
}

/// The line of a client that begins a conversation.
#[cfg(target_os = "linux")]
fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn e21_it_ends_with_its_client_though_another_process_has_its_input_open() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let through_a_shell = ["sh", "-c", "\"$0\" \"$@\"; true"];
    for (options, launcher) in [
        (&[][..], &[][..]),
        (&["--socket"], &[]),
        (&[], &through_a_shell),
        (&["--socket"], &through_a_shell),
    ] {
        let mcp = world.mcp(&[]);
        let mut client = world.stand_in("client");
        client.args(options).arg(hello()).args(launcher);
        client.arg(mcp.get_program()).args(mcp.get_args());
        client.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut client = client.spawn().unwrap();
        let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
        let answer = lines.next().unwrap().unwrap();
        assert!(answer.contains("vault-gw"), "{answer}");
        let holder: i32 = lines.next().unwrap().unwrap().parse().unwrap();
        let mut server = children_of(client.id());
        server.retain(|pid| *pid != holder);
        if !launcher.is_empty() {
            server = children_of(server[0].cast_unsigned());
        }
        client.kill().unwrap();
        client.wait().unwrap();
        let is_ended = is_gone(server[0]);
        assert!(is_alive(holder), "{options:?} {launcher:?}");
        end(holder);
        assert!(is_ended, "{options:?} {launcher:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn e21_it_lives_on_while_its_client_does_though_its_launcher_has_ended() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let mcp = world.mcp(&[]);
    for script in [
        // One that waits for the server is killed.
        "\"$0\" \"$@\"; true",
        // One that leaves the server with the shell's own input, and ends by itself.
        "exec 3<&0; \"$0\" \"$@\" <&3 & exit",
    ] {
        let mut command = world.command(std::path::Path::new("sh"));
        command.args(["-c", script]).arg(mcp.get_program());
        command.args(mcp.get_args());
        let mut client = Client::open_with(command, &json!({}));
        let shell = client.pid().cast_signed();
        end(shell);
        assert!(is_gone(shell));
        for _ in 0..2 {
            let read = client.call("read", &json!({ "path": "Home.md" }));
            assert_eq!(code(&read), "OK", "{script}");
        }
    }
}

#[test]
fn e11_a_second_signal_ends_it_at_once() {
    use rustix::process::{Pid, Signal, kill_process};

    let world = hanging();
    let mut client = Client::open(&world, &[]);
    client.begin(
        "tools/call",
        &json!({ "name": "read", "arguments": { "path": "n.md" } }),
    );
    assert!(comes_true(|| world
        .runs()
        .iter()
        .any(|run| run.contains("read"))));
    let pid = Pid::from_raw(client.pid().cast_signed()).unwrap();
    let wished = Instant::now();
    kill_process(pid, Signal::TERM).unwrap();
    // The first one may still be on its way to the program.
    assert!(comes_true(|| kill_process(pid, Signal::TERM).is_err()
        || crate::support::processes::is_zombie(
            pid.as_raw_nonzero().get()
        )));
    assert_eq!(client.ended().status, Some(143));
    assert!(wished.elapsed() < WELL_BEFORE_THE_CHILD);
}

#[test]
fn every_revision_of_the_protocol_is_spoken() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(world.mcp(&[]));
        let result = client.ask(
            "initialize",
            &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(result["result"]["protocolVersion"], version);
        assert_eq!(result["result"]["serverInfo"]["name"], "vault-gw");
        assert!(text(&client.call("read", &json!({ "path": "Home.md" }))).contains("# Home"));
    }
    // The current one has no handshake: each request says all about itself.
    let mut client = Client::start(world.mcp(&[]));
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.ask("server/discover", &json!({ "_meta": about }));
    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    assert!(versions.contains(&json!(CURRENT)), "{discovered}");
    let called = client.ask(
        "tools/call",
        &json!({ "name": "read", "arguments": { "path": "Home.md" }, "_meta": about }),
    );
    assert!(text(&called["result"]).contains("# Home"), "{called}");
    assert_eq!(called["result"]["resultType"], "complete");
    let bare = client.ask("tools/list", &json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
}
