//! The limits for bases and for the work that they cause.

/// The longest text of a base, in bytes.
pub const MAX_BASE_BYTES: usize = 1024 * 1024;
/// The maximum number of values in a base, with every alias expanded.
pub(crate) const MAX_BASE_VALUES: usize = 20_000;
/// The maximum number of levels of nested values in a base.
pub(crate) const MAX_BASE_DEPTH: usize = 64;
/// The longest expression, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 64 * 1024;
/// The maximum number of levels of an expression. Bounds every recursion over it.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// The maximum number of levels of an evaluation, with nested formulas and functions of lists.
pub(crate) const MAX_EVALUATION_DEPTH: usize = 96;
/// The maximum number of levels of nested lists and objects.
pub(crate) const MAX_VALUE_DEPTH: usize = 64;
/// The largest value, in bytes of weight: its size with all parts written out, even if parts are
/// shared.
pub const MAX_VALUE_WEIGHT: usize = 4 * 1024 * 1024;
/// The maximum number of steps for one file. A step is one node of an expression, 16 bytes of a new value, or 4
/// instructions of a regular expression.
pub const MAX_FILE_STEPS: u64 = 1_000_000;
/// The maximum number of steps for a whole query.
pub const MAX_QUERY_STEPS: u64 = 200_000_000;
/// The maximum number of bytes of a text by which rows are sorted or grouped.
pub(crate) const MAX_COMPARED_BYTES: usize = 1_024;
/// The maximum number of bytes of text in all cells of a table.
pub const MAX_TABLE_BYTES: usize = 64 * 1024 * 1024;
