# The databases that killed creations of a site left on the server's MariaDB. Each attempt makes one of its own name before EasyEngine has a row of the
# site, so nothing else ever removes them.
on_global_db() {
  docker exec -i services_global-db_1 sh -c 'MYSQL_PWD=$MYSQL_ROOT_PASSWORD exec "$(command -v mariadb || command -v mysql)" --no-defaults --user=root --batch --raw --skip-column-names'
}
# Drops them, with the users that have rights on nothing else: ID. Those that EasyEngine has a row of are in use, also by the same site under another domain.
drop_left() {
  # Without a site that has a database, there is none.
  [ -n "$(docker ps -q --filter name=services_global-db_1)" ] || return 0
  used=$(query "select db_name from sites where db_name like 'ed_$1_%'") || return 1
  names=$(printf '%s\n' "show databases like 'ed\\_$1\\_%';" | on_global_db) || return 1
  for name in $(printf '%s\n' "$names" | grep -x "ed_$1_[0-9a-f]*"); do
    case $used in *"\"$name\""*) continue ;; esac
    users=$(echo "select concat('drop user if exists ', quote(User), '@', quote(Host), ';') from mysql.db where Db = '$name' and User not in (select User from mysql.db where Db <> '$name');" | on_global_db) || return 1
    printf '%s\n' "drop database if exists \`$name\`;" "$users" | on_global_db || return 1
  done
}
