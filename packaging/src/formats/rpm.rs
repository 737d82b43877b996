//! The package of Fedora, openSUSE and their kin.

use rpm::{BuildConfig, CompressionType, FileOptions, PackageBuilder};

use crate::Fault;
use crate::facts::Facts;
use crate::files::{Entry, installed};
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The number of the packaging of one version.
const RELEASE: &str = "1";

/// Packs it for a Linux.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Package, Fault> {
    let architecture = system.processor();
    let name = &facts.name;
    let config = BuildConfig::v4()
        .compression(CompressionType::Gzip)
        .source_date(facts.epoch);
    let license = facts.license.as_str();
    let mut builder = PackageBuilder::new(
        name,
        &facts.version,
        license,
        architecture,
        facts.synopsis(),
    );
    builder
        .using_config(config)
        .release(RELEASE)
        .description(&facts.about)
        .packager(&facts.maintainer)
        // The name of the machine that packs would differ from build to build.
        .build_host("localhost");
    if let Some(url) = &facts.repository {
        builder.url(url);
    }
    let mut entries = installed(facts, system, "site-functions")?;
    let licenses = format!("usr/share/licenses/{name}/");
    entries.extend(facts.entries(
        &["README.md", "CHANGELOG.md"],
        &format!("usr/share/doc/{name}/"),
    )?);
    entries.extend(facts.entries(&["LICENSE-MIT", "LICENSE-APACHE"], &licenses)?);
    entries.push(third_party::entry(facts, system, &licenses)?);
    for Entry { path, mode, bytes } in entries {
        let options = FileOptions::new(format!("/{path}")).permissions(u16::try_from(mode)?);
        let options = match path.split('/').nth(2) {
            Some("man" | "doc") => options.doc(),
            Some("licenses") => options.license(),
            _ => options,
        };
        builder.with_file_contents(bytes, options)?;
    }
    let mut bytes = Vec::new();
    builder.build()?.write(&mut bytes)?;
    let name = format!("{name}-{}-{RELEASE}.{architecture}.rpm", facts.version);
    Ok(Package::new(name, bytes))
}
