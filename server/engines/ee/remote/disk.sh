# Prints how many KiB the files of a site take: DOMAIN. Its database is the server's.
exec timeout 20 du -skx "$(readlink -f "$ee_home/sites/$1/app")"
