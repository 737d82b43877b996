//! The first minutes: start, demo, doctor, and where things are kept.

use serde_json::Value;

use super::Found;
use super::desk::{Desk, expect, parsed};

/// The version is printed.
pub(super) fn starts(desk: &Desk) -> Found {
    let output = desk.run(["--version"])?;
    let version = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && version.starts_with("vault-gw ") {
        Ok(version.trim().to_owned())
    } else {
        Err(format!("{:?}", output.status).into())
    }
}

/// The same text as on Linux but for hashes and ids.
pub(super) fn demo(desk: &Desk) -> Found {
    let there = desk.run(["demo"])?;
    let here = desk.linux(["demo"]).output()?;
    let plain = |bytes: &[u8]| {
        // Each system's shell has its own quotation marks.
        let text = String::from_utf8_lossy(bytes).replace('\'', "\"");
        let is_stable =
            |line: &&str| !line.starts_with("plan: ") && !line.starts_with("Undid run ");
        text.lines()
            .filter(is_stable)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (here, there) = (plain(&here.stdout), plain(&there.stdout));
    if here == there {
        Ok(format!("{} lines as on Linux", there.lines().count()))
    } else {
        Err(format!("Linux:\n{here}\nWindows:\n{there}").into())
    }
}

/// Settings in `%APPDATA%`, state and caches in `%LOCALAPPDATA%`.
pub(super) fn folders(desk: &Desk) -> Found {
    let profile = desk.profile()?;
    let settings = profile.join("AppData/Roaming/vault-gw/settings.toml");
    drop(fs_err::remove_file(&settings));
    drop(fs_err::remove_dir_all(
        profile.join("AppData/Local/vault-gw"),
    ));
    desk.vault(r"C:\vaults\places", &[("a.md", "a\n")])?;
    for (key, value) in [("vault", r"C:\vaults\places"), ("allow_mutations", "true")] {
        let set = desk.run(["settings", "set", key, value])?;
        if !set.status.success() {
            return Err(String::from_utf8_lossy(&set.stderr).into());
        }
    }
    let written = fs_err::read_to_string(&settings)?;
    if written.contains(r"\\?\") || !written.contains("places") {
        return Err(written.into());
    }
    expect(
        &desk.envelope(["append", "path=a.md", "content=b"])?,
        "OK",
        "append",
    )?;
    expect(
        &desk.envelope(["backlinks", "path=a.md"])?,
        "OK",
        "backlinks",
    )?;
    for place in [
        "AppData/Roaming/vault-gw/settings.toml",
        "AppData/Local/vault-gw/state",
        "AppData/Local/vault-gw/cache",
    ] {
        if !profile.join(place).exists() {
            return Err(format!("{place} is not there").into());
        }
    }
    Ok("%APPDATA% for settings, %LOCALAPPDATA% for state and cache".to_owned())
}

/// Nothing fails but what needs the app.
pub(super) fn doctor(desk: &Desk) -> Found {
    desk.set("enabled = true\nobsidian_path = \"C:\\\\official\\\\Obsidian.com\"\n")?;
    desk.vault(r"C:\vaults\doctor", &[("a.md", "a\n")])?;
    let output = desk.run(["-o", "json", "--vault", r"C:\vaults\doctor", "doctor"])?;
    let answer = parsed(&output)?;
    let checks = answer["data"]["checks"].as_array().cloned();
    let checks = checks.ok_or_else(|| answer.to_string())?;
    let failed: Vec<&str> = checks
        .iter()
        .filter(|check| check["status"] == "failed" || check["state"] == "failed")
        .filter_map(|check| check["name"].as_str().or(check["check"].as_str()))
        .filter(|name| !["app", "official"].contains(name))
        .collect();
    if failed.is_empty() {
        let count = |word: &str| {
            let has = |check: &&Value| check.to_string().contains(&format!("\"{word}\""));
            checks.iter().filter(has).count()
        };
        Ok(format!("{} checks, {} ok", checks.len(), count("ok")))
    } else {
        Err(format!("{failed:?}: {answer}").into())
    }
}
