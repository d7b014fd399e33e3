# Runs a job and stores its exit code: ID, SIZE of its standard input, whether it needs a terminal (1), the script that becomes it.
dir=$base/jobs/$1
receive "$2" || { echo cut; exit; }
[ -d "$dir" ] && { echo known; exit; }
claim "$1"
case $? in
  0) ;;
  2) echo busy; exit ;;
  *) exit 1 ;;
esac
# One that began and ended between the look and the claim.
[ -d "$dir" ] && { rm -f "$mine"; echo known; exit; }
(umask 077 && mkdir "$dir") || { rm -f "$mine"; exit 1; }
printf '%s\n' "$4" > "$dir/command" && : > "$dir/log" || { rm -rf "$dir" "$mine"; exit 1; }
echo started
exec >> "$dir/log" 2>&1 < /dev/null
# Standard input comes from this shell's memory: it is neither on disk nor among the arguments of a process. A terminal would
# echo it, so there it is descriptor 3.
printf %s "$input" | if [ "$3" = 1 ]; then
  exec 3<&0 < /dev/null
  SHELL=/bin/sh TERM=dumb script -qefc "exec /bin/sh '$dir/command'" /dev/null
else
  setsid /bin/sh "$dir/command"
fi
echo "$?" > "$dir/exit.new" && mv "$dir/exit.new" "$dir/exit"
rm -f "$mine"
