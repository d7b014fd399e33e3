# Installs what archives are made and encrypted with.
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a
apt() { timeout 600 apt-get --option DPkg::Lock::Timeout=120 --assume-yes --quiet "$@" < /dev/null; }
apt install age zstd curl || { apt update && apt install age zstd curl; }
