# What all scripts share. EASYDASH_ROOT is the root of a simulated server; a real one has none.
set -u
# On a terminal, `ee` would look for a newer version of itself before each command, and ask.
export EE_DISABLE_AUTO_CHECK_UPDATE=1
ee_home=${EASYDASH_ROOT-}/opt/easyengine
# What Easydash keeps on a server, by the domains of sites; what was packed by their ids.
own_home=${EASYDASH_STATE:-/var/lib/easydash}
marks=$own_home/sites
keys=$own_home/keys
deletions=$own_home/deletions
cores=$own_home/cores
statements=$own_home/statements
packed=$own_home/packed
own_aliases=$own_home/aliases
# Changes of the primary domain, by the ids of sites.
moves=$own_home/moves
# Certificates that were installed from here, without their keys; and those that the proxy serves.
own_certificates=$own_home/certificates
proxy_home=$ee_home/services/nginx-proxy
served=$proxy_home/certs
# The last operation that restarted a site, by the ids of sites.
restarts=$own_home/restarts
# The last restore of a backup of EasyEngine's own, by the ids of sites.
natives=$own_home/natives
# When events ran that are paused.
paused=$own_home/cron
# Runs a query on EasyEngine's state without ever writing there; again while EasyEngine itself writes.
query() {
  for pause in 0.2 0.5 1 2; do
    sqlite3 -readonly -json "$ee_home/db/ee.sqlite" "$1" && return
    sleep "$pause"
  done
  sqlite3 -readonly -json "$ee_home/db/ee.sqlite" "$1"
}
# The container of a service of a site. Compose makes up their names, so they are found by labels.
container() { docker ps --filter "label=io.easyengine.site=$1" --filter "label=com.docker.compose.service=$2" --format '{{.ID}}' | head -n 1; }
# Runs a command inside of a site's PHP, with the rights of the site alone. Variable: marked, a word in its environment.
inside() { docker exec -i -u www-data -w "${workdir:-/var/www/htdocs}" ${marked:+-e "$marked"} "$box" "$@"; }
# Writes a file of a site, the standard input, with its rights: PATH MASK.
put_inside() { inside sh -c 'umask "$2" && mkdir -p "${1%/*}" && cat > "$1.new" && mv "$1.new" "$1"' easydash "$1" "$2"; }
# Ends what has that word: what runs inside goes on when docker is ended.
end_marked() {
  grep -lsxzF -e "$marked" /proc/[0-9]*/environ | while IFS=/ read -r _ _ process _; do kill -9 "$process" 2> /dev/null; done
  return 0
}
# Runs a command inside as `inside` does, for some SECONDS. What it runs is of the same user as the limit inside, so it can stop that: another one is out
# here, which ends what is left by a word in its environment. Whatever the command does, this ends.
inside_for() {
  most=$1
  shift
  marked=EASYDASH_RUN=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
  timeout -k 2 "$((most + 6))" docker exec -i -u www-data -w "${workdir:-/var/www/htdocs}" -e "$marked" "$box" timeout -k 5 "$most" "$@"
  ended=$?
  case $ended in
    124 | 137) end_marked ;;
  esac
  marked=
  return "$ended"
}
# A dump without the accounts of its views and triggers: the site's own user may create them for itself only. Lines of data begin differently.
without_accounts() {
  LC_ALL=C sed -e '/^\/\*!50013 DEFINER=/s/DEFINER=`[^`]*`@`[^`]*`//' -e '/^\/\*!50003 CREATE\*\/ \/\*!50017 DEFINER=/s/\/\*!50017 DEFINER=`[^`]*`@`[^`]*`\*\///'
}
# KiB of a disk that may be used, because the server needs some of it for itself: FOLDER.
room_in() { df -Pk "$1" | awk 'NR == 2 { free = $4 - 524288; printf "%.0f\n", (free > 0 ? free : 0) }'; }
is_whole_dump() { [ -f "$1" ] && tail -c 300 "$1" | grep -q '^-- Dump completed'; }
# Keeps a dump, the standard input, whole or not at all: FILE, and a part of the room, as 2 for half. It is a site that says how long it is.
keep_dump() {
  room=$(room_in "${1%/*}")
  [ "$room" -gt 0 ] || { echo 'Error: The disk of the server has no room for the database.'; return 1; }
  head -c $((room / $2 * 1024)) > "$1"
  # Why nothing came at all is told by who was asked for it.
  is_whole_dump "$1" || { [ ! -s "$1" ] || echo 'Error: The dump of the database breaks off.'; rm -f "$1"; return 1; }
}
# Visitors of WordPress wait until a time, as PHP says it, is ten minutes ago; and they do so no more. The site can put anything in that place, and
# break off either.
keep_out() { echo "<?php \$upgrading = $1;" | inside timeout -k 5 10 sh -c 'rm -rf .maintenance && cat > .maintenance'; }
let_in() { inside timeout -k 5 10 sh -c 'rm -rf .maintenance' < /dev/null; }
# Removes what EasyEngine's Redis keeps of a WordPress that was created with it, pages and objects: DOMAIN. By the names of their keys, as `ee site clean`
# does, which needs a terminal, and asks the Redis of all sites also for a site that has one of its own. A flush would empty it for all of them.
purge_redis() {
  case $(query "select cache_host from sites where site_url = '$1'") in
    *'"global-redis"'*) redis=services_global-redis_1 ;;
    *'"redis"'*) redis=$(container "$1" redis) ;;
    *) return 0 ;;
  esac
  purged=$(docker exec "$redis" redis-cli eval "local n = 0 for _, names in ipairs(ARGV) do for _, key in ipairs(redis.call('keys', names)) do n = n + redis.call('unlink', key) end end return n" 0 "${1}_obj:*" "${1}_page:*" < /dev/null)
  # An error of Redis ends with 0, too.
  case $purged in
    '' | *[!0-9]*) echo 'Error: Redis did not remove the pages that it keeps of the site.' >&2; return 1 ;;
  esac
}
# Has WordPress forget what is kept of its database, in memory and as pages: DOMAIN SECONDS. Where that is EasyEngine's Redis, WordPress would empty it for all
# of its sites.
forget_kept() {
  case $(query "select cache_host from sites where site_url = '$1'") in
    *redis*) ;;
    *) inside timeout -k 5 "$2" wp cache flush --skip-plugins --skip-themes < /dev/null ;;
  esac
  purge_redis "$1"
}
# The volumes of a site. EasyEngine names them by the domain without dots and dashes, so they are found by their label, too.
volumes() { docker volume ls -q --filter "label=io.easyengine.site=$1"; }
# The row that EasyEngine has of a domain, if any. Fails if that cannot be read.
row_of() { query "select id from sites where site_url = '$1'"; }
# The domains of the sites that EasyEngine has.
domains() {
  all=$(query 'select site_url from sites') || return 1
  printf '%s' "$all" | tr ',' '\n' | sed -n 's/.*"site_url":"\([a-z0-9.-]*\)".*/\1/p'
}
# Notes whose a domain is, and the state of that site: DOMAIN ID STATE. Whole or not at all, as on a full disk.
note_mark() { mkdir -p "$marks" && echo "$2 $3" > "$marks/.new" && mv "$marks/.new" "$marks/$1"; }
# What there is of a domain besides: folder, containers, volumes.
rest_of() {
  [ ! -e "$ee_home/sites/$1" ] && [ ! -L "$ee_home/sites/$1" ] || echo folder
  docker ps -aq --filter "label=io.easyengine.site=$1" && volumes "$1"
}
# Enters a folder that a site may write, unless it put a link in place of it or of one above: FOLDER, without links itself.
enter() { cd -P "$1" 2> /dev/null && [ "$(pwd -P)" = "$1" ]; }
# Copies a tree of a site, which may change it meanwhile, into a new folder of root: NAME in the folder that was entered, FOLDER, options of tar. Tar
# follows no links. Fails unless all of it was read and has room, because it is the site that says how long it is; 1: a file changed meanwhile, and what
# was read of it is copied.
copy_whole() {
  tree=./$1
  copy=$2
  shift 2
  rm -rf "$copy" "$copy.whole" && mkdir "$copy" || return 1
  { tar --hard-dereference --one-file-system "$@" -cf - "$tree" || [ $? = 1 ] && : > "$copy.whole"; } | head -c $(($(room_in "$copy") * 1024)) | tar -C "$copy" --no-same-owner -xpf - && [ -f "$copy.whole" ] || {
    echo 'Error: The files could not be copied: some cannot be read, or the disk of the server has no room for them.' >&2
    return 1
  }
  rm -f "$copy.whole"
}
# The same without what is neither file nor folder: left_out has a dot for each.
copy_tree() { copy_whole "$@" && left_out=$(find "$copy" ! -type d ! -type f -printf . -delete); }
# Removes what nobody needs any more of what is kept beside a site's volume: FOLDER. Variable: oldest, below which ids in the trash are too old.
sweep() {
  [ -d "$1" ] || return 0
  find "$1" -mindepth 2 -maxdepth 2 \( -path "$1/done/*" -o -path "$1/sent/*" \) -mmin +1440 -exec rm -rf {} +
  for item in "$1/trash"/*; do [ ! "${item##*/}" \< "$oldest" ] || rm -rf "$item"; done
}
# Removes what EasyEngine's own removal does not reach because it has no row of the site: containers, volumes, folder.
remove_rest() {
  docker ps -aq --filter "label=io.easyengine.site=$1" | while read -r box; do docker rm -f "$box" > /dev/null < /dev/null; done
  volumes "$1" | while read -r volume; do docker volume rm "$volume" > /dev/null < /dev/null; done
  rm -rf "${ee_home:?}/sites/$1"
}
# Notes that a part of a packed site is complete: FOLDER FILE TOKEN. Without the note it does not count.
note_packed() {
  sum=$(sha256sum < "$1/$2") || return 1
  echo "$2 $3 $(wc -c < "$1/$2") ${sum%% *}" > "$1/$2.note.new" && mv "$1/$2.note.new" "$1/$2.note"
}
# Runs EasyEngine, whose check of Docker ends with 0, too, when it fails and nothing was done.
run_ee() {
  said=$(ee "$@" --no-color 2>&1)
  ended=$?
  printf '%s\n' "$said"
  case $said in 'Error: '* | *"
Error: "*) return 1 ;; esac
  return "$ended"
}
# Lets a site's nginx use a file that was changed: DOMAIN. A reload that nginx refuses ends with 0, too.
reload_nginx() { docker exec "$(container "$1" nginx)" nginx -t < /dev/null && run_ee site reload "$1" --nginx; }
