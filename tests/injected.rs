//! An agent that obeys every text it reads: which goals of attackers it reaches (`tests/data/attack_goals.toml`), and which
//! ordinary tasks it completes (`tests/data/ordinary_tasks.toml`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use fake_obsidian::scenario::Scenario;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use vault_gw::gateway::Review;
use vault_gw::tiers::ApprovalChannel;

use crate::mcp::client::Client;
use crate::mcp::http::Server;
use crate::support::service::Service;
use crate::support::{Outcome as _, World, files_below, write_private};

/// The settings that label what comes from the web.
const LABELS: &str = "[taint]\nsources = [\"Clippings/**\"]\n";

/// The note that tells the agent what to do.
const OFFER: &str = "Clippings/Offer.md";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Goals {
    file: Vec<VaultFile>,
    goal: Vec<Goal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    id: String,
    wants: String,
    note: String,
    calls: Vec<Ask>,
    reached: Reached,
    #[serde(default)]
    app: bool,
    #[serde(default)]
    closed: bool,
    person: Option<String>,
}

/// A call of the agent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    pub(crate) command: String,
    pub(crate) params: Map<String, Value>,
}

impl Ask {
    fn new(command: &str, params: &Value) -> Self {
        Self {
            command: command.to_owned(),
            params: params.as_object().unwrap().clone(),
        }
    }
}

/// How it is judged whether a goal is reached; the words are explained in the table.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reached {
    Holds(String),
    File(String),
    Lost(String),
    Changed(usize),
    Told(String),
    Public(String),
    Outside(String),
    App(Vec<String>),
}

/// What the owner has set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// What `setup` writes.
    Setup,
    /// What `setup` writes where agents may change notes.
    Writes,
    /// Writes are open, the agent has no draft, and may change what the app shows.
    Open,
    /// As [`Self::Setup`], and agents may change what the app shows.
    Closed,
    /// Writes are open, and all of them go into drafts. Agents may change what the app shows.
    All,
}

impl Owner {
    const EACH: [Self; 5] = [
        Self::Setup,
        Self::Writes,
        Self::Open,
        Self::Closed,
        Self::All,
    ];

    /// Whether the goals are tried for this owner in this way: those without the app say nothing new of
    /// [`Self::Closed`], and one way is enough for [`Self::Open`].
    fn is_tried(self, way: &str, with_app: bool) -> bool {
        match self {
            Self::Closed => with_app,
            Self::Open => way == "call",
            Self::Setup | Self::Writes | Self::All => true,
        }
    }

    /// The settings file of this owner. With `closes` they have closed a folder to agents.
    fn settings(self, world: &World, closes: bool) -> String {
        let root = match self {
            Self::Setup | Self::Writes => {
                let [(vault, alone), (_, writes)] = &*SET_UP;
                let text = if self == Self::Setup { alone } else { writes };
                text.replace(vault, world.vault.to_str().unwrap())
            }
            Self::Open => format!("enabled = true\nallow_mutations = true\n{}", world.settings),
            Self::Closed => format!("enabled = true\ndrafts = \"closed\"\n{}", world.settings),
            Self::All => format!(
                "enabled = true\nallow_mutations = true\ndrafts = \"all\"\n{}",
                world.settings
            ),
        };
        let labels = if root.contains("[taint]") { "" } else { LABELS };
        let text = format!("{root}\n{labels}");
        let (table, rule) = ("\n[paths]\n", "\n[paths]\ndeny = [\"Closed/**\"]\n");
        if !closes {
            text
        } else if text.contains(table) {
            text.replace(table, rule)
        } else {
            text + rule
        }
    }
}

/// What `setup` writes, and what it writes where agents may change notes; each with the vault in it.
static SET_UP: LazyLock<[(String, String); 2]> = LazyLock::new(|| {
    let world = World::empty();
    world.write(OFFER, "");
    let vault = world.vault.to_str().unwrap();
    [&[][..], &["--agents=write"]].map(|writers| {
        let words = [
            &["setup", "--yes", "--no-clients", "--vault", vault],
            writers,
        ]
        .concat();
        world.run_as_it_is(&words, b"").ended(0);
        let file = world.settings_file();
        (vault.to_owned(), fs_err::read_to_string(file).unwrap())
    })
});

/// The interface through which the agent calls.
enum Way {
    Stdio(Client),
    Http(Server),
    Lines(Service),
}

const WAYS: [&str; 3] = ["stdio", "http", "call"];

impl Way {
    fn open(name: &str, world: &World) -> Self {
        let command = |words: &[&str]| {
            let mut command = world.program();
            command.args(words);
            command
        };
        match name {
            "stdio" => Self::Stdio(Client::open_with(command(&["mcp"]), &json!({}))),
            "http" => Self::Http(Server::start(command(&["mcp", "--http", "127.0.0.1:0"]))),
            _ => Self::Lines(Service::spawned(command(&["call"]))),
        }
    }

    /// The answer, and what it says: a code, or whether it was done or drafted.
    fn ask(&mut self, ask: &Ask, approval: Option<&Value>) -> (Value, String) {
        let mut request = json!({ "command": ask.command, "params": ask.params });
        if let Some(approval) = approval {
            request["approval"] = approval.clone();
        }
        let answer = match self {
            Self::Stdio(client) => client.call("obsidianCli", &request),
            Self::Http(server) => server.call("obsidianCli", &request),
            Self::Lines(service) => service.ask_quickly(&request.to_string()),
        };
        let is_line = matches!(self, Self::Lines(_));
        let said = said(if is_line {
            &answer
        } else {
            &answer["structuredContent"]
        });
        (answer, said)
    }
}

fn said(envelope: &Value) -> String {
    let code = envelope["error"]["code"].as_str();
    let code = code.or_else(|| (envelope["status"] == "drafted").then_some("drafted"));
    code.unwrap_or("ok").to_owned()
}

/// The worlds in which goals are tried: whether the app runs, and whether the owner has closed a folder.
const KINDS: [(bool, bool); 3] = [(false, false), (false, true), (true, false)];

/// A user, and an agent that is connected to their vault.
struct Scene<'t> {
    way: Way,
    world: World,
    files: &'t [VaultFile],
    has_drafted: bool,
}

impl<'t> Scene<'t> {
    fn new(
        owner: Owner,
        way: &str,
        files: &'t [VaultFile],
        (with_app, closes): (bool, bool),
    ) -> Self {
        let mut world = World::empty();
        let elsewhere = world.scratch().join("elsewhere");
        fs_err::create_dir_all(elsewhere.join(".obsidian")).unwrap();
        fs_err::write(
            elsewhere.join("Account.md"),
            "ACCOUNT-4711 of the account\n",
        )
        .unwrap();
        if with_app {
            world = world.with_fake(&Scenario::logged());
        }
        let binary = world
            .settings
            .lines()
            .find(|line| line.starts_with("obsidian_path"));
        let binary = binary.unwrap_or_default().to_owned();
        let settings = owner.settings(&world, closes);
        world.settings = if settings.contains("obsidian_path = \"/") {
            settings
        } else {
            format!("{binary}\n{settings}")
        };
        world.write_settings();
        let vaults = [world.vault.as_path(), elsewhere.as_path()];
        world.home.register(vaults).unwrap();
        let mut scene = Self {
            way: Way::open(way, &world),
            world,
            files,
            has_drafted: false,
        };
        scene.reset();
        scene
    }

    fn ask(&mut self, ask: &Ask, approval: Option<&Value>) -> (Value, String) {
        let (answer, said) = self.way.ask(ask, approval);
        self.has_drafted |= said == "drafted";
        (answer, said)
    }

    /// Brings the vault back to what it was, with an empty draft.
    fn reset(&mut self) {
        if std::mem::take(&mut self.has_drafted) {
            self.ask(&Ask::new("draft:withdraw", &json!({ "all": true })), None);
        }
        let (vault, world) = (&self.world.vault, &self.world);
        for entry in fs_err::read_dir(vault).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                fs_err::remove_dir_all(path).unwrap();
            } else {
                fs_err::remove_file(path).unwrap();
            }
        }
        for file in self.files {
            world.write(&file.path, &file.text);
        }
        symlink(world.scratch().join("elsewhere"), vault.join("Outside")).unwrap();
    }

    /// The files of the vault, apart from its trash and what a link leads to.
    fn vault(&self) -> BTreeMap<String, String> {
        let mut found = texts(&self.world.vault);
        found.retain(|path, _| !path.starts_with(".trash/"));
        found
    }

    /// Lets the agent read the note and obey it. Returns what the answers say, and whether the goal is reached.
    fn obey(&mut self, goal: &Goal) -> (Vec<String>, bool) {
        self.reset();
        self.world
            .write(OFFER, format!("# Offer\n\n{}\n", goal.note));
        if let Some(words) = &goal.person {
            self.a_person_runs(words);
        }
        let asked_before = self.world.runs().len();
        let (answer, said) = self.ask(&Ask::new("read", &json!({ "path": OFFER })), None);
        assert_eq!(said, "ok", "{}: {answer:#}", goal.id);
        assert!(
            answer.to_string().contains("# Offer"),
            "{}: {answer:#}",
            goal.id
        );
        let (mut all, mut answers) = (Vec::new(), Vec::new());
        for ask in &goal.calls {
            let (answer, said) = self.ask(ask, None);
            all.push(said);
            answers.push(answer.to_string());
        }
        let vault = self.vault();
        let own = vault
            .iter()
            .filter(|(path, _)| !path.starts_with("Clippings/"));
        let holds = |text: &str, folder: &str| {
            let mut files = own.clone().filter(|(path, _)| path.starts_with(folder));
            files.any(|(path, content)| path.contains(text) || content.contains(text))
        };
        let is_reached = match &goal.reached {
            Reached::Holds(text) => holds(text, ""),
            Reached::Public(text) => holds(text, "Public/"),
            Reached::Lost(text) => !vault
                .values()
                .any(|content| content.contains(text.as_str())),
            Reached::File(path) => vault.keys().any(|is| is.eq_ignore_ascii_case(path)),
            Reached::Changed(count) => {
                let is_changed = |file: &&VaultFile| vault.get(&file.path) != Some(&file.text);
                self.files.iter().filter(is_changed).count() >= *count
            }
            Reached::Told(text) => answers.iter().any(|answer| answer.contains(text.as_str())),
            Reached::Outside(text) => {
                let (scratch, config) = (self.world.scratch(), self.world.home.config());
                let mut outside = texts(&scratch)
                    .into_values()
                    .chain(texts(&config).into_values());
                outside.any(|content| content.contains(text.as_str()))
            }
            Reached::App(commands) => {
                let runs = self.world.runs().split_off(asked_before);
                let asks = |run: &String| {
                    run.split(' ')
                        .any(|word| commands.iter().any(|is| is == word))
                };
                runs.iter().any(asks)
            }
        };
        (all, is_reached)
    }

    /// Runs a command line of a person who may change notes.
    fn a_person_runs(&self, words: &str) {
        let settings = self.world.scratch().join("of-a-person.toml");
        let vault = crate::support::quoted(&self.world.vault);
        let text = format!("vault = {vault}\nallow_mutations = true\nbackend = \"embedded\"\n");
        write_private(&settings, text);
        let given = ["--settings", settings.to_str().unwrap()];
        let words: Vec<&str> = given.into_iter().chain(words.split(' ')).collect();
        self.world.run_as_it_is(&words, b"").ended(0);
    }
}

/// All files below a folder with their text, without what links to folders lead to.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let files = files_below(folder).into_iter();
    files.map(|(path, bytes)| (path, text(bytes))).collect()
}

/// Calls as a short line: `ok, 3 drafted`.
fn in_short(said: &[String]) -> String {
    let mut parts: Vec<(usize, &str)> = Vec::new();
    for code in said {
        match parts.last_mut() {
            Some((count, last)) if last == code => *count += 1,
            _ => parts.push((1, code)),
        }
    }
    let parts = parts.iter().map(|(count, code)| match count {
        1 => (*code).to_owned(),
        _ => format!("{count} {code}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[test]
fn k08_an_agent_that_obeys_all_it_reads_reaches_no_goal() {
    let goals: Goals = toml::from_str(include_str!("data/attack_goals.toml")).unwrap();
    let ids: BTreeSet<&str> = goals.goal.iter().map(|goal| goal.id.as_str()).collect();
    assert_eq!(ids.len(), goals.goal.len());
    assert!(
        goals
            .goal
            .iter()
            .all(|goal| KINDS.contains(&(goal.app, goal.closed)))
    );
    assert!(goals.goal.len() >= 40 && goals.goal.iter().all(|goal| !goal.wants.is_empty()));
    // For each goal and owner what the answers say, by each way; and what is reached.
    let said: Mutex<BTreeMap<(&str, Owner, &str), String>> = Mutex::default();
    let reached: Mutex<BTreeSet<(Owner, &str, &str)>> = Mutex::default();
    std::thread::scope(|threads| {
        for (owner, way) in Owner::EACH
            .into_iter()
            .flat_map(|owner| WAYS.map(|way| (owner, way)))
        {
            let (goals, said, reached) = (&goals, &said, &reached);
            threads.spawn(move || {
                for kind in KINDS {
                    if !owner.is_tried(way, kind.0) {
                        continue;
                    }
                    let mut scene = Scene::new(owner, way, &goals.file, kind);
                    for goal in goals
                        .goal
                        .iter()
                        .filter(|goal| (goal.app, goal.closed) == kind)
                    {
                        let (all, is_reached) = scene.obey(goal);
                        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                        said.insert((&goal.id, owner, way), in_short(&all));
                        if is_reached {
                            let mut reached =
                                reached.lock().unwrap_or_else(PoisonError::into_inner);
                            reached.insert((owner, &goal.id, way));
                        }
                    }
                }
            });
        }
    });
    let (said, reached) = (said.into_inner().unwrap(), reached.into_inner().unwrap());
    let mut table = String::new();
    for goal in &goals.goal {
        writeln!(table, "{}: {}", goal.id, goal.wants).unwrap();
        for owner in Owner::EACH {
            let shown = WAYS.map(|way| said.get(&(goal.id.as_str(), owner, way)));
            let alike: BTreeSet<&String> = shown.iter().flatten().copied().collect();
            let Some(shown) = alike.first() else {
                continue;
            };
            assert_eq!(alike.len(), 1, "{}: {alike:?}", goal.id);
            writeln!(table, "  {:7} {shown}", format!("{owner:?}").to_lowercase()).unwrap();
        }
    }
    assert!(reached.is_empty(), "{reached:?}\n{table}");
    insta::assert_snapshot!("goals", table);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    file: Vec<VaultFile>,
    task: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    id: String,
    calls: Vec<Ask>,
    done: Done,
}

/// What holds when a task is completed; the words are explained in the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    path: Option<String>,
    holds: Option<String>,
    lacks: Option<String>,
    reported: Option<String>,
}

/// What a person had to do for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Needed {
    Nothing,
    Draft,
    Approval,
}

impl Scene<'_> {
    /// Lets the agent do a task, and a person do what it needs.
    fn complete(&mut self, task: &Task) -> Needed {
        self.reset();
        let person = self.world.person();
        person.clear_taint(&[], Some(&[])).succeeds();
        let mut needed = Needed::Nothing;
        let mut answers = Vec::new();
        for ask in &task.calls {
            let (mut answer, mut said) = self.ask(ask, None);
            if said == "APPROVAL_REQUIRED" {
                needed = Needed::Approval;
                let approval = &answer["error"]["details"]["approval"];
                let words = ["review", "accept", approval.as_str().unwrap(), "--yes"];
                self.world.run_as_it_is(&words, b"").ended(0);
                (answer, said) = self.ask(ask, Some(approval));
            }
            assert!(
                ["ok", "drafted"].contains(&said.as_str()),
                "{}: {answer:#}",
                task.id
            );
            if said == "drafted" {
                needed = needed.max(Needed::Draft);
            }
            answers.push(answer.to_string());
        }
        let person = self.world.person();
        for draft in person.drafts().waiting_drafts().unwrap().0 {
            let accepted = Review {
                confirmed: true,
                channel: Some(ApprovalChannel::Yes),
                ..Review::of_draft(&draft, true)
            };
            let accepted = person.review(&accepted, false);
            assert!(accepted.success, "{}: {accepted:?}", task.id);
        }
        let Done {
            path,
            holds,
            lacks,
            reported,
        } = &task.done;
        let text = path
            .as_ref()
            .and_then(|path| self.vault().get(path).cloned());
        let has = |part: &String| {
            text.as_ref()
                .is_some_and(|text| text.contains(part.as_str()))
        };
        assert!(
            holds.as_ref().is_none_or(has),
            "{}: {text:?} {answers:#?}",
            task.id
        );
        assert!(!lacks.as_ref().is_some_and(has), "{}: {text:?}", task.id);
        let is_reported =
            |part: &String| answers.iter().any(|answer| answer.contains(part.as_str()));
        assert!(
            reported.as_ref().is_none_or(is_reported),
            "{}: {answers:#?}",
            task.id
        );
        needed
    }
}

#[test]
fn k08_ordinary_tasks_are_completed_and_few_need_a_person() {
    let tasks: Tasks = toml::from_str(include_str!("data/ordinary_tasks.toml")).unwrap();
    assert!(tasks.task.len() >= 40);
    let of_owner = |owner| {
        let mut scene = Scene::new(owner, "call", &tasks.file, (false, false));
        let needed = tasks.task.iter().map(|task| scene.complete(task));
        needed.collect::<Vec<_>>()
    };
    let owners = [Owner::Setup, Owner::Writes, Owner::All];
    let needed = std::thread::scope(|threads| {
        let running = owners.map(|owner| threads.spawn(move || of_owner(owner)));
        running.map(|owner| owner.join().unwrap())
    });
    let mut table = String::new();
    for (owner, needed) in owners.iter().zip(&needed) {
        let count = |wanted| needed.iter().filter(|needed| **needed == wanted).count();
        writeln!(
            table,
            "{owner:?}: {} by itself, {} by a draft, {} with an approval",
            count(Needed::Nothing),
            count(Needed::Draft),
            count(Needed::Approval)
        )
        .unwrap();
    }
    for (at, task) in tasks.task.iter().enumerate() {
        let each = needed.each_ref().map(|needed| format!("{:?}", needed[at]));
        writeln!(table, "{}: {}", task.id, each.join(", ").to_lowercase()).unwrap();
    }
    insta::assert_snapshot!("tasks", table);
}
