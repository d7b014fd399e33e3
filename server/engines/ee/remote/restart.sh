# Restarts what serves a site, has it read its configuration again, or makes its containers anew: DOMAIN ID OPERATION HOW. Nothing of EasyEngine's state tells
# that it was done, so a note does.
domain=$1
# A reload that nginx refuses ends with 0, too.
[ "$4" = refresh ] || docker exec "$(container "$domain" nginx)" nginx -t < /dev/null || { echo 'Error: The web server refuses the configuration of the site.'; exit 1; }
run_ee site "$4" "$domain" && mkdir -p "$restarts" && echo "$3" > "$restarts/$2"
