//! The home of a program in a fence: a folder of its own, which is kept between the runs of this program by its agent.
//! Another program has another home, and does not see the logins of this one.
//!
//! The real one has texts of earlier sessions, and settings, scripts and programs that run outside of
//! the fence later. So the program only reads what its profile names there, and writes here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::profile::{Meant, Profile, meant_by};
use protocol::digest::sha256;
use sandbox::{Environment, KeptFolder, Place};

/// The folder of the homes of all programs, below the folder of the run.
const HOMES: &str = "homes";

/// The home of one program, below a folder with its name.
const HOME: &str = "home";

/// The name for programs without a profile, which share a home.
const ANY_PROGRAM: &str = "any";

/// The file next to a home about the files with tokens, as the last run found them.
const CARRIED: &str = "carried.json";

/// The largest file that is copied in or out.
const LARGEST: u64 = 1024 * 1024;

/// The variable with the search path of the run.
pub(crate) const SEARCH_PATH: &str = "VAULT_GW_RUN_PATH";

/// The files that a shell reads when it starts as one of a login, after the system has set another search path.
const LOGIN_FILES: [&str; 2] = [".profile", ".zprofile"];

/// The files with the settings of git, below the home.
const GIT_SETTINGS: [&str; 2] = [".gitconfig", ".config/git/config"];

/// The names of values in files with tokens that a program renews by itself. The other values can direct a program to
/// another server, and so to programs and settings from there.
const RENEWED: [&str; 14] = [
    "access",
    "accessToken",
    "access_token",
    "expires",
    "expiresAt",
    "expires_at",
    "expiry_date",
    "id_token",
    "last_refresh",
    "refresh",
    "refreshToken",
    "refreshTokenExpiresAt",
    "refresh_token",
    "refresh_token_expires_at",
];

/// The home of a program.
pub struct Home {
    folder: PathBuf,
    kept: KeptFolder,
    /// The path of the home inside the fence.
    at: PathBuf,
    /// Files outside that it reads: the real path, and the path below the home.
    lent: Vec<(PathBuf, PathBuf)>,
    carried: Vec<Carried>,
    /// The folder around it, and what its list of files with tokens says.
    own: KeptFolder,
    last: BTreeMap<PathBuf, LastTokens>,
}

/// A file with tokens at the last run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastTokens {
    /// The hash of the file outside.
    outside: String,
    /// The hash of the file with the renewed tokens that the person did not want outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    declined: Option<String>,
}

/// Tokens that a program has renewed.
pub struct RenewedLogin<'h> {
    /// The person's file, which has the old ones.
    pub outside: &'h Path,
    below: &'h Path,
    bytes: Vec<u8>,
}

/// A file with tokens.
struct Carried {
    /// The real path of the file outside the fence.
    outside: PathBuf,
    below: PathBuf,
    /// The content of the file at the start.
    before: Vec<u8>,
}

impl Home {
    /// Returns the home in the folder of this run, filled as the profile says. `None` if the person has no home. Files
    /// in or around `closed` are not added.
    ///
    /// # Errors
    ///
    /// If it cannot be made or filled.
    pub fn open(
        run: &Path,
        profile: &Profile,
        environment: &Environment,
        closed: &[PathBuf],
    ) -> std::io::Result<Option<Self>> {
        let Some(at) = environment.home() else {
            return Ok(None);
        };
        let at = fs_err::canonicalize(&at).unwrap_or(at);
        let own = run
            .join(HOMES)
            .join(profile.agent.as_deref().unwrap_or(ANY_PROGRAM));
        let folder = own.join(HOME);
        fs_err::create_dir_all(&folder)?;
        let kept = KeptFolder::open(&folder)?;
        kept.open_to_its_owner()?;
        let given = |paths: &[String]| {
            let given =
                meant_by(paths, environment)
                    .into_iter()
                    .filter_map(|Meant { from, below }| {
                        let from = fs_err::canonicalize(from).ok()?;
                        let is_closed = closed
                            .iter()
                            .any(|it| it.starts_with(&from) || from.starts_with(it));
                        (!is_closed && !at.starts_with(&from)).then_some((from, below?))
                    });
            given.collect::<Vec<_>>()
        };
        for (outside, below) in given(&profile.copied) {
            if kept.read(&below, LARGEST)?.is_none()
                && let Some(bytes) = small(&outside)
            {
                kept.write(&below, &bytes)?;
            }
        }
        let own = KeptFolder::open(&own)?;
        let last = own.read(Path::new(CARRIED), LARGEST)?.unwrap_or_default();
        let mut last: BTreeMap<PathBuf, LastTokens> =
            serde_json::from_slice(&last).unwrap_or_default();
        let mut found = BTreeMap::new();
        let mut carried = Vec::new();
        for (outside, below) in given(&profile.carried) {
            let Some(before) = small(&outside) else {
                continue;
            };
            let hash = sha256(&before);
            let known = last.remove(&below).filter(|known| known.outside == hash);
            // A login that the program has renewed stays, if the file outside is unchanged.
            let left = if known.is_some() {
                kept.read(&below, LARGEST)?
            } else {
                None
            };
            let renewed = left.and_then(|left| renewed(&before, &left));
            kept.write(&below, renewed.as_ref().unwrap_or(&before))?;
            let declined = known.and_then(|known| known.declined);
            found.insert(
                below.clone(),
                LastTokens {
                    outside: hash,
                    declined,
                },
            );
            carried.push(Carried {
                outside,
                below,
                before,
            });
        }
        let search_path = format!("PATH=\"${{{SEARCH_PATH}:-$PATH}}\"\nexport PATH\n");
        for file in LOGIN_FILES {
            if kept.read(Path::new(file), LARGEST)?.is_none() {
                kept.write(Path::new(file), search_path.as_bytes())?;
            }
        }
        let of_git = Path::new(GIT_SETTINGS[0]);
        if kept.read(of_git, LARGEST)?.is_none()
            && let Some(author) = GIT_SETTINGS
                .iter()
                .find_map(|file| author(&small(&at.join(file))?))
        {
            kept.write(of_git, author.as_bytes())?;
        }
        let lent = given(&profile.read);
        own.write(Path::new(CARRIED), &serde_json::to_vec(&found)?)?;
        Ok(Some(Self {
            lent,
            folder,
            kept,
            at,
            carried,
            own,
            last: found,
        }))
    }

    /// Whether the folder of a run has a home.
    pub fn is_in(run: &Path) -> bool {
        fs_err::symlink_metadata(run.join(HOMES)).is_ok()
    }

    /// Returns the places of the home, and of files lent to it.
    pub fn places(&self) -> Vec<Place> {
        let lent = self.lent.iter();
        let lent = lent.map(|(from, below)| Place::lent(from, self.at.join(below)));
        let own = Place::kept(&self.folder, &self.at);
        std::iter::once(own).chain(lent).collect()
    }

    /// Returns the folder of the home outside the fence.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the logins whose tokens the program has renewed. They may belong to another account, which the gateway
    /// cannot detect: so only the person brings them back.
    pub fn renewed(&self) -> Vec<RenewedLogin<'_>> {
        let renewed = self.carried.iter().filter_map(|file| {
            let after = self.kept.read(&file.below, LARGEST).ok()??;
            let bytes = renewed(&file.before, &after)?;
            let declined = self.last.get(&file.below)?.declined.as_ref();
            // The person's own program may have renewed them in the meantime.
            let is_same = small(&file.outside).is_some_and(|now| now == file.before);
            let is_new = is_same && declined != Some(&sha256(&bytes));
            is_new.then_some(RenewedLogin {
                outside: &file.outside,
                below: &file.below,
                bytes,
            })
        });
        renewed.collect()
    }

    /// Does not ask about these tokens again.
    ///
    /// # Errors
    ///
    /// If that cannot be stored.
    pub fn decline(&self, logins: &[RenewedLogin<'_>]) -> std::io::Result<()> {
        let mut last = self.last.clone();
        for login in logins {
            if let Some(known) = last.get_mut(login.below) {
                known.declined = Some(sha256(&login.bytes));
            }
        }
        self.own
            .write(Path::new(CARRIED), &serde_json::to_vec(&last)?)
    }
}

impl RenewedLogin<'_> {
    /// Replaces the tokens in the person's file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn bring_back(&self) -> std::io::Result<()> {
        let parts = self.outside.parent().zip(self.outside.file_name());
        let (folder, name) = parts.ok_or(std::io::ErrorKind::InvalidInput)?;
        KeptFolder::open(folder)?.write(Path::new(name), &self.bytes)
    }
}

/// Returns the bytes of a file that is not larger than the limit for copies.
fn small(path: &Path) -> Option<Vec<u8>> {
    let found = fs_err::metadata(path).ok()?;
    let is_small = found.is_file() && found.len() <= LARGEST;
    is_small.then(|| fs_err::read(path).ok()).flatten()
}

/// Returns the settings of git that say who writes a commit. The others may have tokens.
fn author(settings: &[u8]) -> Option<String> {
    let settings = std::str::from_utf8(settings).ok()?;
    let mut author = String::new();
    let mut is_user = false;
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            is_user = line.eq_ignore_ascii_case("[user]");
            continue;
        }
        let name = line.split('=').next().unwrap_or_default().trim();
        let is_wanted = ["name", "email"]
            .iter()
            .any(|wanted| name.eq_ignore_ascii_case(wanted));
        if is_user && is_wanted && !line.ends_with('\\') {
            author += &format!("\t{line}\n");
        }
    }
    (!author.is_empty()).then(|| format!("[user]\n{author}"))
}

/// Returns the file with the tokens of another file; `None` if the tokens are the same.
fn renewed(before: &[u8], after: &[u8]) -> Option<Vec<u8>> {
    let before: Value = serde_json::from_slice(before).ok()?;
    let after: Value = serde_json::from_slice(after).ok()?;
    let mut result = before.clone();
    renew(&mut result, &after);
    (result != before).then(|| serde_json::to_vec_pretty(&result).ok())?
}

fn renew(into: &mut Value, from: &Value) {
    let (Value::Object(into), Value::Object(from)) = (into, from) else {
        return;
    };
    for (name, value) in into {
        match (&mut *value, from.get(name)) {
            (Value::Object(_), Some(new)) => renew(value, new),
            (Value::String(_), Some(new @ Value::String(_)))
            | (Value::Number(_), Some(new @ Value::Number(_)))
                if RENEWED.contains(&name.as_str()) =>
            {
                *value = new.clone();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const CASES: &str = include_str!("home_cases.txt");

    #[test]
    fn only_tokens_come_back() {
        for (before, after, result) in
            tables::typed::<(&str, &str, Option<&str>)>(CASES, "only tokens come back")
        {
            let found = renewed(before.as_bytes(), after.as_bytes());
            let found = found.map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap());
            let result = result.map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(found, result, "{after}");
        }
    }

    #[test]
    fn m01_only_the_author_of_commits_is_taken_of_the_settings_of_git() {
        let settings = b"[user]\n  name = A B\n\temail=a@b\n\tsigningkey = k\n[github]\n\ttoken = t\n\tname = c\n\
            [url \"https://u:t@h\"]\n\tinsteadOf = x\n[http]\n\textraHeader = t\n";
        assert_eq!(
            author(settings).as_deref(),
            Some("[user]\n\tname = A B\n\temail=a@b\n")
        );
        assert_eq!(author(b"[github]\ntoken = t\n"), None);
    }

    #[test]
    fn a_home_is_filled_and_nothing_but_tokens_leaves_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let (real, run) = (root.join("real"), root.join("run"));
        fs_err::create_dir_all(real.join(".claude")).unwrap();
        fs_err::create_dir_all(root.join("vault/skills")).unwrap();
        fs_err::create_dir(&run).unwrap();
        let tokens = real.join(".claude/.credentials.json");
        fs_err::write(&tokens, r#"{"x":{"accessToken":"old"}}"#).unwrap();
        fs_err::write(real.join(".claude.json"), "{}").unwrap();
        fs_err::write(real.join(".claude/settings.json"), "{}").unwrap();
        symlink(root.join("vault/skills"), real.join(".claude/skills")).unwrap();
        let environment = Environment::new([("HOME".into(), real.clone().into())], None);
        let profile = Profile::for_program("claude".as_ref());
        let open = || {
            Home::open(&run, &profile, &environment, &[root.join("vault")])
                .unwrap()
                .unwrap()
        };
        let home = open();
        let lent = real.join(".claude/settings.json");
        assert_eq!(home.lent, [(lent.clone(), ".claude/settings.json".into())]);
        let inside = home.folder().to_owned();
        assert_eq!(fs_err::read(inside.join(".claude.json")).unwrap(), b"{}");
        fs_err::write(inside.join(".claude.json"), "changed").unwrap();
        let own_tokens = inside.join(".claude/.credentials.json");
        let put_inside = |text: &str| fs_err::write(&own_tokens, text).unwrap();
        let has = |file: &Path, text| fs_err::read_to_string(file).unwrap().contains(text);
        put_inside(r#"{"x":{"accessToken":"new"},"y":1}"#);
        let brought_back = |home: &Home| -> usize {
            home.renewed()
                .iter()
                .map(|login| login.bring_back().unwrap())
                .count()
        };
        assert_eq!(brought_back(&home), 1);
        let text = fs_err::read_to_string(&tokens).unwrap();
        assert!(text.contains("new") && !text.contains('y'), "{text}");
        assert_eq!(
            fs_err::metadata(&tokens).unwrap().permissions().mode() & 0o777,
            0o600
        );
        // The program replaces its file by a link, and then the person changes their own file.
        let other = root.join("other");
        fs_err::write(&other, r#"{"x":{"accessToken":"stolen"}}"#).unwrap();
        fs_err::remove_file(&own_tokens).unwrap();
        symlink(&other, &own_tokens).unwrap();
        assert_eq!(brought_back(&home), 0);
        let home = open();
        assert!(has(&inside.join(".claude.json"), "changed"));
        assert_eq!(fs_err::read_to_string(&own_tokens).unwrap(), text);
        fs_err::write(&tokens, r#"{"x":{"accessToken":"mine"}}"#).unwrap();
        put_inside(r#"{"x":{"accessToken":"theirs"}}"#);
        assert_eq!(brought_back(&home), 0);
        assert!(has(&tokens, "mine"));
        // A killed run brings nothing back, so the next one asks; it never overwrites newer content of the person.
        drop(open());
        let late = r#"{"x":{"accessToken":"late"},"y":1}"#;
        put_inside(late);
        let home = open();
        assert!(has(&tokens, "mine") && has(&own_tokens, "late"));
        // A renewed login that the person declines stays inside, and there is no second question.
        home.decline(&home.renewed()).unwrap();
        let home = open();
        assert!(home.renewed().is_empty() && has(&own_tokens, "late"));
        put_inside(r#"{"x":{"accessToken":"later"}}"#);
        assert_eq!(brought_back(&home), 1);
        put_inside(late);
        fs_err::write(&tokens, r#"{"x":{"accessToken":"newest"}}"#).unwrap();
        drop(open());
        assert!(has(&tokens, "newest") && has(&other, "stolen"));
        // The login of one program is not in the home of another.
        for program in ["codex", "sh"] {
            let profile = Profile::for_program(program.as_ref());
            let other = Home::open(&run, &profile, &environment, &[])
                .unwrap()
                .unwrap();
            assert_ne!(other.folder(), inside);
            assert!(!other.folder().join(".claude").exists());
        }
    }
}
