# Prints the jobs of EasyEngine's scheduler that run the scheduled events of a WordPress, as JSON: DOMAIN.
query "select id from cron where site_url = '$1' and command like '%wp cron event run%' order by id limit 20"
