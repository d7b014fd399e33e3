# Says which sites EasyEngine has, as JSON; changes nothing. Only columns without secrets. EASYDASH_ROOT: see facts.sh.
set -eu
database=${EASYDASH_ROOT-}/opt/easyengine/db/ee.sqlite
[ -e "$database" ] || { echo 'EasyEngine has no database of sites' >&2; exit 1; }
sqlite3 -readonly -json "$database" 'select site_url, site_type, app_sub_type, site_enabled, php_version, alias_domains, app_admin_url as title, app_admin_username from sites order by id limit 2000'
