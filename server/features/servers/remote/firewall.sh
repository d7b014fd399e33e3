# Turns the firewall on or off, with the addresses that it lets in or keeps out; repeating it changes nothing.
# $1: 1 or 0; $2: port of the SSH server, which stays open to everybody; $3, $4: allowed and blocked addresses, separated by commas.
# EASYDASH_ROOT: see facts.sh.
set -eu
root=${EASYDASH_ROOT-}
port=$2 allow=$3 block=$4

# Makes the lines between our marks in a file of ufw those of the input; other lines stay.
ours() {
  file=$root/etc/ufw/$1
  {
    sed '/^# easydash begin$/,/^# easydash end$/d' "$file"
    echo '# easydash begin'
    cat
    echo '# easydash end'
  } >"$file.easydash"
  chmod 640 "$file.easydash"
  mv "$file.easydash" "$file"
}

# Rules of a chain: for the addresses $1, of the family $2, the verdict $3.
rules() {
  printf '%s\n' "$1" | tr ',' '\n' | while read -r address; do
    case $address in
      '') continue ;;
      *:*) family=6 ;;
      *) family= ;;
    esac
    [ "$family" != "$2" ] || echo "-A $chain -s $address -j $3"
  done
}

for family in '' 6; do
  chain=ufw$family-before-input
  {
    echo '*filter'
    echo "-A $chain -p tcp --dport $port -j ACCEPT"
    rules "$allow" "$family" ACCEPT
    rules "$block" "$family" DROP
    echo COMMIT
  } | ours "before$family.rules"
  # Ports that Docker publishes never come to ufw's chains. What containers send must pass whatever is blocked.
  chain=DOCKER-USER
  own='10.0.0.0/8,172.16.0.0/12,192.168.0.0/16'
  [ -z "$family" ] || own='fc00::/7,fe80::/10'
  {
    echo '*filter'
    echo ":$chain - [0:0]"
    echo "-A $chain -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"
    rules "$own,$allow" "$family" RETURN
    rules "$block" "$family" DROP
    echo "-A $chain -j RETURN"
    echo COMMIT
  } | ours "after$family.rules"
done

ufw default deny incoming
ufw default allow outgoing
ufw allow "$port/tcp"
ufw allow 80/tcp
ufw allow 443/tcp
if [ "$1" = 1 ]; then
  ufw --force enable
  ufw reload
else
  ufw disable
  # It leaves chains of others as they are.
  for tables in iptables ip6tables; do
    if $tables --wait --numeric --list DOCKER-USER >/dev/null 2>&1; then $tables --wait --flush DOCKER-USER; fi
  done
fi
