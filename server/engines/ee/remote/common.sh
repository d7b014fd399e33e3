# What all scripts share. EASYDASH_ROOT is the root of a simulated server; a real one has none.
set -u
ee_home=${EASYDASH_ROOT-}/opt/easyengine
marks=${EASYDASH_STATE:-/var/lib/easydash}/sites
# Runs a query on EasyEngine's state without ever writing there; again while EasyEngine itself writes.
query() {
  for pause in 0.2 0.5 1 2; do
    sqlite3 -readonly -json "$ee_home/db/ee.sqlite" "$1" && return
    sleep "$pause"
  done
  sqlite3 -readonly -json "$ee_home/db/ee.sqlite" "$1"
}
# The container of a service of a site. Compose makes up their names, so they are found by labels.
container() { docker ps --filter "label=io.easyengine.site=$1" --filter "label=com.docker.compose.service=$2" --format '{{.ID}}' | head -n 1; }
# Runs a command inside of a site's PHP, with the rights of the site alone.
inside() { docker exec -i -u www-data -w "${workdir:-/var/www/htdocs}" "$box" "$@"; }
keys=${EASYDASH_STATE:-/var/lib/easydash}/keys
