//! The entries of this program in the configurations of MCP clients: what a later run keeps.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Ran, World, has, write_private};

const CASES: &str = include_str!("data/client_entries.txt");

/// A user with settings for an agent, and a client with this entry.
struct Client {
    world: World,
    file: PathBuf,
}

impl Client {
    fn with_entry(path: &str, key: &str, entry: &Value) -> Self {
        let world = World::with_fixture_vault()
            .set("allow_mutations = true")
            .with_tables("[agents.helper]\nallow_mutations = false\n");
        world.write_settings();
        let file = world.home.path().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        let text = json!({ key: { "vault-gw": entry } });
        fs_err::write(&file, format!("{text:#}\n")).unwrap();
        Self { world, file }
    }

    fn cursor(args: &[&str]) -> Self {
        let entry = json!({ "command": "/old/vault-gw", "args": args });
        Self::with_entry(".cursor/mcp.json", "mcpServers", &entry)
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.world.run_as_it_is(words, b"")
    }

    fn text(&self) -> String {
        fs_err::read_to_string(&self.file).unwrap()
    }

    fn entry(&self) -> Value {
        let file: Value = serde_json::from_str(&self.text()).unwrap();
        let servers = file.as_object().unwrap().values().next().unwrap();
        servers["vault-gw"].clone()
    }

    fn args(&self) -> String {
        let args = self.entry()["args"].clone();
        let args = args.as_array().unwrap().iter();
        args.map(|word| word.as_str().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A client that was restricted stays so unless the person says otherwise.
#[test]
fn h04_a_later_run_does_not_widen_what_a_client_may_do() {
    for words in [&["setup", "--yes"][..], &["install", "cursor"]] {
        let client = Client::cursor(&[
            "mcp",
            "--agent",
            "helper",
            "--tier=v1",
            "--timeout-ms",
            "5000",
        ]);
        let ran = client.run(words);
        ran.ended(0);
        let args = client.args();
        for kept in "--agent helper|--tier=v1|--timeout-ms 5000|--settings /".split('|') {
            assert!(args.contains(kept), "{kept}: {args}");
        }
        let kept = if words.contains(&"setup") {
            "Cursor keeps --agent helper '--tier=v1' --timeout-ms 5000\n"
        } else {
            "kept from the entry: --agent helper '--tier=v1' --timeout-ms 5000\n"
        };
        ran.shows(kept);
        let again = client.run(&["-j", "install", "cursor"]);
        assert_eq!(again.json()["data"]["action"], "unchanged", "{again:?}");
        client
            .run(&["install", "cursor", "--tier", "v2", "--sandbox", "require"])
            .ended(0);
        let args = client.args();
        assert!(args.contains("--tier v2") && !args.contains("v1"), "{args}");
        assert!(args.contains("--sandbox require"), "{args}");
    }
}

/// What is not this program's own may be a secret: it is neither kept nor shown, in words or as data.
#[test]
fn the_arguments_of_others_are_neither_kept_nor_shown() {
    let own = json!({ "command": "/old/vault-gw", "args": ["mcp", "--tier", "v0", "--token", "SECRETV", "--key=SECRETK", "--wat"] });
    let other = json!({ "command": "mine", "args": ["mcp", "--tier", "v0", "--agent", "helper", "--token", "SECRETV"] });
    let launched = json!({ "command": "npx", "args": ["--registry", "https://SECRETR", "vault-gw", "mcp", "--token", "SECRETV"] });
    let odd = json!({ "command": "/old/vault-gw", "args": "SECRETS", "env": { "K": "SECRETE" } });
    for entry in [&own, &other, &launched, &odd] {
        for words in [
            &["install", "cursor", "--dry-run"][..],
            &["-j", "install", "cursor", "--dry-run"],
            &["setup", "--yes", "--dry-run"],
            &["-j", "setup", "--yes"],
            &["install", "cursor", "--remove", "--dry-run"],
            &["install", "cursor"],
        ] {
            let client = Client::with_entry(".cursor/mcp.json", "mcpServers", entry);
            let ran = client.run(words);
            ran.ended(0);
            let message = format!("{}{}", ran.text(), ran.stderr);
            assert!(!message.contains("SECRET"), "{words:?} {message}");
        }
    }
    let client = Client::with_entry(".cursor/mcp.json", "mcpServers", &own);
    let mut here = own.clone();
    here["command"] = env!("CARGO_BIN_EXE_vault-gw").into();
    let started = Client::with_entry(".cursor/mcp.json", "mcpServers", &here);
    let doctor = started.run(&["doctor"]);
    doctor.shows("does not know --token, --key, --wat");
    doctor.shows_not("SECRET");
    let ran = client.run(&["setup", "--yes"]);
    for message in [
        "Cursor keeps --tier v0\n",
        "Cursor leaves out, as unknown to this program, --token --key --wat\n",
    ] {
        ran.shows(message);
    }
    assert!(client.args().starts_with("mcp --tier v0 --settings"));
    assert!(client.run(&["doctor"]).text().contains("ok       client"));
    let client = Client::with_entry(".cursor/mcp.json", "mcpServers", &other);
    client
        .run(&["install", "cursor"])
        .shows("kept from the entry: --tier … --agent …");
    assert!(
        client
            .args()
            .starts_with("mcp --tier v0 --agent helper --settings")
    );
}

#[test]
fn a_vault_of_the_entry_gives_way_to_one_that_is_named() {
    let client = Client::cursor(&["mcp", "--vault", "/gone"]);
    let ran = client.run(&["setup", "--yes"]);
    assert_ne!(ran.status, Some(0), "{ran:?}");
    ran.shows("--vault /gone. Name the vault: `vault-gw setup --vault FOLDER`");
    client
        .run(&["install", "cursor"])
        .reports("`vault-gw install cursor --vault FOLDER`");
    assert!(client.args().contains("/gone"));
    let vault = client.world.vault.to_str().unwrap().to_owned();
    client.run(&["setup", "--yes", "--vault", &vault]).ended(0);
    assert!(!client.args().contains("--vault"), "{}", client.args());
}

#[test]
fn other_settings_of_an_entry_are_kept_while_they_are_there() {
    let client = Client::cursor(&[]);
    let other = client.world.home.path().join("other.toml");
    write_private(&other, "tier = \"v0\"\n");
    let other = other.to_str().unwrap();
    let entry = json!({ "mcpServers": { "vault-gw": { "command": "/old/vault-gw", "args": ["mcp", "--settings", other] } } });
    fs_err::write(&client.file, entry.to_string()).unwrap();
    let ran = client.run(&["install", "cursor"]);
    ran.ended(0);
    assert!(
        client.args().ends_with("other.toml --agent cursor"),
        "{}",
        client.args()
    );
    ran.shows("kept from the entry: --settings");
    // The bridge is turned on where the server will look.
    assert!(
        fs_err::read_to_string(other)
            .unwrap()
            .contains("enabled = true")
    );
    fs_err::remove_file(other).unwrap();
    client.run(&["install", "cursor"]).ended(0);
    has(&client.args(), &["vault-gw/settings.toml"]);
}

#[test]
fn what_the_user_put_into_an_entry_stays() {
    let entry = json!({ "command": "/old", "args": ["mcp"], "env": { "A": "b" } });
    let zed = Client::with_entry(".config/zed/settings.json", "context_servers", &entry);
    // The test's home has its configuration elsewhere.
    let place = zed.world.home.config().join("zed/settings.json");
    fs_err::create_dir_all(place.parent().unwrap()).unwrap();
    fs_err::rename(&zed.file, &place).unwrap();
    let zed = Client { file: place, ..zed };
    zed.run(&["install", "zed"]).ended(0);
    assert_eq!(zed.entry()["env"], json!({ "A": "b" }));
    let again = zed.run(&["-j", "install", "zed"]);
    assert_eq!(again.json()["data"]["action"], "unchanged", "{again:?}");
    // A server that is reached by its address is not lost.
    let url = Client::with_entry(
        ".cursor/mcp.json",
        "mcpServers",
        &json!({ "url": "http://x" }),
    );
    let before = url.text();
    let ran = url.run(&["install", "cursor"]);
    ran.ended(65);
    ran.reports("`vault-gw install cursor --name NAME`");
    ran.omits("--remove");
    ran.omits("--print");
    assert_eq!(url.text(), before);
}

#[test]
fn a_file_that_its_owner_closed_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let client = Client::cursor(&["mcp"]);
    let before = client.text();
    fs_err::set_permissions(&client.file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let ran = client.run(&["install", "cursor"]);
    ran.ended(65);
    ran.reports("is read-only");
    assert_eq!(client.text(), before);
}

/// The first check of a client's entry.
fn doctor_on(client: &Client) -> Value {
    let checks = client.run(&["-j", "doctor"]).json()["data"]["checks"].clone();
    let mut checks = checks.as_array().unwrap().iter();
    checks
        .find(|check| check["name"] == "client")
        .unwrap()
        .clone()
}

/// A folder is written as `setup` writes it, and a word that may mean one is told.
#[test]
fn a_vault_is_named_by_its_folder_without_dots() {
    let client = Client::cursor(&["mcp"]);
    let vault = client.world.vault.canonicalize().unwrap();
    let name = vault.file_name().unwrap().to_str().unwrap().to_owned();
    fs_err::create_dir(vault.join("Sub")).unwrap();
    for (folder, choice) in [
        (vault.parent().unwrap(), format!("./{name}/")),
        (&vault, ".".to_owned()),
        (&vault.join("Sub"), "../Sub/..".to_owned()),
    ] {
        let mut command = client.world.program();
        command
            .args(["install", "cursor", "--vault", &choice])
            .current_dir(folder);
        crate::support::finish(command, b"").ended(0);
        let args = client.args();
        let message = format!("--vault {} --settings", vault.display());
        assert!(args.contains(&message), "{args}");
    }
    let other = client.world.scratch().join("Elsewhere");
    fs_err::create_dir_all(&other).unwrap();
    let mut command = client.world.program();
    command
        .args(["install", "cursor", "--vault", "Elsewhere"])
        .current_dir(other.parent().unwrap());
    crate::support::finish(command, b"").reports("write `./Elsewhere`");
}

/// What `install` refuses is not in order.
#[test]
fn the_doctor_reports_a_file_that_install_refuses() {
    let client = Client::cursor(&["mcp"]);
    for [text, says] in tables::section(CASES, "the doctor reports a file that install") {
        fs_err::write(&client.file, text).unwrap();
        client.run(&["install", "cursor"]).ended(65);
        let shown = doctor_on(&client);
        assert_eq!(shown["state"], "warning", "{shown}");
        let remedy = shown["remedy"].as_str().unwrap();
        assert!(
            remedy.contains(says) && remedy.contains("install cursor --print"),
            "{shown}"
        );
        assert!(!remedy.contains("not changed"), "{shown}");
    }
}

#[test]
fn the_doctor_reports_an_entry_that_cannot_start() {
    let client = Client::cursor(&["mcp", "--settings", "/gone/settings.toml"]);
    let gone = doctor_on(&client);
    assert_eq!(gone["state"], "warning", "{gone}");
    assert!(gone["message"].as_str().unwrap().contains("/old/vault-gw"));
    assert!(
        gone["remedy"]
            .as_str()
            .unwrap()
            .contains("vault-gw install cursor")
    );
    client.run(&["install", "cursor"]).ended(0);
    assert_eq!(doctor_on(&client)["state"], "ok", "{}", doctor_on(&client));
    let program = env!("CARGO_BIN_EXE_vault-gw");
    for (command, args, says, remedy) in [
        (
            "mine",
            &[][..],
            "no folder of `PATH` has a program mine",
            "cursor`",
        ),
        ("./vault-gw", &["mcp"], "not the full path", "cursor`"),
        (
            program,
            &["mcp", "--vault", "/gone/Notes"],
            "/gone/Notes",
            "cursor --vault FOLDER`",
        ),
        (
            program,
            &["mcp", "--settings", "/gone/s.toml"],
            "the settings file /gone/s.toml does not exist",
            "cursor`",
        ),
        (program, &["mcp", "--agent", "helpr"], "helpr", "cursor`"),
        (program, &["mcp", "--tier", "v9"], "v9", "cursor`"),
    ] {
        let entry = json!({ "command": command, "args": args });
        let shown = doctor_on(&Client::with_entry(
            ".cursor/mcp.json",
            "mcpServers",
            &entry,
        ));
        assert_eq!(shown["state"], "warning", "{shown}");
        assert!(
            shown["message"].as_str().unwrap().contains(says),
            "{says}: {shown}"
        );
        assert!(
            shown["remedy"].as_str().unwrap().contains(remedy),
            "{remedy}: {shown}"
        );
    }
    let entry = json!({ "command": "/bin/sh", "args": ["-c", "mine --vault /gone"] });
    let shown = doctor_on(&Client::with_entry(
        ".cursor/mcp.json",
        "mcpServers",
        &entry,
    ));
    assert_eq!(shown["state"], "ok", "{shown}");
}

/// The temporary files of a killed run go with the next one, and nothing else does.
#[test]
fn h22_what_a_killed_setup_left_beside_a_clients_file_is_removed_by_the_next_run() {
    let client = Client::cursor(&["mcp", "--agent", "helper"]);
    let folder = client.file.parent().unwrap().to_owned();
    let left = || -> Vec<String> {
        let entries = fs_err::read_dir(&folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".tmp")).collect()
    };
    // So long that a run is still writing it when its temporary file is seen.
    let before = client.text() + &" ".repeat(8 * 1024 * 1024);
    let words = ["install", "cursor"];
    for _ in 0..50 {
        fs_err::write(&client.file, &before).unwrap();
        let mut run = client.world.prepared(&words).spawn().unwrap();
        while left().is_empty() && run.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        if !left().is_empty() {
            break;
        }
    }
    assert!(client.text() == before, "the file is the old one");
    let torn = left();
    assert_eq!(torn.len(), 1, "{torn:?}");
    client.run(&words).ended(0);
    assert_eq!(left(), Vec::<String>::new());
    assert!(client.args().contains("--agent helper"));

    // Also where there is nothing to change.
    let others = [
        ".mcp.json.notes.tmp",
        ".mcp.json.12-x.tmp",
        ".mcp.json2.12-0.tmp",
        ".other.json.12-0.tmp",
    ];
    for name in others
        .into_iter()
        .chain([torn[0].as_str(), ".mcp.json.12-0.tmp"])
    {
        fs_err::write(folder.join(name), "x").unwrap();
    }
    fs_err::create_dir(folder.join(".mcp.json.13-0.tmp")).unwrap();
    std::os::unix::fs::symlink("mcp.json", folder.join(".mcp.json.14-0.tmp")).unwrap();
    let now = client.text();
    let dry = client.run(&["install", "cursor", "--dry-run"]);
    dry.ended(0);
    assert_eq!(left().len(), others.len() + 4, "a dry run changes nothing");
    for words in [&["setup", "--yes"][..], &words] {
        client.run(words).ended(0);
        assert_eq!(client.text(), now);
        let mut stay = left();
        stay.sort();
        let mut expected = others.map(str::to_owned).to_vec();
        expected.extend([".mcp.json.13-0.tmp".into(), ".mcp.json.14-0.tmp".into()]);
        expected.sort();
        assert_eq!(stay, expected);
        fs_err::write(folder.join(&torn[0]), "x").unwrap();
    }
}

/// What an earlier version wrote names no agent. The client is the same one, so it stays restricted under its name.
#[test]
fn an_entry_without_an_agent_gets_one_and_its_client_stays_restricted() {
    for words in [&["setup", "--yes"][..], &["install", "cursor"]] {
        let client = Client::cursor(&["mcp", "--timeout-ms", "5000"]);
        client.world.write("Clippings/a.md", "# Offer\n");
        for setting in [["enabled", "true"], ["taint.sources", "Clippings/**"]] {
            client
                .run(&["settings", "set", setting[0], setting[1]])
                .ended(0);
        }
        let read = |words: &[&str], path: &str| {
            let request = json!({ "command": "read", "params": { "path": path } });
            let words = [words, &["call"]].concat();
            let ran = client
                .world
                .run_as_it_is(&words, request.to_string().as_bytes());
            ran.json()["meta"]["taint"].is_object()
        };
        assert!(read(&[], "Clippings/a.md"));
        assert!(!read(&["--agent", "cursor"], "Home.md"));
        let dry = [words, &["--dry-run"]].concat();
        client.run(&dry).ended(0);
        assert!(!read(&["--agent", "cursor"], "Home.md"), "{dry:?}");
        client.run(words).ended(0);
        has(&client.args(), &["--agent cursor"]);
        assert!(read(&["--agent", "cursor"], "Home.md"), "{words:?}");
        assert!(!read(&["--agent", "codex"], "Home.md"), "{words:?}");
        let again = client.run(&["-j", "install", "cursor"]);
        assert_eq!(again.json()["data"]["action"], "unchanged", "{again:?}");
        // Another name that the owner chooses is no way out either.
        client
            .run(&["install", "cursor", "--agent", "helper"])
            .ended(0);
        has(&client.args(), &["--agent helper"]);
        assert!(read(&["--agent", "helper"], "Home.md"), "{words:?}");
    }
}
