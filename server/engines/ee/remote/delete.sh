# Removes a site and whatever a half-made one left: DOMAIN ID, and "own" if EasyEngine has it. What others made of the domain stays: without a
# row in EasyEngine, the rest is ours only while the mark says "new". The mark goes last.
row=$(row_of "$1") || exit 1
if [ -n "$row" ] && [ "$3" = own ]; then
  names=$(other_names "$1") || exit 1
  ee site delete "$1" --yes --no-color || exit 1
  row=$(row_of "$1") && [ -z "$row" ] || exit 1
  drop_passwords "$names" || exit 1
  note_mark "$1" "$2" new || exit 1
fi
id=
state=
[ ! -f "$marks/$1" ] || read -r id state < "$marks/$1"
if [ -z "$row" ] && [ "$id $state" = "$2 new" ]; then remove_rest "$1"; fi
# By the id of the site, so never those of others.
drop_left "$2" || { echo 'Error: The databases of an attempt to create the site cannot be removed.'; exit 1; }
# Ids have no hyphen.
rm -rf "${natives:?}/$2" "${packed:?}/$2" "${packed:?}/$2"-compare-* "${statements:?}/$1"
rm -rf "${own_certificates:?}/$1.before" "${own_certificates:?}/$1.stale"
# No patterns: the name of another site may begin with this one's.
rm -f "$cores/$1" "$cores/$1.before.new" "$cores/$1.before.sql" "$cores/$1.kept.sql" "$cores/$1.settled" "$deletions/$1" "$deletions/$1.sql"
rm -f "$restarts/$2" "$own_aliases/$1" "$own_certificates/$1.crt" "$paused/$1" "$keys/$1.key" "$keys/$1.pass" "$keys/$1.hash"
# A change of the domain that goes on needs to know of itself.
from=
to=
state=
[ ! -f "$moves/$2" ] || read -r from to events state < "$moves/$2"
[ "$to $state" != "$1 finished" ] || rm -f "$moves/$2" "$moves/$2.names"
rm -f "$marks/$1"
