# Marks a domain as one of ours before anything of it exists: DOMAIN ID. Fails if the mark is another site's.
mkdir -p "$marks" || exit 1
set -C
{ echo "$2 new" > "$marks/$1"; } 2> /dev/null && exit 0
read -r id state < "$marks/$1" || exit 1
[ "$id" = "$2" ] || { echo 'The domain belongs to another site.' >&2; exit 3; }
