//! Shortens ids of runs in texts for people, to the digits that `undo` accepts.

use std::borrow::Cow;

use serde_json::{Map, Value};
use uuid::Uuid;

use store::journal::short_id;

/// The keys whose values are ids of runs.
const RUNS: [&str; 5] = ["runId", "undone", "redone", "run", "laterRuns"];

/// Returns the text with shortened ids of the runs in these data, unless the person wants the full ids. A note's name
/// that looks like an id stays unchanged.
pub(super) fn shortened<'a>(
    text: &'a [u8],
    data: &Map<String, Value>,
    is_verbose: bool,
) -> Cow<'a, [u8]> {
    let values = RUNS.iter().filter_map(|key| data.get(*key));
    let ids: Vec<Uuid> = values
        .flat_map(|value| match value {
            Value::Array(all) => all.iter().collect(),
            one => vec![one],
        })
        .filter_map(|id| id.as_str()?.parse().ok())
        .collect();
    if is_verbose || ids.is_empty() {
        return text.into();
    }
    let whole = String::from_utf8_lossy(text).into_owned();
    let short = ids.iter().fold(whole, |text, id| {
        // Only in `run ID`, `undo ID` and `redo ID`, never in a path.
        ["run", "undo", "redo"].iter().fold(text, |text, word| {
            text.replace(
                &format!("{word} {id}"),
                &format!("{word} {}", short_id(*id)),
            )
        })
    });
    short.into_bytes().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_ids_of_runs_get_shorter() {
        let id = "95da197e-5cbc-4262-a34b-eef755599595";
        let data = json!({ "undone": id });
        let data = data.as_object().unwrap();
        let text = format!("Undid run {id} (create)\n  removed  {id}.md\n");
        let short = shortened(text.as_bytes(), data, false);
        let expected = format!("Undid run 95da197e (create)\n  removed  {id}.md\n");
        assert_eq!(String::from_utf8_lossy(&short), expected);
        assert_eq!(shortened(text.as_bytes(), data, true), text.as_bytes());
        assert_eq!(
            shortened(text.as_bytes(), &Map::new(), false),
            text.as_bytes()
        );
    }
}
