# The database of a site, for scripts that read or replace it. Variables: domain, box, and database: "wp" for that of a WordPress, which WP-CLI reaches;
# "mariadb" for that of a PHP site. Only EasyEngine knows its login: that is read here, and programs in the site's PHP get its password by their environment.
# SQLite escapes quotes and backslashes, which can be passed on, and line breaks, which can't.
column() { printf '%s\n' "$login" | LC_ALL=C sed -n "s/.*\"$1\":\"\(\([^\"\\\\]\|\\\\[\"\\\\]\)*\)\"[,}].*/\1/p" | LC_ALL=C sed 's/\\\(["\\]\)/\1/g'; }
with_login="site_type = 'php' and db_name <> ''"
# Reads the login of the database of a PHP site: DOMAIN. Fails without one.
login_of() {
  login=$(query "select db_host, db_port, db_name, db_user, db_password from sites where site_url = '$1' and $with_login") || { unreadable_sites; return 1; }
  [ -n "$login" ] || { echo "Error: EasyEngine knows no database of $1." >&2; return 1; }
  db_host=$(column db_host) db_port=$(column db_port) db_name=$(column db_name) db_user=$(column db_user) db_password=$(column db_password)
  [ -n "$db_host" ] && [ -n "$db_name" ] && [ -n "$db_user" ] && [ -n "$db_password" ] || {
    echo "Error: The login of the database of $1 can't be used: a part of it is empty or has a line break. Change it first." >&2
    return 1
  }
}
quoted() { printf "'%s'" "$(printf '%s' "$1" | LC_ALL=C sed "s/[\\\\']/\\\\&/g")"; }
# Writes that login for the code of the site: FILE.
note_login() {
  {
    echo '<?php'
    echo '// The database of this site.'
    printf 'return array(\n'
    for key in host port name user password; do
      case $key in host) value=$db_host ;; port) value=${db_port:-3306} ;; name) value=$db_name ;; user) value=$db_user ;; password) value=$db_password ;; esac
      printf "\t'%s' => %s,\n" "$key" "$(quoted "$value")"
    done
    echo ');'
  } > "$1"
}
unreadable_sites() { echo "Error: EasyEngine's list of sites can't be read." >&2; }
# Runs a program of MariaDB on it: what finds the program, then options.
on_mariadb() {
  found=$1
  shift
  login_of "$domain" || return 1
  MYSQL_PWD=$db_password docker exec -i -u www-data ${marked:+-e "$marked"} -e MYSQL_PWD "$box" sh -c "exec \"\$($found)\" \"\$@\"" sh --no-defaults "--host=$db_host" "--port=${db_port:-3306}" "--user=$db_user" --default-character-set=utf8mb4 "$@" "$db_name"
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
SET @drop_views = IF(@views IS NULL, 'DO 0', CONCAT('DROP VIEW ', @views));
SET @drop_tables = IF(@tables IS NULL, 'DO 0', CONCAT('DROP TABLE ', @tables));
PREPARE drop_views FROM @drop_views;
EXECUTE drop_views;
PREPARE drop_tables FROM @drop_tables;
EXECUTE drop_tables;
SQL
}
# Makes a compressed dump, whose end was looked at, the database: FILE. One that cannot be read to its end is an error to the database, too. WP-CLI cleans
# a database only while WordPress loads, which one does not that is broken, or whose database was emptied by a restore that broke off.
replace_database() {
  { clearing && gzip -dc "$1" || echo "* '"; } | case $database in
    wp) inside wp db import - --skip-plugins --skip-themes ;;
    *) on_mariadb 'command -v mariadb || command -v mysql' ;;
  esac
}
# Files of a copy name the database of its original, where their login is written into them. On the same server they would write there, so those below a
# folder of ours get the login of the copy: DOMAIN of the original, FOLDER. The password tells which files have the login, so nothing is copied whose
# password can't be found for sure. Names of less than eight characters are words that code uses for other things, too: they are replaced only where they
# are a whole value, or a part of an address. One that stays leads nowhere, because its password is another one. Files of more than 16 MB are no code.
adopt_login() {
  [ "$1" != "$domain" ] || return 0
  known=$(query "select 1 from sites where site_url = '$1' and $with_login") || { unreadable_sites; return 1; }
  [ -n "$known" ] || return 0
  login_of "$1" || return 1
  old_name=$db_name old_user=$db_user old_password=$db_password
  login_of "$domain" || return 1
  if [ "${#old_password}" -lt 8 ] || [ "$old_password" = "$old_name" ] || [ "$old_password" = "$old_user" ]; then
    echo "Error: The password of the database of $1 can't be told apart in its code. Set one of at least 8 characters that is not a name, or the copy would use that database." >&2
    return 1
  fi
  old_name=$old_name old_user=$old_user old_password=$old_password new_name=$db_name new_user=$db_user new_password=$db_password \
    find "$2" -type f -size -16385k -exec perl -e '
      my %new = map { $ENV{"old_$_"} => $ENV{"new_$_"} } qw(name user password);
      my ($word, $key) = (qr/[\w\x80-\xff-]/, qr/\s*(?:=>|:|\])/);
      my ($password) = map { qr/(?<!$word)$_(?!$word)/ } quotemeta $ENV{old_password};
      my $login = join "|", map {
        my $one = quotemeta;
        length($_) < 8
          ? qr/\x27\K$one(?=\x27(?!$key))|"\K$one(?="(?!$key))|(?:=[ \t]*|:[ \t]+|@[^\/\s\x27"]+\/)\K$one(?=[\s;&?\x27"]|\z)|:\/\/\K$one(?=:)/
          : qr/(?<!$word)$one(?!$word)/
      } sort { length $b <=> length $a } keys %new;
      for my $file (@ARGV) {
        open my $in, "<", $file or die "Error: A file of the copy cannot be read: $!\n";
        my $text = do { local $/; <$in> };
        next if index($text, "\0") >= 0 || $text !~ $password;
        $text =~ s/$login/$new{$&}/g;
        open my $out, ">", $file or die "Error: A file of the copy cannot be written: $!\n";
        print $out $text and close $out or die "Error: A file of the copy cannot be written: $!\n";
        print "x";
      }' {} + > "$2.adopted" || return 1
  count=$(($(wc -c < "$2.adopted")))
  rm -f "$2.adopted"
  case $count,$old_password in
    0,*[!A-Za-z0-9._~-]*)
      echo "Error: The password of the database of $1 is not in its code as it is. Use letters and digits only, or the copy would use that database." >&2
      return 1
      ;;
    0,*) ;;
    *) echo "Replaced the login of the database of $1 in $count files by that of the copy" ;;
  esac
}
