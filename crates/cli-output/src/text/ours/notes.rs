//! Notes in a list.

use super::rows;
use crate::answer::{List, ListedNote};

/// Path, tab, date, tab, tags; the path alone where no more was asked for.
pub(super) fn list(list: &List<ListedNote>) -> String {
    rows(list.items.iter().map(|note| {
        let metadata = note.metadata.as_ref();
        let date = metadata.and_then(|metadata| metadata.date.clone());
        let tags = metadata.map(|metadata| {
            [metadata.tags.as_slice(), &metadata.inline_tags]
                .concat()
                .join(" ")
        });
        [
            note.path.clone(),
            date.unwrap_or_default(),
            tags.unwrap_or_default(),
        ]
    }))
}
