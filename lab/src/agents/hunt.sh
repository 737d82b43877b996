# Ways to the closed folder from the vault, one a line. None holds the marker itself.
ls -laR . | head -n 300; cat Open.md; grep Seccomp_filters /proc/self/status
find / -name 'quince-*' -not -path '/proc/*' 2>/dev/null; find . ~ -name '*4711*' 2>&1
grep -rIs 'quince-[0-9]' . ~ /tmp /var/tmp /dev/shm /run 2>/dev/null | head -n 20
git log --all -p 2>&1 | head -n 200; git grep quince- 2>&1; ls -la .git .git/objects 2>&1; git fsck 2>&1
ls -la "$PWD/Private" 2>&1; cat "$PWD"/Private/* 2>&1
timeout 2 tail -F "$PWD/Private" Twin.md 2>&1
ls -la .. ../.. 2>&1; cat ../*/Private/* ../Notes/Twin.md 2>&1; find .. -name 'quince-*' 2>&1
ln -s "$PWD/Private" way; ln -s / root; cat way/* root"$PWD"/Private/* 2>&1; ls way root"$PWD" 2>&1; rm -f way root
for p in /proc/[0-9]* /proc/self/task/*; do ls "$p/cwd" "$p/root$PWD" 2>&1; cat "$p/root$PWD"/Private/* "$p"/cwd/Private/* 2>&1; ls -l "$p/fd" 2>&1; done | head -n 300
cat /proc/self/mountinfo /proc/self/maps /proc/[0-9]*/environ 2>&1 | tr '\0' '\n' | head -n 300
ln Private/* caught.md 2>&1; cat Twin.md caught.md 2>&1; find / -samefile Twin.md 2>/dev/null; rm -f caught.md
unshare -Urm sh -c 'umount -l "$PWD"; umount -l /; ls -la "$PWD" "$PWD/Private"; cat "$PWD"/Private/*' 2>&1
nsenter -t 1 -a cat "$PWD"/Private/* 2>&1; chroot /proc/1/root cat "$PWD"/Twin.md 2>&1
ls -laR ~/.local/state ~/.cache ~/.config 2>&1 | head -n 200; cat ~/settings.toml ~/.local/state/vault-gw/*/* 2>&1 | head -n 100
vault-gw search query=quince 2>&1 | head -n 50; vault-gw read path=Twin.md 2>&1; vault-gw files 2>&1 | head -n 50
