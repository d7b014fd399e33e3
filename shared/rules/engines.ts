/** Engines that run the sites of a server; `fake` exists in tests. */
export const engineNames = ['local', 'ee', 'wpc', 'fake'] as const

/** One of the engines. */
export type EngineName = (typeof engineNames)[number]

/** `engine_host` of servers and sites: what runs them and where, for example `local:1a2b3c4d`. */
export const engineHostOf = (engine: EngineName, machine: string): string => `${engine}:${machine}`
