//! The arguments that decide how an answer looks.

/// The arguments of a command, as far as its output depends on them.
pub trait Arguments {
    /// Returns the text of a parameter; `None` if it is not given, or is not a text or a path.
    fn param(&self, name: &str) -> Option<&str>;

    /// Whether a flag is set.
    fn flag(&self, name: &str) -> bool;
}

/// No arguments.
impl Arguments for () {
    fn param(&self, _name: &str) -> Option<&str> {
        None
    }

    fn flag(&self, _name: &str) -> bool {
        false
    }
}
