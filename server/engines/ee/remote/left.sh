# Prints what Easydash keeps on a server, but for what it runs there. With "all", it removes that, too.
[ ! -d "$own_home" ] || find "$own_home" -mindepth 1 -maxdepth 1 ! -name jobs ! -name claims -printf '%f\n'
[ "${1-}" != all ] || rm -rf "${own_home:?}"
