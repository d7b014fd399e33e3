# Installs what archives are made and encrypted with. Notes that it was tried until it has worked.
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a
apt() { timeout 600 apt-get --option DPkg::Lock::Timeout=120 --assume-yes --quiet "$@" < /dev/null; }
mkdir -p "$own_home" && : > "$own_home/tools.refused"
apt install age zstd curl || { apt update && apt install age zstd curl; } && rm -f "$own_home/tools.refused"
