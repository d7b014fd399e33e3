# Sends a part of a packed archive to a store, once: ID TOKEN NUMBER OFFSET LENGTH. Standard input says where to, in the words of curl's own
# configuration: the address is a secret. Prints how curl ended, the status, the code of an error and the ETag; one that arrived is not sent again.
folder=$packed/$1
sent=$folder/sent.$2.$3
umask 077
cd "$folder" && [ -f archive.age ] || { echo 'Error: What was packed is gone.' >&2; exit 1; }
# Of a connection that broke, it may still go on.
exec 9> sent.lock && flock -w 580 9 || exit 1
[ ! -f "$sent" ] || { cat "$sent"; exit 0; }
dd if=archive.age of=sent.part iflag=skip_bytes,count_bytes,fullblock bs=64K skip="$4" count="$5" 2> /dev/null || {
  echo 'Error: The disk of the server has no room for a part of the backup.' >&2
  exit 1
}
rm -f sent.head sent.body
status=$(curl --config - --silent --globoff --request PUT --upload-file sent.part --header Expect: --connect-timeout 20 --max-time 570 \
  --dump-header sent.head --output sent.body --write-out '%{http_code}')
ended=$?
{
  echo "curl $ended"
  echo "status $status"
  head -c 4096 sent.body 2> /dev/null | tr -d '\r\n' | sed -n 's/.*<Code>\([A-Za-z.]\{1,80\}\)<\/Code>.*/code \1\n/p'
  head -c 16384 sent.head 2> /dev/null | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: *\([!-~]\{1,200\}\)$/etag \1/p' | tail -n 1
} > sent.answer
rm -f sent.part sent.head sent.body
case $ended:$status in 0:2??) mv sent.answer "$sent" && cat "$sent" ;; *) cat sent.answer && rm -f sent.answer ;; esac
