# Claims the server for a change by this shell, NAME; returns 2 if another change is in progress. A claim is a link whose target
# names the process, so it appears at once and ends with its process. It is made before others are looked for: of two at
# the same time both may give up, but never go on both.
claim() {
  (umask 077 && mkdir -p "$base/claims" "$base/jobs") || return 1
  mine=$base/claims/$1.$$
  rm -f "$mine"
  ln -s "$$ $(born $$) $boot" "$mine" || return 1
  for other in "$base"/claims/*; do
    [ "$other" = "$mine" ] && continue
    job=${other##*/}
    job=$base/jobs/${job%.*}
    if [ ! -s "$job/exit" ] && { lives $(readlink "$other") || lives $(cat "$job/leader" 2> /dev/null); }; then
      rm -f "$mine"
      return 2
    fi
    rm -f "$other"
  done
}
