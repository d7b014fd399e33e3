# Sets the time zone of the machine.
set -eu
timedatectl set-timezone "$1"
# It would go on in the time zone of its start.
systemctl try-restart cron
