//! The surroundings that a known program needs, from `config/run/*.toml`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, PathBuf};
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::network::Host;
use sandbox::Environment;

/// The profile of every program, and those of the programs that are known.
#[expect(clippy::expect_used, reason = "a test reads each profile")]
static PROFILES: LazyLock<(Profile, [Profile; 5])> = LazyLock::new(|| {
    let read = |text: &str| toml::from_str(text).expect("the profile is valid");
    let known = [
        include_str!("../../../config/run/aider.toml"),
        include_str!("../../../config/run/claude.toml"),
        include_str!("../../../config/run/codex.toml"),
        include_str!("../../../config/run/gemini.toml"),
        include_str!("../../../config/run/opencode.toml"),
    ];
    let common = include_str!("../../../config/run/common.toml");
    (read(common), known.map(read))
});

/// Variables that name a folder of a program, and the usual folder below the home. Inside, the usual folder is always
/// used.
const USUAL: [(&str, &str); 6] = [
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The surroundings of a program. Paths begin with `/`, `~/` or the name of a variable, and `/*` at the end means
/// each entry of a folder. The home of the program is a folder of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// The file names of the program.
    programs: Vec<String>,
    /// The program's agent, if the person names none. `vault-gw install` writes the same name into the client's entry.
    pub agent: Option<String>,
    /// The paths that the program may read.
    pub(super) read: Vec<String>,
    /// The files of the home of which the program gets a copy that it keeps.
    pub(super) copied: Vec<String>,
    /// The files with tokens of which the program gets a copy at each start. Tokens that the program renews are written
    /// back.
    pub(super) carried: Vec<String>,
    /// The paths that the program must not see.
    pub(super) hidden: Vec<String>,
    /// The hosts of the program's model.
    #[serde(deserialize_with = "hosts")]
    pub(super) hosts: Vec<Host>,
    /// The variables that it gets; `*` matches the rest of a name.
    variables: Vec<String>,
    /// Variables with values of ours.
    set: BTreeMap<String, String>,
}

impl Profile {
    /// Returns the profile of the program with this file name, or the profile of any program.
    pub fn for_program(program: &OsStr) -> Self {
        let (common, known) = &*PROFILES;
        let mut all = common.clone();
        for known in known {
            if known.programs.iter().any(|name| program == name.as_str()) {
                all.add(known.clone());
            }
        }
        all
    }

    /// Returns the file name of the program that is this agent in the settings.
    pub fn program_of_agent(agent: &str) -> Option<&'static str> {
        let mut known = PROFILES.1.iter();
        let known = known.find(|known| known.agent.as_deref() == Some(agent))?;
        known.programs.first().map(String::as_str)
    }

    /// Returns the agents of the known programs.
    pub fn agents() -> impl Iterator<Item = String> {
        PROFILES.1.iter().filter_map(|known| known.agent.clone())
    }

    fn add(&mut self, other: Self) {
        self.agent = other.agent;
        self.read.extend(other.read);
        self.copied.extend(other.copied);
        self.carried.extend(other.carried);
        self.hidden.extend(other.hidden);
        self.hosts.extend(other.hosts);
        self.variables.extend(other.variables);
        self.set.extend(other.set);
    }

    /// Returns the variables of the program that are set.
    pub fn variables(&self, environment: &Environment) -> Vec<(OsString, OsString)> {
        let is_passed = |name: &str| {
            self.variables
                .iter()
                .any(|pattern| match pattern.strip_suffix('*') {
                    Some(start) => name.starts_with(start),
                    None => name == pattern,
                })
        };
        let passed = environment.variables().filter(|(name, _)| {
            let name = name.to_str();
            name.is_some_and(|name| {
                let is_ours = self.set.contains_key(name) || USUAL.iter().any(|it| it.0 == name);
                is_passed(name) && !is_ours
            })
        });
        let set = self
            .set
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let passed = passed.filter_map(|(name, value)| {
            let value = match name.to_str() {
                Some("TERMINFO" | "TERMINFO_DIRS") => self.shown_folders(value, environment)?,
                _ => value.to_owned(),
            };
            Some((name.to_owned(), value))
        });
        passed.chain(set).collect()
    }

    /// The folders of a list that the program may read: it must not load files from other folders. `None` if there
    /// are none.
    fn shown_folders(&self, folders: &OsStr, environment: &Environment) -> Option<OsString> {
        let read = meant_by(&self.read, environment);
        let is_shown = |folder: &PathBuf| {
            let leaves = folder.components().any(|part| part == Component::ParentDir);
            !leaves && read.iter().any(|shown| folder.starts_with(&shown.from))
        };
        let shown: Vec<PathBuf> = std::env::split_paths(folders).filter(is_shown).collect();
        std::env::join_paths(&shown)
            .ok()
            .filter(|_| !shown.is_empty())
    }
}

/// The meaning of a path of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meant {
    /// The path outside the fence.
    pub(super) from: PathBuf,
    /// The path below the home of the program, if it is there.
    pub(super) below: Option<PathBuf>,
}

fn hosts<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<Host>, D::Error> {
    let hosts = Vec::<String>::deserialize(reader)?;
    let hosts = hosts.iter().map(|host| host.parse());
    hosts
        .collect::<Result<_, String>>()
        .map_err(D::Error::custom)
}

/// Resolves the paths of a profile.
pub(super) fn meant_by(paths: &[String], environment: &Environment) -> Vec<Meant> {
    let mut all = Vec::new();
    for path in paths {
        let Some(folder) = path.strip_suffix("/*") else {
            all.extend(meant(path, environment));
            continue;
        };
        let Some(Meant { from, below }) = meant(folder, environment) else {
            continue;
        };
        let entries = fs_err::read_dir(from).into_iter().flatten().flatten();
        all.extend(entries.map(|entry| Meant {
            from: entry.path(),
            below: below.as_ref().map(|below| below.join(entry.file_name())),
        }));
    }
    all
}

/// Resolves a path of a profile. `None` without a home, and for a variable without a folder of the program.
fn meant(path: &str, environment: &Environment) -> Option<Meant> {
    if path.starts_with('/') {
        return Some(Meant {
            from: path.into(),
            below: None,
        });
    }
    let home = environment.home()?;
    let (base, usual, rest) = match path.strip_prefix('$') {
        None => (home, "", path.strip_prefix("~/")?),
        Some(path) => {
            let (name, rest) = path.split_once('/').unwrap_or((path, ""));
            let (_, usual) = USUAL.iter().find(|(known, _)| *known == name)?;
            let base = environment.absolute_path(name);
            (base.unwrap_or_else(|| home.join(usual)), *usual, rest)
        }
    };
    let within = |folder: PathBuf| match rest {
        "" => folder,
        rest => folder.join(rest),
    };
    Some(Meant {
        from: within(base),
        below: Some(within(usual.into())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("profile_cases.txt");

    #[test]
    fn every_profile_is_understood_and_leaves_the_session_alone() {
        let (common, known) = &*PROFILES;
        assert_eq!((&common.agent, common.programs.len()), (&None, 0));
        for known in known {
            assert!(
                known.agent.is_some() && !known.programs.is_empty(),
                "{known:?}"
            );
            let whole = Profile::for_program(OsStr::new(&known.programs[0]));
            assert!(!whole.hosts.is_empty(), "{known:?}");
            let session = [
                "SSH_AUTH_SOCK",
                "DBUS_SESSION_BUS_ADDRESS",
                "DISPLAY",
                "WAYLAND_DISPLAY",
                "XDG_RUNTIME_DIR",
                "VAULT_GW_X",
            ];
            let set = session.map(|name| (name.into(), "/x".into()));
            let passed = whole.variables(&Environment::new(set, None));
            assert!(passed.iter().all(|(_, value)| value != "/x"), "{passed:?}");
            let home = Environment::new([("HOME".into(), "/h".into())], None);
            for paths in [&whole.carried, &whole.copied] {
                for carried in meant_by(paths, &home) {
                    assert!(carried.below.is_some(), "{carried:?}");
                }
            }
        }
    }

    #[test]
    fn descriptions_of_terminals_come_from_folders_that_the_program_may_read() {
        let profile = Profile::for_program(OsStr::new("sh"));
        let passed = |name: &str, value: &str| {
            let set =
                [("HOME", "/h"), (name, value)].map(|(name, value)| (name.into(), value.into()));
            let passed = profile.variables(&Environment::new(set, None));
            let found = passed.into_iter().find(|(passed, _)| passed == name);
            found.map(|(_, value)| value.into_string().unwrap())
        };
        for (value, expected) in
            tables::typed::<(&str, Option<&str>)>(CASES, "descriptions of terminals come")
        {
            assert_eq!(passed("TERMINFO", value).as_deref(), expected, "{value}");
        }
        let dirs = passed(
            "TERMINFO_DIRS",
            "/h/x:/lib/terminfo::/usr/share/terminfo:/tmp",
        );
        assert_eq!(dirs.as_deref(), Some("/lib/terminfo:/usr/share/terminfo"));
    }

    #[test]
    fn a_path_is_below_the_home_or_a_variable() {
        let variables = [
            ("HOME", "/h"),
            ("XDG_CACHE_HOME", "/k"),
            ("CODEX_HOME", "relative"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let environment = Environment::new(variables, None);
        for (path, means) in [
            ("/usr", Some(("/usr", None))),
            ("~/.x", Some(("/h/.x", Some(".x")))),
            ("$XDG_CACHE_HOME/x", Some(("/k/x", Some(".cache/x")))),
            (
                "$XDG_DATA_HOME/x",
                Some(("/h/.local/share/x", Some(".local/share/x"))),
            ),
            (
                "$XDG_STATE_HOME",
                Some(("/h/.local/state", Some(".local/state"))),
            ),
            ("$CODEX_HOME", Some(("/h/.codex", Some(".codex")))),
            ("$UNKNOWN/x", None),
        ] {
            let means = means.map(|(from, below)| Meant {
                from: from.into(),
                below: below.map(PathBuf::from),
            });
            assert_eq!(meant(path, &environment), means, "{path}");
        }
        let passed = Profile::for_program(OsStr::new("codex"));
        let passed = passed.variables(&environment);
        assert!(
            passed.iter().all(|(name, _)| name != "CODEX_HOME"),
            "{passed:?}"
        );
    }
}
