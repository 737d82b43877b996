//! A program that obeys an attacker gets nowhere in the fence of `vault-gw run`, and what it leaves in
//! its working copy harms nobody (`threats.toml` group M).
//!
//! The program is `fixtures/hostile-cli/fence`. It says of each try what became of it; what it changed
//! outside is looked at from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use vault_gw::gateway::{Review, WaitingDraft};
use vault_gw::tiers::ApprovalChannel;

use crate::support::processes::comes_true;
use crate::support::pty::Pty;
use crate::support::thin::{hostile_in_fence, skipped};
use crate::support::{World, executable};

const CASES: &str = include_str!("data/fenced.txt");

/// How long one run of the program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// What rules for files alone do not close, so that the program says so when it starts: the kernel has
/// no rule for it. Whatever is not named here must fail.
static NOT_COVERED_BY_RULES: LazyLock<Vec<&str>> =
    LazyLock::new(|| tables::lines(CASES, "not covered by rules"));

/// What no fence closes: a file that the person hands over as a stream.
const NOT_COVERED: [&str; 2] = [
    "read-standard-input-chmod",
    "read-standard-input-for-writing",
];

/// What lies in folders that are closed, and in closed notes of open folders.
const CLOSED_NOTES: [(&str, &str); 3] = [
    ("note", "Private/closed.md"),
    ("tagged", "Tagged/tag.md"),
    ("private", "Tagged/property.md"),
];

/// Files of the home that nobody in a fence may read.
const SECRETS_OF_THE_HOME: [&str; 6] = [
    ".ssh/id_ed25519",
    ".netrc",
    ".bash_history",
    "Documents/diary.txt",
    ".mozilla/firefox/x.default/logins.json",
    ".gnupg/private-keys-v1.d/key",
];

/// How the program is fenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With a file tree and processes of its own.
    Tree,
    /// With rules for files alone, as where nobody may have namespaces.
    Rules,
}

const WAYS: [Way; 2] = [Way::Tree, Way::Rules];

/// What came of a try, and how.
type Tries = BTreeMap<String, (String, String)>;

/// A world with everything that an attacker would like, and the attacker.
struct Attack {
    world: World,
    program: PathBuf,
    marker: String,
    token: String,
    key: u32,
    decoy: Ending,
    holder: Holder,
    /// The agent for which the program runs; `None` for none with a name.
    agent: Option<&'static str>,
    _listeners: Vec<UnixListener>,
    _datagrams: UnixDatagram,
    port: TcpListener,
}

/// A process that ends with the test.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Holds what has a key instead of a path, and takes it away when its input ends.
struct Holder(Child);

impl Holder {
    fn start(mut command: Command) -> Self {
        let mut holder = Self(command.spawn().unwrap());
        assert_eq!(holder.line(), "held\n");
        holder
    }

    fn line(&mut self) -> String {
        let mut said = String::new();
        let mut stdout = BufReader::new(self.0.stdout.take().unwrap());
        stdout.read_line(&mut said).unwrap();
        self.0.stdout = Some(stdout.into_inner());
        said
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

impl Attack {
    /// `None` where there is no C compiler.
    fn prepare() -> Option<Self> {
        Self::as_program("hostile")
    }

    /// The same, as a program of this name.
    fn as_program(name: &str) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let built = hostile_in_fence()?;
        let key = 0x4000_0000
            + std::process::id() % 0x10_0000 * 0x100
            + NUMBER.fetch_add(1, Ordering::Relaxed);
        let (marker, token) = (
            format!("marker-{key}-closed"),
            format!("token-{key}-planted"),
        );
        let world = furnished(&marker);
        world.write_settings();
        let program = world.home.path().join("tools").join(name);
        fs_err::create_dir_all(program.parent().unwrap()).unwrap();
        executable(&program, fs_err::read(built).unwrap());

        let mut listeners: Vec<_> = ["bus", "agent.sock", ".obsidian-cli.sock"]
            .map(|name| UnixListener::bind(world.home.runtime().join(name)).unwrap())
            .into();
        listeners.push(UnixListener::bind(world.scratch().join("outside.txt.sock")).unwrap());
        let name = SocketAddr::from_abstract_name(&token).unwrap();
        listeners.push(UnixListener::bind_addr(&name).unwrap());
        let name = SocketAddr::from_abstract_name(format!("{token}.datagram")).unwrap();
        let mut decoy = world.command(Path::new("/bin/cat"));
        let mut holder = world.command(&program);
        holder.arg("hold").args([
            format!("key={key}"),
            format!("marker={}", backwards(&marker)),
        ]);
        Some(Self {
            program,
            marker,
            token,
            key,
            decoy: Ending(decoy.spawn().unwrap()),
            holder: Holder::start(holder),
            agent: Some("helper"),
            _listeners: listeners,
            _datagrams: UnixDatagram::bind_addr(&name).unwrap(),
            port: TcpListener::bind("127.0.0.1:0").unwrap(),
            world,
        })
    }

    /// The program in the fence, with these words, and what it must know.
    fn fencing(&self, way: Way, network: &str, words: &[&str]) -> Command {
        let world = &self.world;
        world.write_settings();
        let mut fence = match way {
            Way::Tree => world.program(),
            Way::Rules => {
                let mut fence = world.stand_in("program");
                fence.args(["--no-trees", "99"]);
                fence
            }
        };
        fence
            .arg("run")
            .args(self.agent.map(|agent| format!("--agent={agent}")))
            .args(["--network", network, "--"])
            .arg(&self.program)
            .args(words)
            .args(self.reported(network));
        // What a shell or an editor leaves open; and the number of the process that it becomes.
        let mut shell = world.command(Path::new("/bin/sh"));
        shell
            .arg("-c")
            .arg("exec 7<\"$1\" 8</ 9<\"$2\"; shift 2; exec \"$@\" \"outer=$$\"")
            .arg("sh")
            .arg(world.vault.join("Private/closed.md"))
            .arg(self.outside())
            .arg(fence.get_program())
            .args(fence.get_args())
            .env("SSH_AUTH_SOCK", world.home.runtime().join("agent.sock"))
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/0/bus")
            // The person's, which starts anything if it is told to.
            .env("VAULT_GW_PAGER", "/bin/sh -c 'echo a pager outside; cat'")
            .env("DISPLAY", ":0")
            .env("WAYLAND_DISPLAY", "wayland-0")
            .env("VAULT_GW_TOKEN", &self.marker)
            .env("UNRELATED_SECRET", &self.marker);
        shell
    }

    fn reported(&self, network: &str) -> Vec<String> {
        let world = &self.world;
        let number_of = |path: PathBuf| fs_err::metadata(path).unwrap().ino();
        let state = world.state();
        let audit = state.join("audit/audit.jsonl");
        let mut reported: Vec<(&str, String)> = CLOSED_NOTES
            .map(|(key, path)| (key, path.to_owned()))
            .into();
        let path = |path: &Path| path.display().to_string();
        let profile = self.program.file_name().unwrap().to_string_lossy();
        reported.extend([
            ("vault", path(&world.vault)),
            ("marker", backwards(&self.marker)),
            (
                "inode",
                number_of(world.vault.join("Private/closed.md")).to_string(),
            ),
            (
                "folder_inode",
                number_of(world.vault.join("Private")).to_string(),
            ),
            ("state", path(&state)),
            ("settings", path(&world.settings_file())),
            ("audit", path(&audit)),
            ("home", path(&world.home.path())),
            ("outside", path(&self.outside())),
            ("runtime", path(&world.home.runtime())),
            ("abstract", self.token.clone()),
            ("port", self.port.local_addr().unwrap().port().to_string()),
            ("network", network.to_owned()),
            ("decoy", self.decoy.0.id().to_string()),
            ("key", self.key.to_string()),
            ("agent", "other".to_owned()),
            ("token", self.token.clone()),
            ("profile", profile.into_owned()),
        ]);
        let words = reported
            .into_iter()
            .map(|(key, value)| format!("{key}={value}"));
        words.collect()
    }

    /// A file that nobody showed.
    fn outside(&self) -> PathBuf {
        self.world.scratch().join("outside.txt")
    }

    /// Runs the program in the fence. What became of its tries; `None` where there is no such fence.
    fn tries(&self, way: Way, network: &str, families: &[&str]) -> Option<Tries> {
        let fence = self.fencing(way, network, families);
        let before = self.surroundings();
        let (status, said, warned) = self.run(fence);
        if way == Way::Tree && warned.contains("no file tree of its own")
            || warned.contains("SANDBOX_UNAVAILABLE")
        {
            skipped(&format!("no fence by {way:?} here: {warned}"));
            return None;
        }
        let tries = parsed(&said);
        assert_eq!(status, Some(0), "{said} {warned}");
        assert!(tries.contains_key("end"), "{said} {warned}");
        let is_plain = |byte: char| !byte.is_control() || byte == '\n';
        assert!(
            warned.chars().all(is_plain),
            "control characters of the program: {warned:?}"
        );
        for name in self.names(families) {
            assert!(tries.contains_key(&name), "{name} was not tried: {said}");
        }
        self.nothing_stays();
        assert_same(&before, &self.surroundings());
        self.state_is_whole();
        Some(tries)
    }

    /// Runs a command to its end, with a file as its input: its status, output and warnings.
    fn run(&self, mut command: Command) -> (Option<i32>, String, String) {
        let output = self.world.scratch().parent().unwrap().join("said");
        let warnings = self.world.scratch().parent().unwrap().join("warned");
        command
            .stdin(fs_err::File::open(self.outside()).unwrap().into_parts().0)
            .stdout(fs_err::File::create(&output).unwrap().into_parts().0)
            .stderr(fs_err::File::create(&warnings).unwrap().into_parts().0);
        let mut child = Ending(command.spawn().unwrap());
        let limit = Instant::now() + LIMIT;
        let mut status = None;
        while status.is_none() && Instant::now() < limit {
            std::thread::park_timeout(Duration::from_millis(5));
            status = child.0.try_wait().unwrap();
        }
        let text = |path| String::from_utf8_lossy(&fs_err::read(path).unwrap()).into_owned();
        let (said, warned) = (text(&output), text(&warnings));
        assert!(status.is_some(), "it still runs: {said} {warned}");
        (status.and_then(|status| status.code()), said, warned)
    }

    /// The names of the tries of these families.
    fn names(&self, families: &[&str]) -> Vec<String> {
        let mut command = self.world.command(&self.program);
        let output = command.arg("list").output().unwrap();
        let names = String::from_utf8(output.stdout).unwrap();
        let names = names.lines().map(str::to_owned);
        names
            .filter(|name| {
                let family = name.split('-').next().unwrap();
                families.is_empty() || families.contains(&family)
            })
            .collect()
    }

    /// Everything outside that must be as it was: the vault, the home but for the gateway's state and
    /// cache, and what lies beside them.
    fn surroundings(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let own = self.own_folders();
        for folder in [
            self.world.vault.clone(),
            self.world.home.path(),
            self.world.home.runtime(),
            self.world.scratch(),
        ] {
            look_through(&folder, &own, &mut found);
        }
        found
    }

    /// The gateway's state and cache, which it writes itself.
    fn own_folders(&self) -> [PathBuf; 2] {
        let cache = self.world.home.path().join(".cache/vault-gw");
        [self.world.state(), cache]
    }

    /// No process of the program is alive.
    fn nothing_stays(&self) {
        let gone = comes_true(|| with_word(&self.token).is_empty());
        assert!(gone, "these stayed: {:?}", with_word(&self.token));
    }

    /// Nobody wrote into the state folder but the gateway.
    fn state_is_whole(&self) {
        let state = self.world.state();
        let secret = fs_err::read_to_string(state.join("secret")).unwrap();
        assert_eq!(secret, self.marker);
        assert!(!state.join("planted").exists() && !state.join("journal/planted").exists());
        let other = state.join("run/other/copy");
        assert_eq!(fs_err::read_dir(other).unwrap().count(), 1);
        self.world
            .run_as_it_is(&["audit", "verify", "-j"], b"")
            .ended(0);
    }

    /// What has a key instead of a path is as it was.
    fn objects_are_whole(mut self) {
        drop(self.holder.0.stdin.take());
        assert_eq!(self.holder.line(), "whole\n");
    }
}

/// A vault with open and closed notes, a home and a state folder, all with the marker where nobody in a
/// fence may read.
fn furnished(marker: &str) -> World {
    let world = World::empty().set("backend = \"embedded\"\nenabled = true")
        .with_tables(
            "[paths]\ndeny = [\"Private/**\"]\ndeny_tags = [\"secret\"]\ndeny_properties = [\"private\"]\n\
             [agents.helper]\n[agents.other]",
        );
    for name in ["a", "b", "c", "d", "e"] {
        world.write(
            &format!("Open/{name}.md"),
            format!("# {name}\n\nOpen text.\n"),
        );
    }
    world.write("Folder/f.md", "f\n");
    world.write("Swapped/s.md", "s\n");
    world.write("Private/closed.md", format!("{marker}\n"));
    world.write("Tagged/tag.md", format!("{marker} #secret\n"));
    world.write(
        "Tagged/property.md",
        format!("---\nprivate: true\n---\n{marker}\n"),
    );
    for hidden in [
        ".trash/closed.md",
        ".history/closed.md",
        ".obsidian/plugins/cache/data.json",
    ] {
        world.write(hidden, marker);
    }
    symlink("../Private/closed.md", world.vault.join("Open/link.md")).unwrap();
    symlink("../Private", world.vault.join("Open/folder")).unwrap();
    with_history(&world);
    for secret in SECRETS_OF_THE_HOME {
        let file = world.home.path().join(secret);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, marker).unwrap();
    }
    let state = world.state();
    let other = state.join("run/other/copy");
    fs_err::create_dir_all(&other).unwrap();
    for file in [state.join("secret"), other.join("secret.md")] {
        fs_err::write(file, marker).unwrap();
    }
    only_for_owner(&state);
    fs_err::write(world.scratch().join("outside.txt"), marker).unwrap();
    world
}

/// The folder and those below it, open to their owner alone, as the gateway makes them.
fn only_for_owner(folder: &Path) {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            only_for_owner(&path);
        } else {
            fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
}

/// A history of the vault with the closed notes, where git is installed.
fn with_history(world: &World) {
    let script = "git init -q . && git add -A && git -c user.name=x -c user.email=x@y commit -qm x";
    let mut git = world.command(Path::new("/bin/sh"));
    git.arg("-c").arg(script).current_dir(&world.vault);
    if !git.output().is_ok_and(|ran| ran.status.success()) {
        skipped("no git: the history of a vault was not tried");
    }
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}

/// Each file below, with what of it must stay.
fn look_through(folder: &Path, but: &[PathBuf], found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if but.contains(&path) {
            continue;
        }
        let about = fs_err::symlink_metadata(&path).unwrap();
        let kind = about.file_type();
        let content = if kind.is_symlink() {
            fs_err::read_link(&path).unwrap().display().to_string()
        } else if kind.is_file() {
            format!("{} {:?}", about.mtime_nsec(), fs_err::read(&path).unwrap())
        } else {
            String::new()
        };
        found.insert(path.clone(), format!("{:o} {content}", about.mode()));
        if kind.is_dir() {
            look_through(&path, but, found);
        }
    }
}

#[track_caller]
fn assert_same(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) {
    let changed = |one: &BTreeMap<PathBuf, String>, other: &BTreeMap<PathBuf, String>| {
        let differs = one
            .iter()
            .filter(|(path, text)| other.get(*path) != Some(text));
        differs
            .map(|(path, _)| path.clone())
            .collect::<BTreeSet<_>>()
    };
    let all = &changed(before, after) | &changed(after, before);
    assert!(all.is_empty(), "these were changed from inside: {all:?}");
}

/// The command lines with this text.
fn with_word(word: &str) -> Vec<String> {
    let processes = fs_err::read_dir("/proc").unwrap().flatten();
    // A process may end meanwhile.
    let lines = processes.filter_map(|entry| fs_err::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        // The one that holds what is outside.
        .filter(|line| line.contains(word))
        .collect()
}

fn parsed(said: &str) -> Tries {
    let tries = said.lines().filter_map(|line| {
        let mut parts = line.trim_end().splitn(3, '\t');
        let name = parts.next()?.to_owned();
        let outcome = parts.next()?.to_owned();
        Some((name, (outcome, parts.next().unwrap_or_default().to_owned())))
    });
    tries.collect()
}

/// Nothing got out, but for what is known not to be covered; that is printed.
#[track_caller]
fn assert_nothing_succeeded(way: Way, tries: &Tries) {
    let succeeded = tries
        .iter()
        .filter(|(_, (outcome, _))| outcome == "SUCCEEDED");
    let (known, open): (Vec<_>, Vec<_>) = succeeded.partition(|(name, _)| {
        NOT_COVERED.contains(&name.as_str())
            || way == Way::Rules && NOT_COVERED_BY_RULES.contains(&name.as_str())
    });
    for (name, (_, how)) in known {
        skipped(&format!("not covered by {way:?}: {name} ({how})"));
    }
    assert!(open.is_empty(), "{way:?}: {open:#?}");
}

/// Runs these families in each way that there is here, and looks whether any try got out.
fn nothing_gets_out(network: &str, families: &[&str]) {
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        // Without namespaces there is only the network of the machine.
        if way == Way::Rules && network != "on" {
            continue;
        }
        if let Some(tries) = attack.tries(way, network, families) {
            assert_nothing_succeeded(way, &tries);
            attack.objects_are_whole();
        }
    }
}

#[test]
fn m01_every_try_is_known_by_its_name() {
    let Some(attack) = Attack::prepare() else {
        return;
    };
    let names = attack.names(&[]);
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len());
    insta::assert_snapshot!("fenced_tries", names.join("\n"));
}

#[test]
fn m01_nothing_closed_is_read() {
    nothing_gets_out("on", &["read"]);
}

#[test]
fn m01_no_file_tree_is_taken_apart() {
    nothing_gets_out("on", &["mount"]);
}

#[test]
fn m02_nothing_outside_is_written() {
    nothing_gets_out("on", &["write", "plant"]);
}

#[test]
fn m02_a_known_agent_plants_nothing_that_is_run_later() {
    for name in ["claude", "codex", "opencode"] {
        for way in WAYS {
            let Some(attack) = Attack::as_program(name) else {
                return;
            };
            let (_, said, warned) = attack.run(attack.fencing(way, "on", &["plant"]));
            assert!(said.contains("\nend\t"), "{said} {warned}");
            assert_nothing_succeeded(way, &parsed(&said));
            // Its own folders may change, but for what the tries name.
            let mut found = BTreeMap::new();
            look_through(&attack.world.home.path(), &attack.own_folders(), &mut found);
            let token = format!("{:?}", attack.token.as_bytes());
            let token = token.trim_matches(['[', ']']);
            let planted = found.iter().filter(|(_, text)| text.contains(token));
            let planted: Vec<_> = planted.map(|(path, _)| path).collect();
            assert!(planted.is_empty(), "{name} {way:?}: {planted:?}");
        }
    }
}

#[test]
fn m03_no_other_process_is_touched() {
    nothing_gets_out("on", &["meddle"]);
}

#[test]
fn m03_the_others_of_the_process_group_are_out_of_reach() {
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        let inner = attack.fencing(way, "on", &["group"]);
        // A shell in the same group, as of a line with pipes.
        let mut shell = attack.world.command(Path::new("/bin/sh"));
        shell
            .arg("-c")
            .arg(
                "trap 'echo reached' USR1; now() { cut -d' ' -f19 /proc/$$/stat; }; before=$(now); \"$@\"; \
                 test $before = $(now) && echo kept",
            )
            .arg("sh")
            .arg(inner.get_program())
            .args(inner.get_args())
            // Should it reach the group, that is not the group of the tests.
            .process_group(0);
        let (status, said, warned) = attack.run(shell);
        assert_eq!(status, Some(0), "{said} {warned}");
        assert_nothing_succeeded(way, &parsed(&said));
        assert!(!said.contains("reached"), "{way:?}: {said}");
        assert!(
            said.ends_with("\nkept\n"),
            "{way:?}: a priority was changed: {said}"
        );
    }
}

#[test]
fn m04_no_socket_of_the_session_or_the_network_is_reached() {
    nothing_gets_out("on", &["connect"]);
    nothing_gets_out("off", &["connect"]);
}

#[test]
fn m05_no_rights_are_to_be_had() {
    nothing_gets_out("on", &["rise"]);
}

#[test]
fn m06_nothing_is_typed_into_the_terminal_and_it_is_as_before() {
    if !Path::new("/usr/bin/setsid").exists() {
        skipped("this machine has no setsid to take a terminal with");
        return;
    }
    // Another window of the person, which the program must not open either.
    let _other_window = Pty::sized(80, 24);
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        let inner = attack.fencing(way, "on", &["type", "group"]);
        let mut shell = attack.world.command(Path::new("/usr/bin/setsid"));
        let script = "trap 'echo reached' USR1; \"$@\"; echo \"ended $?\"; stty -a; read -r line; echo \"got $line\"";
        shell
            .args(["-c", "-w", "/bin/sh", "-c", script, "sh"])
            .arg(inner.get_program())
            .args(inner.get_args());
        let mut session = Pty::sized(200, 50).start(shell);
        session.wait_for("ended ");
        session.when("echoke", "hello\n");
        session.wait_for("got ");
        let (_, screen, _) = session.finish();
        let screen = String::from_utf8_lossy(&screen).into_owned();
        let tries = parsed(&screen);
        assert!(screen.contains("ended 0"), "{way:?}: {screen}");
        assert_nothing_succeeded(way, &tries);
        assert!(tries.len() > 30 && !screen.contains("reached"), "{screen}");
        assert!(screen.contains("got hello"), "{way:?}: {screen}");
        let modes = screen.split("ended 0").nth(1).unwrap();
        for mode in ["icanon", "echo", "isig", "opost"] {
            let is_set = modes.split_ascii_whitespace().any(|word| word == mode);
            assert!(is_set, "{way:?} {mode}: {modes}");
        }
        attack.nothing_stays();
    }
}

/// The ways in which the program tries to outlive its end.
static STAYING: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "staying"));

#[test]
fn m07_nothing_outlives_the_end_of_the_program() {
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        for how in STAYING.iter().copied() {
            let (status, said, warned) = attack.run(attack.fencing(way, "on", &["stay", how]));
            assert_eq!(
                (status, said.as_str()),
                (Some(7), "stays\n"),
                "{how} {way:?}: {warned}"
            );
            attack.nothing_stays();
        }
    }
}

#[test]
fn m07_nothing_outlives_a_gateway_that_is_killed() {
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        for how in ["child", "daemon", "namespaces", "stopped", "running-away"] {
            let mut command = attack.fencing(way, "on", &["stay", how, "run=waits"]);
            let mut outer = Ending(command.stdin(Stdio::null()).spawn().unwrap());
            let mut said = String::new();
            let mut stdout = BufReader::new(outer.0.stdout.take().unwrap());
            stdout.read_line(&mut said).unwrap();
            assert_eq!(said, "stays\n", "{how} {way:?}");
            kill_process(Pid::from_child(&outer.0), Signal::KILL).unwrap();
            outer.0.wait().unwrap();
            attack.nothing_stays();
        }
    }
}

/// Runs this family in each way that there is here, and looks at the draft and what becomes of it.
fn nothing_leads_out(family: &str) {
    for way in WAYS {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        let Some(tries) = attack.tries(way, "on", &[family]) else {
            continue;
        };
        assert_nothing_succeeded(way, &tries);
        let listed = attack.world.run_as_it_is(&["review", "--list", "-j"], b"");
        listed.ended(0);
        assert!(
            !listed.text().contains(&attack.marker),
            "{way:?}: closed text is in the draft"
        );
        accept_everything(&attack, way);
    }
}

#[test]
fn m08_what_is_left_in_the_copy_leads_nowhere() {
    nothing_leads_out("change");
}

#[test]
fn m08_races_and_floods_in_the_copy_lead_nowhere() {
    nothing_leads_out("flood");
}

/// A person accepts all of it unseen: nothing but the notes changes, and nothing closed is in them.
fn accept_everything(attack: &Attack, way: Way) {
    let world = &attack.world;
    let before = attack.surroundings();
    let person = world.person();
    let waiting = || person.drafts().waiting_drafts().unwrap().0;
    let accept = |draft: &WaitingDraft, note: Option<&str>| {
        // What was accepted before has changed the draft.
        let drafts = waiting();
        let Some(draft) = drafts.iter().find(|now| now.draft == draft.draft) else {
            return;
        };
        let review = Review {
            confirmed: true,
            notes: note
                .map(|note| (note.to_owned(), BTreeSet::new()))
                .into_iter()
                .collect(),
            channel: Some(ApprovalChannel::Yes),
            ..Review::of_draft(draft, true)
        };
        // What cannot be accepted is refused, which is as good.
        let _answered = person.review(&review, false);
    };
    for draft in waiting() {
        accept(&draft, None);
    }
    // One note that cannot be accepted may hold the others back; alone, they can be.
    for draft in waiting() {
        // Of a folder in a folder in a folder, a few are enough.
        let is_deep = |path: &str| path.matches("/deep").count() > 3;
        for note in draft.files.iter().filter(|note| !is_deep(&note.file.path)) {
            accept(&draft, Some(note.file.path.as_str()));
        }
    }
    let after = attack.surroundings();
    let marker = format!("{:?}", attack.marker.as_bytes());
    let marker = marker.trim_matches(['[', ']']);
    for (path, text) in &after {
        if before.get(path) == Some(text) {
            continue;
        }
        let name = path.display();
        assert!(path.starts_with(&world.vault), "{way:?}: {name} is no note");
        assert!(
            !path.starts_with(world.vault.join("Private")),
            "{way:?}: {name} is closed"
        );
        let below = path.strip_prefix(&world.vault).unwrap();
        let is_hidden = !below.starts_with(".trash")
            && below
                .iter()
                .any(|part| part.as_encoded_bytes().starts_with(b"."));
        assert!(!is_hidden, "{way:?}: {name} is hidden");
        assert!(!text.contains(marker), "{way:?}: {name} has closed text");
        let about = fs_err::symlink_metadata(path).unwrap();
        assert!(
            about.is_file() || about.is_dir(),
            "{way:?}: {name} is neither note nor folder"
        );
        assert_eq!(about.mode() & 0o6000, 0, "{way:?}: {name} is set-user");
    }
}

#[test]
fn m09_the_gateway_inside_answers_for_its_agent_alone() {
    for agent in [Some("helper"), None] {
        let Some(attack) = Attack::prepare() else {
            return;
        };
        let attack = Attack { agent, ..attack };
        let Some(tries) = attack.tries(Way::Tree, "on", &["ask"]) else {
            return;
        };
        assert_nothing_succeeded(Way::Tree, &tries);
    }
}
