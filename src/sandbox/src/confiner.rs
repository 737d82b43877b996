//! Applies a confinement to the calling thread, in an order that cannot undo itself.

use rustix::thread::{CapabilitySet, CapabilitySets};

use super::confinement::{Confinement, ConfinementReason, ConfinementState, Protection};
use super::filter::{FilteredProcess, filter_thread};
use super::kernel::{KernelSupport, OLDEST_FOR_SERVERS};
use super::place::Place;
use super::rules::AccessRules;
use super::{limits, own_root, place_rules, ruleset};

/// Reason why a confinement that the kernel supports could not be applied. The process must stop.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Landlock refused the rules.
    #[error("Landlock: {0}")]
    Rules(#[from] landlock::RulesetError),
    /// A file that must stay executable. Does not name it, because agents read this.
    #[error("Landlock: a file of the program cannot be opened")]
    Path(#[from] landlock::PathFdError),
    /// The seccomp filter could not be built or installed.
    #[error("seccomp: {0}")]
    Filter(#[from] seccompiler::Error),
    /// Other threads run already, or cannot be counted.
    #[error("this process has other threads")]
    Threads,
    /// Setting a resource limit, or giving up the rights of the process, failed.
    #[error("resource limit: {0}")]
    Limit(#[from] rustix::io::Errno),
    /// The file tree could not be built. Does not name a path, because agents read this.
    #[error("file tree: {}", _0.kind())]
    Tree(std::io::Error),
}

/// The protections that filters give on every kernel: TCP with all other sockets, and signals to
/// other processes.
const CLOSED_BY_FILTERS: [Protection; 2] = [Protection::Tcp, Protection::Signals];

/// Confines the calling thread and everything that it starts or becomes, for good.
#[derive(Clone, Copy, Debug)]
pub struct Confiner {
    kernel: KernelSupport,
}

impl Confiner {
    /// A confiner that uses what this kernel offers.
    pub fn new(kernel: KernelSupport) -> Self {
        Self { kernel }
    }

    /// Returns the confinement that [`Self::cli`] will report. `filtered` is false for a program whose calls cannot be
    /// filtered; `has_tree` says whether it got its own file tree, which is known only after the attempt.
    pub fn cli_confinement(self, filtered: bool, has_tree: bool) -> Confinement {
        let mut missing = self.kernel.missing();
        let has_filter = filtered && self.kernel.filters;
        if has_filter {
            missing.retain(|protection| !CLOSED_BY_FILTERS.contains(protection));
        } else {
            missing.push(Protection::SystemCalls);
        }
        let mut not_covered = Vec::new();
        if has_tree {
            missing.retain(|protection| *protection != Protection::AbstractSockets);
        } else {
            if !self.kernel.knows_sockets() {
                not_covered.push(Protection::PathnameSockets);
            }
            not_covered.push(Protection::Metadata);
        }
        let reason = (!filtered).then_some(ConfinementReason::Narrow);
        self.report(missing, not_covered, has_filter, reason)
    }

    /// Returns the confinement that [`Self::server`] will report.
    pub fn server_confinement(self) -> Confinement {
        let has_filter = self.kernel.filters;
        let mut missing = self.server_kernel().missing();
        if has_filter {
            // A server cannot connect any socket.
            missing.retain(|protection| {
                !CLOSED_BY_FILTERS.contains(protection)
                    && *protection != Protection::AbstractSockets
            });
        } else {
            missing.extend([
                Protection::PathnameSockets,
                Protection::SystemCalls,
                Protection::Execution,
            ]);
        }
        self.report(missing, Vec::new(), has_filter, None)
    }

    fn report(
        self,
        missing: Vec<Protection>,
        not_covered: Vec<Protection>,
        has_filter: bool,
        reason: Option<ConfinementReason>,
    ) -> Confinement {
        let state = if missing.is_empty() {
            ConfinementState::Enforced
        } else if self.kernel.landlock > 0 || has_filter {
            ConfinementState::Partial
        } else {
            ConfinementState::Unavailable
        };
        Confinement {
            state,
            landlock_abi: Some(self.kernel.landlock),
            missing,
            not_covered,
            reason,
        }
    }

    /// Returns the first version of Landlock forbids every move between folders, so a server could not move notes. On
    /// such a kernel the server does not use it.
    fn server_kernel(self) -> KernelSupport {
        let mut kernel = self.kernel;
        if kernel.landlock < OLDEST_FOR_SERVERS {
            kernel.landlock = 0;
        }
        kernel
    }

    /// Confines a process that is about to become the official command line.
    ///
    /// # Errors
    ///
    /// If something that the kernel supports could not be applied.
    pub fn cli(self, rules: &AccessRules, filtered: bool) -> Result<Confinement, SandboxError> {
        limits::limit_this_process()?;
        // Landlock can close abstract sockets, which costs less than a network namespace.
        let network = !self.kernel.scopes_sockets();
        let has_tree =
            self.kernel.trees && own_root::enter(rules, network).map_err(SandboxError::Tree)?;
        give_up_rights()?;
        self.apply(self.kernel, rules, filtered.then_some(FilteredProcess::Cli))?;
        Ok(self.cli_confinement(filtered, has_tree))
    }

    /// Confines a server for agents, which may change notes if `writes`. Must be called before any
    /// other thread starts.
    ///
    /// # Errors
    ///
    /// If something that the kernel supports could not be applied, or another thread runs, which
    /// would stay unconfined.
    pub fn server(self, rules: &AccessRules, writes: bool) -> Result<Confinement, SandboxError> {
        limits::leave_no_core_files()?;
        let threads = fs_err::read_dir("/proc/self/task").map_or(0, Iterator::count);
        if threads != 1 {
            return Err(SandboxError::Threads);
        }
        let process = if writes {
            FilteredProcess::Server
        } else {
            FilteredProcess::ReadOnlyServer
        };
        self.apply(self.server_kernel(), rules, Some(process))?;
        Ok(self.server_confinement())
    }

    /// Closes ports of TCP for connections, if there are any to close. Returns the missing
    /// protection.
    fn without_ports(self, closed: &[u16]) -> Result<Option<Protection>, SandboxError> {
        if closed.is_empty() {
            return Ok(None);
        }
        if !self.kernel.knows_ports() {
            return Ok(Some(Protection::Tcp));
        }
        ruleset::close_ports(closed)?;
        Ok(None)
    }

    /// Confines the first process of a fence, which may not connect to these ports. Returns the
    /// missing protections.
    ///
    /// # Errors
    ///
    /// If something that the kernel supports could not be applied.
    pub fn fenced(self, closed_ports: &[u16]) -> Result<Vec<Protection>, SandboxError> {
        let mut missing = Vec::new();
        limits::limit_a_fence(true)?;
        give_up_rights()?;
        if self.kernel.scopes_sockets() {
            ruleset::scope_thread(self.kernel.abi())?;
        } else {
            missing.push(Protection::AbstractSockets);
        }
        missing.extend(self.without_ports(closed_ports)?);
        if self.kernel.filters {
            filter_thread(FilteredProcess::Fenced)?;
        } else {
            missing.push(Protection::SystemCalls);
        }
        Ok(missing)
    }

    /// Confines any program to these places of the file tree that all see.
    ///
    /// # Errors
    ///
    /// As for [`Self::fenced`].
    pub fn by_rules(
        self,
        places: &[Place],
        is_offline: bool,
        closed_ports: &[u16],
    ) -> Result<(), SandboxError> {
        let rules = place_rules::rules(places);
        limits::limit_a_fence(false)?;
        give_up_rights()?;
        ruleset::restrict_any_program(&rules, self.kernel.abi())?;
        self.without_ports(closed_ports)?;
        if self.kernel.filters {
            filter_thread(FilteredProcess::Ruled {
                is_offline,
                has_socket_rules: self.kernel.knows_sockets(),
            })?;
        }
        Ok(())
    }

    /// Returns the protections that [`Self::by_rules`] does not give.
    pub fn missing_by_rules(self, closed_ports: &[u16]) -> Vec<Protection> {
        let mut missing = self.kernel.missing();
        if closed_ports.is_empty() {
            missing.retain(|protection| *protection != Protection::Tcp);
        }
        missing.extend([Protection::Metadata, Protection::CommandLines]);
        if !self.kernel.filters {
            if !self.kernel.knows_sockets() {
                missing.push(Protection::PathnameSockets);
            }
            missing.push(Protection::SystemCalls);
        }
        missing
    }

    fn apply(
        self,
        kernel: KernelSupport,
        rules: &AccessRules,
        filter: Option<FilteredProcess>,
    ) -> Result<(), SandboxError> {
        if kernel.landlock > 0 {
            ruleset::restrict_thread(rules, kernel.abi())?;
        }
        // Last, because the filter closes calls that the earlier steps need.
        if let Some(process) = filter
            && self.kernel.filters
        {
            filter_thread(process)?;
        }
        Ok(())
    }
}

/// Prevents every program that this process becomes from getting more rights than it has already.
pub(super) fn forget_rights() -> rustix::io::Result<()> {
    for (_, right) in CapabilitySet::all().iter_names() {
        match rustix::thread::remove_capability_from_bounding_set(right) {
            // An older kernel does not know it.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            refused => return refused,
        }
    }
    Ok(())
}

/// Gives up the rights of root, and the rights that come with a namespace, for this process and the
/// programs that it becomes.
fn give_up_rights() -> rustix::io::Result<()> {
    // Not everybody may do that, and without new rights it changes nothing.
    let _not_allowed = forget_rights();
    let none = CapabilitySet::empty();
    rustix::thread::clear_ambient_capability_set()?;
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?;
    // Otherwise a program that root starts would get them back.
    rustix::thread::set_no_new_privs(true)
}
