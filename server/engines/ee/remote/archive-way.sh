# Says what of sending archives a server can do, and lays down where a packed archive will be what is sent to try it out: ID TEXT. Prints "tools" if it
# has all programs, "curl" if it has those that send, and "refused" if the others could not be installed within a week.
is_there() { for name in "$@"; do command -v "$name" > /dev/null || return 1; done; }
! is_there age zstd curl flock split || echo tools
! is_there curl flock || echo curl
[ ! -f "$own_home/tools.refused" ] || [ -z "$(find "$own_home/tools.refused" -mtime -7)" ] || echo refused
umask 077
mkdir -p "$packed/$1" && printf %s "$2" > "$packed/$1/archive.age"
