# Says what this machine is, as lines `name=value`. Changes nothing, needs no rights and no network.
# EASYDASH_ROOT is set on simulated machines only: a folder that stands for /.
root=${EASYDASH_ROOT-}
say() { printf '%s=%s\n' "$1" "$2"; }
have() { command -v "$1" >/dev/null 2>&1; }

say hostname "$(hostname)"
say os "$(. "$root/etc/os-release" && printf %s "${PRETTY_NAME:-${NAME:-$ID} ${VERSION_ID-}}")"
say os_id "$(. "$root/etc/os-release" && printf '%s' "$ID")"
say os_version "$(. "$root/etc/os-release" && printf '%s' "$VERSION_ID")"
say kernel "$(uname -r)"
say processor "$(sed -n 's/^model name[^:]*: *//p' "$root/proc/cpuinfo" | head -n 1)"
say cpu "$(grep -c '^processor' "$root/proc/cpuinfo")"
say ram_kb "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' "$root/proc/meminfo")"
say swap_kb "$(sed -n 's/^SwapTotal: *\([0-9]*\) kB/\1/p' "$root/proc/meminfo")"
say uptime "$(cut -d. -f1 "$root/proc/uptime")"
say timezone "$(timedatectl show --property=Timezone --value 2>/dev/null || cat "$root/etc/timezone")"
df -Pk "$root/" | {
  read -r _
  read -r _ total _ free _
  say disk_kb "$total"
  say disk_free_kb "$free"
}
if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then say sudo yes; else say sudo no; fi
have docker && say docker "$(docker version --format '{{.Server.Version}}' 2>/dev/null)"
have docker-compose && say docker_compose "$(docker-compose version --short 2>/dev/null)"
have python3 && say python "$(python3 -c 'import platform; print(platform.python_version())' 2>/dev/null)"
# A simulated machine has this one's programs, too.
case $(command -v git) in "$root"/?*) say git yes ;; *) say git no ;; esac
have ee && say easyengine "$(ee cli version 2>/dev/null | tr -cd '0-9.\n' | head -n 1)"
if have apt-get; then
  apt-get --simulate --option Debug::NoLocking=true upgrade 2>/dev/null | {
    updates=0 security=0
    while read -r verb _ rest; do
      [ "$verb" = Inst ] || continue
      updates=$((updates + 1))
      case $rest in *-security*) security=$((security + 1)) ;; esac
    done
    say pending_updates "$updates"
    say security_updates "$security"
  }
fi
# Ports that EasyEngine's proxy needs and that something else holds.
if have ss; then
  for port in 80 443; do
    [ -n "$(ss --listening --tcp --numeric --no-header "sport = :$port")" ] && say taken_port "$port"
  done
fi
say complete yes
