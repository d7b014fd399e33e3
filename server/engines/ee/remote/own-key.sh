# Prints the password of our own requests to a site, and what they name during maintenance, where there is one: DOMAIN.
for name in key pass; do [ ! -f "$keys/$1.$name" ] || echo "$name $(head -c 100 "$keys/$1.$name")"; done
