//! The review line by line, on a terminal that is too small for the picker or cannot move its cursor. The answers are
//! the keys of the picker.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::document::{Sign, lines_of};
use super::session::{Focus, Outcome, Over, Session};
use frontend::{Role, StyledLine, StyledText, Terminal};
use protocol::Failure;

const KEYS: &str = "[a]ccept [r]eject [c]omment [e]dit [u]ndo [n]ext [p]revious [s]ingle parts [?] keys [f]inish [q]uit: ";

impl Session {
    /// Shows one change after the other and asks about it, until the session needs something from outside, such as an
    /// editor.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be used.
    pub(super) fn ask_line_by_line(&mut self, terminal: &Terminal) -> Result<Outcome, Failure> {
        let mut shown = None;
        loop {
            let mut text = StyledText::default();
            if let Some((role, message)) = self.message.take() {
                text.line(StyledLine::new(role, &message));
            }
            let question = match &mut self.over {
                Over::None => {
                    let place = (self.selected, self.item, self.focus);
                    if shown.replace(place) != Some(place) {
                        self.add_change(&mut text);
                    }
                    KEYS.to_owned()
                }
                Over::Comment(_) => format!("Comment on {}: ", self.commented()),
                Over::Text(page) | Over::Confirm(_, page) | Over::Finish(page) => {
                    let (title, lines, keys) = page.parts();
                    text.line(StyledLine::new(Role::Heading, title));
                    for line in lines {
                        text.line(line.clone());
                    }
                    format!("[{keys}]: ")
                }
            };
            let answer = terminal.ask_about(&text, &question)?.unwrap_or_default();
            if answer.is_empty() {
                return Ok(Outcome::Leave);
            }
            let outcome = self.answered(answer.trim());
            if outcome != Outcome::Stay {
                return Ok(outcome);
            }
        }
    }

    fn answered(&mut self, answer: &str) -> Outcome {
        if let Over::Comment(text) = &mut self.over {
            answer.clone_into(text);
            return self.key_pressed(KeyEvent::from(KeyCode::Enter));
        }
        let key = answer.chars().next();
        let is_over = !matches!(self.over, Over::None);
        let code = match key {
            Some('s') if !is_over => KeyCode::Tab,
            Some('n') | None if !is_over && self.focus == Focus::List => KeyCode::Down,
            Some('p') if !is_over && self.focus == Focus::List => KeyCode::Up,
            Some(key) => KeyCode::Char(key),
            None if is_over => KeyCode::Esc,
            None => KeyCode::Char('n'),
        };
        self.key_pressed(KeyEvent::from(code))
    }

    /// The selected change, or the part of it that is decided by itself.
    fn add_change(&self, text: &mut StyledText) {
        if let Some(entry) = self.list.entries.get(self.selected) {
            text.gap();
            text.line(StyledLine::new(Role::Heading, &entry.label));
        }
        let lines = lines_of(self, self.selected).into_iter();
        let is_part = |item: Option<usize>| self.focus == Focus::List || item == Some(self.item);
        for line in lines.filter(|line| is_part(line.item)) {
            let sign = match line.sign {
                Sign::Change(sign) => format!("{sign} "),
                Sign::Decision => {
                    let items = line.item.map_or(0..0, |item| item..item + 1);
                    format!("{} ", self.sign_of(items))
                }
            };
            let signed = StyledLine::new(Role::Plain, &sign);
            let pieces = line.line.spans().iter();
            text.line(pieces.fold(signed, |signed, (role, piece)| signed.with(*role, piece)));
        }
    }
}
