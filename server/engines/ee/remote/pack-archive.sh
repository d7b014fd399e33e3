# Makes the archive of a site of what was put together of it, encrypted for a public key of age: ID TOKEN RECIPIENT BYTES, those of a part that is sent
# later. Its files go while it grows, so it needs room for the largest of them; without that it is empty. Beside it are SHA-256 and MD5 of the parts, and size and
# checksum of what is in it.
folder=$packed/$1
token=$2
recipient=$3
bytes=$4
umask 077
rm -f "$folder"/archive.* "$folder"/sent.*
cd "$folder/site" || exit 1
[ ! -f ../database.sql ] || mv ../database.sql . || exit 1
largest=$(($(find . -type f -printf '%s\n' | sort -n | tail -n 1) / 1024))
if [ "$(room_in "$folder")" -le "$largest" ]; then
  : > "$folder/archive.age"
  note_packed "$folder" archive.age "$token"
  exit
fi
set -- README.txt files
[ ! -f database.sql ] || set -- "$@" database.sql
mkfifo "$folder/archive.fifo" "$folder/archive.fifo2" || exit 1
wc -c < "$folder/archive.fifo2" > "$folder/archive.size" &
counting=$!
tee "$folder/archive.fifo2" < "$folder/archive.fifo" | sha256sum > "$folder/archive.sum" &
summing=$!
# Nobody who unpacks it as root gets a program with the rights of root.
{ tar --format=gnu --owner=0 --group=0 --numeric-owner --mode=a-s,-t --remove-files -cf - "$@" manifest.json && : > "$folder/archive.tar"; } |
  { zstd -q && : > "$folder/archive.zst"; } | tee "$folder/archive.fifo" | age -r "$recipient" > "$folder/archive.age"
ended=$?
wait "$counting" "$summing"
cd "$folder" || exit 1
if [ "$ended" != 0 ] || [ ! -f "$folder/archive.tar" ] || [ ! -f "$folder/archive.zst" ]; then
  rm -rf "$folder"/archive.* "$folder/site"
  echo 'Error: The archive could not be made. Is the disk of the server full?'
  exit 1
fi
rm -rf "$folder/site"
sums() { split -b "$bytes" --filter="$1" "$folder/archive.age" | cut -d ' ' -f 1; }
sums sha256sum > "$folder/archive.sha256" && sums md5sum > "$folder/archive.md5" || exit 1
paste -d ' ' "$folder/archive.sha256" "$folder/archive.md5" > "$folder/archive.sums"
echo "archive.clear $token $(($(cat "$folder/archive.size"))) $(cut -c 1-64 "$folder/archive.sum")" > "$folder/archive.clear.note" &&
  note_packed "$folder" archive.sums "$token" &&
  # It is not read again: for its checksum stands that of the list of those of its parts.
  echo "archive.age $token $(($(wc -c < "$folder/archive.age"))) $(sha256sum < "$folder/archive.sums" | cut -c 1-64)" > "$folder/archive.age.note"
