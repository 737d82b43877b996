//! Completion in the shells themselves. A shell that is not there is passed over.

use std::process::Command;

use crate::support::World;

const CASES: &str = include_str!("../data/terminal_completion.txt");

/// A vault with names that a shell has to quote.
fn world() -> World {
    let world = World::with_fixture_vault();
    world.write(
        "Boat log.md",
        "---\nstatus: x\n---\n# Keel & mast\n#boat/red\n",
    );
    world.write("Quote's.md", "x\n");
    world.write_settings();
    world
}

/// Runs a shell with a script. `None` where the shell is not there.
fn shell(world: &World, name: &str, words: &[&str], script: &str) -> Option<String> {
    let program = ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| std::path::Path::new(folder).join(name))
        .find(|program| program.exists());
    let program = program?;
    let folder = world.scratch();
    let bin = folder.join("bin");
    fs_err::create_dir_all(&bin).unwrap();
    let link = bin.join("vault-gw");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_vault-gw"), &link).unwrap();
    }
    let file = folder.join(format!("try.{name}"));
    fs_err::write(&file, script).unwrap();
    let mut command: Command = world.command(&program);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    command
        .args(words)
        .arg(&file)
        .env("PATH", path)
        .env("TERM", "dumb");
    let ran = crate::support::finish(command, b"");
    ran.ended(0);
    Some(String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn bash_completes_names_of_the_vault() {
    let world = world();
    for (line, offered) in [
        ("vault-gw daily:re", &["read"][..]),
        (
            "vault-gw settings ",
            &["show", "path", "get", "set", "unset", "edit"],
        ),
        ("vault-gw settings get journal.", &["journal.max_bytes"]),
        ("vault-gw read pa", &["path="]),
        ("vault-gw read path=Boa", &["Boat\\ log.md"]),
        ("vault-gw read path=\"Boat l", &["Boat log.md\""]),
        ("vault-gw read path=Quo", &["Quote\\'s.md"]),
        ("vault-gw read path=Proj", &["Projects/"]),
        (
            "vault-gw note:link file='Boat log' heading=K",
            &["Keel\\ \\&\\ mast"],
        ),
        ("vault-gw tag name=boat/", &["boat/red"]),
        ("vault-gw property:read name=sta", &["status"]),
        ("vault-gw search query=x format=j", &["json"]),
        ("vault-gw --backend e", &["embedded"]),
    ] {
        let script = format!(
            "source <(vault-gw completions bash)\nCOMP_LINE={}\nCOMP_POINT=${{#COMP_LINE}}\n\
             _vault_gw vault-gw\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            shell_words_quote(line)
        );
        let Some(text) = shell(&world, "bash", &["--norc"], &script) else {
            return;
        };
        for word in offered {
            assert!(text.lines().any(|reply| reply == *word), "{line}: {text}");
        }
    }
}

/// What is offered for the lines of the shells that complete whole words.
const OFFERED: [&str; 5] = [
    "daily:read",
    "path=Boat log.md",
    "path=Boat log.md",
    "name=boat/red",
    "allow_mutations",
];

#[test]
fn zsh_completes_names_of_the_vault() {
    let world = world();
    // `compadd` of a test: prints what the shell would be given.
    let script = "autoload -Uz compinit; compinit -u -D\nsource <(vault-gw completions zsh)\n\
        compadd() { local name=${@[-1]}; print -l -- ${(P)name}; }\n\
        try() { words=(\"$@\"); CURRENT=$#words; PREFIX=${words[-1]}; _vault_gw; }\n\
        try vault-gw daily:re\ntry vault-gw read 'path=Boa'\ntry vault-gw read 'path=Boat\\ l'\n\
        try vault-gw tag name=boat/\ntry vault-gw settings get allow_mu\n";
    if let Some(text) = shell(&world, "zsh", &["-f"], script) {
        let words: Vec<&str> = text.lines().collect();
        assert_eq!(words, OFFERED);
    }
}

#[test]
fn fish_completes_names_of_the_vault() {
    let world = world();
    let script = "vault-gw completions fish | source\n\
        for line in 'vault-gw daily:re' 'vault-gw read path=Boa' 'vault-gw read path=Boat\\ l' \
        'vault-gw tag name=boat/' 'vault-gw settings get allow_mu'\n  complete -C \"$line\"\nend\n";
    if let Some(text) = shell(&world, "fish", &["--no-config"], script) {
        let words: Vec<&str> = text
            .lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect();
        assert_eq!(words, OFFERED);
    }
}

#[test]
fn powershell_completes_names_of_the_vault() {
    let world = world();
    let script = "vault-gw completions powershell | Out-String | Invoke-Expression\n\
        foreach ($line in 'vault-gw daily:re', 'vault-gw read path=Boa', 'vault-gw tag name=boat/') {\n\
        (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText }\n";
    if let Some(text) = shell(&world, "pwsh", &["-NoProfile", "-File"], script) {
        let words: Vec<&str> = text.lines().collect();
        assert_eq!(words, ["daily:read", "'path=Boat log.md'", "name=boat/red"]);
    }
}

/// Where PowerShell is not there, its side is played: the words are passed as the script passes them, and
/// each line is taken apart as there.
#[test]
fn powershell_gets_words_that_it_reads_back() {
    let world = world();
    let script = world.run(&["completions", "powershell"]);
    insta::assert_snapshot!("powershell", script.text());
    for (line, offered) in [
        (&["daily:re"][..], &["daily:read"][..]),
        (&["read", "path=Boa"], &["'path=Boat log.md'"]),
        (&["read", "path=Quo"], &["'path=Quote''s.md'"]),
        (&["read", "path=Proj"], &["path=Projects/"]),
        (&["tag", "name=#boat/"], &["'name=#boat/red'"]),
        (&["property:read", "name=sta"], &["name=status"]),
        (&["settings", "get", "allow_mu"], &["allow_mutations"]),
        (&["read", "path=nothing"], &[]),
    ] {
        let arguments = ["completions", "powershell", "--complete", "--", "vault-gw"];
        let answered = world.run(&[&arguments[..], line].concat());
        let words: Vec<&str> = answered
            .text()
            .lines()
            .map(|line| line.split_once('\t').expect("a tab before what it is").0)
            .collect();
        assert_eq!(words, offered, "{line:?}");
    }
}

#[test]
fn a_closed_name_is_never_offered_nor_suggested() {
    let world = World::with_fixture_vault()
        .set("backend = \"embedded\"")
        .with_tables("[agents.helper]\n[agents.helper.paths]\ndeny = [\"People/**\"]\n");
    world
        .run(&["read", "path=People/Ana Reys.md"])
        .reports("People/Ana Reyes.md");
    world
        .run_line("completions fish --complete -- vault-gw read path=People/")
        .shows("People/Ana Reyes.md");
    for words in [
        &["--agent", "helper", "read", "path=People/Ana Reys.md"][..],
        &["--agent", "helper", "read", "file=Ana Reys"],
        &["--agent", "helper", "files", "folder=Peple"],
        &["--agent", "helper", "-j", "read", "file=Ana Reys"],
        &tables::lines(CASES, "a closed name is never offered"),
        &tables::lines(CASES, "a closed name is never offered, 2"),
    ] {
        let ran = world.run(words);
        let all = format!("{}{}", ran.text(), ran.stderr);
        assert!(!all.contains("Reyes"), "{words:?}: {all}");
    }
}

#[test]
fn d13_names_of_closed_notes_do_not_come_out_of_the_cache_of_the_whole_vault() {
    let world = World::with_fixture_vault()
        .set("backend = \"embedded\"")
        .with_tables("[agents.helper]\n[agents.helper.paths]\ndeny = [\"People/**\"]\n");
    let note = "---\nhiddenprop: 1\n---\n#hiddentag\n";
    world.write("People/Closed.md", note);
    // The owner's own reading leaves an index of everything.
    assert!(world.run(&["tags"]).text().contains("#hiddentag"));
    for (begun, is_asked) in [
        ("tag name=hidden", "hiddentag"),
        ("property:read name=hidden", "hiddenprop"),
    ] {
        let (command, last) = begun.split_once(' ').unwrap();
        let start = ["completions", "fish", "--complete", "--", "vault-gw"];
        world
            .run(&[&start[..], &[command, last]].concat())
            .shows(is_asked);
        world
            .run(&[&start[..], &["--agent", "helper", command, last]].concat())
            .prints("");
    }
}

fn shell_words_quote(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}
