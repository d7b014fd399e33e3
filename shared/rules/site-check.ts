/** How often a site that is awake is checked, in seconds. The web app says so when a check is older. */
export const siteCheckSeconds = 300
/** Maximum duration of one check, in seconds. Its result can come that much later than the interval. */
export const siteCheckTimeoutSeconds = 60
