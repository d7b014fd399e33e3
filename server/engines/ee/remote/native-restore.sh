# Has EasyEngine put back a backup that it made by itself: DOMAIN ID OPERATION BACKUP, and WORKDIR of a WordPress, else "-". Its file "state" says how far that is:
# OPERATION STATE. It is "untouched" as long as EasyEngine has replaced nothing, "begun" while that may be otherwise.
domain=$1
operation=$3
backup=$4
workdir=$5
place=$natives/$2
work=$ee_home/.backup/$domain
nginx=$ee_home/sites/$domain/config/nginx/custom/user.conf
php=$ee_home/sites/$domain/config/php/php/conf.d/custom.ini
marked=EASYDASH_RUN=native-$operation
now=
state=
[ ! -f "$place/state" ] || read -r now state < "$place/state" || exit 1
note() { echo "$operation $1" > "$place/state.new" && mv "$place/state.new" "$place/state"; }
is_wordpress() { [ "$workdir" != - ]; }
find_box() { box=$(container "$domain" php) && [ -n "$box" ] || { echo 'Error: The site does not run.'; exit 4; }; }
own_lines() { [ ! -f "$1" ] || own_text "$1" | sed -n '/^[#;] easydash .*begin$/,/^[#;] easydash .*end$/p'; }
# Gives a file the lines of ours that it had before: FILE KEPT.
put_own() {
  [ -f "$1" ] && [ "$(own_lines "$1")" != "$(cat "$2")" ] || return 0
  changed=1
  said=$(own_text "$1" && echo .) || return 1
  { printf %s "${said%.}" | sed -e '/^[#;] easydash .*begin$/,/^[#;] easydash .*end$/d' -e '$a\' && cat "$2"; } | rewrite "$1"
}
umask 077
if [ "$now" != "$operation" ]; then
  rm -rf "$place" && mkdir -p "$place" || exit 1
  own_lines "$nginx" > "$place/user.conf" && own_lines "$php" > "$place/custom.ini" || exit 1
  ! is_wordpress || find_box
  note untouched || exit 1
elif [ "$state" = begun ]; then
  # Ours was ended, and nobody removes its lock any more.
  end_marked
  rm -f "$work.lock"
fi
if [ "$state" != replaced ] || [ "$now" != "$operation" ]; then
  [ ! -e "$work.lock" ] || { echo "Error: EasyEngine is making or restoring another backup of the site. If it is not, remove $work.lock on the server."; exit 5; }
  # EasyEngine takes what is there for what it was to fetch, whichever backup that is of.
  rm -rf "$work" && note begun || exit 1
  # It shows the password of the database, and does not stop at what fails inside of the site.
  ended=$({ env "$marked" ee site restore "$domain" --id="$backup" --no-color < /dev/null 2>&1 && echo ended 0 || echo ended 1; } | {
    replaces=
    success=
    code=1
    while IFS= read -r line; do
      case $line in
        'Restoring site files.'*) replaces=1 ;;
        'Success: Site restored successfully.'*) success=1 ;;
        'ended '*) code=${line#ended } ;;
      esac
      case $line in
        *password* | *PASSWORD* | *DB_*) ;;
        'Restoring '* | 'Reloading '* | 'Custom '* | 'Success: Backup '* | 'Success: Site restored '* | 'Warning: '* | 'Error: '*) printf '%s\n' "$line" >&2 ;;
      esac
    done
    echo "$code $success $replaces"
  })
  # There was none before, and one that failed leaves its own.
  rm -f "$work.lock"
  case $ended in
    '0 1 '*) note replaced || exit 1 ;;
    *' 1') exit 1 ;;
    *)
      note untouched
      exit 1
      ;;
  esac
fi
changed=
put_own "$nginx" "$place/user.conf" && put_own "$php" "$place/custom.ini" || exit 1
if [ -n "$changed" ] && ! { reload_nginx "$domain" && { [ ! -f "$php" ] || run_ee site reload "$domain" --php; }; }; then
  back "$nginx" "$php"
  run_ee site reload "$domain" --nginx
  echo 'Error: The web server of the restored site does not accept what was set from Easydash: maintenance, limits or redirects.'
  exit 1
fi
rm -f "$nginx.easydash" "$php.easydash"
if is_wordpress; then
  find_box
  # Links of the time of the backup have been used, or are over. The plugin comes with the next one.
  inside sh -c 'rm -rf wp-content/easydash-login wp-content/mu-plugins/easydash-login.php' < /dev/null || exit 1
fi
note restored
