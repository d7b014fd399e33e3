# Paths below the folder of a site (variable: root), which the site may change at any moment: a path is entered first, and then only its last name is
# used, so no link of the site leads anywhere. Whoever uses this says what a refusal does: `refuse` CODE, `refuse_path` CODE PATH.
is_here() { [ -e "$1" ] || [ -L "$1" ]; }
exists() { is_here "./$1"; }
is_folder() { [ -d "./$1" ] && [ ! -L "./$1" ]; }
# A path is a line as %b of printf reads it.
decode() { value=$(printf '%b.' "$1") && value=${value%.}; }
# Enters the folder that has a path, whose last name is `name` then; one that may be gone, and one that must be there.
near() {
  name=${1##*/}
  case $1 in */*) enter "$root/${1%/*}" ;; *) enter "$root" ;; esac
}
at() { near "$1" || refuse 20; }
# Makes the folders of a path that are missing.
make() {
  enter "$root" || refuse 20
  rest=$1 above=$root
  while [ -n "$rest" ]; do
    first=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    exists "$first" || { mkdir -m 755 "./$first" && chown -h --reference=. "./$first"; } || refuse 23
    above=$above/$first
    enter "$above" || refuse_path 21 "${above#"$root"/}"
  done
}
make_above() { case $1 in */*) make "${1%/*}" ;; esac; }
