# Empties a log: DOMAIN WORKDIR NAME. It is not removed: a running program would go on writing into the removed one.
case $3 in
  debug)
    box=$(container "$1" php)
    workdir=$2
    [ -z "$box" ] || inside sh -c '[ ! -f wp-content/debug.log ] || [ -L wp-content/debug.log ] || dd if=/dev/null of=wp-content/debug.log oflag=nofollow 2> /dev/null'
    exit
    ;;
  php) file=$ee_home/sites/$1/logs/php/error.log ;;
  *) file=$ee_home/sites/$1/logs/nginx/access.log ;;
esac
[ ! -f "$file" ] || [ -L "$file" ] || dd if=/dev/null of="$file" oflag=nofollow 2> /dev/null
