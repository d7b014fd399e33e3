# Gives a site its aliases: DOMAIN ADD REMOVE, lists with commas. Variables: wanted, all that it is to have from here, as lines ALIAS MODE. Others
# were made on the server and stay. Those that redirect do so in nginx, where all others serve the site.
kept=$own_aliases/$1
conf=$ee_home/sites/$1/config/nginx/custom/user.conf
mkdir -p "$own_aliases" || exit 1
# Whatever is added from now on is known to be ours, also after a failure.
{ [ ! -f "$kept" ] || cat "$kept"; printf '%s\n' "$wanted"; } | sed '/^$/d' | sort -u > "$kept.new" && mv "$kept.new" "$kept" || exit 1
has_le() { case $(query "select site_ssl from sites where site_url = '$1'") in *'"le"'*) ;; *) return 1 ;; esac; }
# Of an alias for which Let's Encrypt gives nothing, EasyEngine warns only, and the site has no certificate any more: the one before is revoked.
issue_again() {
  set_aside "$1" - && run_ee site update "$1" --ssl=le && has_le "$1" || echo 'Error: Let’s Encrypt gives the site no certificate any more. Get one under its SSL certificate.'
}
was=
! has_le "$1" || was=1
if [ -n "$3" ]; then
  run_ee site update "$1" --delete-alias-domains="$3" || exit 1
  drop_passwords "$(printf %s "$3" | tr ',' ' ')" || exit 1
  [ -z "$was" ] || has_le "$1" || { issue_again "$1"; has_le "$1" || exit 1; }
fi
if [ -n "$2" ]; then
  # Before they are served at all.
  serving=$(printf '%s\n' "$wanted" | sed -n 's/ serve$//p')
  share_passwords "$1" "$serving" || exit 1
  run_ee site update "$1" --add-alias-domains="$2" || exit 1
  if [ -n "$was" ] && ! has_le "$1"; then
    run_ee site update "$1" --delete-alias-domains="$2" && drop_passwords "$(printf %s "$2" | tr ',' ' ')"
    issue_again "$1"
    echo 'Error: Let’s Encrypt gives no certificate for the alias. Let it point at this server, then add it again.'
    exit 1
  fi
fi
printf '%s\n' "$wanted" | while read -r alias mode; do
  [ "$mode" != redirect ] || printf 'if ($host = "%s") { return 301 $http_x_forwarded_proto://%s$request_uri; }\n' "$alias" "$1"
done | block "$conf" '#' 'easydash aliases' || exit 1
# A site that is stopped reads it when it starts.
if [ -n "$(container "$1" nginx)" ] && ! reload_nginx "$1"; then
  back "$conf"
  run_ee site reload "$1" --nginx
  echo 'Error: The web server of the site does not accept the aliases.'
  exit 1
fi
rm -f "$conf.easydash"
printf '%s\n' "$wanted" | sed '/^$/d' > "$kept.new" && mv "$kept.new" "$kept"
share_with_all "$1" || { echo 'Error: The aliases do not ask for the password of the site.'; exit 1; }
