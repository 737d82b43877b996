
const fs = require('fs'), net = require('net'), run = require('child_process');
const home = process.env.HOME, say = (text) => fs.writeSync(2, text + '\n');
function tried(name, work) {
  try { work(); say(`try ${name} ok`); }
  catch (error) { say(`try ${name} ${-error.errno || error}`); }
}
tried('read-ssh-key', () => fs.readFileSync(home + '/.ssh/id_ed25519'));
tried('write-home', () => fs.writeFileSync(home + '/planted', 'x'));
tried('write-settings', () => fs.appendFileSync(home + '/.config/vault-gw/settings.toml', 'x'));
tried('write-vault', () => fs.writeFileSync(home + '/../../Notes/planted.md', 'x'));
tried('list-home', () => fs.readdirSync(home));
tried('program', () => { const ran = run.spawnSync('/usr/bin/id'); if (ran.error) throw ran.error; });
tried('signal-parent', () => process.kill(process.ppid, 'SIGCONT'));
tried('end', () => {});
const wire = net.connect(process.env.XDG_RUNTIME_DIR + '/.obsidian-cli.sock', () => {
  wire.end(JSON.stringify({ argv: process.argv.slice(2), tty: false, cwd: '/' }) + '\n');
});
wire.on('data', (data) => fs.writeSync(1, data));
