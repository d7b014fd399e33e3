import type { WordPressPlugin } from '#shared/responses/wordpress.ts'

/** Which plugins are shown. */
export const pluginFilters = ['all', 'active', 'inactive', 'updates'] as const

/** One of `pluginFilters`. */
export type PluginFilter = (typeof pluginFilters)[number]

/** Case and accents don't matter in a search. */
const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Whether a plugin is shown with this filter and search. */
export function matchesPlugin(plugin: WordPressPlugin, filter: PluginFilter, text: string): boolean {
  if (filter === 'active' && !plugin.active) return false
  if (filter === 'inactive' && plugin.active) return false
  if (filter === 'updates' && plugin.update === null) return false
  const wanted = plain(text.trim())
  return wanted === '' || [plugin.name, plugin.id, plugin.author].some((known) => plain(known).includes(wanted))
}
