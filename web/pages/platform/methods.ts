/** Full name of a platform method. */
export const platformMethod = (name: string): string => `easydash.api.platform.${name}`

/** A page of rows; `total` counts all matches. */
export type PageOf<Name extends string, Row> = { readonly [K in Name]: readonly Row[] } & { readonly total: number }
