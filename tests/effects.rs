//! What commands really change: nothing, where the catalogue says that they only read.
//!
//! The whole vault with its configuration folder, and the app's own folder, are compared byte for
//! byte, with modes and times, before and after each call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fake_obsidian::home::NOTES_OF_EXAMPLES;
use fake_obsidian::scenario::Scenario;
use vault_gw::allowlist::{BackendName, Call, Catalogue, Command, Effect, EffectSet};
use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Params, Request};
use vault_gw::settings::BackendChoice;

use crate::argument_forms::{answered_by_the_engine, forms_of, furnish, reads};
use crate::support::{NOW, Outcome as _, World, answer, checked, code, detail, finish, request};

/// Everything that a change leaves behind at one place.
#[derive(Clone, PartialEq, Eq)]
struct Trace {
    mode: u32,
    modified: SystemTime,
    /// The text of a file, or where a symlink leads; empty for a folder.
    content: Vec<u8>,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mode, bytes) = (self.mode, self.content.len());
        write!(formatter, "{mode:o}, {:?}, {bytes} bytes", self.modified)
    }
}

/// Folder, files, symlinks and all that is below.
fn traces(folder: &Path) -> BTreeMap<PathBuf, Trace> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        let metadata = fs_err::symlink_metadata(&place).unwrap();
        let content = if metadata.is_dir() {
            open.extend(
                fs_err::read_dir(&place)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            Vec::new()
        } else if metadata.is_symlink() {
            let target = fs_err::read_link(&place).unwrap();
            target.into_os_string().into_encoded_bytes()
        } else {
            fs_err::read(&place).unwrap()
        };
        let trace = Trace {
            mode: mode(&metadata),
            modified: metadata.modified().unwrap(),
            content,
        };
        found.insert(place, trace);
    }
    found
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

#[cfg(not(unix))]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    u32::from(metadata.permissions().readonly())
}

/// What must stay as it is: the vault, and what the app keeps about its vaults.
struct Watched {
    folders: [PathBuf; 2],
    before: [BTreeMap<PathBuf, Trace>; 2],
}

impl Watched {
    fn new(world: &World) -> Self {
        let registry = world.home.registry_file();
        let folders = [world.vault.clone(), registry.parent().unwrap().to_owned()];
        assert!(registry.is_file(), "the app knows the vault");
        Self {
            before: folders.each_ref().map(|folder| traces(folder)),
            folders,
        }
    }

    fn is_changed(&self) -> bool {
        self.folders.each_ref().map(|folder| traces(folder)) != self.before
    }

    fn assert_unchanged(&self, what: &dyn std::fmt::Debug) {
        for (folder, before) in self.folders.iter().zip(&self.before) {
            assert_eq!(traces(folder), *before, "changed by {what:?}");
        }
    }
}

/// The fixture vault with every file, folder, tag, plugin and theme that the catalogue's examples
/// name, open in a fake app.
fn world() -> World {
    let scenario = Scenario {
        now: Some(NOW.parse().unwrap()),
        active_file: Some("a.md".to_owned()),
        ..Scenario::logged()
    };
    let world = World::with_fixture_vault().with_fake(&scenario);
    let world = world.set("allow_active_file = true");
    furnish(&world);
    for (path, text) in NOTES_OF_EXAMPLES {
        world.write(path, text);
    }
    world
}

fn gateway(world: &World, backend: BackendName) -> Gateway {
    let mut options = Options::new(Caller::Agent);
    options.backend = Some(match backend {
        BackendName::Obsidian => BackendChoice::Obsidian,
        BackendName::Embedded => BackendChoice::Embedded,
    });
    world.gateway_with(options)
}

/// The catalogue's own examples of a command, as far as they only read.
fn examples(command: &Command) -> Vec<(Call, Request)> {
    let catalogue = Catalogue::builtin().unwrap();
    let admitted = command.accept.iter().map(|example| {
        let words = shell_words::split(example).unwrap();
        let given = command.read_words(&words[1..]).unwrap();
        let call = catalogue.admit(&command.id, &given).unwrap();
        let request = Request {
            params: Params(given),
            ..Request::new(&command.id)
        };
        (call, request)
    });
    admitted
        .filter(|(call, _)| call.effects() == EffectSet::from_iter([Effect::Read]))
        .collect()
}

/// Whether the embedded engine answered, or has no answer for a known reason: it does not serve the
/// command, or no file is active without the app.
fn is_answered(envelope: &Envelope, call: &Call) -> bool {
    let active = call.acts_on() == vault_gw::allowlist::Target::ActiveFile;
    match code(envelope) {
        "OK" => true,
        "REQUIRES_APP" => !vault_engine::serves(&call.command.id),
        "USAGE_ERROR" => active,
        _ => false,
    }
}

/// Whether the fake failed because it has no answer for the command. Such a call must never count
/// as a success.
fn is_unanswered(envelope: &Envelope) -> bool {
    let unanswered = envelope
        .stderr
        .starts_with("fake-obsidian: no recorded answer for ");
    if unanswered {
        assert_eq!(code(envelope), "CLI_EXIT_NONZERO", "{envelope:#?}");
        assert_eq!(envelope.exit_code, Some(70), "{envelope:#?}");
        assert_eq!(envelope.stdout, "", "{envelope:#?}");
    }
    unanswered
}

#[test]
fn every_change_is_noticed() {
    let world = world();
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a new file", &|| world.write("new.md", "")),
        ("other text", &|| world.write("b.md", "back to [[A]]")),
        ("the same text, written again", &|| {
            world.write("b.md", "back to [[a]]");
        }),
        ("a file that came and went", &|| {
            world.write("Ideas/passing.md", "");
            fs_err::remove_file(world.vault.join("Ideas/passing.md")).unwrap();
        }),
        ("a setting", &|| world.write(".obsidian/app.json", "{}")),
        ("a mode", &|| {
            let file = world.vault.join("Recipe.md");
            let mut permissions = fs_err::metadata(&file).unwrap().permissions();
            permissions.set_readonly(true);
            fs_err::set_permissions(file, permissions).unwrap();
        }),
    ];
    for (what, change) in changes {
        let watched = Watched::new(&world);
        watched.assert_unchanged(&what);
        change();
        assert!(watched.is_changed(), "{what}");
    }
    let watched = Watched::new(&world);
    world.home.register([world.vault.as_path()]).unwrap();
    assert!(watched.is_changed(), "the app's list of vaults");
}

#[test]
fn what_claims_only_to_read_changes_nothing_in_the_app() {
    let world = world();
    let gateway = gateway(&world, BackendName::Obsidian);
    let watched = Watched::new(&world);
    let mut runs = 0;
    for command in reads() {
        let examples = examples(command);
        assert!(
            !examples.is_empty(),
            "{} has no example that reads",
            command.id
        );
        for (call, request) in examples {
            if !call.backends().contains(&BackendName::Obsidian) {
                continue;
            }
            let envelope = checked(gateway.call(&request));
            watched.assert_unchanged(&request);
            if (command.id.as_str(), code(&envelope)) == ("daily:read", "FILE_NOT_FOUND") {
                continue;
            }
            // The question for the version is not counted (`World::invocations`).
            runs += usize::from(command.id != "version");
            assert_eq!(world.runs().len(), runs, "{request:?}");
            if is_unanswered(&envelope) {
                // Nobody has recorded what the app says; all there is to see is that the gateway
                // itself changes nothing around such a call.
                assert!(!vault_engine::serves(&command.id), "{envelope:#?}");
                continue;
            }
            assert_eq!(envelope.exit_code, Some(0), "{envelope:#?}");
            let answered = envelope.success || !vault_engine::serves(&command.id);
            let is_about_no_base = command.id == "base:views";
            assert!(answered || is_about_no_base, "{envelope:#?}");
        }
    }
    let started: BTreeSet<String> = world
        .argvs()
        .into_iter()
        .map(|mut words| words.remove(1))
        .collect();
    let is_counted = |id: &str| id != "version";
    for command in reads().filter(|command| !command.is_ours() && is_counted(&command.id)) {
        assert!(
            started.contains(&command.id),
            "{} was never run",
            command.id
        );
    }
}

#[test]
fn what_claims_only_to_read_changes_nothing_in_the_engine() {
    let world = world();
    let gateway = gateway(&world, BackendName::Embedded);
    let watched = Watched::new(&world);
    for command in reads() {
        for (call, request) in examples(command) {
            let envelope = checked(gateway.call(&request));
            watched.assert_unchanged(&request);
            assert!(is_answered(&envelope, &call), "{envelope:#?}");
        }
    }
    for command in answered_by_the_engine() {
        for form in forms_of(command) {
            let envelope = gateway.call(&form.request());
            // The lists of this small vault can be shorter than the `offset` of a form.
            let answered = envelope.success || detail(&envelope, "argument") == "offset";
            assert!(answered, "{envelope:#?}");
        }
        watched.assert_unchanged(&command.id);
    }
    assert!(world.nothing_spawned());
}

#[test]
fn reading_a_daily_note_that_is_absent_makes_none() {
    let world = world();
    let today = world.vault.join("Daily/2026-03-14.md");
    fs_err::remove_file(&today).unwrap();
    let watched = Watched::new(&world);
    let wanted: [(&str, &[(&str, &str)]); 4] = [
        ("daily:read", &[]),
        ("tasks", &[("daily", "true")]),
        (
            "tasks",
            &[("daily", "true"), ("todo", "true"), ("format", "json")],
        ),
        ("task", &[("daily", "true"), ("line", "1")]),
    ];
    for backend in [BackendName::Embedded, BackendName::Obsidian] {
        let gateway = gateway(&world, backend);
        for (command, params) in wanted {
            let envelope =
                checked(gateway.call(&request(command, params))).fails_with("FILE_NOT_FOUND");
            assert_eq!(detail(&envelope, "path"), "Daily/2026-03-14.md");
            assert_eq!(envelope.exit_code, None);
        }
        let path = answer(&gateway, "daily:path");
        assert_eq!(path.data.as_map()["path"], "Daily/2026-03-14.md");
        watched.assert_unchanged(&backend);
    }
    assert_eq!(world.runs(), ["vault=Notes daily:path"]);

    // Not because the app would not make it (`official-cli.md` §5.3).
    let mut app = world.command(&world.home.binaries().join("obsidian"));
    app.args(["vault=Notes", "daily:read"]);
    finish(app, b"").ended(0);
    assert!(watched.is_changed() && today.is_file());
}
