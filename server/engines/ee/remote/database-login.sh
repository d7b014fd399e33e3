# Says the code of a new PHP site where its database is: DOMAIN. The file is above the folder that is served, so neither backups nor copies have it.
login_of "$1" || exit 1
app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app/htdocs" ] || exit 1
# Beside the volume: what a site puts in the place of a file of ours leads nowhere.
file=${app%/*}/easydash-database.php
quoted() { printf "'%s'" "$(printf '%s' "$1" | LC_ALL=C sed "s/[\\\\']/\\\\&/g")"; }
umask 077
{
  echo '<?php'
  echo '// The database of this site.'
  printf 'return array(\n'
  for key in host port name user password; do
    case $key in host) value=$db_host ;; port) value=${db_port:-3306} ;; name) value=$db_name ;; user) value=$db_user ;; password) value=$db_password ;; esac
    printf "\t'%s' => %s,\n" "$key" "$(quoted "$value")"
  done
  echo ');'
} > "$file" && chown --reference="$app/htdocs" "$file" && chmod 400 "$file" && mv -fT "$file" "$app/database.php"
