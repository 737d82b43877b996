//! The shapes of all answers.

use cli_output::Shape;

/// Returns every shape that a command's `output` may name: the shapes of the app, then the shapes of own commands.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let app = Shape::APP.iter().copied();
    app.chain(vault_questions::own_shapes())
        .chain(vault_edits::own_shapes())
}
