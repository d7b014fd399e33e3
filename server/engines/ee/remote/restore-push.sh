# What a push takes of a staging site, and a change of the domain of the site before, see restore.sh.
# Enters the folder that has a path of the new tree, in which only we change something: PATH, and "make" for one that may be missing.
enter_next() {
  enter "$place/next/htdocs" || return 1
  rest=$1
  while :; do
    case $rest in */*) ;; *) return 0 ;; esac
    first=${rest%%/*}
    rest=${rest#*/}
    [ ! -L "./$first" ] || return 1
    [ -d "./$first" ] || { [ "${2-}" = make ] && mkdir -m 755 "./$first" 2> /dev/null; } || return 1
    cd -P "./$first" || return 1
  done
}
# Calls a function with each path of a list.
each_listed() { while IFS= read -r line; do decode "$line" && "$2" || return 1; done < "$1"; }
remove_file() {
  enter_next "$value" || return 0
  name=${value##*/}
  if [ -d "./$name" ] && [ ! -L "./$name" ]; then return 0; fi
  rm -f "./$name" && cd "$place/next/htdocs" || return 1
  # Folders that have nothing in them any more go with their last file.
  case $value in */*) rmdir -p "./${value%/*}" 2> /dev/null ;; esac
  return 0
}
# Copies those of the listed files that are in one folder: STAGING's folder of files. The folder is entered, and then only last names are used: a link
# that the staging site puts in place of a folder leads nowhere.
take_folder() {
  [ -s "$place/next/names" ] || return 0
  rm -f "$place/next/whole"
  enter "$theirs$folder" && mkdir -p "$place/next/taken$folder" || return 1
  { tar --null --no-recursion --hard-dereference -cf - -T "$place/next/names" && : > "$place/next/whole"; } | head -c $(($(room_in "$place") * 1024)) | tar -C "$place/next/taken$folder" --no-same-owner -xpf - || return 1
  [ -f "$place/next/whole" ] && : > "$place/next/names"
}
take_file() {
  case $value in */*) above=/${value%/*} ;; *) above= ;; esac
  [ "$above" = "$folder" ] || { take_folder && folder=$above; } || return 1
  printf './%s\0' "${value##*/}" >> "$place/next/names" && printf './%s\0' "$value" >> "$place/next/all"
}
# Files of the staging site as they were when they were compared: SHA-256 of what `sha256sum -z` says of them.
take_files() {
  folder=
  : > "$place/next/names" && : > "$place/next/all" && each_listed "$place/next/take" take_file && take_folder || return 1
  [ -z "$(find "$place/next/taken" ! -type d ! -type f)" ] && cd "$place/next/taken" || return 1
  [ "$(xargs -0 -r sha256sum -z < "$place/next/all" | sha256sum)" = "$1  -" ]
}
place_file() {
  enter_next "$value" make && name=${value##*/} && { [ -L "./$name" ] || [ ! -d "./$name" ]; } || {
    printf 'Error: The site has a file where staging has a folder, or the other way around: %s\n' "$value"
    return 1
  }
  mv -fT "$place/next/taken/$value" "./$name"
}
# The new tree is a copy of another one, with its links: FOLDER.
copy_site() { enter "$1" && copy_whole '' "$place/next/htdocs"; }
files_of() { theirs=$(readlink -f "$ee_home/sites/$1/app") && theirs=$theirs/htdocs; }
# The new tree is that of another site: DOMAIN. A version of WordPress that can be rolled back to only with its database has the address of before in that.
take_all() {
  files_of "$1" && has_room "$(du -skx "$theirs" | cut -f 1)" && copy_site "$theirs" && cd / || return 1
  (enter "$place/next/htdocs" && rm -rf ./.maintenance && { [ -z "$wordpress" ] || rm -rf ./wp-config.php; }) || return 1
  [ ! -f "$cores/$1.kept.sql" ] || (! enter "$place/next/htdocs/wp-content/.easydash-previous" || rm -rf ./core)
}
# The new tree is that of the site, with what was chosen of the staging site: STAGING, and for `take_files`. Nothing is unpacked where a link of a site
# could be.
merge_files() {
  rm -rf "$place/next/taken"
  copy_site "$app/htdocs" && mkdir "$place/next/taken" || return 1
  files_of "$1" && take_files "$2" || {
    has_room 1024 && echo 'Error: The files of the staging site changed since they were compared.'
    return 1
  }
  each_listed "$place/next/remove" remove_file && each_listed "$place/next/take" place_file || return 1
  cd / && rm -rf "$place/next/taken" "$place/next/names" "$place/next/all" "$place/next/whole"
}
