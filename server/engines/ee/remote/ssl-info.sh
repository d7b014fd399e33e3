# Prints what EasyEngine says of the certificate of a site, as JSON: DOMAIN. Then, if it is one that was installed from here, its SHA-256.
ee site ssl-info "$1" --format=json --no-color < /dev/null || exit 1
echo
echo '--own'
[ ! -f "$own_certificates/$1.crt" ] || ! cmp -s "$own_certificates/$1.crt" "$served/$1.crt" || sha256sum < "$served/$1.crt"
