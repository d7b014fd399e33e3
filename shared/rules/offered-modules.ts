/** Modules an organization can turn on: EasyEngine servers and WP Cloud. */
export const modules = ['ee', 'wpc'] as const

/** A module of an organization. */
export type Module = (typeof modules)[number]

/** Modules with a switch. WP Cloud has one once its sites can be created; who has it on can turn it off. */
export function offeredModules(on: Readonly<Record<Module, boolean>>): readonly Module[] {
  return modules.filter((name) => name !== 'wpc' || on.wpc)
}
