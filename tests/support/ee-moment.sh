#!/bin/sh
# Stands for a program of a simulated machine while a test has something happen at one of its calls, see `ee-moments.ts`: what "moment" names, NAME
# WHAT WHEN PATTERN, at the call that "left" counts to.
name=${0##*/}
state=$EASYDASH_ROOT/var/lib/simulated/moment
run() {
  if [ "$name" = docker ]; then
    EASYDASH_PROGRAM=docker "$EASYDASH_ROOT/bin/easyengine-programs" "$@"
  else
    "/usr/bin/$name" "$@"
  fi
}
# A power failure: of all processes of the machine, none does anything after the first one ended.
reboot() {
  : > "$came"
  echo "boot $$" > "$EASYDASH_ROOT/proc/sys/kernel/random/boot_id"
  for signal in STOP KILL KILL; do
    for process in $(env -i /usr/bin/grep -lzxF "EASYDASH_ROOT=$EASYDASH_ROOT" /proc/[0-9]*/environ 2> /dev/null); do
      process=${process#/proc/}
      [ "${process%/*}" = $$ ] || kill -$signal "${process%/*}" 2> /dev/null
    done
  done
  kill -KILL $$
}
# Until the test lets it go on.
pause() {
  : > "$came"
  while [ -e "$came" ]; do sleep 0.02; done
}
# What docker runs in a container goes on without docker, with what it was sent.
outlive() {
  /usr/bin/cat > "$state/input"
  for word in "$@"; do case $word in EASYDASH_RUN=*) export "$word" ;; esac; done
  : > "$came"
  EASYDASH_PROGRAM=docker setsid sh -c '
    while [ -e "$0" ]; do sleep 0.02; done
    exec "$EASYDASH_ROOT/bin/easyengine-programs" "$@" < "${0%/*}/input"' "$came" "$@" &
  echo $! > "$state/process"
  wait $!
  exit
}
came=
what=
when=
pattern=
[ ! -f "$state/moment" ] || read -r came what when pattern < "$state/moment"
came=$state/$came
if [ -z "$what" ] || ! printf %s "$name $*" | /usr/bin/grep -Eq -e "$pattern"; then
  run "$@"
  exit
fi
# Programs of a pipeline are called at the same time.
until /usr/bin/mkdir "$state/lock" 2> /dev/null; do sleep 0.01; done
left=$(($(cat "$state/left") - 1))
echo "$left" > "$state/left"
/usr/bin/rmdir "$state/lock"
[ "$left$when" != 0before ] || "$what" "$@"
run "$@"
code=$?
[ "$left$when" != 0after ] || "$what" "$@"
exit "$code"
