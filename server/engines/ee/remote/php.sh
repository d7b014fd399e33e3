# Runs a PHP script in a site, with the rights of the site: DOMAIN WORKDIR SECONDS, and "safe" for one that changes something without plugins, and so
# without Redis, which then has what was before. Variables: program.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
printf %s "$program" | inside_for "$3" php -d memory_limit=512M
ended=$?
[ "${4-}" != safe ] || purge_redis "$1" || exit 6
exit "$ended"
