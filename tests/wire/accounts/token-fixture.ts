/** An organization for tests of API tokens, and calls with them. */
import { io, type Socket } from 'socket.io-client'
import type { Tx } from '#server/contracts/transaction.ts'
import { boot } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** Result of creating a token. */
export interface MadeToken {
  name: string
  api_key: string
  api_secret: string
  token: string
}

/** Status and body of a response. */
export interface ParsedResponse {
  status: number
  body: Record<string, unknown> & { data?: unknown; message?: unknown }
}

/** `acme` with one server and one site; its owner is also an admin of `globex`. */
export type TokenFixture = Awaited<ReturnType<typeof openTokenFixture>>

/** Boots the server with that organization. */
export async function openTokenFixture() {
  const booted = await boot()
  const inSystem = <T>(fn: (tx: Tx) => Promise<T>) => booted.documents.transaction(booted.system, fn)
  const join = (parent: string, user: string, organization_role: string) =>
    inSystem((tx) =>
      tx.insert('Organization Member', {
        parent,
        parenttype: 'Organization',
        parentfield: 'members',
        user,
        organization_role,
      }),
    )
  await booted.organization('acme', {
    'admin@acme.example': 'Organization Admin',
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex', {})
  await join('globex', 'owner@acme.example', 'Organization Admin')
  await inSystem((tx) => tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' }))
  const { name: server } = await inSystem((tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test' }),
  )
  const { name: site } = await inSystem((tx) =>
    tx.insert(SiteDoctype, { organization: 'acme', server, domain: 'blog', site_type: 'html', status: 'Live' }),
  )
  const sockets = new Set<Socket>()

  async function call(authorization: string, path: string, init: RequestInit = {}): Promise<ParsedResponse> {
    const response = await fetch(new URL(path, booted.url), {
      ...init,
      headers: { authorization, 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    })
    return { status: response.status, body: (await response.json()) as ParsedResponse['body'] }
  }

  return {
    booted,
    inSystem,
    join,
    server,
    site,
    owner: await booted.signedIn('owner@acme.example'),
    member: await booted.signedIn('member@acme.example'),
    call,
    post: (authorization: string, method: string, body: object = {}) =>
      call(authorization, `/api/method/${method}`, { method: 'POST', body: JSON.stringify(body) }),
    async make(browser: Browser, values: Record<string, unknown>): Promise<MadeToken> {
      const response = await browser.app
        .call()
        .post<{ message: MadeToken }>('easydash.api.tokens.create', { title: 'Test', organization: 'acme', ...values })
      return response.message
    },
    /** A connected socket; rejects with the server's error. */
    dial(authorization: string, port: number): Promise<Socket> {
      const socket = io(`http://localhost:${port}/localhost`, {
        extraHeaders: { authorization },
        forceNew: true,
        reconnection: false,
      })
      sockets.add(socket)
      return new Promise((resolve, reject) => {
        socket.once('connect', () => resolve(socket))
        socket.once('connect_error', reject)
      })
    },
    closeSockets(): void {
      for (const socket of sockets) socket.close()
      sockets.clear()
    },
  }
}
