# Removes a site and whatever a half-made one left: DOMAIN. The mark goes last, because it says whose the rest is.
if [ -n "$(query "select id from sites where site_url = '$1'")" ]; then
  ee site delete "$1" --yes --no-color || exit 1
  [ -z "$(query "select id from sites where site_url = '$1'")" ] || exit 1
fi
remove_rest "$1"
rm -f "$keys/$1.key" "$keys/$1.hash" "$marks/$1"
