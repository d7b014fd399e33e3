/**
 * One change of a site's WordPress, as engines make it. Stored with its job, so it contains no secret. `network`: on all sites of a
 * network, those to come included.
 */
export type WordPressChange =
  | { readonly kind: 'activate_plugin'; readonly plugin: string; readonly network?: boolean }
  | { readonly kind: 'deactivate_plugin' | 'delete_plugin'; readonly plugin: string }
  | { readonly kind: 'set_plugin_auto_update'; readonly plugin: string; readonly enabled: boolean }
  | { readonly kind: 'activate_theme' | 'delete_theme'; readonly theme: string }
  | { readonly kind: 'set_theme_auto_update'; readonly theme: string; readonly enabled: boolean }
  | { readonly kind: 'add_user'; readonly login: string; readonly email: string; readonly role: string }
  | { readonly kind: 'set_role'; readonly login: string; readonly role: string }
  | { readonly kind: 'rename_user'; readonly login: string; readonly to: string }
  | { readonly kind: 'delete_user'; readonly login: string; readonly reassign_to: string }
  | { readonly kind: 'run_event'; readonly id: string }
  | { readonly kind: 'pause_events'; readonly paused: boolean }
  | { readonly kind: 'add_network_site'; readonly path: string; readonly title: string }
  | { readonly kind: 'delete_network_site'; readonly id: number }
  | { readonly kind: 'set_theme_network'; readonly theme: string; readonly enabled: boolean }
  | { readonly kind: 'set_super_admin'; readonly login: string; readonly enabled: boolean }
  | { readonly kind: 'flush_cache' }

/** Installing what was uploaded. `staged`: its id on the site, `title`: its name and version. */
export type UploadedChange = {
  readonly kind: 'install_plugin' | 'install_theme'
  readonly staged: string
  readonly title: string
  readonly replace: boolean
}

/** Largest plugin or theme that can be uploaded. */
export const maxPackageBytes = 512 * 1_048_576

/** A change of which plugins and themes a site has, and in which version. `slug`: its name on wordpress.org. */
export type PackageChange =
  | { readonly kind: 'install_plugin' | 'install_theme'; readonly slug: string }
  | UploadedChange
  | { readonly kind: 'update_plugin' | 'roll_back_plugin'; readonly plugin: string }
  | { readonly kind: 'update_theme' | 'roll_back_theme'; readonly theme: string }
  | { readonly kind: 'restore_plugin' | 'restore_theme'; readonly folder: string }

/** What the action `set_plugin` does, by its argument `do`. */
export const pluginOperations = [
  'activate',
  'deactivate',
  'update',
  'delete',
  'auto_update_on',
  'auto_update_off',
  'rollback',
] as const

/** What the action `set_theme` does, by its argument `do`. */
export const themeOperations = [
  'activate',
  'update',
  'delete',
  'auto_update_on',
  'auto_update_off',
  'rollback',
] as const satisfies readonly (typeof pluginOperations)[number][]

/** Name of a plugin or theme on wordpress.org, the last part of its address there. */
export function isPackageSlug(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,99}$/.test(text)
}

/** Path of a plugin's main file below its folder, which is WordPress' id of it, for example `akismet/akismet.php`. */
export function isPluginId(text: string): boolean {
  return text.length <= 200 && /^(?:[\w.-]+\/){0,2}[\w.-]+\.php$/.test(text) && !hasDotsOnly(text)
}

/** Folder of a theme, which is WordPress' id of it, for example `twentytwentyfour`. */
export function isThemeId(text: string): boolean {
  return text.length <= 200 && /^[\w.-]+(?:\/[\w.-]+)?$/.test(text) && !hasDotsOnly(text)
}

/** Folder of a plugin or theme, below that of all. */
export function isPackageFolder(text: string): boolean {
  return text.length <= 100 && /^[\w.-]+$/.test(text) && !hasDotsOnly(text)
}

/** Whether a part of the path names this folder or the one above. */
function hasDotsOnly(path: string): boolean {
  return path.split('/').some((part) => /^\.+$/.test(part))
}

/** Login name of a WordPress user: the characters WordPress allows, without spaces at the ends. */
export function isWordPressLogin(text: string): boolean {
  return text.length <= 60 && /^[\w .@-]+$/.test(text) && text.trim() === text
}

/** Login names that the document of a site can have as its administrator: what our own forms allow for a new name. */
export function isPlainLogin(text: string): boolean {
  return /^[\w.@-]{1,32}$/.test(text)
}

/** Key of a role in WordPress, for example `editor`. */
export function isWordPressRole(text: string): boolean {
  return /^[a-z0-9_-]{1,60}$/.test(text)
}

/** Id of a scheduled event: its time, the key of its arguments, and its hook. */
export function isEventId(text: string): boolean {
  return text.length <= 300 && /^\d{1,12}\|[0-9a-f]{32}\|[^\p{Cc}]+$/u.test(text)
}
