//! Warnings for a person who is about to accept a change of a draft.

use std::collections::{BTreeMap, BTreeSet};

use line_diff::Hunk;
use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::plural::count;
use vault_engine::scan::{Heading, scan};
use vault_engine::{Anchors, PlannedFile, shown};

use super::links::DraftLinks;
use super::parts::DraftPart;
use changes::{Happening, findings::Finding};
use protocol::first_of;
use store::labels::Why;

/// The maximum number of bytes of a text in which web links are counted.
const MOST_COMPARED: usize = 1 << 20;
/// The fewest lines that must go before a change counts as a loss.
const FEWEST_LOST: usize = 3;
/// The maximum number of bytes after the host of an address that is not long.
const LONG_ADDRESS: usize = 120;
/// Number of new web links up to which a change gets no warning.
const MANY_LINKS: usize = 20;

/// A reason to look twice. What has one is accepted only with a confirmation of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewWarning {
    /// The number of the hunk; absent if it is about the whole file, and so about each of its hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunk: Option<usize>,
    /// The line in the new text, counted from 1; absent if no line has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The reason.
    #[serde(flatten)]
    pub reason: WarningReason,
}

/// The reason why a person should look twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    tag = "reason"
)]
pub enum WarningReason {
    /// New active content: it runs or loads something when the file is opened or published.
    ActiveContent {
        /// The content.
        finding: Finding,
    },
    /// The file is deleted for good.
    Deleted,
    /// The file goes to the trash.
    Trashed,
    /// The folder is removed.
    FolderRemoved,
    /// All text of the note is removed.
    Emptied,
    /// Most lines of the note are removed.
    LinesRemoved {
        /// Number of lines by which the note becomes shorter.
        removed: usize,
        /// Number of lines of the note before.
        lines: usize,
    },
    /// Lines get another kind of line end, which no diff shows.
    LineEnds {
        /// Number of lines of the new text that end with CR LF.
        crlf: usize,
        /// Number of lines that end with LF alone.
        lf: usize,
    },
    /// The text is labelled as outside text.
    OutsideText {
        /// Why.
        label: Why,
    },
    /// New web links have long addresses. A click sends the whole address out.
    LongWebLinks {
        /// Number of links.
        count: usize,
    },
    /// There are many new web links.
    ManyWebLinks {
        /// Number of links.
        count: usize,
    },
    /// A new web link has a host with letters of several scripts, which can look like another host.
    MixedScripts {
        /// The host.
        host: String,
    },
    /// A new link leads to no file. It replaces a link that did, or its file left its path since the draft was begun.
    BrokenLink {
        /// The new link, as written.
        link: String,
    },
    /// A renamed heading has the name of another heading of the note. Links to that name lead to the first of them.
    SameHeading {
        /// The heading, as written.
        heading: String,
    },
    /// The file leaves its path, and links to it lead to no file then.
    BrokenBacklinks {
        /// The first of the files with such links.
        files: Vec<String>,
        /// Number of files with such links.
        count: usize,
    },
    /// The new content is not text, so it cannot be shown.
    NotText,
    /// Hunks are too large to be shown.
    NotShown {
        /// Number of hunks.
        hunks: usize,
    },
}

impl WarningReason {
    /// Whether other parts of a draft decide if the reason applies.
    pub(super) const fn is_about_links(&self) -> bool {
        matches!(self, Self::BrokenLink { .. } | Self::BrokenBacklinks { .. })
    }
}

impl ReviewWarning {
    /// Returns a warning about the whole file.
    pub(super) const fn of_file(reason: WarningReason) -> Self {
        Self {
            hunk: None,
            line: None,
            reason,
        }
    }

    /// Whether it is about one of these hunks; an empty set is all hunks.
    pub fn is_about(&self, hunks: &BTreeSet<usize>) -> bool {
        self.hunk
            .is_none_or(|hunk| hunks.is_empty() || hunks.contains(&hunk))
    }

    /// Returns the warning in one line for people, with the path of its file.
    pub fn line_about(&self, path: &str) -> String {
        match (&self.reason, self.line) {
            // This sentence names its place.
            (WarningReason::ActiveContent { .. }, _) => self.sentence(),
            (_, Some(line)) => format!("{}, line {line}: {}", shown::row(path), self.sentence()),
            (_, None) => format!("{}: {}", shown::row(path), self.sentence()),
        }
    }

    /// Returns the warning as a sentence for people.
    pub fn sentence(&self) -> String {
        match &self.reason {
            WarningReason::ActiveContent { finding } => finding.line(),
            WarningReason::Deleted => "The change deletes the note permanently.".to_owned(),
            WarningReason::Trashed => "The change moves the note to the trash.".to_owned(),
            WarningReason::FolderRemoved => "The change removes the folder.".to_owned(),
            WarningReason::Emptied => "The change removes all text of the note.".to_owned(),
            WarningReason::LinesRemoved { removed, lines } => {
                format!("The change removes {removed} of the note's {lines} lines.")
            }
            WarningReason::LineEnds { crlf, lf } => {
                let crlf = count(*crlf, "line");
                format!(
                    "The change affects line endings. The new text has {crlf} with CR LF and {lf} \
                    with LF."
                )
            }
            WarningReason::OutsideText { label } => {
                format!("The note has outside text: it {}.", label.in_words())
            }
            WarningReason::LongWebLinks { count: links } => {
                let links = count(*links, "web link");
                format!(
                    "The change adds {links} with a long address. A click sends the whole address to the website."
                )
            }
            WarningReason::ManyWebLinks { count } => format!("The change adds {count} web links."),
            WarningReason::MixedScripts { host } => format!(
                "The host {} of a new link mixes letters of several alphabets, so it can look like \
                another host.",
                shown::row(host)
            ),
            WarningReason::BrokenLink { link } => {
                format!(
                    "The new link {} points to a file that does not exist.",
                    shown::row(link)
                )
            }
            WarningReason::SameHeading { heading } => format!(
                "Several headings of the note are named {}, so a link to this name can lead to the \
                wrong heading.",
                shown::row(heading)
            ),
            WarningReason::BrokenBacklinks { files, count: all } => {
                let named = first_of(files.iter().map(|file| shown::row(file)), *all);
                let all = count(*all, "file");
                format!("The change breaks links to this file in {all}: {named}.")
            }
            WarningReason::NotText => {
                "The new content is not shown, because it is not text.".to_owned()
            }
            WarningReason::NotShown { hunks } => {
                format!(
                    "The diff would be too large, so it leaves out {}.",
                    count(*hunks, "hunk")
                )
            }
        }
    }
}

/// Returns the warnings that a part has by itself: what it loses, active content, and web links.
pub(super) fn of_part(part: &DraftPart, links: Option<&DraftLinks>) -> Vec<ReviewWarning> {
    let loss = loss(part)
        .into_iter()
        .chain(line_ends(part))
        .map(ReviewWarning::of_file);
    let findings = part
        .findings(links)
        .into_iter()
        .map(|finding| ReviewWarning {
            hunk: finding.line.and_then(|line| part.hunk_at(line)),
            line: finding.line,
            reason: WarningReason::ActiveContent { finding },
        });
    let is_unread = part.texts.is_none() && matches!(part.file, PlannedFile::Bytes(_));
    let unread = is_unread.then(|| ReviewWarning::of_file(WarningReason::NotText));
    loss.chain(unread)
        .chain(findings)
        .chain(same_headings(part))
        .chain(web_links(part))
        .collect()
}

/// Returns the reason to warn of a loss if the whole part is accepted.
fn loss(part: &DraftPart) -> Option<WarningReason> {
    match part.change {
        Happening::Removed => return Some(WarningReason::Deleted),
        Happening::Trashed => return Some(WarningReason::Trashed),
        Happening::FolderRemoved => return Some(WarningReason::FolderRemoved),
        _ => {}
    }
    let (before, after) = part.texts.as_ref()?;
    if after.trim().is_empty() && !before.trim().is_empty() {
        return Some(WarningReason::Emptied);
    }
    let lines = before.lines().count();
    let (removed, added) = part.hunks.iter().fold((0, 0), |(removed, added), hunk| {
        (removed + hunk.before.len(), added + hunk.after.len())
    });
    let removed = removed.saturating_sub(added);
    (removed >= FEWEST_LOST && removed * 2 > lines)
        .then_some(WarningReason::LinesRemoved { removed, lines })
}

/// Returns a kind of line end that the text did not have.
fn line_ends(part: &DraftPart) -> Option<WarningReason> {
    let ends = |text: &str| {
        let crlf = text.matches("\r\n").count();
        (crlf, text.matches('\n').count() - crlf)
    };
    let (before, after) = part.texts.as_ref()?;
    let (old_crlf, old_lf) = ends(before);
    let (crlf, lf) = ends(after);
    let is_new = (old_crlf == 0 && crlf > 0) || (old_lf == 0 && lf > 0);
    (is_new && old_crlf + old_lf > 0).then_some(WarningReason::LineEnds { crlf, lf })
}

/// Returns the headings to which a hunk gives the name of another heading, also if another draft was accepted that used
/// the name first.
fn same_headings(part: &DraftPart) -> Vec<ReviewWarning> {
    let has_name = matches!(part.change, Happening::Modified | Happening::Moved);
    let texts = part
        .texts
        .as_ref()
        .filter(|_| has_name && part.path.is_note());
    let Some((before, after)) = texts else {
        return Vec::new();
    };
    if before.len().max(after.len()) > MOST_COMPARED {
        return Vec::new();
    }
    let (before, after) = (scan(before), scan(after));
    let (old, new) = (Anchors::new(&before), Anchors::new(&after));
    let line_of =
        |heading: &Heading| usize::try_from(heading.span.start.line).unwrap_or(usize::MAX);
    let mut warnings = Vec::new();
    for (number, hunk) in (1..).zip(&part.hunks) {
        let mut headings = before.headings.iter();
        if !headings.any(|heading| hunk.before.contains(&line_of(heading))) {
            continue;
        }
        let is_added = |heading: &&Heading| hunk.after.contains(&line_of(heading));
        for heading in after.headings.iter().filter(is_added) {
            let [had, has] = [&old, &new].map(|of| of.headings_named(&heading.text).len());
            if has > had.max(1) {
                warnings.push(ReviewWarning {
                    hunk: Some(number),
                    line: Some(line_of(heading).saturating_add(1)),
                    reason: WarningReason::SameHeading {
                        heading: heading.text.clone(),
                    },
                });
            }
        }
    }
    warnings
}

/// New web links that a person should look at before they are clicked.
fn web_links(part: &DraftPart) -> Vec<ReviewWarning> {
    let Some((before, after)) = &part.texts else {
        return Vec::new();
    };
    let known = addresses(before);
    let mut new: BTreeMap<&str, usize> = BTreeMap::new();
    for (address, line) in addresses(after) {
        if !known.contains_key(address) {
            new.insert(address, line);
        }
    }
    let mut warnings = Vec::new();
    let mut long: BTreeMap<Option<usize>, (usize, usize)> = BTreeMap::new();
    for (address, line) in &new {
        let path = address
            .split_once(['/', '?', '#'])
            .map_or("", |(_, path)| path);
        if path.len() > LONG_ADDRESS {
            let (count, first) = long.entry(part.hunk_at(*line)).or_insert((0, *line));
            *count += 1;
            *first = (*first).min(*line);
        }
    }
    warnings.extend(long.into_iter().map(|(hunk, (count, line))| ReviewWarning {
        hunk,
        line: Some(line),
        reason: WarningReason::LongWebLinks { count },
    }));
    let hosts = new.iter().filter_map(|(address, line)| {
        let host = address.split(['/', '?', '#']).next()?;
        mixes_scripts(host).then(|| ReviewWarning {
            hunk: part.hunk_at(*line),
            line: Some(*line),
            reason: WarningReason::MixedScripts {
                host: host.to_owned(),
            },
        })
    });
    warnings.extend(hosts.take(MANY_LINKS));
    if new.len() > MANY_LINKS {
        let reason = WarningReason::ManyWebLinks { count: new.len() };
        warnings.push(ReviewWarning::of_file(reason));
    }
    warnings
}

/// Whether a part of a host has letters of English and of another script than Latin.
fn mixes_scripts(host: &str) -> bool {
    let is_latin = |letter: char| letter < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&letter);
    host.split('.').any(|label| {
        label.contains(|letter: char| letter.is_ascii_alphabetic())
            && label.contains(|letter: char| letter.is_alphabetic() && !is_latin(letter))
    })
}

/// Returns the web addresses of a text without their scheme, each with its first line, counted from
/// 1.
fn addresses(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    let text = text.get(..MOST_COMPARED).unwrap_or(text);
    for (line, text) in (1..).zip(text.lines()) {
        for (at, separator) in text.match_indices("://") {
            let rest = text.get(at + separator.len()..).unwrap_or_default();
            let end =
                rest.find(|letter: char| letter.is_whitespace() || "<>()[]\"`|".contains(letter));
            let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            found.entry(address).or_insert(line);
        }
    }
    found
}

impl DraftPart {
    /// Returns the number of the hunk with this line of the new text, counted from 1. A new note is one hunk.
    fn hunk_at(&self, line: usize) -> Option<usize> {
        let has_line = |hunk: &&Hunk| hunk.after.contains(&line.saturating_sub(1));
        let numbered = (1..).zip(&self.hunks);
        let number = numbered
            .filter(|(_, hunk)| has_line(hunk))
            .map(|(number, _)| number)
            .next();
        number.filter(|number| self.numbers().contains(number))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vault_engine::{PlannedBytes, PlannedContent};

    use super::*;

    fn warnings(change: Happening, before: &str, after: &str) -> Vec<ReviewWarning> {
        of_part(&DraftPart::of_texts(change, before, after), None)
    }

    fn modified(before: &str, after: &str) -> Vec<(Option<usize>, Option<usize>, String)> {
        let warnings = warnings(Happening::Modified, before, after).into_iter();
        warnings
            .map(|one| (one.hunk, one.line, one.sentence()))
            .collect()
    }

    #[test]
    fn long_and_many_web_links_are_warnings() {
        let long = format!("[a](https://example.org/?q={})", "x".repeat(200));
        let short = "[a](https://example.org/a?b=c) https://example.org";
        assert_eq!(modified("", short), []);
        let twice = modified("a\nb\nc\n", &format!("a\nb\nc\n{long}\n{long}\n"));
        let sentence = "The change adds 1 web link with a long address. A click sends the whole address to the website.";
        assert_eq!(twice, [(Some(1), Some(4), sentence.to_owned())]);
        assert_eq!(modified(&long, &format!("{long}\nmore")), []);
        let many: String = (0..30)
            .map(|n| format!("https://example.org/{n}\n"))
            .collect();
        assert_eq!(
            modified("", &many),
            [(None, None, "The change adds 30 web links.".to_owned())]
        );
        assert_eq!(modified("", &many.replace("https", "http")).len(), 1);
    }

    #[test]
    fn a_host_with_letters_of_several_scripts_is_a_warning() {
        let link = |host: &str| format!("[bank](https://{host}/pay)\n");
        let changed = |host: &str| modified(&link("bank.example"), &link(host));
        let sentence = "The host b\u{430}nk.example of a new link mixes letters of several alphabets, so it can look like another host.";
        assert_eq!(
            changed("b\u{430}nk.example"),
            [(Some(1), Some(1), sentence.to_owned())]
        );
        for host in ["b\u{e4}nk.example", "\u{431}\u{430}\u{43d}\u{43a}.example"] {
            assert_eq!(changed(host), [], "{host}");
        }
    }

    #[test]
    fn a_heading_that_gets_the_name_of_another_one_is_a_warning() {
        let note = "# One\n\na\n\n# Two\n\nb\n\n# Same\n";
        let warned = |old: &str, new: &str| modified(note, &note.replace(old, new));
        let sentence = |name: &str| {
            format!(
                "Several headings of the note are named {name}, so a link to this name can lead to the wrong heading."
            )
        };
        assert_eq!(
            warned("# Two", "## *same*"),
            [(Some(1), Some(5), sentence("*same*"))]
        );
        // Both get a new name.
        let both = modified(note, &note.replace("One", "New").replace("Two", "New"));
        let new = sentence("New");
        assert_eq!(
            both,
            [(Some(1), Some(1), new.clone()), (Some(2), Some(5), new)]
        );
        // A new section, another name, and sections in another order.
        for (old, new) in [
            ("b\n", "b\n\n# Same\n"),
            ("Two", "Other"),
            ("# One\n\na\n\n# Two", "# Two\n\na\n\n# One"),
        ] {
            assert_eq!(warned(old, new), [], "{new}");
        }
    }

    #[test]
    fn another_kind_of_line_end_is_a_warning() {
        let sentence =
            "The change affects line endings. The new text has 2 lines with CR LF and 1 with LF.";
        let expected = [(None, None, sentence.to_owned())];
        assert_eq!(modified("a\nb\nc\n", "a\r\nb\r\nc\n"), expected);
        assert_eq!(modified("a\r\nb\r\n", "a\r\nb\r\nc\n"), expected);
        for (before, after) in [
            ("", "a\r\n"),
            ("a\r\nb\n", "a\nb\r\n"),
            ("a\n", "b\nc\n"),
            ("a", "a\r\n"),
        ] {
            assert_eq!(modified(before, after), [], "{before:?} {after:?}");
        }
    }

    #[test]
    fn new_content_that_is_not_text_is_a_warning() {
        let mut part = DraftPart::of_texts(Happening::Created, "", "");
        part.texts = None;
        part.file = PlannedFile::From(part.place.clone());
        assert_eq!(of_part(&part, None), []);
        let bytes = PlannedBytes {
            content: PlannedContent::new(vec![0xff]),
            origin: None,
            modified: 1,
        };
        part.file = PlannedFile::Bytes(Arc::new(bytes));
        assert_eq!(
            of_part(&part, None),
            [ReviewWarning::of_file(WarningReason::NotText)]
        );
    }

    #[test]
    fn a_loss_is_a_warning_about_the_whole_note() {
        let loss = |change, before, after| {
            let warnings = warnings(change, before, after);
            assert!(
                warnings
                    .iter()
                    .all(|warning| warning.is_about(&BTreeSet::from([7])))
            );
            warnings.into_iter().map(|warning| warning.reason).next()
        };
        let five = "1\n2\n3\n4\n5\n";
        assert_eq!(loss(Happening::Modified, five, "1\n2\n3\n4\n"), None);
        assert_eq!(loss(Happening::Modified, five, "a\nb\nc\nd\ne\n"), None);
        assert_eq!(
            loss(Happening::Modified, five, "1\n2\n"),
            Some(WarningReason::LinesRemoved {
                removed: 3,
                lines: 5
            })
        );
        assert_eq!(
            loss(Happening::Modified, five, " \n"),
            Some(WarningReason::Emptied)
        );
        assert_eq!(
            loss(Happening::Trashed, five, ""),
            Some(WarningReason::Trashed)
        );
        assert_eq!(loss(Happening::Created, "", five), None);
    }

    #[test]
    fn active_content_is_a_warning_about_its_hunk() {
        let after = "a\nb\nc\nd\n![](https://example.org/a.png)\n";
        let found = modified("A\nb\nc\nd\n", after);
        assert_eq!(
            found
                .iter()
                .map(|(hunk, line, _)| (*hunk, *line))
                .collect::<Vec<_>>(),
            [(Some(2), Some(5))]
        );
        let new = warnings(Happening::Created, "", after);
        assert_eq!((new[0].hunk, new[0].line), (None, Some(5)));
    }
}
