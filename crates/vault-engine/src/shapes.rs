//! The shapes of all answers.

use cli_output::Shape;

use crate::{commands, edit};

/// Returns every shape that a command's `output` may name: the shapes of the app, then the shapes of own commands.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let app = Shape::APP.iter().copied();
    app.chain(commands::own_shapes()).chain(edit::own_shapes())
}
