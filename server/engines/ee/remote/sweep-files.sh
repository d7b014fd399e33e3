# Removes what nobody needs any more of what is kept beside the sites of a server: see `sweep`, also for its variable.
for app in "$ee_home"/sites/*/app; do
  app=$(readlink -f "$app") && [ -d "$app" ] || continue
  sweep "${app%/*}/easydash-files"
done
exit 0
