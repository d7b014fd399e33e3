# Runs PHP code of an admin in a site, with the rights of the site: DOMAIN WORKDIR SECONDS BYTES. Variable: program. However much the code prints, only the
# last of it comes back: there the result is, and after it how PHP ended, and after how many seconds.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
begun=$(date +%s)
{ printf %s "$program" | inside_for "$3" php; echo "ended:$? $(($(date +%s) - begun))"; } 2> /dev/null | tail -c "$4"
