# Prints how nginx serves a site: DOMAIN.
for file in conf.d/main.conf custom/user.conf; do head -c 65536 "$ee_home/sites/$1/config/nginx/$file" || exit 1; done
