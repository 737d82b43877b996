//! Block ids: `^id` at the end of a block, or alone below it (`vault-semantics.md` §2.2).

/// A block id at the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockId<'t> {
    /// The id without its `^`.
    pub(super) id: &'t str,
    /// Whether the text contains nothing else, so that it names the block before.
    pub(super) alone: bool,
}

/// Returns the block id at the end of a text: `^`, at its start or behind white space, then ASCII letters, digits and
/// `-`.
pub(super) fn at_end(text: &str) -> Option<BlockId<'_>> {
    let text = text.trim_end();
    let length = text
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        .count();
    let (before, id) = text.split_at(text.len() - length);
    let before = before.strip_suffix('^')?;
    let separate = before.is_empty() || before.ends_with(char::is_whitespace);
    (length > 0 && separate).then(|| BlockId {
        id,
        alone: before.trim().is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_at_the_end() {
        for (text, id, alone) in [
            ("a ^b-1  ", "b-1", false),
            ("a\n^b", "b", false),
            (" ^b", "b", true),
        ] {
            assert_eq!(at_end(text), Some(BlockId { id, alone }), "{text}");
        }
    }

    #[test]
    fn other_carets_are_no_id() {
        for text in ["a^b", "a ^", "a ^b c", "a ^b_c", "a ^é", "", "^"] {
            assert_eq!(at_end(text), None, "{text}");
        }
    }
}
