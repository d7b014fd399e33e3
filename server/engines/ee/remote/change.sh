# Runs one command of EasyEngine with its arguments. Variable: secret, the value that `--pass=` gets.
for word in "$@"; do
  shift
  [ "$word" != --pass= ] || word=--pass=$secret
  set -- "$@" "$word"
done
exec ee "$@" --no-color
