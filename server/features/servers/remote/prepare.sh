# Updates a fresh Ubuntu or Debian machine and installs what protects it; repeating it changes nothing.
# $1: its time zone. EASYDASH_ROOT: see facts.sh.
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
# EasyEngine gets the template of WordPress VIP by it, and installs it nowhere.
apt install git
# With these a server sends its backups to a bucket by itself. Older distributions lack the first; then they are fetched.
apt install age zstd || echo 'Backups of this server will be fetched.'

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

step 'Setting the time zone'
timedatectl set-timezone "$1"
step 'Done'
