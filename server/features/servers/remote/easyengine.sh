# Installs EasyEngine without questions, and completes an installation that ended halfway; repeating it changes nothing.
# $1: address of the installer; $2: email address for certificates. EASYDASH_ROOT: see facts.sh.
# What the installer would bring by a whole upgrade and a foreign archive comes from the distribution first.
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a EE_DISABLE_AUTO_CHECK_UPDATE=1
step() { printf -- '-----> %s\n' "$1"; }
apt() { apt-get --option DPkg::Lock::Timeout=600 --assume-yes --quiet "$@"; }

step 'Installing Docker and PHP'
command -v docker >/dev/null 2>&1 || apt install docker.io
command -v php >/dev/null 2>&1 || apt install php-cli php-curl php-sqlite3 php-zip
if ! ee cli version >/dev/null 2>&1; then
  step 'Installing EasyEngine'
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl --fail --silent --show-error --location --proto '=https' --max-time 120 --output "$work/setup.sh" "$1"
  bash "$work/setup.sh"
fi

# The installer puts `ee` in place first. If it fails or is killed later, what it does after that is missing
# (EasyEngine/installer, functions: pull_easyengine_images, add_ssl_renew_cron).
step 'Preparing its database and images'
ee cli info
# Without Docker it skips that, and says nothing (EasyEngine/easyengine, Runner.php: init_ee).
database=${EASYDASH_ROOT-}/opt/easyengine/db/ee.sqlite
if [ -z "$(sqlite3 -readonly -json "$database" "select value from options where key = 'version'")" ]; then
  echo 'EasyEngine did not prepare its database and images. Check that Docker runs.' >&2
  exit 1
fi
if ! crontab -l 2>/dev/null | grep -q '^[^#]*ee site ssl-renew --all'; then
  step 'Adding the renewal of certificates'
  {
    crontab -l 2>/dev/null || :
    printf 'PATH=/usr/local/bin:%s\n\n' "$PATH"
    echo '0 0 * * * /usr/local/bin/ee site ssl-renew --all >> /opt/easyengine/logs/cron.log 2>&1'
  } | crontab -
fi
step 'Setting it up'
ee config set le-mail "$2"
ee cli version
step 'Done'
