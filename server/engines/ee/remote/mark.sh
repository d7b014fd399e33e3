# Notes the state of a site of ours: DOMAIN ID STATE.
note_mark "$1" "$2" "$3"
