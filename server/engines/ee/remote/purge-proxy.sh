# Forgets the pages of a site that the proxy keeps: DOMAIN.
exec docker exec services_global-nginx-proxy_1 find "/var/cache/nginx/$1" -type f -delete
