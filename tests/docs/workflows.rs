//! The workflows of GitHub run foreign code only at a commit that was looked at.

use super::root;
use crate::support::texts_of;

#[test]
fn every_action_is_pinned_by_its_commit_and_reports_its_version() {
    let workflows = texts_of(&[".github/workflows"], &["yml"]);
    let mut seen = 0;
    for (file, text) in &workflows {
        for line in text.lines() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            seen += 1;
            let (name, version) = action.split_once(" # v").unwrap_or((action, ""));
            let hash = name.rsplit('@').next().unwrap();
            let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash && !version.is_empty(), "{file}: {action}");
        }
    }
    assert!(seen > 5, "{seen} actions in {}", root().display());
}
