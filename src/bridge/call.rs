//! `vault-gw call`: one JSON request a line in, one envelope a line out, in order.

use std::io::{self, BufRead, Write as _};
use std::process::ExitCode;

use crate::cli;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::{Caller, Envelope, MAX_REQUEST_BYTES, Request};

/// Serves stdin until it ends. Each line gets its answer before the next is read; an unusable
/// line gets an error envelope and does not end the service.
pub(crate) fn run(options: &cli::Options, environment: &Environment) -> Result<ExitCode, Failure> {
    if options.if_hash.is_some() {
        return Err(Failure::new(
            Code::UsageError,
            "`--if-hash` is about one note. Send `ifHash` in the request that it is for.",
        ));
    }
    let gateway = cli::gateway(options, environment, Caller::Agent)?;
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    loop {
        let line = match next_line(&mut input) {
            Ok(None) if gateway.is_bridge_on() => return Ok(ExitCode::SUCCESS),
            // Each line got its envelope; the status says it once more for scripts.
            Ok(None) => return Ok(ExitCode::from(Code::BridgeDisabled.exit())),
            Ok(Some(line)) => line,
            Err(error) => {
                return Err(Failure::new(
                    Code::IoError,
                    format!("Cannot read standard input: {error}."),
                ));
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let envelope = match Request::from_json(&line) {
            Ok(mut request) => {
                // The option can only tighten what a line asks for.
                request.dry_run |= options.dry_run;
                gateway.call(&request)
            }
            Err(failure) => Envelope::of_failure("", failure),
        };
        let written = writeln!(output, "{}", envelope.to_json()).and_then(|()| output.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(ExitCode::SUCCESS);
            }
            Err(error) => {
                return Err(Failure::new(
                    Code::IoError,
                    format!("Cannot write to standard output: {error}."),
                ));
            }
        }
    }
}

/// The next line without its line feed; of a longer one than a request may be, as much as shows
/// that it is too long, with the rest read and thrown away so that memory stays bounded.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut read_any = false;
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(read_any.then_some(line));
        }
        read_any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        let room = (MAX_REQUEST_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_line_feeds_and_the_last_may_lack_one() {
        let mut input = io::Cursor::new(b"one\n\ntwo");
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["one", "", "two"]);
    }

    #[test]
    fn a_line_without_end_is_kept_bounded() {
        let mut input = io::BufReader::new(io::Read::chain(
            io::Read::take(io::repeat(b'x'), 3 * MAX_REQUEST_BYTES as u64),
            io::Cursor::new(b"\nnext\n"),
        ));
        assert_eq!(
            next_line(&mut input).unwrap().map(|line| line.len()),
            Some(MAX_REQUEST_BYTES + 1)
        );
        assert_eq!(
            next_line(&mut input).unwrap().as_deref(),
            Some(&b"next"[..])
        );
    }
}
