# Puts a dump of the database of a WordPress where Easydash fetches it from, in a folder of root: DOMAIN WORKDIR ID TOKEN. It has the state of one
# moment. The account of views and triggers stays in it; the first line of MariaDB's dumps, which MySQL does not know, does not.
box=$(container "$1" php)
workdir=$2
folder=$packed/$3
[ -n "$box" ] || { echo 'Error: The site does not run.'; exit 4; }
umask 077
mkdir -p "$folder" || exit 1
rm -f "$folder"/database.*
# The compressed one is made beside it.
inside wp db export - --single-transaction --hex-blob < /dev/null | keep_dump "$folder/database.raw" 2 || exit 1
sed '1{/^\/\*M!999999/d;}' "$folder/database.raw" | gzip -1 > "$folder/database.sql.gz" || exit 1
rm -f "$folder/database.raw"
note_packed "$folder" database.sql.gz "$4"
