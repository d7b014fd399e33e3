# Parts of a restore, see restore.sh: files and folders, and tables. Each state (next, prev, before) names them in "paths" (as %b of printf reads it) and
# "tables", a line each. What belongs at a path is parts/NUMBER there, or parts/NUMBER.none if nothing does; parts/NUMBER.depth says how many of the
# folders above it there were before. Tables are loaded beside the site's own, under names of ours, and swapped with these by one RENAME: a table
# "mark" among them says whether that was done.
refuse() { echo "Error: The folder of ${value-} is missing, or has a link in place of it."; exit 1; }
refuse_path() { echo "Error: $2 is no folder of the site, but a file or a link."; exit 1; }
with_parts() { [ "$what" = parts ]; }
# Calls a function for each path of a state, apart, so that nothing stays entered: FUNCTION STATE.
each_path() {
  number=0
  while IFS= read -r line; do
    (decode "$line" && "$1" "$value") < /dev/null || exit 1
    number=$((number + 1))
  done < "$2/paths"
}
has_part() { is_here "$1/parts/$number" || [ -e "$1/parts/$number.none" ]; }
# Notes how much there is of the folders above a path, and refuses what is in their way, while nothing has changed yet.
check_path() {
  enter "$root" || refuse
  above=$root rest=$1 depth=0
  while case $rest in */*) exists "${rest%%/*}" ;; *) false ;; esac; do
    above=$above/${rest%%/*} rest=${rest#*/}
    enter "$above" || refuse_path 21 "${above#"$root"/}"
    depth=$((depth + 1))
  done
  echo "$depth" > "$place/prev/parts/$number.depth"
}
take_unpacked() { mv -T "$place/next/htdocs/$1" "$place/next/parts/$number"; }
# Puts a part of a state at the path whose folder was entered: STATE.
put_part() {
  is_here "$1/parts/$number" || return 0
  mv -nT "$1/parts/$number" "./$name" && ! is_here "$1/parts/$number" || { echo "Error: The site has put something at $name meanwhile."; exit 1; }
}
swap_path() {
  if ! is_here "$place/next/parts/$number" && ! near "$1"; then : > "$place/prev/parts/$number.none" && return; fi
  make_above "$1"
  at "$1"
  if has_part "$place/prev"; then :
  elif exists "$name"; then mv -T "./$name" "$place/prev/parts/$number"
  else : > "$place/prev/parts/$number.none"
  fi || exit 1
  put_part "$place/next"
}
back_path() {
  has_part "$place/prev" || return 0
  make_above "$1"
  at "$1"
  if ! exists "$name"; then has_part "$place/next" || : > "$place/next/parts/$number.none"
  elif ! has_part "$place/next"; then mv -T "./$name" "$place/next/parts/$number"
  # What came meanwhile belongs to neither state.
  else rm -rf "$place/aside" && mv -T "./$name" "$place/aside" && rm -rf "$place/aside"
  fi || exit 1
  put_part "$place/prev"
  rm -f "$place/prev/parts/$number.none"
}
# Removes the folders above a path that were made for it, while they are empty.
unmake_path() {
  depth=$(cat "$state_of_depth/parts/$number.depth") || exit 1
  rest=$1
  while [ "$(printf %s "$rest" | tr -cd / | wc -c)" -gt "$depth" ]; do
    rest=${rest%/*}
    near "$rest" && is_folder "$name" && rmdir "./$name" 2> /dev/null || return 0
  done
}
unmake() { state_of_depth=$1; each_path unmake_path "$1"; }
# Reads what was sent: SHA-256 of the tables, or "-", and of the list.
read_parts() {
  echo "$2  $place/next/list" | sha256sum -c --quiet || exit 1
  [ "$1" = - ] || echo "$1  $place/next/tables.sql.gz" | sha256sum -c --quiet || exit 1
  sed -n 's/^path //p' "$place/next/list" > "$place/next/paths" && sed -n 's/^table //p' "$place/next/list" > "$place/next/tables" || exit 1
}
# Whether a path is in a folder that is put in place.
is_covered() {
  with_parts || return 0
  while IFS= read -r line; do
    decode "$line"
    case $1 in "$value"/*) return 0 ;; esac
  done < "$place/next/paths"
  return 1
}
prepare_parts() {
  rm -rf "$place/prev/parts" && mkdir "$place/prev/parts" && cp "$place/next/paths" "$place/next/tables" "$place/prev" || exit 1
  if [ "$kind" != bring_back ]; then
    rm -rf "$place/next/parts" && mkdir "$place/next/parts" || exit 1
    each_path take_unpacked "$place/next"
    rm -rf "$place/next/htdocs"
  fi
  each_path check_path "$place/next"
}
swap_parts() {
  each_path swap_path "$place/next"
  [ "$kind" != bring_back ] || unmake "$place/next"
}
back_parts() {
  [ -d "$place/prev/parts" ] || return 0
  each_path back_path "$place/prev"
  unmake "$place/prev"
}
with_tables() { with_parts && [ -s "$place/next/tables" ]; }
beside() { printf 'easydash_%s_%s_%s' "$id" "$1" "${2-$number}"; }
sql() { inside wp db query --skip-column-names; }
list_tables() { find_box; listed=$(echo 'SHOW TABLES' | sql) || { echo 'Error: The tables of the site cannot be listed.'; exit 1; }; }
has_table() { printf '%s\n' "$listed" | grep -qFx -- "$1"; }
drop_beside() {
  list_tables
  found=$(printf '%s\n' "$listed" | sed -n "s/^easydash_${id}_\(new\|old\)_\(mark\|[0-9]*\)\$/\`&\`/p" | paste -sd ,)
  [ -z "$found" ] || echo "DROP TABLE $found" | sql || exit 1
}
# Refuses tables that others depend on, by foreign keys or triggers: renaming would take these along.
plain_tables() {
  special=$(echo 'SELECT TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()
UNION SELECT REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()
UNION SELECT EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()
UNION SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()' | sql) || exit 1
  while IFS= read -r table; do
    ! printf '%s\n' "$special" | grep -qFx -- "$table" || { echo "Error: The table $table has foreign keys or triggers, so it cannot be restored alone. Restore the database."; exit 1; }
  done < "$place/next/tables"
}
# Loads the tables of a state beside those of the site, and replaces addresses there: the arguments of "prepare", which end with pairs of an expression
# and its replacement.
prepare_tables() {
  shift $(($# < 4 ? $# : 4))
  find_box
  plain_tables
  : > "$place/next/loaded" && drop_beside
  if [ -f "$place/next/tables.sql.gz" ]; then
    gzip -t "$place/next/tables.sql.gz" && gzip -dc "$place/next/tables.sql.gz" | inside wp db import - || exit 1
  fi
  list_tables
  number=0 names=
  while IFS= read -r table; do
    if has_table "$(beside "$in")"; then names="$names $(beside "$in")"
    elif [ "$kind" != bring_back ]; then echo "Error: The backup has no table $table." && exit 1
    fi
    number=$((number + 1))
  done < "$place/next/tables"
  # Without a table, it would be done in all.
  while [ $# -ge 2 ] && [ -n "$names" ]; do
    inside wp search-replace "$1" "$2" $names --regex --regex-flags=i --all-tables --skip-columns=guid --skip-plugins --skip-themes < /dev/null || exit 1
    shift 2
  done
  echo "CREATE TABLE $(beside "$in" mark) (id int PRIMARY KEY)" | sql || exit 1
}
# One RENAME of all, unless it was done: FROM, where the tables are loaded, and TO, where those of the site go.
rename_tables() {
  list_tables
  ! has_table "$(beside "$2" mark)" || return 0
  pairs="$(beside "$1" mark) TO $(beside "$2" mark)"
  number=0
  while IFS= read -r table; do
    ! has_table "$table" || pairs="$pairs, \`$table\` TO $(beside "$2")"
    ! has_table "$(beside "$1")" || pairs="$pairs, $(beside "$1") TO \`$table\`"
    number=$((number + 1))
  done < "$place/next/tables"
  printf 'RENAME TABLE %s\n' "$pairs" | sql || exit 1
}
# Keeps the tables that the site had: in place of a file, they would be in its backups.
keep_tables() {
  list_tables
  number=0 names=
  while IFS= read -r table; do
    ! has_table "$(beside "$out")" || names=${names:+$names,}$(beside "$out")
    number=$((number + 1))
  done < "$place/next/tables"
  [ -z "$names" ] || dump_to "$place/prev/tables.sql" --tables="$names"
}
back_tables() {
  [ -e "$place/next/loaded" ] || return 0
  list_tables
  # Without a mark on this side, they were not swapped.
  if has_table "$(beside "$out" mark)"; then rename_tables "$out" "$in"; fi
  drop_beside
  rm -f "$place/next/loaded"
}
