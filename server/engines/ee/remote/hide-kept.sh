# Lets nginx serve nothing of what is kept of a site's plugins, themes and WordPress: DOMAIN. EasyEngine's rule for hidden files comes after those that run PHP
# and send archives, and the first one holds. A whole WordPress is among it, which anybody could install.
conf=$ee_home/sites/$1/config/nginx/custom/user.conf
! grep -q '^# easydash kept begin$' "$conf" || exit 0
echo 'location ^~ /wp-content/.easydash-previous/ { deny all; }' | block "$conf" '#' 'easydash kept' || exit 1
if ! reload_nginx "$1"; then
  back "$conf"
  run_ee site reload "$1" --nginx
  echo "Error: The web server of the site does not accept a rule for what is kept of plugins and versions."
  exit 1
fi
rm -f "$conf.easydash"
