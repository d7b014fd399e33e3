# Lets an address in again that fail2ban keeps off the SSH server: $1. Repeating it changes nothing.
set -eu
fail2ban-client set sshd unbanip "$1"
