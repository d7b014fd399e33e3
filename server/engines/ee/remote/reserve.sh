# Marks a domain as one of ours before anything of it exists: DOMAIN ID. What is found later is thus ours. Fails if the mark is another site's
# (3), if something is there that somebody else made (4), or if a site or a mark has a domain that is equal without dots and dashes (5), which it prints:
# that was looked for before, but only here nobody else marks one at the same time.
mkdir -p "$marks" || exit 1
id=
[ ! -s "$marks/$1" ] || read -r id state < "$marks/$1" || exit 1
case $id in
  "$2") exit 0 ;;
  ?*) exit 3 ;;
esac
rest=$(rest_of "$1") || exit 1
[ -z "$rest" ] || exit 4
sites=$(domains) || exit 1
alike=$({ printf '%s\n' "$sites"; find "$marks" -mindepth 1 -maxdepth 1 -type f ! -name '.*' -printf '%f\n'; } | awk -v own="$1" '
  function bare(name) { gsub(/[.-]/, "", name); return name }
  $0 != own && bare($0) == bare(own) { print; exit }') || exit 1
[ -z "$alike" ] || { echo "$alike"; exit 5; }
note_mark "$1" "$2" new
