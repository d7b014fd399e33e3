# Asks visitors of a site for a password, or does so no more: DOMAIN USER HASH. Variables: secret, the password, empty for none. A second user
# is for our own requests; its password stays in a file of root.
has() { [ -n "$(query "select id from auth_users where site_url = '$1' and username = '$2'")" ]; }
# EasyEngine prints the password, and ends with 0 although it did nothing when its own check of Docker fails.
set_user() {
  verb=create
  ! has "$1" "$2" || verb=update
  ee auth "$verb" "$1" --user="$2" --pass="$3" --no-color > /dev/null
  [ "$(query "select password from auth_users where site_url = '$1' and username = '$2'")" = "[{\"password\":\"$3\"}]" ]
}
umask 077
mkdir -p "$keys" || exit 1
own=$(LC_ALL=C tr -dc 'A-Za-z0-9' < /dev/urandom | head -c 24)
# First of all, because the disk may be full: nobody else knows what EasyEngine is told.
trap 'rm -f "$keys/$1.key.new" "$keys/$1.hash.new"' EXIT
echo "$own" > "$keys/$1.key.new" && echo "$3" > "$keys/$1.hash.new" || exit 1
if [ -n "$secret" ]; then
  set_user "$1" easydash-check "$own" && mv "$keys/$1.key.new" "$keys/$1.key" || exit 1
  if ! set_user "$1" "$2" "$secret"; then
    # With ours alone nobody else gets in.
    if [ -z "$(query "select id from auth_users where site_url = '$1' and username <> 'easydash-check'")" ]; then
      ee auth delete "$1" --user=easydash-check --no-color > /dev/null
      rm -f "$keys/$1.key"
    fi
    exit 1
  fi
else
  for user in "$2" easydash-check; do
    ! has "$1" "$user" || ee auth delete "$1" --user="$user" --no-color
    ! has "$1" "$user" || exit 1
  done
  rm -f "$keys/$1.key"
fi
share_with_all "$1" || { echo 'Error: The other names of the site do not ask for its password.'; exit 1; }
mv "$keys/$1.hash.new" "$keys/$1.hash"
