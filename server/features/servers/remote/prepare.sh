# Makes a fresh Ubuntu or Debian machine safe to be on the internet; repeating it changes nothing.
# $1: swap in MiB if the machine has none; $2: its time zone; $3: port of its SSH server. EASYDASH_ROOT: see facts.sh.
set -eu
root=${EASYDASH_ROOT-}
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a
step() { printf -- '-----> %s\n' "$1"; }
# Right after its first start a machine is often still installing updates by itself.
apt() { apt-get --option DPkg::Lock::Timeout=600 --assume-yes --quiet "$@"; }

step 'Installing updates'
apt update
apt --option Dpkg::Options::=--force-confold upgrade
step 'Installing the firewall and fail2ban'
apt install ufw fail2ban unattended-upgrades cron curl ca-certificates sqlite3 rclone zip unzip p7zip-full rsync

step 'Turning on security updates'
cat >"$root/etc/apt/apt.conf.d/52easydash" <<'END'
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
END

step 'Turning on the firewall'
ufw default deny incoming
ufw default allow outgoing
ufw allow "$3/tcp"
ufw allow 80/tcp
ufw allow 443/tcp
ufw --force enable

step 'Turning on fail2ban'
cat >"$root/etc/fail2ban/jail.d/easydash.local" <<'END'
[sshd]
enabled = true
backend = systemd
maxretry = 5
bantime = 1h
END
systemctl enable --now fail2ban
systemctl restart fail2ban

if [ "$1" -gt 0 ] && ! grep -q '^/' "$root/proc/swaps"; then
  step 'Adding swap'
  if [ ! -e "$root/swapfile" ]; then
    fallocate --length "${1}M" "$root/swapfile"
    chmod 600 "$root/swapfile"
    mkswap "$root/swapfile"
  fi
  swapon "$root/swapfile"
  grep -q '^/swapfile ' "$root/etc/fstab" || echo '/swapfile none swap sw 0 0' >>"$root/etc/fstab"
fi

step 'Setting the time zone'
timedatectl set-timezone "$2"
step 'Done'
