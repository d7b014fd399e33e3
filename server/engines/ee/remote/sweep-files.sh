# Removes what nobody needs any more of what is kept beside the sites of a server (see `sweep`, also for its variable), of what was packed to
# compare them, and of backups that were tried out, whose containers have ended by then.
for app in "$ee_home"/sites/*/app; do
  app=$(readlink -f "$app") && [ -d "$app" ] || continue
  sweep "${app%/*}/easydash-files"
done
[ ! -d "$packed" ] || find "$packed" -mindepth 1 -maxdepth 1 -name '*-compare-*' -mmin +1440 -exec rm -rf {} +
[ ! -d "$own_home/proofs" ] || find "$own_home/proofs" -mindepth 1 -maxdepth 1 -mmin +1440 -exec rm -rf {} +
exit 0
