//! Streams that fail, and users without a home (`threats.toml` F11).

use std::io::Read as _;
use std::process::Child;

use super::{assert_calm, world};
use crate::support::finish;

/// All that a program says on stderr until its end.
fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn f11_a_reader_that_leaves_changes_nothing() {
    let world = world();
    world.write("long.md", "line\n".repeat(100_000));
    world.write_settings();
    for (words, status) in [
        (&["read", "path=long.md"][..], 0),
        (&["-j", "read", "path=long.md"], 0),
    ] {
        let mut child = world.program().args(words).spawn().unwrap();
        let mut first = [0];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let complaint = complaint(&mut child);
        assert_eq!(child.wait().unwrap().code(), Some(status), "{complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
    }
}

#[test]
fn f11_a_service_whose_reader_left_ends_quietly() {
    let world = world().set("enabled = true");
    world.write_settings();
    let mut child = world.program().arg("call").spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"{\"command\":\"vault\"}\n").unwrap();
    let complaint = complaint(&mut child);
    assert_eq!(
        (child.wait().unwrap().code(), complaint.as_str()),
        (Some(0), "")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn f11_a_full_disk_is_an_input_output_error() {
    let world = world().set("enabled = true");
    world.write_settings();
    for words in [
        &["read", "path=Home.md"][..],
        &["-j", "read", "path=Home.md"],
        &["-j", "raed"],
        &["--help"],
        &["--version"],
        &["man"],
        &["call"],
    ] {
        let command = world.prepared_by_shell(r#""$@" >/dev/full"#, words);
        let ran = finish(command, b"{\"command\":\"vault\"}\n");
        ran.ended(74);
        assert!(
            words == ["call"] || ran.stderr.contains("tandard output"),
            "{ran:?}"
        );
        assert_calm(&ran);
    }
    let command = world.prepared_by_shell(r#""$@" >/dev/full 2>&1"#, &["raed"]);
    assert_eq!(finish(command, b"").status, Some(64));
}

#[test]
fn f11_a_user_without_a_home_can_still_read() {
    let world = world();
    let vault = world.vault.to_str().unwrap();
    for home in [None, Some("/proc/nowhere"), Some("relative"), Some("")] {
        let mut command = world.program();
        command
            .env_clear()
            .args(["--vault", vault, "read", "path=Reading/Fields.md"]);
        command.envs(home.map(|home| ("HOME", home)));
        let ran = finish(command, b"");
        ran.ended(0);
        assert_eq!(ran.text(), world.read("Reading/Fields.md"));
        // Without a folder for records there is no audit log (H18).
        ran.reports("is not in the audit log");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        for words in [
            &["doctor"][..],
            &["settings", "path"],
            &["settings", "set", "tier", "v0"],
            &["demo"],
        ] {
            let mut command = world.program();
            command.env_clear().args(words);
            command.envs(home.map(|home| ("HOME", home)));
            assert_calm(&finish(command, b""));
        }
    }
}

#[test]
fn f11_everything_stays_calm_in_an_odd_place() {
    let world = world();
    world.write_settings();
    let gone = world.scratch().join("gone");
    for words in [
        &["read", "path=Home.md"][..],
        &["--help"],
        &["doctor"],
        &["--vault", "./x", "files"],
    ] {
        fs_err::create_dir_all(&gone).unwrap();
        let mut command = world.program();
        command.args(words).current_dir(&gone);
        let child = command.spawn().unwrap();
        fs_err::remove_dir_all(&gone).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some() && !stderr.contains("panicked"),
            "{stderr}"
        );
    }
}
