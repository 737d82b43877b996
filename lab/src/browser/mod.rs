//! `cargo lab browser`: the review page in a real browser, driven by `WebDriver`.
//!
//! Everything is made up and on this machine. The run fails if text of an agent runs or is misread, if the keyboard
//! alone does not suffice, or if axe-core finds something serious.

mod driven;
mod scene;

use std::path::{Path, PathBuf};
use std::time::Instant;

use chores::{Fault, command, ensure, printed, repository, write};

use self::driven::{Browser, PHONE};
use self::scene::Scene;
use crate::world::ours;

/// The version of axe-core that the page is checked with.
const AXE: &str = "axe-core@4.11.0";
/// The key as `WebDriver` names it.
const ESCAPE: &str = "\u{e00c}";
/// The message for users without the needed programs.
const NEEDED: &str =
    "`browser` needs Chromium and its driver (Debian: `apt install chromium chromium-driver`).";

/// Runs all of it and returns a line for each check.
pub(crate) fn run(binary: Option<&Path>, pictures: Option<PathBuf>) -> Result<String, Fault> {
    let program = ours(binary)?;
    let scratch = tempfile::tempdir()?;
    let axe = axe(scratch.path());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let pictures = pictures.unwrap_or_else(|| repository().join("target/pictures"));
    runtime.block_on(checks(&program, scratch.path(), axe.as_deref(), &pictures))
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
    let mut shown = String::new();
    for screen in ["wide", PHONE] {
        let scene = Scene::make(program, &scratch.join(screen))?;
        let browser = Browser::start(screen).await;
        let browser = browser.map_err(|fault| format!("{NEEDED} ({fault})"))?;
        let result = on_screen(&scene, &browser, screen, axe, pictures).await;
        browser.end().await?;
        shown += &result.map_err(|fault| format!("{screen}: {fault}"))?;
    }
    Ok(shown)
}

/// All checks on one screen, as `checks.txt` has them.
async fn on_screen(
    scene: &Scene,
    browser: &Browser,
    screen: &str,
    axe: Option<&str>,
    pictures: &Path,
) -> Result<String, Fault> {
    let mut shown = String::new();
    let started = Instant::now();
    let mut tell = |text: &str| {
        shown += &format!(
            "{screen}  {:>5.1} s  {text}\n",
            started.elapsed().as_secs_f32()
        );
    };
    let mut page = None;
    let lines = include_str!("checks.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (name, text) = rest.split_once(": ").unwrap_or((rest, ""));
        let text = text.replace("\\n", "\n");
        let holds = match verb {
            "must" => {
                let answer = browser.evaluate(&format!("return {rest}")).await;
                answer.map_err(|error| format!("{line}: {error}"))? == true
            }
            "reach" => reach(browser, rest).await?,
            "agent" => {
                let words: Vec<&str> = name.split('|').collect();
                scene.agent(&words)?.contains(&text)
            }
            "note" => scene.read(name)? == text,
            "no" => scene.read(rest).is_err(),
            _ => true,
        };
        ensure(holds, &format!("does not hold: {line}"))?;
        match verb {
            "open" => browser.open(&page.insert(scene.page()?).1).await?,
            "reopen" => {
                browser
                    .open(page.as_ref().map_or("", |(_, address)| address))
                    .await?;
            }
            "until" => browser.until(&format!("return {rest}")).await?,
            "keys" => browser.keys(&rest.replace("ESCAPE", ESCAPE)).await?,
            "write" => scene.write(name, &text)?,
            "tell" => tell(rest),
            "picture" => {
                let file = if screen == PHONE {
                    "review-page-phone"
                } else {
                    "review-page"
                };
                write(
                    &pictures.join(file).with_extension("png"),
                    browser.picture().await?,
                )?;
            }
            "axe" => match axe {
                Some(axe) => {
                    let findings = browser.serious(axe).await?;
                    ensure(findings.is_empty(), &format!("axe-core: {findings:?}"))?;
                    tell("axe-core finds nothing serious or critical");
                }
                None => tell("NOT CHECKED with axe-core, which npm could not fetch"),
            },
            "must" | "reach" | "agent" | "note" | "no" => {}
            _ => return Err(format!("`checks.txt` has a line of no kind: {line}").into()),
        }
    }
    Ok(shown)
}

/// Whether a change of a note is reached with `j`.
async fn reach(browser: &Browser, note: &str) -> Result<bool, Fault> {
    let label = "document.activeElement.getAttribute('aria-label')";
    let is_there = format!("return {label}?.startsWith('{note}') ?? false");
    for _ in 0..400 {
        browser.keys("j").await?;
        if browser.evaluate(&is_there).await? == true {
            return Ok(true);
        }
    }
    Ok(false)
}
