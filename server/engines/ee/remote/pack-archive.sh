# Makes the archive of a site of what was put together of it, encrypted for a public key of age: ID TOKEN RECIPIENT BYTES SUM, those of a part that is sent
# later. With the checksum of its tar, only what is new of that is packed: the ranges OFFSET LENGTH in new.ranges, between new.head and new.tail. Its files
# go while it grows, so it needs room for the largest of them; without that it is empty. Beside it are SHA-256 and MD5 of the parts, and size and
# checksum of what is in it; without SUM the size of its tar, too.
folder=$packed/$1
token=$2
recipient=$3
bytes=$4
sum=${5-}
umask 077
rm -f "$folder"/archive.* "$folder"/sent.*
enter_archive "$folder"
largest=$(($(find . -type f -printf '%s\n' | sort -n | tail -n 1) / 1024))
if [ "$(room_in "$folder")" -le "$largest" ]; then
  : > "$folder/archive.age"
  note_packed "$folder" archive.age "$token"
  exit
fi
# Copies ranges of standard input: FILE with a line OFFSET LENGTH for each, in their order.
cut_ranges() {
  perl -e '
    binmode STDIN;
    binmode STDOUT;
    my $at = 0;
    my $pass = sub {
      my ($left, $isCopied) = @_;
      while ($left > 0) {
        my $read = read STDIN, my $piece, $left < 1048576 ? $left : 1048576;
        $read or die "Error: The archive ends too early.\n";
        !$isCopied or print $piece or die "Error: What is new cannot be written: $!\n";
        $left -= $read;
        $at += $read;
      }
    };
    open my $ranges, "<", $ARGV[0] or die "Error: It is not known what is new: $!\n";
    while (<$ranges>) {
      my ($offset, $length) = split;
      $pass->($offset - $at, 0);
      $pass->($length, 1);
    }
    1 while read STDIN, my $rest, 1048576;
    close STDOUT or die "Error: What is new cannot be written: $!\n";
  ' "$1"
}
if [ -z "$sum" ]; then
  check() { wc -c; }
  what_is_new() { cat; }
else
  check() { sha256sum; }
  what_is_new() { cat "$folder/new.head" && cut_ranges "$folder/new.ranges" && cat "$folder/new.tail"; }
fi
mkfifo "$folder/archive.fifo" "$folder/archive.fifo2" "$folder/archive.fifo3" || exit 1
wc -c < "$folder/archive.fifo2" > "$folder/archive.size" &
counting=$!
tee "$folder/archive.fifo2" < "$folder/archive.fifo" | sha256sum > "$folder/archive.sum" &
summing=$!
check < "$folder/archive.fifo3" > "$folder/archive.check" &
checking=$!
{ archive_tar --remove-files && : > "$folder/archive.tar"; } | tee "$folder/archive.fifo3" |
  { what_is_new && : > "$folder/archive.new"; } | { zstd -q && : > "$folder/archive.zst"; } | tee "$folder/archive.fifo" | age -r "$recipient" > "$folder/archive.age"
ended=$?
wait "$counting" "$summing" "$checking"
cd "$folder" || exit 1
if [ "$ended" != 0 ] || [ ! -f "$folder/archive.tar" ] || [ ! -f "$folder/archive.new" ] || [ ! -f "$folder/archive.zst" ] ||
  { [ -n "$sum" ] && [ "$(cut -c 1-64 "$folder/archive.check")" != "$sum" ]; }; then
  rm -rf "$folder"/archive.* "$folder"/new.* "$folder/site"
  echo 'Error: The archive could not be made. Is the disk of the server full?'
  exit 1
fi
rm -rf "$folder/site" "$folder"/new.*
sums() { split -b "$bytes" --filter="$1" "$folder/archive.age" | cut -d ' ' -f 1; }
sums sha256sum > "$folder/archive.sha256" && sums md5sum > "$folder/archive.md5" || exit 1
paste -d ' ' "$folder/archive.sha256" "$folder/archive.md5" > "$folder/archive.sums"
clear=$(cut -c 1-64 "$folder/archive.sum")
# The checksum of the tar of a full one is not known.
[ -n "$sum" ] || echo "archive.tar $token $(($(cat "$folder/archive.check"))) $clear" > "$folder/archive.tar.note"
echo "archive.clear $token $(($(cat "$folder/archive.size"))) $clear" > "$folder/archive.clear.note" &&
  note_packed "$folder" archive.sums "$token" &&
  # It is not read again: for its checksum stands that of the list of those of its parts.
  echo "archive.age $token $(($(wc -c < "$folder/archive.age"))) $(sha256sum < "$folder/archive.sums" | cut -c 1-64)" > "$folder/archive.age.note"
