# Places our must-use plugin and a link that signs in once, with the site's own rights: DOMAIN WORKDIR HASH. Variables: plugin, link.
# Repeating it changes nothing.
box=$(container "$1" php)
workdir=$2
[ -n "$box" ] || { echo 'The site does not run.' >&2; exit 4; }
printf %s "$plugin" | put_inside wp-content/mu-plugins/easydash-login.php 022 || exit 1
[ -z "$3" ] || printf '<?php exit; ?>\n%s' "$link" | put_inside "wp-content/easydash-login/$3.php" 077
