/**
 * How what serves a site starts again: all of it, which visitors notice; its web server and PHP read their configuration again; its containers are made
 * anew, as its server makes them now.
 */
export const restartKinds = ['restart', 'reload', 'rebuild'] as const

/** One of `restartKinds`. */
export type RestartKind = (typeof restartKinds)[number]
