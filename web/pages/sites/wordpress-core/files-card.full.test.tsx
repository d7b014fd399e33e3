import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer, type Call } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { FilesCard } from './files-card.tsx'

const api = apiServer()
const site = {
  name: 's1',
  domain: 'blog',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
  engine: 'local',
  wordpress_checksum: 'Modified',
} as Site
const at = '2026-11-25 03:00:00.000000'
const lists = { changed: [] as string[], added: [] as string[], missing: [] as string[], truncated: false }
const one = {
  type: 'plugin',
  version: '1.0',
  source: 'uploaded',
  unchecked: null,
  restorable: false,
  checked: 3,
  ...lists,
}
let comparison: Record<string, unknown>
const replies: Record<string, (call: Call) => unknown> = {
  checksum_report: () => ({
    report: { version: '6.5.5', source: 'package', checked: 2_666, ...lists, changed: ['wp-includes/load.php'] },
    measured_at: at,
  }),
  package_checksums: () => ({
    packages: [
      { ...one, id: 'tool', name: 'Tool', changed: ['lib/a.php'], restorable: true },
      { ...one, id: 'hello.php', name: 'Hello Dolly', source: 'bundled' },
      { ...one, id: 'private', name: 'Private', source: null, unchecked: 'offline', checked: 0 },
    ],
    measured_at: at,
  }),
  compare_wordpress_file: ({ body }) => ({ path: (body['args'] as { path: string }).path, ...comparison }),
}

beforeEach(() => {
  comparison = {
    result: 'text',
    diff: '@@ -1,1 +1,1 @@\n-<?php\n+<?php <script>alert(1)</script>\n',
    truncated: false,
    original_bytes: 5,
    bytes: 40,
  }
  api.on('run_doc_method', (call) => ({ message: replies[String(call.body['method'])]?.(call) }))
  api.on('resource/Site/s1', () => ({ data: site }))
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
})

const change = vi.fn(async () => true as const)
const open = () =>
  renderAs(
    owner,
    <TooltipProvider>
      <FilesCard
        wordpress={{ site, held: null, jobsHeld: null, changing: null, change } as unknown as WordPress}
        installed="6.5.5"
      />
    </TooltipProvider>,
  )

test('says what is modified, what is verified, and what was not checked and why', async () => {
  open()
  expect(await screen.findByText('Files of WordPress 6.5.5 differ from the original.')).toBeTruthy()
  expect(await screen.findByText('1 is the original. 1 was not checked.')).toBeTruthy()
  expect(screen.getAllByText('Compared with the ZIP file that was uploaded.').length).toBeGreaterThan(0)
  expect(screen.getByText('wordpress.org could not be asked for its checksums.')).toBeTruthy()
})

test('the difference of a file is text, whatever it contains', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Compare lib/a.php with the original' }))
  const drawer = await screen.findByRole('dialog')
  expect(await within(drawer).findByText('+<?php <script>alert(1)</script>')).toBeTruthy()
  expect(drawer.querySelector('script')).toBeNull()
  expect(within(drawer).getByText('wp-content/plugins/tool/lib/a.php')).toBeTruthy()
})

test.each([
  ['binary', /not text/],
  ['too_long', /larger than 1 MB/],
  ['too_different', /nothing in common/],
  ['no_original', /only its checksum/],
])('a file whose result is %s says so', async (result, text) => {
  comparison = { ...comparison, result, diff: null }
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Compare wp-includes/load.php with the original' }))
  expect(await within(await screen.findByRole('dialog')).findByText(text)).toBeTruthy()
})

test('original files are put back by a dialog that preselects the installed version', async () => {
  replies['wordpress_versions'] = () => ({
    installed: '6.5.5',
    reached: false,
    offers: [{ version: '6.5.5', stored: true, state: null }],
  })
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Put original files back…' }))
  expect(await screen.findByRole('button', { name: 'Put original files back' })).toBeTruthy()
})

test('the original files of a modified plugin are put back where its package is kept', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Put original files of Tool back' }))
  expect(change).toHaveBeenCalledWith(
    'restore_package',
    { type: 'plugin', folder: 'tool' },
    { key: 'restore plugin tool' },
  )
})
