# Puts the certificate that a site was served with aside, and what EasyEngine knows of it: DOMAIN KIND, which is - if it is of nobody's use. Otherwise EasyEngine makes no other one
# while it is good for 35 days more, whoever made it, and the proxy prefers it to that of a parent.
certificate_parts() { echo "certs/$1.crt certs/$1.key certs/$1.chain.pem acme-conf/certs/$1 acme-conf/var/$1"; }
set_aside() {
  aside=$own_certificates/$1.before
  [ "$2" != - ] || aside=$own_certificates/$1.stale
  rm -rf "$aside" && mkdir -p "$own_certificates" && mkdir -m 700 "$aside" "$aside/certs" "$aside/acme-conf" "$aside/acme-conf/certs" "$aside/acme-conf/var" && echo "$2" > "$aside/kind" || return 1
  for part in $(certificate_parts "$1"); do [ ! -e "$proxy_home/$part" ] || mv -T "$proxy_home/$part" "$aside/$part" || return 1; done
}
# The same backward, if that one is of a kind: DOMAIN KIND. Else what is there, which nobody is served with, is put aside.
bring_back() {
  aside=$own_certificates/$1.before
  [ "$(cat "$aside/kind" 2> /dev/null)" = "$2" ] || { set_aside "$1" -; return; }
  for part in $(certificate_parts "$1"); do [ ! -e "$aside/$part" ] || { rm -rf "${proxy_home:?}/$part" && mv -T "$aside/$part" "$proxy_home/$part"; } || return 1; done
  rm -rf "$aside"
}
