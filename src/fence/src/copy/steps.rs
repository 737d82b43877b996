//! Decides what to do with one file, by the sides that changed it.

use vault_engine::Version;

/// The content of one file on one side; `None` if the file does not exist.
pub(super) type Content = Option<Version>;

/// The step for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Both sides are equal.
    Alike,
    /// The program changed it: its content is added to the draft.
    Take,
    /// The vault or the draft changed it: its content is written to the copy.
    Update,
    /// Both sides changed the file.
    Conflict,
}

/// Compares both sides with the content that they had when they were last alike.
pub(super) fn fate_of(known: Content, theirs: Content, ours: Content) -> Fate {
    if theirs == ours {
        return Fate::Alike;
    }
    if theirs == known {
        return Fate::Update;
    }
    if ours == known {
        return Fate::Take;
    }
    match (theirs, ours) {
        // The program removed a file that a person changed: the change is worth more.
        (None, _) => Fate::Update,
        // A person removed a file that the program changed.
        (_, None) => Fate::Take,
        _ => Fate::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_is_compared_with_the_last_common_content() {
        let hash = |text: &str| Some(Version::from_bytes(text.as_bytes()));
        let (a, b, c) = (hash("a"), hash("b"), hash("c"));
        for (known, theirs, ours, fate) in [
            (a, a, a, Fate::Alike),
            (a, b, b, Fate::Alike),
            (None, b, b, Fate::Alike),
            (a, None, None, Fate::Alike),
            (a, b, a, Fate::Take),
            (a, None, a, Fate::Take),
            (None, b, None, Fate::Take),
            (a, a, b, Fate::Update),
            (a, a, None, Fate::Update),
            (None, None, b, Fate::Update),
            (a, b, c, Fate::Conflict),
            (None, b, c, Fate::Conflict),
            (a, b, None, Fate::Take),
            (a, None, b, Fate::Update),
        ] {
            assert_eq!(
                fate_of(known, theirs, ours),
                fate,
                "{known:?} {theirs:?} {ours:?}"
            );
        }
    }
}
