//! The bounds on bases and on the work that they ask for.

/// Longest text of a base, in bytes.
pub const MAX_BASE_BYTES: usize = 1024 * 1024;
/// Values in a base, every alias expanded.
pub(crate) const MAX_BASE_VALUES: usize = 20_000;
/// How deep the values of a base nest.
pub(crate) const MAX_BASE_DEPTH: usize = 64;
/// Longest expression, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 64 * 1024;
/// How deep an expression nests. Bounds every recursion over it.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// How deep an evaluation goes, formulas within formulas and functions of lists included.
pub(crate) const MAX_EVALUATION_DEPTH: usize = 96;
/// How deep lists and objects nest.
pub(crate) const MAX_VALUE_DEPTH: usize = 64;
/// The largest value, in bytes of weight: what it would take with all its parts written out, even
/// where parts are shared.
pub const MAX_VALUE_WEIGHT: usize = 4 * 1024 * 1024;
/// Steps that one file may cost. A step is one node of an expression, 16 bytes of a new value, or
/// 4 instructions of a regular expression.
pub const MAX_FILE_STEPS: u64 = 1_000_000;
/// Steps that a whole query may cost.
pub const MAX_QUERY_STEPS: u64 = 200_000_000;
/// Bytes of text in all cells of a table.
pub const MAX_TABLE_BYTES: usize = 64 * 1024 * 1024;
