import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'

const another = msg`Choose another file.`

/** The error for what `package.php` refused. */
export function packageRefusal(result: Readonly<Record<string, unknown>>): EngineError {
  const [why, needed, have] = [textOf(result['why']), textOf(result['needed']), textOf(result['have'])]
  switch (textOf(result['refused'])) {
    case 'exists':
      return new EngineError('conflict', msg`${why} is installed already.`, {
        nextAction: msg`Choose to replace it, or update it.`,
      })
    case 'missing':
      return new EngineError('not_found', msg`No earlier version is kept.`, { nextAction: msg`Refresh the list.` })
    case 'not_staged':
      return new EngineError('not_found', msg`The uploaded file is no longer there.`, {
        nextAction: msg`Upload it again.`,
      })
    case 'needs_php':
      return new EngineError('invalid', msg`${why} needs PHP ${needed} or newer; this site runs ${have}.`, {
        nextAction: msg`Change the PHP version of the site first, or choose an older version.`,
      })
    case 'needs_wordpress':
      return new EngineError('invalid', msg`${why} needs WordPress ${needed} or newer; this site has ${have}.`, {
        nextAction: msg`Update WordPress first, or choose an older version.`,
      })
    case 'is_theme':
      return new EngineError('invalid', msg`This is a theme, not a plugin.`, { nextAction: another })
    case 'is_plugin':
      return new EngineError('invalid', msg`This is a plugin, not a theme.`, { nextAction: another })
    case 'empty':
      return new EngineError('invalid', msg`The ZIP file is empty.`, { nextAction: another })
    case 'nested':
      return new EngineError('invalid', msg`This ZIP file contains another ZIP file instead of a plugin or theme.`, {
        nextAction: msg`Extract it on your computer, and choose the ZIP file in it.`,
      })
    case 'several':
      return new EngineError('invalid', msg`This ZIP file has several folders: one plugin or theme is needed.`, {
        nextAction: msg`Upload each plugin or theme as a ZIP file of its own.`,
      })
    case 'no_package':
      return new EngineError(
        'invalid',
        msg`This file contains no plugin and no theme: a ZIP file with one folder is needed, as wordpress.org offers it.`,
        { nextAction: another },
      )
    case 'no_room':
      return new EngineError('unavailable', msg`There is no room for it on the disk or in the quota of the site.`, {
        nextAction: msg`Make room, then retry.`,
      })
    default:
      return new EngineError('unavailable', msg`WordPress could not do it.`, {
        nextAction: msg`Look at the error log of the site.`,
      })
  }
}

/** A text of the site's process, which can be anything. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 300) : ''
}
