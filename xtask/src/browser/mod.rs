//! `cargo xtask browser`: the review page in a real browser, driven by `WebDriver`.
//!
//! Everything is made up and on this machine. The run fails where text of an agent runs or is misread, where the
//! keyboard alone does not suffice, or where axe-core finds something serious.

mod driven;
mod scene;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use self::driven::{Browser, Screen};
use self::scene::Scene;
use crate::Fault;
use crate::bench::programs::Programs;
use crate::files::write;
use crate::targets::{command, printed, repository};
use crate::words::Words;

/// The version of axe-core that the page is checked with.
const AXE: &str = "axe-core@4.11.0";
/// The key as `WebDriver` names it.
const ESCAPE: &str = "\u{e00c}";
/// What is needed, for whoever does not have it.
const NEEDED: &str =
    "`browser` needs Chromium and its driver (Debian: `apt install chromium chromium-driver`).";

/// Runs all of it and returns a line for each check.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let words = Words::read(words, &["--binary", "--pictures"])?;
    words.expect_no_rest()?;
    let programs = Programs::find(words.option("--binary").map(Path::new))?;
    let scratch = tempfile::tempdir()?;
    let axe = axe(scratch.path());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let pictures = words.option("--pictures").map(PathBuf::from);
    let pictures = pictures.unwrap_or_else(|| repository().join("docs/terminal"));
    runtime.block_on(checks(
        &programs.ours,
        scratch.path(),
        axe.as_deref(),
        &pictures,
    ))
}

/// The text of axe-core, from npm; `None` if it cannot be fetched.
fn axe(folder: &Path) -> Option<String> {
    let mut npm = command("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
    printed(npm.arg(folder).arg(AXE)).ok()?;
    fs_err::read_to_string(folder.join("node_modules/axe-core/axe.min.js")).ok()
}

async fn checks(
    program: &Path,
    scratch: &Path,
    axe: Option<&str>,
    pictures: &Path,
) -> Result<String, Fault> {
    let mut told = String::new();
    for screen in [Screen::WIDE, Screen::PHONE] {
        let scene = Scene::make(program, &scratch.join(screen.name))?;
        let browser = Browser::start(&screen)
            .await
            .map_err(|fault| format!("{NEEDED} ({fault})"))?;
        let result = on_screen(&scene, &browser, &screen, axe, pictures).await;
        browser.end().await?;
        told += &result.map_err(|fault| format!("{}: {fault}", screen.name))?;
    }
    Ok(told)
}

/// All checks on one screen.
async fn on_screen(
    scene: &Scene,
    browser: &Browser,
    screen: &Screen,
    axe: Option<&str>,
    pictures: &Path,
) -> Result<String, Fault> {
    let mut told = String::new();
    let mut tell = |text: String| told += &format!("{}  {text}\n", screen.name);
    let opened = Instant::now();
    browser.open(&scene.page()?).await?;
    browser
        .until("return document.querySelectorAll('.change').length >= 200")
        .await?;
    tell(format!(
        "200 hunks and a diff of 5 MB are shown after {} ms",
        opened.elapsed().as_millis()
    ));
    let width = browser
        .asked("return document.documentElement.scrollWidth <= innerWidth")
        .await?;
    check(width == true, "the page is wider than the screen")?;
    write(
        &pictures.join(format!("review-page{}.png", screen.suffix)),
        browser.picture().await?,
    )?;
    hostile(browser).await?;
    tell(
        "hostile names and texts are text: nothing ran, and hidden characters are visible"
            .to_owned(),
    );
    match axe {
        Some(axe) => {
            let findings = browser.serious(axe).await?;
            check(findings.is_empty(), &format!("axe-core: {findings:?}"))?;
            tell("axe-core finds nothing serious or critical".to_owned());
        }
        None => tell("NOT CHECKED with axe-core, which npm could not fetch".to_owned()),
    }
    keyboard(scene, browser).await?;
    tell("by keyboard alone: a change was accepted, one rejected with a comment".to_owned());
    live(scene, browser).await?;
    tell("a change by the agent and one by a person came up while the page was open".to_owned());
    misled(scene, browser).await?;
    tell("a change that the agent swaps under the focus is not accepted".to_owned());
    again(scene, browser).await?;
    tell("the address opens the page once".to_owned());
    Ok(told)
}

/// Nothing of what the agent wrote is markup, a link or a script.
async fn hostile(browser: &Browser) -> Result<(), Fault> {
    let foreign = "return [...document.querySelectorAll('script,img,iframe,a,style,svg,object')].filter((one) => !(one.matches('script[src=\"/page.js\"], a.skip'))).length";
    check(browser.asked(foreign).await? == 0, "text became markup")?;
    let ran = browser.asked("return window.ran ?? null").await?;
    check(ran.is_null(), "a script of the note ran")?;
    let marked = browser
        .asked("return [...document.querySelectorAll('.hidden-character')].map((one) => one.textContent)")
        .await?;
    let marked = marked.to_string();
    check(
        marked.contains("u{202e}") && marked.contains("u{200b}"),
        &format!("hidden characters are not seen: {marked}"),
    )?;
    let folded = browser
        .asked("return [...document.querySelectorAll('button.more')].map((one) => one.textContent).join('|')")
        .await?;
    let folded = folded.to_string();
    check(
        folded.contains("more characters of this line") && folded.contains("more lines"),
        &format!("what is folded away is not counted: {folded}"),
    )?;
    let conflict = "return document.body.innerText.includes('Cannot be accepted') && document.querySelectorAll('.sides pre').length === 3";
    check(
        browser.asked(conflict).await? == true,
        "no sides of the conflict",
    )
}

/// Moves with `j`, rejects with a comment, and accepts.
async fn keyboard(scene: &Scene, browser: &Browser) -> Result<(), Fault> {
    let focus_on = |note: &str| {
        format!(
            "return document.activeElement.getAttribute('aria-label')?.startsWith('{note}') ?? false"
        )
    };
    browser.keys("j").await?;
    for _ in 0..400 {
        if browser.asked(&focus_on("Plan.md")).await? == true {
            break;
        }
        browser.keys("j").await?;
    }
    check(
        browser.asked(&focus_on("Plan.md")).await? == true,
        "`j` does not reach the note",
    )?;
    browser.keys("c").await?;
    browser.keys("not now").await?;
    // Out of the field, back to the change before it.
    browser.keys(ESCAPE).await?;
    browser.keys("r").await?;
    browser
        .until("return document.getElementById('summary').textContent.startsWith('Rejected')")
        .await?;
    browser.keys("a").await?;
    browser
        .until("return document.getElementById('summary').textContent.startsWith('Accepted')")
        .await?;
    let plan = scene.read("Plan.md")?;
    check(
        plan == "# Plan\n\none\n\ntwo\n\nTHREE\n",
        &format!("another change was accepted: {plan:?}"),
    )?;
    let status = scene.agent(&["draft:status"])?;
    check(
        status.contains("not now"),
        "the agent does not read the comment",
    )
}

/// The agent and a person go on while the page is open.
async fn live(scene: &Scene, browser: &Browser) -> Result<(), Fault> {
    scene.agent(&["create", "path=Live.md", "content=new"])?;
    browser
        .until("return document.body.innerText.includes('Live.md')")
        .await?;
    scene.write("Conflict.md", "one\n\nagent two\n\nthree\n")?;
    browser
        .until("return !document.body.innerText.includes('Cannot be accepted')")
        .await
}

/// The agent swaps the change that has the focus, and the person presses the key for what they saw.
async fn misled(scene: &Scene, browser: &Browser) -> Result<(), Fault> {
    scene.agent(&["create", "path=Race.md", "content=harmless"])?;
    browser
        .until("return document.body.innerText.includes('harmless')")
        .await?;
    browser
        .asked("[...document.querySelectorAll('.change')].find((one) => one.ariaLabel.startsWith('Race.md')).focus(); return 0")
        .await?;
    scene.agent(&["create", "path=Race.md", "content=swapped", "overwrite"])?;
    browser
        .until("return document.body.innerText.includes('swapped')")
        .await?;
    browser.keys("a").await?;
    browser
        .until("return document.getElementById('notice').textContent.includes('Look again')")
        .await?;
    check(
        scene.read("Race.md").is_err(),
        "a change was accepted that nobody had seen",
    )
}

/// A second browser, or the same without its storage, is not let in.
async fn again(scene: &Scene, browser: &Browser) -> Result<(), Fault> {
    browser.asked("sessionStorage.clear(); return 0").await?;
    browser.open(&scene.address()).await?;
    browser
        .until("return !document.getElementById('notice').hidden")
        .await?;
    let shown = browser
        .asked("return document.querySelectorAll('.note').length")
        .await?;
    check(shown == 0, "the address opened the page twice")
}

fn check(holds: bool, otherwise: &str) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A free port of the loopback address.
fn free_port() -> Result<u16, Fault> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port())
}

/// A program without output of its own.
fn quiet(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

/// What axe-core found, as far as it is serious.
fn serious(results: &Value) -> Vec<String> {
    let violations = results["violations"].as_array();
    let grave = violations
        .into_iter()
        .flatten()
        .filter(|violation| matches!(violation["impact"].as_str(), Some("serious" | "critical")));
    grave
        .map(|violation| format!("{} at {}", violation["id"], violation["nodes"][0]["html"]))
        .collect()
}
