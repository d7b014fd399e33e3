# Serves a site with a certificate that EasyEngine did not make: DOMAIN. Variables: certificate, key. Its own is put back if the proxy, which
# serves all sites, does not take the new one.
proxy=services_global-nginx-proxy_1
umask 077
mkdir -p "$own_certificates" || exit 1
crt=$served/$1.crt
printf '%s\n' "$certificate" > "$crt.new" && printf '%s\n' "$key" > "$served/$1.key.new" && exchange "$crt" || { rm -f "$crt.new" "$served/$1.key.new"; exit 1; }
exchange "$served/$1.key" || { back "$crt"; exit 1; }
if ! docker exec "$proxy" nginx -t || ! docker exec "$proxy" nginx -s reload; then
  back "$crt" "$served/$1.key"
  docker exec "$proxy" nginx -s reload
  echo 'Error: The web server does not accept the certificate.'
  exit 1
fi
rm -f "$crt.easydash" "$served/$1.key.easydash"
printf '%s\n' "$certificate" > "$own_certificates/$1.crt.new" && mv "$own_certificates/$1.crt.new" "$own_certificates/$1.crt"
