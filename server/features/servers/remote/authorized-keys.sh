# Makes the keys between the marks in root's authorized_keys those of the arguments, one line each; other lines stay.
# Says `changed` if they were others.
# EASYDASH_ROOT: see facts.sh.
set -eu
root=${EASYDASH_ROOT-}
file=$root/root/.ssh/authorized_keys
mkdir -p -m 700 "$root/root/.ssh"
touch "$file"
{
  sed '/^# easydash begin$/,/^# easydash end$/d' "$file"
  echo '# easydash begin'
  for key in "$@"; do printf '%s\n' "$key"; done
  echo '# easydash end'
} >"$file.easydash"
cmp -s "$file" "$file.easydash" || echo changed
chmod 600 "$file.easydash"
mv "$file.easydash" "$file"
