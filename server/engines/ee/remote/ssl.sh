# Changes how a site is served over TLS: DOMAIN KIND, then options. KIND is one of EasyEngine's, "verify" to go on with what was begun, "renew", or
# "off", followed by the kind that it has, or -. For Let's Encrypt, EasyEngine would ask for an address and wait for ever.
domain=$1
kind=$2
shift 2
case $kind in
  le | verify | renew)
    mail=$(ee config get le-mail --no-color < /dev/null) || mail=
    [ -n "$mail" ] || { echo 'Error: The server has no email address for certificates. Run on it: ee config set le-mail ADDRESS'; exit 1; }
    ;;
esac
case $kind in
  verify) exec ee site ssl-verify "$domain" --no-color ;;
  renew) exec ee site ssl-renew "$domain" --force --no-color ;;
  off) ee site update "$domain" --ssl=off --no-color && set_aside "$domain" "$1" || exit 1 ;;
  *) bring_back "$domain" "$kind" && ee site update "$domain" --ssl="$kind" "$@" --no-color || exit 1 ;;
esac
# EasyEngine leaves the database as it was before addresses changed. A change is taken back by another one.
rm -f "$ee_home/.backup/$domain/$domain.db"
