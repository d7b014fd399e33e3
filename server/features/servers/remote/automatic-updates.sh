# Turns security updates that the machine installs by itself on (1) or off (0). EASYDASH_ROOT: see facts.sh.
set -eu
cat >"${EASYDASH_ROOT-}/etc/apt/apt.conf.d/52easydash" <<END
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "$1";
END
[ "$1" = 0 ] || systemctl enable --now apt-daily.timer apt-daily-upgrade.timer
