//! The switches of a call.

use vault_files::Args;

/// Whether a switch is on: `total`, and `total=` with any value but the empty one, `false`
/// included (`official-cli.md` §4).
pub(crate) fn on(arguments: &Args, flag: &str) -> bool {
    arguments.flag(flag) || arguments.param(flag).is_some_and(|value| !value.is_empty())
}

/// Whether `properties` is about one note and not about the vault.
pub(crate) fn is_about_one_note(arguments: &Args) -> bool {
    ["path", "file"]
        .iter()
        .any(|key| arguments.param(key).is_some())
        || on(arguments, "active")
}

#[cfg(test)]
mod tests {
    use vault_files::testing::arguments;

    use super::*;

    #[test]
    fn a_switch_with_a_value_is_on_even_when_it_says_false() {
        assert!(on(&arguments("tags", ["total=false"]), "total"));
        assert!(on(&arguments("tags", ["total"]), "total"));
        assert!(!on(&arguments("tags", ["total="]), "total"));
        assert!(!on(&Args::default(), "total"));
    }
}
