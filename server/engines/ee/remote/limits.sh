# Sets limits of PHP: DOMAIN MEMORY UPLOAD, in MB; - leaves one as it is. The file survives a change of the PHP version. If PHP does not take it, the one
# before is put back.
# nginx takes 100 MB by EasyEngine's own configuration, and refuses a second line of that kind beside it (EasyEngine/site-type-wp, main.conf.mustache).
php=$ee_home/sites/$1/config/php/php/conf.d/custom.ini
own() { own_text "$php" | sed -n '/^; easydash begin$/,/^; easydash end$/p' | grep -E "^($1) = " || :; }
{
  if [ "$2" = - ]; then own memory_limit; else printf 'memory_limit = %sM\n' "$2"; fi
  if [ "$3" = - ]; then own 'upload_max_filesize|post_max_size'; else printf 'upload_max_filesize = %sM\npost_max_size = %sM\n' "$3" "$3"; fi
} | block "$php" ';' easydash || exit 1
if ! run_ee site reload "$1" --php; then
  back "$php"
  run_ee site reload "$1" --php
  exit 1
fi
rm -f "$php.easydash"
