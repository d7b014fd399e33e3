# A backup that is tried out beside its site, in containers of its own that have no network: DOMAIN ID VERB, then arguments of the verb. Of the site they
# have the images alone: their files and their database are made of the backup. They end by themselves after two hours.
domain=$1
id=$2
verb=$3
shift 3
proofs=$own_home/proofs
place=$proofs/$id
box=easydash-proof-$id-php
workdir=/var/www/htdocs
state=
[ ! -f "$place/state" ] || read -r state < "$place/state" || exit 1
boxes() { docker ps -aq --filter "label=easydash.proof=$1"; }
# Removes what there is of a proof: ID. Docker says nothing where it does not answer.
remove_proof() {
  found=$(boxes "$1") || return 1
  for one in $found; do docker rm -f -v "$one" > /dev/null < /dev/null || return 1; done
  rm -rf "${proofs:?}/$1"
}
image_of() { [ -n "$1" ] && docker inspect --format '{{.Config.Image}}' "$1"; }
# Nothing that runs there gets more rights, more than this of the machine, or a network, and where memory runs out it ends before any site: NAME, options and the image with its words.
begin_box() {
  name=$1
  shift
  docker run -d --rm --name "easydash-proof-$id-$name" --label "easydash.proof=$id" --memory 1g --oom-score-adj 1000 --cpus 1 --pids-limit 300 --log-driver none --security-opt no-new-privileges --cap-drop ALL "$@" > /dev/null < /dev/null
}
# The container has its own login in its environment. It takes as much at a time as EasyEngine's database does, so what could not be restored there is not
# proven.
on_proof() {
  docker exec -i "easydash-proof-$id-db" sh -c 'MYSQL_PWD=$MYSQL_PASSWORD exec "$(command -v mariadb || command -v mysql)" --no-defaults --host=127.0.0.1 --protocol=tcp "--user=$MYSQL_USER" --default-character-set=utf8mb4 --max-allowed-packet=16M "$@" "$MYSQL_DATABASE"' sh "$@"
}
is_running() { [ -n "$(docker ps -q --filter "name=easydash-proof-$id-$1")" ]; }
note() { echo "$1" > "$place/state.new" && mv "$place/state.new" "$place/state"; }
case $verb in
  state)
    [ -z "$state" ] || echo "state $state"
    [ "$state" != unloaded ] || head -c 300 "$place/reason"
    ;;
  remove) remove_proof "$id" ;;
  begin)
    umask 077
    remove_proof "$id" || exit 1
    # Nobody ends these any more.
    for other in "$proofs"/*; do
      [ -z "$(find "$other" -maxdepth 0 -mmin +1440 2> /dev/null)" ] || remove_proof "${other##*/}" || exit 1
    done
    mkdir -p "$place/app" && [ "$(room_in "$place")" -gt $(($1 / 1024)) ] || {
      rm -rf "$place"
      echo 'Error: The disk of the server has no room to try the backup out.'
      exit 1
    }
    note begun
    ;;
  prepare)
    [ "$state" = begun ] || exit 0
    umask 077
    site=$(readlink -f "$ee_home/sites/$domain/app") && [ -d "$site/htdocs" ] || exit 1
    php_image=$(image_of "$(container "$domain" php)") || { echo 'Error: The site does not run.'; exit 4; }
    own_db=$(container "$domain" db)
    db_image=$(image_of "${own_db:-services_global-db_1}") || { echo 'Error: There is no MariaDB on the server.'; exit 1; }
    echo "$1  $place/files.tar.gz" | sha256sum -c --quiet && echo "$2  $place/database.sql.gz" | sha256sum -c --quiet || exit 1
    # The code of a PHP site has the login of its database: there it leads to the one that is made of the backup.
    case $3 in
      wp) db_host=127.0.0.1 db_name=easydash db_user=easydash db_password=$(od -An -N 24 -tx1 /dev/urandom | tr -d ' \n') ;;
      *) login_of "$domain" || exit 1 ;;
    esac
    rm -rf "$place/app/htdocs" && mkdir "$place/app/htdocs" && tar -C "$place/app/htdocs" --no-same-owner -xzf "$place/files.tar.gz" || exit 1
    rm -f "$place/files.tar.gz"
    mv "$place/router.php" "$place/app/easydash-router.php" || exit 1
    case $3 in
      wp) sed "s/easydash_password/$db_password/" "$place/wp-config.php" > "$place/app/wp-config.php" ;;
      *) note_login "$place/app/database.php" ;;
    esac || exit 1
    chown -R -h --reference="$site/htdocs" "$place/app" && chmod 755 "$place/app" && chmod --reference="$site/htdocs" "$place/app/htdocs" || exit 1
    (
      MYSQL_PASSWORD=$db_password MYSQL_ROOT_PASSWORD=$db_password
      export MYSQL_PASSWORD MYSQL_ROOT_PASSWORD
      # KILL: its limit of time is root's, and MariaDB another user's.
      begin_box db --network none --cap-add CHOWN --cap-add DAC_OVERRIDE --cap-add FOWNER --cap-add KILL --cap-add SETGID --cap-add SETUID --add-host "$db_host:127.0.0.1" \
        -e MYSQL_ROOT_PASSWORD -e "MYSQL_DATABASE=$db_name" -e "MYSQL_USER=$db_user" -e MYSQL_PASSWORD -e MARIADB_INITDB_SKIP_TZINFO=1 \
        --entrypoint timeout "$db_image" -k 5 7200 docker-entrypoint.sh mariadbd --skip-log-bin --bind-address=127.0.0.1 --max-allowed-packet=16M --innodb-buffer-pool-size=128M --innodb-flush-log-at-trx-commit=0
    ) || exit 1
    begin_box php --network "container:easydash-proof-$id-db" --user www-data -v "$place/app:/var/www" -w "$workdir" -e PHP_CLI_SERVER_WORKERS=4 \
      --entrypoint timeout "$php_image" -k 5 7200 php -S 127.0.0.1:8080 -t "$workdir" /var/www/easydash-router.php || exit 1
    left=180
    until echo 'SELECT 1' | on_proof > /dev/null 2>&1; do
      left=$((left - 1))
      [ "$left" -gt 0 ] && is_running db || { echo 'Error: The database that the backup is tried out with does not start.'; exit 1; }
      sleep 1
    done
    echo 'Loading the database'
    if { gzip -dc "$place/database.sql.gz" || echo "* '"; } | on_proof > /dev/null 2> "$place/reason"; then
      is_running php || { echo 'Error: The PHP that the backup is tried out with does not run.'; exit 1; }
      note ready
    else
      # It may have been the machine that ended it.
      is_running db || { echo 'Error: The database that the backup is tried out with was ended.'; exit 1; }
      note unloaded
    fi
    rm -f "$place/database.sql.gz"
    ;;
  # Before any code of the site ran: a line for each table, with its rows.
  rows)
    on_proof --batch --skip-column-names << 'SQL'
SET SESSION group_concat_max_len = 16000000;
SET @counts = (SELECT GROUP_CONCAT('SELECT ', QUOTE(TABLE_NAME), ', COUNT(*) FROM `', REPLACE(TABLE_NAME, '`', '``'), '`' SEPARATOR ' UNION ALL ') FROM (SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME LIMIT 500) AS own);
EXECUTE IMMEDIATE IF(@counts IS NULL, 'DO 0', @counts);
SQL
    ;;
  # Whether what was seen is of the backup, and not of a machine that ended something.
  alive) ! is_running db || ! is_running php || echo alive ;;
  php) printf %s "$program" | inside_for "$1" php -d memory_limit=512M ;;
esac
