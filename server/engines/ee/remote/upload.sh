# Appends a part to a file that is staged in a site: DOMAIN WORKDIR NAME, and "first" for a new file. Variables: part, in base64.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
printf %s "$part" | base64 -d | inside sh -c 'umask 077 && mkdir -p wp-content/.easydash-previous/staged && cd wp-content/.easydash-previous/staged && { [ "$2" != first ] || rm -f "$1"; } && cat >> "$1"' easydash "$3" "${4-}"
