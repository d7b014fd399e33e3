# Writes standard input into a file of a restore that has begun, see restore.sh: DOMAIN OPERATION FILE OFFSET. Its own script, because this one is part of
# the command that carries each piece.
app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app" ] || exit 1
place=${app%/*}/easydash-restore
now=
state=
[ ! -f "$place/state" ] || read -r now kind what state < "$place/state" || exit 1
[ "$now" = "$2" ] || { echo 'Error: Another restore is in progress.'; exit 5; }
[ "$state" = begun ] || exit 1
umask 077
[ "$4" != 0 ] || : > "$place/next/$3" || exit 1
dd of="$place/next/$3" oflag=seek_bytes conv=notrunc seek="$4" bs=64K 2> /dev/null
