
try() { name=$1; shift; if "$@" 2>/dev/null; then echo "try $name ok" >&2; else echo "try $name 13" >&2; fi; }
read_key() { read -r line <"$HOME/.ssh/id_ed25519"; }
write_home() { echo x >"$HOME/planted"; }
write_settings() { echo x >>"$HOME/.config/vault-gw/settings.toml"; }
write_vault() { echo x >"$HOME/../../Notes/planted.md"; }
try read-ssh-key read_key
try write-home write_home
try write-settings write_settings
try write-vault write_vault
try end :
while read -r line; do echo "$line"; done </dev/null
echo answered
