import { expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { actionPhrase } from './action-phrase.ts'
import { shownArgs } from './use-actions.ts'

/** Their pages ask with texts of their own. */
const asksItself: ReadonlySet<string> = new Set([
  'Organization',
  'Member Invite',
  'Subscription Organization',
  'Site.roll_back_push',
])

const isQuestion = (action: Action) =>
  action.confirm !== undefined &&
  (action.confirm_field !== undefined || shownArgs(action).every((name) => action.args?.[name]?.fieldtype === 'Check'))

test('an action whose label is more than a verb says how it reads beside a name', () => {
  const actions = doctypes
    .flatMap((type) => Object.entries<Action>(type.actions ?? {}).map(([name, action]) => ({ type, name, action })))
    .filter(({ type, name }) => !asksItself.has(type.name) && !asksItself.has(`${type.name}.${name}`))
  const joined = actions.filter(
    ({ type, action }) => isQuestion(action) || (!action.hidden && ['Site', 'Server'].includes(type.name)),
  )
  expect(joined.length).toBeGreaterThan(20)
  const unsaid = joined.filter(({ action }) => action.label.includes(' ') && action.phrase === undefined)
  expect(unsaid.map(({ type, name }) => `${type.name}.${name}`)).toEqual([])
  const nameless = actions.filter(({ action: { phrase } }) => phrase?.split('{title}').length === 1)
  expect(nameless.map(({ name }) => name)).toEqual([])
})

test('a name is put into the phrase, or behind the verb', () => {
  const { archive, delete_permanently: remove } = SiteDoctype.actions as Record<string, Action>
  expect(actionPhrase(archive as Action, 'Play House')).toBe('Archive Play House')
  expect(actionPhrase(remove as Action, 'Play {x} House')).toBe('Permanently delete Play {x} House')
})
