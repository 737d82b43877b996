//! Links as values.

use std::sync::Arc;

use crate::notes::FileNumber;
use crate::value::Value;

/// A link to a file of the vault, or to an external address.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The target as written, with its `#subpath`.
    pub(crate) target: Arc<str>,
    /// The display text; `None` if the target is shown.
    pub(crate) display: Option<Value>,
    /// The file that contains it, which relative targets refer to.
    pub(crate) source: Option<FileNumber>,
}

impl Link {
    /// A link as `link()` makes it of a text: a target, or a whole wikilink.
    pub(crate) fn from_text(text: &str, source: Option<FileNumber>) -> Self {
        let text = text.trim();
        let text = text.strip_prefix('!').map_or(text, str::trim_start);
        let inside = text
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"))
            .unwrap_or(text);
        let (target, display) = match inside.split_once('|') {
            Some((target, display)) => (target, Some(Value::text(display))),
            None => (inside, None),
        };
        Self {
            target: target.into(),
            display,
            source,
        }
    }

    /// The link, if the text of a property is exactly one wikilink. A markdown link stays a text
    /// (`vault-semantics.md` §5.3).
    pub(crate) fn from_property(text: &str, source: FileNumber) -> Option<Self> {
        let rest = text.strip_prefix("[[")?;
        let inside = rest.strip_suffix("]]")?;
        let is_one = rest.find("]]") == Some(inside.len()) && !inside.contains("[[");
        (is_one && !inside.trim().is_empty() && !inside.contains('\n'))
            .then(|| Self::from_text(text, Some(source)))
    }

    /// The target without `#subpath`.
    pub(crate) fn linkpath(&self) -> &str {
        linkpath(&self.target)
    }

    /// Whether it leads out of the vault, because it begins with a scheme.
    pub(crate) fn is_external(&self) -> bool {
        let Some((scheme, _)) = self.target.split_once(':') else {
            return false;
        };
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    }
}

/// A target without its `#subpath`.
pub(crate) fn linkpath(target: &str) -> &str {
    target.split('#').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("link_cases.txt");

    #[test]
    fn a_whole_wikilink_is_taken_apart() {
        let link = Link::from_text(" ![[a/b#c|d|e]] ", None);
        assert_eq!((&*link.target, link.linkpath()), ("a/b#c", "a/b"));
        assert!(matches!(&link.display, Some(Value::Text(text)) if &**text == "d|e"));
        let plain = Link::from_text("Note", None);
        assert!(plain.display.is_none() && !plain.is_external());
        assert!(Link::from_text("https://obsidian.md", None).is_external());
        assert!(!Link::from_text("a b: c", None).is_external());
    }

    #[test]
    fn a_property_is_a_link_as_a_whole_or_not() {
        let link = |text: &str| Link::from_property(text, FileNumber(0)).is_some();
        assert!(link("[[a]]") && link("[[a|b]]") && link("[[a]b]]"));
        for text in tables::lines(CASES, "a property is a link as a whole") {
            assert!(!link(text), "{text}");
        }
    }
}
