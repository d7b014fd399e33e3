import { describe, expect, expectTypeOf, it } from 'vitest'
import { activityWording } from './activity-wording.ts'
import type { Action } from './doctype.ts'
import { doctypes } from './doctypes/registry.ts'

const actions = doctypes.flatMap((type) =>
  Object.entries(type.actions ?? {}).map(([name, action]) => ({ key: `${type.name}.${name}`, action })),
)

describe('wording of activities', () => {
  it('is a part of every declared action that the log records, and of no other', () => {
    expectTypeOf<{ label: string; allow: object }>().not.toExtend<Action>()
    expectTypeOf<{ label: string; allow: object; activity: string }>().toExtend<Action>()
    expectTypeOf<{ label: string; allow: object; reads: true }>().toExtend<Action>()
    expectTypeOf<{ label: string; allow: object; reads: true; activity: string }>().not.toExtend<Action>()
    expectTypeOf<{ label: string; allow: object; reads: true; keeps: true }>().toExtend<Action>()
    expectTypeOf<{ label: string; allow: object; activity: string; keeps: true }>().not.toExtend<Action>()
    expect(actions.filter(({ action }) => !action.reads && !action.activity)).toEqual([])
  })

  it('is found by keys as the log writes them', () => {
    expect(activityWording('Site.share')).toBe('shared the site')
    // Of a job with an action of its name, and of one without.
    expect(activityWording('site.archive')).toBe('archived the site')
    expect(activityWording('site.create')).toBe('created the site')
    expect(activityWording('wpc_site.purge_cache')).toBe('purged the cache')
    expect(activityWording('wpc_site.create')).toBe('created the site')
    expect(activityWording('Member Invite.accept')).toBe('accepted an invitation')
    expect(activityWording('account.login')).toBe('logged in')
  })

  it('is missing for keys of another release and names every object has', () => {
    expect(activityWording('Site.paint_blue')).toBeUndefined()
    expect(activityWording('constructor')).toBeUndefined()
  })
})
