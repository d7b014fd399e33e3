# Reads through the tar of a site before only what is new of it is packed: ID TOKEN. Notes its size and checksum, and its size compressed. On a server that can't cut
# out what is new, it notes a size of 0.
folder=$packed/$1
token=$2
umask 077
rm -f "$folder"/archive.*
enter_archive "$folder"
if ! command -v perl > /dev/null; then
  : > "$folder/archive.tar"
  note_packed "$folder" archive.tar "$token"
  exit
fi
mkfifo "$folder/archive.fifo" "$folder/archive.fifo2" || exit 1
wc -c < "$folder/archive.fifo" > "$folder/archive.size" &
counting=$!
sha256sum < "$folder/archive.fifo2" > "$folder/archive.sum" &
summing=$!
{ archive_tar && : > "$folder/archive.read"; } | tee "$folder/archive.fifo" "$folder/archive.fifo2" | { zstd -q && : > "$folder/archive.zst"; } | wc -c > "$folder/archive.bytes"
wait "$counting" "$summing"
[ -f "$folder/archive.read" ] && [ -f "$folder/archive.zst" ] || { echo 'Error: The copy of the files could not be read.'; exit 1; }
sum=$(cut -c 1-64 "$folder/archive.sum")
echo "archive.whole $token $(($(cat "$folder/archive.bytes"))) $sum" > "$folder/archive.whole.note" &&
  echo "archive.tar $token $(($(cat "$folder/archive.size"))) $sum" > "$folder/archive.tar.note"
