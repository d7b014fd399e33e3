boot=$(cat /proc/sys/kernel/random/boot_id) || exit

# Prints when a process started, in ticks since boot. Fails if there is no such process.
born() {
  stat=
  { read -r stat < "/proc/$1/stat"; } 2> /dev/null
  # The name of the program ends with the last parenthesis; field 22 of proc_pid_stat(5) is the 20th after it.
  set -- ${stat##*) }
  [ "$#" -ge 20 ] && [ "$1" != Z ] && echo "${20}"
}

# Whether a process runs: NUMBER START BOOT. A number alone may belong to another process by now.
lives() {
  [ "$3" = "$boot" ] && [ "$(born "$1")" = "$2" ]
}

# Whether the process of a job runs, or the shell that waits for it.
active() {
  for link in "$base/claims/$1".*; do
    lives $(readlink "$link") && return
  done
  lives $(cat "$base/jobs/$1/leader" 2> /dev/null)
}
