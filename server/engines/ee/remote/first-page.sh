# Puts the first page into a site that was just made, so nothing of it runs yet: DOMAIN NAME. The content is the variable `content`.
folder=$ee_home/sites/$1/app/htdocs
printf %s "$content" > "$folder/$2.new" && chown --reference="$folder" "$folder/$2.new" && chmod 644 "$folder/$2.new" && mv -T "$folder/$2.new" "$folder/$2" || exit 1
# For two minutes nginx would send as much of it as the page had that EasyEngine looked at.
reload_nginx "$1"
