# Places our must-use plugin and a link that signs in once, with the site's own rights: DOMAIN WORKDIR HASH. Variables: plugin, link.
# Repeating it changes nothing.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
place() { inside sh -c 'umask "$2" && mkdir -p "${1%/*}" && cat > "$1.new" && mv "$1.new" "$1"' easydash "$1" "$2"; }
printf %s "$plugin" | place wp-content/mu-plugins/easydash-login.php 022 || exit 1
[ -z "$3" ] || printf '<?php exit; ?>\n%s' "$link" | place "wp-content/easydash-login/$3.php" 077
