/** Fixture of the platform method tests: its admin, two organizations, and helpers for the calls. */
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { boot, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'

/** The running product with its users. */
export interface PlatformFixture {
  booted: Booted
  /** The platform admin. */
  root: Browser
  /** Owner of acme. */
  owner: Browser
  /** Admin of acme. */
  admin: Browser
}

/** Boots it: `root`, `nobody`, acme with an admin, and globex. */
export async function bootPlatform(): Promise<PlatformFixture> {
  const booted = await boot()
  await booted.person('root@example.com', { platformAdmin: true })
  await booted.person('nobody@example.com')
  await booted.organization('acme', { 'admin@acme.example': 'Organization Admin' })
  await booted.organization('globex')
  return {
    booted,
    root: await booted.signedIn('root@example.com'),
    owner: await booted.signedIn('owner@acme.example'),
    admin: await booted.signedIn('admin@acme.example'),
  }
}

/** Full name of a platform method. */
export const platformMethod = (method: string) => `easydash.api.platform.${method}`

/** Calls of platform methods, by the platform admin by default. */
export function platformCalls(fixture: () => PlatformFixture) {
  return {
    get: async <T = Record<string, unknown>>(method: string, params = {}, browser = fixture().root) =>
      ((await browser.app.call().get(platformMethod(method), params)) as { message: T }).message,
    post: async <T = Record<string, unknown>>(method: string, params = {}, browser = fixture().root) =>
      ((await browser.app.call().post(platformMethod(method), params)) as { message: T }).message,
    /** Log entries of an action in an organization (null: outside of organizations), newest first. */
    activity: (organization: string | null, action: string) =>
      fixture().booted.documents.transaction(fixture().booted.system, (tx) =>
        tx.list(
          ActivityDoctype,
          [
            organization === null ? ['organization', 'is', 'not set'] : ['organization', '=', organization],
            ['action', '=', action],
          ],
          { order_by: 'creation desc' },
        ),
      ),
  }
}

/** HTTP status of a rejected call. */
export const errorStatus = async (call: Promise<unknown>) => (await sdkError(call)).httpStatus

/** What a member sees of the organization's plan. */
export const planStatus = async (browser: Browser) =>
  ((await browser.app.call().get('get_subscription_status')) as { message: Record<string, unknown> }).message
