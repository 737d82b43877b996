//! Whether the log is as it was written.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

use serde::Deserialize;

use super::files::{self, LogFile};
use super::line::{self, GENESIS, Gap, Head, Link};
use super::{Audit, not_read};
use crate::failure::Failure;
use crate::settings::private_file::Unsafe;

/// What was found in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many files there are.
    pub files: usize,
    /// How many whole lines were checked.
    pub lines: u64,
    /// The number of the oldest line that is kept.
    pub first: Option<u64>,
    /// The newest line.
    pub last: Option<Head>,
    /// What nothing but a change from outside explains.
    pub violations: Vec<Spot>,
    /// Lines that a crash cut off.
    pub torn: Vec<Spot>,
    /// Changes that were announced and of which no result is known: the process died in between, or
    /// is at it (`faults.md` H07).
    pub unfinished: Vec<Unfinished>,
}

/// A place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file's name.
    pub file: String,
    /// The 1-based line in it.
    pub line: u64,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A line without its end, as a crash leaves it.
    Torn,
    /// It is no record.
    Unreadable,
    /// Its text has not the hash that it states.
    Changed,
    /// It does not follow the line before it: something was changed, taken out or put in.
    Broken,
    /// It says that it came after something unreadable, which is gone or another now.
    GapChanged,
}

impl Fault {
    /// The stable name, for `violations`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torn => "AUDIT_LINE_TORN",
            Self::Unreadable => "AUDIT_LINE_UNREADABLE",
            Self::Changed => "AUDIT_LINE_CHANGED",
            Self::Broken => "AUDIT_CHAIN_BROKEN",
            Self::GapChanged => "AUDIT_GAP_CHANGED",
        }
    }

    /// What it means, as a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Torn => "This line was cut off by a crash.",
            Self::Unreadable => "This line is no record of the log.",
            Self::Changed => "This line was changed after it was written.",
            Self::Broken => {
                "This line does not follow the one before it; records were changed, removed or \
                 added."
            }
            Self::GapChanged => "What a crash left before this line was changed or removed.",
        }
    }
}

/// An intent without its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of its line.
    pub seq: u64,
    /// When it was announced, RFC 3339.
    pub time: String,
    /// The run.
    pub run_id: String,
    /// What was to be run.
    pub command: String,
}

impl Audit {
    /// Reads the whole log and checks every line and the chain through all files.
    pub fn verify(&self) -> Result<Report, Failure> {
        let files = files::snapshot(&self.folder).map_err(not_read)?;
        let mut check = Check::default();
        for log in &files {
            check
                .file(log)
                .map_err(|error| not_read(Unsafe::Io(error).into()))?;
        }
        Ok(check.finish(files.len()))
    }
}

/// A line that is no part of the chain.
struct Odd {
    spot: Spot,
    /// What the line says of itself, where it says something.
    link: Option<Link>,
}

#[derive(Default)]
struct Check {
    report: Report,
    /// Lines since the last good one that are none.
    odd: Vec<Odd>,
    /// Their bytes, line feeds included.
    odd_bytes: Vec<u8>,
    unfinished: BTreeMap<String, Unfinished>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    phase: String,
    run_id: String,
    time: String,
    command: String,
}

impl Check {
    fn file(&mut self, log: &LogFile) -> io::Result<()> {
        let mut file = &log.file;
        file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 16, file.take(log.length));
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let place = |fault| Spot {
                file: log.name.clone(),
                line: number,
                fault,
            };
            let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            match line::read(text) {
                Some(link) if link.intact => self.good(&link, text, &place),
                link => {
                    let fault = match &link {
                        Some(_) => Fault::Changed,
                        None => Fault::Unreadable,
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

    /// A line that is as it was written; whether it stands where it was written is another thing.
    fn good(&mut self, link: &Link, text: &[u8], place: &impl Fn(Fault) -> Spot) {
        self.report.lines += 1;
        self.report.first.get_or_insert(link.seq);
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
                    self.report.violations.push(place(Fault::GapChanged));
                }
                // A changed line still says which line it was.
                if gap.is_none()
                    && let Some(last) = odd.last()
                {
                    follows = last.link.as_ref().map(Link::head);
                }
                let untold = !odd.is_empty() && follows.is_none();
                for odd in odd {
                    self.odd(odd.spot, false);
                }
                if untold {
                    // Nothing is known of the line before; that it was changed is told already.
                    follows = Some(Head {
                        seq: link.seq.saturating_sub(1),
                        hash: link.previous.clone(),
                    });
                }
            }
        }
        let in_place = match &follows {
            Some(before) => {
                link.previous == before.hash && Some(link.seq) == before.seq.checked_add(1)
            }
            // The oldest line that is kept: those before it were forgotten by age.
            None => link.seq != 1 || link.previous == GENESIS,
        };
        if !in_place {
            self.report.violations.push(place(Fault::Broken));
        }
        self.report.last = Some(link.head());
        self.step(link.seq, text);
    }

    fn odd(&mut self, spot: Spot, torn: bool) {
        if torn {
            self.report.torn.push(Spot {
                fault: Fault::Torn,
                ..spot
            });
        } else {
            self.report.violations.push(spot);
        }
    }

    /// Remembers what was announced until its result comes.
    fn step(&mut self, seq: u64, text: &[u8]) {
        let Ok(step) = serde_json::from_slice::<Step>(text) else {
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

    fn finish(mut self, files: usize) -> Report {
        // At the very end, a line without a line feed is one that a crash cut off.
        let torn = !self.odd_bytes.contains(&b'\n');
        for odd in std::mem::take(&mut self.odd) {
            self.odd(odd.spot, torn);
        }
        self.report.files = files;
        self.report.unfinished = self.unfinished.into_values().collect();
        self.report.unfinished.sort_by_key(|intent| intent.seq);
        self.report
    }
}

/// Whether the bytes are those that the writer of the next line found. A line feed was put after
/// them where they had none.
fn is_gap(gap: &Gap, bytes: &[u8]) -> bool {
    let length = usize::try_from(gap.bytes).unwrap_or(usize::MAX);
    let end = bytes.get(length..);
    matches!(end, Some([] | [b'\n'])) && Gap::of(&bytes[..length]) == *gap
}
