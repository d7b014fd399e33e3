# A change of the primary domain of a site: ID VERB, then arguments of the verb. EasyEngine cannot rename a site, so another one takes its place. The file
# of the site says how far that is: FROM TO EVENTS STATE. What has "begun" or is "undoing" is taken back; what is "switched" is completed; one that is "finished" is kept
# for whoever still knows the site by the domain before. EVENTS says whether they ran. Variable: names, aliases as lines WHICH ALIAS MODE.
umask 077
mkdir -p "$moves" || exit 1
file=$moves/$1
verb=$2
from=
to=
events=
state=
[ ! -f "$file" ] || read -r from to events state < "$file" || exit 1
shift 2
note() { echo "$from $to $events $1" > "$file.new" && mv "$file.new" "$file"; }
# The folder of the volume of a site, where its site can't reach what is kept beside its files.
place_of() { place=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$place" ] && place=${place%/*}; }
# The configuration of WordPress of the site before, with the database and the caches of the new one: OLD NEW. Fails unless the database is there.
configuration() {
  awk -v q="'" -v from="$(echo "$from" | sed 's/[.]/[.]/g')" -v to="$to" '
    function constant(line) {
      if (!sub(/^[ \t]*define[ \t]*\([ \t]*/, "", line) || index(q "\"", substr(line, 1, 1)) == 0) return ""
      line = substr(line, 2)
      return match(line, /^[A-Z_]+/) ? substr(line, 1, RLENGTH) : ""
    }
    { name = constant($0) }
    FILENAME == new { if (name ~ /^(DB_NAME|DB_USER|DB_PASSWORD|DB_HOST|WP_CACHE_KEY_SALT|RT_WP_NGINX_HELPER_REDIS_[A-Z]+)$/) own[name] = $0; next }
    name in own { print own[name]; seen[name]++; next }
    name ~ /^(WP_HOME|WP_SITEURL|WP_CONTENT_URL|COOKIE_DOMAIN)$/ { gsub(from, to) }
    { print }
    END { exit seen["DB_NAME"] != 1 || seen["DB_USER"] != 1 || seen["DB_PASSWORD"] != 1 || seen["DB_HOST"] != 1 }
  ' new="$2" "$2" "$1"
}
case $verb in
  state)
    [ -z "$state" ] || { echo "$from $to $events $state" && head -c 32768 "$file.names"; }
    ;;
  # What nobody takes along of a site: DOMAIN, and the file beside its folder of files that is taken. Programs of `ee shell`, PHP's image and EasyEngine make the others themselves; what
  # is mounted is not copied. The site gives the names. Before them "jobs", if EasyEngine's scheduler has any besides the events of WordPress.
  rest)
    app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app" ] || exit 1
    jobs=$(query "select id from cron where site_url = '$1' and command not like '%wp cron event run%' limit 1") || exit 1
    case $jobs in *id*) echo jobs ;; esac
    {
      find "$app" -mindepth 1 -maxdepth 1 ! -name htdocs ! -name "$2" ! -name .wp-cli ! -name .cache ! -name .bashrc ! -name .bash_history ! -name .mysql_history ! -name .mariadb_history ! -name .composer ! -name .config ! -name .lesshst ! -name .local ! -name .npm ! -name .viminfo ! -name .wget-hsts -printf 'app/%f\n'
      awk -v app="$app/" 'index($2, app) == 1 { print "mounted/app/" substr($2, length(app) + 1) }' "${EASYDASH_ROOT-}/proc/mounts"
      find "$ee_home/sites/$1/config/nginx/custom" -mindepth 1 ! -name admin-tools.conf ! -name user.conf ! -name user.conf.new ! -name 'user.conf.easydash*' -printf 'config/nginx/custom/%P\n'
      find "$ee_home/sites/$1/" -mindepth 1 -maxdepth 1 -name 'docker-compose-*' -printf '%f\n'
    } | LC_ALL=C tr -c 'A-Za-z0-9._/\n-' '?' | head -n 3
    ;;
  # Says "same" if visitors of a site are asked for exactly what is known here: DOMAIN USER. Variable: secret, the password, empty for nothing.
  auth)
    users=$(query "select username, password from auth_users where site_url = '$1' and username <> 'easydash-check'") && ips=$(query "select ip from auth_ips where site_url = '$1' limit 1") || exit 1
    known=
    [ -z "$secret" ] || known="[{\"username\":\"$2\",\"password\":\"$secret\"}]"
    [ "$users" != "$known" ] || [ -n "$ips" ] || echo same
    ;;
  begin)
    case $state in
      '' | finished) printf '%s\n' "$names" > "$file.names" && from=$1 && to=$2 && events=$3 && note begun ;;
      begun) [ "$from $to" = "$1 $2" ] || exit 5 ;;
      *) exit 5 ;;
    esac
    ;;
  # Takes over what people added to the configuration of the site before; the lines of ours are those of the new one: TYPE.
  configure)
    [ "$state" = begun ] || exit 1
    app=$ee_home/sites/$from/app
    if [ "$1" = wp ]; then
      [ ! -e "$app/htdocs/wp-config.php" ] || { echo 'Error: The site has a wp-config.php in its folder of files, and another above it.'; exit 1; }
      dd if="$app/wp-config.php" iflag=nofollow,count_bytes count=262144 2> /dev/null > "$file.before" || exit 1
      new=$(readlink -f "$ee_home/sites/$to/app") || exit 1
      dd if="$new/wp-config.php" iflag=nofollow,count_bytes count=262144 2> /dev/null > "$file.new-config" || exit 1
      configuration "$file.before" "$file.new-config" > "$file.config" || { echo 'Error: The site names its database in wp-config.php in a way of its own.'; exit 1; }
      # With the rights of the site: it can put a link anywhere in its volume.
      box=$(container "$to" php)
      [ -n "$box" ] || { echo 'Error: The site under the new domain does not run.'; exit 1; }
      inside sh -c 'cat > ../wp-config.php.new && mv -T ../wp-config.php.new ../wp-config.php' < "$file.config" || exit 1
      rm -f "$file.before" "$file.new-config" "$file.config"
    fi
    for folder in config/nginx/conf.d config/php/php/conf.d config/php/php-fpm.d; do
      for path in "$ee_home/sites/$from/$folder"/*; do
        case $path in *.easydash | *.easydash.new | *.new) continue ;; esac
        [ ! -e "$path" ] || [ -e "$ee_home/sites/$to/$folder/${path##*/}" ] || { echo "Error: Somebody added $folder/${path##*/} to the site. Move what it says to config/nginx/custom/user.conf or config/php/php/conf.d/custom.ini."; exit 1; }
      done
    done
    for path in config/php/php/conf.d/custom.ini config/nginx/custom/user.conf; do
      before=$ee_home/sites/$from/$path
      now=$ee_home/sites/$to/$path
      [ -f "$before" ] && [ -f "$now" ] || continue
      said=$(own_text "$before" && echo .) && ours=$(own_text "$now" | sed -n '/^[#;] easydash .*begin$/,/^[#;] easydash .*end$/p') || exit 1
      { printf %s "${said%.}" | sed -e '/^[#;] easydash .*begin$/,/^[#;] easydash .*end$/d' -e '$a\' && [ -z "$ours" ] || printf '%s\n' "$ours"; } | rewrite "$now" || exit 1
    done
    if ! reload_nginx "$to"; then
      back "$ee_home/sites/$to/config/nginx/custom/user.conf"
      echo 'Error: The web server does not accept the configuration of the site under the new domain.'
      exit 1
    fi
    [ "$1" = html ] || run_ee site reload "$to" --php || exit 1
    rm -f "$ee_home/sites/$to/config/php/php/conf.d/custom.ini.easydash" "$ee_home/sites/$to/config/nginx/custom/user.conf.easydash"
    ;;
  # From now on the site before may be open again: nothing is switched to the copy any more.
  undo)
    case $state in
      begun) note undoing ;;
      undoing) ;;
      *) exit 1 ;;
    esac
    ;;
  switch)
    case $state in
      begun) note switched ;;
      switched | finished) ;;
      *) exit 1 ;;
    esac
    ;;
  # Takes along what is kept of the site: deleted files, the state before a restore with the address that it has, what is known of its staging, and when
  # its paused events ran.
  carry)
    [ "$state" = switched ] || exit 0
    place_of "$from" && old=$place || exit 0
    place_of "$to" && new=$place || exit 1
    for name in easydash-files easydash-staging; do
      [ ! -d "$old/$name" ] || { rm -rf "$new/$name" && mv -T "$old/$name" "$new/$name"; } || exit 1
    done
    before=$old/easydash-restore/before
    if [ -f "$before/what" ]; then
      [ -f "$before/url" ] || printf '%s\n' "$1" > "$before/url" || exit 1
      mkdir -p "$new/easydash-restore" && rm -rf "$new/easydash-restore/before" && mv -T "$before" "$new/easydash-restore/before" || exit 1
    fi
    [ ! -f "$paused/$from" ] || mv "$paused/$from" "$paused/$to"
    ;;
  finish) [ "$state" != switched ] || note finished ;;
  # Of a change that was taken back: FROM TO; of a site that is gone, without these.
  forget)
    [ $# = 0 ] || [ "$from $to $state" = "$1 $2 undoing" ] || exit 0
    rm -f "$file" "$file.names" "$file.before" "$file.new-config" "$file.config"
    ;;
esac
