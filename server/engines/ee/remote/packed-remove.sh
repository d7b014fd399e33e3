# Removes what was packed of a site: ID.
rm -rf "${packed:?}/$1"
