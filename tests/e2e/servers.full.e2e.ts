/** Servers in `npm run demo`, whose providers are simulated and whose machines answer by SSH. */
import { expect, type Page } from '@playwright/test'
import { watchedTest as test } from './support/console-watch.ts'
import { logInToDemo as logIn, withDemo, type Simulators } from './support/demo.ts'

/** Names of the machines at a simulated vendor. */
async function machinesOf({ url }: { readonly url: string }): Promise<readonly string[]> {
  const response = await fetch(`${url}/_simulator/state`)
  return ((await response.json()) as { readonly servers: readonly string[] }).servers
}

/** Waits for the job of a new server, and ends the server by its name. */
async function untilHealthyThenEnd(page: Page, hostname: string): Promise<void> {
  const job = page.getByRole('dialog')
  await expect(job).toContainText(hostname)
  await page.keyboard.press('Escape')
  await expect(job).toBeHidden()
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText(hostname)
  await expect(main.getByText(/^Healthy/).first()).toBeVisible({ timeout: 180_000 })
  await expect(main.getByText('Ubuntu 24.04.3 LTS').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Configurations' }).click()
  await main.getByRole('button', { name: 'Decommission' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill(hostname)
  await dialog.getByRole('button', { name: 'Decommission' }).click()
  await expect(main.getByText('Decommissioned').first()).toBeVisible({ timeout: 120_000 })
}

/** Where a machine is ordered, and which one. */
const orders = [
  { vendor: 'hetzner', name: 'Hetzner', country: 'Germany', region: /fsn1/, type: /cx23/i },
  { vendor: 'digitalocean', name: 'DigitalOcean', country: 'Germany', region: /fra1/, type: /s-2vcpu-4gb/i },
  { vendor: 'aws', name: 'AWS', country: 'Germany', region: /eu-central-1/, type: /t3\.medium/i },
] as const

test('a server is ordered at each provider, set up, and its machine is deleted with it', async ({ page }) => {
  test.setTimeout(900_000)
  await withDemo(page, async ({ url }, simulators) => {
    await logIn(page, url)
    for (const { vendor, name, country, region, type } of orders) {
      const before = await machinesOf(simulators[vendor])
      const hostname = `${vendor}-1.acme.example`
      await page.goto(`${url}/web/server/create`)
      await page.getByLabel('Name', { exact: true }).fill(hostname)
      await page.getByRole('radio', { name: new RegExp(name) }).check({ force: true })
      await page.getByRole('radio', { name: new RegExp(country) }).check({ force: true })
      await page.getByRole('radio', { name: region }).check({ force: true })
      await page.getByRole('button', { name: /^Continue/ }).click()
      await page.getByRole('radio', { name: type }).check({ force: true })
      await page.getByRole('button', { name: /^Create server/ }).click()
      await expect(page).toHaveURL(/\/web\/server\/[a-z0-9]{10}/)
      await untilHealthyThenEnd(page, hostname)
      expect(await machinesOf(simulators[vendor])).toEqual(before)
    }
  })
})

test('a machine of one’s own becomes a server after its fingerprint was compared', async ({ page }) => {
  test.setTimeout(480_000)
  await withDemo(page, async ({ url }, simulators) => {
    await logIn(page, url)
    await page.goto(`${url}/web/server/create`)
    await page.getByLabel('Name', { exact: true }).fill('story-2.acme.example')
    await page.getByRole('radio', { name: /Custom|Your machine/ }).check({ force: true })
    await page.getByLabel('IPv4 address').fill('198.18.0.200')
    await page.getByRole('button', { name: /^Continue/ }).click()
    const command = await page
      .getByText(/authorized_keys/)
      .first()
      .textContent()
    const key = /ssh-ed25519 [A-Za-z0-9+/=]+/.exec(command ?? '')?.[0]
    const address = await ownMachine(simulators, String(key))

    // The draft stays.
    await page.goto(`${url}/web/server/create#general-info`)
    await page.getByLabel('IPv4 address').fill(address)
    await page.getByRole('button', { name: /^Continue/ }).click()
    await page.getByRole('checkbox', { name: 'The fingerprint is the same' }).check()
    await expect(page.getByRole('status').filter({ hasText: /passed/ })).toBeVisible()
    await page.getByRole('button', { name: /^Create server/ }).click({ timeout: 120_000 })
    await expect(page).toHaveURL(/\/web\/server\/[a-z0-9]{10}/)
    await untilHealthyThenEnd(page, 'story-2.acme.example')
    // Nobody deletes a machine of one's own.
    expect(await machinesOf(simulators.hetzner)).toContain('own')
  })
})

/** A machine that somebody ordered by themselves, and that lets a key in. */
async function ownMachine({ hetzner: { url, token } }: Simulators, key: string): Promise<string> {
  const ask = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  const known = (await ask('GET', '/ssh_keys')) as { ssh_keys: { id: number; public_key: string }[] }
  const found = known.ssh_keys.find((one) => one.public_key.startsWith(key))
  const made =
    found ?? ((await ask('POST', '/ssh_keys', { name: 'own', public_key: key })) as { ssh_key: { id: number } }).ssh_key
  const order = { name: 'own', server_type: 'cx23', image: 'ubuntu-24.04', location: 'fsn1', ssh_keys: [made.id] }
  const { server } = (await ask('POST', '/servers', order)) as { server: { id: number } }
  let address: string | null = null
  await expect(async () => {
    const now = (await ask('GET', `/servers/${server.id}`)) as {
      server: { status: string; public_net: { ipv4: { ip: string } | null } }
    }
    expect(now.server.status).toBe('running')
    address = now.server.public_net.ipv4?.ip ?? null
    expect(address).not.toBeNull()
  }).toPass({ timeout: 60_000 })
  return String(address)
}
