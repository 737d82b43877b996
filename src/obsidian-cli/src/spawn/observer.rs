//! Events in the life of a child, for tests.

/// An event in the life of the child. Tests check the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "there are no signals on Windows"))]
pub(super) enum ChildEvent {
    /// The binary's file was open for writing; the start is retried.
    FileBusy,
    /// The child runs, and its exit is watched.
    Started {
        /// The id of the observed process, which leads its group.
        pid: u32,
    },
    /// A signal was sent to the child's process group.
    Signalled(&'static str),
    /// The child was reaped, so its process id may be reused.
    Reaped,
}

/// Observes the life of the child. The observer of real runs ignores all events.
pub(super) type Observer = Box<dyn FnMut(ChildEvent) + Send>;
