//! The systems that packages are made for, and what each format calls them.

use crate::Fault;

/// A system.
#[derive(Debug)]
pub(crate) struct System {
    /// What Rust calls it.
    pub(crate) triple: &'static str,
    /// What Node.js calls it, and also MCP bundles.
    pub(crate) platform: &'static str,
    /// What Node.js calls its processor.
    pub(crate) cpu: &'static str,
    /// What Python calls it. A static program runs with every C library, and so has two names.
    pub(crate) wheel_tag: &'static str,
    /// What Debian calls its processor; `None` where there is no Debian.
    pub(crate) debian: Option<&'static str>,
    /// What RPM calls its processor; `None` where there is no RPM.
    pub(crate) rpm: Option<&'static str>,
    /// What container images call its processor; `None` where there are none.
    pub(crate) container: Option<&'static str>,
}

const SYSTEMS: [System; 5] = [
    System {
        triple: "x86_64-unknown-linux-musl",
        platform: "linux",
        cpu: "x64",
        wheel_tag: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
        rpm: Some("x86_64"),
        container: Some("amd64"),
    },
    System {
        triple: "aarch64-unknown-linux-musl",
        platform: "linux",
        cpu: "arm64",
        wheel_tag: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
        rpm: Some("aarch64"),
        container: Some("arm64"),
    },
    System {
        triple: "x86_64-pc-windows-gnu",
        platform: "win32",
        cpu: "x64",
        wheel_tag: "win_amd64",
        debian: None,
        rpm: None,
        container: None,
    },
    System {
        triple: "aarch64-apple-darwin",
        platform: "darwin",
        cpu: "arm64",
        wheel_tag: "macosx_11_0_arm64",
        debian: None,
        rpm: None,
        container: None,
    },
    System {
        triple: "x86_64-apple-darwin",
        platform: "darwin",
        cpu: "x64",
        wheel_tag: "macosx_10_12_x86_64",
        debian: None,
        rpm: None,
        container: None,
    },
];

impl System {
    /// The system with this triple.
    pub(crate) fn of(triple: &str) -> Result<&'static Self, Fault> {
        let found = SYSTEMS.iter().find(|system| system.triple == triple);
        found.ok_or_else(|| format!("no package is made for `{triple}`").into())
    }

    /// What its programs end in.
    pub(crate) fn suffix(&self) -> &'static str {
        if self.platform == "win32" { ".exe" } else { "" }
    }

    /// Whether it is the one that this runs on, so that its packages can be tried.
    pub(crate) fn is_here(&self) -> bool {
        let platform = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        (platform, cpu) == (self.platform, self.cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_is_found_by_its_triple_and_no_two_share_a_name() {
        let mut names = Vec::new();
        for system in &SYSTEMS {
            assert_eq!(
                System::of(system.triple).unwrap().wheel_tag,
                system.wheel_tag
            );
            names.push((system.platform, system.cpu));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SYSTEMS.len());
        assert!(System::of("riscv64gc-unknown-linux-gnu").is_err());
    }
}
