/** Full name of a method of the platform admin. */
export const platformMethod = (name: string): string => `easydash.api.platform.${name}`

/** A page of rows; `total` counts all that match. */
export type PageOf<Name extends string, Row> = { readonly [K in Name]: readonly Row[] } & { readonly total: number }
