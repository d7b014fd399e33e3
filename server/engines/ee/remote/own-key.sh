# Prints the password of our own requests to a site: DOMAIN.
cat "$keys/$1.key"
