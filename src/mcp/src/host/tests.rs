use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use tokio::time::timeout;
use vault_engine::Progress;

use super::*;
use allowlist::RawValue;
use gateway::{Envelope, Params};

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs_err::create_dir_all(world.vault()).unwrap();
        fs_err::create_dir_all(world.folder.path().join("home/.config/vault-gw")).unwrap();
        for number in 0..40 {
            world.note(&format!("{number}.md"), "#old");
        }
        world.settings("");
        world
    }

    fn vault(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn note(&self, name: &str, text: &str) {
        fs_err::write(self.vault().join(name), text).unwrap();
    }

    fn file(&self) -> PathBuf {
        self.folder
            .path()
            .join("home/.config/vault-gw/settings.toml")
    }

    /// Writes valid settings with these further lines, in the way that an editor saves them.
    fn settings(&self, more: &str) {
        let text = format!(
            "enabled = true\nbackend = \"embedded\"\nvault = {:?}\n{more}\n",
            self.vault().to_str().unwrap()
        );
        self.write_settings(&text);
    }

    fn write_settings(&self, text: &str) {
        let aside = self.file().with_extension("new");
        fs_err::write(&aside, text).unwrap();
        fs_err::rename(aside, self.file()).unwrap();
    }

    fn host(&self) -> Host {
        let home = self.folder.path().join("home").into_os_string();
        let environment = Environment::new([("HOME".into(), home)], None);
        Host::start(&CommandLineOptions::default(), &environment).unwrap()
    }
}

fn ask(host: &Host, command: &str, params: &[(&str, &str)]) -> Envelope {
    let params = params
        .iter()
        .map(|(key, value)| ((*key).to_owned(), RawValue::Text((*value).to_owned())));
    let request = Request {
        params: Params(params.collect()),
        ..Request::new(command)
    };
    host.answer(&request, &Control::default())
}

fn code(envelope: &Envelope) -> &'static str {
    let error = envelope.error.as_ref();
    error.map_or("OK", |error| error.code.name())
}

const APPEND: &[(&str, &str)] = &[("path", "0.md"), ("content", "more")];

#[test]
fn h06_a_change_of_the_settings_is_in_force_for_the_next_request() {
    let world = World::new();
    let host = world.host();
    for round in 0..3 {
        assert_eq!(
            code(&ask(&host, "append", APPEND)),
            "MUTATION_DISABLED",
            "{round}"
        );
        world.settings("allow_mutations = true");
        assert_eq!(code(&ask(&host, "append", APPEND)), "OK", "{round}");
        world.settings("allow_mutations = true\ntier = \"v0\"");
        assert_eq!(
            code(&ask(&host, "append", APPEND)),
            "TIER_CLOSED",
            "{round}"
        );
        world.settings("");
    }
}

#[test]
fn h06_a_request_ends_under_the_settings_that_it_began_with() {
    let world = World::new();
    let host = Arc::new(world.host());
    let before = host.gateway();
    let (entered, is_inside) = channel();
    let (go_on, may_go_on) = channel();
    let may_go_on = Mutex::new(may_go_on);
    let first = AtomicUsize::new(0);
    let barrier = move |_done: usize, _total: usize| {
        if first.fetch_add(1, Ordering::SeqCst) == 0 {
            entered.send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
        }
    };
    let control = Control {
        progress: Some(Arc::new(barrier) as Arc<dyn Progress>),
        ..Control::default()
    };
    let request = Request::new("tags");
    let asking = std::thread::spawn({
        let host = Arc::clone(&host);
        move || host.answer(&request, &control)
    });
    is_inside.recv().unwrap();
    world.settings("tier = \"v0\"");
    assert_eq!(code(&ask(&host, "tags", &[])), "TIER_CLOSED");
    go_on.send(()).unwrap();
    let envelope = asking.join().unwrap();
    assert_eq!(code(&envelope), "OK");
    assert!(envelope.stdout.contains("old"));
    assert!(!Arc::ptr_eq(&before, &host.gateway()));
    // The log contains for each request the policy under which it ran.
    let log = world
        .folder
        .path()
        .join("home/.local/state/vault-gw/audit.jsonl");
    let text = fs_err::read_to_string(log).unwrap();
    let policies: std::collections::BTreeSet<&str> = text
        .split("\"policy\":\"")
        .skip(1)
        .filter_map(|rest| rest.get(..64))
        .collect();
    assert_eq!(policies.len(), 2, "{text}");
}

#[test]
fn h02_a_bad_file_or_none_keeps_the_last_good_one_and_is_reported() {
    let world = World::new();
    world.settings("tier = \"v1\"");
    let host = world.host();
    assert_eq!(ask(&host, "files", &[]).warnings, []);
    let kept = |reason: &str| {
        let envelope = ask(&host, "files", &[]);
        assert_eq!(code(&envelope), "OK", "{reason}");
        assert_eq!(envelope.warnings.len(), 1, "{reason}");
        assert_eq!(envelope.warnings[0].code, "SETTINGS_NOT_RELOADED");
        assert_eq!(envelope.warnings[0].details["code"], reason);
        assert_eq!(
            code(&ask(&host, "search", &[("query", "x")])),
            "TIER_CLOSED"
        );
        assert_eq!(code(&ask(&host, "append", APPEND)), "MUTATION_DISABLED");
    };
    world.write_settings("alow_mutations = true");
    kept("CONFIG_INVALID");
    world.write_settings("enabled = tr");
    kept("CONFIG_INVALID");
    fs_err::remove_file(world.file()).unwrap();
    kept("CONFIG_MISSING");
    world.settings("allow_mutations = true");
    let envelope = ask(&host, "append", APPEND);
    assert_eq!((code(&envelope), envelope.warnings), ("OK", Vec::new()));
}

#[test]
fn h03_of_a_file_that_is_written_all_the_time_only_whole_versions_are_seen() {
    let world = World::new();
    let host = world.host();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..300 {
                world.settings(["tier = \"v0\"", "tier = \"v1\""][round % 2]);
            }
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) {
            let envelope = ask(&host, "search", &[("query", "x")]);
            let code = code(&envelope);
            assert!(code == "TIER_CLOSED" || code == "OK", "{code}");
            assert_eq!(envelope.warnings, []);
        }
    });
    assert_eq!(code(&ask(&host, "files", &[])), "OK", "the last one is v1");
}

#[tokio::test]
async fn servers_are_notified_of_changes_without_a_request() {
    const SOON: Duration = Duration::from_secs(30);
    let world = World::new();
    let host = world.host();
    host.look_for_changes();
    let mut changes = host.changes();
    world.settings("tier = \"v0\"");
    let news = timeout(SOON, changes.changed()).await;
    assert!(news.unwrap().is_ok());
    drop(host);
    // The thread ends with the host, which drops the sender.
    let gone = timeout(SOON, changes.changed()).await;
    assert!(gone.unwrap().is_err());
}

#[test]
fn what_was_edited_before_a_request_is_in_its_answer() {
    let world = World::new();
    let host = world.host();
    for round in 0..50 {
        let tag = format!("new{round}");
        world.note("7.md", &format!("#{tag}"));
        let envelope = ask(&host, "tag", &[("name", &tag)]);
        assert_eq!(code(&envelope), "OK", "{round}");
        world.settings(if round % 2 == 0 { "tier = \"v2\"" } else { "" });
    }
}
