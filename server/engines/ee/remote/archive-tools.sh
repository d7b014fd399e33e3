# Installs what archives are made and encrypted with, or notes that it can't be had.
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a
apt() { timeout 600 apt-get --option DPkg::Lock::Timeout=120 --assume-yes --quiet "$@" < /dev/null; }
if apt install age zstd curl || { apt update && apt install age zstd curl; }; then
  rm -f "$own_home/tools.refused"
else
  mkdir -p "$own_home" && : > "$own_home/tools.refused"
  exit 1
fi
