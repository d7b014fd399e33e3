import { describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { failureOf } from './engine-failure.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What the contract of certificates runs on. */
interface CertificatesUnderTest {
  readonly engine: TestedEngine
  readonly html: SiteRef
  newSpec(kind: 'html'): SiteRef
}

/** The contract of `Engine.certificates`. */
export function describeCertificates(under: () => CertificatesUnderTest): void {
  describe('certificates', () => {
    needs(
      under,
      'tls',
      'lets_encrypt',
    )('are had, read back and given up, repeatable', async () => {
      const { engine, html, newSpec } = under()
      const { certificates } = engine
      expect(await certificates.read(html)).toEqual({ kind: null, certificate: null, fixed: null })
      await certificates.change(html, null)
      for (let again = 0; again < 2; again += 1) await certificates.change(html, 'le')
      const { kind, certificate } = await certificates.read(html)
      expect([kind, certificate?.names]).toEqual(['le', [html.domain]])
      expect(certificate?.until).toBeGreaterThan(Date.now())
      expect((await engine.request({ ...html, isSecure: true }, '/')).status).toBe(200)
      for (let again = 0; again < 2; again += 1) await certificates.change(html, null)
      expect(await certificates.read(html)).toMatchObject({ kind: null, certificate: null })
      expect((await engine.request(html, '/')).status).toBe(200)
      expect((await failureOf(() => certificates.read(newSpec('html')))).code).toBe('not_found')
    })
  })
}
