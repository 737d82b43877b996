//! The one form of every list in an envelope.

use schemars::JsonSchema;
use serde::Serialize;

/// Items, and how many there would be without a limit (`design/envelope.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    #[serde(flatten)]
    numbers: ListNumbers,
    /// The items, in the order of the command.
    pub items: Vec<T>,
    /// The `offset` of a request that goes on in the list. Only where items come after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// The part of a list that the answer contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListNumbers {
    /// Number of items before any limit.
    pub total: usize,
    /// Number of items in `items`.
    pub returned: usize,
    /// The index, from 0, of the first item.
    pub offset: usize,
    /// Whether items follow after these.
    pub truncated: bool,
}

impl ListNumbers {
    /// The numbers of `returned` items from the one at `offset` on, of `total`.
    pub fn new(total: usize, offset: usize, returned: usize) -> Self {
        let mut numbers = Self {
            total,
            returned,
            offset,
            truncated: false,
        };
        numbers.truncated = numbers.next().is_some();
        numbers
    }

    /// Returns the `offset` that continues the list; `None` at its end. It is at least one item further, so that a
    /// client that follows it always gets to the end.
    pub fn next(self) -> Option<usize> {
        let next = self.offset.saturating_add(self.returned.max(1));
        (next < self.total).then_some(next)
    }
}

impl<T> List<T> {
    /// A whole list: nothing left out.
    pub fn new(items: Vec<T>) -> Self {
        let total = items.len();
        Self::part(items, 0, total)
    }

    /// Whether the list has no items at all, not even beyond its limit.
    pub fn is_empty(&self) -> bool {
        self.total() == 0 && self.items.is_empty()
    }

    /// Returns the number of items before any limit.
    pub const fn total(&self) -> usize {
        self.numbers.total
    }

    /// Returns the part of the list that this is.
    pub const fn numbers(&self) -> ListNumbers {
        self.numbers
    }

    /// The items of a page: at most `limit` from `offset` on.
    pub fn page(items: Vec<T>, offset: usize, limit: usize) -> Self {
        let total = items.len();
        let items = items.into_iter().skip(offset).take(limit).collect();
        Self::part(items, offset, total)
    }

    /// A part of a list that has `total` items, from the one at `offset` on.
    pub fn part(items: Vec<T>, offset: usize, total: usize) -> Self {
        let numbers = ListNumbers::new(total, offset, items.len());
        Self {
            numbers,
            items,
            next_offset: numbers.next(),
        }
    }

    /// The same part of the list with every item changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> List<U> {
        let ListNumbers { total, offset, .. } = self.numbers;
        List::part(self.items.into_iter().map(change).collect(), offset, total)
    }
}

/// A list of items of any type.
pub trait Items {
    /// Returns the part of the list that it is.
    fn numbers(&self) -> ListNumbers;
    /// Says how many items there are.
    fn set_total(&mut self, total: usize);
    /// Returns the item with this index among its present items, as JSON.
    fn json(&self, index: usize) -> Option<String>;
    /// Keeps at most `count` items from the one at `skip` on; the total stays.
    fn window(&mut self, skip: usize, count: usize);
}

impl<T: Serialize> Items for List<T> {
    fn numbers(&self) -> ListNumbers {
        self.numbers
    }

    fn set_total(&mut self, total: usize) {
        *self = Self::part(std::mem::take(&mut self.items), self.numbers.offset, total);
    }

    fn json(&self, index: usize) -> Option<String> {
        serde_json::to_string(self.items.get(index)?).ok()
    }

    fn window(&mut self, skip: usize, count: usize) {
        self.items.drain(..skip.min(self.items.len()));
        self.items.truncate(count);
        let ListNumbers { total, offset, .. } = self.numbers;
        let offset = offset.saturating_add(skip).min(total);
        *self = Self::part(std::mem::take(&mut self.items), offset, total);
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
