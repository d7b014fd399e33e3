# Prints the aliases that a site got from here: DOMAIN. As lines ALIAS MODE.
[ ! -f "$own_aliases/$1" ] || head -c 16384 "$own_aliases/$1"
