# Sets limits of PHP: DOMAIN MEMORY UPLOAD, in MB; - leaves one as it is, = has what other lines of the file say. The file survives a change of the PHP
# version. If PHP does not take it, the one before is put back.
# nginx takes 100 MB by EasyEngine's own configuration, and refuses a second line of that kind beside it (EasyEngine/site-type-wp, main.conf.mustache).
php=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
# Our lines move to the end: one that was added below them, and holds, stays in force.
kept() {
  own_text "$php" | sed '1,/^; easydash end$/d' | grep -q "^[[:blank:]]*$1[[:blank:]]*=" ||
    own_text "$php" | sed -n '/^; easydash begin$/,/^; easydash end$/p' | grep "^$1 = " || :
}
# Prints the lines of a limit: MB NAME...
lines_of() {
  mb=$1
  shift
  for name in "$@"; do
    case $mb in
      -) kept "$name" ;;
      =) ;;
      *) printf '%s = %sM\n' "$name" "$mb" ;;
    esac
  done
}
{
  lines_of "$2" memory_limit
  lines_of "$3" upload_max_filesize post_max_size
} | block "$php" ';' easydash || exit 1
if ! run_ee site reload "$1" --php; then
  back "$php"
  run_ee site reload "$1" --php
  exit 1
fi
rm -f "$php.easydash"
