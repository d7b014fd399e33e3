# Puts the first page into a site that was just made, so nothing of it runs yet: DOMAIN NAME. The content is the variable `content`.
folder=$ee_home/sites/$1/app/htdocs
printf %s "$content" > "$folder/$2" && chown --reference="$folder" "$folder/$2" && chmod 644 "$folder/$2"
