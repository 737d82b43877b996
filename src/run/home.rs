//! The home of a program in a fence: a folder of its own, which is kept between runs of its agent.
//!
//! The real one has texts of earlier sessions, and settings, scripts and programs that run outside of
//! the fence later. So the program only reads what its profile names there, and writes here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::profile::{Meant, Profile};
use crate::digest::sha256;
use crate::environment::Environment;
use crate::sandbox::{KeptFolder, Place};

/// The folder of the home, below that of the run.
const HOME: &str = "home";

/// The file beside it with the hashes of the files with tokens, as the last run found them outside.
const CARRIED: &str = "carried.json";

/// The largest file that is copied in or out.
const LARGEST: u64 = 1024 * 1024;

/// The names of values in files with tokens that a program renews by itself. The rest of such a file can
/// lead a program to another server, and so to programs and settings from there.
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
pub(crate) struct Home {
    folder: PathBuf,
    kept: KeptFolder,
    /// Where it is inside.
    at: PathBuf,
    /// What it reads of the outside: the real path, and that below the home.
    lent: Vec<(PathBuf, PathBuf)>,
    carried: Vec<Carried>,
}

/// A file with tokens.
struct Carried {
    /// Its real path outside.
    outside: PathBuf,
    below: PathBuf,
    /// What it was at the start.
    before: Vec<u8>,
}

impl Home {
    /// The home in the folder of this run, with what the profile gives it. `None` if the person has none.
    /// Nothing in or around `closed` is given.
    ///
    /// # Errors
    ///
    /// If it cannot be made or filled.
    pub(crate) fn open(
        run: &Path,
        profile: &Profile,
        environment: &Environment,
        closed: &[PathBuf],
    ) -> std::io::Result<Option<Self>> {
        let Some(at) = environment.home() else {
            return Ok(None);
        };
        let at = fs_err::canonicalize(&at).unwrap_or(at);
        let folder = run.join(HOME);
        match fs_err::create_dir(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let kept = KeptFolder::open(&folder)?;
        kept.open_to_its_owner()?;
        let given = |meant: Vec<Meant>| {
            let given = meant.into_iter().filter_map(|Meant { from, below }| {
                let from = fs_err::canonicalize(from).ok()?;
                let is_closed =
                    closed.iter().any(|it| it.starts_with(&from) || from.starts_with(it));
                (!is_closed && !at.starts_with(&from)).then_some((from, below?))
            });
            given.collect::<Vec<_>>()
        };
        for (outside, below) in given(profile.copied(environment)) {
            if kept.read(&below, LARGEST)?.is_none()
                && let Some(bytes) = small(&outside)
            {
                kept.write(&below, &bytes)?;
            }
        }
        let own = KeptFolder::open(run)?;
        let last = own.read(Path::new(CARRIED), LARGEST)?.unwrap_or_default();
        let last: BTreeMap<PathBuf, String> = serde_json::from_slice(&last).unwrap_or_default();
        let mut found = BTreeMap::new();
        let mut carried = Vec::new();
        for (outside, below) in given(profile.carried(environment)) {
            if let Some(mut before) = small(&outside) {
                // A run that was killed took nothing back. Only what its program had from the same file counts.
                let left = match last.get(&below) {
                    Some(hash) if *hash == sha256(&before) => kept.read(&below, LARGEST)?,
                    _ => None,
                };
                let renewed = left.and_then(|left| renewed(&before, &left));
                let is_back = renewed.as_ref().map(|bytes| replace(&outside, bytes));
                // What cannot be written stays in the home, and is tried again at the end.
                if !matches!(is_back, Some(Err(_))) {
                    before = renewed.unwrap_or(before);
                    kept.write(&below, &before)?;
                }
                found.insert(below.clone(), sha256(&before));
                carried.push(Carried { outside, below, before });
            }
        }
        // The program of another profile must not renew these, so they are known for one run only.
        own.write(Path::new(CARRIED), &serde_json::to_vec(&found)?)?;
        Ok(Some(Self { lent: given(profile.read(environment)), folder, kept, at, carried }))
    }

    /// Whether the folder of a run has a home.
    pub(crate) fn is_in(run: &Path) -> bool {
        fs_err::symlink_metadata(run.join(HOME)).is_ok()
    }

    /// The places of the home, and of what is lent to it.
    pub(crate) fn places(&self) -> Vec<Place> {
        let lent = self.lent.iter();
        let lent = lent.map(|(from, below)| Place::lent(from, self.at.join(below)));
        let own = Place::kept(&self.folder, &self.at);
        std::iter::once(own).chain(lent).collect()
    }

    /// Its folder outside.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes back the tokens that the program has renewed. Returns the files for which that failed.
    pub(crate) fn take_back(&self) -> Vec<&Path> {
        let failed = self.carried.iter().filter(|file| {
            let after = self.kept.read(&file.below, LARGEST);
            let renewed = after.ok().flatten().and_then(|after| {
                // The person's own program may have renewed them meanwhile.
                let is_same = small(&file.outside).is_some_and(|now| now == file.before);
                renewed(&file.before, &after).filter(|_| is_same)
            });
            renewed.is_some_and(|bytes| replace(&file.outside, &bytes).is_err())
        });
        failed.map(|file| file.outside.as_path()).collect()
    }
}

/// Replaces a file of the person.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let parts = path.parent().zip(path.file_name());
    let (folder, name) = parts.ok_or(std::io::ErrorKind::InvalidInput)?;
    KeptFolder::open(folder)?.write(Path::new(name), bytes)
}

/// The bytes of a file that is no larger than what is copied.
fn small(path: &Path) -> Option<Vec<u8>> {
    let found = fs_err::metadata(path).ok()?;
    let is_small = found.is_file() && found.len() <= LARGEST;
    is_small.then(|| fs_err::read(path).ok()).flatten()
}

/// A file with the tokens of another one; `None` if they are the same.
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

    #[test]
    fn only_tokens_come_back() {
        for (before, after, result) in [
            (
                r#"{"a":{"access":"1","type":"oauth"}}"#,
                r#"{"a":{"access":"2","type":"wellknown"},"b":{}}"#,
                Some(r#"{"a":{"access":"2","type":"oauth"}}"#),
            ),
            (r#"{"expiresAt":1}"#, r#"{"expiresAt":2}"#, Some(r#"{"expiresAt":2}"#)),
            (r#"{"expiresAt":1}"#, r#"{"expiresAt":"x"}"#, None),
            (r#"{"url":"a"}"#, r#"{"url":"b"}"#, None),
            (r#"{"access":"1"}"#, "no", None),
        ] {
            let found = renewed(before.as_bytes(), after.as_bytes());
            let found = found.map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap());
            let result = result.map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(found, result, "{after}");
        }
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
        let profile = Profile::for_program("claude".as_ref()).unwrap();
        let open =
            || Home::open(&run, &profile, &environment, &[root.join("vault")]).unwrap().unwrap();
        let home = open();
        let lent = real.join(".claude/settings.json");
        assert_eq!(home.lent, [(lent.clone(), ".claude/settings.json".into())]);
        let inside = home.folder().to_owned();
        assert_eq!(fs_err::read(inside.join(".claude.json")).unwrap(), b"{}");
        fs_err::write(inside.join(".claude.json"), "changed").unwrap();
        fs_err::write(
            inside.join(".claude/.credentials.json"),
            r#"{"x":{"accessToken":"new"},"y":1}"#,
        )
        .unwrap();
        assert!(home.take_back().is_empty());
        let text = fs_err::read_to_string(&tokens).unwrap();
        assert!(text.contains("new") && !text.contains('y'), "{text}");
        assert_eq!(fs_err::metadata(&tokens).unwrap().permissions().mode() & 0o777, 0o600);
        // The program leads elsewhere, and the person has changed the file.
        let other = root.join("other");
        fs_err::write(&other, r#"{"x":{"accessToken":"stolen"}}"#).unwrap();
        fs_err::remove_file(inside.join(".claude/.credentials.json")).unwrap();
        symlink(&other, inside.join(".claude/.credentials.json")).unwrap();
        assert!(home.take_back().is_empty());
        assert_eq!(fs_err::read_to_string(&tokens).unwrap(), text);
        let home = open();
        assert_eq!(fs_err::read(inside.join(".claude.json")).unwrap(), b"changed");
        assert_eq!(fs_err::read_to_string(inside.join(".claude/.credentials.json")).unwrap(), text);
        fs_err::write(&tokens, r#"{"x":{"accessToken":"mine"}}"#).unwrap();
        fs_err::write(
            inside.join(".claude/.credentials.json"),
            r#"{"x":{"accessToken":"theirs"}}"#,
        )
        .unwrap();
        assert!(home.take_back().is_empty());
        assert!(fs_err::read_to_string(&tokens).unwrap().contains("mine"));
        // A run that is killed takes nothing back, so the next one does; never over what the person has since.
        drop(open());
        let late = r#"{"x":{"accessToken":"late"},"y":1}"#;
        fs_err::write(inside.join(".claude/.credentials.json"), late).unwrap();
        drop(open());
        let text = fs_err::read_to_string(&tokens).unwrap();
        assert!(text.contains("late") && !text.contains('y'), "{text}");
        fs_err::write(inside.join(".claude/.credentials.json"), late).unwrap();
        fs_err::write(&tokens, r#"{"x":{"accessToken":"newest"}}"#).unwrap();
        drop(open());
        assert!(fs_err::read_to_string(&tokens).unwrap().contains("newest"));
        assert!(fs_err::read_to_string(&other).unwrap().contains("stolen"));
    }
}
