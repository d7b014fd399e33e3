/** Full name of a platform method. */
export const platformMethod = (name: string): string => `easydash.api.platform.${name}`
