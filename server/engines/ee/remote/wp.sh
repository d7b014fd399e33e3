# Runs WP-CLI in a site: DOMAIN WORKDIR, then its arguments. Its standard input is the variable `input`.
box=$(container "$1" php)
workdir=$2
shift 2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
printf %s "${input-}" | inside wp "$@"
