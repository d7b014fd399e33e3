# Marks a domain as one of ours before anything of it exists: DOMAIN ID. What is found later is thus ours. Fails if the mark is another site's
# (3), or if something is there that somebody else made (4).
mkdir -p "$marks" || exit 1
if [ ! -e "$marks/$1" ]; then
  rest=$(rest_of "$1") || exit 1
  [ -z "$rest" ] || exit 4
fi
set -C
{ echo "$2 new" > "$marks/$1"; } 2> /dev/null && exit 0
read -r id state < "$marks/$1" || exit 1
[ "$id" = "$2" ] || { echo 'The domain belongs to another site.' >&2; exit 3; }
