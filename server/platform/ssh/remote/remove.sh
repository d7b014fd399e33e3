# Removes the folder of a job that does not run: ID.
if [ ! -s "$base/jobs/$1/exit" ] && active "$1"; then echo 'easydash busy'; exit; fi
rm -rf "$base/jobs/$1" && echo 'easydash ok'
