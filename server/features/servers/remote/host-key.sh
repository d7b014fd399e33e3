# Replaces the host keys that came with the machine by keys that nobody else has seen, and says the new one.
set -eu
root=${EASYDASH_ROOT-}
mark=$root/etc/ssh/easydash-host-keys
if [ ! -e "$mark" ]; then
  rm -f "$root"/etc/ssh/ssh_host_*_key "$root"/etc/ssh/ssh_host_*_key.pub
  ssh-keygen -q -t ed25519 -N '' -f "$root/etc/ssh/ssh_host_ed25519_key"
  ssh-keygen -q -t rsa -b 3072 -N '' -f "$root/etc/ssh/ssh_host_rsa_key"
  : >"$mark"
fi
cut -d' ' -f1,2 "$root/etc/ssh/ssh_host_ed25519_key.pub"
