# Puts the rules of maintenance into the configuration of a site's nginx, or takes them out: DOMAIN, and "maintenance", or "closed", which
# is beside that. Variables: rules, empty for none; pass, what our own requests name.
nginx=$ee_home/sites/$1/config/nginx/custom/user.conf
# Whether other rules of ours are there, which name the same pass.
has_others() { sed -n 's/^# easydash \(maintenance\|closed\) begin$/\1/p' "$nginx" 2> /dev/null | grep -qvx "$1"; }
umask 077
mkdir -p "$keys" || exit 1
if [ -n "$pass" ] && [ -s "$keys/$1.pass" ] && has_others "$2"; then
  read -r known < "$keys/$1.pass"
  rules=$(printf '%s' "$rules" | sed "s/$pass/$known/g")
  pass=$known
fi
[ -z "$pass" ] || printf '%s\n' "$pass" > "$keys/$1.pass.new" || exit 1
printf %s "$rules" | block "$nginx" '#' "easydash $2" || exit 1
[ -z "$pass" ] || mv "$keys/$1.pass.new" "$keys/$1.pass" || { back "$nginx"; exit 1; }
if ! reload_nginx "$1"; then
  back "$nginx"
  run_ee site reload "$1" --nginx
  exit 1
fi
rm -f "$nginx.easydash"
# The proxy shows a page that it keeps instead of ours.
[ -z "$rules" ] || case $(query "select proxy_cache from sites where site_url = '$1'") in
  *'"on"'*) docker exec services_global-nginx-proxy_1 find "/var/cache/nginx/$1" -type f -delete ;;
esac
[ -n "$pass" ] || has_others "$2" || rm -f "$keys/$1.pass"
