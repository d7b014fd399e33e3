# Says the code of a new PHP site where its database is: DOMAIN. The file is above the folder that is served, so neither backups nor copies have it.
login_of "$1" || exit 1
app=$(readlink -f "$ee_home/sites/$1/app") && [ -d "$app/htdocs" ] || exit 1
# Beside the volume: what a site puts in the place of a file of ours leads nowhere.
file=${app%/*}/easydash-database.php
umask 077
note_login "$file" && chown --reference="$app/htdocs" "$file" && chmod 400 "$file" && mv -fT "$file" "$app/database.php"
