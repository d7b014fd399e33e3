# The database of a site, for scripts that read or replace it. Variables: domain, box, and database: "wp" for that of a WordPress, which WP-CLI reaches;
# "mariadb" for that of a PHP site. Only EasyEngine knows its login: that is read here, and programs in the site's PHP get its password by their environment.
column() { printf '%s\n' "$login" | sed -n "s/.*\"$1\":\"\([^\"\\\\]*\)\".*/\1/p"; }
# Reads the login of the database of a PHP site: DOMAIN. Fails without one.
login_of() {
  login=$(query "select db_host, db_port, db_name, db_user, db_password from sites where site_url = '$1' and site_type = 'php' and db_name <> ''") && [ -n "$login" ] || return 1
  db_host=$(column db_host) db_port=$(column db_port) db_name=$(column db_name) db_user=$(column db_user) db_password=$(column db_password)
  [ -n "$db_host" ] && [ -n "$db_name" ] && [ -n "$db_user" ] && [ -n "$db_password" ] || { echo 'Error: The login of the database has characters that cannot be passed on.'; return 1; }
}
# Runs a program of MariaDB on it: what finds the program, then options.
on_mariadb() {
  found=$1
  shift
  login_of "$domain" || { echo 'Error: EasyEngine knows no database of the site.' >&2; return 1; }
  MYSQL_PWD=$db_password docker exec -i -u www-data -e MYSQL_PWD "$box" sh -c "exec \"\$($found)\" \"\$@\"" sh --no-defaults "--host=$db_host" "--port=${db_port:-3306}" "--user=$db_user" --default-character-set=utf8mb4 "$@" "$db_name"
}
# Prints a dump that has the state of one moment; options of WP-CLI.
export_database() {
  case $database in
    wp) inside wp db export - "$@" --single-transaction --hex-blob ;;
    *) on_mariadb 'command -v mariadb-dump || command -v mysqldump' --single-transaction --hex-blob ;;
  esac < /dev/null
}
# Tables and views that a dump does not name have to go, too.
clearing() {
  cat << 'SQL'
SET SESSION foreign_key_checks = 0, group_concat_max_len = 16000000;
SET @views = (SELECT GROUP_CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'VIEW');
SET @tables = (SELECT GROUP_CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE <> 'VIEW');
EXECUTE IMMEDIATE IF(@views IS NULL, 'DO 0', CONCAT('DROP VIEW ', @views));
EXECUTE IMMEDIATE IF(@tables IS NULL, 'DO 0', CONCAT('DROP TABLE ', @tables));
SQL
}
# Makes a compressed dump, whose end was looked at, the database: FILE. One that cannot be read to its end is an error to the database, too.
replace_database() {
  case $database in
    wp) inside wp db clean --yes < /dev/null && gzip -dc "$1" | inside wp db import - ;;
    *) { clearing && gzip -dc "$1" || echo "* '"; } | on_mariadb 'command -v mariadb || command -v mysql' ;;
  esac
}
# Files of a copy name the database of its original, where their login is written into them. On the same server they would write there, so those below a
# folder of ours get the login of the copy: DOMAIN of the original, FOLDER.
adopt_login() {
  [ "$1" != "$domain" ] && login_of "$1" 2> /dev/null > /dev/null || return 0
  old_name=$db_name old_user=$db_user old_password=$db_password
  login_of "$domain" || return 1
  pattern() { printf '%s' "$1" | sed 's/[][\.*^$/]/\\&/g'; }
  with() { printf '%s' "$1" | sed 's/[\&/]/\\&/g'; }
  swaps="s/$(pattern "$old_name")/$(with "$db_name")/g;s/$(pattern "$old_user")/$(with "$db_user")/g"
  # A word that others use, too, is none to replace.
  [ "${#old_password}" -lt 8 ] || swaps="$swaps;s/$(pattern "$old_password")/$(with "$db_password")/g"
  LC_ALL=C grep -rlIZF -e "$old_name" -e "$old_user" -- "$2" > "$2.named"
  [ $? -le 1 ] && LC_ALL=C xargs -0 -r sed -i -e "$swaps" < "$2.named" || return 1
  [ ! -s "$2.named" ] || echo "Replaced the login of the database of $1 in $(tr -cd '\0' < "$2.named" | wc -c) files by that of the copy"
  rm -f "$2.named"
}
