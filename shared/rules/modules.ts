/** Modules an organization can turn on: EasyEngine servers and WP Cloud. */
export const modules = ['ee', 'wpc'] as const

/** A module of an organization. */
export type Module = (typeof modules)[number]
