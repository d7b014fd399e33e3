# Prints the certificate that the proxy serves a site with, by any of its names: its own, or that of its parent domain. DOMAIN.
owner=$(query "select site_url from sites where ',' || alias_domains || ',' like '%,$1,%' limit 1" | sed -n 's/.*"site_url":"\([a-z0-9.-]*\)".*/\1/p')
owner=${owner:-$1}
for name in "$owner" "${owner#*.}"; do
  [ ! -f "$served/$name.crt" ] || exec head -c 65536 "$served/$name.crt"
done
