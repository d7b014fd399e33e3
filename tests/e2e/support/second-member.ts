import type { Browser, Page } from '@playwright/test'
import type { Product } from './harness.ts'
import type { BrowserState } from './harness-test.ts'
import { call, logIn, newAccount, withoutTours, type Person } from './person.ts'
import type { Recording } from './recording.ts'

/** Two users of the shared organization in two browsers. */
export interface TwoPeople {
  /** The owner's page. */
  office: Page
  /** The new member's page, logged in, without tours. */
  page: Page
  /** Name of the new member's row. */
  member: string
  close: () => Promise<void>
}

/** Fixtures of the harness that these stories need. */
interface Setting {
  browser: Browser
  product: Product
  owner: BrowserState
  recording: Recording
}

/** Invites a user into the owner's organization (as a member, or with the given role) and logs both in. */
export async function secondMember(
  { browser, product, owner, recording }: Setting,
  person: Person,
  role?: string,
): Promise<TwoPeople> {
  const contexts = [
    await browser.newContext({ baseURL: product.url, storageState: owner }),
    await browser.newContext({ baseURL: product.url }),
  ] as const
  for (const context of contexts) recording.follow(context)
  const office = await contexts[0].newPage()
  const page = await contexts[1].newPage()
  await office.goto('/web/terms')
  const [{ name }] = await call<[{ name: string }]>(office, 'easydash.api.organization.invite_members', {
    users: [person.email],
    ...(role !== undefined && { organization_role: role }),
  })
  const { link } = await call<{ link: string }>(office, 'run_doc_method', {
    dt: 'Member Invite',
    dn: name,
    method: 'copy_link',
  })
  await newAccount(page, product, person, new URL(link).searchParams.get('token'))
  await logIn(page, person)
  await withoutTours(page, person)
  const rows = await call<{ name: string }[]>(office, 'frappe.client.get_list', {
    doctype: 'Organization Member',
    filters: { user: person.email },
  })
  return {
    office,
    page,
    member: rows[0]?.name ?? '',
    close: async () => {
      for (const context of contexts) await context.close()
    },
  }
}
