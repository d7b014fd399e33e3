/** How often a site that is awake is checked, in seconds. The web app says so when a check is older. */
export const siteCheckSeconds = 300
