# What works on the files of a site starts with: DOMAIN WORKDIR VERB OPERATION, then arguments of the verb. Variables: list, a path a line as %b of
# printf reads it, and after a tab where it goes; oldest, see `sweep`. What is refused ends with 20 or more, and the
# number of its line or `path` and a path. What is deleted or on its way is in a folder of root beside the site's volume, where the site can't reach
# it: trees are renamed into it and out of it. For paths see paths.sh.
verb=$3
operation=$4
app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app" ] || { echo 'Error: The folder of the site is gone.' >&2; exit 1; }
root=$app${2#/var/www}
place=${app%/*}/easydash-files
sent=$place/sent/$operation
kept=$place/trash/$operation
shift 4
tab=$(printf '\t')
number=0
refuse() { echo "$number"; exit "$1"; }
refuse_path() { echo "path $2"; exit "$1"; }
is_file() { [ -f "./$1" ] && [ ! -L "./$1" ]; }
# Calls a function for each line.
each() {
  number=0
  while IFS= read -r line; do
    decode "${line%%"$tab"*}" && from=$value
    decode "${line#*"$tab"}" && to=$value
    "$1"
    number=$((number + 1))
  done << LINES
$list
LINES
  # What is refused after that is about the only line there is.
  number=0
}
there() { at "$from" && exists "$name" || refuse 20; }
# What one call did is not done again by the same call.
begin() {
  umask 077
  mkdir -p "$place/trash" "$place/done" "$place/sent" || exit 1
  [ ! -f "$place/done/$operation" ] || { cat "$place/done/$operation"; exit 0; }
  sweep "$place"
}
finish() {
  echo "$1" > "$place/done/$operation.new" && mv "$place/done/$operation.new" "$place/done/$operation" || exit 1
  rm -rf "$sent" "$sent.placing"
  echo "$1"
  exit 0
}
# Into the trash, under the number of its line.
take() {
  at "$from"
  exists "$name" || return 0
  mv -T "./$name" "$kept/$number" || refuse 23
}
note_taken() { mkdir -p "$kept" && printf '%s\n' "$list" | cut -f 1 > "$kept/list.new" && mv "$kept/list.new" "$kept/list" || exit 1; }
# Puts a tree of ours at a path that nothing has: TREE PATH.
place_at() {
  at "$2"
  exists "$name" && refuse 21
  mv -nT "$1" "./$name" && [ ! -e "$1" ] && [ ! -L "$1" ] || refuse 21
}
# The same, found out by whoever repeats it.
place_once() {
  [ ! -e "$sent.placing" ] || [ -e "$sent" ] || return 0
  : > "$sent.placing" && place_at "$sent" "$1"
}
free_at() { at "$to"; exists "$name" && refuse 21; :; }
content() { dd if="./$name" iflag=nofollow,nonblock,skip_bytes,count_bytes,fullblock bs=64K "$@" 2> /dev/null; }
has_room() { [ "$(room_in "$place")" -gt "$1" ] || refuse 25; }
arrived() {
  [ -e "$sent" ] || : > "$sent"
  [ "$(sha256sum < "$sent")" = "$1  -" ] || { echo 'Error: The content did not arrive as it was sent.' >&2; exit 1; }
}
