# What is kept of a staging site beside its volume, where the site can't reach it, and with the state before a push: DOMAIN VERB, then arguments of the
# verb. Of the files, "pushed" and those whose names begin so are with the state before.
app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app" ] || exit 1
place=${app%/*}/easydash-staging
before=${app%/*}/easydash-restore/before
verb=$2
shift 2
umask 077
file() { case $1 in pushed*) echo "$before/$1" ;; *) echo "$place/$1" ;; esac; }
case $verb in
  about)
    [ ! -f "$place/of" ] || echo "of $(cat "$place/of")"
    [ ! -f "$before/what" ] || echo "before $(stat -c %Y "$before/what") $(cat "$before/what")"
    ;;
  part)
    kept=$(file "$1")
    [ "${kept%/*}" = "$before" ] || mkdir -p "$place" || exit 1
    [ "$2" != 0 ] || : > "$kept.new" || exit 1
    dd of="$kept.new" oflag=seek_bytes conv=notrunc seek="$2" bs=64K 2> /dev/null
    ;;
  keep) kept=$(file "$1") && echo "$2  $kept.new" | sha256sum -c --quiet && mv "$kept.new" "$kept" ;;
  of) echo "$1 $2" > "$place/of.new" && mv "$place/of.new" "$place/of" ;;
  note)
    kept=$(file "$1")
    [ -f "$kept" ] || exit 6
    sum=$(sha256sum < "$kept") && echo "$(wc -c < "$kept") ${sum%% *}"
    ;;
  get) dd if="$(file "$1")" iflag=skip_bytes,count_bytes,fullblock bs=64K skip="$2" count="$3" 2> /dev/null | base64 -w 0 ;;
esac
