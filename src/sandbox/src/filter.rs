//! System calls that a confined process may not make, by seccomp.
//!
//! It lists closed calls, not open ones: an interpreter, a libc or the kernel may start to use a
//! new harmless call, which must not fail then. Landlock closes files and TCP; this closes the ways
//! around it and what it does not cover.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

/// The process that a filter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilteredProcess {
    /// The filter for the official command line.
    Cli,
    /// The filter for a server for agents.
    Server,
    /// A server whose vault was read-only at the start.
    ReadOnlyServer,
    /// Any program in a fence of its own namespaces.
    Fenced,
    /// Any program that is fenced by rules alone.
    Ruled {
        /// Whether the process has no network.
        is_offline: bool,
        /// Whether the rules say which Unix sockets it may reach.
        has_socket_rules: bool,
    },
}

/// The calls and the arguments under which they are closed; no rules means always.
type ClosedCalls = BTreeMap<i64, Vec<SeccompRule>>;

/// Numbers of system calls that not every C library names (musl on `AArch64`).
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
const KEXEC_FILE_LOAD: i64 = if cfg!(target_arch = "x86_64") {
    320
} else {
    294
};

/// Closed for all processes, also in a fence, where a program may trace and mount its own, and make namespaces: calls
/// whose effects namespaces do not separate, and calls that only serve to attack the kernel.
const CLOSED_EVERYWHERE: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    KEXEC_FILE_LOAD,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Closed for the command line and servers: tracing, mounts, namespaces, shared memory that outlives the process,
/// names of files by handle, programs in memory, which Landlock lets everybody execute, and the priorities, processors
/// and memory of other processes.
const CLOSED_TO_OURS: &[i64] = &[
    libc::SYS_chroot,
    libc::SYS_execveat,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_ioprio_set,
    libc::SYS_kcmp,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_tree,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_semget,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_setpriority,
    libc::SYS_shmget,
    // Names a thread without its process, so a filter cannot know the process.
    libc::SYS_tkill,
    libc::SYS_umount2,
    libc::SYS_unshare,
];

/// Changes to metadata of files by path, which Landlock does not cover. A server may still change
/// it by descriptor, because it was allowed to open that file.
const METADATA_BY_PATH: &[i64] = &[
    libc::SYS_fchmodat,
    FCHMODAT2,
    FILE_SETATTR,
    REMOVEXATTRAT,
    SETXATTRAT,
    libc::SYS_fchownat,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];

#[cfg(target_arch = "x86_64")]
const ONLY_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt];
#[cfg(target_arch = "x86_64")]
const METADATA_BY_PATH_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(target_arch = "x86_64")]
const NEW_PROCESSES_HERE: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const ONLY_HERE: &[i64] = &[];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_BY_PATH_HERE: &[i64] = &[];
#[cfg(not(target_arch = "x86_64"))]
const NEW_PROCESSES_HERE: &[i64] = &[];

/// Changes to metadata of open files. A read-only descriptor is enough for them, so they are closed
/// to processes that may not write notes.
const METADATA_BY_DESCRIPTOR: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_utimensat,
];

/// Closed for the command line only: names of changed files, listening.
const CLOSED_TO_CLI: &[i64] = &[
    libc::SYS_bind,
    libc::SYS_inotify_add_watch,
    libc::SYS_listen,
];

/// Closed for servers only: starting programs, and every new socket except a connected pair.
const CLOSED_TO_SERVERS: &[i64] = &[
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_execve,
    libc::SYS_listen,
    libc::SYS_socket,
];

/// System calls that are closed where namespaces do not separate them: shared memory and queues of other programs.
const SHARED_WITHOUT_NAMESPACES: &[i64] = &[
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
];

/// Calls that choose the processors and the scheduling of the process of their first argument.
const SCHEDULING: [i64; 4] = [
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// Calls that change the priority of the process, or group, of their second argument, with the first argument that
/// means all processes of a user.
const PRIORITIES: [(i64, u64); 2] = [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

/// The families of sockets that a network namespace separates, and the families that do not need one.
const FAMILIES_IN_FENCE: [i32; 4] = [
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
];
const LOCAL_FAMILY: [i32; 1] = [libc::AF_UNIX];

/// The only protocol of netlink that programs need: the addresses of the network, which sandboxes set up too. The others
/// serve to configure firewalls, keys and audits, and in namespaces of their own programs reach more of the kernel there.
const NETLINK_ROUTE: i32 = 0;

/// The protocols of internet sockets in a fence: the usual one of the kind, ICMP in both versions, TCP and UDP.
const INTERNET_PROTOCOLS: [i32; 5] = [
    0,
    libc::IPPROTO_ICMP,
    libc::IPPROTO_TCP,
    libc::IPPROTO_UDP,
    libc::IPPROTO_ICMPV6,
];

/// The kinds of internet sockets that are closed in a fence: raw sockets, DCCP and SCTP.
const CLOSED_KINDS: [i32; 3] = [libc::SOCK_RAW, libc::SOCK_SEQPACKET, 6];

/// The bits of the kind of a socket, without its flags.
const KIND_MASK: u64 = 0xf;

/// Options that change the tables of firewalls (`iptables`, `arptables`, `ebtables`), by their level.
const FIREWALL_OPTIONS: [(i32, &[i32]); 2] = [
    (libc::IPPROTO_IP, &[64, 65, 96, 97, 128, 129]),
    (libc::IPPROTO_IPV6, &[64, 65]),
];

/// Calls that connect and send in one step with `MSG_FASTOPEN` among the flags of this argument. Landlock's rules for TCP
/// ports do not see that connection.
const CONNECTING_SENDS: [(i64, u8); 3] = [
    (libc::SYS_sendto, 3),
    (libc::SYS_sendmsg, 2),
    (libc::SYS_sendmmsg, 3),
];

/// Bits of the flags of `clone` for new namespaces.
const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
    // CLONE_NEWTIME shares its bit with the exit signal of old `clone`, and counts in `unshare` and
    // `clone3` only; both are closed.
    libc::CLONE_VFORK,
];

/// Calls that signal the process of their first argument.
const SIGNALLING: [i64; 4] = [
    libc::SYS_kill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tgkill,
];

/// Commands of `fcntl` that choose who gets the signals of a descriptor, and which one.
const SIGNAL_OWNERS: [i32; 3] = [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;

/// The argument with which `personality` only reads the current value.
const ASK_PERSONALITY: u64 = 0xffff_ffff;

/// Control calls that type into a terminal (`TIOCSTI`, `TIOCLINUX`) or change what it is (`TIOCSETD`).
const TERMINAL_CONTROLS: [u64; 3] = [0x5412, 0x541c, 0x5423];

/// Control calls that choose who gets the signals of a descriptor (`FIOSETOWN`, `SIOCSPGRP`).
const OWNER_CONTROLS: [u64; 2] = [0x8901, 0x8902];

/// Control calls that change attributes of a file that may only be read (`FS_IOC_SETFLAGS`,
/// `FS_IOC_FSSETXATTR`).
const ATTRIBUTE_CONTROLS: [u64; 2] = [0x4008_6602, 0x401c_5820];

/// The bits of the kind of a socket, without its flags.
const KIND_BITS: [u64; 4] = [1, 2, 4, 8];

/// Whether this kernel has filters, and this processor is known.
pub(super) fn is_supported() -> bool {
    architecture().is_some() && rustix::thread::secure_computing_mode().is_ok()
}

fn architecture() -> Option<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH).ok()
}

/// Filters the calls of this thread and all that it starts or becomes.
pub(super) fn filter_thread(process: FilteredProcess) -> Result<(), seccompiler::Error> {
    let architecture = architecture().ok_or(seccompiler::BackendError::InvalidTargetArch(
        std::env::consts::ARCH.to_owned(),
    ))?;
    let closed = match process {
        FilteredProcess::Fenced => closed_in_fence(&FAMILIES_IN_FENCE, &[])?,
        FilteredProcess::Ruled {
            is_offline,
            has_socket_rules,
        } => closed_by_rules(is_offline, has_socket_rules)?,
        _ => closed_calls(process)?,
    };
    let refused = errno(rustix::io::Errno::PERM);
    let filter = SeccompFilter::new(closed, SeccompAction::Allow, refused, architecture)?;
    // A libc that gets ENOSYS for `clone3` uses `clone`, whose flags a filter can read.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let absent = errno(rustix::io::Errno::NOSYS);
    let absent = SeccompFilter::new(unknown, SeccompAction::Allow, absent, architecture)?;
    let programs: [BpfProgram; 2] = [filter.try_into()?, absent.try_into()?];
    apply_filter(&no_second_table())?;
    // In a fence namespaces are open, so these flags are not needed.
    let needed = if process == FilteredProcess::Fenced {
        1
    } else {
        2
    };
    for program in &programs[..needed] {
        apply_filter(program)?;
    }
    Ok(())
}

fn closed_in_fence(families: &[i32], more: &[i64]) -> Result<ClosedCalls, seccompiler::Error> {
    let lists = [CLOSED_EVERYWHERE, ONLY_HERE, more];
    let mut closed: ClosedCalls = lists
        .into_iter()
        .flatten()
        .map(|call| (*call, Vec::new()))
        .collect();
    closed.insert(libc::SYS_ioctl, controls(&[&TERMINAL_CONTROLS])?);
    // New limits for another process.
    let other = is(0, SeccompCmpOp::Ne, 0)?;
    let limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    closed.insert(
        libc::SYS_prlimit64,
        vec![SeccompRule::new(vec![other, limit])?],
    );
    if families.is_empty() {
        closed.insert(libc::SYS_socket, Vec::new());
        return Ok(closed);
    }
    let others = families
        .iter()
        .map(|family| is(0, SeccompCmpOp::Ne, *family));
    let mut sockets = vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?];
    let family = |family: i32| is(0, SeccompCmpOp::Eq, family);
    let other_protocol = is(2, SeccompCmpOp::Ne, NETLINK_ROUTE)?;
    sockets.push(SeccompRule::new(vec![
        family(libc::AF_NETLINK)?,
        other_protocol,
    ])?);
    for internet in [libc::AF_INET, libc::AF_INET6] {
        let protocols = INTERNET_PROTOCOLS.map(|protocol| is(2, SeccompCmpOp::Ne, protocol));
        let protocols = std::iter::once(family(internet)).chain(protocols);
        sockets.push(SeccompRule::new(protocols.collect::<Result<_, _>>()?)?);
        for kind in CLOSED_KINDS {
            let kind = is(1, SeccompCmpOp::MaskedEq(KIND_MASK), kind)?;
            sockets.push(SeccompRule::new(vec![family(internet)?, kind])?);
        }
    }
    closed.insert(libc::SYS_socket, sockets);
    let fast_open = u64::from(libc::MSG_FASTOPEN.unsigned_abs());
    for (call, flags) in CONNECTING_SENDS {
        closed.insert(
            call,
            vec![when(flags, SeccompCmpOp::MaskedEq(fast_open), fast_open)?],
        );
    }
    let mut options = Vec::new();
    for (level, numbers) in FIREWALL_OPTIONS {
        for number in numbers {
            let level = is(1, SeccompCmpOp::Eq, level)?;
            options.push(SeccompRule::new(vec![
                level,
                is(2, SeccompCmpOp::Eq, *number)?,
            ])?);
        }
    }
    closed.insert(libc::SYS_setsockopt, options);
    Ok(closed)
}

/// Returns a condition on the lower half of an argument.
fn is(
    argument: u8,
    comparison: SeccompCmpOp,
    value: i32,
) -> Result<SeccompCondition, seccompiler::Error> {
    let value = u64::from(value.unsigned_abs());
    Ok(SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        comparison,
        value,
    )?)
}

/// Closed without namespaces too: Unix sockets, of which one may belong to a program that starts others,
/// unless there are rules for them; what other programs share; and metadata of files by their paths.
fn closed_by_rules(
    is_offline: bool,
    has_socket_rules: bool,
) -> Result<ClosedCalls, seccompiler::Error> {
    let families: &[i32] = match (is_offline, has_socket_rules) {
        (true, true) => &LOCAL_FAMILY,
        (true, false) => &[],
        (false, true) => &FAMILIES_IN_FENCE,
        (false, false) => &FAMILIES_IN_FENCE[LOCAL_FAMILY.len()..],
    };
    let more = [
        SHARED_WITHOUT_NAMESPACES,
        METADATA_BY_PATH,
        METADATA_BY_PATH_HERE,
    ];
    let mut closed = closed_in_fence(families, &more.concat())?;
    let requests: [&[u64]; 2] = [&TERMINAL_CONTROLS, &ATTRIBUTE_CONTROLS];
    closed.insert(libc::SYS_ioctl, controls(&requests)?);
    // Without a path it means the descriptor.
    let path = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    closed.insert(libc::SYS_utimensat, vec![SeccompRule::new(vec![path])?]);
    // A filter does not know which processes are inside, so each one can only name itself, by 0.
    for call in SCHEDULING {
        closed.insert(call, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    }
    for (call, all_of_a_user) in PRIORITIES {
        let other = when(1, SeccompCmpOp::Ne, 0)?;
        closed.insert(call, vec![other, when(0, SeccompCmpOp::Eq, all_of_a_user)?]);
    }
    Ok(closed)
}

/// Rules for control calls with these requests.
fn controls(requests: &[&[u64]]) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let requests = requests.iter().copied().flatten();
    let rules = requests.map(|request| when(1, SeccompCmpOp::Eq, *request));
    rules.collect()
}

fn errno(errno: rustix::io::Errno) -> SeccompAction {
    SeccompAction::Errno(errno.raw_os_error().unsigned_abs())
}

fn closed_calls(process: FilteredProcess) -> Result<ClosedCalls, seccompiler::Error> {
    let by_process: &[&[i64]] = match process {
        FilteredProcess::Cli => &[CLOSED_TO_CLI, METADATA_BY_DESCRIPTOR],
        FilteredProcess::Server => &[CLOSED_TO_SERVERS],
        FilteredProcess::ReadOnlyServer => &[CLOSED_TO_SERVERS, METADATA_BY_DESCRIPTOR],
        FilteredProcess::Fenced | FilteredProcess::Ruled { .. } => &[],
    };
    let lists = [
        CLOSED_EVERYWHERE,
        CLOSED_TO_OURS,
        ONLY_HERE,
        METADATA_BY_PATH,
        METADATA_BY_PATH_HERE,
        NEW_PROCESSES_HERE,
    ];
    let mut closed: ClosedCalls = lists
        .iter()
        .chain(by_process)
        .copied()
        .flatten()
        .map(|call| (*call, Vec::new()))
        .collect();
    // A new process: every `clone` that is not a thread of this one.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let mut clone = vec![when(0, SeccompCmpOp::MaskedEq(thread), 0)?];
    for bit in NAMESPACES {
        let bit = u64::from(bit.unsigned_abs());
        clone.push(when(0, SeccompCmpOp::MaskedEq(bit), bit)?);
    }
    closed.insert(libc::SYS_clone, clone);
    let requests: [&[u64]; 2] = [&TERMINAL_CONTROLS, &OWNER_CONTROLS];
    closed.insert(libc::SYS_ioctl, controls(&requests)?);
    let own = u64::from(rustix::process::getpid().as_raw_pid().unsigned_abs());
    for call in SIGNALLING {
        closed.insert(call, vec![when(0, SeccompCmpOp::Ne, own)?]);
    }
    let owners =
        SIGNAL_OWNERS.map(|command| when(1, SeccompCmpOp::Eq, u64::from(command.unsigned_abs())));
    closed.insert(
        libc::SYS_fcntl,
        owners.into_iter().collect::<Result<_, _>>()?,
    );
    let changed = when(0, SeccompCmpOp::Ne, ASK_PERSONALITY)?;
    closed.insert(libc::SYS_personality, vec![changed]);
    // Reading the limits stays allowed.
    let new_limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    closed.insert(
        libc::SYS_prlimit64,
        vec![SeccompRule::new(vec![new_limit])?],
    );
    closed.insert(libc::SYS_setrlimit, Vec::new());
    closed.insert(libc::SYS_socketpair, other_than_unix_streams()?);
    if process == FilteredProcess::Cli {
        closed.insert(libc::SYS_socket, other_than_unix_streams()?);
    }
    Ok(closed)
}

/// Returns every socket except a connected one to a program of this machine. A datagram socket could send to any name
/// without connecting.
fn other_than_unix_streams() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let unix = u64::from(libc::AF_UNIX.unsigned_abs());
    let stream = u64::from(libc::SOCK_STREAM.unsigned_abs());
    let mut rules = vec![when(0, SeccompCmpOp::Ne, unix)?];
    // Any other kind of socket differs in one of these bits. A rule for each kind would make the
    // filter many times longer, and the kernel compiles it at each start.
    for bit in KIND_BITS {
        rules.push(when(1, SeccompCmpOp::MaskedEq(bit), bit & !stream)?);
    }
    Ok(rules)
}

/// Returns a rule on the lower half of one argument. The kernel reads no more of these arguments.
fn when(
    argument: u8,
    comparison: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

/// Closes the second table of system calls of `x86_64` (x32), whose numbers no other rule knows.
fn no_second_table() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const FIRST_OF_SECOND_TABLE: u32 = 0x4000_0000;
    let step = |code, jt, k| sock_filter { code, jt, jf: 0, k };
    let absent = errno(rustix::io::Errno::NOSYS);
    vec![
        step(LOAD_NUMBER, 0, 0),
        sock_filter {
            code: JUMP_IF_AT_LEAST,
            jt: 0,
            jf: 1,
            k: FIRST_OF_SECOND_TABLE,
        },
        step(RETURN, 0, u32::from(absent)),
        step(RETURN, 0, u32::from(SeccompAction::Allow)),
    ]
}

#[cfg(test)]
#[cfg(target_env = "gnu")]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_our_own_are_those_of_the_system() {
        assert_eq!(FCHMODAT2, libc::SYS_fchmodat2);
        assert_eq!(KEXEC_FILE_LOAD, libc::SYS_kexec_file_load);
    }
}
