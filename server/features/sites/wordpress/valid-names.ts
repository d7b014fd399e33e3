import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import {
  isEventId,
  isPackageFolder,
  isPackageSlug,
  isPlainLogin,
  isPluginId,
  isThemeId,
  isWordPressLogin,
  isWordPressRole,
} from '#shared/rules/wordpress-changes.ts'

/* Arguments of actions on WordPress: each returns the text, or throws AppError `invalid` with the name of its field. */

function valid(ok: boolean, value: string, field: string): string {
  if (ok) return value
  throw new AppError('invalid', msg`This is not a valid value.`, { field })
}

/** Id of a plugin. */
export const pluginId = (text: string): string => valid(isPluginId(text), text, 'plugin')
/** Name of a package on wordpress.org. */
export const slugText = (text: string): string => valid(isPackageSlug(text), text, 'slug')
/** Id of a theme. */
export const themeId = (text: string): string => valid(isThemeId(text), text, 'theme')
/** Folder of a plugin or theme. */
export const packageFolder = (text: string): string => valid(isPackageFolder(text), text, 'folder')
/** Login name of a user. */
export const loginName = (text: string, field = 'login'): string => valid(isWordPressLogin(text), text, field)
/** Login name that a user gets. */
export const newLogin = (text: string): string => valid(isPlainLogin(text), text, 'new_login')
/** Key of a role. */
export const roleKey = (text: string): string => valid(isWordPressRole(text), text, 'role')
/** Id of a scheduled event. */
export const eventId = (text: string): string => valid(isEventId(text), text, 'event')
