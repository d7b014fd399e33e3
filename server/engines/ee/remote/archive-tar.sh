# Makes the tar of what was put together of a site: options. Its order and its bytes are those that `tar-pieces.ts` expects; twice made of the same it is
# the same. Nobody who unpacks it as root gets a program with the rights of root.
archive_tar() {
  set -- --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode=a-s,-t "$@" -cf - README.txt files
  [ ! -f database.sql ] || set -- "$@" database.sql
  tar "$@" manifest.json
}
# Where it is made of: FOLDER.
enter_archive() {
  cd "$1/site" || exit 1
  [ ! -f ../database.sql ] || mv ../database.sql . || exit 1
}
