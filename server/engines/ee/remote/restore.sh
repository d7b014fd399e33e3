# A restore that can be taken back: DOMAIN WORKDIR ID OPERATION VERB, then arguments of the verb. One of the kind "fill" is that of a site that was
# just made, whose state before nobody needs; so is one of the kind "move", which takes all of another site. One of the kind "push" takes what it puts in
# place from a staging site. The new state, and the one before, are in a folder of root beside that of the site's volume: there the site can't reach
# them, and trees are swapped by renaming them. Its file "state" says how far it is: OPERATION KIND WHAT STATE. For parts see restore-parts.sh, for what
# is taken of other sites restore-push.sh, for what is sent swap-part.sh.
domain=$1
workdir=$2
id=$3
operation=$4
verb=$5
shift 5
app=$(readlink -f "$ee_home/sites/$domain/app") && [ -d "$app" ] || exit 1
root=$app/htdocs
place=${app%/*}/easydash-restore
now=
kind=
what=
state=
[ ! -f "$place/state" ] || read -r now kind what state < "$place/state" || exit 1
# Where tables are loaded, and where those of the site go: what was kept comes back by its name.
case $kind in bring_back) in=old out=new ;; *) in=new out=old ;; esac
note() { echo "$operation $kind $what $1" > "$place/state.new" && mv "$place/state.new" "$place/state"; }
is_new() { [ "$kind" = fill ] || [ "$kind" = move ]; }
is_taken() { [ "$kind" = push ] || [ "$kind" = move ]; }
is_back() { [ "$kind" = bring_back ] || [ "$kind" = roll_back ]; }
own() { [ "$now" = "$operation" ] || { echo 'Error: Another restore is in progress.'; exit 5; }; }
with_files() { case $what in all | files) ;; *) false ;; esac; }
# What a script that was ended left at work in the site is ended, too, before anything else is done with its database.
marked=EASYDASH_RUN=restore-$id
box=
find_box() { [ -n "$box" ] || box=$(container "$domain" php); [ -n "$box" ] || { echo 'Error: The site does not run.'; exit 4; }; }
wordpress=$([ -f "$place/wordpress" ] && echo 1)
database=${wordpress:+wp}
[ ! -f "$place/mariadb" ] || database=mariadb
with_database() { [ -n "$database" ] && case $what in all | database) ;; *) false ;; esac; }
# Visitors of WordPress wait while trees and database are not of one time, however long that is.
close_site() { [ -z "$wordpress" ] || { find_box && keep_out 'time()'; }; }
open_site() { [ -z "$wordpress" ] || { find_box && let_in; }; }
# Nothing is emptied for a dump that is not there, or not whole.
load() { gzip -t "$1" || return 1; find_box; replace_database "$1"; }
# Saves the database, or some of its tables, as it is at one moment: FILE, then what is exported.
dump_to() {
  dump=$1
  shift
  # The compressed one is made beside it.
  export_database "$@" | without_accounts | keep_dump "$dump" 2 && gzip -1f "$dump" || exit 1
}
# What a restore needs besides: KIB.
has_room() { [ "$(room_in "$place")" -gt "$1" ] || { echo 'Error: The disk of the server has no room for the restore.'; return 1; }; }
same_owner() { chmod --reference="$app/htdocs" "$place/next/htdocs" && chown -R -h --reference="$app/htdocs" "$place/next/htdocs"; }
# Removes what is left of one that is finished, and keeps the state before, from wherever that stopped.
settle() {
  if is_back || is_new; then :
  elif [ -f "$place/prev/what" ]; then
    rm -rf "$place/aside" && { [ ! -d "$place/before" ] || mv -T "$place/before" "$place/aside"; } && mv -T "$place/prev" "$place/before" || exit 1
  fi
  if with_tables; then drop_beside; fi
  rm -rf "$place/prev" "$place/next" "$place/aside"
}
# Nothing is left of what was in place before, in memory or as a page.
forget_cached() {
  [ -n "$wordpress" ] && find_box || return 0
  forget_kept "$domain" 60
}
# nginx keeps what it knows of files for two minutes, also that there are none.
forget_files() { [ -z "$(container "$domain" nginx)" ] || reload_nginx "$domain" || echo 'Warning: nginx was not reloaded, so visitors may see files of before for two minutes.'; }
# Puts the new database in place, while visitors wait: the arguments of "swap".
put_database() {
  close_site || exit 1
  if with_database || with_tables; then rm -rf "${statements:?}/$domain"; fi
  if with_database; then
    load "$place/next/database.sql.gz" || exit 1
    # What is kept in memory is of the database before: an option that it has already would not be written.
    forget_cached || exit 1
    while [ $# -ge 2 ]; do
      inside wp search-replace "$1" "$2" --regex --regex-flags=i --all-tables-with-prefix --skip-columns=guid --skip-plugins --skip-themes < /dev/null || exit 1
      shift 2
    done
    [ "$kind" != push ] || case $(tail -n 1 "$place/next/public") in
      0) inside wp option update blog_public 0 --skip-plugins --skip-themes < /dev/null ;;
      *) inside wp option update blog_public 1 --skip-plugins --skip-themes < /dev/null ;;
    esac || exit 1
  fi
}
plain_tree() { [ -d "$app/htdocs" ] && [ ! -L "$app/htdocs" ]; }
case $verb in
  state)
    [ -z "$now" ] || echo "$now $kind $what $state"
    [ "$state" != finished ] || { [ ! -e "$place/prev" ] && [ ! -e "$place/next" ] && [ ! -e "$place/aside" ]; } || echo left
    ;;
  # The address that the state before was kept at, if the site has another one since.
  url)
    for kept in "$place/next/url" "$place/before/url"; do [ ! -f "$kept" ] || exec head -c 300 "$kept"; done
    ;;
  size)
    case $state in '' | finished) kept=$place/before ;; *) kept=$place/prev ;; esac
    [ ! -f "$place/prev/what" ] || kept=$place/prev
    [ ! -d "$kept" ] || du -sk "$kept" | cut -f 1
    ;;
  forget)
    case $state in '') ;; finished) settle ;; *) own ;; esac
    [ ! -d "$place/before" ] || [ "$(stat -c %Y "$place/before/what")" -lt "$1" ] || exit 6
    # First by another name: a part of it must not come back.
    [ ! -d "$place/before" ] || { rm -rf "$place/aside" && mv -T "$place/before" "$place/aside"; } || exit 1
    rm -rf "$place/aside"
    ;;
  begin)
    [ "$now $kind $state" != "$operation $1 finished" ] || { echo finished; exit 0; }
    umask 077
    case $state in
      '' | finished)
        [ "$state" != finished ] || settle
        kind=$1
        what=$2
        mkdir -p "$place" && has_room $(($4 / 1024)) || exit 1
        if is_back; then
          [ -d "$place/before" ] || exit 6
          from=
          read -r what from < "$place/before/what" || exit 1
          case $kind,$from in bring_back,push) exit 6 ;; roll_back,push) ;; roll_back,*) exit 6 ;; esac
        fi
        rm -f "$place/wordpress" "$place/mariadb"
        case $3 in wp) : > "$place/wordpress" ;; mariadb) : > "$place/mariadb" ;; esac
        rm -rf "$place/next" "$place/prev"
        state=begun
        note begun || exit 1
        ;;
      *) own ;;
    esac
    # Whoever was killed after the note has not done it.
    if [ "$state" != begun ] || [ -d "$place/next" ]; then :
    elif is_back; then mv -T "$place/before" "$place/next"
    else mkdir "$place/next"
    fi || exit 1
    echo "$state"
    ;;
  # Keeps visitors out already while it is compared what is to be done.
  close)
    own
    [ "$state" != begun ] || close_site
    ;;
  choose)
    own
    [ "$state" = begun ] || exit 0
    umask 077
    what=$1
    : > "$place/next/take" && : > "$place/next/remove" && note begun
    ;;
  prepare)
    own
    [ "$state" = begun ] || exit 0
    plain_tree || exit 1
    end_marked
    umask 077
    has_room $(($3 / 1024)) || exit 1
    if with_parts && ! is_back; then read_parts "$2" "$4"; fi
    if is_taken; then
      if [ "$kind" = move ]; then take_all "$1" && same_owner || exit 1
      elif with_files; then
        echo "$2  $place/next/take" | sha256sum -c --quiet && echo "$4  $place/next/remove" | sha256sum -c --quiet || exit 1
        has_room "$(du -skx "$app/htdocs" | cut -f 1)" && merge_files "$1" "$5" && same_owner || exit 1
      fi
      if with_database; then
        box=$(container "$1" php)
        [ -n "$box" ] || { echo 'Error: The site that it is taken of does not run.'; exit 4; }
        dump_to "$place/next/database.sql"
        box=
      fi
    elif ! is_back && [ "$1" != - ]; then
      echo "$1  $place/next/files.tar.gz" | sha256sum -c --quiet || exit 1
      rm -rf "$place/next/htdocs"
      mkdir "$place/next/htdocs" && tar -C "$place/next/htdocs" --no-same-owner -xzf "$place/next/files.tar.gz" || exit 1
      rm -f "$place/next/files.tar.gz"
      # What backups leave out because it is of this server.
      for path in wp-content/object-cache.php wp-content/.easydash-previous wp-content/easydash-login wp-content/mu-plugins/easydash-login.php; do
        [ -z "$wordpress" ] || ! is_covered "$path" || [ -e "$place/next/htdocs/$path" ] || (
          name=${path##*/}
          enter "$app/htdocs/${path%/*}" || exit 0
          # WP-Redis puts a link there.
          if [ -L "./$name" ] && [ "$name" = object-cache.php ]; then
            mkdir -p "$place/next/htdocs/${path%/*}" && cp -P "./$name" "$place/next/htdocs/$path"
            exit
          fi
          [ -e "./$name" ] || exit 0
          copy_tree "$name" "$place/next/kept" || exit 1
          [ ! -e "$place/next/kept/$name" ] || { mkdir -p "$place/next/htdocs/${path%/*}" && mv -T "$place/next/kept/$name" "$place/next/htdocs/$path"; }
        ) || exit 1
      done
      rm -rf "$place/next/kept"
      if [ "$kind" = fill ] && [ "$database" = mariadb ]; then adopt_login "$4" "$place/next/htdocs" || exit 1; fi
      same_owner || exit 1
    fi
    mkdir -p "$place/prev" || exit 1
    if with_database; then
      is_back || is_taken || echo "$2  $place/next/database.sql.gz" | sha256sum -c --quiet || exit 1
      find_box
      # Search engines are told to stay away from the staging site only.
      [ "$kind" != push ] || inside wp option get blog_public --skip-plugins --skip-themes < /dev/null > "$place/next/public" || exit 1
      dump_to "$place/prev/database.sql"
    fi
    if with_parts; then
      prepare_parts
      if with_tables; then prepare_tables "$@"; fi
    fi
    note prepared
    ;;
  swap)
    own
    case $state in prepared | swapping) ;; *) exit 0 ;; esac
    plain_tree || [ -e "$place/prev/htdocs" ] || exit 1
    note swapping && end_marked || exit 1
    # Trees are moved last: whoever was ended between them has the new database, no folder to work in, and no visitors.
    if with_files && [ -e "$place/prev/htdocs" ]; then :
    else put_database "$@"
    fi
    if with_files; then
      [ -e "$place/prev/htdocs" ] || { [ -d "$place/next/htdocs" ] && mv -T "$app/htdocs" "$place/prev/htdocs"; } || exit 1
      [ ! -e "$place/next/htdocs" ] || mv -T "$place/next/htdocs" "$app/htdocs" || exit 1
    fi
    if with_parts; then swap_parts; fi
    if with_tables; then rename_tables "$in" "$out"; fi
    if with_files || with_parts; then forget_files; fi
    forget_cached
    open_site || exit 1
    # Of what is brought back, nobody needs the state before.
    if with_tables && [ "$kind" = restore ]; then keep_tables; fi
    note swapped
    ;;
  back)
    [ "$now" = "$operation" ] || exit 0
    end_marked
    case $state in
      finished) exit 0 ;;
      swapping | swapped)
        if [ -e "$place/prev/htdocs" ]; then
          rm -rf "$place/aside"
          if [ ! -e "$app/htdocs" ] && [ ! -L "$app/htdocs" ]; then :
          elif [ -e "$place/next/htdocs" ]; then mv -T "$app/htdocs" "$place/aside"
          else mv -T "$app/htdocs" "$place/next/htdocs"
          fi || exit 1
          mv -T "$place/prev/htdocs" "$app/htdocs" && rm -rf "$place/aside" || exit 1
        fi
        if with_database; then close_site; load "$place/prev/database.sql.gz" || exit 1; fi
        if with_parts; then close_site; back_parts; fi
        if with_tables; then back_tables; fi
        if with_files || with_parts; then forget_files; fi
        forget_cached
        open_site || exit 1
        ;;
      *)
        if with_tables; then back_tables; fi
        [ "$kind" != push ] || open_site || exit 1
        ;;
    esac
    if is_back && [ -d "$place/next" ]; then rm -rf "$place/before" && mv -T "$place/next" "$place/before" || exit 1; fi
    # Nothing is removed that was not put back.
    [ ! -d "$place/prev/parts" ] || [ -z "$(find "$place/prev/parts" -mindepth 1 -maxdepth 1 ! -name '*.depth')" ] || exit 1
    # In this order: without its state, nothing of the rest counts.
    rm -f "$place/state" && rm -rf "$place/next" "$place/prev"
    ;;
  finish)
    case "$now $state" in
      "$operation swapped")
        # From the note on it is no longer taken back: nothing is removed before.
        if is_back || is_new || [ ! -d "$place/prev" ]; then :
        else echo "$what $kind" > "$place/prev/what" || exit 1
        fi
        note finished || exit 1
        ;;
      "$operation finished") ;;
      *) exit 0 ;;
    esac
    settle
    ;;
esac
