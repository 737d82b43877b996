//! The systems that packages are made for, and what each format calls them.

use serde::Deserialize;

/// A system.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct System {
    /// What Rust calls it.
    pub(crate) triple: String,
    /// What Python calls it. A static program runs with every C library, and so has two names.
    pub(crate) wheel_tag: String,
}

const SYSTEMS: [(&str, &str); 5] = [
    (
        "x86_64-unknown-linux-musl",
        "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    ),
    (
        "aarch64-unknown-linux-musl",
        "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    ),
    ("x86_64-pc-windows-gnu", "win_amd64"),
    ("aarch64-apple-darwin", "macosx_11_0_arm64"),
    ("x86_64-apple-darwin", "macosx_10_12_x86_64"),
];

impl TryFrom<String> for System {
    type Error = String;

    fn try_from(target: String) -> Result<Self, String> {
        let found = SYSTEMS.into_iter().find(|(triple, _)| *triple == target);
        let (_, tag) = found.ok_or_else(|| format!("no package is made for `{target}`"))?;
        Ok(Self {
            triple: target,
            wheel_tag: tag.to_owned(),
        })
    }
}

impl System {
    /// What Node.js calls it, and also MCP bundles.
    pub(crate) fn platform(&self) -> &'static str {
        match &self.triple {
            it if it.contains("linux") => "linux",
            it if it.contains("windows") => "win32",
            _ => "darwin",
        }
    }

    /// Returns the name of its processor for RPM, which is that of Rust.
    pub(crate) fn processor(&self) -> &str {
        self.triple.split('-').next().unwrap_or_default()
    }

    /// Returns the name of its processor for Node.js and winget.
    pub(crate) fn cpu(&self) -> &'static str {
        if self.processor() == "x86_64" {
            "x64"
        } else {
            "arm64"
        }
    }

    /// The name of its processor in Scoop's manifests.
    pub(crate) fn scoop(&self) -> &'static str {
        if self.processor() == "x86_64" {
            "64bit"
        } else {
            "arm64"
        }
    }

    /// What Debian and container images call its processor.
    pub(crate) fn debian(&self) -> &'static str {
        if self.processor() == "x86_64" {
            "amd64"
        } else {
            "arm64"
        }
    }

    /// Whether there are `.deb`, `.rpm` and container images for it.
    pub(crate) fn is_linux(&self) -> bool {
        self.platform() == "linux"
    }

    /// Whether Scoop and winget install its program.
    pub(crate) fn is_windows(&self) -> bool {
        self.platform() == "win32"
    }

    /// What its programs end in.
    pub(crate) fn suffix(&self) -> &'static str {
        if self.is_windows() { ".exe" } else { "" }
    }

    /// Whether it is the one that this runs on, so that its packages can be tried.
    pub(crate) fn is_here(&self) -> bool {
        use std::env::consts::{ARCH, OS};
        let system = if OS == "macos" { "darwin" } else { OS };
        self.processor() == ARCH && self.triple.contains(system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_is_found_by_its_triple_and_no_two_share_a_name() {
        let mut names = Vec::new();
        for (triple, wheel_tag) in SYSTEMS {
            let system = System::try_from(triple.to_owned()).unwrap();
            assert_eq!(system.wheel_tag, wheel_tag);
            names.push((system.platform(), system.cpu()));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SYSTEMS.len());
        assert!(System::try_from("riscv64gc-unknown-linux-gnu".to_owned()).is_err());
    }
}
