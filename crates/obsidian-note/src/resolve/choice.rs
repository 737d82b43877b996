//! Chooses one of several files that a link could mean.

use std::cmp::Reverse;

use super::spelling::fold;
use crate::path::VaultPath;

/// Rules 7 and 8, and the exact case among files that differ only in case. The flag says whether the app's own choice
/// is unpredictable.
pub(super) fn chosen<'paths>(
    group: &[&'paths VaultPath],
    wanted: &str,
) -> Option<(&'paths VaultPath, bool)> {
    let length = |path: &VaultPath| path.as_str().encode_utf16().count();
    let right_case = |path: &VaultPath| {
        [wanted, &format!("{wanted}.md")].iter().any(|text| {
            path.as_str()
                .strip_suffix(text)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let best = *group.iter().min_by_key(|path| {
        (
            length(path),
            fold(path.as_str()),
            Reverse(right_case(path)),
            path.as_str(),
        )
    })?;
    let unstable = group.iter().any(|other| {
        let decided_by_case =
            fold(other.as_str()) == fold(best.as_str()) && right_case(best) && !right_case(other);
        *other != best && length(other) == length(best) && !decided_by_case
    });
    Some((best, unstable))
}
