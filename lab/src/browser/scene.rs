//! A vault with a draft that has everything a page can get wrong.

use std::path::Path;

use chores::{Fault, ensure, printed, write};

use crate::world::{Running, World};

const SETTINGS: &str = "enabled = true\nbackend = \"embedded\"\nsandbox = \"off\"\ndrafts = \"closed\"\n[agents.helper]\n";
/// A name and a text that would run or mislead if they were markup or shown as they are.
const HOSTILE_NAME: &str = "Z &lt;img src=x onerror=ran=1&gt; javascript.md";
const HOSTILE_TEXT: &str = "<script>ran = 1</script>\n<img src=x onerror=\"ran = 1\">\n[x](javascript:ran=1) \u{202e}cba\u{200b}\n]]></style><svg onload=ran=1>\n";
/// Bytes of the large diff and of the long line. The gate runs this with a debug build.
const LARGE: usize = 200_000;
const LONG: usize = 20_000;

/// A vault, a draft of an agent, and its page.
pub(super) struct Scene {
    world: World,
}

impl Scene {
    pub(super) fn make(program: &Path, folder: &Path) -> Result<Self, Fault> {
        let scene = Self {
            world: World::make(program, folder, SETTINGS)?,
        };
        let rows = |word: &str| -> String {
            (0..200)
                .map(|row| format!("{word} {row}\nsame {row}\n"))
                .collect()
        };
        scene.write("Conflict.md", "one\n\ntwo\n\nthree\n")?;
        scene.write("Words.md", &rows("row"))?;
        scene.write("Plan.md", "# Plan\n\none\n\ntwo\n\nthree\n")?;
        scene.write("Unwanted.md", "This goes.\n")?;
        scene.write("Old.md", "old\n")?;
        scene.write("Index.md", "See [[Old]].\n")?;
        let large: String = (0..LARGE / 50)
            .map(|line| format!("{line:>49}\n"))
            .collect();
        let changes = [
            ("Conflict.md", "one\n\nagent two\n\nthree\n".to_owned()),
            ("Plan.md", "# Plan\n\nONE\n\ntwo\n\nTHREE\n".to_owned()),
            (
                "Picture.md",
                "# Picture\n\n![](https://example.org/a.png)\n".to_owned(),
            ),
            ("Words.md", rows("ROW")),
            ("Large.md", large),
            (
                HOSTILE_NAME,
                HOSTILE_TEXT.to_owned() + &"long ".repeat(LONG / 5),
            ),
        ];
        for (path, content) in changes {
            scene.request(path, &content)?;
        }
        scene.agent(&["delete", "path=Unwanted.md"])?;
        scene.agent(&["move", "path=Old.md", "to=Renamed.md"])?;
        scene.write("Conflict.md", "one\n\nperson two\n\nthree\n")?;
        Ok(scene)
    }

    /// Writes a note, as a person does.
    pub(super) fn write(&self, note: &str, text: &str) -> Result<(), Fault> {
        write(&self.world.vault().join(note), text)
    }

    pub(super) fn read(&self, note: &str) -> Result<String, Fault> {
        Ok(fs_err::read_to_string(self.world.vault().join(note))?)
    }

    /// The agent runs a command.
    pub(super) fn agent(&self, words: &[&str]) -> Result<String, Fault> {
        let mut command = self.world.command();
        printed(command.args(["--agent", "helper"]).args(words))
    }

    /// The agent drafts a note. It is too long for a command line.
    fn request(&self, path: &str, content: &str) -> Result<(), Fault> {
        let params = serde_json::json!({ "path": path, "content": content, "overwrite": true });
        let request = serde_json::json!({ "command": "create", "params": params });
        let file = self.world.folder.join("request.json");
        write(&file, format!("{request}\n"))?;
        let mut command = self.world.command();
        let input = fs_err::File::open(&file)?;
        command
            .args(["--agent", "helper", "call"])
            .stdin(input.into_file());
        let answer = printed(&mut command)?;
        ensure(
            answer.contains("\"status\":\"drafted\""),
            &format!("not drafted: {answer}"),
        )
    }

    /// Serves the page; with its address.
    pub(super) fn page(&self) -> Result<(Running, String), Fault> {
        let mut command = self.world.command();
        command.args(["review", "--web", "--yes"]);
        Running::start(command)
    }
}
