/**
 * Every screen and tab for every role that sees it, and everything that opens on top, in both themes and at all widths. Only
 * in the long run (`EASYDASH_TEST_LONG=1`); `look.full.e2e.ts` has the sample for every run.
 */
import type { Browser, Page } from '@playwright/test'
import { earlyCode } from '#tests/support/totp.ts'
import { passwords } from './support/leak-markers.ts'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import type { Product } from './support/harness.ts'
import { ada, asOwner, blog, creationIn, expect, organization, test } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { call, fillSignup, forgetSession, logIn, newAccount, withoutTours, type Person } from './support/person.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const timeoutMs = 1_800_000

const people = {
  manager: { firstName: 'Mira', lastName: 'Gale', email: 'mira@looks.example', password: passwords.second },
  member: { firstName: 'Milo', lastName: 'Reed', email: 'milo@looks.example', password: passwords.second },
  admin: { firstName: 'Abe', lastName: 'Hill', email: 'abe@looks.example', password: passwords.second },
  colleague: { firstName: 'Cora', lastName: 'Vale', email: 'cora@looks.example', password: passwords.second },
  waiting: { firstName: 'Wim', lastName: 'Dorn', email: 'wim@looks.example', password: passwords.second },
  careful: { firstName: 'Cleo', lastName: 'Marsh', email: 'careful@looks.example', password: passwords.second },
  newcomer: { firstName: 'Nell', lastName: 'Ash', email: 'nell@looks.example', password: passwords.second },
} satisfies Record<string, Person>

const tabs = (path: string, names: readonly string[]): string[] => names.map((name) => `${path}#${name}`)
const settings = ['overview', 'slack', 'github', 'cloud_providers', 'backup_providers', 'auth', 'ssh', 'activities']
const own = ({ email }: Pick<Person, 'email'>) =>
  tabs(`/web/user/${encodeURIComponent(email)}`, ['personal-info', 'settings'])

/** Pages of every member of an organization. */
const inside = (site: string): string[] => [
  '/web',
  '/web/site',
  '/web/site?status=["=","Failed"]',
  '/web/site/create',
  '/web/site/backups',
  ...tabs(site, [
    'overview',
    'configurations',
    'monitoring',
    'activities',
    'wordpress',
    'logs',
    'files',
    'database',
    'staging',
  ]),
  ...['table=wp_options', 'tool=sql', 'tool=php'].map((query) => `${site}?${query}#database`),
  ...['access', 'mail', 'jobs'].map((log) => `${site}?log=${log}#logs`),
  '/web/site/0000000000',
  '/web/server',
  '/web/job',
  '/web/no/such/page',
]

/** Checks each path; `{server}` is the organization's first one. */
async function lookAt(page: Page, paths: readonly string[]): Promise<void> {
  let server = '/web/server/none'
  if (paths.some((path) => path.startsWith('{server}'))) {
    await page.goto('/web/server')
    server = (await page.getByRole('main').locator('tbody a').first().getAttribute('href')) ?? server
  }
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(path.replace('{server}', server))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectValidLayout(page)
    })
  }
}

async function tokenFor(page: Page, person: Person, role: string): Promise<string | null> {
  const [{ name }] = await call<[{ name: string }]>(page, 'easydash.api.organization.invite_members', {
    users: [person.email],
    organization_role: role,
  })
  const { link } = await call<{ link: string }>(page, 'run_doc_method', {
    dt: 'Member Invite',
    dn: name,
    method: 'copy_link',
  })
  return new URL(link).searchParams.get('token')
}

/** A page signed in as a new user; with a role in the owner's organization. */
async function signedIn(
  browser: Browser,
  product: Product,
  office: Page | null,
  person: Person,
  role: string | null,
): Promise<Page> {
  const token = office && role !== null ? await tokenFor(office, person, role) : null
  // axe requires a context created explicitly.
  const context = await browser.newContext({ baseURL: product.url, storageState: { cookies: [], origins: [] } })
  const page = await context.newPage()
  await newAccount(page, product, person, token)
  await logIn(page, person)
  if (role !== null) await withoutTours(page, person)
  return page
}

/** Removes users from the owner's organization, for the stories after this one. */
async function leave(office: Page, members: readonly Person[]): Promise<void> {
  await office.goto('/web/user')
  for (const { email } of members) {
    const [row] = await call<{ name: string }[]>(office, 'frappe.client.get_list', {
      doctype: 'Organization Member',
      filters: { user: email },
    })
    await call(office, 'frappe.client.delete', { doctype: 'Organization Member', name: row?.name })
  }
}

if (long) {
  asOwner('every screen as the owner, who is also a platform admin', async ({ page, site }) => {
    asOwner.setTimeout(timeoutMs)
    await page.goto('/web')
    const { name: run } = await call<{ name: string }>(page, 'easydash.api.site.start_bulk_run', {
      action: 'verify_checksum',
      sites: [site.split('/').at(-1)],
    })
    await lookAt(page, [
      ...inside(site),
      `/web/bulk/${run}`,
      '/web/bulk/none',
      ...tabs('{server}', ['overview', 'configurations', 'activities']),
      '/web/user',
      ...own(ada),
      '/web/user/nobody@nowhere.example',
      ...tabs('/web/organization', settings),
      ...tabs('/web/billing', ['profile', 'plans', 'activities']),
      ...tabs('/web/platform', ['organizations', 'users', 'plans', 'outbox', 'jobs', 'health']),
      '/web/organization/create',
      '/web/organization/not-mine',
      '/web/invitation?token=old',
      '/web/verify-email?token=old',
      '/web/terms',
    ])
  })

  asOwner(
    'screens that differ for managers, members and new users',
    async ({ page: office, browser, product, site }) => {
      asOwner.setTimeout(timeoutMs)
      await office.goto('/web/terms')
      const manager = await signedIn(browser, product, office, people.manager, 'Organization Manager')
      await lookAt(manager, [
        ...inside(site),
        ...tabs('{server}', ['overview', 'configurations', 'activities']),
        '/web/user',
        ...own(people.manager),
      ])
      // Redirected, with the reason.
      await lookAt(manager, ['/web/organization', '/web/billing'])
      await manager.context().close()

      const member = await signedIn(browser, product, office, people.member, 'Organization User')
      await lookAt(member, [...inside(site), ...own(people.member), '/web/user', '/web/billing'])
      await member.context().close()

      const newcomer = await signedIn(browser, product, null, people.newcomer, null)
      await lookAt(newcomer, ['/web', '/web/invitation?token=old'])
      await newcomer.context().close()

      await leave(office, [people.manager, people.member])
    },
  )

  asOwner('the screens of an admin who is not the owner', async ({ page: office, browser, product, site }) => {
    asOwner.setTimeout(timeoutMs)
    expect(site, 'there is a site').toBeTruthy()
    await office.goto('/web/terms')
    const colleague = await signedIn(browser, product, office, people.colleague, 'Organization User')
    await colleague.context().close()
    const admin = await signedIn(browser, product, office, people.admin, 'Organization Admin')
    const role = `/web/user/${encodeURIComponent(people.colleague.email)}#rolesandpermission`
    await lookAt(admin, ['/web', ...tabs('/web/organization', settings), '/web/user', role, ...own(people.admin)])
    await admin.goto('/web/billing')
    await expect(admin).toHaveURL(/\/web\/site$/)
    await expect(admin.getByText('This page is for the owner of the organization.')).toBeVisible()
    await expectValidLayout(admin)
    await admin.context().close()
    await leave(office, [people.admin, people.colleague])
  })

  test('waiting for the verification email', async ({ page, owner }) => {
    test.setTimeout(timeoutMs)
    expect(owner, 'the first account exists').toBeTruthy()
    await page.goto('/web/signup')
    await fillSignup(page, people.waiting)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
    await expectValidLayout(page)
    await logIn(page, people.waiting)
    await expect(page).toHaveURL(/\/web\/verify-email$/)
    await expect(page.getByText(people.waiting.email)).toBeVisible()
    await expectValidLayout(page)
    // Redirected back, with the reason.
    await page.goto('/web/site/create')
    await expect(page.getByText('Your account needs to be confirmed first; then everything opens.')).toBeVisible()
    await expectValidLayout(page)
  })

  test('the second step of logging in', async ({ page, owner, product }) => {
    test.setTimeout(timeoutMs)
    expect(owner, 'the first account exists').toBeTruthy()
    await newAccount(page, product, people.careful)
    await logIn(page, people.careful)
    const { secret } = await call<{ secret: string }>(page, 'easydash.api.two_factor.begin')
    await call(page, 'easydash.api.two_factor.confirm', { otp: earlyCode(secret) })
    await forgetSession(page)

    await page.goto('/web/login')
    await page.getByLabel('Email').fill(people.careful.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(people.careful.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
    await expectValidLayout(page)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByText('Enter the code.')).toBeVisible()
    await expectValidLayout(page)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await expect(page.getByRole('textbox', { name: 'Recovery code' })).toBeVisible()
    await expectValidLayout(page)
  })

  asOwner('everything that opens over a page', async ({ page, site }) => {
    asOwner.setTimeout(timeoutMs)
    const opened = async (what: string, path: string, open: () => Promise<void>): Promise<void> => {
      await test.step(what, async () => {
        // Another tab of the same page wouldn't reload it, and dialogs would stay open.
        await page.goto('about:blank')
        await page.goto(path)
        // An open dialog hides the heading from the accessibility tree.
        await expect(page.getByRole('heading', { level: 1, includeHidden: true })).toBeVisible()
        await open()
        await expectValidLayout(page)
      })
    }
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).first()

    // First, because it needs a password of the last ten minutes.
    await opened('a second factor', `/web/user/${encodeURIComponent(ada.email)}#settings`, async () => {
      await press('Set up')
      await expect(dialog).toBeVisible()
    })
    await opened('a menu of actions', site, async () => {
      await press('More actions')
      await expect(page.getByRole('menu')).toBeVisible()
    })
    await opened('a confirmation before archiving', site, async () => {
      await press('More actions')
      await page.getByRole('menuitem', { name: /^Archive/ }).click()
      await expect(dialog).toBeVisible()
    })
    await opened('sharing', site, async () => {
      await press('Share')
      await expect(dialog).toBeVisible()
    })
    await opened('an entry of the activities', creationIn(site), async () => {
      await page
        .getByRole('main')
        .getByRole('row')
        .filter({ hasText: 'Created the site' })
        .getByRole('link')
        .first()
        .click()
      await expect(dialog).toBeVisible()
    })
    await opened('a job', creationIn(site), async () => {
      await page.getByRole('link', { name: 'created the site' }).first().click()
      await expect(page.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible()
    })
    for (const what of ['Filter', 'Columns', 'Save view'])
      await opened(`sites: ${what}`, '/web/site?php_version=["!=","8.2"]', async () => {
        await page.getByRole('button', { name: what, exact: true }).first().click()
        await expect(dialog).toBeVisible()
      })
    await opened('selected rows', '/web/site', async () => {
      await page.getByLabel('Select the rows of this page').check()
      await expect(page.getByRole('region', { name: 'Selected rows' })).toBeVisible()
    })
    await opened('a plugin for many sites', '/web/site', async () => {
      await page.getByLabel('Select the rows of this page').check()
      await press('Update plugin…')
      await expect(page.getByRole('dialog').getByText('No updates are known for these sites')).toBeVisible()
    })
    for (const [what, content, text] of [
      ['a refused archive', 'text', 'Nothing was imported'],
      ['a recognized archive', '<rss xmlns:wp="http://wordpress.org/export/1.2/"/>', /^Recognized as/],
    ] as const)
      await opened(what, '/web/site', async () => {
        await press(/^Import$/)
        const file = { name: 'my-site.zip', mimeType: 'application/zip', buffer: Buffer.from(content) }
        await page.getByRole('dialog').getByLabel('Archive', { exact: true }).setInputFiles(file)
        await expect(page.getByRole('dialog').getByText(text)).toBeVisible()
      })
    await opened('invitations', '/web/user?invite=1', () => expect(dialog).toBeVisible())
    await opened('unsaved changes', '/web/organization', async () => {
      await page.getByLabel('Name', { exact: true }).fill(`${organization.title}!`)
      await expect(page.getByText('1 unsaved change')).toBeVisible()
    })
    await opened('the way out of unsaved changes', '/web/organization', async () => {
      await page.getByRole('tab', { name: 'SSH' }).click()
      await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
    })
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard and leave' }).click()
    await opened('the preview of a plan', '/web/billing#plans', async () => {
      await press('Upgrade to Growth')
      await expect(page.getByRole('region', { name: 'Change preview' })).toBeVisible()
    })
    await opened('an organization of the platform', '/web/platform', async () => {
      await press(`Manage ${organization.title}`)
      await expect(dialog).toBeVisible()
    })
    for (const what of [/^Members/, 'User menu', 'Jobs', /^Organization: /, 'Help and shortcuts'])
      await opened(`the shell: ${String(what)}`, '/web/server', async () => {
        await press(what)
        await expect(dialog.or(page.getByRole('menu'))).toBeVisible()
      })
    await opened('the search with hits', '/web/server', async () => {
      await page.keyboard.press('/')
      await page.keyboard.type(blog.name)
      await expect(page.getByRole('group', { name: 'Sites' }).getByRole('option').first()).toBeVisible()
    })
    await opened('a tour', '/web/server', async () => {
      await page.keyboard.press('?')
      await press('Product tour')
      await expect(page.locator('.driver-popover')).toBeVisible()
    })
    await page.keyboard.press('Escape')
  })

  asOwner('error states', async ({ page, site, problems }) => {
    asOwner.setTimeout(timeoutMs)
    expect(site, 'there is a site').toBeTruthy()
    await page.route(/get_list\?doctype=Site&/, (route) => route.fulfill({ status: 403, json: {} }))
    await page.goto('/web/site')
    await expect(page.getByRole('button', { name: 'Retry' }).first()).toBeVisible()
    await expectValidLayout(page)
    await page.goto('/web')
    await expect(page.getByRole('button', { name: 'Retry' }).first()).toBeVisible()
    await expectValidLayout(page)
    await page.unrouteAll()
    const body = 'export const ServersPage = () => { throw new Error("A defect of this screen") }'
    await page.route(/servers-page[^/]*\.js/, (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await page.goto('/web/server')
    await expect(page.getByRole('heading', { name: 'Unexpected Application Error' })).toBeVisible()
    await expectValidLayout(page)
    ignoreConsoleErrors(problems, /A defect of this screen/)
  })
}
