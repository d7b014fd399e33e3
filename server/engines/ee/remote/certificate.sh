# Prints the certificate that the proxy serves a site with: its own, or that of its parent domain. DOMAIN.
for name in "$1" "${1#*.}"; do
  [ ! -f "$served/$name.crt" ] || exec head -c 65536 "$served/$name.crt"
done
