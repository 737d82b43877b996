//! Implements the command `random:read`.

use vault_answers::RandomNote;
use vault_files::{Call, EngineError};

use super::files::below;
use super::reply::{Reply, total};

/// One markdown note below a folder, each with the same probability. Without notes the answer is a
/// total of 0, which prints the app's `No markdown files found.`
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let contents = below(vault, call.arguments)?;
    let notes: Vec<_> = contents
        .files
        .into_iter()
        .filter(|file| file.path.extension().eq_ignore_ascii_case("md"))
        .collect();
    let Some(note) = pick(call.surroundings.random, notes.len()).and_then(|index| notes.get(index))
    else {
        return Ok(Reply::new(total(0), contents.warnings));
    };
    let note = vault.read_note(&note.path)?;
    let answer = RandomNote::new(note.path.to_string(), note.text.clone()).into();
    Ok(Reply {
        answer,
        ..Reply::of_note(note, contents.warnings)
    })
}

/// Scales a random number to an index below `count`; `None` if there are no notes.
fn pick(random: u64, count: usize) -> Option<usize> {
    let count = u128::try_from(count).ok().filter(|&count| count > 0)?;
    usize::try_from((u128::from(random) * count) >> 64).ok()
}

#[cfg(test)]
mod tests {
    use super::pick;

    #[test]
    fn the_whole_range_is_spread_evenly() {
        assert_eq!(pick(7, 0), None);
        assert_eq!(pick(u64::MAX, 1), Some(0));
        assert_eq!((pick(0, 3), pick(u64::MAX, 3)), (Some(0), Some(2)));
        let counts = (0..999_u64).fold([0; 3], |mut counts, step| {
            counts[pick(step * (u64::MAX / 999), 3).unwrap()] += 1;
            counts
        });
        assert!(
            counts.iter().all(|count| (332..=334).contains(count)),
            "{counts:?}"
        );
    }
}
