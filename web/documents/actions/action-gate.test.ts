import { describe, expect, it } from 'vitest'
import type { ActionName, AnyDoc } from '#shared/doctype.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { canAct, gateAction, joinOr, ruleHolds, type PermissionBits } from './action-gate.ts'
import type { Viewer } from './viewer.ts'

const viewer = (role: Viewer['role'], rest: Partial<Viewer> = {}): Viewer => ({
  user: 'ann@example.com',
  role,
  owner: false,
  platformAdmin: false,
  ...rest,
})
const admin = viewer('Organization Admin')
const member = viewer('Organization User')

function site(values: Record<string, unknown> = {}): AnyDoc {
  return {
    doctype: 'Site',
    name: 's1',
    owner: 'bob@example.com',
    creation: '',
    modified: '',
    modified_by: '',
    docstatus: 0,
    idx: 0,
    status: 'Live',
    locked_by_job: null,
    ...values,
  }
}
const gate = (name: ActionName<typeof SiteDoctype>, doc: AnyDoc, who: Viewer, options = {}) => {
  const action = SiteDoctype.actions?.[name]
  if (!action) throw new Error(`no action ${name}`)
  return gateAction(SiteDoctype, action, doc, who, options)
}

describe('actionGate', () => {
  it('shows actions that role and state allow', () => {
    expect(gate('archive', site(), admin)).toEqual({ shown: true, enabled: true })
    expect(gate('archive', site(), viewer(null, { owner: true }))).toEqual({ shown: true, enabled: true })
  })

  it('hides actions that don’t apply to a document', () => {
    expect(gate('set_php_version', site({ site_type: 'php' }), admin)).toEqual({ shown: true, enabled: true })
    expect(gate('set_php_version', site({ site_type: 'html' }), admin)).toEqual({ shown: false })
  })

  it('hides actions that the role doesn’t allow: all without a role, others’ sites for members', () => {
    expect(gate('archive', site(), viewer(null))).toEqual({ shown: false })
    expect(gate('archive', site(), member, { bits: { share: false } })).toEqual({ shown: false })
    expect(gate('archive', site({ owner: 'ann@example.com' }), member, { bits: { share: false } })).toEqual({
      shown: true,
      enabled: true,
    })
    expect(gate('archive', site(), member, { bits: { share: true } })).toEqual({ shown: true, enabled: true })
    expect(gate('set_php_version', site(), member, { bits: { write: false } })).toEqual({ shown: false })
  })

  it('hides actions that don’t apply in a state, and gives a reason while the document is busy', () => {
    expect(gate('restore_archive', site(), admin)).toEqual({ shown: false })
    expect(gate('restore_archive', site({ status: 'Archiving' }), admin)).toEqual({ shown: false })
    const busy = gate('archive', site({ status: 'Setting Up', locked_by_job: 'j1' }), admin)
    expect(busy).toEqual({
      shown: true,
      enabled: false,
      reason: 'Available when the status is Live, Suspended, or Failed; it is Setting Up now',
    })
  })

  it('gives a reason while a job locks the document', () => {
    expect(gate('share', site({ locked_by_job: 'j1' }), admin)).toEqual({ shown: true, enabled: true })
    expect(gate('maintenance', site({ locked_by_job: 'j1', site_type: 'wp' }), admin)).toMatchObject({
      enabled: false,
      reason: 'Busy: a job is running on it',
    })
    const possible = { shown: true, enabled: true }
    expect(gate('set_php_version', site({ locked_by_job: 'j1' }), admin), 'it waits in the queue').toEqual(possible)
    expect(gate('archive', site({ status: 'Updating', locked_by_job: 'j1' }), admin), 'it waits').toEqual(possible)
    expect(gate('archive', site({ status: 'Archiving', locked_by_job: 'j1' }), admin)).not.toEqual(possible)
    expect(gate('archive', site({ status: 'Updating', locked_by_job: null }), admin)).not.toEqual(possible)
  })

  it('passes on the engine’s reason; without one the server decides', () => {
    const capabilities = { php_version: { supported: false, reason: 'This engine has one PHP version.' } } as const
    expect(gate('set_php_version', site(), admin, { capabilities })).toMatchObject({
      enabled: false,
      reason: 'This engine has one PHP version.',
    })
    expect(gate('set_php_version', site(), admin, { capabilities: {} })).toEqual({ shown: true, enabled: true })
  })

  it('knows by the bits of a document what a share of another one allows', () => {
    const restore = SiteBackupDoctype.actions?.restore ?? expect.fail()
    const backup = { ...site(), doctype: 'Site Backup', owner: member.user, status: 'Ready' }
    const shown = (bits: PermissionBits) => gateAction(SiteBackupDoctype, restore, backup, member, { bits }).shown
    expect([shown({ write: true }), shown({ write: false }), shown({})]).toEqual([true, false, true])
  })

  it('lets members cancel only their own jobs', () => {
    const cancel = JobDoctype.actions?.['cancel']
    if (!cancel) throw new Error('no cancel')
    const job = { ...site(), doctype: 'Job', status: 'Running' }
    expect(gateAction(JobDoctype, cancel, job, member)).toEqual({ shown: false })
    expect(gateAction(JobDoctype, cancel, { ...job, owner: 'ann@example.com' }, member)).toEqual({
      shown: true,
      enabled: true,
    })
    expect(gateAction(JobDoctype, cancel, { ...job, owner: 'ann@example.com', status: 'Done' }, member)).toEqual({
      shown: false,
    })
  })
})

it('recognizes users who can never act on a doctype', () => {
  expect(canAct(ServerDoctype, member)).toBe(false)
  expect(canAct(ServerDoctype, viewer('Organization Manager'))).toBe(true)
  expect(canAct(SiteDoctype, member)).toBe(true)
})

it('evaluates nested rules', () => {
  const rule = { all: [['status', 'in', ['Live']], { any: [['owner', '=', '$user'], { shared: 'write' }] }] } as const
  expect(ruleHolds(rule, site(), 'bob@example.com', {})).toBe(true)
  expect(ruleHolds(rule, site(), 'eve@example.com', { write: false })).toBe(false)
  expect(ruleHolds(rule, site({ status: 'Failed' }), 'bob@example.com', {})).toBe(false)
})

it('joins words', () => {
  expect([joinOr([]), joinOr(['a']), joinOr(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b, or c'])
})
