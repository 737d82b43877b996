//! The one form of every list in an envelope.

use schemars::JsonSchema;
use serde::Serialize;

/// Items, and how many there would be without a limit (`design.md` §4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    /// How many there are before any limit.
    pub total: usize,
    /// How many `items` holds.
    pub returned: usize,
    /// The index, from 0, of the first item.
    pub offset: usize,
    /// Whether items were left out.
    pub truncated: bool,
    /// The items, in the order of the command.
    pub items: Vec<T>,
    /// The `offset` of a request that goes on in the list. Only where items come after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

impl<T> List<T> {
    /// A whole list: nothing left out.
    pub fn new(items: Vec<T>) -> Self {
        let total = items.len();
        Self::part(items, 0, total)
    }

    /// Whether the list has no items at all, not even beyond its limit.
    pub fn is_empty(&self) -> bool {
        self.total == 0 && self.items.is_empty()
    }

    /// The items of a page: at most `limit` from `offset` on.
    pub fn page(items: Vec<T>, offset: usize, limit: usize) -> Self {
        let total = items.len();
        let items = items.into_iter().skip(offset).take(limit).collect();
        Self::part(items, offset, total)
    }

    /// A part of a list that has `total` items, from the one at `offset` on.
    pub fn part(items: Vec<T>, offset: usize, total: usize) -> Self {
        Self {
            total,
            returned: items.len(),
            offset,
            truncated: items.len() < total,
            items,
            next_offset: None,
        }
    }

    /// Keeps the first `count` items; the total stays.
    pub fn keep_first(&mut self, count: usize) {
        self.items.truncate(count);
        self.returned = self.items.len();
        self.truncated = self.returned < self.total;
    }

    /// Keeps at most `count` items from the one at `skip` on; the total stays.
    pub fn window(&mut self, skip: usize, count: usize) {
        self.items.drain(..skip.min(self.items.len()));
        self.items.truncate(count);
        self.offset = self.offset.saturating_add(skip).min(self.total);
        self.returned = self.items.len();
        self.truncated = self.returned < self.total;
    }

    /// The numbers of this list with other items.
    pub fn with_items<U>(self, items: Vec<U>) -> List<U> {
        List {
            total: self.total,
            returned: self.returned,
            offset: self.offset,
            truncated: self.truncated,
            items,
            next_offset: self.next_offset,
        }
    }

    /// The same list with every item changed; its numbers stay.
    pub fn map<U>(mut self, change: impl FnMut(T) -> U) -> List<U> {
        let items = std::mem::take(&mut self.items);
        self.with_items(items.into_iter().map(change).collect())
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::new(items.into_iter().collect())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}
