# Reads SIZE bytes of standard input into a variable of this shell; fails if the connection ended before all of them arrived.
receive() {
  input=$(head -c "$1"; echo .)
  input=${input%.}
  [ "$(printf %s "$input" | wc -c)" -eq "$1" ]
}
