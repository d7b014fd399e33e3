# Puts FILE.new in the place of a file, whose content before is kept beside it: FILE. The file is changed only once both are whole: a disk may be full.
exchange() {
  if cp -p "$1" "$1.easydash.new" && chown --reference="$1" "$1.new" && chmod --reference="$1" "$1.new"; then
    mv -T "$1.easydash.new" "$1.easydash" && mv -T "$1.new" "$1" && return
  fi
  rm -f "$1.easydash.new" "$1.new"
  return 1
}
# Enters the folder of a file of a site's configuration, in which the site may put anything: FILE. Links of its own are not followed.
enter_folder_of() {
  below=${1#*/config/}
  place=$(readlink -f "${1%%/config/*}/config/${below%%/*}") || return 1
  below=${below#*/}
  case $below in */*) place=$place/${below%/*} ;; esac
  enter "$place"
}
# What such a file says: FILE.
own_text() { (enter_folder_of "$1" && dd if="./${1##*/}" iflag=nofollow 2> /dev/null); }
# Replaces what such a file says by the standard input, all of it or nothing, and keeps what it was beside it, as `exchange` does: FILE.
rewrite() {
  text=$(cat && echo .) || return 1
  (
    enter_folder_of "$1" || exit 1
    file=./${1##*/}
    rm -rf "$file.new" "$file.easydash.new"
    # A copy has the owner and mode already, which could otherwise be given to whatever a link leads to.
    if cp -pP --remove-destination "$file" "$file.new" && printf %s "${text%.}" | dd of="$file.new" oflag=nofollow 2> /dev/null && cp -pP --remove-destination "$file" "$file.easydash.new"; then
      mv -T "$file.easydash.new" "$file.easydash" && mv -T "$file.new" "$file" && exit
    fi
    rm -rf "$file.easydash.new" "$file.new"
    exit 1
  )
}
# Replaces our lines at the end of such a file, or changes nothing: FILE COMMENT NAME, the lines as standard input. Without any, ours are removed.
# EasyEngine's own files may end in the middle of a line.
block() {
  lines=$(cat)
  said=$(own_text "$1" && echo .) || return 1
  {
    printf %s "${said%.}" | sed -e "/^$2 $3 begin\$/,/^$2 $3 end\$/d" -e '$a\'
    [ -z "$lines" ] || printf '%s\n' "$2 $3 begin" "$lines" "$2 $3 end"
  } | rewrite "$1"
}
# Puts back files as they were before they were exchanged: FILE...
back() { for file in "$@"; do [ ! -f "$file.easydash" ] || mv -T "$file.easydash" "$file"; done; }
