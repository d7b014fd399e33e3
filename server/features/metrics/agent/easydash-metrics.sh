#!/bin/sh
# Measures this machine for Easydash and sends the samples that have not been sent yet. The timer starts it every five minutes.
# Needs curl, which reads the address and the token from a file: arguments are visible to every user of the machine.
# With the argument `print` it prints the sample and sends nothing. EASYDASH_ROOT is set on simulated machines only: a folder that
# stands for /.
set -eu
LC_ALL=C
export LC_ALL

root=${EASYDASH_ROOT-}
proc=$root/proc
state=${STATE_DIRECTORY:-$root/var/lib/easydash-metrics}
mkdir -p "$state"
config=${CREDENTIALS_DIRECTORY:-/etc}/easydash-metrics.conf
# Where EasyEngine has the sites.
sites=$root/opt/easyengine
[ -d "$sites" ] || sites=$root/

# Part $1 of $2 in percent, with two decimals.
percent() {
  share=0
  if [ "$2" -gt 0 ]; then share=$(($1 * 10000 / $2)); fi
  printf '%d.%02d' $((share / 100)) $((share % 100))
}

# {"total", "used", "free", "percent"} of kilobytes, in bytes: total $1, used $2, free $3.
usage() {
  printf '{"total":%d,"used":%d,"free":%d,"percent":%s}' $(($1 * 1024)) $(($2 * 1024)) $(($3 * 1024)) "$(percent "$2" "$1")"
}

read -r m1 m5 m15 _ <"$proc/loadavg"
read -r uptime _ <"$proc/uptime"

# Processor times since the machine started, then those since the last sample.
read -r _ user nice system idle iowait irq softirq steal _ <"$proc/stat"
user=$((user + nice))
system=$((system + irq + softirq + ${steal:-0}))
idle=$((idle + iowait))
user0=0 system0=0 idle0=0
if [ -f "$state/processors" ]; then read -r user0 system0 idle0 <"$state/processors"; fi
echo "$user $system $idle" >"$state/processors"
if [ "$user" -lt "$user0" ] || [ "$system" -lt "$system0" ] || [ "$idle" -lt "$idle0" ]; then
  # The machine was restarted.
  user0=0 system0=0 idle0=0
fi
user=$((user - user0)) system=$((system - system0)) idle=$((idle - idle0))
all=$((user + system + idle))

memory=0 memory_free=0 available='' swap=0 swap_free=0
while read -r name value _; do
  case $name in
    MemTotal:) memory=$value ;;
    MemFree:) memory_free=$value ;;
    MemAvailable:) available=$value ;;
    SwapTotal:) swap=$value ;;
    SwapFree:) swap_free=$value ;;
  esac
done <"$proc/meminfo"

read -r _ disk _ disk_free _ <<END
$(df -P -k "$sites" | tail -n 1)
END

# Interface of the default route, and its counters.
interface=
while read -r name destination _; do
  if [ -z "$interface" ] && [ "$destination" = 00000000 ]; then interface=$name; fi
done <"$proc/net/route"
rx='"rx_bytes":0,"rx_packets":0,"rx_errors":0,"rx_dropped":0'
tx='"tx_bytes":0,"tx_packets":0,"tx_errors":0,"tx_dropped":0'
while IFS=': ' read -r name b p e d _ _ _ _ tb tp te td _; do
  if [ -n "$interface" ] && [ "$name" = "$interface" ]; then
    rx="\"rx_bytes\":$b,\"rx_packets\":$p,\"rx_errors\":$e,\"rx_dropped\":$d"
    tx="\"tx_bytes\":$tb,\"tx_packets\":$tp,\"tx_errors\":$te,\"tx_dropped\":$td"
  fi
done <"$proc/net/dev"

sample() {
  printf '{"timestamp":%d,"primary_interface":"%s","uptime":%d,' "$(date +%s)" "$interface" "${uptime%.*}"
  printf '"load":{"m1":%s,"m5":%s,"m15":%s},' "$m1" "$m5" "$m15"
  printf '"cpu":{"user":%s,"system":%s,' "$(percent "$user" "$all")" "$(percent "$system" "$all")"
  printf '"idle":%s,"total":%s},' "$(percent "$idle" "$all")" "$(percent $((user + system)) "$all")"
  printf '"memory":%s,' "$(usage "$memory" $((memory - ${available:-$memory_free})) "$memory_free")"
  printf '"disk":%s,' "$(usage "$disk" $((disk - disk_free)) "$disk_free")"
  printf '"swap":%s,' "$(usage "$swap" $((swap - swap_free)) "$swap_free")"
  printf '"network":{%s,%s}}\n' "$rx" "$tx"
}
if [ "${1-}" = print ]; then
  sample
  exit
fi

# One line for each sample that has not been sent; no more than the dashboard takes.
sample >>"$state/unsent"
tail -n 2016 "$state/unsent" >"$state/newest"
mv "$state/newest" "$state/unsent"

{
  printf '['
  sed '$!s/$/,/' "$state/unsent"
  printf ']'
} >"$state/body"
status=$(curl --config "$config" --data-binary "@$state/body" --silent --show-error --max-time 60 \
  --output /dev/null --write-out '%{http_code}') || status=000
case $status in
  200) rm -f "$state/unsent" ;;
  413 | 417)
    # They would be refused every time.
    rm -f "$state/unsent"
    echo "The dashboard refused the samples ($status)." >&2
    exit 1
    ;;
  *)
    echo "The dashboard took no samples ($status). They are sent again with the next one." >&2
    exit 1
    ;;
esac
