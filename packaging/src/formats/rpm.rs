//! The package of Fedora, openSUSE and their kin.

use rpm::{BuildConfig, CompressionType, FileOptions, PackageBuilder};

use crate::Fault;
use crate::facts::Facts;
use crate::files::gzip;
use crate::formats::third_party;
use crate::pack::Package;
use crate::system::System;

/// The number of the packaging of one version.
const RELEASE: &str = "1";

/// Packs it, if there is an RPM system of this kind.
pub(crate) fn pack(facts: &Facts, system: &System) -> Result<Option<Package>, Fault> {
    if !system.is_linux() {
        return Ok(None);
    }
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
    let program = FileOptions::new(format!("/usr/bin/{name}")).permissions(0o755);
    builder.with_file_contents(facts.program(system)?, program)?;
    for (bytes, options) in documents(facts, system)? {
        builder.with_file_contents(bytes, options.permissions(0o644))?;
    }
    let mut bytes = Vec::new();
    builder.build()?.write(&mut bytes)?;
    let name = format!("{name}-{}-{RELEASE}.{architecture}.rpm", facts.version);
    Ok(Some(Package::new(name, bytes)))
}

type Document = (Vec<u8>, rpm::FileOptionsBuilder);

fn documents(facts: &Facts, system: &System) -> Result<Vec<Document>, Fault> {
    let name = &facts.name;
    let share = |path: String| FileOptions::new(format!("/usr/share/{path}"));
    let completion = |script: String| facts.part(&format!("completions/{script}"));
    let third_party = third_party::FILE;
    Ok(vec![
        (
            gzip(&facts.part(&format!("man/{name}.1"))?)?,
            share(format!("man/man1/{name}.1.gz")).doc(),
        ),
        (
            completion(format!("{name}.bash"))?,
            share(format!("bash-completion/completions/{name}")),
        ),
        (
            completion(format!("_{name}"))?,
            share(format!("zsh/site-functions/_{name}")),
        ),
        (
            completion(format!("{name}.fish"))?,
            share(format!("fish/vendor_completions.d/{name}.fish")),
        ),
        (
            facts.part("README.md")?,
            share(format!("doc/{name}/README.md")).doc(),
        ),
        (
            facts.part("CHANGELOG.md")?,
            share(format!("doc/{name}/CHANGELOG.md")).doc(),
        ),
        (
            facts.part("LICENSE-MIT")?,
            share(format!("licenses/{name}/LICENSE-MIT")).license(),
        ),
        (
            facts.part("LICENSE-APACHE")?,
            share(format!("licenses/{name}/LICENSE-APACHE")).license(),
        ),
        (
            third_party::texts(facts, system)?.into_bytes(),
            share(format!("licenses/{name}/{third_party}")).license(),
        ),
    ])
}
