# Notes the state of a site of ours: DOMAIN ID STATE.
mkdir -p "$marks" && echo "$2 $3" > "$marks/$1.new.$$" && mv "$marks/$1.new.$$" "$marks/$1"
