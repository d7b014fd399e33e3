import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { publicKeyLine } from './client-key.ts'
import { signerOf, signText } from './ssh-signature.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const line = publicKeyLine(createPublicKey(privateKey))

test('a signature is one of its key, namespace and text only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
      const signature = signText(privateKey, 'proof', text)
      expect(signerOf(signature, 'proof', text)).toBe(line)
      expect(signerOf(signature, 'login', text)).toBeNull()
      if (other !== text) expect(signerOf(signature, 'proof', other)).toBeNull()
    }),
    { numRuns: 50 },
  )
})

test('whatever else is given is no signature', () => {
  const signature = signText(privateKey, 'proof', 'text')
  fc.assert(
    fc.property(fc.nat(signature.length - 1), fc.base64String({ maxLength: 300 }), (at, noise) => {
      const cut = signature.slice(0, at) + noise + signature.slice(at + noise.length)
      const signer = signerOf(cut, 'proof', 'text')
      // What is between the lines may be written in other ways.
      if (signer !== null) expect(signer).toBe(line)
      expect(signerOf(noise, 'proof', 'text')).toBeNull()
    }),
    { numRuns: 200 },
  )
})

const hasTool = spawnSync('ssh-keygen', ['-?']).error === undefined

test.skipIf(!hasTool)('OpenSSH accepts it, and no other text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ssh-signature-'))
  try {
    writeFileSync(join(folder, 'signature'), signText(privateKey, 'proof', 'text'))
    writeFileSync(join(folder, 'signers'), `easydash ${line}\n`)
    const signer = ['-f', join(folder, 'signers'), '-I', 'easydash', '-n', 'proof', '-s', join(folder, 'signature')]
    const check = (input: string) => execFileSync('ssh-keygen', ['-Y', 'verify', ...signer], { input, stdio: 'pipe' })
    expect(check('text').toString()).toContain('Good "proof" signature')
    expect(() => check('other')).toThrow()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
