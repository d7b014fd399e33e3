# Removes what Redis keeps of a site: DOMAIN.
purge_redis "$1"
