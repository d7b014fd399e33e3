# Unpacks what was sent into a site, so that it can be taken back: see files-common.sh, and before other arguments the id of the operation. Its folder
# has what it replaced, and a plan: of each file and folder whether it is new (N), in a folder that is new (C), or replaces another (R).
undo=$place/undo/$1
# Numbers are those of the plan here.
refuse() { refuse_path "$1" "${to:-${into-}}"; }
remains() { echo "left $(printf %s "$1" | base64 -w 0) $(find "./$name" ! -type d -printf '%P\0' | head -z -n 20 | base64 -w 0)"; }
# What others put into folders meanwhile stays.
take_back() {
  [ -f "$undo/plan" ] || { rm -rf "$undo"; return 0; }
  into=$(cat "$undo/into"; echo .) && into=${into%.}
  number=$(wc -l < "$undo/plan")
  tac "$undo/plan" > "$undo/back" || exit 1
  while IFS= read -r line; do
    number=$((number - 1))
    rest=${line#? }
    path=${rest#? }
    to=${into:+$into/}$path
    case $line in
      R*)
        is_here "$undo/old/$number" || continue
        make_above "$to"
        at "$to"
        mv -fT "$undo/old/$number" "./$name" || refuse 23
        ;;
      ?' d '*)
        ! is_here "$undo/next/$path" && near "$to" && is_folder "$name" || continue
        rmdir "./$name" 2> /dev/null || case $line in N*) remains "$to" ;; esac
        ;;
      *) is_here "$undo/next/$path" || ! near "$to" || is_folder "$name" || rm -f "./$name" ;;
    esac
  done < "$undo/back"
  [ ! -f "$undo/folders" ] || while IFS= read -r to; do
    if near "$to" && is_folder "$name"; then rmdir "./$name" 2> /dev/null || remains "$to"; fi
  done < "$undo/folders"
  rm -rf "$undo"
}
# The same, which is silent unless it refuses.
took_back() { said=$(take_back) || { code=$?; printf '%s\n' "$said" | tail -n 1; exit "$code"; }; }
# Says what goes where, and writes it down.
plan() {
  missing= above= rest=$into
  : > "$undo/folders"
  while [ -n "$rest" ]; do
    first=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    above=${above:+$above/}$first
    if [ -z "$missing" ]; then
      at "$above"
      is_folder "$name" || ! exists "$name" || refuse_path 21 "$above"
      exists "$name" || missing=1
    fi
    [ -z "$missing" ] || { echo "$above" | cat - "$undo/folders" > "$undo/folders.new" && mv "$undo/folders.new" "$undo/folders"; }
  done
  moved=
  while IFS= read -r line; do
    kind=${line%% *} path=${line#* }
    case $path/ in "$moved"/*) echo "C $line" >&3; continue ;; esac
    to=${into:+$into/}$path
    if [ -z "$missing" ]; then
      at "$to"
      if is_folder "$name" && [ "$kind" = d ]; then continue; fi
      if exists "$name"; then
        [ "$kind" = f ] && ! is_folder "$name" && [ -n "$replace" ] || refuse_path 21 "$to"
        echo "R $line" >&3
        continue
      fi
    fi
    echo "N $line" >&3
    moved=$path
  done < "$undo/all" 3> "$undo/plan.new"
  mv "$undo/plan.new" "$undo/plan"
}
apply() {
  make "$into"
  number=0
  while IFS= read -r line; do
    rest=${line#? }
    path=${rest#? }
    to=${into:+$into/}$path
    case $line in
      N*) place_at "$undo/next/$path" "$to" ;;
      R*)
        at "$to"
        ln -PT "./$name" "$undo/old/$number" 2> /dev/null || mv -T "./$name" "$undo/old/$number" || refuse 23
        mv -fT "$undo/next/$path" "./$name" || refuse 23
        ;;
    esac
    number=$((number + 1))
  done < "$undo/plan"
}
case $verb in
  state) [ ! -f "$undo/done" ] || cat "$undo/done" ;;
  unpack)
    replace=$3
    begin
    [ ! -f "$undo/done" ] || finish "$(cat "$undo/done")"
    [ ! -d "$undo" ] || took_back
    arrived "$2"
    decode "$list"
    into=$value
    # Those of earlier operations are forgotten.
    rm -rf "$place/undo" && mkdir -p "$undo/next" "$undo/old" && printf %s "$into" > "$undo/into" || exit 1
    has_room "$5"
    tar -C "$undo/next" --no-same-owner -xpzf "$sent" && chown -R -h --reference="$root" "$undo/next" || exit 1
    (cd "$undo/next" && find . -mindepth 1 -printf '%y %P\n') > "$undo/all" || exit 1
    plan
    apply
    if [ -n "$6" ]; then echo "$4" > "$undo/done"; else rm -rf "$undo"; fi
    finish "$4"
    ;;
  undo)
    begin
    [ -d "$undo" ] || finish none
    took_back
    finish "kept
$said"
    ;;
  forget)
    begin
    rm -rf "$undo" && finish ok
    ;;
esac
exit 0
