# Runs what an admin typed in a site, with the rights of the site: DOMAIN WORKDIR SECONDS BYTES, then a program with its words. Variable: program, its
# standard input. However much it prints, only the last of it comes back: there the result is, and after it how it ended, and after how many seconds. What
# PHP says besides is no result; what WP-CLI does is.
box=$(container "$1" php)
workdir=$2
seconds=$3
bytes=$4
shift 4
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
run() { case $1 in wp) inside_for "$seconds" "$@" 2>&1 ;; *) inside_for "$seconds" "$@" ;; esac; }
begun=$(date +%s)
{ printf %s "$program" | run "$@"; echo "ended:$? $(($(date +%s) - begun))"; } 2> /dev/null | tail -c "$bytes"
