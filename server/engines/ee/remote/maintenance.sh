# Puts the rules of maintenance into the configuration of a site's nginx, or takes them out: DOMAIN, and "maintenance" or "update", which changes
# nothing during the other. Variables: rules, empty for none; pass, what our own requests name.
nginx=$ee_home/sites/$1/config/nginx/custom/user.conf
[ "$2" = maintenance ] || ! grep -qs '^# easydash maintenance begin$' "$nginx" || exit 0
umask 077
mkdir -p "$keys" || exit 1
[ -z "$pass" ] || printf '%s\n' "$pass" > "$keys/$1.pass" || exit 1
printf %s "$rules" | block "$nginx" '#' "easydash $2" || { back "$nginx"; exit 1; }
if ! reload_nginx "$1"; then
  back "$nginx"
  ee site reload "$1" --nginx --no-color
  exit 1
fi
rm -f "$nginx.easydash"
[ -n "$pass" ] || rm -f "$keys/$1.pass"
