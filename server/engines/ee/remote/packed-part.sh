# Prints a part of a packed site in base64: ID FILE OFFSET LENGTH.
dd if="$packed/$1/$2" iflag=skip_bytes,count_bytes,fullblock bs=64K skip="$3" count="$4" 2> /dev/null | base64 -w 0
