# Puts a dump of the database of a site where Easydash fetches it from, in a folder of root: DOMAIN WORKDIR ID TOKEN PART DATABASE MOST, see
# database.sh. It has the state of one moment. The part is database.sql.gz, or database.sql for an archive that is made here, with the rows of each of
# at most MOST tables and the checksums of its pieces beside it. The account of views and triggers stays in the first; the first line of MariaDB's dumps, which MySQL does not know,
# does not.
domain=$1
database=$6
box=$(container "$1" php)
workdir=$2
folder=$packed/$3
[ -n "$box" ] || { echo 'Error: The site does not run.'; exit 4; }
umask 077
mkdir -p "$folder" || exit 1
rm -f "$folder"/database.*
# The other one is made beside it.
export_database | keep_dump "$folder/database.raw" 2 || exit 1
# What is not in dumps: the login of a site can name those of other accounts, but not read them, and a dump that was to have them would fail.
left_out() {
  on_mariadb 'command -v mariadb || command -v mysql' --batch --skip-column-names << 'SQL'
SELECT CONCAT(LOWER(ROUTINE_TYPE), ' ', ROUTINE_NAME) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() UNION ALL SELECT CONCAT('event ', EVENT_NAME) FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() LIMIT 21;
SQL
}
[ "$database" != mariadb ] || left_out | head -c 8192 | awk 'NR <= 20 { all = all (NR > 1 ? ", " : "") $0 } END { if (NR > 0) print "Left out of the dump: " all (NR > 20 ? " and more" : "") }'
without_first() { sed '1{/^\/\*M!999999/d;}' "$folder/database.raw"; }
if [ "$5" = database.sql ]; then
  without_first | without_accounts > "$folder/database.sql" && count_rows "$folder/database.sql" "$7" > "$folder/database.rows" &&
    dump_pieces "$folder/database.sql" > "$folder/database.pieces" || exit 1
  note_packed "$folder" database.rows "$4" && note_packed "$folder" database.pieces "$4" || exit 1
else
  without_first | gzip -1 > "$folder/database.sql.gz" || exit 1
fi
rm -f "$folder/database.raw"
note_packed "$folder" "$5" "$4"
