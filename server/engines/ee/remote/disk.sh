# Prints how many KiB the files of a site take, with those that were deleted and can come back: DOMAIN. Its database is the server's. Before that, with
# the document root of a WordPress in its container, the version that its files say.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
[ -z "${2-}" ] || (
  enter "$app/${2#/var/www/}/wp-includes" && [ -f ./version.php ] || exit 0
  timeout 5 dd if=./version.php iflag=nofollow,count_bytes count=4096 2> /dev/null | sed -n "s/^\$wp_version = '\([0-9][0-9A-Za-z.-]*\)';.*/version \1/p" | head -n 1
)
trash=${app%/*}/easydash-files/trash
[ -d "$trash" ] || trash=
timeout 20 du -skxc "$app" ${trash:+"$trash"} | tail -n 1
