# Runs a command that changes the server: SIZE of its standard input, COMMAND…
receive "$1" || { echo 'easydash cut'; exit; }
shift
claim _run
case $? in
  0) echo 'easydash ok' ;;
  2) echo 'easydash busy'; exit ;;
  *) exit 1 ;;
esac
printf %s "$input" | "$@"
code=$?
rm -f "$mine"
exit "$code"
