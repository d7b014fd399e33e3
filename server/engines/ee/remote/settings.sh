# Prints settings of a site: DOMAIN. Names of users, never a password: of the one we set last, the hash that was given with it.
query "select username from auth_users where site_url = '$1' order by id limit 100" || exit 1
echo
echo '--hash'
cat "$keys/$1.hash" 2> /dev/null
echo '--ini'
ini=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
[ ! -f "$ini" ] || head -c 16384 "$ini"
