# Counts the files of a site: DOMAIN, a time (seconds since 1970), then what is left out. Prints how many there are, how many of them were changed since
# then, and how find ended. Their names are not printed: the site makes them up.
app=$(readlink -f "$ee_home/sites/$1/app") || exit 1
since=$2
shift 2
enter "$app/htdocs" || { echo 'Error: The folder of the site is none, or a link.'; exit 1; }
for word in "$@"; do
  shift
  set -- "$@" -path "./$word" -prune -o
done
{ timeout 20 find . -xdev "$@" -type f -printf '%T@\n' 2> /dev/null; echo "end $?"; } |
  LC_ALL=C awk -v since="$since" '$1 == "end" { ended = $2; next } { count++; if ($1 >= since) changed++ } END { print count + 0, changed + 0, ended }'
