//! One module for each format.

pub(crate) mod archive;
pub(crate) mod container;
pub(crate) mod deb;
pub(crate) mod homebrew;
pub(crate) mod mcpb;
pub(crate) mod npm;
pub(crate) mod rpm;
pub(crate) mod sbom;
pub(crate) mod scoop;
pub(crate) mod server;
pub(crate) mod third_party;
pub(crate) mod wheel;
pub(crate) mod winget;
