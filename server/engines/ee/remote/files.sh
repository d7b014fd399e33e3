# Lists, reads and changes files of a site, see files-common.sh.
case $verb in
  list)
    decode "$list"
    enter "$root${value:+/$value}" || refuse 20
    find . -mindepth 1 -maxdepth 1 -printf '%y %s %T@ %f\0' | head -z -n 200000 | head -c 25165824 | gzip -1 | base64 -w 0
    ;;
  read)
    each there
    is_file "$name" || refuse 22
    stat -c '%s %Y' "./$name"
    [ "$(stat -c %s "./$name")" -gt 1048576 ] || content count=1048576 | base64 -w 0
    ;;
  send)
    umask 077
    mkdir -p "$place/sent" || exit 1
    # Room for a piece. What is too much does not stay for a day.
    (has_room 4096) || { rm -f "$sent"; exit 25; }
    dd of="$sent" oflag=seek_bytes conv=notrunc seek="$1" bs=64K 2> /dev/null
    ;;
  write)
    begin
    arrived "$1"
    decode "$list"
    at "$value"
    if [ -z "$2" ]; then
      [ "./$name" -ef "$sent" ] || {
        exists "$name" && refuse 21
        chown --reference=. "$sent" && chmod 644 "$sent" && sync "$sent" && ln -T "$sent" "./$name" || refuse 21
      }
      finish ok
    fi
    exists "$name" || refuse 20
    is_file "$name" || refuse 22
    case "$(content count=1048577 | sha256sum)" in
      "$1"*) finish ok ;;
      "$2"*) ;;
      *) refuse 24 ;;
    esac
    owner=$(stat -c %u:%g "./$name") && mode=$(stat -c %a "./$name") || refuse 20
    chown "$owner" "$sent" && chmod "$(printf %o $((0$mode & 0777)))" "$sent" && sync "$sent" && mv -fT "$sent" "./$name" || refuse 23
    finish ok
    ;;
  make)
    begin
    decode "$list"
    mkdir -p "$sent" && chmod 755 "$sent" && chown --reference="$root" "$sent" && place_once "$value" && finish ok
    ;;
  move)
    begin
    [ -f "$kept/list" ] || {
      each there
      each free_at
      note_taken
    }
    move() { take && { [ ! -e "$kept/$number" ] && [ ! -L "$kept/$number" ] || place_at "$kept/$number" "$to"; }; }
    each move
    rm -rf "$kept" && finish ok
    ;;
  copy)
    begin
    each free_at
    each there
    is_file "$name" || is_folder "$name" || refuse 22
    has_room "$(du -skx "./$name" | cut -f 1)"
    [ -e "$sent.placing" ] || {
      copy_tree "$name" "$sent.copy" || { rm -rf "$sent.copy" "$sent.copy.whole"; exit 1; }
      chmod -R u-s,g-s,-t,u+w "$sent.copy/$name" && chown -R -h --reference="$root" "$sent.copy/$name" && rm -rf "$sent" && mv -T "$sent.copy/$name" "$sent" || exit 1
      rm -rf "$sent.copy"
    }
    place_once "$to" && finish ok
    ;;
  remove)
    begin
    [ -f "$kept/list" ] || { each there; note_taken; }
    each take
    finish ok
    ;;
  check) each there ;;
  free) each free_at ;;
  trash)
    for item in $(ls -r "$place/trash" 2> /dev/null | head -n 200); do
      [ ! -f "$place/trash/$item/list" ] || echo "$item $(base64 -w 0 < "$place/trash/$item/list")"
    done
    ;;
  restore)
    begin
    kept=$place/trash/$1
    [ -f "$kept/list" ] || refuse 26
    list=$(cat "$kept/list")
    left() { [ -e "$kept/$number" ] || [ -L "$kept/$number" ]; }
    check() { ! left || { make_above "$from"; free_at; }; }
    back() { ! left || place_at "$kept/$number" "$from"; }
    each check
    each back
    echo ok > "$place/done/$operation" && rm -rf "$kept"
    finish ok
    ;;
  empty)
    begin
    rm -rf "$place/trash"/* && finish ok
    ;;
  put)
    begin
    arrived "$1"
    decode "$list"
    to=$value
    make_above "$to"
    at "$to"
    trash=
    if [ ! "./$name" -ef "$sent" ]; then
      if exists "$name"; then
        [ "$2" = 1 ] && ! is_folder "$name" || refuse 21
        from=$to
        note_taken
        take
      fi
      chown --reference=. "$sent" && chmod 644 "$sent" && sync "$sent" || exit 1
      [ -z "${3-}" ] || stat -c '%i %s %y' "$sent" > "$place/done/packed-$3" || exit 1
      ln -T "$sent" "./$name" || refuse 21
    fi
    [ ! -f "$kept/list" ] || trash=$operation
    finish "ok $trash"
    ;;
  stat)
    each there
    ! is_folder "$name" || refuse 20
    is_file "$name" || refuse 22
    stat -c '%i %s %y' "./$name"
    ;;
  piece)
    each there
    [ "$(stat -c '%i %s %y' "./$name")" = "$3" ] || refuse 24
    content skip="$1" count="$2" | base64 -w 0
    ;;
  pack)
    umask 077
    decode "$1"
    enter "$root${value:+/$value}" || refuse 20
    each_exists() { exists "$from" || refuse 20; }
    each each_exists
    mkdir -p "$place/sent"
    sweep "$place"
    whole=$sent.$$.whole new=$sent.$$.new
    tar_names() { each tar_name; }
    tar_name() { printf '%s\0' "./$from"; }
    has_room "$(tar_names | du -sckx --files0-from=- | tail -n 1 | cut -f 1)"
    # 1: a file changed meanwhile. What was read of it is packed.
    { tar_names | tar --format=gnu --hard-dereference --one-file-system --null --verbatim-files-from -T - -cf - || [ $? = 1 ] && echo ok > "$whole"; } | gzip -1 > "$new" || exit 1
    [ -f "$whole" ] || { rm -f "$new"; echo 'Error: The files could not be packed.' >&2; exit 1; }
    rm -f "$whole" && mv -T "$new" "$sent" && stat -c %s "$sent"
    ;;
  sent)
    dd if="$sent" iflag=skip_bytes,count_bytes,fullblock bs=64K skip="$1" count="$2" 2> /dev/null | base64 -w 0
    ;;
  drop)
    rm -rf "$sent"
    ;;
  packed)
    decode "$list"
    noted=$(cat "$place/done/packed-$1" 2> /dev/null) || exit 0
    at "$value"
    [ "$(stat -c '%i %s %y' "./$name" 2> /dev/null)" = "$noted" ] && stat -c %s "./$name"
    exit 0
    ;;
  unpack-away)
    begin
    decode "$list"
    noted=$(cat "$place/done/packed-$1" 2> /dev/null) || finish gone
    at "$value"
    exists "$name" || { rm -f "$place/done/packed-$1"; finish gone; }
    [ "$(stat -c '%i %s %y' "./$name")" = "$noted" ] || finish left
    rm -f "./$name" "$place/done/packed-$1" && finish gone
    ;;
esac
exit 0
