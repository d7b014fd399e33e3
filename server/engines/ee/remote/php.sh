# Runs a PHP script in a site, with the rights of the site: DOMAIN WORKDIR SECONDS. Variables: program.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
printf %s "$program" | inside_for "$3" php
