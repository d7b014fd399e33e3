import { randomUUID } from 'node:crypto'
import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { fieldLabel } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { isObject } from '#shared/parse-json.ts'
import { labelMessage, msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { checkWordPressValues, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import { wordpressSettingsFields } from '#shared/doctypes/site-actions/wordpress-settings-fields.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'
import { watchedSave } from '../watched-change.ts'

/** Actions of a Site about the settings of its WordPress, which are read and changed live. */
export function wordpressSettingsActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      read_wordpress_settings(site, _args, { tx }) {
        return siteCall(deps, tx, site, {
          needs: 'wordpress_settings',
          run: (engine, ref) => engine.settings.readWordPress(ref),
        })
      },

      save_wordpress_settings(site, args, { tx }) {
        const changes = valuesOf(args.changes)
        const before = valuesOf(args.expected)
        const missing = namesOf(changes).find((name) => !(name in before))
        if (missing !== undefined || namesOf(changes).length === 0)
          throw new AppError('invalid', msg`Send each changed setting with the value it had before.`, {
            field: missing ?? 'changes',
          })
        return save(deps, tx, site, changes, before)
      },

      set_title(site, { title }, { tx }) {
        return save(deps, tx, site, valuesOf({ title }), null)
      },
    },
  })
}

/** Changes settings. `expected`: their values as the caller saw them; null: whatever they are. */
function save(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  changes: Partial<WordPressValues>,
  expected: Partial<WordPressValues> | null,
): Promise<ExternalCall> {
  const shown = expected ?? { title: site.title ?? '' }
  return siteCall(deps, tx, site, {
    needs: 'wordpress_settings',
    changes: true,
    entry: { before: Object.fromEntries(namesOf(changes).map((name) => [name, shown[name]])), after: changes },
    async run(engine, ref) {
      const operationId = randomUUID()
      const before = expected ?? (await engine.settings.readWordPress(ref)).values
      const { settings, conflicts, refused } = await watchedSave(engine, ref, {
        isBack: msg`The settings are as they were before.`,
        apply: () => engine.settings.changeWordPress(ref, changes, { expected: before, operationId }),
        undo: () => engine.settings.undoWordPress(ref, operationId),
      })
      const [conflict] = conflicts
      if (conflict !== undefined)
        throw new AppError('conflict', msg`${labelOf(conflict)} was changed in WordPress in the meantime.`, {
          field: conflict,
          nextAction: msg`Look at the new value, then save again.`,
        })
      // What the site is called here is what its WordPress is called, too, whatever else it did not take.
      if ('title' in changes && settings.values.title !== '')
        await deps.documents().transaction(systemSession(), async (inner) => {
          if (await inner.get(SiteDoctype, site.name, { lock: true }))
            await inner.update(
              SiteDoctype,
              site.name,
              { title: settings.values.title },
              { hooks: false, activity: false },
            )
        })
      if (refused.length > 0) throw notTaken(refused, namesOf(changes).length > refused.length)
      return settings
    },
  })
}

const namesOf = (values: Partial<WordPressValues>) => Object.keys(values) as (keyof WordPressValues)[]

function labelOf(name: keyof WordPressValues): LocalizedMessage {
  return labelMessage(fieldLabel(name, wordpressSettingsFields[name]))
}

/** Names all that the site refused, because the others have their new values. The web app reads them again after it. */
function notTaken(refused: readonly (keyof WordPressValues)[], othersSaved: boolean): AppError {
  const labels = refused.map(labelOf)
  const count = refused.length
  const message = othersSaved
    ? plural(
        count,
        msg`Everything else was saved, but the site did not take the new value of ${labels}.`,
        msg`Everything else was saved, but the site did not take the new values of ${labels}.`,
      )
    : plural(
        count,
        msg`The site did not take the new value of ${labels}.`,
        msg`The site did not take the new values of ${labels}.`,
      )
  const [field] = refused
  return new AppError('unavailable', message, {
    ...(field === undefined ? {} : { field }),
    nextAction: plural(
      count,
      msg`Code of the site, such as a plugin, may set it.`,
      msg`Code of the site, such as a plugin, may set them.`,
    ),
  })
}

/** The settings a client sent. Throws AppError `invalid` with the field for a wrong one. */
function valuesOf(given: unknown): Partial<WordPressValues> {
  const checked = checkWordPressValues(isObject(given) ? given : {})
  if ('values' in checked) return checked.values
  throw new AppError('invalid', msg`${labelOf(checked.field)}: ${checked.problem}`, { field: checked.field })
}
