# Sets limits of PHP, and of uploads in nginx, too: DOMAIN MEMORY UPLOAD, in MB. These two files survive a change of the PHP version. If a program
# does not take them, the files before are put back.
php=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
nginx=$ee_home/sites/$1/config/nginx/custom/user.conf
block() { # FILE COMMENT, the lines as standard input: replaces our lines at the end of a file
  [ -f "$1" ] || return 1
  cp -p "$1" "$1.easydash" || return 1
  { sed "/^$2 easydash begin\$/,/^$2 easydash end\$/d" "$1.easydash"; echo "$2 easydash begin"; cat; echo "$2 easydash end"; } > "$1.new" &&
    cat "$1.new" > "$1" && rm -f "$1.new"
}
back() { for file in "$php" "$nginx"; do [ ! -f "$file.easydash" ] || cat "$file.easydash" > "$file"; done; }
printf 'memory_limit = %sM\nupload_max_filesize = %sM\npost_max_size = %sM\n' "$2" "$3" "$3" | block "$php" ';' || { back; exit 1; }
echo "client_max_body_size ${3}m;" | block "$nginx" '#' || { back; exit 1; }
# A reload that nginx refuses ends with 0, too.
if ! docker exec "$(container "$1" nginx)" nginx -t || ! ee site reload "$1" --nginx --no-color || ! ee site reload "$1" --php --no-color; then
  back
  ee site reload "$1" --nginx --no-color
  ee site reload "$1" --php --no-color
  rm -f "$php.easydash" "$nginx.easydash"
  exit 1
fi
rm -f "$php.easydash" "$nginx.easydash"
