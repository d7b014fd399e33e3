# Prints the sites EasyEngine has, as JSON, then our marks: DOMAIN ID STATE. Only columns without secrets. Changes nothing. TLS that was turned off is '0' there.
[ -e "$ee_home/db/ee.sqlite" ] || { echo 'EasyEngine has no database of sites.' >&2; exit 1; }
query "select id, site_url, site_type, app_sub_type, site_enabled, nullif(nullif(site_ssl, '0'), '') as site_ssl, site_ssl_wildcard, php_version, db_name, site_container_fs_path, cache_nginx_fullpage, cache_app_object, cache_host, proxy_cache, alias_domains, mailhog_enabled, app_admin_username, app_admin_email from sites order by id limit 2001" || exit 1
echo
echo '--marks'
for mark in "$marks"/*; do
  [ -f "$mark" ] || continue
  read -r id state < "$mark" || continue
  echo "${mark##*/} $id $state"
done
