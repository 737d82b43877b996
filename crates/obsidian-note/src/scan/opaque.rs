//! Skips the parts of running text that cannot contain links or tags: code spans, math and HTML.

use memchr::memmem;

use super::{html, inline::InlineReader, written::is_old_comment};

/// Code spans are marked by at most this many backticks; longer runs are text.
const LONGEST_CODE_MARK: usize = 64;

/// The passes over a block that text may cost which only begins like a tag. After that, tags of
/// HTML are not recognised.
const MOST_PASSES_FOR_TAGS: usize = 4;

/// The last run of backticks of each length in a text.
pub(super) type CodeMarks = Box<[usize; LONGEST_CODE_MARK + 1]>;

/// Closing marks known to be absent from the rest of the block.
#[derive(Default)]
pub(super) struct AbsentMarkup {
    comment: bool,
    instruction: bool,
    declaration: bool,
    data: bool,
    math: bool,
    display_math: bool,
    pub(super) title_bracket: bool,
    /// The bytes that were scanned for HTML tags without finding one.
    tag_bytes: usize,
}

impl InlineReader<'_, '_> {
    pub(super) fn code(&mut self, at: usize) -> usize {
        let length = mark_length(self.rest(at));
        if length > LONGEST_CODE_MARK {
            return at + length;
        }
        if self.last_code_mark(at, length) <= at {
            // A shorter mark may begin inside this one.
            return at + 1;
        }
        let mut next = at + length;
        while let Some(found) = memchr::memchr(b'`', self.rest(next)) {
            next += found;
            let closing = mark_length(self.rest(next));
            next += closing;
            if closing == length {
                if let Some(written) = &mut self.written {
                    written.inline_code(self.lines.text, at..next);
                }
                return self.text_behind(next);
            }
        }
        at + 1
    }

    /// Returns the offset of the last run of so many backticks, in the text from `at` on.
    fn last_code_mark(&mut self, at: usize, length: usize) -> usize {
        let rest = self.rest(at);
        let marks = self.code_marks.get_or_insert_with(|| {
            let mut marks = Box::new([0; LONGEST_CODE_MARK + 1]);
            let mut next = 0;
            while let Some(found) = memchr::memchr(b'`', &rest[next..]) {
                next += found;
                let length = mark_length(&rest[next..]);
                if let Some(mark) = marks.get_mut(length) {
                    *mark = at + next;
                }
                next += length;
            }
            marks
        });
        marks[length]
    }

    pub(super) fn math(&mut self, at: usize) -> usize {
        if self.byte(at + 1) == Some(b'$') {
            // There is text between the marks, if only a `$`.
            if !self.missing.display_math {
                if let Some(found) = memmem::find(self.rest(at + 3), b"$$") {
                    return self.text_behind(at + 3 + found + 2);
                }
                self.missing.display_math = true;
            }
            return self.any_math(at);
        }
        let opens = !matches!(self.byte(at + 1), None | Some(b' ' | b'\t'));
        if !opens || self.missing.math {
            return self.any_math(at);
        }
        let bytes = self.lines.bytes();
        let mut next = at + 1;
        while let Some(found) = memchr::memchr2(b'$', b'\\', self.rest(next)) {
            next += found;
            if bytes[next] == b'\\' {
                next += 2;
            } else if matches!(bytes[next - 1], b' ' | b'\t')
                || self
                    .byte(next + 1)
                    .is_some_and(|after| after.is_ascii_digit())
            {
                next += 1;
            } else {
                return self.text_behind(next + 1);
            }
        }
        self.missing.math = true;
        self.any_math(at)
    }

    /// Passes a formula of a reader that pairs any two `$`.
    fn any_math(&mut self, at: usize) -> usize {
        let end = self.hides_marks().then(|| self.rest(at + 1));
        match end.and_then(|rest| memchr::memchr(b'$', rest)) {
            Some(found) => self.text_behind(at + found + 2),
            None => at + 1,
        }
    }

    /// Passes a comment between `%%`, if it hides marks, or else its first mark.
    pub(super) fn comment(&mut self, at: usize) -> usize {
        let rest = self.hides_marks().then(|| self.rest(at + 2));
        let Some(found) = rest.and_then(|rest| memmem::find(rest, b"%%")) else {
            return self.text_from(at + 2);
        };
        let end = at + found + 4;
        if let Some(written) = &mut self.written {
            written.inline_comment(at..end);
        }
        self.text_behind(end)
    }

    /// Returns the end of an inline footnote that hides marks, which begins with the bracket at `at`.
    pub(super) fn footnote(&mut self, at: usize) -> Option<usize> {
        let is_footnote = self.hides_marks() && self.lines.bytes()[..at].ends_with(b"^");
        if !is_footnote || self.last_closing_bracket() < at {
            return None;
        }
        let found = memchr::memchr(b']', self.rest(at))?;
        Some(self.text_behind(at + found + 1))
    }

    pub(super) fn hides_marks(&self) -> bool {
        let written = self.written.as_ref();
        written.is_some_and(|written| written.hides_marks)
    }

    pub(super) fn html(&mut self, at: usize) -> usize {
        let rest = self.rest(at);
        if rest.starts_with(b"<!--") {
            let next = self.past(at, 4, b"-->", |missing| &mut missing.comment);
            if let Some(written) = self.written.as_mut().filter(|_| next > at + 2) {
                let comment = self.lines.text.get(at..next).unwrap_or_default();
                if !is_old_comment(comment) {
                    return self.text_behind(at + 2);
                }
                written.html_comment(self.lines.text, at..next);
            }
            return next;
        }
        if rest.starts_with(b"<?") {
            return self.past(at, 2, b"?>", |missing| &mut missing.instruction);
        }
        if rest.starts_with(b"<![CDATA[") {
            return self.past(at, 9, b"]]>", |missing| &mut missing.data);
        }
        if rest.starts_with(b"<!")
            && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
            && (self.written.is_none() || has_white_behind_name(rest))
        {
            return self.past(at, 3, b">", |missing| &mut missing.declaration);
        }
        if let Some(end) = html::address(self.lines.bytes(), at, self.end) {
            return self.text_behind(end);
        }
        if self.missing.tag_bytes > MOST_PASSES_FOR_TAGS * (self.end - self.start) {
            return at + 1;
        }
        match html::tag(self.lines.bytes(), at, self.end) {
            Ok(end) => self.text_behind(end),
            Err(stop) => {
                self.missing.tag_bytes += stop - at;
                at + 1
            }
        }
    }

    /// Skips markup that begins at `at` with an opening mark of `open` bytes and ends with `close`.
    fn past(
        &mut self,
        at: usize,
        open: usize,
        close: &[u8],
        missing: fn(&mut AbsentMarkup) -> &mut bool,
    ) -> usize {
        if !*missing(&mut self.missing) {
            if let Some(found) = memmem::find(self.rest(at + open), close) {
                return self.text_behind(at + open + found + close.len());
            }
            *missing(&mut self.missing) = true;
        }
        at + open.min(2)
    }
}

/// Whether a declaration is one before `CommonMark` 0.30.
fn has_white_behind_name(rest: &[u8]) -> bool {
    let name = rest.iter().skip(2).find(|byte| !byte.is_ascii_alphabetic());
    name.is_some_and(u8::is_ascii_whitespace)
}

fn mark_length(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b'`').count()
}
