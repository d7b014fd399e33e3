# Says of each log whether it is a file of its own: DOMAIN WORKDIR, then names. Prints NAME INODE SIZE SECONDS.
domain=$1
workdir=$2
shift 2
for name in "$@"; do
  case $name in
    debug)
      box=$(container "$domain" php)
      [ -z "$box" ] || inside sh -c '[ -f wp-content/debug.log ] && [ ! -L wp-content/debug.log ] && stat -c "debug %i %s %Y" wp-content/debug.log'
      ;;
    php) file=$ee_home/sites/$domain/logs/php/error.log ;;
    *) file=$ee_home/sites/$domain/logs/nginx/access.log ;;
  esac
  [ "$name" = debug ] || [ ! -f "$file" ] || [ -L "$file" ] || stat -c "$name %i %s %Y" "$file"
done
exit 0
