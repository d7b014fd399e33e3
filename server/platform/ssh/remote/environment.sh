# At the beginning of each script: messages in English, and the places where programs are, whatever the login shell sets.
# A simulated machine (EASYDASH_ROOT) has programs of its own.
[ "${EASYDASH_ROOT-}" ] || PATH="${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
export LC_ALL=C.UTF-8 PATH
base=${EASYDASH_STATE:-/var/lib/easydash}
