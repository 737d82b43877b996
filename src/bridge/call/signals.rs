//! The signals that ask this process to end (`faults.md` E11).

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use super::Event;

/// Tells `events` of each of them from here on, by its number.
#[cfg(unix)]
pub(super) fn listen(events: Sender<Event>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut terminate, mut interrupt) = {
        let _inside = runtime.enter();
        (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        )
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                loop {
                    let kind = tokio::select! {
                        _ = terminate.recv() => SignalKind::terminate(),
                        _ = interrupt.recv() => SignalKind::interrupt(),
                    };
                    let number = u8::try_from(kind.as_raw_value()).unwrap_or_default();
                    if events.send(Event::Signal(number)).is_err() {
                        return;
                    }
                }
            });
        })?;
    Ok(())
}

/// Tells `events` of each Ctrl-C from here on.
#[cfg(windows)]
pub(super) fn listen(events: Sender<Event>) -> io::Result<()> {
    const INTERRUPT: u8 = 2;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    if events.send(Event::Signal(INTERRUPT)).is_err() {
                        return;
                    }
                }
            });
        })?;
    Ok(())
}
