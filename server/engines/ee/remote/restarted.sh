# Prints which operation restarted a site last: ID.
[ ! -f "$restarts/$1" ] || head -c 100 "$restarts/$1"
