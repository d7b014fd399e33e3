# Removes what Easydash put into the sites of a server, and what it keeps beside them. What somebody set from here and EasyEngine itself serves stays: PHP,
# certificates, aliases, passwords. Lines that a site's web server or PHP does not do without stay, too, and are named.
sites=$(domains) || { echo "Error: EasyEngine's list of sites can't be read."; exit 1; }
has_check() { [ -n "$(query "select id from auth_users where site_url = '$1' and username = 'easydash-check'")" ]; }
for domain in $sites; do
  conf=$ee_home/sites/$domain/config/nginx/custom/user.conf
  ini=$ee_home/sites/$domain/config/php/php/conf.d/custom.ini
  changed=
  for file in "$conf" "$ini"; do
    said=$(own_text "$file" && echo .) && printf %s "${said%.}" | grep -q '^[#;] easydash .*begin$' || continue
    changed=1
    printf %s "${said%.}" | sed '/^[#;] easydash .*begin$/,/^[#;] easydash .*end$/d' | rewrite "$file" || exit 1
  done
  if [ -n "$changed" ] && [ -n "$(container "$domain" nginx)" ]; then
    reload_nginx "$domain" && { [ -z "$(container "$domain" php)" ] || run_ee site reload "$domain" --php; } || {
      back "$conf" "$ini"
      changed=
      echo "$domain does not work without the lines between \"easydash\" marks in custom.ini and user.conf: they stay"
    }
  fi
  # What redirected serves the site from now on.
  [ -z "$changed" ] || rm -f "$own_aliases/$domain"
  share_with_all "$domain" || exit 1
  ! has_check "$domain" || { run_ee auth delete "$domain" --user=easydash-check && share_with_all "$domain"; } || exit 1
  rm -f "$conf.easydash" "$ini.easydash"
  app=$(readlink -f "$ee_home/sites/$domain/app") && [ -d "$app" ] || continue
  (enter "$app/htdocs/wp-content/mu-plugins" && rm -f ./easydash-login.php)
  (enter "$app/htdocs/wp-content" && rm -rf ./easydash-login ./.easydash-previous)
  for name in files restore staging; do rm -rf "${app%/*}/easydash-$name"; done
done
# This script itself runs from there.
find "$own_home" -mindepth 1 -maxdepth 1 ! -name jobs ! -name claims -exec rm -rf {} +
