# Puts the files of a site, or a list of them, where Easydash fetches them from, in a folder of root: DOMAIN ID TOKEN PART, then what is left out. The
# part is files.tar.gz, or list.gz: of each file its checksum and path. Links are packed as links, never followed. Or it is tree.gz: then the files are
# copied to where their archive is made, and this is the list of what is there: of a folder "d MODE TIME PATH", of a file MODE TIME SIZE CHECKSUM PATH, and
# "x NUMBER" of links and special files, which are not copied; or nothing, if the disk has no room for that.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
folder=$packed/$2
token=$3
part=$4
shift 4
enter "$app/htdocs" || { echo 'Error: The folder of the site is none, or a link.'; exit 1; }
umask 077
mkdir -p "$folder" || exit 1
rm -f "$folder/${part%%.*}".*
[ "$part" != tree.gz ] || rm -rf "$folder/site" "$folder"/archive.* "$folder"/new.* "$folder"/sent.*
# Runs what reads as the owner of the files: a link that a site puts in place of a file leads it nowhere then. What is deleted meanwhile is no error.
as_owner() {
  if [ "$(id -u)" = 0 ]; then set -- setpriv --reuid "$(stat -c %u .)" --regid "$(stat -c %g .)" --clear-groups "$@"; fi
  LC_ALL=C "$@" 2> "$folder/list.errors"
  # Of find, and of xargs.
  case $? in
    0) ;;
    1 | 123) [ -s "$folder/list.errors" ] && ! grep -v ': No such file or directory$' "$folder/list.errors" ;;
    *) return 1 ;;
  esac
}
if [ "$part" = list.gz ]; then
  for word in "$@"; do
    shift
    set -- "$@" -path "./$word" -prune -o
  done
  as_owner find . -xdev "$@" -type f -print0 > "$folder/list.names" && as_owner timeout 3000 xargs -0 -r sha256sum -z < "$folder/list.names" > "$folder/list.sums" || {
    echo 'Error: The files of the site could not be read.'
    exit 1
  }
  gzip -1 < "$folder/list.sums" > "$folder/$part" || exit 1
  rm -f "$folder/list.names" "$folder/list.sums" "$folder/list.errors"
else
  for word in "$@"; do
    shift
    set -- "$@" "--exclude=./$word"
  done
  room=$(room_in "$folder")
  if [ "$part" = tree.gz ]; then
    # Holes and second names of files are copied as content. While the archive grows, the file that goes into it is there twice.
    read -r needed largest entries << END
$(find . -xdev -printf '%s %k\n' | awk '{ kib = int($1 / 1024) + 1; if ($2 > kib) kib = $2; all += kib; if (kib > most) most = kib } END { printf "%.0f %.0f %d\n", all, most, NR }')
END
    dump=0
    [ ! -f "$folder/database.sql" ] || dump=$(($(wc -c < "$folder/database.sql") / 1024))
    [ "$dump" -le "$largest" ] || largest=$dump
    # Some disks have no limit of entries.
    free=$(df -Pi "$folder" | awk 'NR == 2 && $2 > 0 { print $4 }')
    if [ "$room" -le $((needed + largest)) ] || [ "${free:-$((entries + 1))}" -le "$entries" ]; then
      : > "$folder/$part"
      note_packed "$folder" "$part" "$token"
      exit
    fi
  else
    needed=$(du -skx . | cut -f 1) || exit 1
    # What compresses badly takes as much again.
    [ "$room" -gt "$needed" ] || { echo 'Error: The disk of the server has no room to put the backup together.'; exit 1; }
  fi
fi
# 1: a file changed meanwhile. What was read of it is packed; its checksum is that of what is packed.
if [ "$part" = files.tar.gz ]; then
  { tar --format=gnu --one-file-system --hard-dereference --anchored --no-wildcards "$@" -cf - . || [ $? = 1 ] && echo ok > "$folder/files.read"; } | { gzip -1 && echo ok > "$folder/files.whole"; } | head -c $((room * 1024)) > "$folder/$part" || exit 1
  [ -f "$folder/files.read" ] && [ -f "$folder/files.whole" ] || { rm -f "$folder"/files.*; echo 'Error: The files could not be packed.'; exit 1; }
  rm -f "$folder/files.read" "$folder/files.whole"
elif [ "$part" = tree.gz ]; then
  mkdir "$folder/site" && copy_tree '' "$folder/site/files" --anchored --no-wildcards "$@" || { echo 'Error: The files could not be copied.'; exit 1; }
  # Nobody changes the copy.
  cd "$folder/site/files" || exit 1
  find . -mindepth 1 -type d -printf 'd %m %T@ %p\0' > "$folder/tree.list" &&
    find . -type f -fprintf "$folder/tree.sizes" '%m %T@ %s\0' -print0 > "$folder/tree.names" &&
    timeout 3000 xargs -0 -r sha256sum -z < "$folder/tree.names" > "$folder/tree.sums" &&
    paste -z -d ' ' "$folder/tree.sizes" "$folder/tree.sums" >> "$folder/tree.list" &&
    { [ -z "$left_out" ] || printf 'x %d\0' "${#left_out}" >> "$folder/tree.list"; } &&
    gzip -1 < "$folder/tree.list" > "$folder/$part" || { echo 'Error: The files of the site could not be read.'; exit 1; }
  rm -f "$folder/tree.list" "$folder/tree.sizes" "$folder/tree.names" "$folder/tree.sums"
fi
note_packed "$folder" "$part" "$token"
