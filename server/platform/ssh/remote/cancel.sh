# Ends all processes in the session of a job: ID, SECONDS before they are killed.
dir=$base/jobs/$1 left=$2
[ -d "$dir" ] || { echo 'easydash absent'; exit; }
[ -s "$dir/exit" ] && { echo 'easydash ended'; exit; }

# SIGNAL, and the process that led the session. The number of a session is not given to another one while a process is in it.
end() {
  [ "$4" = "$boot" ] || return
  leader=$(born "$2")
  [ -z "$leader" ] || [ "$leader" = "$3" ] || return
  signal=$1 session=$2
  for process in /proc/[0-9]*; do
    stat=
    { read -r stat < "$process/stat"; } 2> /dev/null
    set -- ${stat##*) }
    [ "$4" = "$session" ] && [ "$1" != Z ] && kill "-$signal" "${process#/proc/}" 2> /dev/null
  done
}

nap=1 last=-10
sleep 0.1 2> /dev/null && nap=0.1 last=-100 left=$((left * 10))
asked=
# Ten more seconds for the system to end what was killed.
until [ -s "$dir/exit" ] || ! active "$1" || [ "$left" -lt "$last" ]; do
  if [ "$left" -le 0 ]; then
    end KILL $(cat "$dir/leader" 2> /dev/null)
  elif [ -z "$asked" ] && [ -s "$dir/leader" ]; then
    end TERM $(cat "$dir/leader")
    asked=1
  fi
  sleep "$nap"
  left=$((left - 1))
done
end KILL $(cat "$dir/leader" 2> /dev/null)
if [ -s "$dir/exit" ]; then echo 'easydash ended'; elif active "$1"; then echo 'easydash running'; else echo 'easydash lost'; fi
