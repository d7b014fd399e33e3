# The state of a site's database before a statement that wrote, in a folder of root: DOMAIN WORKDIR SITE VERB, then arguments of the verb. The note
# beside the dump says ID DIGEST STAGE NEXT BACK SUM SITE WORKDIR: which state that is, the digest of what the statement left, how far putting it back
# is, after which NEXT names the state that it replaced, which state was put back last, the digest of the dump itself, and whose it is. Stages: kept;
# closing, while visitors are shut out; restoring, restored; returning, when putting it back failed, to what was there; changed: it was not put back,
# because of later changes. Verbs:
# "write" ID runs the variable program, prints what that does, and "kept" if anything changed; 5: a state is being put back, 6: the one before could
# not be kept. "undo" ID NEXT ANYWAY puts a state back. "state" prints the note. "tend" completes or removes on all sites what "due" prints.
domain=$1
workdir=$2
site=$3
verb=$4
shift 4
umask 077
open_place() {
  place=$statements/$1
  id=-
  digest=-
  stage=
  next=-
  back=-
  sum=-
  owner=
  noted=
  [ ! -f "$place/note" ] || read -r id digest stage next back sum owner noted < "$place/note"
}
# What another site of the same domain left is none of this one.
open_own() {
  open_place "$domain" && [ "${owner:-$site}" != "$site" ] || return 0
  id=-
  stage=
  back=-
}
note() { stage=$1 && echo "$id $digest $stage $next $back $sum $site $workdir" > "$place/note.new" && mv "$place/note.new" "$place/note"; }
find_box() { box=$(container "$domain" php); [ -n "$box" ] || { echo 'Error: The site does not run.' >&2; exit 4; }; }
# Runs something while visitors are kept out, which WordPress does for ten minutes at a time.
closed() {
  keep_out "$(date +%s)" || return 1
  (
    trap 'kill "$nap"; exit' TERM
    while sleep 240 & nap=$!; wait "$nap" && kill -0 "$$"; do keep_out "$(date +%s)"; done
  ) > /dev/null 2>&1 &
  renewing=$!
  "$@"
  ended=$?
  kill "$renewing" 2> /dev/null
  wait "$renewing" 2> /dev/null
  return "$ended"
}
# What WordPress has of the database in memory, and pages. One that does not load serves nothing of that.
flush() { forget_kept "$domain" 5 > /dev/null 2>&1; }
# A dump of the database: NAME SECONDS.
dump() {
  inside timeout -k 5 "$2" wp db export - --single-transaction --hex-blob < /dev/null | without_accounts | keep_dump "$place/$1" 1 >&2
}
# Dumps of the same content are the same but for their last line, which can have the time.
digest_of() { LC_ALL=C grep -av '^-- Dump completed' "$place/$1" | sha256sum | cut -d ' ' -f 1; }
is_intact() { is_whole_dump "$place/dump.sql" && [ "$(digest_of dump.sql)" = "$sum" ]; }
# Makes a dump the database. Nothing is cleared for one that is not whole, and one that cannot be read to its end is an error to the database, too.
load() {
  is_whole_dump "$place/$1" || { echo 'Error: The state that was kept is damaged.'; return 1; }
  { clearing && cat "$place/$1" || echo "* '"; } | inside timeout -k 10 3600 wp db import -
}
open_again() { let_in && next=- && note kept; }
# Puts the state before back, from wherever that stopped. If that is impossible, the database is what it was before that.
put_back() {
  find_box
  [ "$stage" != closing ] || { open_again; return; }
  if [ "$stage" = restoring ]; then
    if is_intact && closed load dump.sql; then
      flush
      digest=$sum && note restored || return 1
    else
      note returning || return 1
    fi
  fi
  if [ "$stage" = returning ]; then
    closed load before.sql || { echo 'Error: The database is in no state to be used. Restore a backup.'; return 1; }
    flush
    open_again && rm -f "$place/before.sql" || return 1
    echo 'Error: The state before could not be put back, so the database is as it was.'
    return
  fi
  let_in || return 1
  [ ! -f "$place/before.sql" ] || mv "$place/before.sql" "$place/dump.sql" || return 1
  sum=$(digest_of dump.sql)
  back=$id
  id=$next
  next=-
  note kept
}
# Whether the domain has become another site's.
is_lost() {
  marked=
  [ ! -f "$marks/$domain" ] || read -r marked rest < "$marks/$domain"
  [ -n "$marked" ] && [ -n "$owner" ] && [ "$marked" != "$owner" ]
}
is_due() {
  is_lost && return
  case $stage in closing | restoring | restored | returning) return 0 ;; esac
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
    site=$owner
    "$@"
  done
}
tend_one() {
  case $stage in
    closing | restoring | restored | returning) is_lost || { (put_back); return; } ;;
  esac
  rm -rf "$place"
}
case $verb in
  due) each_due echo due ;;
  tend) each_due tend_one ;;
  state) open_own && { [ ! -f "$place/dump.sql" ] || echo "$id $stage $next $back"; } ;;
  write)
    open_own
    find_box
    case $stage in
      closing) open_again || exit 1 ;;
      restoring | restored | returning) exit 5 ;;
    esac
    mkdir -p "$place" && dump before.sql 12 || exit 6
    printf %s "$program" | inside timeout -k 2 28 php -d memory_limit=512M | tee "$place/said"
    said=$(sed -n 's/^easydash-result://p' "$place/said" | tail -n 1 | base64 -d 2> /dev/null | head -c 20)
    rm -f "$place/said"
    # The database did not even begin with it: the state that is kept stays, whatever visitors change meanwhile.
    case $said in '{"problem":"refused"'*) rm -f "$place/before.sql"; exit 0 ;; esac
    sum=$(digest_of before.sql)
    # Also of a statement that failed: it can have done a part. Without knowing what there is now, it counts as changed.
    now=-
    ! dump now.sql 8 2> /dev/null || now=$(digest_of now.sql)
    rm -f "$place/now.sql"
    if [ "$now" = "$sum" ]; then rm -f "$place/before.sql"; exit 0; fi
    # Between the two, no note must say which state the dump is.
    rm -f "$place/note" && mv "$place/before.sql" "$place/dump.sql" || exit 1
    id=$1
    digest=$now
    next=-
    back=-
    note kept && echo kept && flush
    exit 0
    ;;
  undo)
    open_own && [ "$id" = "$1" ] && [ -f "$place/dump.sql" ] || { echo 'Error: The state before is not kept any more.'; exit 6; }
    [ "$stage" != returning ] || put_back || exit 1
    case $stage in
      restoring | restored) ;;
      *)
        find_box
        is_intact || { rm -rf "$place"; echo 'Error: The state before is damaged, so it cannot be put back.'; exit 6; }
        next=$2
        has_changed() { [ "$anyway" = no ] && [ "$(digest_of "$1")" != "$digest" ]; }
        anyway=$3
        # Visitors are not shut out merely to be asked.
        if [ "$anyway" = no ]; then
          dump now.sql 1800 || exit 1
          ! has_changed now.sql || { rm -f "$place/now.sql"; note changed; exit; }
          rm -f "$place/now.sql"
        fi
        note closing || exit 1
        closed dump before.sql 1800 || { open_again; exit 1; }
        if has_changed before.sql; then
          rm -f "$place/before.sql"
          let_in && note changed
          exit
        fi
        # Nothing is cleared before both are on the disk for good.
        sync "$place/dump.sql" "$place/before.sql" && note restoring || { open_again; exit 1; }
        ;;
    esac
    put_back
    ;;
esac
