# Puts a dump of the database of a site where Easydash fetches it from, in a folder of root: DOMAIN WORKDIR ID TOKEN PART DATABASE, see database.sh. It has
# the state of one moment. The part is database.sql.gz, or database.sql for an archive that is made here, with the rows of each table beside it. The account of views and
# triggers stays in the first; the first line of MariaDB's dumps, which MySQL does not know, does not.
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
without_first() { sed '1{/^\/\*M!999999/d;}' "$folder/database.raw"; }
# Without texts, each bracket of an INSERT begins a row. Prints ROWS TABLE, the name as the dump words it.
count_rows() {
  LC_ALL=C sed -e '/^CREATE TABLE `/b' -e 's/\\\\//g' -e "s/\\\\'//g" -e "s/'[^']*'//g" "$1" | LC_ALL=C awk '
    function name() { return match($0, /`([^`]|``)*`/) ? substr($0, RSTART + 1, RLENGTH - 2) : "" }
    /^CREATE TABLE `/ { if (!(name() in rows)) rows[name()] = 0 }
    /^INSERT INTO `/ { table = name(); on = sub(/^INSERT INTO `([^`]|``)*` (\([^)]*\) )?VALUES/, "") }
    on { rows[table] += gsub(/\(/, "("); if (/;$/) on = 0 }
    END { for (table in rows) printf "%.0f %s\n", rows[table], table }'
}
if [ "$5" = database.sql ]; then
  without_first | without_accounts > "$folder/database.sql" && count_rows "$folder/database.sql" > "$folder/database.rows" || exit 1
  note_packed "$folder" database.rows "$4" || exit 1
else
  without_first | gzip -1 > "$folder/database.sql.gz" || exit 1
fi
rm -f "$folder/database.raw"
note_packed "$folder" "$5" "$4"
