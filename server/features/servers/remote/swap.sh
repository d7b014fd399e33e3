# Makes the swap files of this machine one of $1 MiB, or none with 0; repeating it changes nothing. Swap partitions stay.
# $2: `keep` leaves a machine that has swap as it is. EASYDASH_ROOT: see facts.sh.
set -eu
root=${EASYDASH_ROOT-}
file=$root/swapfile
[ "${2-}" != keep ] || ! grep -q '^/' "$root/proc/swaps" || exit 0

used=$(awk '$2 == "file" { print $1 }' "$root/proc/swaps")
if [ "$used" = /swapfile ] && [ "$(wc -c <"$file")" -eq $(($1 * 1048576)) ] && grep -q '^/swapfile ' "$root/etc/fstab"; then
  exit 0
fi

# What is left must suffice for everything else.
freed=$(awk '$2 == "file" { kib += $3 } END { print kib + 0 }' "$root/proc/swaps")
free=$(df -Pk "$root/" | awk 'NR == 2 { print $4 }')
if [ $((free + freed)) -lt $(($1 * 1024 + 1048576)) ]; then
  echo "Swap of $1 MB needs a disk with $(($1 + 1024)) MB free; it has $(((free + freed) / 1024)) MB." >&2
  exit 1
fi

remove() {
  rm -f "$root$1"
  awk -v old="$1" '$1 != old' "$root/etc/fstab" >"$root/etc/fstab.easydash"
  mv "$root/etc/fstab.easydash" "$root/etc/fstab"
}
for old in $used; do
  swapoff "$root$old"
  remove "$old"
done
# Left by an attempt that was interrupted.
remove /swapfile
[ "$1" -gt 0 ] || exit 0
(umask 077 && fallocate --length "${1}M" "$file")
mkswap "$file"
swapon "$file"
echo '/swapfile none swap sw 0 0' >>"$root/etc/fstab"
