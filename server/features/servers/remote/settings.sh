# Says how this machine is set up, as lines `name=value`. Changes nothing, but needs the rights of root. EASYDASH_ROOT: see facts.sh.
root=${EASYDASH_ROOT-}
say() { printf '%s=%s\n' "$1" "$2"; }

case $(apt-config dump --format '%v%n' APT::Periodic::Unattended-Upgrade) in
  '' | 0) say automatic_updates no ;;
  *) if systemctl --quiet is-enabled apt-daily-upgrade.timer; then say automatic_updates yes; else say automatic_updates no; fi ;;
esac
case $(ufw status) in
  'Status: active'*) say firewall yes ;;
  *) say firewall no ;;
esac
for file in before before6; do
  sed -n '/^# easydash begin$/,/^# easydash end$/ {
    s/^-A ufw6*-before-input -s \([^ ]*\) -j ACCEPT$/allow=\1/p
    s/^-A ufw6*-before-input -s \([^ ]*\) -j DROP$/block=\1/p
  }' "$root/etc/ufw/$file.rules"
done
for address in $(fail2ban-client get sshd banip); do say banned "$address"; done
say complete yes
