# Prints the state of a job and a piece of its log: ID, OFFSET, SIZE of a piece, LIMIT of the log, size of its END. Beyond the
# limit there is only the end of the log, once the job has ended.
from=$2 size=$3 dir=$base/jobs/$1
[ -d "$dir" ] || { echo 'easydash absent'; exit; }
# In this order: a process that is gone has stored its exit code before.
if active "$1"; then state=running; else state=lost; fi
code=-
[ -s "$dir/exit" ] && read -r code < "$dir/exit" && state=ended
whole=$(wc -c < "$dir/log")
if [ "$from" -lt "$4" ]; then
  [ "$size" -gt "$(($4 - from))" ] && size=$(($4 - from))
elif [ "$state" = running ]; then
  size=0
elif [ "$from" -lt "$((whole - $5))" ]; then
  from=$((whole - $5))
fi
echo "easydash $state $code $((whole)) $from"
[ "$size" -gt 0 ] && tail -c "+$((from + 1))" "$dir/log" | head -c "$size"
exit 0
