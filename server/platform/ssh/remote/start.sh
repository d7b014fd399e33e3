# Starts the supervisor of a job in a session of its own and passes on what it reports: SCRIPT and its arguments. Its standard
# input is named, because that of a background process is empty otherwise.
exec 3<&0
report=$(setsid /bin/sh -c "$@" <&3 3<&- &)
echo "easydash $report"
