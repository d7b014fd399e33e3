# Installs EasyEngine without questions; repeating it changes nothing. $1: address of the installer; $2: email address for certificates.
# What the installer would bring by a whole upgrade and a foreign archive comes from the distribution first.
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a EE_DISABLE_AUTO_CHECK_UPDATE=1
step() { printf -- '-----> %s\n' "$1"; }
apt() { apt-get --option DPkg::Lock::Timeout=600 --assume-yes --quiet "$@"; }

step 'Installing Docker and PHP'
command -v docker >/dev/null 2>&1 || apt install docker.io
command -v php >/dev/null 2>&1 || apt install php-cli php-curl php-sqlite3 php-zip
if ! command -v ee >/dev/null 2>&1; then
  step 'Installing EasyEngine'
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl --fail --silent --show-error --location --proto '=https' --max-time 120 --output "$work/setup.sh" "$1"
  bash "$work/setup.sh"
fi
step 'Setting it up'
ee config set le-mail "$2"
ee cli version
step 'Done'
