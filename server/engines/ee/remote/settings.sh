# Prints settings of a site: DOMAIN WORKDIR. Names of users, never a password: of the one we set last, the hash that was given with it. Then whether
# nginx has our rules of maintenance, the end of debug mode as wp-config.php says it, and limits of PHP.
query "select username from auth_users where site_url = '$1' order by id limit 100" || exit 1
echo
echo '--hash'
cat "$keys/$1.hash" 2> /dev/null
echo '--state'
sed -n 's/^# easydash \(maintenance\|closed\) begin$/\1/p' "$ee_home/sites/$1/config/nginx/custom/user.conf" 2> /dev/null
root=$ee_home/sites/$1/app${2#/var/www}
for file in "$root/wp-config.php" "${root%/*}/wp-config.php"; do
  [ -f "$file" ] && [ ! -L "$file" ] || continue
  dd if="$file" iflag=nofollow,count_bytes count=65536 2> /dev/null | sed -n "s/.*WP_DEBUG['\"], *time() [*] 1000 < \([0-9]\{13\}\)[ )].*/debug \1/p"
  break
done
echo '--ini'
ini=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
[ ! -f "$ini" ] || own_text "$ini" | head -c 16384
