import type { EngineFixture } from '../engine-fixture.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CloneSpec } from '../../site-copies.ts'
import type { PushChoice, PushLoss } from '../../site-staging.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'

/** A real WordPress and its staging site, for tests. */
export interface StagedSites {
  readonly fixture: EngineFixture
  readonly site: SiteSpec
  readonly staging: CloneSpec
  /** Runs PHP with WordPress loaded, as a visitor with the password; what it returns as JSON. The file is gone afterwards. */
  wp<T>(of: SiteSpec | CloneSpec, code: string): Promise<T>
  plan(): Promise<PushPlan>
  /** Pushes, and lets visitors in again. A push that fails is taken back. */
  push(choice: PushChoice): Promise<void>
  /** What changed since the last push. */
  losses(): Promise<PushLoss>
  /** Rolls the last push back. */
  rollBack(): Promise<void>
}

const httpAuth = { user: 'preview', password: 'a-password-of-staging' }
const headers = { authorization: `Basic ${Buffer.from(Object.values(httpAuth).join(':')).toString('base64')}` }
let counter = 0

/** Creates a site, changes it by PHP, and makes its staging site. */
export async function createStaged(
  fixture: EngineFixture,
  before: string,
  changes: Pick<SiteSpec, 'database'> = {},
): Promise<StagedSites> {
  const site = await fixture.create({ siteType: 'wp', ...changes })
  const { engine } = fixture
  const wp: StagedSites['wp'] = async <T>(of: SiteSpec | CloneSpec, code: string) => {
    counter += 1
    const name = `staged-${counter}.php`
    await fixture.writeFile(
      of,
      name,
      `<?php unlink( __FILE__ ); ob_start(); require __DIR__ . '/wp-load.php'; ini_set('display_errors', '1');
      global $wpdb; $r = ( function () use ( $wpdb ) { ${code} } )(); ob_end_clean(); echo json_encode( $r );`,
    )
    const { body } = await fixture.fetch(of, `/${name}`, { headers })
    try {
      return JSON.parse(body) as T
    } catch {
      throw new Error(body.slice(0, 2000))
    }
  }
  await wp(site, before)
  counter += 1
  const staging: CloneSpec = {
    ...site,
    id: `staged${String(counter).padStart(4, '0')}`,
    domain: `staged-${counter}`,
    title: null,
    staging: { httpAuth },
  }
  await runSteps(engine.copies.cloneSteps(site, staging), 'clone')
  return {
    fixture,
    site,
    staging,
    wp,
    async plan() {
      const plans: PushPlan[] = []
      await runSteps(
        engine.staging.planSteps(site, staging, async (plan) => void plans.push(plan)),
        'plan',
      )
      const [plan] = plans
      if (plan === undefined) throw new Error('There is no plan')
      return plan
    },
    async push(choice) {
      counter += 1
      const id = `push-${counter}`
      try {
        await runSteps(engine.staging.pushSteps(site, staging, choice), id)
        await engine.staging.finish(site)
      } catch (error) {
        await engine.staging.undo(site, id)
        throw error
      }
    },
    losses: () => engine.staging.changesSincePush(site),
    async rollBack() {
      counter += 1
      await runSteps(engine.staging.rollBackSteps(site), `back-${counter}`)
      await engine.staging.finish(site)
    },
  }
}

/** Everything of a plan, with the live side of each clash unless changed. */
export const choiceOf = (plan: PushPlan, changes: Partial<PushChoice> = {}): PushChoice => ({
  files: true,
  database: true,
  digests: { files: plan.files.digest, database: plan.database?.digest ?? null },
  take: [],
  takeAll: [],
  ...changes,
})

async function runSteps(steps: readonly EngineStep[], operationId: string): Promise<void> {
  for (const step of steps)
    await step.run({
      operationId,
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
}
