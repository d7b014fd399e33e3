# A change of the version of WordPress that can be taken back: DOMAIN WORKDIR ACT OPERATION NUMBER. A file of root says which goes on, how many of its
# parts are done and whether it stays, another one which was let go last; dumps beside it are the database before it, and the one of the version that is kept. "state" prints the first,
# and whether the last is there.
box=$(container "$1" php)
workdir=$2
file=$cores/$1
operation=
parts=
stays=
[ ! -f "$file" ] || read -r operation parts stays < "$file" || exit 1
note() { echo "$operation $parts $stays" > "$file.new" && mv "$file.new" "$file"; }
needs_box() { [ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }; }
load() { inside wp db import - --skip-plugins --skip-themes < "$2" && forget_kept "$1" 60; }
umask 077
mkdir -p "$cores" || exit 1
case $3 in
  state)
    [ -z "$operation" ] || echo "change $operation $parts $stays"
    [ ! -f "$file.kept.sql" ] || echo kept
    [ ! -s "$file.settled" ] || echo "settled $(cat "$file.settled")"
    ;;
  claim)
    [ -z "$operation" ] || [ "$operation" = "$4" ] || { echo 'Another change is in progress.' >&2; exit 5; }
    [ -n "$operation" ] || { rm -f "$file.settled" && operation=$4 && parts=0 && stays=no && note; } || exit 1
    echo "change $operation $parts $stays"
    ;;
  done) [ "$operation" = "$4" ] && parts=$5 && note ;;
  stays) [ -z "$operation" ] || { stays=yes && note; } ;;
  save)
    needs_box
    inside wp db export - --skip-plugins --skip-themes < /dev/null > "$file.before.new" && [ -s "$file.before.new" ] && mv "$file.before.new" "$file.before.sql"
    ;;
  restore) needs_box && { [ ! -f "$file.before.sql" ] || { rm -rf "${statements:?}/$1" && load "$1" "$file.before.sql"; }; } ;;
  use) needs_box && { [ ! -f "$file.kept.sql" ] || { rm -rf "${statements:?}/$1" && load "$1" "$file.kept.sql"; }; } ;;
  keep) [ ! -f "$file.before.sql" ] || mv "$file.before.sql" "$file.kept.sql" ;;
  drop) rm -f "$file.kept.sql" ;;
  end)
    [ "$stays" != yes ] || echo "$operation" > "$file.settled" || exit 1
    rm -f "$file.before.sql" "$file.before.new" "$file"
    ;;
esac
