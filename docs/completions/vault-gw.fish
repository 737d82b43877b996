# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_vault_gw_global_optspecs
    string join \n vault= backend= tier= settings= o/output= j/json format= profile= timeout-ms= dry-run if-hash= offset= yes include-timestamp correlation-id= run-id= agent= v/verbose h/help V/version
end

function __fish_vault_gw_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_vault_gw_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_vault_gw_using_subcommand
    set -l cmd (__fish_vault_gw_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c vault-gw -n "__fish_vault_gw_needs_command" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_needs_command" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_needs_command" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -s V -l version -d 'Print version'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "approve" -d 'Show what a call waits to have approved, and say yes or no'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "audit" -d 'Show who asked for what and what came of it, or check that the log is as it was written'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "call" -d 'Answer one JSON request a line on stdin with one envelope a line on stdout'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "mcp" -d 'Serve the vault to an agent by the Model Context Protocol, on stdin and stdout or over HTTP'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "capabilities" -d 'List every command with its parameters and effects, and whether it is open here'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "context" -d 'Tell what this vault is, who would answer, and what is open'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "explain" -d 'Tell cause and remedy of a code, what a command is and whether it is open; or list the codes'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "schema" -d 'Print a JSON Schema: `envelope`, `request`, a command for its `data`; or `tools`'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "doctor" -d 'Check the official binary, the app, the settings and the vault'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "install" -d 'Put this program into a client\'s configuration as its MCP server, and turn the bridge on'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "settings" -d 'Show or change the settings file'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "undo" -d 'Put back what a run changed: the last one, or the one named'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "demo" -d 'Show the main job on a small vault in a temporary folder'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "man" -d 'Print the man page'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "daily" -d 'Open today\'s daily note in the app, and create it where it is absent.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "daily:path" -d 'Print the path of today\'s daily note, whether it exists or not.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "daily:read" -d 'Read today\'s daily note; it is not created where it is absent.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "daily:append" -d 'Add text at the end of today\'s daily note, which is created where it is absent.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "daily:prepend" -d 'Add text at the start of today\'s daily note, after its frontmatter; the note is created where it is absent.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "random" -d 'Open a random note in the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "random:read" -d 'Read a random note, its path first.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "aliases" -d 'List the aliases in the vault or of one note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "properties" -d 'List the property names in the vault, or the properties of one note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "property:read" -d 'Read the value of one property of a note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "property:set" -d 'Set a property of a note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "property:remove" -d 'Remove a property from a note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "tags" -d 'List the tags in the vault or of one note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "tag" -d 'List the notes that hold a tag.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "tasks" -d 'List the tasks in the vault or of one note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "task" -d 'Show one task, or change its status.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "file" -d 'Show size and times of a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "files" -d 'List the files in the vault.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "folder" -d 'Show the size of a folder and what it holds.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "folders" -d 'List the folders in the vault.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "open" -d 'Show a file in the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "create" -d 'Create a note, or overwrite one.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "read" -d 'Read a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "append" -d 'Add text at the end of a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "prepend" -d 'Add text at the start of a file, after its frontmatter.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "move" -d 'Move or rename a file; links to it follow.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "rename" -d 'Rename a file inside its folder; links to it follow.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "delete" -d 'Move a file to the trash, or delete it for good.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "diff" -d 'List the kept versions of a file, or compare two of them.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "history" -d 'List the versions of a file that file recovery keeps.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "history:list" -d 'List the files that file recovery keeps versions of.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "history:read" -d 'Read a kept version of a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "history:restore" -d 'Replace a file by a kept version of it.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "history:open" -d 'Show the file recovery dialog for a file in the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "backlinks" -d 'List the files that link to a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "links" -d 'List the links that go out of a file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "unresolved" -d 'List the links in the vault that lead nowhere.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "orphans" -d 'List the files that nothing links to.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "deadends" -d 'List the files that link to nothing.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "outline" -d 'Show the headings of a note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "bases" -d 'List the base files in the vault.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "base:views" -d 'List the views of a base; the app itself only knows those of the active one.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "base:create" -d 'Create a note in a view of a base.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "base:query" -d 'Run a view of a base and print its rows.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:site" -d 'Show the slug and address of the published site.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:list" -d 'List the published files.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:status" -d 'List what differs between the vault and the published site.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:add" -d 'Publish a file, or every changed file.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:remove" -d 'Take a file off the published site.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "publish:open" -d 'Open a file on the published site, in the browser.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "templates" -d 'List the templates.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "template:read" -d 'Read a template, with its variables filled in where asked.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "template:insert" -d 'Insert a template into the file that is active in the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "search" -d 'List the files that match a search.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "search:context" -d 'List the lines that match a search.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "search:open" -d 'Show the search pane in the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "bookmarks" -d 'List the bookmarks.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "bookmark" -d 'Add a bookmark for a file, a folder, a search or a web address.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "wordcount" -d 'Count the words and characters of a note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "vault" -d 'Show name, folder and size of the vault.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "vaults" -d 'List the vaults that the app knows.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "recents" -d 'List the files that were opened last.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "unique" -d 'Create a note whose name is the current date and time.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "sync:status" -d 'Show whether Sync is connected and how much it holds.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "sync:history" -d 'List the versions of a file that Sync keeps.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "sync:read" -d 'Read a version of a file that Sync keeps.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "sync:deleted" -d 'List the deleted files that Sync keeps.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "plugins" -d 'List the installed plugins.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "plugins:enabled" -d 'List the plugins that are switched on.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "plugin" -d 'Show what is known about a plugin.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "themes" -d 'List the installed themes.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "theme" -d 'Show the theme in use, or what is known about one.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "snippets" -d 'List the installed CSS snippets.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "snippets:enabled" -d 'List the CSS snippets that are switched on.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "workspaces" -d 'List the saved workspaces.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "workspace" -d 'Show the panes and tabs of the app as a tree.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "tabs" -d 'List the open tabs.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "version" -d 'Show the version of the app.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "commands" -d 'List the ids of the commands in the command palette.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "hotkeys" -d 'List the keyboard shortcuts.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "hotkey" -d 'Show the keyboard shortcut of a command.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:outline" -d 'List the headings of a note by CommonMark, each with an id.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:tree" -d 'Show the headings of a note as a tree.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:facets" -d 'Show project, tags, dates and entities of a note, as slugs.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:section" -d 'List the sections of a note, without their text.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:get" -d 'Read a note with its properties, or one part of it.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "notes:list" -d 'List notes by folder, tag, project, property or date, page by page.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:describe" -d 'Show size, counts, tags and links of one note.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "note:related" -d 'List notes that are close to one by links and tags, the closest first.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "notes:find" -d 'Look up the files whose path, name, alias or title is exactly this, casing aside.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "notes:large" -d 'List the notes of many bytes, the largest first.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "links:broken" -d 'List links that lead nowhere, with the files that may be meant.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "vault:stats" -d 'Count files, links, tags, tasks and properties of the vault.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "vault:audit" -d 'Check the vault: broken and doubtful links, unreadable properties, twins, empty notes, orphans.'
complete -c vault-gw -n "__fish_vault_gw_needs_command" -f -a "vault:export" -d 'Copy notes into the export folder that the settings name, outside of the vault.'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l list -d 'List what waits for an approval'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l deny -d 'Say no'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand approve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l since -d 'Only from then on: a time (`2026-03-14T09:00`), a day, or how long ago (`2h`, `7d`)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l command -d 'Only of this command' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l limit -d 'The newest so many; 50 if not given' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l refused -d 'Only what was refused or needs an approval'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l follow -d 'Go on with new records as they come'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and not __fish_seen_subcommand_from verify" -f -a "verify" -d 'Check every line and the chain through all of them; ends with 1 where something was changed'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l parallel -d 'Answer up to this many reading requests at once (1 to 64); a write runs alone, in its turn' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l order -d 'Print the answers as the requests came, or each as soon as it is there' -r -f -a "input\t'As the requests came'
completion\t'As they are done; tell them apart by `id`'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand call" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l http -d 'Serve Streamable HTTP on this address (`127.0.0.1:8765`, or a port of the loopback address) instead of standard input and output' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l allow-origin -d 'Take requests of web pages from this origin (`https://app.example:443`); can be repeated' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l allow-host -d 'Take requests for this host name (`notes.example`), besides the loopback ones; can be repeated' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l token-file -d 'Keep the bearer token in this file instead of the state folder; made where it is missing' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l budget -d 'Characters of text in one answer; longer ones are given in parts' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l group -d 'Only this group, such as `daily` or `tasks`' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l in-tier -d 'Only this tier itself, not those below it' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l open -d 'Only what may run, be it after an approval'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l brief -d 'Without parameters and flags (in JSON)'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand capabilities" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l deep -d 'Look through the notes too and count what they hold, for 10 seconds at most'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l list -d 'List the codes, as without a word'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l shape -d 'For `tools`: whose shape' -r -f -a "mcp\t'MCP `Tool`, as `tools/list` gives them'
openai\t'The Chat Completions API, and whatever follows it'
openai-responses\t'The Responses API'
anthropic\t'The Messages API'
langchain\t'A JSON Schema with a title, as `bind_tools` takes it'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l generic -d 'For `tools`: the generic tool alone, whose arguments are a request of `call`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l name -d 'What the entry is called there' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l remove -d 'Take the entry out again; the bridge stays as it is'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l print -d 'Print the entry and change nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -f -a "show" -d 'Show the settings in force'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -f -a "path" -d 'Tell which file is read'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and not __fish_seen_subcommand_from show path set" -f -a "set" -d 'Change one key and keep the rest of the file as it is'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand settings; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l list -d 'List what can be undone instead'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:append" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand daily:prepend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand random:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand aliases" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand properties" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand property:remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tags" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tag" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tasks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand task" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand file" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand files" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folder" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand folders" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand append" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand prepend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand move" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand history:open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand backlinks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unresolved" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand orphans" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand deadends" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand outline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bases" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:views" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand base:query" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:site" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand publish:open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand templates" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand template:insert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand search:open" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmarks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand bookmark" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand wordcount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vaults" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand recents" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand unique" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand sync:deleted" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugins:enabled" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand plugin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand themes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand theme" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand snippets:enabled" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspaces" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand workspace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand tabs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand commands" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkeys" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand hotkey" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:outline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:facets" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:section" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:describe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand note:related" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:find" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand notes:large" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand links:broken" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l vault -d 'The vault: its name in the app, or its folder' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l backend -d 'Who answers: the app if it runs, else the embedded engine (`auto`), or always one of them' -r -f -a "auto\t'The app where its socket answers, else the embedded engine'
obsidian\t'The official program and the running app'
embedded\t'The engine in this program'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l tier -d 'Offer no more than this tier' -r -f -a "v0\t'Daily notes and random notes'
v1\t'Properties, tags, tasks, files and folders'
v2\t'History, links, bases, publish, templates'
v3\t'Search and the rest of what is useful'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l settings -d 'Read this settings file instead of the user\'s own' -r -F
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -s o -l output -d 'Print the command\'s text, or one JSON envelope' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l format -d 'The same as `--output`' -r -f -a "text\t'What the command printed, and nothing else'
json\t'One envelope on one line'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l profile -d 'Print the result in the form of another contract, with its exit statuses' -r -f -a "inspector\t'obsidian-cli-inspector: `{command, timestamp, params, result, meta}`'
knowtation\t'Knowtation: the bare payload of a command'
codira\t'codira: `{schema_version, command, status, query, results}`'
meminit\t'Meminit: its agent output envelope, schema version 3'"
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l timeout-ms -d 'Give up after this many milliseconds (1 to 3600000)' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l if-hash -d 'Run only if the note\'s SHA-256 is still this' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l offset -d 'Go on in an answer that was cut: characters of a text, items of a list' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l correlation-id -d 'Echo this id in the envelope' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l run-id -d 'Use this UUID (version 4) as the run\'s id' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l agent -d 'Act under the policy of this agent in the settings' -r
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -s j -l json -d 'The same as `--output json`'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l dry-run -d 'Say what would be run, and run nothing'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l yes -d 'Approve what loses content or leaves the machine'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -l include-timestamp -d 'Put the time of the call into the envelope'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -s v -l verbose -d 'Tell on standard error which backend answered and how long it took'
complete -c vault-gw -n "__fish_vault_gw_using_subcommand vault:export" -s h -l help -d 'Print help (see more with \'--help\')'
