# At the beginning of each script: messages in English, and the places where programs are, whatever the login shell sets.
export LC_ALL=C.UTF-8 PATH="${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
base=${EASYDASH_STATE:-/var/lib/easydash}
