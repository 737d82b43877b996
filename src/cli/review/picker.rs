//! The review at a terminal: everything that waits, with a decision for each part, carried out as a whole.
//!
//! It folds every line and escapes what cannot be seen, so all of it can be scrolled to. A question is answered only
//! after its last row was shown; pasted text presses no key. Decisions are stored after each key. A person's text or
//! comment is never lost: if the file no longer waits, it is saved as `written-….md`.

mod decisions;
mod document;
mod lines;
mod list;
mod screen;
mod session;
#[cfg(test)]
mod tests;

#[cfg(unix)]
use std::io::Read as _;
use std::io::stdout;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
#[cfg(unix)]
use std::thread;
use std::time::Duration;

use ratatui::Terminal as Screen;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind, poll, read,
};
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use ratatui::crossterm::{cursor, execute};
#[cfg(unix)]
use rustix::process::Signal;
use vault_engine::plural::count;

use self::decisions::{Edited, Kept};
use self::list::{Place, WaitingApproval};
use self::screen::Page;
use self::screen::SMALLEST;
use self::session::{Outcome, Over, Session, is_control_c};
use super::super::error::Error;
use crate::cli::{editor, report};
use frontend::{CommandLineOptions, Role, Terminal, approval_text, escape};
use gateway::{Envelope, Gateway};
use protocol::Failure;
use sandbox::Environment;
#[cfg(unix)]
use sandbox::signals;
use store::drafts::EditFailure;
use tiers::ApprovalChannel;

/// The gateway, options and terminal of the picker.
pub(super) struct Picker<'run> {
    pub(super) terminal: &'run Terminal,
    pub(super) options: &'run CommandLineOptions,
    pub(super) environment: &'run Environment,
    pub(super) gateway: &'run Gateway,
}

impl Picker<'_> {
    /// Shows everything that waits, until the person has carried out their decisions or leaves.
    ///
    /// # Errors
    ///
    /// If the drafts cannot be read or the terminal cannot be used.
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let (mut session, notices) = self.session(self.kept()?)?;
        if session.list.items.is_empty() {
            self.note_all(&notices);
            self.terminal.note("Nothing waits for your review.");
            return Ok(ExitCode::SUCCESS);
        }
        show(&mut session, &notices);
        #[cfg(unix)]
        give_back_on_signals().map_err(Error::TerminalUnusable)?;
        let mut done: Vec<Envelope> = Vec::new();
        let mut status = ExitCode::SUCCESS;
        loop {
            match self.next(&mut session)? {
                Outcome::Stay => {}
                Outcome::Leave => {
                    let decided = session.decided();
                    if decided > 0 {
                        let decided = count(decided, "decision");
                        self.terminal.note(&format!(
                            "Nothing was changed. The next `vault-gw review` still has your {decided}."
                        ));
                    }
                    break;
                }
                Outcome::Edit(place) => {
                    if let Err(EditFailure { failure, left }) = self.edit(&mut session, place) {
                        let mut message = failure.for_person();
                        if let Some(left) = left {
                            message += &format!(" What you wrote is in {}.", left.display());
                        }
                        session.message = Some((Role::Bad, message));
                    }
                    self.keep(&mut session)?;
                }
                Outcome::Plan => match self.warnings(&session) {
                    Ok(warnings) => session.ask_to_finish(&warnings),
                    Err(failure) => drop(self.read_again(&mut session, Some(failure))?),
                },
                Outcome::CarryOut => {
                    let failed = self.carry_out(&mut session, &mut done);
                    let is_done = failed.is_none();
                    let notices = self.read_again(&mut session, failed)?;
                    if is_done {
                        self.note_all(&notices);
                        break;
                    }
                }
            }
        }
        for mut answered in done {
            answered.text = escape::plan(&String::from_utf8_lossy(&answered.text)).into_bytes();
            status = report::answer(self.terminal, self.options, &answered);
        }
        Ok(status)
    }

    /// Everything that waits now, with the decisions that still apply, and what became of the others. What the person
    /// wrote about files that no longer wait is saved to files.
    fn session(&self, kept: Kept) -> Result<(Session, Vec<String>), Failure> {
        let (drafts, warnings) = self.gateway.drafts().waiting_drafts()?;
        let now = self.gateway.now();
        let approvals = self.gateway.approvals().store()?.pending(now.timestamp())?;
        let approvals = approvals.iter().map(|approval| {
            // The picker folds the lines itself.
            let question = approval_text::question(approval, now.time_zone(), usize::MAX);
            // A further row of quoted text never looks like a line of ours.
            let lines = question.lines().iter();
            let lines = lines.map(|line| line.clone().with_hanging_indent(4));
            let command = escape::line(&approval.command);
            WaitingApproval {
                id: approval.id.clone(),
                title: format!("{command}, for {}", approval_text::who(approval)),
                lines: lines.collect(),
            }
        });
        let (mut session, restored) = Session::new(drafts, approvals.collect(), kept);
        if let Some(warning) = warnings.into_iter().next() {
            session.message = Some((Role::Caution, warning.message.for_person()));
        }
        let (mut notices, mut written) = (restored.notices, restored.written);
        for place in restored.outdated {
            let proposed = session.named(place).map(|(draft, note)| {
                let text = self
                    .gateway
                    .drafts()
                    .proposed_text(draft.draft, &draft.state, note);
                (note.to_owned(), text)
            });
            let edited = session.decisions.set_edited(place, None);
            match (proposed, edited) {
                (Some((note, Ok(proposed))), Some(edited)) => {
                    let edited = Edited::new(&proposed, edited.text);
                    session.decisions.set_edited(place, Some(edited));
                    notices.push(format!(
                        "{} has changed since you edited it. Your text was kept. Compare it with the new changes, then accept it or edit it again.",
                        escape::line(&note)
                    ));
                }
                (Some((note, Err(_))), Some(edited)) => written.push((note, edited.text)),
                _ => {}
            }
        }
        for (note, text) in written {
            let file = self.gateway.journal()?.save_written(&text)?;
            notices.push(format!(
                "{} is no longer in the draft. Your text for it was saved in {}.",
                escape::line(&note),
                file.display()
            ));
        }
        if !notices.is_empty() {
            self.keep(&mut session)?;
        }
        Ok((session, notices))
    }

    /// Reads again what waits. Decisions about files that are the same are kept; returns what became of the others.
    fn read_again(
        &self,
        session: &mut Session,
        failure: Option<Failure>,
    ) -> Result<Vec<String>, Failure> {
        let notices;
        (*session, notices) = self.session(session.kept())?;
        self.keep(session)?;
        show(session, &notices);
        if let Some(failure) = failure {
            session.message = Some((Role::Bad, failure.for_person()));
        }
        Ok(notices)
    }

    fn note_all(&self, notices: &[String]) {
        for notice in notices {
            self.terminal.note(notice);
        }
    }

    /// Returns the warnings about the decisions as a whole.
    fn warnings(&self, session: &Session) -> Result<Vec<String>, Failure> {
        let mut warnings = Vec::new();
        for review in session.reviews() {
            let planned = self.gateway.drafts().plan_review(&review)?.warnings;
            warnings.extend(planned.iter().map(|warning| escape::plan(&warning.line())));
        }
        Ok(warnings)
    }

    /// Reads keys until the session needs something from outside, such as an editor. Each decision is stored at once.
    fn next(&self, session: &mut Session) -> Result<Outcome, Failure> {
        let is_large =
            size().is_ok_and(|(columns, rows)| columns >= SMALLEST.0 && rows >= SMALLEST.1);
        if !is_large || !self.terminal.can_move_cursor {
            let outcome = session.ask_line_by_line(self.terminal)?;
            self.keep(session)?;
            return Ok(outcome);
        }
        let mut screen = OpenScreen::open().map_err(Error::TerminalUnusable)?;
        // Nobody has seen yet what the keys would decide.
        if drop_typed().map_err(Error::TerminalUnusable)? {
            return Ok(Outcome::Leave);
        }
        loop {
            let has_colour = self.terminal.stdout.colour;
            screen
                .0
                .draw(|frame| session.draw(frame, has_colour))
                .map_err(Error::TerminalUnusable)?;
            let outcome = match read().map_err(Error::TerminalUnusable)? {
                Event::Key(key) if key.kind != KeyEventKind::Release => session.key_pressed(key),
                Event::Paste(text) => {
                    session.pasted(&text);
                    Outcome::Stay
                }
                _ => Outcome::Stay,
            };
            if session.decisions.has_new() {
                self.keep(session)?;
            }
            if session.has_new_question() && drop_typed().map_err(Error::TerminalUnusable)? {
                return Ok(Outcome::Leave);
            }
            if outcome != Outcome::Stay {
                return Ok(outcome);
            }
        }
    }

    /// Carries out the decisions: each draft as one change, then the approvals. Returns the first failure.
    fn carry_out(&self, session: &mut Session, done: &mut Vec<Envelope>) -> Option<Failure> {
        let mut failed = None;
        for review in session.reviews() {
            let answered = self.gateway.review(&review, false);
            match answered.error.clone() {
                None => {
                    session.decisions.settle(&session.list, &review.draft);
                    done.push(answered);
                }
                Some(failure) => failed = failed.or(Some(failure)),
            }
        }
        for (id, is_yes) in session.answers() {
            let answered = self
                .gateway
                .approvals()
                .answer(&id, ApprovalChannel::Terminal, is_yes);
            failed = failed.or(answered.err());
        }
        failed
    }

    /// Lets the person edit the proposed text of a note in their editor.
    fn edit(&self, session: &mut Session, place: Place) -> Result<(), EditFailure> {
        let Some((draft, note)) = session.named(place) else {
            return Ok(());
        };
        let proposed = self
            .gateway
            .drafts()
            .proposed_text(draft.draft, &draft.state, note)?;
        let text = session
            .decisions
            .edited(place)
            .map_or(&proposed, |edited| &edited.text);
        let journal = self.gateway.journal()?;
        let text = journal.edit_copy(text, |copy| editor::open(copy, self.environment))?;
        let is_edited = session.decisions.edited(place).is_some();
        if text != proposed {
            session.put_edited(place, Some(Edited::new(&proposed, text)));
        } else if is_edited {
            session.put_edited(place, None);
        } else {
            session.message = Some((Role::Hint, "You did not change the text.".to_owned()));
        }
        Ok(())
    }

    fn kept(&self) -> Result<Kept, Failure> {
        let bytes = self.gateway.journal()?.kept_decisions()?;
        // Decisions that cannot be read are of another version: the person decides again.
        Ok(bytes
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default())
    }

    fn keep(&self, session: &mut Session) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(&session.kept()).unwrap_or_default();
        self.gateway.journal()?.keep_decisions(&bytes)
    }
}

/// Shows what became of earlier decisions.
fn show(session: &mut Session, notices: &[String]) {
    if !notices.is_empty() {
        session.over = Over::Text(Page::notices(notices));
    }
}

/// The screen of the picker, which gives the terminal back when it is dropped.
struct OpenScreen(Screen<CrosstermBackend<std::io::Stdout>>);

impl OpenScreen {
    fn open() -> std::io::Result<Self> {
        enable_raw_mode()?;
        let opened = execute!(
            stdout(),
            EnterAlternateScreen,
            Clear(ClearType::All),
            EnableBracketedPaste
        )
        .and_then(|()| Screen::new(CrosstermBackend::new(stdout())));
        opened.map(Self).inspect_err(|_| give_back())
    }
}

impl Drop for OpenScreen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Drops the keys that were typed before what they would decide is drawn; returns whether Ctrl-C was one of them.
fn drop_typed() -> std::io::Result<bool> {
    let mut is_left = false;
    while poll(Duration::ZERO)? {
        if let Event::Key(key) = read()? {
            is_left |= is_control_c(key);
        }
    }
    Ok(is_left)
}

/// Gives the terminal back. What fails here is the terminal itself.
fn give_back() {
    let _shown = execute!(
        stdout(),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _cooked = disable_raw_mode();
}

/// Gives the terminal back before a signal ends the process. What the launcher ignores stays ignored.
#[cfg(unix)]
fn give_back_on_signals() -> std::io::Result<()> {
    let ignored = signals::ignored();
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM].map(Signal::as_raw) {
        if ignored.contains(&signal) {
            continue;
        }
        let (mut source, sink) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(signal, sink)?;
        thread::Builder::new()
            .name("signal".to_owned())
            .spawn(move || {
                if source.read_exact(&mut [0]).is_ok() {
                    give_back();
                    drop(signal_hook::low_level::emulate_default_handler(signal));
                }
            })?;
    }
    Ok(())
}
