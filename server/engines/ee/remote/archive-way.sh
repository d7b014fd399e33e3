# Says whether a server can make archives and send them to a store: ADDRESS. Prints "tools" if it has the programs, and "reached" if the store answers.
is_there() { for name in "$@"; do command -v "$name" > /dev/null || return 1; done; }
! is_there age zstd curl flock split || echo tools
# Whatever it answers: nobody is signed in.
printf 'url = "%s"\n' "$1" | curl --config - --silent --max-time 20 --output /dev/null && echo reached
exit 0
