/** Two organizations, three servers in one of them, and users. */
import { boot, type Booted } from './booted.ts'
import type { Browser } from './browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** Fixture of the document API tests. */
export interface Acme {
  booted: Booted
  owner: Browser
  manager: Browser
  /** Owner of the other organization. */
  stranger: Browser
  /** Name of the production server; the other two are degraded. */
  server: string
}

/** Boots the fixture. */
export async function bootAcme(): Promise<Acme> {
  const booted = await boot({
    controllers: [{ doctype: 'Site', delete_request: () => Promise.resolve({ job: 'job0000001' }) }],
  })
  await booted.organization('acme', {
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  const server = await booted.documents.transaction(booted.system, async (tx) => {
    await tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' })
    const { name } = await tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'one.acme.test',
      status: 'Healthy',
      server_category: 'production',
    })
    for (const hostname of ['two.acme.test', 'three.acme.test']) {
      await tx.insert(ServerDoctype, { organization: 'acme', hostname, status: 'Degraded' })
    }
    return name
  })
  return {
    booted,
    server,
    owner: await booted.signedIn('owner@acme.example'),
    manager: await booted.signedIn('manager@acme.example'),
    stranger: await booted.signedIn('owner@globex.example'),
  }
}

/** A plain request with its JSON response. */
export async function body(browser: Browser, path: string, init?: RequestInit) {
  const response = await browser.fetch(path, init)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

/** Creates a site on the production server; returns its name. */
export async function makeSite({ booted, server }: Acme): Promise<string> {
  const { name } = await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(SiteDoctype, { organization: 'acme', server, domain: 'blog.acme.test', site_type: 'html' }),
  )
  return name
}

/** Document API calls as the organization's owner. */
export function resourceCalls(owner: () => Browser) {
  const list = (params: Record<string, unknown>, doctype = 'Server') =>
    body(owner(), `/api/resource/${doctype}?${query(params)}`)
  return {
    list,
    rows: async (params: Record<string, unknown>, doctype?: string) => (await list(params, doctype)).body['data'],
    send: (method: string, path: string, sent?: object, browser = owner()) =>
      body(browser, `/api/resource/${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-frappe-csrf-token': browser.csrfToken ?? '' },
        ...(sent ? { body: JSON.stringify(sent) } : {}),
      }),
  }
}

/** Query parameters; anything but a string is sent as JSON. */
export const query = (params: Record<string, unknown>) =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&')
