//! `vault-gw review` where a person looks: the page of `--web`, the picker at a terminal, and `--follow`.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use seeded_random::Random;
use serde_json::{Value, json};

use crate::support::processes::comes_true;
#[cfg(unix)]
use crate::support::pty::{Pty, Session};
use crate::support::{Ran, World, asked, has};

const CASES: &str = include_str!("data/review_page.txt");

const KEY: &str = "x-review-key";

fn world() -> World {
    let world = World::drafting("[agents.helper]\n");
    world.write("Plan.md", "one\n\ntwo\n\nthree\n");
    world
}

/// Runs the program for the agent.
fn as_helper(world: &World, line: &str) -> Ran {
    world.run_line(&format!("--agent helper {line}"))
}

/// The agent writes a note with this name and text into its draft.
fn drafted(world: &World, path: &str, text: &str) {
    let (path, content) = (format!("path={path}"), format!("content={text}"));
    let words = ["--agent", "helper", "create", &path, &content, "overwrite"];
    world.run(&words).ended(0);
}

/// A running page. Ends when dropped.
struct Served {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    address: String,
    token: String,
}

/// An answer.
struct Got {
    status: u16,
    head: String,
    body: String,
}

/// A browser that has a session.
struct Browser {
    cookie: String,
    key: String,
}

impl Served {
    fn start(world: &World) -> Self {
        let mut command = world.program();
        command.args(["review", "--web", "--yes"]);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let (address, token) = line.trim().split_once("/#").unwrap();
        Self {
            child,
            address: address.strip_prefix("http://").unwrap().to_owned(),
            token: token.to_owned(),
            _stdout: stdout,
        }
    }

    fn stream(&self, method: &str, path: &str, lines: &[String], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let timeout = Some(Duration::from_secs(30));
        stream.set_read_timeout(timeout).unwrap();
        let length = format!("content-length: {}", body.len());
        let mut head = vec![format!("host: {}", self.address), length];
        for line in lines {
            let name = line.split(':').next().unwrap();
            head.retain(|known| known.split(':').next() != Some(name));
            head.push(line.clone());
        }
        let head = head.join("\r\n");
        let request = format!("{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn send(&self, method: &str, path: &str, lines: &[String], body: &str) -> Got {
        let lines = [lines, &["connection: close".to_owned()]].concat();
        let mut answer = Vec::new();
        let mut stream = self.stream(method, path, &lines, body);
        let _may_be_cut = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        Got {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn origin(&self) -> String {
        format!("origin: http://{}", self.address)
    }

    fn exchange(&self, token: &str) -> Got {
        let body = json!({ "token": token }).to_string();
        self.send("POST", "/session", &[self.origin()], &body)
    }

    fn browser(&self) -> Browser {
        self.browser_by(&self.token)
    }

    fn browser_by(&self, token: &str) -> Browser {
        let got = self.exchange(token);
        assert_eq!(got.status, 200, "{}", got.body);
        let cookie = got.head.split("set-cookie: ").nth(1).unwrap();
        let body: Value = serde_json::from_str(&got.body).unwrap();
        Browser {
            cookie: cookie.split(';').next().unwrap().to_owned(),
            key: body["key"].as_str().unwrap().to_owned(),
        }
    }

    fn waiting(&self, browser: &Browser) -> Value {
        let got = self.send("GET", "/waiting", &browser.lines(), "");
        assert_eq!(got.status, 200, "{}", got.body);
        serde_json::from_str(&got.body).unwrap()
    }

    fn post(&self, browser: &Browser, path: &str, body: &Value) -> Value {
        let lines = [browser.lines(), vec![self.origin()]].concat();
        let got = self.send("POST", path, &lines, &body.to_string());
        let answer = serde_json::from_str(&got.body);
        assert!(answer.is_ok(), "{path} {body}: {}", got.body);
        answer.unwrap()
    }

    fn decide(&self, browser: &Browser, decision: &Value) -> Value {
        self.post(browser, "/decision", decision)
    }

    /// The first draft that waits.
    fn draft(&self, browser: &Browser) -> Value {
        self.waiting(browser)["drafts"][0].clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Browser {
    fn lines(&self) -> Vec<String> {
        vec![
            format!("cookie: {}", self.cookie),
            format!("{KEY}: {}", self.key),
        ]
    }
}

#[test]
fn a_person_accepts_a_hunk_and_rejects_another_on_the_page() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let served = Served::start(&world);
    let browser = served.browser();
    let draft = served.draft(&browser);
    let file = &draft["files"][0];
    assert_eq!(file["note"], "Plan.md");
    assert_eq!(file["hunks"], json!([1, 2]));
    let part = |accept: bool, hunk: u32, state: &Value| {
        json!({
            "draft": draft["draft"], "state": state, "accept": accept,
            "notes": { "Plan.md": [hunk] }, "comment": "well",
        })
    };
    let accepted = served.decide(&browser, &part(true, 2, &draft["state"]));
    assert_eq!(accepted["success"], true, "{accepted}");
    assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nTHREE\n");
    // The same once more is about a state that is no more.
    let stale = served.decide(&browser, &part(true, 1, &draft["state"]));
    assert_eq!(stale["error"]["code"], "PRECONDITION_FAILED", "{stale}");
    let now = served.waiting(&browser);
    let rejected = served.decide(&browser, &part(false, 1, &now["drafts"][0]["state"]));
    assert_eq!(rejected["success"], true, "{rejected}");
    let left = served.waiting(&browser);
    assert_eq!(left["drafts"], json!([]));
    assert_eq!(left["runs"][0]["what"], "review:accept");
    as_helper(&world, "draft:status").shows("rejected  Plan.md  -one: well");
    // The audit log says that a person did it, and how.
    let log = world.run_line("audit --command review:accept -o ndjson");
    log.shows("\"approvedBy\":\"--yes\"");
}

/// The acceptance of these notes of a draft.
fn accepting(draft: &Value, notes: Value, confirmed: Value) -> Value {
    let mut decision = json!({ "draft": draft["draft"], "state": draft["state"], "accept": true });
    decision["notes"] = notes;
    decision["confirmed"] = confirmed;
    decision
}

/// The ids of all warnings that the page shows of a draft.
fn ids_of(draft: &Value) -> Value {
    let files = draft["files"].as_array().unwrap().iter();
    let warnings = files.flat_map(|file| file["warnings"].as_array().into_iter().flatten());
    warnings.map(|warning| warning["id"].clone()).collect()
}

const IMAGE: &str = "one\n\nTWO\n\nthree\n\n![](https://example.org/a.png)\n";

#[test]
fn what_has_a_warning_or_deletes_is_accepted_only_with_a_confirmation() {
    let world = world();
    world.write("Gone.md", "text\n");
    world.write("See.md", "[[Gone]]\n");
    drafted(&world, "Plan.md", IMAGE);
    drafted(&world, "See.md", "none\n");
    as_helper(&world, "delete path=Gone.md").ended(0);
    let served = Served::start(&world);
    let browser = served.browser();
    let shown = served.draft(&browser);
    let file = |path: &str| {
        let mut files = shown["files"].as_array().unwrap().iter();
        files.find(|file| file["note"] == path).unwrap()
    };
    let image = json!([{
        "id": file("Plan.md")["warnings"][0]["id"],
        "hunk": 2,
        "sentence": "This loads an image from the internet when the note is opened: line 7",
        "text": "https://example.org/a.png",
    }]);
    assert_eq!(file("Plan.md")["warnings"], image);
    let trashed = &file("Gone.md")["warnings"];
    assert_eq!(
        trashed[0]["sentence"],
        "The change moves the note to the trash."
    );
    assert_eq!(trashed[1], Value::Null);
    let accept = |draft: &Value, notes: &Value, confirmed: Value| {
        served.decide(&browser, &accepting(draft, notes.clone(), confirmed))
    };
    let gone = json!({ "Gone.md": file("Gone.md")["hunks"] });
    let plan = |hunks: &[u32]| json!({ "Plan.md": hunks });
    for notes in [&json!({}), &gone, &plan(&[2]), &plan(&[])] {
        let refused = accept(&shown, notes, json!([]));
        assert_eq!(refused["success"], false, "{notes}: {refused}");
        assert_ne!(refused["confirm"][0]["path"], Value::Null, "{notes}");
        assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
        assert_eq!(world.read("Gone.md"), "text\n");
    }
    let accepted = accept(&shown, &plan(&[1]), json!([]));
    assert_eq!(accepted["success"], true, "{accepted}");
    assert_eq!(world.read("Plan.md"), "one\n\nTWO\n\nthree\n");
    // A confirmation is about the state that was shown.
    let stale = accept(&shown, &gone, ids_of(&shown));
    assert_eq!(stale["error"]["code"], "PRECONDITION_FAILED", "{stale}");
    assert_eq!(world.read("Gone.md"), "text\n");
    // Without the change of `See.md` the deletion breaks a link, which the person has not seen.
    let now = served.draft(&browser);
    let refused = accept(&now, &gone, ids_of(&now));
    let sentence = "The change breaks links to this file in 1 file: See.md.";
    assert_eq!(refused["confirm"][1]["sentence"], sentence, "{refused}");
    assert_eq!(world.read("Gone.md"), "text\n");
    let warnings = refused["confirm"].as_array().unwrap().iter();
    let ids = warnings.map(|warning| warning["id"].clone()).collect();
    assert_eq!(accept(&now, &gone, ids)["success"], true);
    let rest = served.draft(&browser);
    assert_eq!(accept(&rest, &json!({}), ids_of(&rest))["success"], true);
    assert_eq!(world.read("Plan.md"), IMAGE);
    assert!(!world.vault.join("Gone.md").exists());
}

#[test]
fn a_completed_change_is_undone_on_the_page() {
    let world = world();
    let served = Served::start(&world);
    let browser = served.browser();
    let accepted = |text: &str| {
        drafted(&world, "Plan.md", text);
        let draft = served.draft(&browser);
        let decision = accepting(&draft, json!({}), ids_of(&draft));
        assert_eq!(served.decide(&browser, &decision)["success"], true);
        let run = served.waiting(&browser)["runs"][0].clone();
        assert_eq!(
            json!([run["canUndo"], run["files"]]),
            json!([true, "Plan.md"])
        );
        run["run"].clone()
    };
    let undo = |run: &Value, dry: bool| {
        served.post(&browser, "/undo", &json!({ "run": run, "dryRun": dry }))
    };
    let run = accepted("ONE\n");
    let planned = undo(&run, true);
    has(&planned["text"].to_string(), &["revert    Plan.md"]);
    assert_eq!(world.read("Plan.md"), "ONE\n");
    assert_eq!(undo(&run, false)["success"], true);
    assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
    let runs = served.waiting(&browser)["runs"].clone();
    has(&runs[0]["what"].to_string(), &["\"undo of "]);
    assert_eq!(
        json!([runs[0]["canUndo"], runs[1]["canUndo"]]),
        json!([false, false])
    );
    // What a person wrote since is not lost, and the page says why.
    let run = accepted("TWO\n");
    world.write("Plan.md", "mine\n");
    let refused = undo(&run, false);
    has(&refused["error"]["message"].to_string(), &["Plan.md"]);
    assert_eq!(world.read("Plan.md"), "mine\n");
}

#[test]
fn a_person_edits_a_proposed_text_on_the_page() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\u{200b}\n\ntwo\n\nTHREE\n");
    let served = Served::start(&world);
    let browser = served.browser();
    let draft = served.draft(&browser);
    let (id, state) = (&draft["draft"], &draft["state"]);
    let wanted = json!({ "draft": id, "state": state, "note": "Plan.md" });
    let shown = served.post(&browser, "/text", &wanted);
    let text = shown["text"].as_str().unwrap();
    assert_eq!(text, "ONE\\u{200b}\n\ntwo\n\nTHREE\n");
    let decision = |state: &Value, hunks: &Value| {
        json!({
            "draft": id, "state": state, "accept": true,
            "confirmed": ids_of(&draft), "notes": { "Plan.md": hunks },
            "edited": { "Plan.md": text.replace("two", "mine\\u{d}") },
        })
    };
    let hunks = &draft["files"][0]["hunks"];
    for (state, hunks, code) in [
        (&json!("0".repeat(64)), hunks, "PRECONDITION_FAILED"),
        // An edited text is that of the whole note.
        (state, &json!([hunks[0]]), "USAGE_ERROR"),
    ] {
        let refused = served.decide(&browser, &decision(state, hunks));
        assert_eq!(refused["error"]["code"], code, "{refused}");
        assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
    }
    let accepted = served.decide(&browser, &decision(state, hunks));
    assert_eq!(accepted["success"], true, "{accepted}");
    assert_eq!(world.read("Plan.md"), "ONE\u{200b}\n\nmine\r\n\nTHREE\n");
    as_helper(&world, "draft:status").shows("accepted with changes of the person");
}

#[test]
fn a_rename_and_its_links_are_one_group_on_the_page() {
    let world = world();
    world.write("See.md", "See [[Plan]].\n");
    as_helper(&world, "move path=Plan.md to=New.md").ended(0);
    let served = Served::start(&world);
    let browser = served.browser();
    let draft = served.draft(&browser);
    let group = &draft["groups"][0];
    assert_eq!(group["words"], "renamed Plan.md to New.md");
    let rename = json!({ "note": "New.md", "hunks": [0] });
    let members = json!([rename, { "note": "See.md", "hunks": [1] }]);
    assert_eq!(group["members"], members);
    let notes = json!({ "New.md": [0], "See.md": [1] });
    let decision = accepting(&draft, notes, json!([]));
    assert_eq!(served.decide(&browser, &decision)["success"], true);
    assert_eq!(world.read("See.md"), "See [[New]].\n");
}

/// How often the page accepts something while an agent may change it.
const INTERLEAVINGS: usize = 300;

#[test]
fn h24_the_page_accepts_only_what_it_showed() {
    let world = world();
    world.write("Other.md", "one\n\ntwo\n");
    let served = Served::start(&world);
    let browser = served.browser();
    let mut random = Random::new(7);
    let (mut shown, mut landed, mut refused) = (served.waiting(&browser), 0, 0);
    let mut known = BTreeSet::new();
    for step in 0..INTERLEAVINGS {
        for change in 0..random.below(3) {
            let path = *random.pick(&["Plan.md", "Other.md", "More.md"]);
            let line = match random.below(4) {
                0 => format!("delete path={path}"),
                1 => format!("append path={path} content=token-{step}-{change}"),
                _ => format!("create path={path} content=token-{step}-{change} overwrite"),
            };
            world.agent("helper").call(&asked(&line));
        }
        if random.percent(40) {
            shown = served.waiting(&browser);
        }
        let Some(draft) = shown["drafts"].get(0) else {
            continue;
        };
        let files = draft["files"].as_array().unwrap();
        let notes = if random.below(3) == 0 {
            json!({})
        } else {
            let file = random.pick(files);
            let hunks = file["hunks"].as_array().unwrap();
            json!({ (file["note"].as_str().unwrap()): [random.pick(hunks)] })
        };
        let now = served.waiting(&browser);
        let is_current = now["drafts"].get(0).map(|now| &now["state"]) == Some(&draft["state"]);
        let decision = accepting(draft, notes, ids_of(draft));
        let there = ["Plan.md", "Other.md", "More.md"].map(|path| world.vault.join(path).exists());
        let answered = served.decide(&browser, &decision);
        if answered["success"] != true {
            refused += 1;
            // Of the state that was shown, only what the draft itself does not allow is refused.
            let is_conflict = answered["error"]["code"] == "DRAFT_CONFLICT";
            assert!(!is_current || is_conflict, "{answered}");
        }
        // A text is in the vault only if the list with this state showed it, and a note goes only if it said so.
        for (path, was_there) in ["Plan.md", "Other.md", "More.md"].into_iter().zip(there) {
            let file = files.iter().find(|file| file["note"] == path);
            let diff = file.and_then(|file| file["diff"].as_str());
            let diff = diff.unwrap_or_default();
            if !world.vault.join(path).exists() {
                // In the trash it may have another number.
                let name = path.trim_end_matches(".md");
                let is_of_path = |file: &&Value| file["note"].as_str().unwrap().contains(name);
                let mut files = files.iter().filter(is_of_path);
                let is_shown = files.any(|file| file["change"] == "trashed");
                let is_accepted = answered["success"] == true && is_shown;
                assert!(!was_there || is_accepted, "{path}: {draft}");
                continue;
            }
            let text = world.read(path);
            for line in text.lines().filter(|line| line.starts_with("token-")) {
                if known.insert(format!("{path} {line}")) {
                    landed += 1;
                    assert!(diff.contains(&format!("+{line}")), "{path} {line}: {draft}");
                }
            }
        }
        if answered["success"] == true {
            shown = served.waiting(&browser);
        }
    }
    assert!(
        landed.min(refused) > INTERLEAVINGS / 10,
        "{landed} {refused}"
    );
}

#[test]
fn the_page_learns_of_changes_as_they_are_made() {
    let world = world();
    drafted(&world, "Plan.md", "one\n");
    let served = Served::start(&world);
    let browser = served.browser();
    served.waiting(&browser);
    let stream = served.stream("GET", "/events", &browser.lines(), "");
    let mut events = BufReader::new(stream).lines().map_while(Result::ok);
    // The first sign comes after the first look.
    assert!(events.any(|line| line.contains(':') && line.ends_with(':')));
    // A person changes a note of the draft; then the agent goes on.
    world.write("Plan.md", "zero\n\none\n\ntwo\n\nthree\n");
    assert!(events.any(|line| line.ends_with("event: changed")));
    served.waiting(&browser);
    drafted(&world, "More.md", "more");
    assert!(events.any(|line| line.ends_with("event: changed")));
    assert_eq!(served.draft(&browser)["files"][0]["note"], "More.md");
}

#[test]
fn i23_nobody_but_the_browser_that_was_invited_gets_in() {
    let world = world();
    drafted(&world, "Plan.md", "one\n");
    let served = Served::start(&world);
    let status = |method: &str, path: &str, lines: &[String], body: &str| {
        served.send(method, path, lines, body).status
    };
    // The page itself holds nothing, and no other page may frame it or load anything into it.
    for path in ["/", "/page.css", "/page.js"] {
        let got = served.send("GET", path, &[], "");
        assert_eq!(got.status, 200);
        for header in tables::lines(CASES, "i23 nobody but the browser that was") {
            assert!(got.head.contains(header), "{header}: {}", got.head);
        }
        assert!(!got.body.contains("Plan") && !got.body.contains(&served.token));
    }
    // Without a session, or with half of one, nothing is told or done.
    let decision = json!({ "draft": "0000", "state": "", "accept": true, "notes": {} }).to_string();
    let own = served.origin();
    for wrong in [String::new(), "0".repeat(64), served.token[..63].to_owned()] {
        assert_eq!(served.exchange(&wrong).status, 403);
    }
    let other_origin = ["origin: http://evil.example".to_owned()];
    let token = json!({ "token": served.token }).to_string();
    assert_eq!(status("POST", "/session", &other_origin, &token), 403);
    assert_eq!(status("POST", "/session", &[], &token), 403);
    let browser = served.browser();
    // A replayed token.
    assert_eq!(served.exchange(&served.token).status, 403);
    let cookie = format!("cookie: {}", browser.cookie);
    let key = format!("{KEY}: {}", browser.key);
    let with = |more: &[&str]| -> Vec<String> {
        let more = more.iter().map(|line| (*line).to_owned());
        browser.lines().into_iter().chain(more).collect()
    };
    for (lines, why) in [
        (vec![], "nothing"),
        (vec![cookie.clone()], "a cookie that another port collected"),
        (vec![key], "a key alone"),
        (
            vec![cookie, format!("{KEY}: {}", served.token)],
            "the token for the key",
        ),
        (with(&["host: evil.example"]), "a name that was rebound"),
        (with(&["host: localhost:1"]), "another port"),
        (with(&["origin: http://evil.example"]), "another page"),
        (with(&["origin: null"]), "a sandboxed page"),
        (
            with(&["sec-fetch-site: cross-site"]),
            "a link of another page",
        ),
        (
            with(&["sec-fetch-site: same-site"]),
            "a page of another port",
        ),
    ] {
        assert_eq!(status("GET", "/waiting", &lines, ""), 403, "{why}");
        assert_eq!(status("GET", "/events", &lines, ""), 403, "{why}");
        let mut lines = lines;
        if !lines.iter().any(|line| line.starts_with("origin")) {
            lines.push(own.clone());
        }
        assert_eq!(status("POST", "/decision", &lines, &decision), 403, "{why}");
        for path in ["/approval", "/text", "/undo"] {
            assert_eq!(status("POST", path, &lines, "{}"), 403, "{why}");
        }
    }
    // A form of another page sends no origin of ours, and a POST without an origin is no browser's.
    assert_eq!(status("POST", "/decision", &with(&[]), &decision), 403);
    let good = with(&[&own]);
    assert_eq!(status("POST", "/decision", &good, "{}"), 400);
    assert_eq!(status("DELETE", "/waiting", &good, ""), 405);
    assert_eq!(status("GET", "/nothing", &good, ""), 404);
    let huge = format!("{{\"draft\":\"{}\"}}", "0".repeat((8 << 20) + 50_000));
    assert_eq!(status("POST", "/decision", &good, &huge), 413);
    assert_eq!(status("GET", "/waiting", &good, ""), 200);
    assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
}

#[test]
fn i23_a_private_file_leads_to_the_page_each_time() {
    let world = world();
    let file = world.state().join("review-page.html");
    let text = || fs_err::read_to_string(&file).unwrap();
    let token = || text().split_once("/#").unwrap().1[..64].to_owned();
    let served = Served::start(&world);
    assert_eq!(token(), served.token);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs_err::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // To a browser the file is another page. It may open this one, and nothing more.
    let from_file = ["sec-fetch-site: cross-site".to_owned()];
    assert_eq!(served.send("GET", "/", &from_file, "").status, 200);
    assert_eq!(served.send("GET", "/page.js", &from_file, "").status, 403);
    let first = served.browser();
    let second = served.browser_by(&token());
    served.waiting(&second);
    let of_first = served.send("GET", "/waiting", &first.lines(), "");
    assert_eq!(of_first.status, 403, "the last one that was opened");
    let used = token();
    drop(served);
    let again = Served::start(&world);
    // A token of the page before.
    assert_eq!(again.exchange(&used).status, 403);
    again.waiting(&again.browser_by(&token()));
    #[cfg(unix)]
    {
        let mut again = again;
        let id = rustix::process::Pid::from_child(&again.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        again.child.wait().unwrap();
        assert!(text().contains("is not open"), "{}", text());
    }
}

#[test]
fn i23_the_page_is_started_by_a_person() {
    let world = world();
    let ran = world.run(&["review", "--web"]);
    assert_ne!(ran.status, Some(0));
    assert!(ran.text().is_empty(), "{}", ran.text());
    let ran = world.run(&["--agent", "helper", "review", "--web", "--yes"]);
    assert_ne!(ran.status, Some(0));
}

#[test]
fn k07_text_on_the_page_looks_like_what_it_is() {
    let world = world();
    world.write("Pl\u{202e}an.md", "");
    let text = "content=a\u{202e}b <script>alert(1)</script>\u{200b}\n\\u{61}";
    let append = ["--agent", "helper", "append", "path=Pl\u{202e}an.md", text];
    world.run(&append).ended(0);
    let served = Served::start(&world);
    let browser = served.browser();
    let file = served.waiting(&browser)["drafts"][0]["files"][0].clone();
    // The exact name is for answers alone.
    assert_eq!(file["note"], "Pl\u{202e}an.md");
    assert_eq!(file["path"], "Pl\\u{202e}an.md");
    let diff = file["diff"].as_str().unwrap();
    let shown = "+a\\u{202e}b <script>alert(1)</script>\\u{200b}\n+\\u{5c}u{61}";
    has(&diff, &[shown]);
    // No text becomes markup: the script has no such function.
    let script = served.send("GET", "/page.js", &[], "").body;
    for way in tables::lines(CASES, "k07 text on the page looks like") {
        assert!(!script.contains(way), "{way}");
    }
}

/// `review` on a terminal of this size.
#[cfg(unix)]
fn at_a_terminal(world: &World, (columns, rows): (u16, u16), editor: &str) -> Session {
    let mut command = world.program();
    command.arg("review").env("TERM", "xterm-256color");
    command.env("NO_COLOR", "1").env("VISUAL", editor);
    Pty::sized(columns, rows).start(command)
}

#[cfg(unix)]
#[test]
fn at_a_terminal_hunks_are_accepted_and_rejected_with_a_comment() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let mut session = at_a_terminal(&world, (80, 24), "false");
    session.when_drawn("Change 1 of 2", "?");
    session.when_drawn("accepted, rejected", "?");
    // Leaving keeps the decision.
    session.type_in("\ra");
    session.when_drawn("1 of 2 changes decided", "q");
    has(&session.ended(0), &["review` still has your 1 decision."]);
    assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
    let mut session = at_a_terminal(&world, (60, 16), "false");
    session.when_drawn("1 of 2 changes decided", "\rnctoo loud\rr");
    session.when_drawn("2 of 2 changes decided", "f");
    session.when_drawn("Carry out", "y");
    session.ended(0);
    assert_eq!(world.read("Plan.md"), "ONE\n\ntwo\n\nthree\n");
    let status = as_helper(&world, "draft:status");
    let shown = status.text();
    has(&shown, &["The draft is empty", "too loud"]);
}

#[cfg(unix)]
#[test]
fn e11_a_signal_gives_the_terminal_back_and_loses_no_decision() {
    use rustix::process::Signal;
    // A shell starts its background jobs with SIGINT ignored, and it stays ignored.
    for key in ["a", "r"] {
        let world = world();
        drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
        let mut session = at_a_terminal(&world, (80, 24), "false");
        session.when_drawn("Change 1 of 2", key);
        session.wait_for_drawn("2 of 2 changes decided");
        assert!(session.is_raw());
        session.signal(Signal::TERM);
        session.wait_for("\u{1b}[?1049l");
        assert!(comes_true(|| !session.is_raw()));
        let (status, ..) = session.finish();
        assert_eq!(status, None);
        let mut session = at_a_terminal(&world, (80, 24), "false");
        session.when_drawn("2 of 2 changes decided", "q");
        session.finish();
    }
}

#[cfg(unix)]
#[test]
fn at_a_terminal_a_move_and_its_links_are_decided_as_one() {
    let world = world();
    world.write("Index.md", "Up.\n\nSee [[Plan]].\n");
    as_helper(&world, "move path=Plan.md to=New.md").ended(0);
    let mut session = at_a_terminal(&world, (100, 30), "false");
    session.wait_for_drawn("links in 1 note");
    // The first of its changes is accepted, and with it the other one.
    session.type_in("\raf");
    session.when_drawn("Accept 2 changes in 2 files", "y");
    session.ended(0);
    assert_eq!(world.read("Index.md"), "Up.\n\nSee [[New]].\n");
}

#[cfg(unix)]
#[test]
fn at_a_terminal_a_deletion_without_the_change_of_a_link_names_it() {
    let world = world();
    world.write("See.md", "[[Plan]]\n");
    as_helper(&world, "delete path=Plan.md").ended(0);
    drafted(&world, "See.md", "none\n");
    let mut session = at_a_terminal(&world, (100, 30), "false");
    session.when_drawn("moves the note to the trash", "a");
    session.wait_for_drawn("Accept this?");
    // The second key was typed before the next entry was drawn.
    session.type_in("yr");
    session.when_drawn("1 of 2 changes decided", "f");
    session.when_drawn(
        "! Plan.md: The change breaks links to this file in 1 file: See.md.",
        "\u{1b}",
    );
    session.when_drawn("f finish", "q");
    session.finish();
}

#[cfg(unix)]
#[test]
fn at_a_terminal_the_proposed_text_is_edited() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let mut session = at_a_terminal(&world, (80, 24), "sed -i s/THREE/Three/");
    session.when_drawn("Change 1 of 2", "e");
    session.when_drawn("Your text is accepted", "f");
    session.when_drawn("with your text", "y");
    session.ended(0);
    assert_eq!(world.read("Plan.md"), "ONE\n\ntwo\n\nThree\n");
    as_helper(&world, "draft:status").shows("-THREE\n+Three");
}

#[cfg(unix)]
#[test]
fn at_a_terminal_a_text_of_the_person_is_not_lost_if_the_agent_changes_the_note() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let mut session = at_a_terminal(&world, (100, 30), "sed -i s/THREE/Three/");
    session.when_drawn("Change 1 of 2", "e");
    session.when_drawn("Your text is accepted", "f");
    session.wait_for_drawn("with your text");
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n\nfour\n");
    session.type_in("y");
    session.when_drawn(
        "Plan.md has changed since you edited it. Your text was kept",
        "x",
    );
    session.when_drawn("- four", "q");
    session.finish();
    // The agent takes the note back while nobody looks.
    as_helper(&world, "draft:withdraw path=Plan.md").ended(0);
    drafted(&world, "More.md", "more");
    let mut session = at_a_terminal(&world, (100, 30), "false");
    session.when_drawn(
        "Plan.md is no longer in the draft. Your text for it was saved in",
        "xq",
    );
    session.finish();
    let state = world.state();
    assert_eq!(written_in(&state), ["ONE\n\ntwo\n\nThree\n"]);
}

/// The texts that were saved because they have no place any more.
#[cfg(unix)]
fn written_in(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            texts.extend(written_in(&path));
        } else if name.starts_with("written-") {
            texts.push(fs_err::read_to_string(path).unwrap());
        }
    }
    texts
}

#[cfg(unix)]
#[test]
fn at_a_terminal_a_text_stays_if_the_editor_fails() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n");
    let editor = "sh -c 'echo mine >> \"$1\"; exit 1' editor";
    let mut session = at_a_terminal(&world, (100, 30), editor);
    session.when_drawn("Change 1", "e");
    session.when_drawn("What you wrote is in", "q");
    session.finish();
}

#[cfg(unix)]
#[test]
fn a_draft_that_changed_since_it_was_shown_is_shown_again() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let mut session = at_a_terminal(&world, (80, 24), "false");
    session.when_drawn("Change 1 of 2", "af");
    session.wait_for_drawn("Carry out");
    drafted(&world, "Other.md", "not seen");
    session.type_in("y");
    session.wait_for_drawn("Other.md");
    assert_eq!(world.read("Plan.md"), "one\n\ntwo\n\nthree\n");
    // The decision about the note that is the same is still there.
    session.type_in("f");
    session.when_drawn("Carry out", "y");
    session.ended(0);
    assert_eq!(world.read("Plan.md"), "ONE\n\ntwo\n\nTHREE\n");
    assert!(!world.vault.join("Other.md").exists());
}

/// A rejection cannot be undone, so it is asked about too.
#[cfg(unix)]
#[test]
fn at_a_terminal_accept_and_reject_show_the_draft_and_ask() {
    for (verb, name) in [("accept", "Accept"), ("reject", "Reject")] {
        for (answer, status) in [("\n", 77), ("y\n", 0)] {
            let world = world();
            drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
            let list = || world.run(&["review", "--list", "-j"]).json();
            let waiting = || list()["data"]["drafts"].clone();
            let draft = waiting()[0]["draft"].as_str().unwrap().to_owned();
            let mut command = world.program();
            command.args(["review", verb, &draft]);
            let mut session = Pty::sized(80, 24).start(command);
            session.when(&format!("{name} 2 hunks in 1 file? [y]es, [N]o: "), answer);
            has(&session.ended(status), &["-three"]);
            let is_done = status == 0;
            assert_eq!(waiting() == json!([]), is_done, "{verb} {answer:?}");
            let is_written = world.read("Plan.md").contains("THREE");
            assert_eq!(is_written, is_done && verb == "accept");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_small_terminal_asks_line_by_line() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    let mut session = at_a_terminal(&world, (50, 12), "false");
    // Each answer is typed after its question: an earlier one would be dropped.
    for (asked, answer) in ["s\n", "a\n", "r\n", "f\n"].into_iter().enumerate() {
        session.wait_for_times("[q]uit: ", asked + 1);
        session.type_in(answer);
    }
    session.when("Esc back", "y\n");
    session.ended(0);
    assert_eq!(world.read("Plan.md"), "ONE\n\ntwo\n\nthree\n");
}

#[test]
fn an_agent_takes_back_one_note_at_the_command_line() {
    let world = world();
    drafted(&world, "Plan.md", "ONE\n\ntwo\n\nTHREE\n");
    drafted(&world, "More.md", "more");
    let agent = |line| as_helper(&world, line);
    agent("draft:show path=More.md").shows_not("Plan.md");
    agent("draft:withdraw path=Plan.md hunk=1").ended(0);
    let shown = agent("draft:show path=Plan.md");
    shown.shows_not("ONE");
    shown.shows("THREE");
    agent("draft:withdraw all").ended(0);
    agent("draft:status").shows("The draft is empty");
    // An agent does not change the rules that hold for it.
    let set = agent("settings set drafts off");
    assert_ne!(set.status, Some(0));
}

#[test]
fn review_follow_prints_what_agents_do() {
    let world = world();
    let mut command = world.program();
    command.args(["review", "--follow"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    drafted(&world, "More.md", "more");
    let mut seen = String::new();
    let came = comes_true(|| {
        let read = stdout.read_line(&mut seen);
        read.is_ok() && seen.contains("create")
    });
    drop(child.kill());
    drop(child.wait());
    assert!(came && seen.contains("helper"), "{seen}");
}
