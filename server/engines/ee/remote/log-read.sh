# Prints a part of a log in base64: DOMAIN WORKDIR NAME OFFSET LENGTH. The site may replace its logs by links, which are not followed.
case $3 in
  debug)
    box=$(container "$1" php)
    workdir=$2
    [ -z "$box" ] || inside sh -c 'dd if=wp-content/debug.log iflag=nofollow,skip_bytes,count_bytes,fullblock bs=64K skip="$1" count="$2" 2> /dev/null | base64 -w 0' easydash "$4" "$5"
    exit
    ;;
  php) file=$ee_home/sites/$1/logs/php/error.log ;;
  *) file=$ee_home/sites/$1/logs/nginx/access.log ;;
esac
dd if="$file" iflag=nofollow,skip_bytes,count_bytes,fullblock bs=64K skip="$4" count="$5" 2> /dev/null | base64 -w 0
