# Copies the files of a site to where its archive is made, in a folder of root, and lists what is there: DOMAIN ID TOKEN, then what is left out. Of a
# folder the list has "d PATH", of a file SIZE CHECKSUM PATH, each ended by a null byte. What is copied changes no more.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
folder=$packed/$2
token=$3
shift 3
enter "$app/htdocs" || { echo 'Error: The folder of the site is none, or a link.'; exit 1; }
umask 077
mkdir -p "$folder" || exit 1
rm -rf "$folder/site" "$folder"/tree.* "$folder"/archive.* "$folder"/sent.*
for word in "$@"; do
  shift
  set -- "$@" "--exclude=./$word"
done
needed=$(du -skx . | cut -f 1) || exit 1
[ "$(room_in "$folder")" -gt "$needed" ] || { echo 'Error: The disk of the server has no room to put the backup together.'; exit 1; }
mkdir "$folder/site" || exit 1
# 1: a file changed meanwhile. What was read of it is packed; its checksum is that of what is packed.
copy_tree '' "$folder/site/files" --anchored --no-wildcards "$@" || { echo 'Error: The files could not be copied.'; exit 1; }
cd "$folder/site/files" || exit 1
find . -mindepth 1 -type d -printf 'd %p\0' > "$folder/tree.list" &&
  find . -type f -fprintf "$folder/tree.sizes" '%s\0' -print0 > "$folder/tree.names" &&
  timeout 3000 xargs -0 -r sha256sum -z < "$folder/tree.names" > "$folder/tree.sums" &&
  paste -z -d ' ' "$folder/tree.sizes" "$folder/tree.sums" >> "$folder/tree.list" &&
  gzip -1 < "$folder/tree.list" > "$folder/tree.gz" || { echo 'Error: The files of the site could not be read.'; exit 1; }
rm -f "$folder/tree.list" "$folder/tree.sizes" "$folder/tree.names" "$folder/tree.sums"
note_packed "$folder" tree.gz "$token"
