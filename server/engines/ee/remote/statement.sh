# The state of a site's database before a statement that wrote, in a folder of root: DOMAIN WORKDIR VERB, then arguments of the verb. The note beside
# the dump says ID DIGEST STAGE NEXT WORKDIR: which state that is, the digest of what the statement left, and how far putting it back is, after
# which NEXT names the state that it replaced: kept, restoring, restored; changed: it was not put back, because of later changes. Verbs:
# "write" ID runs the variable program, prints what that does, and "kept" if anything changed; 5: a state is being put back, 6: the one before could
# not be kept. "undo" ID NEXT ANYWAY puts a state back. "state" prints the note. "tend" completes or removes on all sites what "due" prints.
domain=$1
workdir=$2
verb=$3
shift 3
umask 077
open_place() {
  place=$statements/$1
  id=-
  digest=-
  stage=
  next=-
  noted=
  [ ! -f "$place/note" ] || read -r id digest stage next noted < "$place/note"
}
note() { stage=$1 && echo "$id $digest $stage $next $workdir" > "$place/note.new" && mv "$place/note.new" "$place/note"; }
find_box() { box=$(container "$domain" php); [ -n "$box" ] || { echo 'Error: The site does not run.' >&2; exit 4; }; }
keep_out() { printf '<?php $upgrading = time();' | inside sh -c 'cat > .maintenance'; }
let_in() { inside sh -c 'rm -f .maintenance' < /dev/null; }
# What WordPress has of the database in memory. One that does not load serves nothing of that.
flush() { inside timeout 5 wp cache flush --skip-plugins --skip-themes < /dev/null > /dev/null 2>&1; }
# A dump of the database, whole or not at all: NAME SECONDS. The server needs some of its disk for itself.
dump() {
  room=$(($(df -Pk "$place" | awk 'NR == 2 { print $4 }') - 524288))
  [ "$room" -gt 0 ] || { echo 'Error: The disk of the server has no room for the database.' >&2; return 1; }
  inside timeout "$2" wp db export - --single-transaction --hex-blob < /dev/null | without_accounts | head -c $((room * 1024)) > "$place/$1"
  tail -c 300 "$place/$1" | grep -q '^-- Dump completed' || { rm -f "$place/$1"; echo 'Error: The database could not be saved.' >&2; return 1; }
}
# Dumps of the same content are the same but for their last line, which can have the time.
digest_of() { LC_ALL=C grep -av '^-- Dump completed' "$place/$1" | sha256sum | cut -d ' ' -f 1; }
# Tables and views that a dump does not name have to go, too.
clearing() {
  cat << 'SQL'
SET SESSION foreign_key_checks = 0, group_concat_max_len = 16000000;
SET @views = (SELECT GROUP_CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'VIEW');
SET @tables = (SELECT GROUP_CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE <> 'VIEW');
EXECUTE IMMEDIATE IF(@views IS NULL, 'DO 0', CONCAT('DROP VIEW ', @views));
EXECUTE IMMEDIATE IF(@tables IS NULL, 'DO 0', CONCAT('DROP TABLE ', @tables));
SQL
}
# Puts the state before back, from wherever that stopped.
put_back() {
  find_box
  if [ "$stage" = restoring ]; then
    # Again: WordPress lets visitors in after ten minutes.
    keep_out || return 1
    { clearing && cat "$place/dump.sql"; } | inside wp db import - || return 1
    flush
    digest=$(digest_of dump.sql) && note restored || return 1
  fi
  let_in || return 1
  [ ! -f "$place/before.sql" ] || mv "$place/before.sql" "$place/dump.sql" || return 1
  id=$next
  next=-
  note kept
}
is_due() {
  case $stage in restoring | restored) return 0 ;; esac
  [ -n "$(find "$place" -type f -name '*.sql' -mmin +1440)" ]
}
# All sites of which something has to be completed or removed: COMMAND for each.
each_due() {
  for folder in "$statements"/*/; do
    [ -d "$folder" ] || continue
    folder=${folder%/}
    domain=${folder##*/}
    open_place "$domain" && is_due || continue
    workdir=$noted
    "$@"
  done
}
tend_one() { case $stage in restoring | restored) (put_back) ;; *) rm -rf "$place" ;; esac; }
case $verb in
  due) each_due echo due ;;
  tend) each_due tend_one ;;
  state) open_place "$domain" && { [ ! -f "$place/dump.sql" ] || echo "$id $stage $next"; } ;;
  write)
    open_place "$domain" || exit 1
    case $stage in restoring | restored) exit 5 ;; esac
    find_box
    mkdir -p "$place" && dump before.sql 12 || exit 6
    printf %s "$program" | inside timeout 28 php
    # Also of a statement that failed: it can have done a part. Without knowing what there is now, it counts as changed.
    now=-
    ! dump now.sql 8 2> /dev/null || now=$(digest_of now.sql)
    rm -f "$place/now.sql"
    if [ "$now" = "$(digest_of before.sql)" ]; then rm -f "$place/before.sql"; exit 0; fi
    # Between the two, no note must say which state the dump is.
    rm -f "$place/note" && mv "$place/before.sql" "$place/dump.sql" || exit 1
    id=$1
    digest=$now
    next=-
    note kept && echo kept && flush
    exit 0
    ;;
  undo)
    open_place "$domain" && [ "$id" = "$1" ] && [ -f "$place/dump.sql" ] || { echo 'Error: The state before is not kept any more.'; exit 6; }
    case $stage in
      restoring | restored) ;;
      *)
        find_box
        next=$2
        keep_out && dump before.sql 1800 || { let_in; exit 1; }
        if [ "$3" = no ] && [ "$(digest_of before.sql)" != "$digest" ]; then
          rm -f "$place/before.sql"
          let_in && note changed
          exit
        fi
        note restoring || exit 1
        ;;
    esac
    put_back
    ;;
esac
