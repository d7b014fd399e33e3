# Turns debug mode on or off, with the site's own rights: DOMAIN WORKDIR, and the end in milliseconds since 1970; empty: off. WordPress compares the
# time itself, so that it ends whether or not anybody is there. Errors go into its log, never to visitors.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
set_constant() { inside wp config set "$1" "$2" --raw --type=constant < /dev/null; }
if [ -z "$3" ]; then
  set_constant WP_DEBUG false
else
  set_constant WP_DEBUG_DISPLAY false && set_constant WP_DEBUG_LOG true && set_constant WP_DEBUG "time() * 1000 < $3"
fi
