import { expect, test } from 'vitest'
import { unreadableSiteError } from './excluded-sites.ts'

const site = { name: 'wild000001', domain: 'wild' }
const failed = (code: string) => Object.assign(new Error(code), { code, path: '/data/x' })

test('unreadable files are reported with their site, which can be left out', () => {
  const { message, nextAction } = unreadableSiteError(site, failed('EIO'))
  expect(message).toBe('The site wild cannot be exported. /data/x cannot be read (EIO).')
  expect(nextAction).toContain('--without wild')
})

test.each(['ENOSPC', 'EDQUOT'])('does not leave out a site because of a full disk (%s)', (code) => {
  const { message, nextAction } = unreadableSiteError(site, failed(code))
  expect(message).toContain('no room in the data folder')
  expect(nextAction).not.toContain('--without')
})
