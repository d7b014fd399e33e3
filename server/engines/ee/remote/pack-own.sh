# Writes standard input into a file of what an archive is made of: ID FILE OFFSET.
umask 077
dd of="$packed/$1/$2" oflag=seek_bytes conv=notrunc seek="$3" bs=64K 2> /dev/null
