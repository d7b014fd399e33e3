# `make` prepares host keys that nobody else has seen, and says the new one; `use` puts them in the place of those that came with the
# machine. Both can be repeated, and `use` after it was interrupted.
set -eu
ssh=${EASYDASH_ROOT-}/etc/ssh
next=$ssh/easydash_ed25519_key
next_rsa=$ssh/easydash_rsa_key
case $1 in
  make)
    if [ ! -e "$next.pub" ]; then
      rm -f "$next" "$next_rsa" "$next_rsa.pub"
      ssh-keygen -q -t rsa -b 3072 -N '' -f "$next_rsa"
      ssh-keygen -q -t ed25519 -N '' -f "$next"
    fi
    cut -d' ' -f1,2 "$next.pub"
    ;;
  use)
    if [ -e "$next" ]; then
      for old in "$ssh"/ssh_host_*_key; do
        case $old in *_ed25519_key | *_rsa_key) ;; *) rm -f "$old" "$old.pub" ;; esac
      done
      for kind in rsa ed25519; do
        for end in .pub ''; do
          [ ! -e "$ssh/easydash_${kind}_key$end" ] || mv -f "$ssh/easydash_${kind}_key$end" "$ssh/ssh_host_${kind}_key$end"
        done
      done
    fi
    systemctl restart ssh
    ;;
esac
