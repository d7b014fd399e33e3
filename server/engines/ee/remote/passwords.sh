# EasyEngine writes the passwords of a site for its primary domain, and the proxy looks for those of each name: under an alias, anybody would get in.
# Source: EasyEngine/auth-command, src/Auth_Command.php; EasyEngine/dockerfiles, nginx-proxy/nginx.tmpl.
passwords=$proxy_home/htpasswd
# The names beside DOMAIN, one on each line. Of a network of subdomains, one begins with *.
other_names() {
  rows=$(query "select alias_domains from sites where site_url = '$1'") || return 1
  printf '%s\n' "$rows" | sed -n 's/.*"alias_domains":"\([^"]*\)".*/\1/p' | tr ',' '\n' | sed '/^$/d' | grep -vxF -e "$1"
  return 0
}
# Whether the passwords of a NAME were set from here. What others wrote for an alias stays.
is_ours() { grep -qs '^easydash-check:' "$passwords/$1"; }
# Writes them for NAMES as they are for DOMAIN: DOMAIN NAMES. What redirects has nothing to protect. The proxy looks at once which files there are, as
# EasyEngine has it do.
share_passwords() (
  set -f
  changed=
  for name in $2; do
    if [ -f "$passwords/$1" ] && { is_ours "$1" || is_ours "$name"; } && ! grep -qsxF -e "$name redirect" "$own_aliases/$1"; then
      cmp -s "$passwords/$1" "$passwords/$name" || { cp -p "$passwords/$1" "$passwords/.easydash" && mv "$passwords/.easydash" "$passwords/$name" && changed=1; } || exit 1
    elif is_ours "$name"; then
      drop_passwords "$name" && changed=1 || exit 1
    fi
  done
  [ -z "$changed" ] || docker exec services_global-nginx-proxy_1 sh -c '/app/docker-entrypoint.sh /usr/local/bin/docker-gen /app/nginx.tmpl /etc/nginx/conf.d/default.conf; /usr/sbin/nginx -s reload'
)
# So do all names of DOMAIN.
share_with_all() { names=$(other_names "$1") && share_passwords "$1" "$names"; }
# Of names that are none of a site any more, or not yet: who gets one of them next would be locked out.
drop_passwords() (
  set -f
  for name in $1; do
    ! is_ours "$name" || rm -f "$passwords/$name" || exit 1
  done
)
