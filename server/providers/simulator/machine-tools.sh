#!/bin/sh
# Stands for the programs of a server on a simulated machine; its name says which one. State is kept below EASYDASH_ROOT.
set -eu
state=$EASYDASH_ROOT/var/lib/simulated
mkdir -p "$state"
tool=${0##*/}
# Makes other programs exist from now on: of this file, or those that `easyengine/run-program.ts` simulates.
provide() { for name in "$@"; do ln -sf machine-tools.sh "$EASYDASH_ROOT/bin/$name"; done; }
provide_simulated() { for name in "$@"; do ln -sf easyengine-programs "$EASYDASH_ROOT/bin/$name"; done; }

# What /proc says about the time until now: the machine is busy for half an hour, then quiet for as long. Every measurement calls `df`.
pass_time() {
  now=$(date +%s)
  [ -e "$state/started" ] || echo "$now" >"$state/started"
  up=$((now - $(cat "$state/started")))
  wave=$((up % 3600))
  [ "$wave" -lt 1800 ] || wave=$((3600 - wave))
  total=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' "$EASYDASH_ROOT/proc/meminfo")))
  swap=$(($(sed -n 's/^SwapTotal: *\([0-9]*\) kB/\1/p' "$EASYDASH_ROOT/proc/meminfo")))
  printf 'MemTotal: %d kB\nMemFree: %d kB\nMemAvailable: %d kB\nSwapTotal: %d kB\nSwapFree: %d kB\n' \
    "$total" $((total / 4)) $((total / 2 + total / 10000 * wave)) "$swap" "$swap" >"$EASYDASH_ROOT/proc/meminfo"
  busy=$((20 * up + 15 * wave))
  echo "cpu $busy 0 $((busy / 5)) $((100 * up - busy - busy / 5)) 0 0 0 0" >"$EASYDASH_ROOT/proc/stat"
  echo "0.$((10 + wave / 20)) 0.40 0.40 1/200 4242" >"$EASYDASH_ROOT/proc/loadavg"
  echo "$up.00 $up.00" >"$EASYDASH_ROOT/proc/uptime"
  echo "eth0: $((40000 * up + 30000 * wave)) $((50 * up)) 0 0 0 0 0 0 $((90000 * up + 70000 * wave)) $((80 * up)) 0 0 0 0 0 0" \
    >"$EASYDASH_ROOT/proc/net/dev"
}

# `systemctl show` of a unit, as systemd prints it. Those in the file `failed` have failed.
show_unit() {
  case $1 in
    ssh.service | cron.service) has_unit=yes ;;
    docker.service) has_unit=$([ -e "$EASYDASH_ROOT/bin/docker" ] && echo yes || :) ;;
    fail2ban.service | ufw.service) has_unit=$([ -e "$state/installed-${1%.service}" ] && echo yes || :) ;;
    *) has_unit=$([ -e "$EASYDASH_ROOT/etc/systemd/system/$1" ] && echo yes || :) ;;
  esac
  load=loaded active=active entered=4000000 left=0 restarts=0
  if [ -z "$has_unit" ]; then
    load=not-found active=inactive entered=0
  elif grep -qxF "$1" "$state/failed" 2>/dev/null; then
    active=failed left=9000000 restarts=5
  fi
  # Timers have no restarts.
  case $1 in *.service) echo "NRestarts=$restarts" ;; esac
  printf 'LoadState=%s\nActiveState=%s\n' $load $active
  printf 'ActiveEnterTimestampMonotonic=%s\nInactiveEnterTimestampMonotonic=%s\n' $entered $left
}

case $tool in
  apt-get)
    for word in "$@"; do
      case $word in
        update) echo 'Hit:1 http://archive.ubuntu.com/ubuntu noble InRelease' ;;
        upgrade)
          case " $* " in
            *' --simulate '*)
              [ -e "$state/upgraded" ] || printf '%s\n' 'Inst curl [8.5.0-1] (8.5.0-2 Ubuntu:24.04/noble-updates [amd64])' \
                'Inst openssl [3.0.13-0] (3.0.13-1 Ubuntu:24.04/noble-security [amd64])'
              ;;
            *) : >"$state/upgraded" && echo '2 upgraded, 0 newly installed, 0 to remove' ;;
          esac
          ;;
        docker.io) provide_simulated docker && echo "Setting up $word" ;;
        sqlite3 | rclone | age | zstd) provide_simulated "$word" && echo "Setting up $word" ;;
        php-cli) provide php && echo "Setting up $word" ;;
        git) provide git && echo "Setting up $word" ;;
        ufw | fail2ban) : >"$state/installed-$word" && echo "Setting up $word" ;;
        unattended-upgrades)
          # It says after updates whether a restart is needed.
          mkdir -p "$EASYDASH_ROOT/etc/kernel/postinst.d" && : >"$EASYDASH_ROOT/etc/kernel/postinst.d/$word" && echo "Setting up $word"
          ;;
      esac
    done
    ;;
  ufw)
    echo "ufw $*" >>"$state/ufw.log"
    case $* in
      status) if [ -e "$state/firewall" ]; then echo 'Status: active'; else echo 'Status: inactive'; fi ;;
      '--force enable') : >"$state/firewall" ;;
      disable) rm -f "$state/firewall" ;;
    esac
    ;;
  iptables | ip6tables) echo "$tool $*" >>"$state/iptables.log" ;;
  fail2ban-client)
    touch "$state/banned"
    case $* in
      'get sshd banip') cat "$state/banned" ;;
      'set sshd unbanip '*)
        echo "$tool $*" >>"$state/fail2ban.log"
        kept=$(tr -s ' ' '\n' <"$state/banned" | grep -Fxv -- "$4" || :)
        # How many it let in.
        echo $(($(wc -w <"$state/banned") - $(echo "$kept" | wc -w)))
        echo $kept >"$state/banned"
        ;;
    esac
    ;;
  crontab)
    case $1 in
      -l) cat "$state/crontab" 2>/dev/null || { echo 'no crontab for root' >&2 && exit 1; } ;;
      *) cat -- "$1" >"$state/crontab.new" && mv "$state/crontab.new" "$state/crontab" ;;
    esac
    ;;
  apt-config) cat "$EASYDASH_ROOT"/etc/apt/apt.conf.d/* | sed -n "s/^$4 \"\(.*\)\";/\1/p" ;;
  mkswap) echo "mkswap $*" >>"$state/mkswap.log" ;;
  swapon | swapoff)
    swaps=$EASYDASH_ROOT/proc/swaps
    name=${1#"$EASYDASH_ROOT"}
    awk -v name="$name" '$1 != name' "$swaps" >"$swaps.new"
    [ $tool = swapoff ] || echo "$name file $(($(wc -c <"$1") / 1024)) 0 -2" >>"$swaps.new"
    mv "$swaps.new" "$swaps"
    total=$(awk 'NR > 1 { kib += $3 } END { print kib + 0 }' "$swaps")
    sed "s/^SwapTotal:.*/SwapTotal:  $total kB/" "$EASYDASH_ROOT/proc/meminfo" >"$swaps.new"
    mv "$swaps.new" "$EASYDASH_ROOT/proc/meminfo"
    ;;
  systemctl)
    if [ "$1" = show ]; then show_unit "$3" && exit; fi
    echo "systemctl $*" >>"$state/systemctl.log"
    [ "$1" != reboot ] || echo "boot $$ $(date +%s)" >"$EASYDASH_ROOT/proc/sys/kernel/random/boot_id"
    ;;
  timedatectl)
    if [ "$1" = set-timezone ]; then echo "$2" >"$EASYDASH_ROOT/etc/timezone"; else cat "$EASYDASH_ROOT/etc/timezone"; fi
    ;;
  fallocate) dd if=/dev/null of="$3" bs=1048576 seek="${2%M}" 2>/dev/null ;;
  hostname) cat "$EASYDASH_ROOT/etc/hostname" ;;
  uname) echo 6.8.0-60-generic ;;
  id) if [ $# = 0 ]; then echo 'uid=0(root) gid=0(root) groups=0(root)'; else echo 0; fi ;;
  df)
    pass_time
    printf 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 %s /\n' "$(cat "$EASYDASH_ROOT/etc/disk")"
    ;;
  ss | sudo) ;;
  php) echo 'PHP 8.3.6' ;;
  python3) echo 3.12.3 ;;
  ssh-keygen)
    # The pair lies ready, because this machine's own ssh-keygen may be missing.
    while [ "$1" != -f ]; do shift; done
    case $2 in *ed25519*) cp "$EASYDASH_ROOT/etc/ssh/next" "$2" && cp "$EASYDASH_ROOT/etc/ssh/next.pub" "$2.pub" ;; esac
    ;;
  curl)
    case " $* " in
      *' --config - '*) EASYDASH_PROGRAM=curl exec "$EASYDASH_ROOT/bin/easyengine-programs" "$@" ;;
      *' http://127.0.0.1/ ')
        # EasyEngine's proxy knows no site of that name.
        if [ -n "$(docker ps --quiet --filter name=global-nginx-proxy 2>/dev/null)" ]; then printf 503 && exit; fi
        printf 000
        exit 7
        ;;
    esac
    while [ "$1" != --output ]; do shift; done
    # As setup.sh of EasyEngine: its commands in this order, and none after one that fails.
    cat >"$2" <<'END'
set -euo pipefail
echo '-----> Downloading EasyEngine'
for name in ee docker docker-compose sqlite3; do ln -sf easyengine-programs "$EASYDASH_ROOT/bin/$name"; done
echo '-----> Pulling EasyEngine docker images'
ee cli info
echo '-----> Adding ssl-renew cron'
crontab -l 2>/dev/null >"${0%/*}/ee_cron" || true
printf 'PATH=%s\n\n' "$PATH" >>"${0%/*}/ee_cron"
echo '0 0 * * * /usr/local/bin/ee site ssl-renew --all >> /opt/easyengine/logs/cron.log 2>&1' >>"${0%/*}/ee_cron"
crontab "${0%/*}/ee_cron"
END
    ;;
esac
