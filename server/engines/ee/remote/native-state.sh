# Prints how far the last restore of a backup of EasyEngine's own is: ID.
[ ! -f "$natives/$1/state" ] || head -c 100 "$natives/$1/state"
