# Creates a site: DOMAIN, then the options of `ee site create`. The password that EasyEngine gets (and prints, logs and stores in clear text)
# is thrown away: the real one, and the title, come by standard input, which EasyEngine cannot do.
# Variables: id, kind.
domain=$1
shift
# Whose a PHP site without a database is, only the address of its administrator says, which EasyEngine ignored before 4.7.5. Source: commit a2bf5f8 of
# EasyEngine/site-type-php.
case "$kind $* " in
  php*' --with-db '*) ;;
  php*)
    installed=$(ee cli version | tr -cd '0-9.\n' | head -n 1)
    case $(printf '%s\n' 4.7.5 "${installed:-4.7.5}" | sort -V | head -n 1) in
      4.7.5) ;;
      *) echo "Error: A PHP site without a database needs EasyEngine 4.7.5 or later; the server has $installed. Update it, or create the site with a database."; exit 1 ;;
    esac
    ;;
esac
# Ours was looked for before.
row=$(row_of "$domain") || exit 1
[ -z "$row" ] || { echo "Error: $domain is already a site of this server."; exit 1; }
# What a broken attempt left: nothing was there when the domain was reserved.
rest=$(rest_of "$domain") || exit 1
if [ -n "$rest" ]; then
  echo 'Removing what an earlier attempt left.'
  remove_rest "$domain"
fi
[ "$kind" = html ] || drop_left "$id" || { echo 'Error: The databases of an earlier attempt cannot be removed.'; exit 1; }
rm -rf "${statements:?}/$domain"
drop_passwords "$domain" || exit 1
if [ "$kind" = wp ]; then
  thrown_away=$(LC_ALL=C tr -dc 'A-Za-z0-9' < /dev/urandom | head -c 20)a1
  ee site create "$domain" "$@" --admin-pass="$thrown_away" --no-color || exit 1
else
  ee site create "$domain" "$@" --no-color || exit 1
fi
