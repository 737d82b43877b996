//! Verifies that the log is unchanged.

use std::collections::BTreeMap;
use std::io;

use serde::Deserialize;

use super::Audit;
use super::files::{self, LogFile};
use super::kept::{self, RecordClass};
use super::line::{self, ChainLink, GENESIS, Gap, Head, MissingLines};
use super::mark::{Dropped, Mark, MarkStanding};
use crate::error::StoreError;
use protocol::{Failure, IssueCode, words};

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Number of files of the log, without the files of kept lines.
    pub files: usize,
    /// Number of whole lines checked.
    pub lines: u64,
    /// The number of the oldest line in the log; `None` if it is empty.
    pub first: Option<u64>,
    /// The newest line; `None` if the log is empty.
    pub last: Option<Head>,
    /// Number of files of kept lines.
    pub files_kept: usize,
    /// Number of kept lines of dropped files.
    pub kept: u64,
    /// Number of lines that were dropped and not kept.
    pub dropped: Dropped,
    /// Findings that only tampering explains.
    pub violations: Vec<Spot>,
    /// Lines that a crash truncated.
    pub torn: Vec<Spot>,
    /// Intents without a result: the process died in between, or is still running
    /// (`threats.toml` H07).
    pub unfinished: Vec<Unfinished>,
}

/// A line of the log with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file's name in the state folder.
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: u64,
    /// The fault of the line.
    pub fault: LogFault,
}

words! {
    /// A fault of a line.
    pub enum LogFault {
        /// A line without its end, as a crash leaves it.
        Torn = "AUDIT_LINE_TORN",
        /// The line is not a record of the log.
        Unreadable = "AUDIT_LINE_UNREADABLE",
        /// The bytes of the line do not have the hash that the line states.
        Changed = "AUDIT_LINE_CHANGED",
        /// The line does not continue the line before it: a line was changed, removed or inserted.
        Broken = "AUDIT_CHAIN_BROKEN",
        /// The line states a gap before it, and the bytes in the gap are missing or different now.
        GapChanged = "AUDIT_GAP_CHANGED",
        /// Lines are missing that were once the end of the log.
        CutOff = "AUDIT_END_CUT_OFF",
        /// Lines that were not synced yet are missing since the machine was restarted.
        LostWithPower = "AUDIT_LOST_WITH_POWER",
        /// The log begins later than the mark says.
        BeginningCutOff = "AUDIT_BEGINNING_CUT_OFF",
        /// The record of the log's end is missing or does not fit.
        MarkBroken = "AUDIT_MARK_BROKEN",
        /// Kept lines of a dropped file are missing or changed.
        KeptChanged = "AUDIT_KEPT_CHANGED",
    }
}

impl LogFault {
    /// Describes the fault in the words of its code (`config/issues.toml`).
    pub fn meaning(self) -> &'static str {
        IssueCode::named(self.name()).map_or_else(|| self.name(), |code| code.meaning)
    }
}

/// An intent without its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of the intent's line.
    pub seq: u64,
    /// The time at which the intent was written, RFC 3339.
    pub time: String,
    /// The id of the run.
    pub run_id: String,
    /// The command that was to run.
    pub command: String,
}

impl Audit {
    /// Reads the whole log, and checks every line and the chain across all files.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the log cannot be read, `LOCK_TIMEOUT` if other processes hold it.
    pub fn verify(&self) -> Result<VerifyReport, Failure> {
        let (files, mark) = files::snapshot(&self.folder)?;
        let mut check = LogCheck {
            mark,
            ..LogCheck::default()
        };
        for log in &files {
            check
                .file(log)
                .map_err(|error| self.folder.unreadable(error))?;
        }
        self.verify_kept(&mut check, &files)?;
        Ok(check.finish(files.len()))
    }

    /// Checks the lines kept of dropped files.
    fn verify_kept(&self, check: &mut LogCheck, log: &[LogFile]) -> Result<(), StoreError> {
        let Some(mark) = check.mark.clone() else {
            return Ok(());
        };
        check.report.dropped = mark.dropped;
        for class in RecordClass::ALL {
            for (name, extent) in class.files(&mark) {
                check.report.files_kept += 1;
                check.report.kept += extent.lines;
                let is_whole = kept::lines(&self.folder, &name, &extent, |_| {})?;
                let beyond = kept::beyond(&self.folder, &name, &extent)?;
                let are_copies = are_copies(&beyond, log);
                if !is_whole || !are_copies.map_err(|error| self.folder.unreadable(error))? {
                    check.report.violations.push(Spot {
                        file: name,
                        line: 1,
                        fault: LogFault::KeptChanged,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Whether each of these lines is also in the log; the last one may be torn. A process that died
/// while it kept the lines of a full file leaves such copies.
fn are_copies(lines: &[u8], log: &[LogFile]) -> io::Result<bool> {
    let mut left: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    for file in log {
        if left.is_empty() {
            break;
        }
        for line in files::lines_of(&file.file, file.length)? {
            let line = line?;
            left.retain(|copy| !line.starts_with(copy));
        }
    }
    Ok(left.is_empty())
}

/// A line that is not part of the chain.
struct Odd {
    spot: Spot,
    /// The hash and number that the line states; `None` if the text is not a line of the log.
    link: Option<ChainLink>,
}

#[derive(Default)]
struct LogCheck {
    report: VerifyReport,
    /// The unreadable or changed lines after the last valid line.
    odd: Vec<Odd>,
    /// The bytes of these lines, with their line feeds.
    odd_bytes: Vec<u8>,
    /// The mark, if it could be read.
    mark: Option<Mark>,
    /// Whether the line that the mark names has the mark's hash.
    fits_mark: bool,
    /// The file and line checked last.
    place: Option<(String, u64)>,
    unfinished: BTreeMap<String, Unfinished>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifyStep {
    phase: String,
    run_id: String,
    time: String,
    command: String,
}

impl LogCheck {
    fn file(&mut self, log: &LogFile) -> io::Result<()> {
        for (number, bytes) in (1..).zip(files::lines_of(&log.file, log.length)?) {
            let bytes = bytes?;
            let place = |fault| Spot {
                file: log.name.clone(),
                line: number,
                fault,
            };
            self.place = Some((log.name.clone(), number));
            let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            match line::read(text) {
                Some(link) if link.intact => self.good(&link, text, &place),
                link => {
                    let fault = match &link {
                        Some(_) => LogFault::Changed,
                        None => LogFault::Unreadable,
                    };
                    self.odd_bytes.extend_from_slice(&bytes);
                    self.odd.push(Odd {
                        spot: place(fault),
                        link,
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks the chain at a line whose hash is valid.
    fn good(&mut self, link: &ChainLink, text: &[u8], place: &impl Fn(LogFault) -> Spot) {
        self.report.lines += 1;
        if self.report.first.is_none() {
            self.report.first = Some(link.seq);
            // Older lines were dropped by age.
            let is_cut = |mark: &Mark| mark.first > 0 && link.seq > mark.first;
            if self.mark.as_ref().is_some_and(is_cut) {
                let spot = place(LogFault::BeginningCutOff);
                self.report.violations.push(spot);
            }
        }
        if let Some(mark) = &self.mark {
            self.fits_mark |= link.seq == mark.seq && link.hash == mark.hash;
        }
        let odd = std::mem::take(&mut self.odd);
        let odd_bytes = std::mem::take(&mut self.odd_bytes);
        let mut follows = self.report.last.clone();
        match &link.gap {
            Some(gap) if is_gap(gap, &odd_bytes) => {
                for odd in odd {
                    self.odd(odd.spot, gap.torn);
                }
            }
            gap => {
                if gap.is_some() {
                    self.report.violations.push(place(LogFault::GapChanged));
                }
                // A changed line still states its number.
                if gap.is_none()
                    && let Some(last) = odd.last()
                {
                    follows = last.link.as_ref().map(ChainLink::head);
                }
                let is_unreported = !odd.is_empty() && follows.is_none();
                for odd in odd {
                    self.odd(odd.spot, false);
                }
                if is_unreported {
                    // The line before it is unknown; its change is reported already.
                    follows = Some(Head {
                        seq: link.seq.saturating_sub(1),
                        hash: link.previous.clone(),
                    });
                }
            }
        }
        let in_place = match (link.missing, &follows) {
            // The line says that lines before it are missing.
            (Some(missing), before) => {
                self.missing(missing, place);
                let lines = missing.lines.unwrap_or_default();
                before
                    .as_ref()
                    .is_none_or(|before| link.seq == before.seq + lines + 1)
            }
            (None, Some(before)) => {
                link.previous == before.hash && Some(link.seq) == before.seq.checked_add(1)
            }
            // The oldest line: the ones before it were dropped by rotation.
            (None, None) => link.seq != 1 || link.previous == GENESIS,
        };
        if !in_place {
            self.report.violations.push(place(LogFault::Broken));
        }
        self.report.last = Some(link.head());
        self.step(link.seq, text);
    }

    /// Adds the fault of lines that are missing.
    fn missing(&mut self, missing: MissingLines, place: &impl Fn(LogFault) -> Spot) {
        let report = &mut self.report;
        match missing.lines {
            None => report.violations.push(place(LogFault::MarkBroken)),
            Some(_) if missing.power => report.torn.push(place(LogFault::LostWithPower)),
            Some(_) => report.violations.push(place(LogFault::CutOff)),
        }
    }

    /// Compares the log's end with the mark.
    fn end(&mut self) {
        let place = self.place.take();
        let (file, line) = place.unwrap_or_else(|| (files::CURRENT.to_owned(), 0));
        let spot = |fault| Spot {
            file: file.clone(),
            line: line + 1,
            fault,
        };
        let newest = self.report.last.clone().unwrap_or_else(Head::genesis);
        let Some(mark) = &self.mark else {
            // A process may have died after it wrote the first line and before it wrote the mark.
            if newest.seq > 1 {
                self.report.violations.push(spot(LogFault::MarkBroken));
            }
            return;
        };
        match mark.against(&newest) {
            MarkStanding::Missing(missing) => self.missing(missing, &spot),
            MarkStanding::Replaced => self.report.violations.push(spot(LogFault::MarkBroken)),
            MarkStanding::Whole if mark.seq > 0 && !self.fits_mark => {
                self.report.violations.push(spot(LogFault::MarkBroken));
            }
            MarkStanding::Whole => {}
        }
    }

    fn odd(&mut self, spot: Spot, torn: bool) {
        if torn {
            self.report.torn.push(Spot {
                fault: LogFault::Torn,
                ..spot
            });
        } else {
            self.report.violations.push(spot);
        }
    }

    /// Remembers an intent until its result is found.
    fn step(&mut self, seq: u64, text: &[u8]) {
        let Ok(step) = serde_json::from_slice::<VerifyStep>(text) else {
            return;
        };
        match step.phase.as_str() {
            "intent" => {
                let unfinished = Unfinished {
                    seq,
                    time: step.time,
                    run_id: step.run_id.clone(),
                    command: step.command,
                };
                self.unfinished.insert(step.run_id, unfinished);
            }
            "result" => {
                self.unfinished.remove(&step.run_id);
            }
            _ => {}
        }
    }

    fn finish(mut self, files: usize) -> VerifyReport {
        // A last line without a line feed was truncated by a crash.
        let torn = !self.odd_bytes.contains(&b'\n');
        for odd in std::mem::take(&mut self.odd) {
            self.odd(odd.spot, torn);
        }
        self.end();
        self.report.files = files;
        self.report.unfinished = self.unfinished.into_values().collect();
        self.report.unfinished.sort_by_key(|intent| intent.seq);
        self.report
    }
}

/// Whether these bytes are the gap that the next line states. Its writer added a line feed if they
/// had none.
fn is_gap(gap: &Gap, bytes: &[u8]) -> bool {
    let length = usize::try_from(gap.bytes).unwrap_or(usize::MAX);
    let end = bytes.get(length..);
    matches!(end, Some([] | [b'\n'])) && Gap::new(&bytes[..length]) == *gap
}
