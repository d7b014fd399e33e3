# A deletion of a plugin or theme that can be taken back: DOMAIN WORKDIR ACT OPERATION. Until its end, visitors are kept out, and the database
# as it was before is in a file of root. "begin" prints how far it is: saved or done. "state" does so, too, and nothing without one.
box=$(container "$1" php)
workdir=$2
file=$deletions/$1
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
operation=
state=
[ ! -f "$file" ] || read -r operation state < "$file" || exit 1
note() { echo "$2 $1" > "$file.new" && mv "$file.new" "$file"; }
case $3 in
  state) [ "$operation" != "$4" ] || echo "$state" ;;
  begin)
    [ -z "$operation" ] || [ "$operation" = "$4" ] || { echo 'Another deletion is in progress.' >&2; exit 5; }
    umask 077
    mkdir -p "$deletions" || exit 1
    if [ -z "$state" ] || [ "$state" = begun ]; then
      note begun "$4" || exit 1
      keep_out "$(date +%s)" || exit 1
      inside wp db export - > "$file.sql" < /dev/null && [ -s "$file.sql" ] && note saved "$4" || exit 1
      state=saved
    fi
    echo "$state"
    ;;
  removed) [ "$operation" = "$4" ] && note done "$4" ;;
  restore) [ "$operation" = "$4" ] && [ "$state" != begun ] && inside wp db import - < "$file.sql" && forget_kept "$1" 60 ;;
  end)
    [ "$operation" = "$4" ] || exit 0
    let_in && rm -f "$file.sql" "$file"
    ;;
esac
