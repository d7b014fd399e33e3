# Sets limits of PHP, and of uploads in nginx, too: DOMAIN MEMORY UPLOAD, in MB. These two files survive a change of the PHP version. If a program
# does not take them, the files before are put back.
php=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
nginx=$ee_home/sites/$1/config/nginx/custom/user.conf
printf 'memory_limit = %sM\nupload_max_filesize = %sM\npost_max_size = %sM\n' "$2" "$3" "$3" | block "$php" ';' easydash || exit 1
echo "client_max_body_size ${3}m;" | block "$nginx" '#' easydash || { back "$php"; exit 1; }
if ! reload_nginx "$1" || ! run_ee site reload "$1" --php; then
  back "$php" "$nginx"
  run_ee site reload "$1" --nginx
  run_ee site reload "$1" --php
  exit 1
fi
rm -f "$php.easydash" "$nginx.easydash"
