# Runs PHP code of an admin in a site, with the rights of the site: DOMAIN WORKDIR SECONDS BYTES. Variable: program. However much the code prints, only the
# last of it comes back: there the result is, and after it how PHP ended.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
{ printf %s "$program" | inside timeout -k 5 "$3" php; echo "ended:$?"; } 2> /dev/null | tail -c "$4"
