//! The official CLI's stdout shapes: typed value <-> text (`official-cli.md` §5).

mod arguments;
mod shape;

pub use arguments::Arguments;
pub use shape::Shape;
