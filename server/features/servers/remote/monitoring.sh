# Says how this machine and what runs on it is at the moment, as lines `name=value`, a container as one line of JSON. Changes nothing.
# $1 …: units of systemd to look at. EASYDASH_ROOT: see facts.sh.
root=${EASYDASH_ROOT-}
say() { printf '%s=%s\n' "$1" "$2"; }
have() { command -v "$1" >/dev/null 2>&1; }

# Where EasyEngine has the sites.
sites=$root/opt/easyengine
[ -d "$sites" ] || sites=$root/
df -Pk "$sites" | {
  read -r _
  read -r _ total _ free _
  say disk_kb "$total"
  say disk_free_kb "$free"
}
say now "$(date +%s)"
say uptime "$(cut -d. -f1 "$root/proc/uptime")"
say load "$(cut -d' ' -f2 "$root/proc/loadavg")"
say cpu "$(grep -c '^processor' "$root/proc/cpuinfo")"
say ram_kb "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' "$root/proc/meminfo")"
say ram_available_kb "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' "$root/proc/meminfo")"

# Only where something makes that file its absence means anything.
hooks=$root/etc/kernel/postinst.d
if [ -e "$root/var/run/reboot-required" ]; then
  say reboot yes
elif [ -e "$hooks/unattended-upgrades" ] || [ -e "$hooks/update-notifier" ]; then
  say reboot no
fi

# 000 if nothing answers.
have curl && say http "$(curl --silent --max-time 5 --output /dev/null --write-out '%{http_code}' http://127.0.0.1/)"

# `show` succeeds for units that do not exist, too. Times are microseconds since the machine started.
have systemctl && for unit in "$@"; do
  say unit "$unit"
  systemctl show --property=LoadState,ActiveState,ActiveEnterTimestampMonotonic,InactiveEnterTimestampMonotonic,NRestarts "$unit" 2>/dev/null
done

if ! have docker; then
  say docker missing
elif ids=$(docker ps --all --quiet --no-trunc 2>/dev/null); then
  say docker running
  # One that ends meanwhile is missing.
  printf '%s\n' "$ids" | head -n 300 | xargs -r docker inspect --format 'container={"name":{{json .Name}},"state":{{json .State.Status}},"started":{{json .State.StartedAt}},"finished":{{json .State.FinishedAt}},"code":{{json .State.ExitCode}},"restarts":{{json .RestartCount}},"site":{{json (index .Config.Labels "io.easyengine.site")}},"project":{{json (index .Config.Labels "com.docker.compose.project")}},"service":{{json (index .Config.Labels "com.docker.compose.service")}}}' 2>/dev/null
else
  say docker down
fi

# Those that EasyEngine's proxy serves: when each ends, and its domain. Public, so nothing of the keys beside them is read.
certificates=$root/opt/easyengine/services/nginx-proxy/certs
if have openssl && [ -r "${certificates%/*/*}" ] && { [ ! -e "$certificates" ] || [ -r "$certificates" ]; }; then
  say certificates read
  for file in "$certificates"/*.crt; do
    end=$(openssl x509 -noout -enddate -in "$file" 2>/dev/null | sed -n 's/^notAfter=//p')
    [ -n "$end" ] && end=$(date -u -d "$end" +%s 2>/dev/null) && say certificate "$end $(basename "$file" .crt)"
  done | head -n 300
fi
say complete yes
