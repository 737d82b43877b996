//! Decides how to continue a cut answer, only from the entry of its command in the catalogue.

use cli_output::PageUnit;

use crate::{Command, Effect, EffectSet};

/// The parameter, of a request or of a command, that continues an answer.
pub const OFFSET: &str = "offset";

/// The way to continue a cut answer of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paging {
    /// With the `offset` of a request, which counts this unit.
    Request(PageUnit),
    /// With the command's own parameter `offset`, in items.
    Parameter,
    /// By the path that it names: the same call would pick another note.
    ByPath,
    /// Not at all.
    #[default]
    Whole,
}

impl Paging {
    /// Whether a list that was cut continues with an `offset`.
    pub const fn continues_lists(self) -> bool {
        matches!(self, Self::Request(_) | Self::Parameter)
    }

    /// Returns the rule for a call of `command` with these effects. A change has no second page.
    pub fn for_command(command: &Command, effects: EffectSet) -> Self {
        if command.param(OFFSET).is_some() {
            return Self::Parameter;
        }
        match command.output.page_unit() {
            Some(PageUnit::DrawnCharacters) => Self::ByPath,
            Some(unit) if effects.iter().all(|effect| effect == Effect::Read) => {
                Self::Request(unit)
            }
            _ => Self::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn each_command_goes_on_in_one_way() {
        for (id, paging) in [
            ("read", Paging::Request(PageUnit::Characters)),
            ("files", Paging::Request(PageUnit::Items)),
            ("search:context", Paging::Request(PageUnit::Files)),
            ("note:get", Paging::Request(PageUnit::BodyCharacters)),
            ("notes:list", Paging::Parameter),
            ("vault:audit", Paging::Parameter),
            ("random:read", Paging::ByPath),
            ("file", Paging::Whole),
            ("note:outline", Paging::Parameter),
            ("note:tree", Paging::Whole),
            ("append", Paging::Whole),
        ] {
            let command = Catalogue::find_builtin(id).unwrap();
            assert_eq!(
                Paging::for_command(&command, command.effects),
                paging,
                "{id}"
            );
        }
        let files = Catalogue::find_builtin("files").unwrap();
        let changes = Catalogue::find_builtin("append").unwrap().effects;
        assert_eq!(Paging::for_command(&files, changes), Paging::Whole);
    }
}
