# Prints what is complete of a packed site: ID. Of each part FILE TOKEN BYTES SHA256.
cat "$packed/$1"/*.note 2> /dev/null
exit 0
