//! What the real app was seen to print (`fixtures/recordings`), held against everything here that
//! prints or reads the same: the engine, the texts of `cli-output`, and both backends.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use cli_output::{AppError, Shape, startup_noise};
use fake_obsidian::log::Event;
use fake_obsidian::recording::{Evidence, RecordedCall, Recording, typed};
use serde_json::Value;
use vault_engine::{Args, EngineError, RegisteredVault, Registry, Surroundings, Vault};
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::Envelope;
use vault_gw::settings::BackendChoice;

use crate::parity::Both;
use crate::support::{NOW, World, checked, code, request};

const CASES: &str = include_str!("data/recordings.txt");

/// A call with the recording that it stands in.
struct Case {
    recording: Recording,
    call: RecordedCall,
}

impl std::fmt::Display for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, words) = (&self.recording.name, self.call.argv.join(" "));
        write!(formatter, "{name}.toml: {words} ({})", self.call.source)
    }
}

fn cases() -> Vec<Case> {
    Recording::all()
        .unwrap()
        .into_iter()
        .flat_map(|recording| {
            let case = |call: &RecordedCall| Case {
                recording: recording.clone(),
                call: call.clone(),
            };
            recording.call.iter().map(case).collect::<Vec<_>>()
        })
        .collect()
}

impl Case {
    fn shape(&self) -> Shape {
        self.call
            .official()
            .map_or(Shape::Raw, |command| command.shape())
    }

    /// Standard output without start-up lines, in the vault at `root`.
    fn text_at(&self, root: &Path) -> String {
        let printed = self.call.stdout_at(&self.recording, root).unwrap();
        startup_noise::strip(&printed).0.to_owned()
    }

    /// The app's error, where the call ends with one.
    fn error(&self) -> Option<AppError> {
        if !self.call.stderr.is_empty() && self.call.exit != 0 {
            return AppError::parse_exact(&self.call.stderr);
        }
        let text = startup_noise::strip(&self.call.stdout).0;
        // The texts of notes are no errors; no recorded note is one of the app's sentences.
        match self.shape() {
            Shape::NoteText | Shape::Search | Shape::PropertyValue => AppError::parse_exact(text),
            _ => AppError::parse(text),
        }
    }

    /// Whether the text depends on the state of the app alone, not on the vault.
    fn is_about_the_app(&self) -> bool {
        matches!(
            self.error(),
            Some(
                AppError::AppNotRunning
                    | AppError::CliNotEnabled
                    | AppError::VaultNotFound
                    | AppError::CommandNotFound { .. }
            )
        )
    }

    /// The text with its lines, or the items of its list, in one order for all.
    fn sorted(&self, text: &str) -> String {
        if !self.call.any_order {
            return text.to_owned();
        }
        if let Ok(mut items) = serde_json::from_str::<Vec<String>>(text) {
            items.sort();
            return serde_json::to_string(&items).unwrap();
        }
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }

    /// The parameters of a request that means the recorded command line.
    fn params(&self) -> Vec<(String, String)> {
        let words = self.call.argv.iter();
        words
            .filter(|word| !word.starts_with("vault=") && word.as_str() != self.call.command())
            .map(|word| match word.split_once('=') {
                Some(("content", text)) => ("content".to_owned(), text.replace("\\n", "\n")),
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => (word.clone(), "true".to_owned()),
            })
            .collect()
    }

    /// Whether the gateway's catalogue lets the command line through to the app at all.
    fn is_admitted(&self) -> bool {
        let params = self.params();
        let request = request(self.call.command(), &borrowed(&params));
        let catalogue = Catalogue::builtin().unwrap();
        let admitted = catalogue.admit(self.call.command(), &request.params.0);
        // The gateway takes `false` as off, the app as on.
        let is_off = params.iter().any(|(_, value)| value == "false");
        let names_vault = self.call.argv.iter().any(|word| word.starts_with("vault="));
        admitted.is_ok() && !is_off && !names_vault
    }

    /// Whether there is more on the streams than the answer.
    fn is_noisy(&self) -> bool {
        let (_, noise) = startup_noise::strip(&self.call.stdout);
        noise || !self.call.stderr.is_empty()
    }

    fn was_played(&self, world: &World) -> bool {
        let events = fake_obsidian::log::read(&world.home.log()).unwrap();
        events.iter().any(|event| {
            matches!(event, Event::Played { command, .. } if command == self.call.command())
        })
    }
}

fn borrowed(params: &[(String, String)]) -> Vec<(&str, &str)> {
    params
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[test]
fn every_recorded_text_is_read_and_written_back() {
    for case in cases() {
        let stdout = &case.call.stdout;
        let text = startup_noise::strip(stdout).0;
        let text = text.trim_start_matches(['\r', '\n']);
        if let Some(error) = case.error() {
            let printed = if case.call.exit == 0 {
                text
            } else {
                &case.call.stderr
            };
            assert_eq!(format!("{error}\n"), printed, "{case}");
            continue;
        }
        let arguments = case.call.arguments().unwrap_or_else(|error| {
            panic!("{case}: the fake understands it as the error {error}");
        });
        let shape = case.shape();
        let text = text.replace("{created:Notes/Plan.md}", "1775728800000");
        let text = text.replace("{modified:Notes/Plan.md}", "1775728800001");
        let answer = cli_output::parse(shape, &arguments, &text)
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(
            cli_output::render(&answer, shape, &arguments),
            text,
            "{case}"
        );
    }
}

/// Every error sentence that is known of the app has a recording, so that none is known to this
/// project's own code alone.
#[test]
fn every_sentence_of_the_app_is_recorded() {
    let kind = |error: &AppError| {
        let shown = format!("{error:?}");
        let end = shown.find([' ', '{', '(']).unwrap_or(shown.len());
        shown[..end].to_owned()
    };
    let cases = cases();
    let recorded: BTreeSet<String> = cases
        .iter()
        .filter_map(Case::error)
        .map(|e| kind(&e))
        .collect();
    let known = tables::lines(CASES, "every sentence of the app is recorded");
    assert_eq!(
        recorded.iter().map(String::as_str).collect::<Vec<_>>(),
        known
    );

    let confirmed: BTreeSet<String> = cases
        .iter()
        .filter(|case| case.shape() == Shape::Confirmation && case.error().is_none())
        .filter_map(|case| {
            let arguments = case.call.arguments().ok()?;
            let answer = cli_output::parse(Shape::Confirmation, &arguments, &case.call.stdout);
            let data = serde_json::to_value(answer.ok()?).ok()?;
            Some(data["action"].as_str()?.to_owned())
        })
        .collect();
    let known = tables::lines(CASES, "every sentence of the app is recorded, 2");
    assert_eq!(
        confirmed.iter().map(String::as_str).collect::<Vec<_>>(),
        known
    );
}

#[test]
fn a_command_line_that_the_app_refuses_is_refused_with_the_recorded_sentence() {
    let mut refused = 0;
    for case in cases() {
        let Some(error) = case.error() else { continue };
        if let Err(understood) = case.call.arguments()
            && !matches!(understood, AppError::CommandNotFound { .. })
        {
            assert_eq!(understood, error, "{case}");
            refused += 1;
        }
    }
    assert!(refused > 5, "{refused}");
}

/// What the engine itself prints, or the error that it ends with.
fn engine_text(case: &Case, root: &Path, mut given: Args) -> Result<String, EngineError> {
    let command = case.call.command();
    if let Some(active) = &case.call.active_file {
        // The engine has no active file; it answers for one that is named.
        given = given.with("path", active.as_str());
    }
    let arguments = typed(command, &given)?;
    let vault = Vault::open(root).unwrap();
    let surroundings = Surroundings {
        now: NOW.parse().unwrap(),
        random: 0,
        registry: Registry {
            damaged: 0,
            cli: None,
            vaults: vec![RegisteredVault {
                id: "0123456789abcdef".to_owned(),
                path: root.to_owned(),
                ts: None,
                open: None,
            }],
        },
    };
    match vault_engine::answer(&vault, command, &arguments, &surroundings) {
        Ok(answer) => Ok(cli_output::render(&answer, case.shape(), &arguments)),
        Err(EngineError::Refused(refusal)) => Ok(format!("{}\n", AppError::from(refusal))),
        Err(error) => Err(error),
    }
}

#[test]
fn the_engine_prints_what_the_app_printed() {
    let mut compared = 0;
    let mut faults = Vec::new();
    for case in cases() {
        let Ok(arguments) = case.call.arguments() else {
            continue;
        };
        let served = vault_engine::serves(case.call.command());
        if !served || case.call.changes() || case.is_about_the_app() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join(&case.recording.vault);
        fs_err::create_dir(&vault).unwrap();
        case.call.lay_out(&vault).unwrap();
        let printed = engine_text(&case, &vault, arguments);
        let printed = case.sorted(&printed.unwrap_or_else(|error| error.to_string()));
        let wanted = case.sorted(&case.text_at(&vault));
        compared += 1;
        if (printed == wanted) == case.call.engine_differs.is_some() {
            faults.push(format!(
                "{case}\n  app:    {wanted:?}\n  engine: {printed:?}"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared > 100, "{compared}");
}

/// The list of an answer, and the lines of its text, in one order for all.
fn sort_lists(envelope: &mut Value) {
    if let Some(items) = envelope.pointer_mut("/data/items") {
        let items = items.as_array_mut().unwrap();
        items.sort_by_key(|item| item["path"].as_str().map(str::to_owned));
    }
    let stdout = envelope["stdout"].as_str().unwrap_or_default();
    let mut parts: Vec<&str> = stdout.split(['\n', ',', '[', ']']).collect();
    parts.sort_unstable();
    envelope["stdout"] = parts.join("\n").into();
}

/// A gateway that asks one backend, whatever it may ask.
fn ask(case: &Case, world: &World, backend: BackendChoice) -> Envelope {
    let request = request(case.call.command(), &borrowed(&case.params()));
    checked(world.through(backend).call(&request))
}

/// The vault of the call, everything allowed and nothing to be approved.
fn open_world(case: &Case) -> World {
    World::with_recording(&case.recording, &case.call)
        .set("allow_active_file = true")
        .set("approve = []\nallow_mutations = true\nallow_active = true")
}

/// Does `check` for every case that `which` picks, on several threads: a run of the fake leaves a
/// processor idle. Returns for how many the fake played the recording.
fn for_each(which: impl Fn(&Case) -> bool, check: impl Fn(&Case) -> bool + Sync) -> usize {
    let picked: Vec<Case> = cases().into_iter().filter(|case| which(case)).collect();
    let played = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (picked, played, check) = (&picked, &played, &check);
            scope.spawn(move || {
                for case in picked.iter().skip(worker).step_by(WORKERS) {
                    played.fetch_add(usize::from(check(case)), Ordering::Relaxed);
                }
            });
        }
    });
    played.into_inner()
}

const WORKERS: usize = 4;

#[test]
fn both_backends_say_what_the_app_said() {
    let played = for_each(
        |case| case.is_admitted() && !case.call.changes(),
        |case| {
            let world = open_world(case);
            let command = case.call.command();
            let twice = (vault_engine::serves(command) || vault_engine::plans(command))
                && case.call.active_file.is_none()
                && case.call.engine_differs.is_none()
                && !case.is_about_the_app()
                && !case.is_noisy();
            let official = if twice {
                let params = case.params();
                Both::new(&world).same_after(command, &borrowed(&params), |envelope| {
                    // Names the run, and so the backend.
                    envelope["meta"]["journal"].take();
                    if case.call.any_order {
                        sort_lists(envelope);
                    }
                })
            } else {
                ask(case, &world, BackendChoice::Obsidian)
            };
            let error = case.error();
            assert_eq!(official.success, error.is_none(), "{case}\n{official:#?}");
            let played = case.was_played(&world);
            // The gateway may know better than to ask, but then it says no by itself.
            assert!(played || !official.success, "{case}\n{official:#?}");
            if official.success && !twice {
                let printed = case.call.stdout_at(&case.recording, &world.vault).unwrap();
                assert_eq!(official.stdout, printed, "{case}");
            }
            if case.is_noisy() && case.call.exit == 0 {
                let embedded = ask(case, &world, BackendChoice::Embedded);
                assert_eq!(embedded.data, official.data, "{case}");
                assert_eq!(code(&embedded), code(&official), "{case}");
            }
            played
        },
    );
    assert!(played > 150, "{played}");
}

#[test]
fn both_backends_do_and_confirm_what_the_app_did_and_confirmed() {
    let played = for_each(
        |case| case.is_admitted() && case.call.changes() && case.call.engine_differs.is_none(),
        |case| {
            let world = open_world(case);
            let official = ask(case, &world, BackendChoice::Obsidian);
            let played = case.was_played(&world);
            if played {
                let text = case.text_at(&world.vault);
                assert!(official.success, "{case}\n{official:#?}");
                assert_eq!(official.stdout, text, "{case}");
                assert!(case.call.is_done_at(&world.vault).unwrap(), "{case}");
            } else {
                assert_eq!(code(&official), "FILE_NOT_FOUND", "{case}\n{official:#?}");
            }
            if vault_engine::plans(case.call.command()) {
                let world = open_world(case);
                let embedded = ask(case, &world, BackendChoice::Embedded);
                assert_eq!(embedded.stdout, official.stdout, "{case}\n{embedded:#?}");
                assert_eq!(embedded.data, official.data, "{case}");
                assert_eq!(embedded.status, official.status, "{case}");
                assert_eq!(code(&embedded), code(&official), "{case}");
                assert_eq!(
                    case.call.is_done_at(&world.vault).unwrap(),
                    played,
                    "{case}"
                );
                assert!(world.nothing_spawned(), "{case}");
            }
            played
        },
    );
    assert!(played >= 15, "{played}");
}

/// Returns the name of a form of an answer: the words that select it, `plain` without such words, `empty` if it lists
/// nothing, `error` for a message of the app; with `note` before it for a question about one note.
fn form(case: &Case) -> String {
    let of_a_note = case.call.argv.iter().any(|word| word.starts_with("path="))
        && ["aliases", "properties", "tags", "tasks"].contains(&case.call.command());
    let note = if of_a_note { "note " } else { "" };
    if case.error().is_some() {
        return "error".to_owned();
    }
    let text = startup_noise::strip(&case.call.stdout).0.trim();
    let is_none = text.starts_with("No ") && text.ends_with('.') && !text.contains('\n');
    if is_none || text.is_empty() {
        return format!("{note}empty");
    }
    let words: Vec<&str> = case
        .call
        .argv
        .iter()
        .map(String::as_str)
        .filter(|word| {
            word.starts_with("format=")
                || word.starts_with("info=")
                || word.starts_with("sort=")
                || (!word.contains('=') && *word != case.call.command())
        })
        .collect();
    if words.is_empty() {
        format!("{note}plain")
    } else {
        format!("{note}`{}`", words.join(" "))
    }
}

/// Commands without a recording that the fake carries out by code of its own.
const FAKED_WRITES: [&str; 3] = ["daily:append", "daily:prepend", "task"];

/// Returns the evidence for the answers of a command: the forms that a live app printed (`live`), and those that are
/// known from the code of the app, a wrapper or a help page (`deduced`). Without either, `fake` if the fake of the tests
/// answers, and `—` if nothing can be compared.
fn foundation(command: &str, cases: &[Case]) -> String {
    let forms = |live: bool| {
        let mut forms: Vec<String> = cases
            .iter()
            .filter(|case| case.call.command() == command && !case.is_about_the_app())
            .filter(|case| (case.call.evidence == Evidence::Live) == live)
            .map(form)
            .collect();
        forms.sort_by_key(|form| {
            (
                form != "plain",
                form == "nothing",
                form == "error",
                form.clone(),
            )
        });
        forms.dedup();
        forms
    };
    let live = forms(true);
    let mut others = forms(false);
    others.retain(|form| !live.contains(form));
    let shown = |name: &str, forms: &[String]| format!("{name}: {}", forms.join(", "));
    let parts: Vec<String> = [("live", live), ("deduced", others)]
        .into_iter()
        .filter(|(_, forms)| !forms.is_empty())
        .map(|(name, forms)| shown(name, &forms))
        .collect();
    if !parts.is_empty() {
        return parts.join("; ");
    }
    let answered = vault_engine::serves(command) || FAKED_WRITES.contains(&command);
    if answered { "fake" } else { "—" }.to_owned()
}

#[test]
fn each_command_of_the_app_rests_on_these_forms() {
    let cases = cases();
    let commands = Catalogue::builtin().unwrap().commands();
    let rows: Vec<String> = commands
        .filter(|command| !command.is_ours())
        .map(|command| format!("{}: {}", command.id, foundation(&command.id, &cases)))
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}
