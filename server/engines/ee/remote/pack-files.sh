# Puts the files of a site where Easydash fetches them from, in a folder of root: DOMAIN ID TOKEN, then what is left out. Links are packed as links,
# never followed.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
folder=$packed/$2
token=$3
shift 3
for word in "$@"; do
  shift
  set -- "$@" "--exclude=./$word"
done
enter "$app/htdocs" || { echo 'Error: The folder of the site is none, or a link.'; exit 1; }
umask 077
mkdir -p "$folder" || exit 1
rm -f "$folder"/files.*
needed=$(du -skx . | cut -f 1) || exit 1
free=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
# What compresses badly takes as much again; the server needs some of its disk for itself.
[ "${free:-0}" -gt $((needed + 524288)) ] || { echo 'Error: The disk of the server has no room to put the backup together.'; exit 1; }
# 1: a file changed meanwhile. What was read of it is packed; its checksum is that of what is packed.
{ tar --format=gnu --one-file-system --hard-dereference --anchored --no-wildcards "$@" -cf - . || [ $? = 1 ] && echo ok > "$folder/files.whole"; } | gzip -1 > "$folder/files.tar.gz" || exit 1
[ -f "$folder/files.whole" ] || { rm -f "$folder"/files.*; echo 'Error: The files could not be packed.'; exit 1; }
rm -f "$folder/files.whole"
note_packed "$folder" files.tar.gz "$token"
