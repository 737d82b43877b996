//! The first process of a fence: starts the program, reaps what it leaves, and ends with it.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Child;

use rustix::process::{Pid, Signal, WaitOptions};

use super::order::{FenceEnd, FenceOrder, News, Wish};
use super::port;
use super::terminal::{self, OwnTerminal, TerminalOrder};
use obsidian_cli::spawn::descriptor;
use obsidian_cli::spawn::keep_memory_private;
use obsidian_cli::spawn::message::{receive, send};
use sandbox::{Confiner, Protection, finish};

/// Returns the main function of the first process.
pub(super) fn lead(mut socket: UnixStream) -> io::Result<()> {
    keep_memory_private();
    let order = match prepare(&mut socket) {
        Ok(order) => order,
        Err(error) => return send(&mut socket, &News::NotMade(error.to_string())),
    };
    let program = match order.command().process_group(0).spawn() {
        Ok(program) => program,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_default();
            return send(&mut socket, &News::NotStarted(errno));
        }
    };
    let program = pid(&program)?;
    if order.terminal.is_some_and(|terminal| terminal.foreground) {
        terminal::give(program)?;
    }
    accompany(socket, program)
}

/// Reports the start of the program, carries out requests, and reports its end.
pub(super) fn accompany(mut socket: UnixStream, program: Pid) -> io::Result<()> {
    send(&mut socket, &News::Started)?;
    let wishes = socket.try_clone()?;
    std::thread::Builder::new().spawn(move || fulfil(wishes, program))?;
    let end = reap(&mut socket, program)?;
    send(&mut socket, &News::Ended(end))
}

/// Closes the fence, and gets the streams ready for the program.
fn prepare(socket: &mut UnixStream) -> io::Result<FenceOrder> {
    finish()?;
    // Processes of the fence are not in the session of the person, so they cannot take the person's
    // terminal.
    rustix::process::setsid()?;
    let order: FenceOrder = receive(socket)?;
    let confiner = Confiner::new(order.kernel);
    let missing = confiner
        .fenced(&order.fence.closed_ports)
        .map_err(io::Error::other)?;
    let terminal = report(socket, missing, &order)?;
    let stdin = descriptor::take(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    rustix::stdio::dup2_stdin(stdin)?;
    if let Some((terminal, order)) = terminal {
        terminal.attach(order)?;
    }
    for port in &order.fence.ports {
        let exit = descriptor::take(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        port::lead_out(*port, exit.into())?;
    }
    Ok(order)
}

/// Reports missing protections, makes the terminal of the program, and hands out its other end.
pub(super) fn report(
    socket: &mut UnixStream,
    missing: Vec<Protection>,
    order: &FenceOrder,
) -> io::Result<Option<(OwnTerminal, TerminalOrder)>> {
    let terminal = order
        .terminal
        .map(|order| OwnTerminal::make().map(|made| (made, order)));
    let terminal = terminal.transpose()?;
    send(socket, &News::Closed(missing))?;
    if let Some((terminal, _)) = &terminal {
        descriptor::give(socket, terminal.screen())?;
    }
    Ok(terminal)
}

pub(super) fn pid(program: &Child) -> io::Result<Pid> {
    let number = i32::try_from(program.id()).ok();
    number
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::ErrorKind::Other.into())
}

/// Carries out requests from outside, until the outer process is gone. Then the program and all its
/// descendants end.
fn fulfil(mut wishes: UnixStream, program: Pid) {
    loop {
        // A failure cannot be reported any more, and a program that has just ended needs no signal.
        let _gone = match receive(&mut wishes) {
            Ok(Wish::Signal(number)) => {
                Signal::from_named_raw(number).map_or(Ok(()), |signal| pass_on(program, signal))
            }
            Ok(Wish::Continue { foreground }) => go_on(program, foreground),
            Err(_gone) => break,
        };
    }
    let _gone = rustix::process::kill_process(program, Signal::KILL);
}

/// Sends a signal to the program, and one that a keyboard can send to its whole group.
fn pass_on(program: Pid, signal: Signal) -> rustix::io::Result<()> {
    if [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TSTP].contains(&signal) {
        rustix::process::kill_process_group(rustix::process::getpgid(Some(program))?, signal)
    } else {
        rustix::process::kill_process(program, signal)
    }
}

fn go_on(program: Pid, foreground: bool) -> rustix::io::Result<()> {
    let group = rustix::process::getpgid(Some(program))?;
    // A program that reads without the keyboard stops again.
    let _no_terminal = terminal::give(if foreground {
        group
    } else {
        rustix::process::getpgrp()
    });
    rustix::process::kill_process_group(group, Signal::CONT)
}

/// Waits until the program ends, and reaps its orphans. Reports its stops.
fn reap(socket: &mut UnixStream, program: Pid) -> io::Result<FenceEnd> {
    loop {
        let found = rustix::io::retry_on_intr(|| rustix::process::wait(WaitOptions::UNTRACED))?;
        let Some((_, status)) = found.filter(|(pid, _)| *pid == program) else {
            continue;
        };
        if let Some(code) = status.exit_status() {
            return Ok(FenceEnd::Code(code));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(FenceEnd::Signal(signal));
        }
        if let Some(signal) = status.stopping_signal() {
            let group = rustix::process::getpgid(Some(program))?;
            let by_itself = [Signal::TTIN, Signal::TTOU]
                .map(Signal::as_raw)
                .contains(&signal);
            // It read before it got the keyboard.
            if by_itself && terminal::belongs_to(group) {
                rustix::process::kill_process_group(group, Signal::CONT)?;
                continue;
            }
            send(socket, &News::Stopped(signal))?;
        }
    }
}
