import { msg } from '#shared/localized-message.ts'
import type { CertificateKind } from '#shared/rules/site-certificates.ts'
import { EngineError } from '../engine.ts'
import type { EngineCertificate, SiteCertificates } from '../site-certificates.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { existingSite, writeSite } from './fake-store.ts'

const dayMs = 86_400_000

const refused = () =>
  new EngineError('unavailable', msg`No certificate was issued.`, { nextAction: msg`Check the domain.` })

const lost = () =>
  new EngineError('unavailable', msg`The connection to the server broke.`, {
    retryable: true,
    nextAction: msg`Look at the server.`,
  })

/**
 * Certificates in the site's file. Domains that start with `no-certificate` get none, and a self-signed one in the place of one of their own;
 * those with `lost-certificate` have a server that breaks off.
 */
export function createFakeCertificates(context: FakeContext): SiteCertificates {
  const set = (site: SiteRef, ssl: CertificateKind | null) =>
    writeSite(context, {
      ...existingSite(context, site),
      ssl: ssl === null ? null : { kind: ssl, from: context.now() - dayMs },
    })
  const isRefused = (site: SiteRef) => existingSite(context, site).domain.startsWith('no-certificate')
  return {
    read: async (site) => certificateOf(existingSite(context, site)),
    change: async (site, to) => {
      if (to !== null && isRefused(site)) throw refused()
      if (to !== null && existingSite(context, site).domain.startsWith('lost-certificate')) throw lost()
      set(site, to)
    },
    install: async (site) => {
      set(site, isRefused(site) ? 'self' : 'custom')
      if (isRefused(site)) throw refused()
    },
  }
}

function certificateOf({ domain, ssl }: Pick<ReturnType<typeof existingSite>, 'domain' | 'ssl'>): EngineCertificate {
  if (!ssl) return { kind: null, certificate: null, fixed: null }
  const { kind, from } = ssl
  return { kind, certificate: { issuer: 'Fake', names: [domain], from, until: from + 90 * dayMs }, fixed: null }
}
