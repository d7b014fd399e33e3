# Prints how many KiB the files of a site take, with those that were deleted and can come back: DOMAIN. Its database is the server's.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
trash=${app%/*}/easydash-files/trash
[ -d "$trash" ] || trash=
timeout 20 du -skxc "$app" ${trash:+"$trash"} | tail -n 1
