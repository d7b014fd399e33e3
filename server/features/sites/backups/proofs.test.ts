import { afterAll, beforeAll, expect, test } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import type { ContainedProofs, RehearsalVerdict } from '#server/engines/site-backups.ts'
import { systemSession } from '#server/jobs/session.ts'
import { exists } from '#server/platform/files/exists.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { msg } from '#shared/localized-message.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(async () => {
  await t?.close()
})

const read = (name: string) =>
  t.deps.documents().transaction(systemSession(), (tx) => tx.get(SiteBackupDoctype, name)) as Promise<SiteBackup>

/** How the steps of the last proof ended. */
let steps: Readonly<Record<string, string>>

/** Backs a site up, and waits until its backup was tried out. */
async function backUp(site: string): Promise<SiteBackup> {
  const { name, job } = (await t.act(site, 'backup')) as { name: string; job: string }
  await t.end({ job })
  const proof = (await read(name)).locked_by_job
  if (proof) {
    const ended = await t.end({ job: proof })
    expect(ended.status).toBe('Done')
    steps = Object.fromEntries(ended.steps?.map(({ key, status }) => [key, status]) ?? [])
  }
  return read(name)
}

test('a backup that this machine can’t take is inconclusive, not damaged', async () => {
  const own = await t.live('many-files', { title: 'Many files' })
  const { rehearseSteps } = t.engine.rehearsals
  const run = () =>
    Promise.reject(new EngineError('unsupported', msg`Over 400,000 files.`, { nextAction: msg`Download it.` }))
  t.engine.rehearsals.rehearseSteps = (...args) => rehearseSteps(...args).map((step) => ({ ...step, run }))
  try {
    const proof_detail = [{ defect: 'Over 400,000 files.', evidence: '' }]
    expect(await backUp(own.name)).toMatchObject({ status: 'Ready', proof: 'Inconclusive', proof_detail })
    const { fetch, judge, screenshot, clean_up, ...rehearsed } = steps
    expect([fetch, judge, screenshot, clean_up]).toEqual(['Done', 'Done', 'Skipped', 'Done'])
    const [first, ...others] = Object.values(rehearsed)
    expect([first, new Set(others)]).toEqual(['Done', new Set(['Skipped'])])
  } finally {
    t.engine.rehearsals.rehearseSteps = rehearseSteps
  }
})

test('what this machine can’t judge goes on on the server of the site, if its schedule says so', async () => {
  const own = await t.live('needing', { title: 'Needing' })
  for (const path of ['wp-content', 'wp-content/plugins', 'wp-content/plugins/needs-mysql'])
    await t.act(own.name, 'create_folder', { path }).catch(() => undefined)
  await t.act(own.name, 'write_file', { path: 'wp-content/plugins/needs-mysql/needs-mysql.php', content: '<?php' })
  const calls: string[] = []
  const rows = { what: 'rows', expected: 5, found: 5 }
  let verdict: RehearsalVerdict = { defects: [], seen: [rows], inconclusive: null }
  Object.assign(t.engine.backups, {
    contained: {
      async prove(of, { id, archive }) {
        calls.push(`prove ${of.id} ${id} ${String(await exists(archive))}`)
        return verdict
      },
      remove: async (of, id) => void calls.push(`remove ${of.id} ${id}`),
    } satisfies ContainedProofs,
  })
  try {
    const { name, ...first } = await backUp(own.name)
    expect(first).toMatchObject({ proof: 'Inconclusive', proved_on: null })
    const values = { organization: own.organization, site: own.name, prove_on_server: 1 }
    await t.deps.documents().insert(t.owner, 'Backup Schedule', values)
    let said: string | null = null
    const proven = async () => {
      const begun = await t.deps.documents().runAction(t.owner, 'Site Backup', name, 'prove', {})
      said = (await t.end(begun as { job: string })).outcome
      return read(name)
    }
    expect(calls).toEqual([])
    const after = await proven()
    expect(after).toMatchObject({ proof: 'Proven', proof_detail: [], proof_seen: [rows], proved_on: own.server })
    expect(said).toBeNull()
    expect(calls).toEqual([`prove ${own.name} ${name} true`, `remove ${own.name} ${name}`])
    verdict = {
      defects: [{ defect: 'A table of the database is missing', evidence: 'orders' }],
      seen: [],
      inconclusive: null,
    }
    expect(await proven()).toMatchObject({ proof: 'Failed', proof_detail: verdict.defects })
    expect(said).toBe('The proof failed: A table of the database is missing')
    verdict = { defects: [], seen: [], inconclusive: 'No page of the site answered.' }
    expect(await proven()).toMatchObject({ proof: 'Inconclusive', proof_detail: [{ defect: verdict.inconclusive }] })
    // One that can be judged here stays here.
    const before = calls.length
    await t.act(own.name, 'delete_files', { paths: ['wp-content/plugins/needs-mysql'] })
    expect(await backUp(own.name)).toMatchObject({ proof: 'Proven', proved_on: null })
    expect(steps['contained']).toBe('Skipped')
    expect(calls).toHaveLength(before)
  } finally {
    Reflect.deleteProperty(t.engine.backups, 'contained')
  }
})
