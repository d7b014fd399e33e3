# Turns on or off what runs the scheduled events of a WordPress: a job of EasyEngine's scheduler, which it can only create and delete. DOMAIN, and
# "pause" or "resume"; "state" prints these jobs as JSON. When the job ran is kept for the way back.
found=$(query "select id, schedule from cron where site_url = '$1' and command like '%wp cron event run%' order by id limit 20") || exit 1
case $2 in
  state) printf %s "$found" ;;
  pause)
    mkdir -p "$paused" || exit 1
    # The first field is for seconds, which EasyEngine adds itself.
    schedule=$(printf %s "$found" | sed -n 's/.*"schedule":"0 \([0-9*\/, -]*\)".*/\1/p' | head -n 1)
    [ -z "$schedule" ] || printf '%s\n' "$schedule" > "$paused/$1" || exit 1
    for id in $(printf %s "$found" | grep -o '"id":[0-9]*' | cut -d : -f 2); do ee cron delete "$id" --no-color || exit 1; done
    ;;
  resume)
    [ -z "$found" ] || [ "$found" = '[]' ] || exit 0
    schedule=
    [ ! -f "$paused/$1" ] || read -r schedule < "$paused/$1"
    ee cron create "$1" --user=www-data --command='wp cron event run --due-now' --schedule="${schedule:-*/10 * * * *}" --no-color || exit 1
    rm -f "$paused/$1"
    ;;
esac
